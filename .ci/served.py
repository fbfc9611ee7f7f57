"""A policy with made-up people, its users, and the server that answers for it."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile

try:
    import psycopg
except ImportError:  # The load speaks the protocol by itself.
    psycopg = None

PASSWORD = "a password of nobody"
os.environ["PGPASSWORD"] = PASSWORD


class Served:
    """A folder with files, users and a server. `files` are its texts by name; one is policy.toml."""

    def __init__(self, program, name, files, users, options=()):
        self.program, self.name, self.options = program, name, list(options)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="served-", dir=os.environ.get("PARAVENT_PLACE")))
        self.server = None
        for file, text in files.items():
            (self.folder / file).write_text(text)
        for user, role in users.items():
            self.run("user", "add", "policy.toml", user, "--role", role, given=PASSWORD + "\n")

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        if self.server is not None:
            self.server.kill()
            self.server.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, *arguments, given=""):
        return subprocess.run([self.program, *arguments], cwd=self.folder, input=given, text=True, check=True, capture_output=True).stdout

    def start(self, port=0):
        command = [self.program, "serve", "policy.toml", "--listen", f"127.0.0.1:{port}", *self.options]
        with open(self.folder / "serve.log", "w") as log:
            self.server = subprocess.Popen(command, cwd=self.folder, stderr=log)
        while not (told := re.search(r"127\.0\.0\.1:(\d+)", (self.folder / "serve.log").read_text())):
            assert self.server.poll() is None, (self.folder / "serve.log").read_text()
        self.port = int(told[1])

    def stop(self):
        self.server.send_signal(signal.SIGTERM)
        assert self.server.wait(60) == 0, (self.folder / "serve.log").read_text()
        self.server = None

    def restart(self):
        self.stop()
        self.start()

    def parameters(self, user, purpose="statistics", **more):
        return dict(host="127.0.0.1", port=self.port, user=user, dbname=self.name, options=f"-c paravent.purpose={purpose}", **more)

    def connect(self, user, purpose="statistics", **more):
        return psycopg.connect(**self.parameters(user, purpose), autocommit=True, **more)

    def ask(self, user, sql, parameters=None, purpose="statistics"):
        """One question over a connection of its own: its rows, or its refusal."""
        with self.connect(user, purpose) as connection:
            return ask(connection, sql, parameters)

    def psql(self, user, script, purpose="statistics", **more):
        """What psql prints, and what it says of errors."""
        given = " ".join(f"{key}='{value}'" for key, value in self.parameters(user, purpose, **more).items())
        command = [psql_program(), "-X", "-q", "-A", "-t", "-v", "VERBOSITY=verbose", given]
        done = subprocess.run(command, input=script, text=True, capture_output=True, env=os.environ | {"HOME": str(self.folder)})
        return done.stdout, done.stderr

    def paid(self):
        """Lines of the ledger beyond its first."""
        ledger = self.folder / "state" / "ledger.jsonl"
        return len(ledger.read_text().splitlines()) - 1 if ledger.exists() else 0


def psql_program():
    packaged = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/psql"))
    return str(packaged[-1]) if packaged else "psql"


class Refused(Exception):
    """A refusal: its SQLSTATE and its words."""

    def __init__(self, state, message, hint):
        super().__init__(f"{state} {message} {hint or ''}")
        self.state, self.message, self.hint = state, message, hint

    def __eq__(self, other):
        return isinstance(other, Refused) and str(self) == str(other)

    __hash__ = Exception.__hash__


def ask(connection, sql, parameters=None):
    try:
        # Without parameters the text goes as it is: a percent sign is no place for one.
        answer = connection.execute(sql) if parameters is None else connection.execute(sql, parameters)
        return answer.fetchall() if answer.description else []
    except psycopg.Error as error:
        return Refused(error.sqlstate, error.diag.message_primary, error.diag.message_hint)
