"""What the stages of a question under a policy cost, and what they save.

`policy_cost.py PROGRAM [ROWS]`: 1.2 million rows unless said. A recipient who needs one of nine columns of a tenth of the rows asks twice: under a
policy that lets them have nothing else (columns and rows are left out before anything is made anonymous), and under one that lets them have all
(everything is read and made anonymous, and they pick). Then a trivial question under a trivial policy: all of it, and its stages alone (read, compare,
adapt, plan, audit), which are what `policy explain` with a statement takes beyond `policy explain` without one: no table, no account, no disk. Prints
seconds; the fastest of three, and of twenty for the stages. Needs Python alone.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import time

COLUMNS = ["age", "sex", "zip", "diagnosis", "salary", "visits", "height", "weight"]
JOB = 'version = 1\ninput.path = "TABLE.csv"\n[[attributes]]\nname = "id"\nrole = "identifying"\ntype = "string"\n'
JOB += """[[attributes]]
name = "age"
role = "quasi-identifier"
type = "integer"
hierarchy = { intervals = { widths = [5, 10, 20, 40], min = 0, max = 120 } }
[[attributes]]
name = "sex"
role = "quasi-identifier"
type = "string"
[[attributes]]
name = "zip"
role = "quasi-identifier"
type = "string"
hierarchy = { redact = { from = "right", length = 5, alphabet = 10 } }
"""
JOB += "".join(f'[[attributes]]\nname = "{name}"\nrole = "insensitive"\ntype = "integer"\n' for name in COLUMNS[4:])
JOB += '[[attributes]]\nname = "diagnosis"\nrole = "sensitive"\ntype = "string"\n[privacy]\nperson = "id"\nmodels = [{ model = "k-anonymity", k = 5 }]\n'

HEAD = """version = 1
name = "cost"
[[tables]]
name = "patients"
job = "TABLE.toml"
person = "id"
[[recipients]]
role = "research"
purposes = ["statistics"]
trust = "trusted"
budget = { epsilon = "1000" }
[[demands]]
table = "patients"
min_people = 5
models = [{ model = "k-anonymity", k = 5 }]
suppression_limit = 0.05
"""


def rule(columns, text):
    return f'[[rules]]\nid = "r-{"-".join(columns) or "rows"}"\ntable = "patients"\n' + (f"columns = {json.dumps(columns)}\n" if columns else "") + text


def table(path, rows):
    state = 1
    with open(path, "w") as file:
        file.write("id," + ",".join(COLUMNS) + "\n")
        for row in range(rows):
            state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
            a, b, c = state >> 40, state >> 20, state >> 8
            file.write(
                f"p{row},{a % 90},{'fm'[b % 2]},{c % 500 * 150 % 100000:05},d{a % 17},{b % 9000},{row % 10},{150 + c % 50},{40 + a % 80}\n"
            )


def ask(program, folder, policy, statement):
    """The seconds of the fastest of three, each with a state of its own, and the rows of the answer."""
    seconds = []
    for turn in range(3):
        path = folder / f"policy-{turn}.toml"
        path.write_text(policy + f'[state]\npath = "state-{len(list(folder.iterdir()))}"\n')
        command = [program, "--json", "ask", str(path), "--as", "research", "--purpose", "statistics", statement]
        begun = time.monotonic()
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(done.stdout + done.stderr)
        seconds.append(time.monotonic() - begun)
        rows = len(json.loads(done.stdout)["rows"])
    return min(seconds), rows


def stages(program, path, statement):
    """Seconds of the stages up to the audit, the fastest of twenty: with a statement, and without."""
    whom = [program, "policy", "explain", str(path)]
    recipient = ["--as", "research", "--purpose", "statistics"]
    fastest = []
    for command in [whom + [statement] + recipient, whom + recipient]:
        seconds = []
        for _ in range(20):
            begun = time.monotonic()
            subprocess.run(command, check=True, capture_output=True)
            seconds.append(time.monotonic() - begun)
        fastest.append(min(seconds))
    return fastest


def main():
    program, rows = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1_200_000
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for size, called in [(rows, "large"), (20, "small")]:
            table(folder / f"{called}.csv", size)
            (folder / f"{called}.toml").write_text(JOB.replace("TABLE", called))
        head = HEAD.replace("TABLE", "large")
        few = head + rule(["age"], "show = true\n") + rule([], 'where = "visits = 3"\n')
        everything = head + "".join(rule([column], "show = true\n") for column in COLUMNS)
        with_it = ask(program, folder, few, "SELECT age FROM patients")
        without = ask(program, folder, everything, f"SELECT {', '.join(COLUMNS)} FROM patients")
        print(f"one of nine columns of a tenth of {rows:,} rows, left out before: {with_it[0]:.2f} s, {with_it[1]:,} rows")
        print(f"all columns of all rows, picked from afterwards:                  {without[0]:.2f} s, {without[1]:,} rows")
        trivial = HEAD.replace("TABLE", "small") + rule([], 'aggregate = ["count"]\nnoise = { epsilon = "0.1" }\n')
        small = ask(program, folder, trivial, "SELECT count(*) FROM patients")
        begun = time.monotonic()
        subprocess.run([program, "--version"], check=True, capture_output=True)
        print(f"a trivial question, all of it: {small[0] * 1000:.0f} ms; starting the program: {(time.monotonic() - begun) * 1000:.0f} ms")
        (folder / "trivial.toml").write_text(trivial)
        with_one, without_one = stages(program, folder / "trivial.toml", "SELECT count(*) FROM patients")
        print(f"its stages up to the audit: {(with_one - without_one) * 1000:.1f} ms")
        if with_it[0] >= without[0]:
            sys.exit("leaving columns and rows out does not pay")


main()
