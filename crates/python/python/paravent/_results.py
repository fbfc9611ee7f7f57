"""What comes out: releases, solutions, risk, attacks, verdicts."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Sequence
from typing import Any

from . import _html, _paravent
from ._errors import ParaventWarning
from ._frames import Table, frame
from ._job import Job, Progress


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


class Attacks(Document):
    """How far the known attacks got: ``holds``, ``attacks``, ``not_run``."""

    def __bool__(self) -> bool:
        return bool(self["holds"])

    @property
    def verdicts(self) -> dict[str, str]:
        """By attack: ``covered``, ``nothing found``, ``residual``, ``not compared`` or ``broken`` (the worst of several)."""
        worst = ["nothing-found", "covered", "residual", "not-compared", "broken"]
        found: dict[str, str] = {}
        for outcome in self["attacks"]:
            name, severity = outcome["attack"], outcome["severity"]
            rank = worst.index(severity) if severity in worst else len(worst)
            if name not in found or (found[name] in worst and rank > worst.index(found[name])):
                found[name] = severity
        return found

    def _repr_html_(self) -> str:
        colours = {"broken": "bad", "not-compared": "bad", "residual": "careful"}
        rows = [(o["attack"], o.get("subject"), _html.Mark(o["severity"], colours.get(o["severity"], "good")), o["result"]) for o in self["attacks"]]
        missing = _html.lines((f"{one['attack']} needs {one['needs']}" for one in self["not_run"]), "quiet")
        return _html.page("Attacks", _html.table(["attack", "on", "verdict", "result"], rows), missing)


class Utility(Document):
    """What a release is still good for: ``numbers``, ``labels``, ``pairs``, ``learned``, and who was left out (``suppressed``)."""

    def _repr_html_(self) -> str:
        def shown(moments: dict[str, Any]) -> str:
            return f"{moments['mean']:.4g} ± {moments['deviation']:.4g}, median {moments['quantiles'][2]:.4g}"

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

    @property
    def transformation(self) -> dict[str, int]:
        """The level of every quasi-identifier."""
        return dict(self.document["solution"]["transformation"])

    def __repr__(self) -> str:
        return f"Solution({self.transformation})"

    def _repr_html_(self) -> str:
        others = _html.table(["alternative", "loss", "suppressed rows"], [(a["transformation"], a["loss"], a["suppressed_rows"]) for a in self.alternatives])
        return _html.page("Solution", _summary(self.document), others)


def _summary(document: dict[str, Any]) -> str:
    solution = document["solution"]
    facts = _html.table(
        ["levels", document["solution"]["metric"], "suppressed rows", "classes", "smallest class", "optimal"],
        [(solution.get("transformation") or solution.get("levels"), solution["loss"], solution["suppressed_rows"], solution["classes"], solution["smallest_class"], document["search"]["optimal"])],
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
        made: Release = self._job.anonymize(table, apply=self, progress=progress)
        return made

    def __repr__(self) -> str:
        return f"Transformation({self.levels})"


class Release:
    """A verified release in memory. ``polars.DataFrame(release)``, ``pyarrow.table(release)`` or DuckDB's ``FROM release`` read its rows."""

    def __init__(self, made: _paravent.Release, job: Job, came: _paravent.Frame) -> None:
        self._made = made
        self._came = came
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
        return Verification(json.loads(self._made.verify(key)))

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
        return Document(json.loads(self._made.save(os.fspath(path), force, register)))

    def to_pandas(self) -> Any:
        """The rows as a pandas DataFrame."""
        import pandas

        if hasattr(pandas.DataFrame, "from_arrow"):
            return pandas.DataFrame.from_arrow(self)
        import pyarrow

        return pyarrow.table(self).to_pandas()

    def to_polars(self) -> Any:
        """The rows as a polars DataFrame."""
        import polars

        return polars.DataFrame(self)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._made.__arrow_c_stream__(requested_schema)

    def __len__(self) -> int:
        return len(self._made)

    def __repr__(self) -> str:
        return f"Release({len(self)} rows, {self.solution.get('transformation')})"

    def _repr_html_(self) -> str:
        document = self.document
        verdict = document.get("verdict") or {}
        light = {"green": "good", "yellow": "careful", "red": "bad"}.get(verdict.get("light", ""), "quiet")
        told = _html.lines([f"verdict: {verdict.get('light')}", *verdict.get("reasons", [])], light)
        return _html.page(f"Release: {len(self)} rows, verified", _summary(document), told)


class _Made:
    """A table that was made without a search."""

    def __init__(self, made: Any) -> None:
        self._made = made

    @property
    def document(self) -> Document:
        """What the report says."""
        return Document(json.loads(self._made.document()))

    def save(self, path: str | os.PathLike[str], *, force: bool = False, register: bool = True) -> Document:
        """Write a release, verified and registered."""
        return Document(json.loads(self._made.save(os.fspath(path), force, register)))

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


def _options(options: dict[str, Any]) -> str:
    return json.dumps({key: value for key, value in options.items() if value is not None})


def attack(
    release: Any,
    *,
    original: Table | None = None,
    external: Table | None = None,
    holdout: Table | None = None,
    population: Table | None = None,
    previous: Any = (),
    job: Job | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Attacks:
    """Run the known attacks against a release, or any table whose ``quasi_identifiers`` and ``sensitive`` columns are named."""
    tables = {"original": original, "external": external, "holdout": holdout, "population": population}
    given = {name: None if table is None else _given(table) for name, table in tables.items()}
    found = _paravent.attack(
        _given(release),
        _options(options),
        None if job is None else job._text(),
        "paravent.toml" if job is None else job.file,
        previous=[_given(one) for one in previous],
        progress=progress,
        **given,
    )
    return Attacks(json.loads(found))


def risk(
    table: Any, *, job: Job | None = None, population: Table | None = None, progress: Progress | None = None, **options: Any
) -> Risk:
    """How easily people are found in a table or a release. Name ``quasi_identifiers`` (and ``sensitive``), or give a job."""
    found = _paravent.risk(
        _given(table),
        _options(options),
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
    """
    found = _paravent.utility(
        _given(release),
        _given(original),
        None if targets is None else list(targets),
        None if job is None else job._text(),
        "paravent.toml" if job is None else job.file,
        progress,
    )
    return Utility(json.loads(found))
