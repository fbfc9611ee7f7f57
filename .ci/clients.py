"""Python's clients against the server of a policy. Made-up people; every answer is asked for in three ways."""

import os
import pathlib
import signal
import subprocess
import sys

import pandas
import psycopg
import sqlalchemy

PASSWORD = "a password of nobody"
JOB = """version = 1
input.path = "people.csv"
[[attributes]]
name = "id"
role = "identifying"
[[attributes]]
name = "sex"
role = "quasi-identifier"
[[attributes]]
name = "age"
role = "quasi-identifier"
type = "integer"
hierarchy = { intervals = { widths = [10], min = 0, max = 100 } }
[[attributes]]
name = "salary"
role = "insensitive"
type = "integer"
[privacy]
person = "id"
models = [{ model = "k-anonymity", k = 5 }]
"""
POLICY = """version = 1
name = "people"
[[tables]]
name = "people"
job = "job.toml"
person = ["id"]
[tables.domain]
sex = { values = ["f", "m"] }
salary = { min = 0, max = 20000 }
[[recipients]]
role = "research"
purposes = ["statistics"]
budget = { epsilon = "10", delta = "1e-5" }
[[rules]]
id = "rows"
table = "people"
aggregate = ["count"]
noise = { epsilon = "0.5", delta = "1e-7" }
[[rules]]
id = "age"
table = "people"
columns = ["age"]
filter = 1
group = 1
aggregate = ["count"]
[[rules]]
id = "sex"
table = "people"
columns = ["sex"]
filter = true
group = true
aggregate = ["count"]
[[rules]]
id = "salary"
table = "people"
columns = ["salary"]
aggregate = ["avg"]
"""


def main(program: str, place: pathlib.Path) -> None:
    rows = "".join(f"p{i},{'fm'[i % 2]},{20 + i % 60},{1000 + i % 50}\n" for i in range(500))
    (place / "people.csv").write_text("id,sex,age,salary\n" + rows)
    (place / "job.toml").write_text(JOB)
    (place / "policy.toml").write_text(POLICY)
    subprocess.run([program, "user", "add", "policy.toml", "ada", "--role", "research"], cwd=place, input=PASSWORD + "\n", text=True, check=True)
    server = subprocess.Popen([program, "serve", "policy.toml", "--listen", "127.0.0.1:0"], cwd=place, stderr=subprocess.PIPE, text=True)
    try:
        port = int(server.stderr.readline().rsplit(":", 1)[1].split(";")[0])
        os.environ["PGPASSWORD"] = PASSWORD
        clients(port)
    finally:
        server.send_signal(signal.SIGTERM)
        assert server.wait(30) == 0


def clients(port: int) -> None:
    question = "SELECT sex, count(*) FROM people WHERE age = %s GROUP BY sex"
    notices = []
    with psycopg.connect(host="127.0.0.1", port=port, user="ada", dbname="people") as connection:
        connection.add_notice_handler(lambda notice: notices.append(notice.message_primary))
        first = connection.execute(question, ["30-39"]).fetchall()
        assert [row[0] for row in first] == ["f", "m"], first
        assert connection.execute(question, ["30-39"], binary=True).fetchall() == first
        assert connection.execute(question, ["30-39"], prepare=True).fetchall() == first
        (annotation,) = connection.execute("SELECT annotation FROM paravent.annotation").fetchone()
        assert annotation["recipient"]["role"] == "research" and annotation["cached"], annotation
        (mean,) = connection.execute("SELECT avg(salary) FROM people").fetchone()
        assert 0 < float(mean) < 20000, mean
    assert any("cost ε = 0.5" in notice for notice in notices), notices
    with psycopg.connect(host="127.0.0.1", port=port, user="ada", dbname="people", autocommit=True) as connection:
        for attack in ["SELECT id FROM people", "SELECT * FROM people", "SELECT max(salary) FROM people"]:
            try:
                connection.execute(attack)
                raise AssertionError(attack)
            except psycopg.errors.InsufficientPrivilege:
                pass
        # A parameter is a constant, whatever is in it.
        nasty = connection.execute(question, ["30-39' OR '1'='1"]).fetchall()
        assert nasty != first
    engine = sqlalchemy.create_engine(f"postgresql+psycopg://ada@127.0.0.1:{port}/people")
    inspector = sqlalchemy.inspect(engine)
    assert inspector.get_table_names() == ["people"]
    assert {column["name"] for column in inspector.get_columns("people")} == {"sex", "age", "salary"}
    people = sqlalchemy.table("people", sqlalchemy.column("sex"), sqlalchemy.column("age", sqlalchemy.String))
    statement = sqlalchemy.select(people.c.sex, sqlalchemy.func.count()).where(people.c.age == "30-39").group_by(people.c.sex)
    with engine.connect() as connection:
        assert [tuple(row) for row in connection.execute(statement)] == first
    frame = pandas.read_sql(question.replace("%s", "'30-39'"), engine)
    assert list(frame["count"]) == [row[1] for row in first], frame
    print("psycopg, SQLAlchemy and pandas: the same answers, the same refusals")


main(sys.argv[1], pathlib.Path(sys.argv[2]))
