"""The 36 known attacks over connections of psycopg and psql: after reconnects, by two users of one group, and after restarts of the server.

Each is refused, or harmless: noisy and paid, the same answer again, withheld. `attacks.py PROGRAM [N]` tries N random refused statements (300).
"""

import random
import re
import sys

from served import Refused, Served, ask
from ward import HEADER, JOB, POLICY, people, person

# Recipients who are trusted get exact figures, held against all earlier ones.
EXACT = re.sub(r"noise = .*\n", "", POLICY).replace('"untrusted"', '"trusted"').replace("min_people = 10", "min_people = 10\ndominance = 0.5")
# Recipients who may see rows on labels.
ROWS = (
    re.sub(r"noise = .*\n", "", POLICY)
    .replace('columns = ["age"]', 'columns = ["age"]\nshow = 1')
    .replace('columns = ["sex"]', 'columns = ["sex"]\nshow = true')
    .replace('columns = ["zip"]', 'columns = ["zip"]\nshow = 1')
    .replace('columns = ["diagnosis"]', 'columns = ["diagnosis"]\nshow = true')
    .replace("min_people = 10", 'min_people = 10\nmodels = [{ model = "k-anonymity", k = 5 }, { model = "distinct-l-diversity", attribute = "diagnosis", l = 3 }]')
)
USERS = {"ada": "research", "bob": "students"}
COUNT = "SELECT count(*) FROM patients"

# Refused by their name, whoever asks, how often, and over whichever client. By the numbers of the list.
REFUSED = {
    1: ["SELECT name FROM patients", "SELECT id, count(*) FROM patients GROUP BY id"],
    2: [COUNT + " WHERE name = 'n17' AND diagnosis = 'hiv'", COUNT + " WHERE diagnosis = 'hiv'", COUNT + " WHERE salary = 1000"],
    3: ["SELECT * FROM patients WHERE age = 34", COUNT + " WHERE age BETWEEN 30 AND 34", COUNT + " WHERE age < 34"],
    4: ["SELECT age FROM patients ORDER BY salary DESC LIMIT 1"],
    5: ["SELECT min(salary), max(salary) FROM patients", "SELECT median(salary) FROM patients"],
    7: [COUNT + " WHERE NOT (age = '30-39' AND zip = '1000*' AND sex = 'f')", COUNT + " WHERE sex <> 'f'"],
    8: [COUNT + " WHERE admitted < '2026-03-01'", COUNT + " WHERE admitted < '2026-03-02'"],
    13: [COUNT + " WHERE (SELECT count(*) FROM patients u WHERE u.name = 'n17' AND u.diagnosis = 'hiv') = 1", COUNT + " WHERE EXISTS (SELECT 1 FROM patients)"],
    14: [COUNT + " p JOIN patients q ON q.age = '30-39'", "SELECT count(*) FROM patients, patients q"],
    15: ["SELECT avg(m) FROM (SELECT max(salary) OVER () AS m FROM patients) t", "SELECT sum(salary) OVER () FROM patients"],
    16: ["SELECT DISTINCT diagnosis FROM patients", "SELECT diagnosis FROM patients EXCEPT SELECT diagnosis FROM patients", "SELECT diagnosis FROM patients INTERSECT SELECT diagnosis FROM patients"],
    17: ["SELECT CASE WHEN zip = '1000*' AND diagnosis = 'hiv' THEN 1/0 END FROM patients"],
    18: ["SELECT CAST(diagnosis AS INT) FROM patients", "SELECT exp(1000) FROM patients", COUNT + " WHERE repeat('x', 1000000000) = sex", COUNT + " WHERE sex ~ '(a+)+$'"],
    19: [COUNT + " WHERE sex = 'f' AND (SELECT count(*) FROM generate_series(1, 1000000000)) > 0", "SELECT count(*) FROM generate_series(1, 1000000000)", COUNT + " WHERE pg_sleep(5) IS NULL"],
    20: ["EXPLAIN ANALYZE " + COUNT, "SELECT * FROM pg_stats", "SELECT * FROM pg_catalog.pg_statistic", "SELECT pg_read_file('patients.csv')"],
    21: ["SELECT age, count(*) FROM patients GROUP BY age HAVING max(salary) > 8000"],
    22: [COUNT + " JOIN (VALUES ('n17'), ('n18')) v(n) ON v.n = name"],
    23: ["SELECT array_agg(age) FROM patients", "SELECT string_agg(name, ',') FROM patients", "SELECT first_value(age) FROM patients", "SELECT count(DISTINCT name) FROM patients"],
    24: ["WITH p AS (SELECT name FROM patients) SELECT name FROM p", "WITH RECURSIVE p AS (SELECT name FROM patients) SELECT count(*) FROM p", "SELECT count(*) FROM patients, LATERAL (SELECT name) l", "CREATE VIEW v AS SELECT name FROM patients"],
    26: ["SELECT age FROM patients LIMIT 1 OFFSET 3", "SELECT age FROM patients FETCH FIRST 1 ROWS ONLY", "DECLARE c CURSOR WITH HOLD FOR SELECT name FROM patients"],
    27: ["SET paravent.seed = 1", "SET seed TO 0.5", "SELECT setseed(0.5)"],
    34: ["SELECT * FROM private(patients, by => (sex), sum => (salary, 0, 1e12), epsilon => 100)", "SELECT sum(salary * 1000) FROM patients"],
}
STATES = {"42501", "42704", "42P01", "42883", "0A000", "42703"}


def ward(policy, table=None, **files):
    texts = {"patients.csv": table or people(), "patients.toml": JOB, "policy.toml": policy} | files
    return Served(PROGRAM, "ward-7", texts, USERS, ["--grid", "0"])


def is_refused(told, *states):
    assert isinstance(told, Refused) and told.state in (states or STATES), told
    assert "CANARY" not in str(told) and "n17" not in str(told), told
    return told


def refused_by_name():
    """1–5, 7, 8, 13–24, 26, 27, 34: psycopg, a new connection, psql as another user of the group, a restart; without the table nothing can depend on it."""
    with ward(POLICY) as served:
        (served.folder / "patients.csv").unlink()
        statements = [sql for family in REFUSED.values() for sql in family]
        with served.connect("ada") as connection:
            first = [is_refused(ask(connection, sql)) for sql in statements]
        assert [served.ask("ada", sql) for sql in statements] == first, "after a new connection"
        script = "".join(f"\\warn ===\n{sql};\n" for sql in statements)
        out, err = served.psql("bob", script)
        blocks = err.split("===\n")[1:]
        assert not out.strip() and len(blocks) == len(statements), (out, err)
        for sql, refusal, block in zip(statements, first, blocks):
            assert refusal.state in block and refusal.message in block, (sql, refusal, block)
        served.restart()
        with served.connect("ada") as connection:
            assert [ask(connection, sql) for sql in statements] == first, "after a restart"
        # 20: the catalog is static.
        assert served.ask("ada", "SELECT reltuples FROM pg_class") == [(-1,)]
        assert served.ask("ada", "SELECT table_name FROM information_schema.tables") == [("patients",)]
        columns = {name for (name,) in served.ask("ada", "SELECT column_name FROM information_schema.columns")}
        assert columns == {"age", "sex", "zip", "diagnosis", "salary"}, columns
        # 28: a rule for one purpose does not help another.
        is_refused(served.ask("ada", "SELECT diagnosis, count(*) FROM patients GROUP BY diagnosis", purpose="gait-study"), "42501")
        assert not (served.folder / "state").exists(), "refusals leave no trace"


def tiny_groups():
    """6: groups of fewer than ten people, and one with a single person."""
    with ward(POLICY, people(more=person(1_000, age=85, zip="99999", sex="f"))) as served:
        question = "SELECT zip, age, sex, count(*) FROM patients GROUP BY zip, age, sex"
        told = served.ask("ada", question)
        assert all(count >= 10 for *_, count in told) and not any(zip == "9999*" for zip, *_ in told), told
        served.restart()
        assert served.ask("bob", question) == told and served.paid() == 1
    with ward(EXACT, people(more=person(1_000, age=85, zip="99999", sex="f"))) as served:
        told = served.ask("ada", question)
        assert all(count >= 10 for *_, count in told), told
        assert not any(zip == "9999*" for zip, *_ in told), told


def complements():
    """7, trusted: everybody but three people."""
    few = "".join(person(1_000 + i, age=85) for i in range(3))
    decades = ", ".join(f"'{d}0-{d}9'" for d in range(2, 8))
    with ward(EXACT, people(more=few)) as served:
        assert served.ask("ada", COUNT) == [(1_003,)]
        served.restart()
        assert served.ask("bob", f"{COUNT} WHERE age IN ({decades})") == [], "withheld"
        assert served.ask("ada", f"{COUNT} WHERE age = '80-89'") == [], "withheld"


def trackers():
    """9: A, B, and both with one person more, over three connections."""
    with ward(EXACT, people(more=person(1_000, age=85))) as served:
        assert len(served.ask("ada", COUNT + " WHERE age = '20-29'")) == 1
        assert len(served.ask("bob", COUNT + " WHERE age = '30-39'")) == 1
        served.restart()
        assert served.ask("ada", COUNT + " WHERE age IN ('20-29', '30-39', '80-89')") == [], "withheld"


def averaging():
    """10, 11, 12: a thousand times the same, in other words, over reconnects, users and restarts."""
    question = COUNT + " WHERE sex = 'f' AND age = '30-39'"
    words = [
        question,
        "select COUNT(*) AS n from Patients p where 'f' = p.sex and p.age in ('30-39') -- again",
        "SELECT count(1) FROM public.patients WHERE (age = '30-39') AND sex IN ('f', 'f') AND sex IN ('f', 'm')",
        "/* once more */ " + question,
    ]
    with ward(POLICY) as served:
        seen = set()
        with served.connect("ada") as connection:
            for i in range(1_000):
                seen.update(ask(connection, words[i % 2]))
        for user in ["ada", "bob"]:
            for sql in words:
                seen.update(served.ask(user, sql))
                seen.update(served.ask(user, COUNT + " WHERE sex = %s AND age = %s", ["f", "30-39"]))
            served.restart()
        out, _ = served.psql("bob", question + ";\n")
        assert {(int(out),)} == seen and served.paid() == 1, (seen, out, served.paid())
        is_refused(served.ask("ada", COUNT + " WHERE sex || '' = 'f'"))
        is_refused(served.ask("ada", COUNT + " WHERE sex = 'f' AND 1 = 1"))


def enumeration():
    """25: one prepared statement over all labels; 28: the purpose changes, the account does not."""
    with ward(POLICY) as served:
        with served.connect("ada") as connection:
            told = [ask(connection, COUNT + " WHERE zip = %s", [f"1{i:03}*"]) for i in range(20)]
            assert [isinstance(one, Refused) for one in told] == [False] * 4 + [True] * 16, told
            assert all("budget" in is_refused(one, "42501").message for one in told[4:])
        served.restart()
        is_refused(served.ask("bob", COUNT + " WHERE age = '20-29'"), "42501")
        is_refused(served.ask("ada", COUNT + " WHERE age = '20-29'", purpose="gait-study"), "42501")
        assert served.ask("bob", COUNT + " WHERE zip = %s", ["1000*"]) == told[0] and served.paid() == 4


def pages():
    """26: a cursor gives one row after the other of one answer."""
    with ward(POLICY) as served:
        question = "SELECT sex, count(*) FROM patients GROUP BY sex"
        whole = served.ask("ada", question)
        with served.connect("bob") as connection, connection.transaction():
            with connection.cursor("pages") as cursor:
                cursor.execute(question)
                assert [cursor.fetchone() for _ in whole] == whole and cursor.fetchone() is None
        assert served.paid() == 1


def withdrawn():
    """29: one person withdraws between two answers; then nine more."""
    policy = EXACT + '[consent]\ntable = "consents.csv"\nwithout = "out"\nbatch = 10\n'
    agreed = "person,purpose,from,until\n" + "".join(f"p{i},statistics,,\n" for i in range(1_000))

    def withdraw(served, count):
        lines = [line for line in agreed.splitlines() if line.split(",")[0] not in {f"p{i}" for i in range(count)}]
        (served.folder / "consents.csv").write_text("\n".join(lines) + "\n")

    with ward(policy, **{"consents.csv": agreed}) as served:
        assert served.ask("ada", COUNT) == [(1_000,)]
        for count in [1, 9]:
            withdraw(served, count)
            assert served.ask("bob", COUNT) == [(1_000,)], "not before ten have withdrawn"
            served.restart()
        withdraw(served, 10)
        assert served.ask("ada", COUNT) == [(990,)], "ten at a time"
    # At once, without a batch: exact figures would differ by one person.
    with ward(policy.replace("batch = 10\n", ""), **{"consents.csv": agreed}) as served:
        assert served.ask("ada", COUNT) == [(1_000,)]
        withdraw(served, 1)
        assert served.ask("bob", COUNT) == [], "withheld"


def second_views():
    """30, 31: another view of the same people, a table that has grown, other columns together."""
    with ward(ROWS) as served:
        first = served.ask("ada", "SELECT age, diagnosis FROM patients")
        assert len(first) == 1_000 and not any("CANARY" in str(row) for row in first)
        again = served.ask("bob", "SELECT age, diagnosis FROM patients")
        assert sorted(again) == sorted(first)
        for user in ["ada", "bob"]:
            is_refused(served.ask(user, "SELECT zip, diagnosis FROM patients"), "42501")
            is_refused(served.ask(user, "SELECT age, sex, diagnosis FROM patients"), "42501")
            is_refused(served.ask(user, "SELECT age, diagnosis FROM patients WHERE sex = 'f'"), "42501")
            served.restart()
        grown = "".join(person(1_000 + i, age=30, diagnosis="hiv") for i in range(10))
        (served.folder / "patients.csv").write_text(people(more=grown))
        is_refused(served.ask("ada", "SELECT age, diagnosis FROM patients"), "42501")
        served.restart()
        is_refused(served.ask("bob", "SELECT age, diagnosis FROM patients"), "42501")


def slices():
    """32: rows that are sliced for one analysis, asked for again for another one."""
    policy = ROWS.replace("min_people = 10\n", 'min_people = 10\noperators = ["slice", "generalize"]\n')
    policy = policy.replace('for = { purpose = "statistics" }\ntable', "table")
    for purpose, other in [("statistics", "zip"), ("gait-study", "diagnosis")]:
        policy += f'[[analyses]]\nfor = {{ purpose = "{purpose}" }}\nregression = [["age", "{other}"]]\n'
    question = "SELECT age, zip, sex, diagnosis FROM patients"
    with ward(policy) as served:
        with served.connect("ada") as connection:
            first = ask(connection, question)
            ((annotation,),) = ask(connection, "SELECT annotation FROM paravent.annotation")
            assert annotation["operators"][0]["type"] == "slice", annotation
        served.restart()
        assert served.ask("ada", question, purpose="gait-study") == first, "no second slicing of the same people"
        assert served.ask("bob", question) == first
        is_refused(served.ask("bob", "SELECT age, diagnosis FROM patients"), "42501")
        is_refused(served.ask("ada", "SELECT age, zip, diagnosis FROM patients", purpose="gait-study"), "42501")


def dominance():
    """33: one person has nine tenths of a group's sum."""
    rich = person(1_000, zip="20000", salary=1_000_000) + "".join(person(1_001 + i, zip="20000", salary=1_000) for i in range(30))
    with ward(EXACT, people(more=rich)) as served:
        question = "SELECT zip, sum(salary) FROM patients GROUP BY zip"
        told = served.ask("ada", question)
        assert told and not any(zip == "2000*" for zip, _ in told), told
        served.restart()
        assert served.ask("bob", "SELECT sum(salary) FROM patients WHERE zip = '2000*'") == [], "withheld"


def neighbours(count):
    """35: random statements that are refused are refused in the same words on a table with one person less."""
    draw = random.Random(35)
    columns = ["name", "id", "age", "sex", "zip", "diagnosis", "salary", "admitted", "shoe_size"]
    shapes = [
        lambda: f"SELECT {draw.choice(columns)}, max({draw.choice(columns)}) FROM patients",
        lambda: f"{COUNT} WHERE {draw.choice(columns)} {draw.choice(['<', '>', '<>', 'LIKE', '~'])} '{draw.randrange(100)}'",
        lambda: f"SELECT {draw.choice(columns)} FROM patients ORDER BY {draw.choice(columns)} LIMIT {draw.randrange(9)}",
        lambda: f"{COUNT} WHERE {draw.choice(['name', 'id', 'salary', 'diagnosis'])} = 'CANARY{draw.randrange(1_000)}'",
        lambda: f"SELECT {draw.choice(columns)} FROM patients WHERE id IN (SELECT id FROM patients WHERE {draw.choice(columns)} = '{draw.randrange(100)}')",
        lambda: f"SELECT {draw.choice(['exp', 'sqrt', 'ascii', 'md5'])}({draw.choice(columns)}) FROM patients",
        lambda: f"SELECT {draw.choice(columns)}, count(*) FROM patients GROUP BY {draw.choice(columns)} HAVING count(*) < {draw.randrange(9)}",
    ]
    statements = [draw.choice(shapes)() for _ in range(count)]
    told = []
    for table in [people(1_000), people(999)]:
        with ward(POLICY, table) as served, served.connect("ada") as connection:
            told.append([is_refused(ask(connection, sql)) for sql in statements])
            assert served.paid() == 0
    assert told[0] == told[1]


def rows_instead_of_people():
    """36: six rows of each of four people are no class of ten, and no group either."""
    table = HEADER + "".join(person(i, id=f"p{i % 4}", age=30, sex="f", zip="10000") for i in range(24))
    with ward(ROWS, table) as served:
        assert served.ask("ada", "SELECT sex, diagnosis FROM patients") == [], "withheld"
        served.restart()
        assert served.ask("bob", "SELECT sex, diagnosis FROM patients") == [], "withheld"
    with ward(EXACT, table) as served:
        assert served.ask("ada", COUNT) == [] and served.ask("bob", "SELECT sex, count(*) FROM patients GROUP BY sex") == []


PROGRAM = sys.argv[1]
refused_by_name()
tiny_groups()
complements()
trackers()
averaging()
enumeration()
pages()
withdrawn()
second_views()
slices()
dominance()
neighbours(int(sys.argv[2]) if len(sys.argv) > 2 else 300)
rows_instead_of_people()
print("36 attacks over psycopg and psql, across reconnects, users of a group and restarts: refused or harmless")
