"""What an outside trial found, so that it stays found: nothing is hidden, ignored, or lost in silence."""

from __future__ import annotations

import datetime
import io
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import paravent as pv


def outcomes(*severities: str) -> pv.Attacks:
    return pv.Attacks(holds=False, not_run=[], attacks=[{"attack": "linking", "severity": one, "result": ""} for one in severities])


def test_the_worst_verdict_of_an_attack_is_told() -> None:
    words = ["covered", "nothing found", "residual", "not compared", "broken"]
    for number, worse in enumerate(words):
        for better in words[:number]:
            assert outcomes(better, worse).verdicts == outcomes(worse, better).verdicts == {"linking": worse}
    # A word of a later engine is never hidden, and never green.
    assert outcomes("broken", "worse still").verdicts == {"linking": "worse still"}
    assert outcomes("worse still", "broken").verdicts == {"linking": "worse still"}
    page = outcomes("worse still", "not compared", "residual", "nothing found")._repr_html_()
    for colour, word in [("bad", "worse still"), ("bad", "not compared"), ("careful", "residual"), ("good", "nothing found")]:
        assert f'<span class="{colour}">{word}</span>' in page


def test_the_words_of_verdicts_are_those_of_the_engine() -> None:
    told = {outcome["severity"] for trial in pv.self_test()["trials"] for outcome in (trial["planted"], trial["strong"])}
    from paravent._results import _SEVERITIES

    assert told <= set(_SEVERITIES) and "broken" in told


def test_a_new_column_has_no_role() -> None:
    job = pv.Job().promise(pv.k_anonymity(2))
    assert job["zip"].role is None and "zip" not in job and len(job) == 0
    job["zip"].hierarchy = pv.redact()
    assert "zip" in job and job["zip"].role is None
    with pytest.raises(pv.ConfigurationError, match="role") as caught:
        job.anonymize(pl.DataFrame({"zip": ["81667", "81675"] * 5}))
    assert "81667" not in str(caught.value)
    job["zip"].role = "quasi-identifier"
    assert len(job) == 1 and job.anonymize(pl.DataFrame({"zip": ["81667", "81675"] * 5}))
    with pytest.raises(pv.UsageError):
        job["zip"] = "quasi-identifier"  # type: ignore[assignment]
    with pytest.raises(pv.UsageError):
        job.promise("k-anonymity")  # type: ignore[arg-type]


SEX = pl.DataFrame({"sex": ["f", "m"] * 40, "age": [n % 50 for n in range(80)], "ill": ["a", "b", "c", "d"] * 20})


@pytest.mark.parametrize("epsilon", ["0.1", 0.1, Decimal("0.1"), np.float64(0.1), np.float32(0.1), 0])
def test_a_budget_is_kept_however_it_is_written(epsilon: Any) -> None:
    with pytest.raises(pv.ParaventError):
        pv.noise(SEX, {"sex": "0.8:uniform('f', 'm')"}, ledger="l.jsonl", epsilon=epsilon, seed=1)
    assert not pathlib.Path("l.jsonl").exists() or "granted" not in pathlib.Path("l.jsonl").read_text()


def test_options_are_heard_or_refused() -> None:
    def noise(**options: Any) -> Any:
        return pv.noise(SEX, {"sex": "0.8:uniform('f', 'm')"}, ledger="l.jsonl", **options)

    def slice(**options: Any) -> Any:
        return pv.slice(SEX, [["age"], ["ill"]], seed=1, **{"allow_identifying": True, "most_unique": 1, **options})

    def risk(**options: Any) -> Any:
        return pv.risk(SEX, **{"quasi_identifiers": ["age", "sex"], **options})

    job = pv.Job().promise(pv.k_anonymity(2), suppression_limit=0.5)
    job["age"] = {"role": "quasi-identifier", "hierarchy": pv.intervals([10], 0, 50)}
    job["ill"].role = "sensitive"
    release = job.anonymize(SEX.select("age", "ill"))
    wrong: list[tuple[str, Any, dict[str, Any]]] = [
        ("epsillon", noise, {"epsillon": "0.1"}),
        ("keep", noise, {"keep": ["age"]}),
        ("seed", noise, {"seed": "1"}),
        ("allow_unbounded", noise, {"allow_unbounded": "yes"}),
        ("epsilon", noise, {"epsilon": float("nan")}),
        ("epsilon", noise, {"epsilon": [1]}),
        ("bucket", slice, {"bucket": "10"}),
        ("bucket", slice, {"bucket": 10.0}),
        ("bucket", slice, {"bucket": -1}),
        ("bucket", slice, {"bucket": 2**40}),
        ("within", slice, {"bucket": 10, "within": 5}),
        ("least", slice, {"bucket": 10, "least": 3}),
        ("shuffle", slice, {"by": "sex", "shuffle": True}),
        ("population_size", risk, {"population_size": "100000"}),
        ("population_size", risk, {"population_size": 1e5}),
        ("sensitve", risk, {"sensitve": ["ill"]}),
        ("quasi_identifiers", risk, {"quasi_identifiers": ["age", 3]}),
        ("attempts", release.attack, {"attempts": "x"}),
        ("attempts", release.attack, {"attempts": -1}),
        ("fooo", release.attack, {"fooo": 3}),
        ("noise", release.attack, {"noise": {"ill": "much"}}),
        ("protect", release.attack, {"protect": ["ill"]}),
        ("rows", release.attack, {"rows": 5}),
        ("bucket", release.attack, {"bucket": "b"}),
        ("k", lambda **options: pv.init(SEX, **options), {"k": -1}),
        ("k", lambda **options: pv.init(SEX, **options), {"k": 0}),
        ("k", lambda **options: pv.init(SEX, **options), {"k": 2.5}),
        ("for_", lambda **options: pv.init(SEX, **options), {"for_": "fun"}),
        ("node", lambda **options: job.anonymize(SEX, **options), {"node": {"age": "x"}}),
        ("pick", lambda **options: job.anonymize(SEX.select("age", "ill"), **options), {"pick": 99}),
        ("foo", lambda **options: pv.anonymize(SEX, job, **options), {"foo": 1}),
        ("seed", pv.self_test, {"seed": -1}),
    ]
    for name, call, options in wrong:
        with pytest.raises(pv.UsageError) as caught:
            call(**options)
        assert name in str(caught.value), (name, str(caught.value))
    # Numbers that are taken exactly may be written as numbers.
    assert slice(bucket=10).document == slice(bucket=10, most_unique="1").document
    for none in (0.0, "0", Decimal(0)):
        with pytest.raises(pv.ParaventError, match="singles people out"):
            pv.slice(SEX, [["age", "ill"], ["sex"]], bucket=10, seed=1, most_unique=none)
    # A name alone is a list of one.
    assert {one["attack"] for one in release.attack(only="linking", attempts=5, seed=1)["attacks"]} == {"linking"}
    assert risk(sensitive="ill") == risk(sensitive=["ill"])


def test_attacks_on_slices_and_queries() -> None:
    zips = [["a", "b", "c"][n * n % 3] for n in range(200)]
    rows = {"zip": zips, "zip@2": zips, "ill": ["x", "y", "z", "x"] * 50, "bucket": [n // 10 for n in range(200)]}
    groups = [["zip"], ["zip@2", "ill"]]
    sliced = pv.attack(sliced=pl.DataFrame(rows), bucket="bucket", group=groups, only=["definetti", "relinking"], seed=1)
    assert set(sliced.verdicts) == {"definetti", "relinking"}
    with pytest.raises(pv.UsageError, match="promised k"):
        pv.attack(queries=[[1, 2, 3]], seed=1)
    asked = pv.attack(queries=[[1, 2, 3], [1, 2]], rows=200, k=5, only=["query-differencing"], seed=1)
    assert asked.verdicts == {"query-differencing": "broken"}
    pathlib.Path("q.txt").write_text("1 2 3\n1 2\n")
    assert pv.attack(queries="q.txt", rows=200, k=5, only=["query-differencing"], seed=1)["attacks"] == asked["attacks"]


def test_what_an_attacker_knows_may_be_a_dictionary() -> None:
    job = pv.Job().promise(pv.k_anonymity(5))
    job["q"].role, job["ill"].role = "quasi-identifier", "sensitive"
    table = {"q": ["a", "b"] * 50, "ill": ["x", "y", "z", "z"] * 25}
    release = job.anonymize(table)
    for options in ({"protect": {"ill": "x"}, "only": "negative-disclosure"}, {"noise": {"ill": 0.2}, "only": "noise-inversion"}):
        [(name, said)] = [(name, said) for name, said in options.items() if name != "only"]
        pairs = release.attack(**{name: list(said.items()), "only": options["only"]}, seed=1)  # type: ignore[attr-defined]
        assert release.attack(**options, seed=1) == pairs and pairs["attacks"]  # type: ignore[arg-type]
    # One earlier release, or its folder, is a list of one.
    release.save("release", register=False)
    assert release.attack(previous=release, only="composition", seed=1)["attacks"]
    assert release.attack(previous="release", only="composition", seed=1)["attacks"]


def people(rows: int) -> pl.DataFrame:
    chance = np.random.default_rng(1)
    numbers = {name: chance.integers(0, 90, rows) for name in "abcd"}
    return pl.DataFrame({**numbers, "zip": [f"{one:05d}" for one in chance.integers(0, 99999, rows)]})


def local_job() -> pv.Job:
    job = pv.Job().promise(pv.k_anonymity(5), suppression_limit=0.05).search(recoding="local", metric="loss")
    for name in "abcd":
        job[name] = {"role": "quasi-identifier", "type": "integer", "hierarchy": pv.intervals([2, 4, 8, 16, 32, 64], 0, 128)}
    job["zip"] = {"role": "quasi-identifier", "type": "string", "hierarchy": pv.redact()}
    return job


def interrupted(call: Any, after: float) -> None:
    """Repeats a call until Ctrl-C ends it."""
    timer = threading.Timer(after, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        while True:
            call()
    timer.join()


def test_ctrl_c_stops_a_local_recoding() -> None:
    table, job = people(60_000), local_job()
    stopped = threading.Event()

    def late() -> None:
        if not stopped.wait(60):
            os._exit(99)

    threading.Thread(target=late, daemon=True).start()
    interrupted(lambda: job.anonymize(table), 2.0)
    stopped.set()


def test_ctrl_c_stops_everything_else(somewhere: pathlib.Path) -> None:
    table = people(20_000)
    table.write_csv("t.csv")
    job = pv.Job().promise(pv.k_anonymity(2), suppression_limit=1)
    for name in table.columns:
        job[name].role = "quasi-identifier"
    job["a"].hierarchy = pv.intervals([32], 0, 128)
    release = job.anonymize(table)
    release.save("saved", register=False)
    interrupted(lambda: pv.frame("t.csv"), 0.2)
    interrupted(lambda: pv.slice(table, [["a"], ["b"]], bucket=10, seed=1, most_unique=1, allow_identifying=True), 0.2)
    interrupted(lambda: pv.verify("saved"), 0.2)
    interrupted(lambda: pv.self_test(), 0.2)
    interrupted(lambda: release.save("again", force=True, register=False), 0.3)


def test_nothing_is_paid_for_a_draw_that_was_stopped_before() -> None:
    code = """
import os, signal, threading, paravent as pv
table = pv.frame({"sex": ["f", "m"] * 1_500_000})
threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    pv.noise(table, {"sex": "0.8:uniform('f', 'm')"}, ledger="l.jsonl", epsilon="0.9", seed=1)
except KeyboardInterrupt:
    pass
print(os.path.exists("l.jsonl"))
"""
    # While the table is read, nothing is paid yet. A machine may be so busy that the signal comes too late: then once more.
    for _ in range(4):
        pathlib.Path("l.jsonl").unlink(missing_ok=True)
        if subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False).stdout == "False\n":
            return
    pytest.fail("every draw that was stopped was paid for")


def test_solutions_of_local_recodings_show_themselves() -> None:
    table = {name: [n * 7 % size for n in range(60)] for name, size in (("a", 5), ("b", 4), ("c", 9))}
    for recoding in ("local", "cells"):
        job = pv.Job().promise(pv.k_anonymity(3), suppression_limit=0.1).search(recoding=recoding, metric="loss")
        for name in table:
            job[name].role = "quasi-identifier"
        solution = job.dry_run(table)
        assert set(solution.transformation) == set(table) and "lowest" in repr(solution)
        assert "lowest" in repr(job.anonymize(table)) and solution._repr_html_()


def keep_all(*names: str) -> pv.Job:
    job = pv.Job().promise(pv.k_anonymity(2), suppression_limit=0).output(order="input")
    job["group"].role = "quasi-identifier"
    for name in names:
        job[name] = {"role": "insensitive", "release": "as it is"}
    return job


def test_pandas_loses_no_value() -> None:
    table = pd.DataFrame(
        {
            "group": ["a"] * 6,
            "big": pd.array([2**53 + 1, None, 3, 3, 3, 3], dtype="Int64"),
            "truth": pd.array([True, None, False, True, True, True], dtype="boolean"),
            "grade": pd.Categorical(["low", "high", "low", "mid", "mid", "low"], ["low", "mid", "high", "never"], ordered=True),
            "text": pd.array(["x", None, "y", "y", "y", "y"], dtype="string"),
        }
    )
    out = keep_all("big", "truth", "grade", "text").anonymize(table).to_pandas()
    assert out["big"].dtype == "Int64" and out["big"][0] == 2**53 + 1 and out["big"].isna().sum() == 1
    assert out["truth"].dtype == "boolean" and out["truth"].isna().sum() == 1
    assert out["grade"].dtype.ordered and list(out["grade"].dtype.categories) == ["low", "mid", "high"]
    assert out["text"].dtype == table["text"].dtype
    plain = keep_all("big", "truth").anonymize(pa.table({name: pa.array(table[name]) for name in ("group", "big", "truth")})).to_pandas()
    assert plain["big"][0] == 2**53 + 1 and plain["truth"].dtype == "boolean"


def test_an_enum_of_polars_stays_one() -> None:
    grades = pl.Series(["low", "high", "low", "low"], dtype=pl.Enum(["low", "mid", "high"]))
    out = keep_all("grade").anonymize(pl.DataFrame({"group": ["a"] * 4, "grade": grades})).to_polars()
    assert out.schema["grade"] == pl.Enum(["low", "high"]) and out["grade"].to_list() == grades.to_list()


def test_columns_that_never_leave_need_not_be_read() -> None:
    table = pl.DataFrame({"group": ["a"] * 4, "tags": [["x"], [], None, ["y"]], "where": [{"x": 1}] * 4, "long": [datetime.timedelta(1)] * 4})
    job = keep_all()
    job["tags"].role = "identifying"
    release = job.anonymize(table)
    assert pa.table(release).column_names == ["group"] and "tags" in release.manifest["dropped"]
    assert job.check(table) and release.attack(attempts=5, seed=1) and release.utility(targets=[])
    job["where"].role = "sensitive"
    with pytest.raises(pv.InputOutputError, match="where"):
        job.anonymize(table)
    with pytest.raises(pv.InputOutputError):
        pv.init(table)


def test_errors_are_those_of_the_command_line(somewhere: pathlib.Path) -> None:
    table = {"age": ["20", "x"] * 10, "zip": ["1", "2"] * 10}
    pl.DataFrame(table).write_csv("t.csv")
    text = 'version = 1\n\n[input]\npath = "t.csv"\n\n# a remark\n[[attributes]]\nname = "age"\nrole = "quasi-identifier"\ntype = "integer"\n'
    text += '\n[[attributes]]\nname = "zip"\nrole = "insensitive"\n\n[privacy]\n[[privacy.models]]\nmodel = "k-anonymity"\nk = 2\n'
    pathlib.Path("job.toml").write_text(text)

    def both(call: Any, *, ways: tuple[str, ...] = ("file", "line", "key", "message", "advice")) -> None:
        said = subprocess.run(
            [sys.executable, "-c", "from paravent._command import main; main()", "--json", "anonymize", "job.toml"],
            capture_output=True, text=True, check=False,
        )
        with pytest.raises(pv.ConfigurationError) as caught:
            call()
        told = json.loads(said.stdout or said.stderr)["error"]["problems"]
        assert [[one[way] for way in ways] for one in caught.value.problems] == [[one[way] for way in ways] for one in told]

    # A table in memory has rows, and no lines.
    both(lambda: pv.Job.load("job.toml").anonymize("t.csv"), ways=("file", "key", "advice"))
    pathlib.Path("job.toml").write_text(text.replace('"zip"', '"nothere"').replace('type = "integer"\n', ""))
    both(lambda: pv.Job.load("job.toml").anonymize("t.csv"))


def test_files_that_are_no_jobs() -> None:
    with pytest.raises(pv.ParaventError) as caught:
        pv.Job.load("nothing.toml")
    assert isinstance(caught.value, FileNotFoundError) and caught.value.kind == "input-output" and "nothing.toml" in str(caught.value)
    pathlib.Path("latin.toml").write_bytes(b"version = 1\n# \xe4\n")
    with pytest.raises(pv.ConfigurationError, match="UTF-8") as wrong:
        pv.Job.load("latin.toml")
    assert wrong.value.problems[0]["line"] == 2
    with pytest.raises(pv.InputOutputError, match="nofolder"):
        pv.verify("nofolder")
    with pytest.raises(pv.InputOutputError, match="nofolder"):
        pv.compare("nofolder", "nofolder")


def test_a_day_without_quotes_is_a_day() -> None:
    text = 'version = 1\n[about]\ndate = 2024-01-31\n[input]\npath = "t.csv"\n[[attributes]]\nname = "age"\nrole = "quasi-identifier"\n[privacy]\n'
    text += 'models = [{ model = "k-anonymity", k = 2 }]\n'
    try:
        job = pv.Job.parse(text)
    except pv.ConfigurationError as refused:
        assert "about.date" in str(refused)
        return
    assert job.document["about"]["date"] == "2024-01-31"
    job["age"].weight = 2
    assert "2024-01-31" in job.toml


def test_a_name_with_a_nul_is_refused() -> None:
    code = "import paravent as pv, polars as pl\ntry: pv.init(pl.DataFrame({'a\\0b': [1] * 9}))\nexcept pv.UsageError as error: print(error)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.returncode == 0 and "NUL" in ran.stdout, ran
    for table in (pl.LazyFrame({"a\0b": [1]}), pd.DataFrame({"a\0b": [1]}), {"a\0b": [1]}):
        with pytest.raises(pv.UsageError, match="NUL"):
            pv.init(table)


def test_numbers_that_are_not_there_are_shown_as_such() -> None:
    nothing = {"mean": None, "deviation": None, "quantiles": []}
    some = {"mean": 1.0, "deviation": 2.0, "quantiles": [0, 0, 1.5, 2, 3]}
    told = pv.Utility(rows=1, released_rows=1, numbers=[{"column": "x", "before": some, "after": nothing}], labels=[], pairs=[], learned=[], suppressed=[])
    assert "1 ± 2, median 1.5" in told._repr_html_() and "–" in told._repr_html_()


def test_pandas_without_pyarrow_gets_advice() -> None:
    code = """
import sys
sys.modules["pyarrow"] = None
import pandas as pd, paravent as pv
try:
    pv.init(pd.DataFrame({"a": [1] * 9}))
except pv.ParaventError as error:
    print("pyarrow" in str(error))
job = pv.Job().promise(pv.k_anonymity(2))
job["a"].role = "quasi-identifier"
try:
    job.anonymize({"a": [1] * 9}).to_pandas()
except pv.ParaventError as error:
    print("pyarrow" in str(error))
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.stdout == "True\nTrue\n", ran.stdout + ran.stderr


def test_phases_are_told_in_their_order_and_the_line_ends(job: pv.Job, rows: dict[str, list[Any]]) -> None:
    heard: list[str] = []
    big = {name: cells * 20000 for name, cells in rows.items()}
    stream = io.StringIO()
    line = pv.bar(stream)

    def both(phase: str, done: int, total: int | None) -> None:
        heard.append(phase)

    job.anonymize(pl.DataFrame(big), progress=both)
    order = ["reading the table", "searching", "recoding", "writing", "verifying"]
    places = [order.index(phase) for phase in heard if phase in order]
    assert places and places == sorted(places), heard
    job.anonymize(pl.DataFrame(big), progress=line)
    assert stream.getvalue() == "" or stream.getvalue().endswith("\n")


def test_chosen_nodes_and_the_lattice(rows: dict[str, list[Any]], job: pv.Job) -> None:
    frame = pl.DataFrame(rows)
    found = job.dry_run(frame, lattice=True)
    assert found.lattice and found.lattice["nodes"] and found.alternatives and job.dry_run(frame).lattice is None
    picked = job.anonymize(frame, pick=1)
    assert picked.transformation.levels == found.alternatives[0]["transformation"]
    node = job.anonymize(frame, node={"age": 3})
    assert node.transformation.levels["age"] == 3
    with pytest.raises(pv.ConfigurationError, match="agee"):
        job.anonymize(frame, node={"agee": 1})
    with pytest.raises(pv.UsageError):
        job.anonymize(frame, node={"age": 1}, pick=1)


def test_a_purpose_changes_the_proposal(patients: Any) -> None:
    assert [model for model in pv.init(patients, for_="open-data").models if model["model"] == "k-anonymity"][0]["k"] == 20
    assert [model for model in pv.init(patients).models if model["model"] == "k-anonymity"][0]["k"] == 5


def test_slices_are_signed(somewhere: pathlib.Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", "from paravent._command import main; main()", "keygen", "k.key"], capture_output=True, text=True, check=False
    )
    keys = sorted(somewhere.glob("*.key"))
    assert keys, ran.stdout + ran.stderr
    sliced = pv.slice(SEX, [["age"], ["ill"]], bucket=10, seed=1, most_unique=1, allow_identifying=True)
    sliced.save("signed", register=False, sign=keys[0])
    assert pv.verify("signed").signer


def test_a_dictionary_of_lists_is_a_table() -> None:
    job = keep_all("n", "x", "t", "day")
    day = datetime.date(2024, 3, 9)
    release = job.anonymize({"group": ["a"] * 4, "n": [1, None, 2, 2], "x": np.array([1.5, 2, 3, 3]), "t": [True] * 4, "day": [day] * 4})
    out = pa.table(release)
    assert out.column("n").to_pylist() == [1, None, 2, 2] and out.column("x").to_pylist() == [1.5, 2.0, 3.0, 3.0]
    assert out.column("t").to_pylist() == [True] * 4
    for wrong in ({"a": "text"}, {1: [1]}, {"a": [1], "b": [1, 2]}, {"a": [object()]}):
        with pytest.raises(pv.UsageError):
            pv.frame(wrong)
    for column in (pd.Series([1, 2]), pl.Series([1, 2])):
        with pytest.raises(TypeError, match="one column"):
            pv.frame(column)


def test_numbers_of_numpy_and_decimals_are_welcome_in_jobs() -> None:
    job = pv.Job().promise(pv.k_anonymity(np.int64(5)), suppression_limit=Decimal("0.05"))  # type: ignore[arg-type]
    job["age"] = {"role": "quasi-identifier", "hierarchy": pv.intervals(list(np.array([5, 10])), np.float64(0), 100)}
    assert "k = 5" in job.toml and "suppression_limit = 0.05" in job.toml
    assert job.copy().search(seconds=None).toml == job.copy().search().toml
    for wrong in (float("nan"), float("inf"), object(), Decimal("0.1000000000000000000001")):
        with pytest.raises(pv.UsageError):
            _ = pv.Job().promise(pv.k_anonymity(5), suppression_limit=wrong).toml


def test_rows_without_any_cell_are_no_rows_of_a_sheet() -> None:
    table = {"c": ["a", "a", None, None], "d": ["a", "a", None, None]}
    job = pv.Job().promise(pv.k_anonymity(2)).output(format="xlsx", order="input")
    job["c"].role = job["d"].role = "quasi-identifier"
    with pytest.raises(pv.InputOutputError, match="every cell is missing"):
        job.anonymize(table)
    assert len(job.output(format="csv").anonymize(table)) == 4
