"""Many connected clients, and a server that is killed under them at random moments.

`load.py PROGRAM [CLIENTS SECONDS KILLS]`: 20 clients, 30 seconds and 5 kills unless said; `load.py PROGRAM 200 300 100` is the long run.
No answer may be wrong, mixed or lost, and the ledger is exact: every answer was paid once, and nothing else but what a kill has taken.
The clients speak the protocol by themselves: a driver would spend the processor on passwords at every new connection. Needs Python alone.
"""

import asyncio
import base64
import hashlib
import hmac
import itertools
import json
import os
import random
import struct
import sys
import time
from fractions import Fraction

from served import PASSWORD, Served
from ward import JOB, POLICY, people

USERS = {"ada": "research", "bob": "students"}
# A question that nobody has asked before, so many times a second: kills then meet payments.
NEW_PER_SECOND = 5


class Broken(Exception):
    """The connection is gone, as it is behind a kill."""


class Client:
    """One connection: SCRAM-SHA-256 and the simple protocol. The salted password of a user is computed once."""

    salted = {}

    async def connect(self, port, user):
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", port)
        words = ["user", user, "database", "ward-7", "options", "-c paravent.purpose=statistics"]
        body = struct.pack("!I", 196608) + b"".join(word.encode() + b"\0" for word in words) + b"\0"
        self.writer.write(struct.pack("!I", len(body) + 4) + body)
        await self.message()
        bare = "n=,r=" + base64.b64encode(os.urandom(18)).decode()
        first = ("n,," + bare).encode()
        self.send(b"p", b"SCRAM-SHA-256\0" + struct.pack("!I", len(first)) + first)
        _, body = await self.message()
        challenge = body[4:].decode()
        nonce, salt, rounds = (part[2:] for part in challenge.split(","))
        if (user, salt) not in self.salted:
            self.salted[user, salt] = hashlib.pbkdf2_hmac("sha256", PASSWORD.encode(), base64.b64decode(salt), int(rounds))
        key = hmac.digest(self.salted[user, salt], b"Client Key", "sha256")
        last = f"c=biws,r={nonce}"
        signature = hmac.digest(hashlib.sha256(key).digest(), f"{bare},{challenge},{last}".encode(), "sha256")
        proof = base64.b64encode(bytes(one ^ other for one, other in zip(key, signature))).decode()
        self.send(b"p", f"{last},p={proof}".encode())
        while (await self.message())[0] != b"Z":
            pass

    def send(self, kind, body):
        self.writer.write(kind + struct.pack("!I", len(body) + 4) + body)

    async def message(self):
        try:
            kind = await self.reader.readexactly(1)
            (length,) = struct.unpack("!I", await self.reader.readexactly(4))
            return kind, await self.reader.readexactly(length - 4)
        except (asyncio.IncompleteReadError, OSError) as error:
            raise Broken from error

    async def ask(self, sql):
        """The rows of an answer as texts, or the SQLSTATE of a refusal."""
        self.send(b"Q", sql.encode() + b"\0")
        rows, refusal = [], None
        while True:
            kind, body = await self.message()
            if kind == b"D":
                cells, place = [], 2
                for _ in range(struct.unpack("!H", body[:2])[0]):
                    (length,) = struct.unpack("!i", body[place : place + 4])
                    place += 4
                    cells.append(None if length < 0 else body[place : place + length].decode())
                    place += max(length, 0)
                rows.append(tuple(cells))
            elif kind == b"E":
                refusal = {field[:1]: field[1:].decode() for field in body.split(b"\0") if field}[b"C"]
            elif kind == b"Z":
                return tuple(rows) if refusal is None else refusal

    def close(self):
        self.writer.close()


def questions():
    """Counts that all differ, in an order of chance."""
    decades = [f"'{d}0-{d}9'" for d in range(2, 8)]
    zips = [f"'1{d:02}0*'" for d in range(7)]
    subsets = [group for size in range(1, 5) for group in itertools.combinations(decades, size)]
    all = []
    for sex, group, zip in itertools.product(["", "sex = 'f' AND ", "sex = 'm' AND "], subsets, zips):
        all.append(f"SELECT count(*) FROM patients WHERE {sex}zip = {zip} AND age IN ({', '.join(group)})")
    random.Random(1).shuffle(all)
    return all


class Load:
    def __init__(self, served, clients, seconds, kills):
        self.served, self.clients, self.seconds, self.kills = served, clients, seconds, kills
        self.pool, self.seen, self.waits = questions(), {}, []
        self.logins = self.echoes = self.refusals = self.broken = self.answers = 0
        self.begun = time.monotonic()

    def known(self):
        """How many questions there are by now."""
        return min(len(self.pool), 1 + int((time.monotonic() - self.begun) * NEW_PER_SECOND))

    async def client(self, number):
        draw, user, client, counter = random.Random(number), ["ada", "bob"][number % 2], None, 0
        while time.monotonic() < self.begun + self.seconds:
            try:
                if client is None:
                    fresh = Client()
                    await fresh.connect(self.served.port, user)
                    client, self.logins = fresh, self.logins + 1
                since = time.monotonic()
                match draw.randrange(10):
                    case 0:
                        told = await asyncio.wait_for(client.ask("SELECT name FROM patients"), 60)
                        assert told == "42501", told
                        self.refusals += 1
                    case 1 | 2:
                        # Nobody else sends this text, so nobody else may get it.
                        counter += 1
                        told = await asyncio.wait_for(client.ask(f"SELECT 'client {number} asks {counter}'"), 60)
                        assert told == ((f"client {number} asks {counter}",),), told
                        self.echoes += 1
                    case _:
                        question = self.pool[draw.randrange(self.known())]
                        told = await asyncio.wait_for(client.ask(question), 60)
                        assert isinstance(told, tuple) and len(told) == 1, (question, told)
                        assert self.seen.setdefault(question, told) == told, f"two answers to one question: {question}"
                        self.answers += 1
                self.waits.append(time.monotonic() - since)
            except (Broken, OSError):
                self.broken += 1
                if client is not None:
                    client.close()
                client = None
                await asyncio.sleep(0.05)

    async def killer(self):
        """Kills at moments of chance. The next server has the same port."""
        draw = random.SystemRandom()
        moments = sorted(draw.uniform(1, self.seconds - 1) for _ in range(self.kills))
        for moment in moments:
            await asyncio.sleep(max(0, self.begun + moment - time.monotonic()))
            self.served.server.kill()
            self.served.server.wait()
            await asyncio.to_thread(self.served.start, self.served.port)

    async def run(self):
        await asyncio.gather(self.killer(), *(self.client(number) for number in range(self.clients)))

    async def again(self):
        """Whoever asks now gets what was answered then."""
        client = Client()
        await client.connect(self.served.port, "bob")
        for question, told in self.seen.items():
            assert await client.ask(question) == told, question
        client.close()


def main(program, clients=20, seconds=30, kills=5):
    policy = POLICY.replace('epsilon = "2"', 'epsilon = "100000"')
    files = {"patients.csv": people(), "patients.toml": JOB, "policy.toml": policy}
    with Served(program, "ward-7", files, USERS, ["--connections", str(clients + 10)]) as served:
        load = Load(served, clients, seconds, kills)
        asyncio.run(load.run())
        kept = len(list((served.folder / "state" / "cache").glob("*.json")))
        paid = served.paid()
        assert load.seen and len(load.seen) <= kept <= paid <= kept + kills, (len(load.seen), kept, paid, kills)
        asyncio.run(load.again())
        assert served.paid() == paid, "asking again costs nothing"
        served.stop()
        served.run("ledger", "verify", "--ledger", "state/ledger.jsonl")
        listed = json.loads(served.run("--json", "ledger", "list", "--ledger", "state/ledger.jsonl"))
        (account,) = listed["recipients"]
        assert listed["broken"] is None and Fraction(account["epsilon"]) == Fraction(1, 2) * paid, account
    waits = sorted(load.waits)
    print(f"{clients} clients, {seconds} s, {kills} kills: {load.logins} logins, {load.answers} answers to {len(load.seen)} questions, {load.refusals} refusals, {load.echoes} echoes; {load.broken} times a kill was noticed")
    print(f"no answer wrong, mixed or lost; {paid} lines paid, {kept} answers kept, {paid - kept} taken by kills; half of the waits below {waits[len(waits) // 2] * 1000:.0f} ms, 99 % below {waits[len(waits) * 99 // 100] * 1000:.0f} ms")


main(sys.argv[1], *map(int, sys.argv[2:]))
