"""Paravent, anjana and pycanon on one table, in one run: loss, time, and what each measures.

python compare.py ADULT_FOLDER PYTHON_OF_ANJANA [K L PERCENT]

ADULT_FOLDER has `adult.csv` and `hierarchies/*.csv` (value;level 1;…;*). anjana and pycanon pin old versions of pandas and numpy, so they live in
an environment of their own: `python -m venv theirs && theirs/bin/pip install anjana pycanon`. Prints a table in Markdown.
"""

from __future__ import annotations

import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import time
import warnings
from typing import Any

import paravent as pv

QUASI = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "salary-class"]
SENSITIVE = "occupation"


def hierarchies(folder: pathlib.Path) -> dict[str, list[list[str]]]:
    """The lines of every hierarchy."""
    found = {}
    for name in QUASI:
        with open(folder / "hierarchies" / f"{name}.csv", newline="", encoding="utf-8") as file:
            found[name] = list(csv.reader(file, delimiter=";"))
    return found


def loss(rows: list[dict[str, str]], all_rows: int, lines: dict[str, list[list[str]]]) -> float:
    """Iyengar's loss: for a cell the share of other values under its label, 1 for a suppressed row; the mean of all cells."""
    worth: dict[str, dict[str, float]] = {}
    for name, hierarchy in lines.items():
        under: dict[str, int] = {}
        for line in hierarchy:
            for label in set(line):
                under[label] = under.get(label, 0) + 1
        # A label that stands on several levels is one of the lowest of them.
        most = max(len(hierarchy) - 1, 1)
        worth[name] = {label: (count - 1) / most for label, count in under.items()}
    kept = sum(worth[name][row[name]] for row in rows for name in QUASI)
    return (kept + (all_rows - len(rows)) * len(QUASI)) / (all_rows * len(QUASI))


def measured(table: str) -> dict[str, float]:
    """What Paravent measures of a table as it is."""
    job = pv.Job()
    for name in QUASI:
        job[name].role = "quasi-identifier"
    job[SENSITIVE].role = "sensitive"
    job.promise(
        pv.k_anonymity(2),
        pv.distinct_l_diversity(SENSITIVE, 2),
        pv.entropy_l_diversity(SENSITIVE, 1.5),
        pv.t_closeness(SENSITIVE, 0.5),
        pv.beta_likeness(SENSITIVE, 1),
    )
    began = time.perf_counter()
    checked = job.check(table)
    achieved = [promise["achieved"] for promise in checked["privacy"]]
    found = {"k": achieved[0]["k"], "l": achieved[1]["l"], "entropy l": achieved[2]["l"], "t": achieved[3]["t"], "basic beta": achieved[4]["beta"]}
    found["seconds"] = time.perf_counter() - began
    return found


def read(path: pathlib.Path) -> list[dict[str, str]]:
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def run(folder: pathlib.Path, theirs: str, k: int, l: int, percent: float) -> None:
    lines = hierarchies(folder)
    script = str(pathlib.Path(__file__).with_name("theirs.py"))

    def other(*arguments: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(subprocess.run([theirs, script, *arguments], check=True, capture_output=True, text=True).stdout)
        return found

    job = pv.Job()
    for name in QUASI:
        job[name] = {"role": "quasi-identifier", "hierarchy": pv.file(str((folder / "hierarchies" / f"{name}.csv").resolve()))}
    job[SENSITIVE].role = "sensitive"
    job.promise(pv.k_anonymity(k), pv.distinct_l_diversity(SENSITIVE, l), suppression_limit=percent / 100).search(metric="loss")
    table = pv.frame(folder / "adult.csv")
    began, worked = time.perf_counter(), time.process_time()
    release = job.anonymize(table)
    seconds, worked = time.perf_counter() - began, time.process_time() - worked
    with tempfile.TemporaryDirectory() as place:
        ours, made = pathlib.Path(place) / "ours.csv", pathlib.Path(place) / "theirs.csv"
        ours.write_bytes(release.data())
        anjana = other("anonymize", str(folder / "adult.csv"), str(folder / "hierarchies"), str(k), str(l), str(percent), str(made))
        print("| | rows released | loss | seconds | of the processor |\n|---|---|---|---|---|")
        print(f"| Paravent | {len(release)} | {loss(read(ours), len(table), lines):.4f} | {seconds:.2f} | {worked:.2f} |")
        print(f"| anjana | {anjana['rows']} | {loss(read(made), len(table), lines):.4f} | {anjana['seconds']:.2f} | {anjana['processor']:.2f} |\n")
        print("| table | measure | Paravent | pycanon | |\n|---|---|---|---|---|")
        for name, path in (("Paravent's", ours), ("anjana's", made)):
            mine, canon = measured(str(path)), other("measure", str(path))
            for measure, value in mine.items():
                # pycanon gives the whole number below.
                same = int(value) == canon[measure] if measure == "entropy l" else abs(value - canon[measure]) < 1e-6
                equal = "" if measure == "seconds" else ("equal" if same else "different")
                print(f"| {name} | {measure} | {value:.6g} | {canon[measure]:.6g} | {equal} |")
            print(f"| {name} | delta | – | {canon['delta']:.6g} | |")


if __name__ == "__main__":
    warnings.simplefilter("ignore", pv.ParaventWarning)
    given = sys.argv[3:] or ["5", "2", "5"]
    run(pathlib.Path(sys.argv[1]), sys.argv[2], int(given[0]), int(given[1]), float(given[2]))
