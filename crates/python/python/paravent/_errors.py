"""What goes wrong, with the fields of the command line's JSON."""

from __future__ import annotations

import json
import re
from typing import Any


class ParaventError(Exception):
    """Something went wrong. ``kind`` and ``message`` are those of ``--json``; messages never show a cell."""

    kind: str = "error"

    def __init__(self, message: str, **fields: Any) -> None:
        super().__init__(message)
        self.message = message
        self.fields = fields

    def __reduce__(self) -> tuple[Any, ...]:
        return (_again, (type(self), self.message, self.fields))


def _again(kind: type[ParaventError], message: str, fields: dict[str, Any]) -> ParaventError:
    return kind(message, **fields)


class ConfigurationError(ParaventError, ValueError):
    """The job does not fit: ``problems`` has file, line, key, message and advice of each problem."""

    kind = "configuration"

    @property
    def problems(self) -> list[dict[str, Any]]:
        return list(self.fields.get("problems", []))


class UsageError(ParaventError, ValueError):
    """Something was asked for in a wrong way."""

    kind = "usage"


class Infeasible(ParaventError):
    """No transformation keeps the promises. ``relaxations`` has single changes that would each work."""

    kind = "infeasible"

    @property
    def relaxations(self) -> list[dict[str, Any]]:
        """Changes with ``key``, ``from``, ``to`` and ``advice``."""
        return list(self.fields.get("relaxations", []))

    @property
    def complete(self) -> bool:
        """Whether everything was looked at."""
        return bool(self.fields.get("complete", True))

    def __str__(self) -> str:
        advice = "".join(f"\n  - {change['advice']}" for change in self.relaxations)
        return self.message + (f". Each of these changes alone makes it possible:{advice}" if advice else "")


class Refuted(ParaventError):
    """The verifier refused what was made: a bug of Paravent. Nothing was released."""

    kind = "refuted"

    @property
    def verification(self) -> dict[str, Any]:
        return dict(self.fields.get("verification", {}))


class NotKept(ParaventError):
    """A slicing or noise that does not keep what it must."""

    kind = "not-kept"


class InputOutputError(ParaventError, OSError):
    """A table or a file cannot be read or written."""

    kind = "input-output"

    def __str__(self) -> str:
        return self.message

    @staticmethod
    def of_file(path: str, error: OSError) -> InputOutputError:
        """What Python says of a file; a :class:`FileNotFoundError` as well where it is not there."""
        kind = NotFound if isinstance(error, FileNotFoundError) else InputOutputError
        return kind(f"{path}: {(error.strerror or type(error).__name__).lower()}")


class NotFound(InputOutputError, FileNotFoundError):
    """A file that is not there."""


class Stopped(ParaventError):
    """Somebody asked to stop."""

    kind = "stopped"


class InternalError(ParaventError, RuntimeError):
    """A bug of Paravent; please report it."""

    kind = "internal"


class ParaventWarning(UserWarning):
    """Something that the user should know, such as a column that is left out."""


_KINDS: dict[str, type[ParaventError]] = {
    kind.kind: kind
    for kind in (ConfigurationError, UsageError, Infeasible, Refuted, NotKept, InputOutputError, Stopped, InternalError)
}


def from_document(text: str) -> ParaventError:
    """The exception that a JSON document describes."""
    document = json.loads(text)
    kind = _KINDS.get(document.pop("kind", ""), ParaventError)
    return kind(_in_keywords(document.pop("message", "")), **document)


def _in_keywords(message: str) -> str:
    """Options of the command line as keywords: ``--k K`` is ``k=K`` here."""
    return re.sub(r"--([a-z][a-z-]*)(?: ([A-Z][A-Z,]*)\b)?", lambda one: one[1].replace("-", "_") + (f"={one[2]}" if one[2] else ""), message)
