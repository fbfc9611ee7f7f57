"""Jobs: what the columns are, what is promised, what is best."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from typing import Any

from . import _html, _paravent
from ._errors import UsageError
from ._frames import Table, frame

Progress = Callable[[str, int, "int | None"], object]

_COLUMN_KEYS = "role type hierarchy min_level max_level weight order release noise missing recoding most_levels"


class Attribute:
    """A column of the job. Every key of the job file is an attribute: ``role``, ``type``, ``hierarchy``, ``weight`` …"""

    def __init__(self, document: dict[str, Any]) -> None:
        object.__setattr__(self, "_document", document)

    def __getattr__(self, key: str) -> Any:
        if key.startswith("_"):
            raise AttributeError(key)
        return self._document.get(key)

    def __setattr__(self, key: str, value: Any) -> None:
        self[key] = value

    def __setitem__(self, key: str, value: Any) -> None:
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
        return cls(json.loads(_paravent.parse_toml(text)), file=file)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Job:
        """Read a job file."""
        file = os.fspath(path)
        with open(file, "rb") as source:
            data = source.read()
        job = cls.parse(data.decode("utf-8"), file=file)
        job._loaded = (job._text(), data)
        return job

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the job file, checked and commented. Paths and the register then start at its folder."""
        file = os.fspath(path)
        text = _paravent.checked_job(self._text(), file)
        with open(file, "w", encoding="utf-8") as target:
            target.write(text)
        self.file = file

    @property
    def toml(self) -> str:
        """The job file, after all its keys were checked."""
        return _paravent.checked_job(self._text(), self.file)

    def _text(self) -> str:
        return _paravent.to_toml(json.dumps(self.document))

    def _options(self, **options: Any) -> str:
        # A job that was loaded and not edited is known by the digest of its file.
        if self._loaded is not None and self._loaded[0] == self._text():
            options["job_sha256"] = hashlib.sha256(self._loaded[1]).hexdigest()
        return json.dumps({key: value for key, value in options.items() if value is not None})

    def __getitem__(self, name: str) -> Attribute:
        """The attribute of that name; a new one, which still needs a role, if there is none."""
        for attribute in self.document["attributes"]:
            if attribute.get("name") == name:
                return Attribute(attribute)
        self.document["attributes"].append({"name": name, "role": "insensitive"})
        return Attribute(self.document["attributes"][-1])

    def __setitem__(self, name: str, keys: dict[str, Any]) -> None:
        attribute = self[name]
        for key, value in keys.items():
            attribute[key] = value

    def __delitem__(self, name: str) -> None:
        self.document["attributes"] = [one for one in self.document["attributes"] if one.get("name") != name]

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
        """Promise these models instead of what was promised, and set keys of ``[privacy]``."""
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
        job = Job(json.loads(json.dumps(self.document)), file=self.file)
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

    def check(self, table: Table, *, show_values: bool = False, progress: Progress | None = None) -> Any:
        """Which promises does the table keep as it is?"""
        from ._results import Check

        return Check(json.loads(_paravent.check(frame(table, self), self._text(), self.file, show_values, progress)))

    def anonymize(
        self,
        table: Table,
        *,
        apply: Any = None,
        show_values: bool = False,
        sign: str | None = None,
        progress: Progress | None = None,
    ) -> Any:
        """The best release that keeps the promises, verified; raises :class:`~paravent.Infeasible` where there is none.

        ``apply`` repeats the transformation of another release (or its path) instead of searching.
        """
        from ._results import Release, Transformation

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
        options = self._options(show_values=show_values, sign=sign, **transform)
        made = _paravent.anonymize(came, self._text(), self.file, options, progress)
        return Release(made, self.copy(), came)

    def dry_run(self, table: Table, *, show_values: bool = False, progress: Progress | None = None) -> Any:
        """The solution and its alternatives; nothing is released."""
        from ._results import Solution

        options = self._options(show_values=show_values)
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


def init(table: Table, k: int = 5, *, progress: Progress | None = None) -> Job:
    """Propose a job for a table, with a reason for every column.

    >>> import paravent
    >>> job = paravent.init(paravent.demo(), k=5)
    >>> job["age"].role
    'quasi-identifier'
    """
    text, proposal = _paravent.propose(frame(table), k, progress)
    job = Job(json.loads(_paravent.parse_toml(text)))
    job.proposal = json.loads(proposal)
    return job
