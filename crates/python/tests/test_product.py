"""Everything of the product can be reached, and the pages show."""

from __future__ import annotations

import doctest
import html.parser
import importlib
import inspect
import json
import pathlib
import subprocess
import sys
from typing import Any

import pandas as pd
import polars as pl
import pytest

import paravent as pv


def test_every_model_has_a_function() -> None:
    for one in pv.catalogue()["models"]:
        function = getattr(pv, one["name"].replace("-", "_"))
        names = [key["name"] for key in one["keys"]]
        assert function.__doc__ and set(function.__annotations__) - {"return", "keys"} <= set(names), one["name"]


def test_every_metric_finds_a_release(rows: dict[str, list[Any]], job: pv.Job) -> None:
    for metric in pv.catalogue()["metrics"]:
        assert job.search(metric=metric).dry_run(pl.DataFrame(rows)).document["solution"]["metric"] == metric


def test_every_attack_works() -> None:
    found = pv.self_test()
    assert found["holds"] and {trial["attack"] for trial in found["trials"]} == {a["name"] for a in pv.catalogue()["attacks"]}


def test_models_are_promised_and_kept(rows: dict[str, list[Any]], job: pv.Job) -> None:
    frame = pl.DataFrame({**rows, "inside": [n % 3 > 0 for n in range(40)]})
    job["visits"].role = "sensitive"
    promises = [
        pv.distinct_l_diversity("illness", 2),
        pv.entropy_l_diversity("illness", 1.5),
        pv.recursive_l_diversity("illness", 3, 2),
        pv.pd_recursive_l_diversity("illness", 3, 2, ["flu"]),
        pv.npd_recursive_l_diversity("illness", 5, 0, 2, ["flu"], ["gout"]),
        pv.multi_attribute_l_diversity(["illness", "visits"], "distinct", l=2),
        pv.t_closeness("illness", 0.5),
        pv.beta_likeness("illness", 4),
        pv.delta_presence(0, 0.95, subset="inside"),
        pv.k_map(2, subset="inside"),
    ]
    assert {promise["model"] for promise in promises} | {"k-anonymity"} == {m["name"] for m in pv.catalogue()["models"]}
    for promise in promises:
        try:
            release = job.copy().promise(promise, suppression_limit=0.3).anonymize(frame)
        except pv.Infeasible:
            continue
        assert release.document["privacy"][0]["holds"] and release.verification


def test_every_kind_of_hierarchy_has_a_function() -> None:
    for one in pv.catalogue()["hierarchies"]:
        assert getattr(pv, one["name"]).__doc__ and one["says"], one


def test_hierarchies_of_every_kind() -> None:
    job = pv.Job().promise(pv.k_anonymity(2))
    pathlib.Path("h.csv").write_text("f;*\nm;*\n")
    for hierarchy, value, level, label in [
        (pv.intervals([10, 20], 0, 100), "34", 1, "30-39"),
        (pv.redact("right"), "81667", 2, "816**"),
        (pv.dates("month", "year"), "2024-03-09", 2, "2024"),
        (pv.order({"label": "alone", "of": ["single", "divorced"]}, {"label": "both", "of": ["married"]}), "single", 1, "alone"),
        (pv.chain(pv.dates("year"), pv.redact("right")), "2024-03-09", 2, "202*"),
        (pv.file("h.csv"), "f", 1, "*"),
        (pv.breaks([18, 65], {"at": [18], "labels": ["minor", "adult"]}), "70", 2, "adult"),
        (pv.codes("icd-10"), "E11.90", 1, "E11"),
        (pv.codes(keep=[2]), "81667", 1, "81"),
        (pv.chain(pv.age("2024-12-31"), pv.breaks([18, 65])), "1950-05-01", 2, ">=65"),
        (pv.parts("."), "10.0.3.7", 1, "10.0.3"),
        (pv.ordering([2], ["a", "b", "c"]), "b", 2, "*"),
    ]:
        job["x"] = {"role": "quasi-identifier", "hierarchy": hierarchy}
        values = [value, "married"] if "order" in hierarchy else [value]
        assert job.labels("x", values)[level][0] == label, hierarchy


def test_hierarchies_that_count_rows(rows: dict[str, list[Any]], job: pv.Job) -> None:
    for hierarchy in (pv.lump([6, 12], "other"), pv.cluster([3, 2])):
        job["zip"].hierarchy = hierarchy
        assert job.anonymize(pl.DataFrame(rows)).verification, hierarchy


def test_a_job_is_the_same_text(job: pv.Job) -> None:
    job.save("paravent.toml")
    again = pv.Job.load("paravent.toml")
    assert again.toml == job.toml and pv.Job.parse(job.toml) == pv.Job.parse(again.toml)
    del job["visits"]
    assert "visits" not in job and "visits" in again and list(again)[0] == "name"


def test_check_risk_and_attacks(rows: dict[str, list[Any]], job: pv.Job) -> None:
    frame = pl.DataFrame(rows)
    checked = pv.check(frame, job)
    assert not checked and checked.unique_rows > 0
    risk = pv.risk(frame, quasi_identifiers=["age", "zip"], sensitive=["illness"])
    assert risk.prosecutor.highest == 1.0 and risk == pv.risk(frame, quasi_identifiers=["age", "zip"], sensitive=["illness"])
    release = job.anonymize(frame)
    assert release.risk.prosecutor.highest <= 1 / 3
    attacks = release.attack(attempts=50, seed=1)
    assert attacks.verdicts["linking"] in ("covered", "nothing found") and attacks["not_run"]
    with pytest.raises(pv.UsageError):
        pv.attack(release, only=["magic"])
    with pytest.raises(pv.UsageError):
        pv.risk(frame, quasi_identifiers=["agee"])


def test_what_a_release_is_good_for(rows: dict[str, list[Any]], job: pv.Job, somewhere: pathlib.Path) -> None:
    frame = pl.DataFrame(rows)
    release = job.anonymize(frame)
    found = release.utility(targets=["illness"])
    assert found.rows == 40 and found.released_rows == len(release)
    assert [learned["target"] for learned in found.learned] == ["illness"]
    visits = next(column for column in found.numbers if column["column"] == "visits")
    assert visits["before"]["mean"] == pytest.approx(sum(rows["visits"]) / 40)
    left_out = [group["suppressed"] for group in found.suppressed if group["column"] == "zip"]
    assert sum(left_out) == 40 - len(release)
    # The command line says the same of the same files.
    release.save("release", register=False)
    frame.write_parquet("table.parquet")
    said = subprocess.run(
        [sys.executable, "-c", "from paravent._command import main; main()", "--json", "utility", "release", "--against", "table.parquet", "--target", "illness"],
        capture_output=True, text=True, check=True,
    )
    assert json.loads(said.stdout) == found == pv.utility("release", "table.parquet", targets=["illness"])
    with pytest.raises(pv.UsageError):
        pv.utility(frame, frame)
    with pytest.raises(pv.UsageError):
        pv.utility(release, release)
    with pytest.raises(pv.InputOutputError):
        pv.utility("nothing", frame)


def test_two_results_side_by_side(rows: dict[str, list[Any]], job: pv.Job) -> None:
    frame = pl.DataFrame(rows)
    release, solution = job.anonymize(frame), job.copy().promise(pv.k_anonymity(5)).dry_run(frame)
    compared = pv.compare(release, solution)
    assert compared["a"]["kind"] == "release" and compared["b"]["kind"] == "dry-run"
    smallest = next(figure for figure in compared["figures"] if figure["name"] == "smallest class")
    assert smallest["a"] >= 3 and smallest["b"] >= 5
    release.save("release", register=False)
    assert pv.compare("release", solution)["figures"] == compared["figures"]


def test_slices_and_noise(rows: dict[str, list[Any]], job: pv.Job) -> None:
    frame = pl.DataFrame(rows)
    sliced = pv.slice(frame, [["age"], ["illness"]], bucket=10, seed=1, most_unique="1", allow_identifying=True)
    out = pl.DataFrame(sliced)
    assert sorted(out["age"]) == sorted(rows["age"]) and out.schema["age"] == pl.Int64
    noisy = pv.noise(pl.DataFrame({"sex": ["f", "m"] * 20}), {"sex": "0.8:uniform('f', 'm')"}, ledger="ledger.jsonl", epsilon="0.9", seed=1)
    assert len(noisy) == 40 and noisy.document["operators"]
    with pytest.raises(pv.ParaventError):
        pv.noise(pl.DataFrame({"sex": ["f", "m"] * 20}), {"sex": "0.1:uniform('f', 'm')"}, ledger="ledger.jsonl")


def test_fit_and_transform(rows: dict[str, list[Any]], job: pv.Job) -> None:
    frame = pd.DataFrame(rows)
    anonymizer = pv.Anonymizer(job)
    out = anonymizer.fit_transform(frame)
    assert isinstance(out, pd.DataFrame) and len(out) == len(anonymizer.release_)
    assert len(anonymizer.transform(frame)) == len(out)
    assert anonymizer.get_params() == {"job": job, "k": None} and anonymizer.set_params(k=3).k == 3
    with pytest.raises(pv.UsageError):
        pv.Anonymizer().transform(frame)


class Page(html.parser.HTMLParser):
    """Every element is closed, and nothing runs or is fetched."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag not in ("script", "link", "img", "iframe") and not any(name.startswith("on") for name, _ in attrs)
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_pages_are_self_contained(rows: dict[str, list[Any]], job: pv.Job) -> None:
    rows["illness"][0] = "<script>alert(1)</script>"
    frame = pl.DataFrame(rows)
    release = job.anonymize(frame)
    shown = [job, pv.init(frame, 3), job.check(frame), job.dry_run(frame), release, release.risk, release.attack(attempts=20, seed=1), release.verification, release.utility()]
    for one in shown:
        text = one._repr_html_()
        page = Page()
        page.feed(text)
        assert page.open == [] and "prefers-color-scheme" in text and "http" not in text, type(one)


def test_errors_can_be_sent_elsewhere() -> None:
    import pickle

    error = pickle.loads(pickle.dumps(pv.Infeasible("no", relaxations=[{"advice": "less"}])))
    assert isinstance(error, pv.Infeasible) and error.relaxations == [{"advice": "less"}]


def test_docstrings_run() -> None:
    for name in ("", "._build", "._job", "._estimator", "._demo", "._frames", "._results", "._progress"):
        module = importlib.import_module(f"paravent{name}")
        assert doctest.testmod(module).failed == 0, name


def test_every_public_function_has_an_example() -> None:
    functions = [name for name in pv.__all__ if inspect.isfunction(getattr(pv, name))]
    assert [name for name in functions if ">>>" not in (getattr(pv, name).__doc__ or "")] == []


def test_documents_are_json(rows: dict[str, list[Any]], job: pv.Job) -> None:
    json.dumps(job.anonymize(pl.DataFrame(rows)).document)
