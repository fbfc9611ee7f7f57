"""Runs in the environment of anjana and pycanon: anonymizes a table, and measures tables.

python theirs.py anonymize TABLE HIERARCHIES K L PERCENT OUT
python theirs.py measure TABLE
"""

from __future__ import annotations

import json
import pathlib
import sys
import time

import anjana.anonymity
import pandas as pd
from pycanon import anonymity

QUASI = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass", "salary-class"]
SENSITIVE = "occupation"


def read(path: str, delimiter: str) -> pd.DataFrame:
    return pd.read_csv(path, sep=delimiter, dtype=str, keep_default_na=False)


def anonymize(table: str, hierarchies: str, k: str, l: str, percent: str, out: str) -> None:
    data = read(table, ";")
    levels = {}
    for name in QUASI:
        lines = pd.read_csv(pathlib.Path(hierarchies) / f"{name}.csv", sep=";", header=None, dtype=str, keep_default_na=False)
        levels[name] = {level: lines[level].to_numpy() for level in lines.columns}
    began, worked = time.perf_counter(), time.process_time()
    made = anjana.anonymity.l_diversity(data, [], QUASI, SENSITIVE, int(k), int(l), float(percent), levels)
    seconds, worked = time.perf_counter() - began, time.process_time() - worked
    made.to_csv(out, index=False)
    json.dump({"seconds": seconds, "processor": worked, "rows": len(made)}, sys.stdout)


def measure(table: str) -> None:
    data = read(table, ",")
    began = time.perf_counter()
    found = {
        "k": anonymity.k_anonymity(data, QUASI),
        "l": anonymity.l_diversity(data, QUASI, [SENSITIVE]),
        "entropy l": anonymity.entropy_l_diversity(data, QUASI, [SENSITIVE]),
        "t": anonymity.t_closeness(data, QUASI, [SENSITIVE]),
        "basic beta": anonymity.basic_beta_likeness(data, QUASI, [SENSITIVE]),
        "delta": anonymity.delta_disclosure(data, QUASI, [SENSITIVE]),
    }
    found["seconds"] = time.perf_counter() - began
    json.dump({name: float(value) for name, value in found.items()}, sys.stdout)


if __name__ == "__main__":
    {"anonymize": anonymize, "measure": measure}[sys.argv[1]](*sys.argv[2:])
