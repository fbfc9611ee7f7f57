"""Releases: from every kind of table, the same bytes as the command line, verified, saved, applied again."""

from __future__ import annotations

import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import paravent as pv


def kinds(rows: dict[str, list[Any]]) -> dict[str, Any]:
    arrow_rows = pa.table(rows)
    return {
        "polars": pl.DataFrame(rows),
        "lazy": pl.LazyFrame(rows),
        "pandas": pd.DataFrame(rows),
        "pyarrow": arrow_rows,
        "duckdb": duckdb.sql("SELECT * FROM arrow_rows"),
    }


def test_every_kind_of_table_gives_the_same_release(rows: dict[str, list[Any]], job: pv.Job) -> None:
    made = {name: job.anonymize(table).data() for name, table in kinds(rows).items()}
    assert len(set(made.values())) == 1, {name: len(data) for name, data in made.items()}


def test_columns_order_and_types_are_kept(rows: dict[str, list[Any]], job: pv.Job) -> None:
    frame = pl.DataFrame(rows).with_columns(pl.col("illness").cast(pl.Categorical), pl.col("visits").cast(pl.Float32))
    out = pl.DataFrame(job.anonymize(frame))
    assert out.columns == ["age", "zip", "illness", "visits"]
    assert out.schema["illness"] == pl.Categorical and out.schema["visits"] == pl.Float32
    assert out.schema["age"] in (pl.String, pl.Int64)


def test_rows_come_out_everywhere(rows: dict[str, list[Any]], job: pv.Job) -> None:
    release = job.anonymize(pl.DataFrame(rows))
    arrow = pa.table(release)
    assert len(release) == arrow.num_rows == len(release.to_polars()) == len(release.to_pandas())
    assert duckdb.sql("SELECT count(*) FROM arrow").fetchall() == [(len(release),)]


def command(*arguments: str, folder: pathlib.Path) -> subprocess.CompletedProcess[str]:
    code = "import sys; from paravent._command import main; main()"
    return subprocess.run([sys.executable, "-c", code, *arguments], cwd=folder, capture_output=True, text=True, check=False)


def test_saved_bytes_are_those_of_the_command_line(
    rows: dict[str, list[Any]], job: pv.Job, somewhere: pathlib.Path
) -> None:
    pl.DataFrame(rows).write_parquet("table.parquet")
    job.document["input"] = {"path": "table.parquet"}
    job.output(delimiter=",")
    job.save("paravent.toml")
    ran = command("--json", "anonymize", "paravent.toml", folder=somewhere)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    release = pv.Job.load("paravent.toml").anonymize(pl.DataFrame(rows))
    release.save("again", register=False)
    for name in ("data.csv", "manifest.json", "report.html", "report.json"):
        assert (somewhere / "release" / name).read_bytes() == (somewhere / "again" / name).read_bytes(), name
    transform = [json.loads((somewhere / f"{place}.private/transform.json").read_text()) for place in ("release", "again")]
    assert transform[0] == transform[1]
    document = json.loads(ran.stdout)
    assert document["job_sha256"] == release.document["job_sha256"]
    assert pv.verify("again")


def test_a_path_is_read_as_the_job_says(rows: dict[str, list[Any]], job: pv.Job, somewhere: pathlib.Path) -> None:
    # Unless the job says so, a question mark is a value.
    cells = pl.DataFrame(rows).with_columns(pl.when(pl.col("illness") == "gout").then(pl.lit("?")).otherwise("illness").alias("illness"))
    cells.write_csv("table.csv", separator="|")
    job.document["input"] = {"path": "table.csv", "delimiter": "|", "null": ["?"]}
    job.output(delimiter=",")
    job.save("paravent.toml")
    ran = command("anonymize", "paravent.toml", folder=somewhere)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    release = pv.Job.load("paravent.toml").anonymize("table.csv")
    assert pl.DataFrame(release)["illness"].null_count() > 0
    written = pl.read_csv("release/data.csv", infer_schema=False, null_values=["?"])
    assert pl.DataFrame(release).equals(written)
    assert release.data() == (somewhere / "release/data.csv").read_bytes()


def test_the_register_gets_a_line(rows: dict[str, list[Any]], job: pv.Job) -> None:
    saved = job.anonymize(pl.DataFrame(rows)).save("release")
    assert saved.register.sequence == 1
    with pytest.raises(pv.InputOutputError):
        job.anonymize(pl.DataFrame(rows)).save("release")


def test_a_transformation_is_applied_to_new_rows(rows: dict[str, list[Any]], job: pv.Job) -> None:
    frame = pl.DataFrame(rows)
    release = job.anonymize(frame)
    again = release.transformation.apply(frame)
    assert again.transformation.levels == release.transformation.levels
    assert again.data() == release.data()


def test_infeasible_has_relaxations(rows: dict[str, list[Any]], job: pv.Job) -> None:
    job["age"].max_level = 0
    job.promise(pv.k_anonymity(30), suppression_limit=0.0)
    with pytest.raises(pv.Infeasible) as caught:
        job.anonymize(pl.DataFrame(rows))
    assert caught.value.kind == "infeasible" and caught.value.complete
    assert {"key", "from", "to", "advice"} <= set(caught.value.relaxations[0])


def test_problems_have_keys_and_advice(rows: dict[str, list[Any]], job: pv.Job) -> None:
    job["age"].role = "quasi"
    with pytest.raises(pv.ConfigurationError) as caught:
        job.anonymize(pl.DataFrame(rows))
    [problem] = caught.value.problems
    assert problem["key"] == "attributes[1].role" and problem["advice"]
    with pytest.raises(ValueError):
        _ = job.toml


def test_columns_that_are_not_named_are_warned_of(rows: dict[str, list[Any]], job: pv.Job) -> None:
    with pytest.warns(pv.ParaventWarning, match="column more is not in the job file"):
        job.anonymize(pl.DataFrame({**rows, "more": [1] * 40}))


def test_a_wrong_key_and_a_changed_release_are_noticed(rows: dict[str, list[Any]], job: pv.Job, somewhere: pathlib.Path) -> None:
    release = job.anonymize(pl.DataFrame(rows))
    assert release.verification and release.verify()
    with pytest.raises(pv.UsageError):
        release.verify("nonsense")
    release.save("release", register=False)
    data = somewhere / "release/data.csv"
    data.write_text(data.read_text() + "x\n")
    with pytest.raises(pv.InputOutputError):
        pv.verify("release")


def test_interrupts_stop(rows: dict[str, list[Any]], job: pv.Job) -> None:
    def stop(phase: str, done: int, total: int | None) -> None:
        raise KeyboardInterrupt

    big = {name: cells * 20000 for name, cells in rows.items()}
    with pytest.raises(KeyboardInterrupt):
        job.anonymize(pl.DataFrame(big), progress=stop)


def test_ctrl_c_stops(rows: dict[str, list[Any]], job: pv.Job) -> None:
    big = pl.DataFrame({name: cells * 5000 for name, cells in rows.items()})
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        while True:
            job.anonymize(big)
    timer.join()


def test_other_threads_go_on(rows: dict[str, list[Any]], job: pv.Job) -> None:
    counted, done = [0], threading.Event()

    def count() -> None:
        while not done.wait(0.001):
            counted[0] += 1

    thread = threading.Thread(target=count)
    thread.start()
    before = counted[0]
    job.anonymize(pl.DataFrame({name: cells * 20000 for name, cells in rows.items()}))
    during = counted[0] - before
    done.set()
    thread.join()
    assert during > 5


def test_progress_is_told(rows: dict[str, list[Any]], job: pv.Job) -> None:
    heard: list[str] = []
    big = {name: cells * 20000 for name, cells in rows.items()}
    job.anonymize(pl.DataFrame(big), progress=lambda phase, done, total: heard.append(phase))
    assert heard


def test_the_command_is_there(somewhere: pathlib.Path) -> None:
    ran = command("--version", folder=somewhere)
    assert ran.returncode == 0 and pv.__version__ in ran.stdout
    assert command("anonymize", "nothing.toml", folder=somewhere).returncode == 4
