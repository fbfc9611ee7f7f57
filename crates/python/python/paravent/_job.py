"""Jobs: what the columns are, what is promised, what is best."""

from __future__ import annotations

import copy
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from . import _html, _options, _paravent
from ._errors import ConfigurationError, InputOutputError, UsageError
from ._frames import Table, dtypes_of, frame
from ._progress import ended

if TYPE_CHECKING:
    from ._results import Check, Release, Solution, Transformation

Progress = Callable[[str, int, "int | None"], object]

class Attribute:
    """A column of the job. Every key of the job file is an attribute: ``role``, ``type``, ``hierarchy``, ``weight`` …

    A column that the job does not have yet is added by the first key that is set; it has no role until one is given.
    """

    def __init__(self, attributes: list[dict[str, Any]], name: str) -> None:
        found = next((one for one in attributes if one.get("name") == name), None)
        object.__setattr__(self, "_attributes", attributes)
        object.__setattr__(self, "_document", {"name": name} if found is None else found)

    def __getattr__(self, key: str) -> Any:
        if key.startswith("_"):
            raise AttributeError(key)
        return self._document.get(key)

    def __setattr__(self, key: str, value: Any) -> None:
        self[key] = value

    def __setitem__(self, key: str, value: Any) -> None:
        if not any(one is self._document for one in self._attributes):
            self._attributes.append(self._document)
        if value is None:
            self._document.pop(key, None)
        else:
            self._document[key] = value

    def __getitem__(self, key: str) -> Any:
        return self._document[key]

    def __repr__(self) -> str:
        return f"Attribute({', '.join(f'{key}={value!r}' for key, value in self._document.items())})"


class Job:
    """A job: the same as a job file, edited by attribute.

    >>> from paravent import Job, intervals, k_anonymity
    >>> job = Job()
    >>> job["age"].role = "quasi-identifier"
    >>> job["age"].hierarchy = intervals([5, 10], 0, 100)
    >>> job.promise(k_anonymity(5), suppression_limit=0.05)
    Job(1 column, k-anonymity)
    >>> "suppression_limit = 0.05" in job.toml
    True
    """

    def __init__(self, document: dict[str, Any] | None = None, *, file: str = "paravent.toml") -> None:
        #: The job file as dictionaries and lists, with the keys of the job file.
        self.document: dict[str, Any] = document if document is not None else {}
        self.document.setdefault("version", 1)
        self.document.setdefault("input", {"path": "-"})
        self.document.setdefault("attributes", [])
        self.document.setdefault("privacy", {"models": []})
        #: Where the job file is: paths in it start at its folder, and so does the register.
        self.file = file
        #: Reasons for the roles, where the job was proposed by :func:`paravent.init`.
        self.proposal: dict[str, Any] | None = None
        self._loaded: tuple[str, bytes] | None = None

    @classmethod
    def parse(cls, text: str, *, file: str = "paravent.toml") -> Job:
        """Read the text of a job file; all its problems are one :class:`~paravent.ConfigurationError`."""
        _paravent.checked_job(text, file)
        job = cls(json.loads(_paravent.parse_toml(text)), file=file)
        job._loaded = (job._written(), text.encode())
        return job

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Job:
        """Read a job file; problems have the lines of the file."""
        file = _options.path("path", path) or ""
        try:
            with open(file, "rb") as source:
                data = source.read()
        except OSError as error:
            raise InputOutputError.of_file(file, error) from error
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = data[: error.start].count(b"\n") + 1
            problem = {"file": file, "line": line, "key": None, "message": "is not UTF-8", "advice": "Save the job file as UTF-8"}
            raise ConfigurationError(f"{file}:{line}: is not UTF-8", problems=[problem]) from None
        job = cls.parse(text, file=file)
        job._loaded = (job._written(), data)
        return job

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the job file, checked and commented. Paths and the register then start at its folder."""
        file = os.fspath(path)
        text = _paravent.checked_job(self._text(), file)
        try:
            with open(file, "w", encoding="utf-8") as target:
                target.write(text)
        except OSError as error:
            raise InputOutputError.of_file(file, error) from error
        self.file = file

    @property
    def toml(self) -> str:
        """The job file, after all its keys were checked."""
        return _paravent.checked_job(self._text(), self.file)

    def _written(self) -> str:
        return _paravent.to_toml(json.dumps(_options.plain(self.document)))

    def _text(self) -> str:
        # A job that was loaded and not edited is the text of its file, with its lines.
        written = self._written()
        return self._loaded[1].decode() if self._loaded is not None and self._loaded[0] == written else written

    def _asked(self, **options: Any) -> str:
        # It is known by the digest of its file as well.
        if self._loaded is not None and self._loaded[0] == self._written():
            options["job_sha256"] = hashlib.sha256(self._loaded[1]).hexdigest()
        return _options.document(options)

    def __getitem__(self, name: str) -> Attribute:
        """The attribute of that name. If there is none, setting one of its keys adds it, without a role; looking adds nothing."""
        return Attribute(self.document["attributes"], name)

    def __setitem__(self, name: str, keys: dict[str, Any]) -> None:
        if not isinstance(keys, dict):
            raise UsageError(f"a column takes a dictionary of keys, such as {{'role': 'sensitive'}}, not a {type(keys).__name__}")
        attribute = self[name]
        attribute["name"] = name
        for key, value in keys.items():
            attribute[key] = value

    def __delitem__(self, name: str) -> None:
        self.document["attributes"][:] = [one for one in self.document["attributes"] if one.get("name") != name]

    def __contains__(self, name: object) -> bool:
        return any(attribute.get("name") == name for attribute in self.document["attributes"])

    def __iter__(self) -> Iterator[str]:
        return (attribute["name"] for attribute in self.document["attributes"])

    def __len__(self) -> int:
        return len(self.document["attributes"])

    def roles(self, **columns: str) -> Job:
        """Set roles by name: ``job.roles(age="quasi-identifier", name="identifying")``."""
        for name, role in columns.items():
            self[name].role = role
        return self

    def promise(self, *models: dict[str, Any], **privacy: Any) -> Job:
        """Promise these models instead of what was promised, and set keys of ``[privacy]``.

        >>> from paravent import Job, k_anonymity
        >>> Job().promise(k_anonymity(5)).models
        [{'model': 'k-anonymity', 'k': 5}]
        """
        for model in models:
            if not isinstance(model, dict):
                raise UsageError(f"promise takes models such as k_anonymity(5), not a {type(model).__name__}")
        if models:
            self.document["privacy"]["models"] = [dict(model) for model in models]
        self.document["privacy"].update(privacy)
        return self

    def search(self, **keys: Any) -> Job:
        """Set keys of ``[search]``: ``metric``, ``algorithm``, ``threads``, ``seconds``, ``recoding`` …"""
        self.document.setdefault("search", {}).update(keys)
        return self

    def output(self, **keys: Any) -> Job:
        """Set keys of ``[output]``: ``format``, ``order``, ``register`` …"""
        self.document.setdefault("output", {}).update(keys)
        return self

    @property
    def models(self) -> list[dict[str, Any]]:
        """What is promised."""
        return list(self.document["privacy"].get("models", []))

    def copy(self) -> Job:
        """The same job, to be changed apart."""
        job = Job(copy.deepcopy(self.document), file=self.file)
        job.proposal, job._loaded = self.proposal, self._loaded
        return job

    def labels(self, column: str, values: list[Any]) -> list[list[str | None]]:
        """What values look like on every level of a column's hierarchy.

        >>> from paravent import Job, k_anonymity, redact
        >>> job = Job().promise(k_anonymity(2))
        >>> job["zip"] = {"role": "quasi-identifier", "hierarchy": redact("right")}
        >>> job.labels("zip", ["81667", "81675"])[2]
        ['816**', '816**']
        """
        texts = [None if value is None else str(value) for value in values]
        return _paravent.labels(self._text(), self.file, column, texts)

    def check(self, table: Table, *, show_values: bool = False, progress: Progress | None = None) -> Check:
        """Which promises does the table keep as it is?

        >>> import paravent
        >>> table = paravent.demo()
        >>> bool(paravent.init(table, k=5).check(table))
        False
        """
        from ._results import Check

        came, quoted = frame(table, self), bool(_options.flag("show_values", show_values))
        with ended(progress):
            return Check(json.loads(_paravent.check(came, self._text(), self.file, quoted, progress)))

    def anonymize(
        self,
        table: Table,
        *,
        apply: Release | Transformation | str | os.PathLike[str] | None = None,
        node: Mapping[str, int] | None = None,
        pick: int | None = None,
        show_values: bool = False,
        sign: str | os.PathLike[str] | None = None,
        progress: Progress | None = None,
    ) -> Release:
        """The best release that keeps the promises, verified; raises :class:`~paravent.Infeasible` where there is none.

        ``apply`` repeats the transformation of another release (or its path) instead of searching.
        ``node={"age": 2}`` settles levels; columns that are not named get their best.
        ``pick=2`` takes the second alternative of :meth:`dry_run`.

        >>> import paravent
        >>> table = paravent.demo()
        >>> bool(paravent.init(table, k=5).anonymize(table).verification)
        True
        """
        from ._results import Release, Transformation

        if sum(one is not None for one in (apply, node, pick)) > 1:
            raise UsageError("apply, node and pick each say what to release: give one of them")
        transform: dict[str, Any] = {}
        if isinstance(apply, (str, os.PathLike)):
            transform["apply_path"] = os.fspath(apply)
        elif apply is not None:
            if isinstance(apply, Release):
                apply = apply.transformation
            if not isinstance(apply, Transformation):
                raise UsageError("apply takes a release, a transformation, or the path of one")
            transform["apply"] = json.dumps(apply.document)
        came = frame(table, self)
        if pick is not None:
            node = self._picked(came, pick, progress)
        quoted, key = _options.flag("show_values", show_values), _options.path("sign", sign)
        options = self._asked(show_values=quoted, sign=key, node=_levels(node), **transform)
        with ended(progress):
            made = _paravent.anonymize(came, self._text(), self.file, options, progress)
        return Release(made, self.copy(), came, dtypes_of(table))

    def _picked(self, came: _paravent.Frame, pick: int, progress: Progress | None) -> dict[str, int]:
        number = _options.whole("pick", pick, 1) or 1
        found = self.dry_run(came, progress=progress).alternatives
        if number > len(found):
            raise UsageError(f"pick: there are {len(found)} alternatives, counted from 1; dry_run(table).alternatives lists them")
        return dict(found[number - 1]["transformation"])

    def dry_run(
        self,
        table: Table,
        *,
        node: Mapping[str, int] | None = None,
        lattice: bool = False,
        show_values: bool = False,
        progress: Progress | None = None,
    ) -> Solution:
        """The solution and its alternatives; nothing is released.

        ``lattice=True`` judges every node as well: ``solution.lattice``.

        >>> import paravent
        >>> table = paravent.demo()
        >>> sorted(paravent.init(table, k=5).dry_run(table).transformation)[:2]
        ['admission_date', 'age']
        """
        from ._results import Solution

        quoted, explore = _options.flag("show_values", show_values), _options.flag("lattice", lattice)
        options = self._asked(show_values=quoted, node=_levels(node), lattice=explore)
        with ended(progress):
            return Solution(json.loads(_paravent.dry_run(frame(table, self), self._text(), self.file, options, progress)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Job) and self.document == other.document

    def __repr__(self) -> str:
        count = len(self)
        promised = ", ".join(str(model.get("model")) for model in self.models) or "nothing promised"
        return f"Job({count} column{'' if count == 1 else 's'}, {promised})"

    def _repr_html_(self) -> str:
        reasons = {one["name"]: one["reason"] for one in (self.proposal or {}).get("columns", [])}
        rows = [
            (one.get("name"), one.get("role"), one.get("type", ""), json.dumps(one.get("hierarchy", "")), reasons.get(one.get("name"), ""))
            for one in self.document["attributes"]
        ]
        promised = _html.table(["promise", "parameters"], [(m.get("model"), {k: v for k, v in m.items() if k != "model"}) for m in self.models])
        notes = _html.lines((self.proposal or {}).get("notes", []), "quiet")
        return _html.page("Job", _html.table(["column", "role", "type", "hierarchy", "because"], rows), promised, notes)


def _levels(node: Mapping[str, int] | None) -> list[tuple[str, int]] | None:
    if node is None:
        return None
    if not isinstance(node, Mapping):
        raise UsageError(f"node takes levels by column, such as {{'age': 2}}, not a {type(node).__name__}")
    return [(str(name), _options.whole(f"node[{name!r}]", level, 0, 255) or 0) for name, level in node.items()]


def init(table: Table, k: int | None = None, *, for_: str = "general", progress: Progress | None = None) -> Job:
    """Propose a job for a table, with a reason for every column.

    ``for_`` is what the release is for: ``"general"``, ``"health"``, ``"research"`` or ``"open-data"``.
    ``k`` is at least 2; 5 unless said, 20 for open data.

    >>> import paravent
    >>> job = paravent.init(paravent.demo(), k=5)
    >>> job["age"].role
    'quasi-identifier'
    """
    least = _options.whole("k", k, 2, 2**32 - 1)
    purpose = _options.text("for_", for_) or "general"
    with ended(progress):
        text, proposal = _paravent.propose(frame(table), least, purpose, progress)
    job = Job(json.loads(_paravent.parse_toml(text)))
    job.proposal = json.loads(proposal)
    return job
