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

import errno
import inspect
import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from . import _options, _paravent
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
    parts,
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
    NotFound,
    NotKept,
    ParaventError,
    ParaventWarning,
    Refuted,
    Stopped,
    UsageError,
)
from ._estimator import Anonymizer
from ._frames import Table, frame
from ._job import Attribute, Job, Progress, init
from ._options import Exact
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


def check(table: Table, job: Job, *, show_values: bool = False, progress: Progress | None = None) -> Check:
    """Which promises does the table keep as it is?

    >>> table = demo()
    >>> check(table, init(table, k=5)).holds
    False
    """
    return job.check(table, show_values=show_values, progress=progress)


def anonymize(table: Table, job: Job, **options: Any) -> Release:
    """The best release that keeps the job's promises, verified; the keywords are those of :meth:`Job.anonymize`.

    >>> table = demo()
    >>> anonymize(table, init(table, k=5)).risk.prosecutor.highest
    0.2
    """
    known = set(inspect.signature(Job.anonymize).parameters) - {"self", "table"}
    _options.refuse("anonymize", {name: value for name, value in options.items() if name not in known})
    return job.anonymize(table, **options)


def compare(a: Release | Solution | str | os.PathLike[str], b: Release | Solution | str | os.PathLike[str]) -> Document:
    """Two results side by side: releases and solutions in memory, or paths of releases and of documents.

    >>> table = demo()
    >>> job = init(table, k=5)
    >>> compare(job.dry_run(table), job.anonymize(table))["b"]["kind"]
    'release'
    """

    def told(one: Any, name: str) -> tuple[str, str]:
        if isinstance(one, (Release, Solution)):
            return name, json.dumps(one.document)
        place = _options.path(name, one) or ""
        path = place
        if os.path.isdir(path):
            private = os.path.join(path.rstrip("/") + ".private", "report.json")
            path = private if os.path.exists(private) else os.path.join(path, "report.json")
        try:
            with open(path, encoding="utf-8") as file:
                return place, file.read()
        except OSError as error:
            raise InputOutputError.of_file(path, error) from error
        except UnicodeDecodeError:
            raise UsageError(f"{path}: is no document of a run") from None

    return Document(json.loads(_paravent.compare(told(a, "a"), told(b, "b"))))


def verify(path: str | os.PathLike[str], key: str | None = None) -> Verification:
    """Re-check a release on disk from its files alone; ``key`` is the public key that must have signed it.

    >>> import tempfile
    >>> table = demo()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     saved = init(table, k=5).anonymize(table).save(folder + "/release", register=False)
    ...     bool(verify(folder + "/release"))
    True
    """
    place = _options.path("path", path) or ""
    if not os.path.isdir(place):
        raise InputOutputError.of_file(place, FileNotFoundError(errno.ENOENT, "is no folder of a release"))
    return Verification(json.loads(_paravent.verify(place, _options.text("key", key))))


def slice(
    table: Table,
    groups: Sequence[Sequence[str]],
    *,
    job: Job | None = None,
    bucket: int | None = None,
    buckets: int | None = None,
    by: str | None = None,
    within: int | None = None,
    quasi_identifiers: Sequence[str] | None = None,
    shuffle: bool | None = None,
    minimum: int | None = None,
    merge: bool | None = None,
    overlap: int | None = None,
    sensitive: Sequence[str] | None = None,
    identifying: Sequence[Sequence[str]] | None = None,
    allow_identifying: bool | None = None,
    most_unique: Exact | None = None,
    most_constant: Exact | None = None,
    most_linked: Exact | None = None,
    diversity: int | None = None,
    seed: int | None = None,
    **unknown: NoReturn,
) -> Sliced:
    """Permute column groups inside hidden buckets of rows: ``bucket=ROWS``, ``buckets=N``, ``by=COLUMN`` or ``within=K``.

    >>> table = {"age": [31, 44, 52, 60] * 5, "illness": ["flu", "gout"] * 10}
    >>> len(slice(table, [["age"], ["illness"]], bucket=10, seed=1))
    20
    """
    _options.refuse("slice", unknown)
    most = 2**32 - 1
    places = {
        "bucket": _options.whole("bucket", bucket, 1, most),
        "buckets": _options.whole("buckets", buckets, 1, most),
        "by": _options.text("by", by),
        "within": _options.whole("within", within, 1, most),
    }
    if sum(place is not None for place in places.values()) != 1:
        raise UsageError("where are rows mixed? Give one of bucket=ROWS, buckets=N, by=COLUMN and within=K")
    if quasi_identifiers is not None and within is None:
        raise UsageError("quasi_identifiers goes with within=K")
    if shuffle and bucket is None and buckets is None:
        raise UsageError("shuffle goes with bucket=ROWS or buckets=N")
    given = {
        **places,
        "groups": _options.lists("groups", groups),
        "quasi_identifiers": _options.names("quasi_identifiers", quasi_identifiers),
        "shuffle": _options.flag("shuffle", shuffle),
        "minimum": _options.whole("minimum", minimum, 1, most),
        "merge": _options.flag("merge", merge),
        "overlap": _options.whole("overlap", overlap, 1, most),
        "sensitive": _options.names("sensitive", sensitive),
        "identifying": _options.lists("identifying", identifying),
        "allow_identifying": _options.flag("allow_identifying", allow_identifying),
        "most_unique": _options.exact("most_unique", most_unique),
        "most_constant": _options.exact("most_constant", most_constant),
        "most_linked": _options.exact("most_linked", most_linked),
        "diversity": _options.whole("diversity", diversity, 1, most),
        "seed": _options.whole("seed", seed, 0, 2**64 - 1),
    }
    text, place = (None, "paravent.toml") if job is None else (job._text(), job.file)
    return Sliced(_paravent.slice(frame(table, job), _options.document(given), text, place))


def noise(
    table: Table,
    columns: Mapping[str, str] | None = None,
    *,
    ledger: str | os.PathLike[str],
    job: Job | None = None,
    epsilon: Exact | None = None,
    delta: Exact | None = None,
    recipient: str | None = None,
    allow_unbounded: bool | None = None,
    seed: int | None = None,
    **unknown: NoReturn,
) -> Noisy:
    """Draw noise for cells: ``columns={"sex": "0.5:uniform('f', 'm')"}``, or what the job says. Paid from a ledger on disk.

    ``epsilon`` and ``delta`` are the most that may be spent, taken exactly as they are written. Ctrl-C before the payment costs
    nothing; once the ledger says that it was paid, the draw is finished.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     len(noise({"sex": ["f", "m"] * 20}, {"sex": "0.8:uniform('f', 'm')"}, ledger=folder + "/l.jsonl", epsilon=0.9, seed=1))
    40
    """
    _options.refuse("noise", unknown)
    if delta is not None and epsilon is None:
        raise UsageError("delta goes with epsilon")
    if columns is not None and not isinstance(columns, Mapping):
        raise UsageError(f"columns takes laws by column, such as {{'sex': '0.5'}}, not a {type(columns).__name__}")
    laws = {name: _options.exact(f"columns[{name!r}]", law) for name, law in (columns or {}).items()}
    given = {
        "columns": [f"{name}={law}" for name, law in laws.items()],
        "ledger": _options.path("ledger", ledger),
        "epsilon": _options.exact("epsilon", epsilon),
        "delta": _options.exact("delta", delta),
        "recipient": _options.text("recipient", recipient),
        "allow_unbounded": _options.flag("allow_unbounded", allow_unbounded),
        "seed": _options.whole("seed", seed, 0, 2**64 - 1),
    }
    text, place = (None, "paravent.toml") if job is None else (job._text(), job.file)
    return Noisy(_paravent.noise(frame(table, job), _options.document(given), text, place))


def self_test(seed: int = 1) -> dict[str, Any]:
    """Every attack must succeed on a planted weak release and fail on a strong one.

    >>> self_test()["holds"]
    True
    """
    number = _options.whole("seed", seed, 0, 2**64 - 1)
    found: dict[str, Any] = json.loads(_paravent.self_test(1 if number is None else number))
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
    "NotFound",
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
    "parts",
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
