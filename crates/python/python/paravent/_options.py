"""What is asked for by keyword: of the right type, or refused by name. Nothing is ignored."""

from __future__ import annotations

import datetime
import json
import math
import os
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any, NoReturn

from ._errors import UsageError

Exact = str | int | float | Decimal
"""A number that is taken exactly as it is written: ``"0.1"``, ``0.1``, ``Decimal("0.1")``."""


def refuse(function: str, unknown: Mapping[str, Any]) -> None:
    """A keyword that a function does not know would otherwise be a wish that nobody hears."""
    if unknown:
        raise UsageError(f"{function}() takes no keyword {next(iter(unknown))!r}")


def _wrong(name: str, value: Any, wanted: str) -> NoReturn:
    # The type is told, never the value: it could be a cell.
    raise UsageError(f"{name} takes {wanted}, not a {type(value).__name__}")


def whole(name: str, value: Any, least: int = 0, most: int = 2**63 - 1) -> int | None:
    """A whole number within bounds."""
    if value is None:
        return None
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        _wrong(name, value, "a whole number")
    number = value.__index__()
    if not least <= number <= most:
        raise UsageError(f"{name} takes a whole number from {least} to {most}")
    return int(number)


def exact(name: str, value: Any) -> str | None:
    """A decimal, by the digits that it is written with."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        _wrong(name, value, "a number")
    if isinstance(value, Decimal):
        return _finite(name, float(value), format(value, "f"))
    if hasattr(value, "__index__"):
        return str(value.__index__())
    if isinstance(value, float):
        return _finite(name, value, format(Decimal(repr(float(value))), "f"))
    # A single-precision number of numpy is written with its own digits.
    if hasattr(value, "__float__") and type(value).__module__ == "numpy":
        return _finite(name, float(value), format(Decimal(str(value)), "f"))
    _wrong(name, value, "a number or its digits")


def _finite(name: str, value: float, text: str) -> str:
    if not math.isfinite(value):
        raise UsageError(f"{name} takes a finite number")
    return text


def real(name: str, value: Any) -> float | None:
    """A number."""
    text = exact(name, value)
    if text is None:
        return None
    try:
        return _in_bounds(name, float(text))
    except ValueError:
        _wrong(name, value, "a number")


def _in_bounds(name: str, value: float) -> float:
    if not math.isfinite(value):
        raise UsageError(f"{name} takes a finite number")
    return value


def flag(name: str, value: Any) -> bool | None:
    """Yes or no."""
    if value is None or isinstance(value, bool):
        return value
    _wrong(name, value, "True or False")


def text(name: str, value: Any) -> str | None:
    """A text."""
    if value is None or isinstance(value, str):
        return value
    _wrong(name, value, "a text")


def path(name: str, value: Any) -> str | None:
    """A path."""
    if value is None:
        return None
    if isinstance(value, (str, os.PathLike)):
        found = os.fspath(value)
        if isinstance(found, str):
            return found
    _wrong(name, value, "a path")


def names(name: str, value: Any) -> list[str] | None:
    """Names; one alone is a list of one."""
    if value is None:
        return None
    if isinstance(value, str):
        return [value]
    if not isinstance(value, Iterable) or isinstance(value, Mapping):
        _wrong(name, value, "a list of names")
    found = list(value)
    for one in found:
        if not isinstance(one, str):
            raise UsageError(f"{name} takes a list of names; one of them is a {type(one).__name__}")
    return found


def lists(name: str, value: Any) -> list[list[str]] | None:
    """Lists of names."""
    if value is None:
        return None
    if isinstance(value, (str, Mapping)) or not isinstance(value, Iterable):
        _wrong(name, value, "a list of lists of names")
    found = []
    for one in value:
        if isinstance(one, str):
            raise UsageError(f"{name} takes a list of lists of names, such as [['age', 'sex'], ['illness']]")
        found.append(names(name, one) or [])
    return found


def pairs(name: str, value: Any) -> list[tuple[str, Any]] | None:
    """By column: a dictionary, or pairs. A column may be there several times: ``{"illness": ["flu", "gout"]}``."""
    if value is None:
        return None
    if isinstance(value, Mapping):
        value = [(key, one) for key, held in value.items() for one in (held if isinstance(held, (list, tuple)) else [held])]
    if isinstance(value, str) or not isinstance(value, Iterable):
        _wrong(name, value, "a dictionary by column, or pairs")
    found = []
    for pair in value:
        if not isinstance(pair, (list, tuple)) or len(pair) != 2 or not isinstance(pair[0], str):
            raise UsageError(f"{name} takes a dictionary by column, or pairs of a column and what is said of it")
        found.append((pair[0], pair[1]))
    return found


def document(options: Mapping[str, Any]) -> str:
    """What was given, for the engine."""
    return json.dumps({key: value for key, value in options.items() if value is not None}, allow_nan=False)


def plain(value: Any, place: str = "the job") -> Any:
    """A value of a job as JSON has it: numbers of numpy, decimals, days and paths are welcome; a key without a value is not there."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(item, f"{place}.{key}" if place != "the job" else str(key)) for key, item in value.items() if item is not None}
    if isinstance(value, (list, tuple)):
        return [plain(item, place) for item in value]
    if isinstance(value, Decimal):
        number = float(value) if value.is_finite() else math.nan
        if not math.isfinite(number) or Decimal(repr(number)) != value:
            raise UsageError(f"{place}: this decimal is no number of a job file; write it as a float")
        return int(value) if value == value.to_integral_value() and "." not in str(value) else number
    if hasattr(value, "__index__"):
        return int(value.__index__())
    if isinstance(value, float):
        if not math.isfinite(value):
            raise UsageError(f"{place}: a job file has no such number as {value}")
        return float(value)
    if isinstance(value, (datetime.date, datetime.datetime)):
        return value.isoformat()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    # Scalars of numpy.
    if type(value).__module__ == "numpy" and hasattr(value, "item"):
        return plain(float(str(value)) if hasattr(value, "__float__") else value.item(), place)
    # Arrays, series and the like.
    if hasattr(value, "tolist"):
        return plain(value.tolist(), place)
    if hasattr(value, "to_list"):
        return plain(value.to_list(), place)
    raise UsageError(f"{place}: a {type(value).__name__} is nothing that a job file can say")
