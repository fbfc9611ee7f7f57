"""What comes out: releases, solutions, risk, attacks, verdicts."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NoReturn

from . import _html, _options, _paravent
from ._errors import ParaventWarning, UsageError
from ._frames import Table, frame, to_pandas, to_polars
from ._job import Job, Progress
from ._progress import ended as _ended


class Document(dict[str, Any]):
    """A JSON document of the command line; its keys are attributes as well."""

    def __getattr__(self, key: str) -> Any:
        try:
            value = self[key]
        except KeyError:
            raise AttributeError(key) from None
        return Document(value) if isinstance(value, dict) else value


class Check(Document):
    """Which promises a table keeps as it is: ``holds``, ``privacy``, ``unique_rows`` …"""

    def __bool__(self) -> bool:
        return bool(self["holds"])

    def _repr_html_(self) -> str:
        rows = [(p["model"], p["required"], p["achieved"], p["holds"], p["violating_rows"]) for p in self["privacy"]]
        facts = _html.table(["rows", "classes", "smallest class", "unique rows"], [(self["rows"], self["classes"], self["smallest_class"], self["unique_rows"])])
        return _html.page("Check", facts, _html.table(["promise", "required", "achieved", "holds", "violating rows"], rows), _html.lines(self.get("warnings", []), "careful"))


class Verification(Document):
    """The verifier's verdict: ``holds``, ``checks``, ``trusted``, ``not_checked``, ``signer``."""

    def __bool__(self) -> bool:
        return bool(self["holds"])

    @property
    def violations(self) -> list[dict[str, Any]]:
        """The checks that do not hold."""
        return [check for check in self["checks"] if check.get("outcome") != "held" and not check.get("holds", False)]

    def _repr_html_(self) -> str:
        rows = [(c.get("name"), c.get("subject"), c.get("detail")) for c in self["checks"]]
        verdict = _html.Mark("every check holds", "good") if self["holds"] else _html.Mark("violated", "bad")
        return _html.page("Verification", f"<p>{_html.cell(verdict)}</p>", _html.table(["check", "of", "says"], rows))


class Risk(Document):
    """How easily people are found: ``prosecutor``, ``classes``, ``columns``, ``sensitive`` …"""

    def _repr_html_(self) -> str:
        prosecutor = self["prosecutor"]
        facts = _html.table(["rows", "classes", "unique rows", "highest risk", "mean risk"], [(self["rows"], self["classes"]["count"], self["classes"]["unique_rows"], prosecutor.get("highest"), prosecutor.get("mean"))])
        columns = _html.table(["column", "distinction", "separation", "unique rows"], [(c["column"], c["distinction"], c["separation"], c["unique_rows"]) for c in self["columns"]])
        return _html.page("Risk", facts, columns, _html.lines(self.get("warnings", []), "careful"))


#: The engine's words, the worst last.
_SEVERITIES = ["covered", "nothing found", "residual", "not compared", "broken"]


def _rank(severity: str) -> int:
    """A word that is not known is worse than all that are: it must not be hidden."""
    return _SEVERITIES.index(severity) if severity in _SEVERITIES else len(_SEVERITIES)


class Attacks(Document):
    """How far the known attacks got: ``holds``, ``attacks``, ``not_run``."""

    def __bool__(self) -> bool:
        return bool(self["holds"])

    @property
    def verdicts(self) -> dict[str, str]:
        """By attack: ``covered``, ``nothing found``, ``residual``, ``not compared`` or ``broken`` (the worst of several)."""
        found: dict[str, str] = {}
        for outcome in self["attacks"]:
            name, severity = outcome["attack"], outcome["severity"]
            if name not in found or _rank(severity) > _rank(found[name]):
                found[name] = severity
        return found

    def _repr_html_(self) -> str:
        colours = {"covered": "good", "nothing found": "good", "residual": "careful"}
        rows = [(o["attack"], o.get("subject"), _html.Mark(o["severity"], colours.get(o["severity"], "bad")), o["result"]) for o in self["attacks"]]
        missing = _html.lines((f"{one['attack']} needs {one['needs']}" for one in self["not_run"]), "quiet")
        return _html.page("Attacks", _html.table(["attack", "on", "verdict", "result"], rows), missing)


class Utility(Document):
    """What a release is still good for: ``numbers``, ``labels``, ``pairs``, ``learned``, and who was left out (``suppressed``)."""

    def _repr_html_(self) -> str:
        def shown(moments: dict[str, Any]) -> str:
            def told(number: Any) -> str:
                return "–" if number is None else f"{number:.4g}"

            quantiles = moments.get("quantiles") or []
            median = quantiles[2] if len(quantiles) > 2 else None
            return f"{told(moments.get('mean'))} ± {told(moments.get('deviation'))}, median {told(median)}"

        facts = _html.table(["rows", "released"], [(self["rows"], self["released_rows"])])
        numbers = _html.table(["number", "before", "after"], [(c["column"], shown(c["before"]), shown(c["after"])) for c in self["numbers"]])
        labels = _html.table(["label", "values before", "after", "bits before", "after"], [(c["column"], c["distinct_before"], c["distinct_after"], c["entropy_before"], c["entropy_after"]) for c in self["labels"]])
        pairs = _html.table(["pair", "measure", "before", "after"], [(f"{p['a']}, {p['b']}", p["kind"], p["before"]["value"], p["after"]["value"]) for p in self["pairs"][:12]])
        learned = _html.table(["predicted", "on the original", "on the release", "without other columns"], [(c["target"], c["original"], c["release"], c["baseline"]) for c in self["learned"]])
        left = [(g["column"], g["label"], g["suppressed"], g["rows"]) for g in self["suppressed"] if g["suppressed"] > 0]
        out = _html.table(["left out", "label", "rows", "of"], left[:20])
        return _html.page("Utility", facts, numbers, labels, pairs, learned, out, _html.lines(self.get("not_learned", []), "quiet"))


class Solution:
    """The best node and its neighbours; nothing was released."""

    def __init__(self, found: dict[str, Any]) -> None:
        #: What ``anonymize --dry-run --json`` prints.
        self.document = Document(found["document"])
        #: Neighbours that keep the promises, best first.
        self.alternatives: list[dict[str, Any]] = found["alternatives"]
        self.max_levels: list[int] = found["max_levels"]
        #: With ``lattice=True``: a verdict on every node, as ``--lattice`` writes it.
        self.lattice: dict[str, Any] | None = found.get("lattice")

    @property
    def transformation(self) -> dict[str, Any]:
        """The level of every quasi-identifier; where single classes or cells are recoded, its ``lowest``, ``highest`` and ``mean``."""
        return _told_levels(self.document["solution"])

    def __repr__(self) -> str:
        return f"Solution({self.transformation})"

    def _repr_html_(self) -> str:
        others = _html.table(["alternative", "loss", "suppressed rows"], [(a["transformation"], a["loss"], a["suppressed_rows"]) for a in self.alternatives])
        return _html.page("Solution", _summary(self.document), others)


def _told_levels(solution: dict[str, Any]) -> dict[str, Any]:
    return dict(solution.get("transformation") or solution.get("levels") or {})


def _summary(document: dict[str, Any]) -> str:
    solution = document["solution"]
    facts = _html.table(
        ["levels", document["solution"]["metric"], "suppressed rows", "classes", "smallest class", "optimal"],
        [(_told_levels(solution), solution["loss"], solution["suppressed_rows"], solution["classes"], solution["smallest_class"], document["search"]["optimal"])],
    )
    promises = _html.table(["promise", "required", "achieved", "holds"], [(p["model"], p["required"], p["achieved"], p["holds"]) for p in document["privacy"]])
    return facts + promises + _html.lines(document.get("warnings", []), "careful")


class Transformation:
    """How columns were changed, to be applied to rows that come later."""

    def __init__(self, document: dict[str, Any], job: Job) -> None:
        #: What ``transform.json`` says.
        self.document = document
        self._job = job

    @property
    def levels(self) -> dict[str, Any]:
        """The level of every quasi-identifier, or the lowest and the highest."""
        found = {one["name"]: one.get("level", one.get("levels")) for one in self.document["attributes"]}
        return {name: level for name, level in found.items() if level is not None}

    def apply(self, table: Table, *, progress: Progress | None = None) -> Release:
        """Release new rows with the same transformation. Rows that break a promise under it are left out, within the job's limit."""
        return self._job.anonymize(table, apply=self, progress=progress)

    def __repr__(self) -> str:
        return f"Transformation({self.levels})"


class Release:
    """A verified release in memory. ``polars.DataFrame(release)``, ``pyarrow.table(release)`` or DuckDB's ``FROM release`` read its rows."""

    def __init__(self, made: _paravent.Release, job: Job, came: _paravent.Frame, dtypes: dict[str, Any] | None = None) -> None:
        self._made = made
        self._came = came
        self._dtypes = dtypes or {}
        #: The job that was run.
        self.job = job
        for warning in self.document.get("warnings", []):
            warnings.warn(warning, ParaventWarning, stacklevel=3)

    @property
    def document(self) -> Document:
        """What ``anonymize --json`` prints."""
        return Document(json.loads(self._made.document()))

    @property
    def manifest(self) -> Document:
        """What ``manifest.json`` says."""
        return Document(json.loads(self._made.manifest()))

    @property
    def solution(self) -> Document:
        """Levels, loss, suppressed rows, classes."""
        return Document(self.document["solution"])

    @property
    def transformation(self) -> Transformation:
        """The transformation; ``.apply(rows)`` repeats it."""
        return Transformation(json.loads(self._made.transformation()), self.job)

    @property
    def verification(self) -> Verification:
        """What the verifier said before there was a release."""
        return Verification(json.loads(self._made.verification()))

    @property
    def alternatives(self) -> list[dict[str, Any]]:
        """Neighbours that keep the promises, best first."""
        found: list[dict[str, Any]] = json.loads(self._made.alternatives())
        return found

    @property
    def risk(self) -> Risk:
        """How easily people are found in the release."""
        return Risk(json.loads(_paravent.risk(self._made, "{}")))

    @property
    def report(self) -> str:
        """The page for whoever is responsible, self-contained."""
        return self._made.report_html()

    def verify(self, key: str | None = None) -> Verification:
        """Ask the verifier again, and whether the manifest was signed with a key."""
        return Verification(json.loads(self._made.verify(_options.text("key", key))))

    def attack(self, original: Table | None = None, **options: Any) -> Attacks:
        """Run the attacks; judged by the original, which is the table that was anonymized unless another is given."""
        return attack(self, original=self._came if original is None else original, job=self.job, **options)

    def utility(self, original: Table | None = None, *, targets: Sequence[str] | None = None, progress: Progress | None = None) -> Utility:
        """What the release is still good for, beside the table that was anonymized unless another is given."""
        return utility(self, self._came if original is None else original, targets=targets, job=self.job, progress=progress)

    def data(self) -> bytes:
        """The bytes of the data file, in the format that the job asks for."""
        return bytes(self._made.data())

    def save(self, path: str | os.PathLike[str], *, force: bool = False, register: bool = True) -> Document:
        """Write the two folders of a release and its register line: the same bytes as the command line."""
        return Document(json.loads(self._made.save(*_place(path, force, register))))

    def to_pandas(self) -> Any:
        """The rows as a pandas DataFrame, in the types that its columns came with."""
        return to_pandas(self, self._dtypes)

    def to_polars(self) -> Any:
        """The rows as a polars DataFrame."""
        return to_polars(self, self._dtypes)

    def __copy__(self) -> Release:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Release:
        # Nothing in it can be changed.
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError("a release holds the table that it was made from, so it is not pickled: save it, or pickle its transformation")

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._made.__arrow_c_stream__(requested_schema)

    def __len__(self) -> int:
        return len(self._made)

    def __repr__(self) -> str:
        return f"Release({len(self)} rows, {_told_levels(self.solution)})"

    def _repr_html_(self) -> str:
        document = self.document
        verdict = document.get("verdict") or {}
        light = {"green": "good", "yellow": "careful", "red": "bad"}.get(verdict.get("light", ""), "quiet")
        told = _html.lines([f"verdict: {verdict.get('light')}", *verdict.get("reasons", [])], light)
        return _html.page(f"Release: {len(self)} rows, verified", _summary(document), told)


def _place(path: Any, force: Any, register: Any) -> tuple[str, bool, bool]:
    return _options.path("path", path) or "", bool(_options.flag("force", force)), bool(_options.flag("register", register))


class _Made:
    """A table that was made without a search."""

    def __init__(self, made: Any) -> None:
        self._made = made

    @property
    def document(self) -> Document:
        """What the report says."""
        return Document(json.loads(self._made.document()))

    def save(
        self, path: str | os.PathLike[str], *, force: bool = False, register: bool = True, sign: str | os.PathLike[str] | None = None
    ) -> Document:
        """Write a release, verified and registered; signed with a secret key where one is given, or lies beside the job."""
        return Document(json.loads(self._made.save(*_place(path, force, register), _options.path("sign", sign))))

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._made.__arrow_c_stream__(requested_schema)

    def __len__(self) -> int:
        return len(self._made)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} rows)"


class Sliced(_Made):
    """A sliced table."""


class Noisy(_Made):
    """A noisy table."""


def _given(table: Any) -> Any:
    """What the engine takes: a release, a table, or the path of a folder."""
    if isinstance(table, Release):
        return table._made
    if isinstance(table, (str, os.PathLike)):
        return os.fspath(table)
    return frame(table)


def attack(
    release: Any = None,
    *,
    original: Table | None = None,
    external: Table | None = None,
    holdout: Table | None = None,
    population: Table | None = None,
    previous: Any = (),
    job: Job | None = None,
    quasi_identifiers: Sequence[str] | None = None,
    sensitive: Sequence[str] | None = None,
    person: Sequence[str] | None = None,
    only: Sequence[str] | None = None,
    key: str | None = None,
    similar: Mapping[str, Any] | Iterable[tuple[str, Any]] | None = None,
    protect: Mapping[str, Any] | Iterable[tuple[str, Any]] | None = None,
    noise: Mapping[str, Any] | Iterable[tuple[str, Any]] | None = None,
    sliced: Table | None = None,
    bucket: str | None = None,
    group: Sequence[Sequence[str]] | None = None,
    queries: str | os.PathLike[str] | Iterable[Iterable[int]] | None = None,
    rows: int | None = None,
    k: int | None = None,
    threshold: float | None = None,
    attempts: int | None = None,
    seed: int | None = None,
    progress: Progress | None = None,
    **unknown: NoReturn,
) -> Attacks:
    """Run the known attacks against a release, or any table whose ``quasi_identifiers`` and ``sensitive`` columns are named.

    ``only`` names attacks of ``catalogue()["attacks"]``. ``protect={"illness": "gout"}`` are values that must not be ruled out,
    ``noise={"sex": 0.8}`` the share of cells that randomized response kept, ``similar={"illness": "illness.csv"}`` hierarchies of
    secrets. ``sliced`` is a sliced table with a column ``bucket`` and its ``group`` lists, the first what the attacker knows.
    ``queries`` is a log of the rows that queries were about, as lists or a file, ``rows`` how many the table has.

    >>> import paravent
    >>> table = paravent.demo()
    >>> release = paravent.init(table, k=5).anonymize(table)
    >>> bool(attack(release, original=table, only=["linking"], attempts=20, seed=1))
    True
    """
    _options.refuse("attack", unknown)
    tables = {"original": original, "external": external, "holdout": holdout, "population": population, "sliced": sliced}
    given = {name: None if table is None else _given(table) for name, table in tables.items()}
    if sliced is not None and (bucket is None or group is None):
        raise UsageError("sliced takes bucket=COLUMN and group=[[COLUMN, …], …] as well")
    if sliced is None and (bucket is not None or group is not None):
        raise UsageError("bucket and group tell of a sliced table: give sliced=TABLE")
    if rows is not None and queries is None:
        raise UsageError("rows tells of the table behind queries: give queries as well")
    if release is None and sliced is None and queries is None:
        raise UsageError("what is attacked? Give a release or a table, sliced=TABLE, or queries")
    if isinstance(previous, (str, os.PathLike, Release)) or hasattr(previous, "__arrow_c_stream__"):
        previous = [previous]
    options = {
        "quasi_identifiers": _options.names("quasi_identifiers", quasi_identifiers),
        "sensitive": _options.names("sensitive", sensitive),
        "person": _options.names("person", person),
        "only": _options.names("only", only),
        "key": _options.text("key", key),
        "similar": _spelled("similar", similar, _options.path),
        "protect": _spelled("protect", protect, lambda name, value: _options.text(name, value)),
        "noise": _spelled("noise", noise, _options.real),
        "bucket": _options.text("bucket", bucket),
        "group": _options.lists("group", group),
        "rows": _options.whole("rows", rows),
        "k": _options.whole("k", k, 2),
        "threshold": _options.real("threshold", threshold),
        "attempts": _options.whole("attempts", attempts, 1, 1_000_000),
        "seed": _options.whole("seed", seed, 0, 2**64 - 1),
    }
    with _query_log(queries) as log, _ended(progress):
        found = _paravent.attack(
            None if release is None else _given(release),
            _options.document({**options, "queries": log}),
            None if job is None else job._text(),
            "paravent.toml" if job is None else job.file,
            previous=[_given(one) for one in previous],
            progress=progress,
            **given,
        )
    return Attacks(json.loads(found))


def _spelled(name: str, value: Any, one: Callable[[str, Any], Any]) -> list[tuple[str, Any]] | None:
    pairs = _options.pairs(name, value)
    return None if pairs is None else [(column, one(f"{name}[{column!r}]", said)) for column, said in pairs]


@contextlib.contextmanager
def _query_log(queries: Any) -> Iterator[str | None]:
    """A log of queries as a file: one line each, with the numbers of rows."""
    if queries is None or isinstance(queries, (str, os.PathLike)):
        yield _options.path("queries", queries)
        return
    if not isinstance(queries, Iterable):
        raise UsageError(f"queries takes a path, or the rows of each query, not a {type(queries).__name__}")
    lines = [" ".join(str(_options.whole("queries", row)) for row in query) for query in queries]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "queries.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.write("".join(line + "\n" for line in lines))
        yield path


def risk(
    table: Any,
    *,
    job: Job | None = None,
    population: Table | None = None,
    quasi_identifiers: Sequence[str] | None = None,
    sensitive: Sequence[str] | None = None,
    person: Sequence[str] | None = None,
    threshold: float | None = None,
    sampling_fraction: float | None = None,
    population_size: int | None = None,
    max_columns: int | None = None,
    progress: Progress | None = None,
    **unknown: NoReturn,
) -> Risk:
    """How easily people are found in a table or a release. Name ``quasi_identifiers`` (and ``sensitive``), or give a job.

    >>> import paravent
    >>> risk(paravent.demo(), quasi_identifiers=["age", "zip"]).prosecutor.highest
    1.0
    """
    _options.refuse("risk", unknown)
    if sampling_fraction is not None and population_size is not None:
        raise UsageError("sampling_fraction and population_size say the same thing: give one of them")
    options = {
        "quasi_identifiers": _options.names("quasi_identifiers", quasi_identifiers),
        "sensitive": _options.names("sensitive", sensitive),
        "person": _options.names("person", person),
        "threshold": _options.real("threshold", threshold),
        "sampling_fraction": _options.real("sampling_fraction", sampling_fraction),
        "population_size": _options.whole("population_size", population_size),
        "max_columns": _options.whole("max_columns", max_columns, 1, 255),
    }
    with _ended(progress):
        found = _paravent.risk(
            _given(table),
            _options.document(options),
            None if job is None else job._text(),
            "paravent.toml" if job is None else job.file,
            None if population is None else _given(population),
            progress,
        )
    return Risk(json.loads(found))


def utility(
    release: Any,
    original: Table,
    *,
    targets: Sequence[str] | None = None,
    job: Job | None = None,
    progress: Progress | None = None,
) -> Utility:
    """What a release (or its folder) is still good for, beside the table that it was made from: statistics, associations, predictions.

    ``targets`` are columns to predict from the others; the first sensitive one unless said.

    >>> import paravent
    >>> table = paravent.demo()
    >>> release = paravent.init(table, k=5).anonymize(table)
    >>> utility(release, table, targets=[]).released_rows == len(release)
    True
    """
    with _ended(progress):
        found = _paravent.utility(
            _given(release),
            _given(original),
            _options.names("targets", targets),
            None if job is None else job._text(),
            "paravent.toml" if job is None else job.file,
            progress,
        )
    return Utility(json.loads(found))
