"""Paravent: turns a table about people into the best one that may be released, and proves the promise on it.

>>> import paravent as pv
>>> table = pv.demo()
>>> job = pv.init(table, k=5)
>>> release = job.anonymize(table)
>>> bool(release.verification)
True

Tables are anything with ``__arrow_c_stream__``: DataFrames of polars and pandas, pyarrow tables, DuckDB relations; or paths.
"""

from __future__ import annotations

import json
import os
from typing import Any

from . import _paravent
from ._build import (
    age,
    beta_likeness,
    breaks,
    chain,
    cluster,
    codes,
    dates,
    delta_presence,
    distinct_l_diversity,
    entropy_l_diversity,
    file,
    intervals,
    k_anonymity,
    k_map,
    lump,
    model,
    multi_attribute_l_diversity,
    npd_recursive_l_diversity,
    order,
    ordering,
    pd_recursive_l_diversity,
    recursive_l_diversity,
    redact,
    t_closeness,
)
from ._demo import demo
from ._errors import (
    ConfigurationError,
    Infeasible,
    InputOutputError,
    InternalError,
    NotKept,
    ParaventError,
    ParaventWarning,
    Refuted,
    Stopped,
    UsageError,
)
from ._estimator import Anonymizer
from ._frames import Table, frame
from ._job import Attribute, Job, init
from ._progress import bar
from ._results import (
    Attacks,
    Check,
    Document,
    Noisy,
    Release,
    Risk,
    Sliced,
    Solution,
    Transformation,
    Utility,
    Verification,
    attack,
    risk,
    utility,
)

__version__: str = json.loads(_paravent.catalogue())["version"]


def catalogue() -> dict[str, Any]:
    """What there is to choose from: models with their keys, kinds of hierarchies, metrics, algorithms, attacks, roles, types.

    >>> "k-anonymity" in [one["name"] for one in catalogue()["models"]]
    True
    """
    found: dict[str, Any] = json.loads(_paravent.catalogue())
    return found


def check(table: Table, job: Job, **options: Any) -> Check:
    """Which promises does the table keep as it is?"""
    found: Check = job.check(table, **options)
    return found


def anonymize(table: Table, job: Job, **options: Any) -> Release:
    """The best release that keeps the job's promises, verified."""
    made: Release = job.anonymize(table, **options)
    return made


def compare(a: Any, b: Any) -> Document:
    """Two results side by side: releases and solutions in memory, or paths of releases and of documents."""

    def told(one: Any, name: str) -> tuple[str, str]:
        if isinstance(one, (Release, Solution)):
            return name, json.dumps(one.document)
        path = os.fspath(one)
        if os.path.isdir(path):
            private = os.path.join(path.rstrip("/") + ".private", "report.json")
            path = private if os.path.exists(private) else os.path.join(path, "report.json")
        with open(path, encoding="utf-8") as file:
            return os.fspath(one), file.read()

    return Document(json.loads(_paravent.compare(told(a, "a"), told(b, "b"))))


def verify(path: str | os.PathLike[str], key: str | None = None) -> Verification:
    """Re-check a release on disk from its files alone."""
    return Verification(json.loads(_paravent.verify(os.fspath(path), key)))


def slice(table: Table, groups: list[list[str]], *, job: Job | None = None, **options: Any) -> Sliced:
    """Permute column groups inside hidden buckets of rows: ``bucket=ROWS``, ``buckets=N``, ``by=COLUMN`` or ``within=K``."""
    given = {"groups": groups, **{key: value for key, value in options.items() if value is not None}}
    text, place = (None, "paravent.toml") if job is None else (job._text(), job.file)
    return Sliced(_paravent.slice(frame(table, job), json.dumps(given), text, place))


def noise(
    table: Table, columns: dict[str, str] | None = None, *, ledger: str | os.PathLike[str], job: Job | None = None, **options: Any
) -> Noisy:
    """Draw noise for cells: ``columns={"sex": "0.5:uniform('f', 'm')"}``, or what the job says. Paid from a ledger on disk."""
    spelled = [f"{name}={law}" for name, law in (columns or {}).items()]
    given = {"columns": spelled, "ledger": os.fspath(ledger), **{key: value for key, value in options.items() if value is not None}}
    text, place = (None, "paravent.toml") if job is None else (job._text(), job.file)
    return Noisy(_paravent.noise(frame(table, job), json.dumps(given), text, place))


def self_test(seed: int = 1) -> dict[str, Any]:
    """Every attack must succeed on a planted weak release and fail on a strong one."""
    found: dict[str, Any] = json.loads(_paravent.self_test(seed))
    return found


__all__ = [
    "Anonymizer",
    "Attacks",
    "Attribute",
    "Check",
    "ConfigurationError",
    "Document",
    "Infeasible",
    "InputOutputError",
    "InternalError",
    "Job",
    "Noisy",
    "NotKept",
    "ParaventError",
    "ParaventWarning",
    "Refuted",
    "Release",
    "Risk",
    "Sliced",
    "Solution",
    "Stopped",
    "Table",
    "Transformation",
    "UsageError",
    "Utility",
    "Verification",
    "age",
    "anonymize",
    "attack",
    "bar",
    "beta_likeness",
    "breaks",
    "catalogue",
    "chain",
    "check",
    "cluster",
    "codes",
    "compare",
    "dates",
    "delta_presence",
    "demo",
    "distinct_l_diversity",
    "entropy_l_diversity",
    "file",
    "frame",
    "init",
    "intervals",
    "k_anonymity",
    "k_map",
    "lump",
    "model",
    "multi_attribute_l_diversity",
    "noise",
    "npd_recursive_l_diversity",
    "order",
    "ordering",
    "pd_recursive_l_diversity",
    "recursive_l_diversity",
    "redact",
    "risk",
    "self_test",
    "slice",
    "t_closeness",
    "utility",
    "verify",
]
