"""Clients against the server of a policy, over TLS: psql, psycopg, SQLAlchemy, pandas and JDBC. Every answer is asked for in several ways."""

import os
import pathlib
import subprocess
import sys

import pandas
import psycopg
import sqlalchemy

from served import PASSWORD, Refused, Served, ask

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
purposes = ["statistics", "teaching"]
budget = { epsilon = "20", delta = "1e-5" }
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
QUESTION = "SELECT sex, count(*) FROM people WHERE age = '30-39' GROUP BY sex"
BOUND = QUESTION.replace("'30-39'", "%s")


def main(program, certificate, key, java):
    rows = "".join(f"p{i},{'fm'[i % 2]},{20 + i % 60},{1000 + i % 50}\n" for i in range(500))
    files = {"people.csv": "id,sex,age,salary\n" + rows, "job.toml": JOB, "policy.toml": POLICY}
    with Served(program, "people", files, {"ada": "research"}, ["--tls", certificate, key]) as served:
        secure = {"sslmode": "verify-full", "sslrootcert": certificate}
        wrong_logins(served, secure)
        first = with_psql(served, secure)
        with_psycopg(served, secure, first)
        with_cursors(served, secure, first)
        with_sqlalchemy(served, secure, first)
        paid = served.paid()
        with_java(served, certificate, java)
        assert served.paid() == paid + 1, "of what JDBC asks, one mean is new"
        served.restart()
        with psycopg.connect(**served.parameters("ada", **secure)) as connection:
            assert connection.execute(QUESTION).fetchall() == first, "after a restart"
        served.stop()


def wrong_logins(served, secure):
    for more in [{"password": "another password!"}, {"user": "eve"}, {"user": "ada", "password": ""}]:
        try:
            psycopg.connect(**served.parameters("ada", **secure) | more)
            raise AssertionError(more)
        except psycopg.OperationalError as error:
            assert PASSWORD not in str(error) and ("name or password is wrong" in str(error) or "password" in str(error)), error
    for mode in ["disable", "allow"]:
        try:
            psycopg.connect(**served.parameters("ada", sslmode=mode)).close()
            assert mode == "allow", "a connection in the clear"
        except psycopg.OperationalError as error:
            assert mode == "disable" and "TLS only" in str(error), error


def with_psql(served, secure):
    """psql lists, asks, reads the annotation, is refused, and fetches in parts."""
    script = f"""\\d
\\dt
\\d people
\\d+ people
\\dn
\\l
\\du
\\df
\\dv
\\di
\\ds
\\dp
\\dT
\\dx
\\dconfig
\\conninfo
\\warn === answers
\\echo === answers
{QUESTION};
SELECT annotation FROM paravent.annotation;
\\set FETCH_COUNT 1
{QUESTION};
\\unset FETCH_COUNT
{QUESTION} \\gdesc
\\warn === refusals
\\echo === refusals
SELECT id FROM people;
BEGIN;
SELECT salary FROM people;
{QUESTION};
ROLLBACK;
"""
    out, err = served.psql("ada", script, **secure)
    lists, answers, refusals = out.split("=== answers\n")[0], *out.split("=== answers\n")[1].split("=== refusals\n")
    quiet, noted, denied = err.split("=== answers\n")[0], *err.split("=== answers\n")[1].split("=== refusals\n")
    assert not quiet, quiet
    assert all(f"{column}|" in lists for column in ["sex", "age", "salary"]) and "id|" not in lists, lists
    assert "SSL connection" in lists, lists
    lines = answers.splitlines()
    assert lines[:2] == lines[3:5] and lines[5:] == ["sex|text", "count|bigint"], answers
    assert '"role":"research"' in lines[2], answers
    assert noted.count("NOTICE") == 2 and "cost ε = 0.5" in noted and "given before, at no cost" in noted, noted
    assert refusals == "" and denied.count("42501") == 2 and denied.count("25P02") == 1, (refusals, denied)
    return [(sex, int(count)) for sex, count in (line.split("|") for line in lines[:2])]


def with_psycopg(served, secure, first):
    notices = []
    with psycopg.connect(**served.parameters("ada", **secure)) as connection:
        connection.add_notice_handler(lambda notice: notices.append(notice.message_primary))
        assert connection.execute(BOUND, ["30-39"]).fetchall() == first
        assert connection.execute(BOUND, ["30-39"], binary=True).fetchall() == first
        for _ in range(7):
            assert connection.execute(BOUND, ["30-39"], prepare=True).fetchall() == first
        (annotation,) = connection.execute("SELECT annotation FROM paravent.annotation").fetchone()
        assert annotation["recipient"]["role"] == "research" and annotation["cached"], annotation
        (mean,) = connection.execute("SELECT avg(salary) FROM people").fetchone()
        (binary,) = connection.execute("SELECT avg(salary) FROM people", binary=True).fetchone()
        assert mean == binary and 0 < float(mean) < 20000, (mean, binary)
    assert any("cost ε = 0.5" in notice for notice in notices), notices
    with psycopg.connect(**served.parameters("ada", **secure), autocommit=True) as connection:
        for denied in ["SELECT id FROM people", "SELECT * FROM people", "SELECT max(salary) FROM people"]:
            refusal = ask(connection, denied)
            assert isinstance(refusal, Refused) and refusal.state == "42501", (denied, refusal)
        # A parameter is a constant, whatever is in it.
        assert ask(connection, BOUND, ["30-39' OR '1'='1"]) != first
        assert ask(connection, "SHOW paravent.purpose") == [("statistics",)]
        assert ask(connection, "SET paravent.purpose = 'advertising'").state == "42501"
        assert ask(connection, "SET paravent.purpose = 'teaching'") == []
        with connection.transaction():
            assert ask(connection, "SET paravent.purpose = 'statistics'").state == "25001"
            assert ask(connection, QUESTION).state == "25P02", "a transaction that has failed"
            raise psycopg.Rollback
        with connection.pipeline():
            answers = [connection.execute(BOUND, ["30-39"]) for _ in range(5)]
            assert [answer.fetchall() for answer in answers] == [first] * 5


def with_cursors(served, secure, first):
    """A cursor gives parts of one answer, which was registered as a whole."""
    paid = served.paid()
    with psycopg.connect(**served.parameters("ada", **secure)) as connection:
        for binary in [False, True]:
            with connection.cursor("parts", binary=binary) as cursor:
                cursor.itersize = 1
                cursor.execute(BOUND, ["30-39"])
                assert [column.name for column in cursor.description] == ["sex", "count"]
                assert list(cursor) == first
        with connection.cursor("held", withhold=True) as cursor:
            cursor.execute(QUESTION)
            assert cursor.fetchmany(1) == first[:1]
            connection.commit()
            assert cursor.fetchall() == first[1:], "it stays behind the transaction"
        connection.commit()
        with connection.cursor("jumps", scrollable=True) as cursor:
            assert ask_cursor(cursor, QUESTION) == "0A000"
        connection.rollback()
        assert ask(connection, "FETCH 1 FROM nothing").state == "34000"
        connection.rollback()
        connection.autocommit = True
        assert ask(connection, f"DECLARE c CURSOR FOR {QUESTION}").state == "25P01", "without a transaction"
        assert ask(connection, "DECLARE c CURSOR WITH HOLD FOR SELECT id FROM people").state == "42501"
        assert ask(connection, f"DECLARE c CURSOR WITH HOLD FOR {QUESTION}") == []
        assert ask(connection, f"DECLARE c CURSOR WITH HOLD FOR {QUESTION}").state == "42P03", "two of one name"
        assert ask(connection, "SELECT name FROM pg_cursors") == [("c",)]
        assert ask(connection, "DISCARD ALL") == [] and ask(connection, "FETCH 1 FROM c").state == "34000"
    assert served.paid() == paid, "parts of an answer cost nothing"


def ask_cursor(cursor, sql):
    try:
        cursor.execute(sql)
    except psycopg.Error as error:
        return error.sqlstate
    return None


def with_sqlalchemy(served, secure, first):
    url = f"postgresql+psycopg://ada@127.0.0.1:{served.port}/people"
    arguments = secure | {"options": "-c paravent.purpose=statistics"}
    engine = sqlalchemy.create_engine(url, connect_args=arguments)
    inspector = sqlalchemy.inspect(engine)
    assert inspector.get_schema_names() and inspector.get_table_names() == ["people"] and inspector.get_view_names() == []
    assert {column["name"] for column in inspector.get_columns("people")} == {"sex", "age", "salary"}
    assert inspector.get_pk_constraint("people")["constrained_columns"] == []
    assert inspector.get_foreign_keys("people") == inspector.get_indexes("people") == inspector.get_unique_constraints("people") == []
    assert inspector.has_table("people") and not inspector.has_table("nothing")
    # A whole table by reflection.
    people = sqlalchemy.Table("people", sqlalchemy.MetaData(), autoload_with=engine)
    assert [(column.name, str(column.type)) for column in people.columns] == [("sex", "TEXT"), ("age", "TEXT"), ("salary", "BIGINT")]
    statement = sqlalchemy.select(people.c.sex, sqlalchemy.func.count()).where(people.c.age == "30-39").group_by(people.c.sex)
    with engine.connect() as connection:
        assert [tuple(row) for row in connection.execute(statement)] == first
        streamed = connection.execution_options(stream_results=True, yield_per=1).execute(statement)
        assert [tuple(row) for row in streamed] == first
    with engine.connect() as connection:
        try:
            connection.execute(sqlalchemy.select(people))
            raise AssertionError("rows of people")
        except sqlalchemy.exc.ProgrammingError as error:
            assert error.orig.sqlstate == "42501", error
    frame = pandas.read_sql(QUESTION, engine)
    assert list(frame["count"]) == [count for _, count in first], frame
    frame = pandas.read_sql(sqlalchemy.text(QUESTION.replace("'30-39'", ":age")), engine, params={"age": "30-39"})
    assert list(frame.itertuples(index=False, name=None)) == first, frame
    with engine.connect().execution_options(stream_results=True) as connection:
        chunks = list(pandas.read_sql(sqlalchemy.text(QUESTION), connection, chunksize=1))
        assert [len(chunk) for chunk in chunks] == [1, 1], chunks
    engine.dispose()


def with_java(served, certificate, java):
    subprocess.run(["java", "-cp", java, "ClientsOfJava", str(served.port), certificate], check=True)


main(*sys.argv[1:])
print("psql, psycopg, SQLAlchemy, pandas and JDBC: the same answers, the same refusals")
