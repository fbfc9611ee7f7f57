"""Tables from anywhere, and back to where they came from."""

from __future__ import annotations

import datetime
import os
from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from . import _paravent
from ._errors import InputOutputError, ParaventError, UsageError

if TYPE_CHECKING:
    from ._job import Job

Table = Any
"""Anything with ``__arrow_c_stream__`` (pandas, polars, pyarrow, DuckDB …), a dictionary of lists, or a path."""


class _NoTable(UsageError, TypeError):
    """Something that is no table."""


def frame(table: Table, job: Job | None = None) -> _paravent.Frame:
    """The table as the engine reads it. With a job, a path is read as its ``[input]`` says: delimiter, missing values, spellings.

    >>> frame({"age": [31, 44], "sex": ["f", None]}).columns
    ['age', 'sex']
    """
    if isinstance(table, _paravent.Frame):
        return table
    if isinstance(table, (str, os.PathLike)):
        path = os.fspath(table)
        return _paravent.Frame.read(path) if job is None else _paravent.Frame.read(path, job._text(), job.file)
    if isinstance(table, Mapping):
        return _of_lists(table)
    # A lazy frame of polars is not there yet.
    if not hasattr(table, "__arrow_c_stream__") and callable(getattr(table, "collect", None)):
        _check_names(getattr(table, "collect_schema", dict)())
        table = table.collect()
    if _is_column(table):
        raise _NoTable(f"a {type(table).__name__} is no table but one column: give a table with it, such as series.to_frame()")
    if hasattr(table, "__arrow_c_stream__"):
        _check_names(getattr(table, "columns", ()))
        try:
            return _paravent.Frame(_with_types(table))
        except ImportError as error:
            raise UsageError(f"{_module(table)} needs pyarrow to hand its tables over ({error}): pip install pyarrow, or use polars") from error
        except (TypeError, ValueError) as error:
            if isinstance(error, ParaventError):
                raise
            raise InputOutputError(f"the table cannot be taken over as Arrow: {error}") from error
    if _module(table) == "pandas":
        raise UsageError("this version of pandas cannot hand its tables over as Arrow: pandas from 2.2 on with pyarrow can, and so can polars")
    raise _NoTable(
        f"a {type(table).__name__} is no table: give something with __arrow_c_stream__ "
        "(a DataFrame of polars or pandas, a pyarrow Table, a DuckDB relation), a dictionary of lists, or a path"
    )


def _module(table: Any) -> str:
    return type(table).__module__.partition(".")[0]


def _is_column(table: Any) -> bool:
    return type(table).__name__ in ("Series", "Index", "ChunkedArray") and _module(table) in ("pandas", "polars", "pyarrow")


def _check_names(columns: Any) -> None:
    """Arrow's names end at a NUL; polars would end the whole process."""
    for name in columns:
        if isinstance(name, str) and "\0" in name:
            raise UsageError("the name of a column holds a NUL character; rename it")


def _of_lists(columns: Mapping[Any, Any]) -> _paravent.Frame:
    """A dictionary of lists: whole numbers, numbers, truth values or text by column."""
    _check_names(columns)
    made = []
    for name, cells in columns.items():
        if not isinstance(name, str):
            raise _NoTable(f"a dictionary is a table by names of columns, not by a {type(name).__name__}")
        if isinstance(cells, (str, bytes, Mapping)) or not hasattr(cells, "__iter__"):
            raise _NoTable(f"this dictionary is no table: every column is a list, and {name!r} is a {type(cells).__name__}")
        made.append((name, *_cells(name, list(cells))))
    if len({len(cells) for _, _, cells in made}) > 1:
        raise UsageError("the lists of a table are equally long")
    return _paravent.Frame.of_lists(made)


def _cells(name: str, cells: list[Any]) -> tuple[str, list[Any]]:
    cells = [cell.item() if type(cell).__module__ == "numpy" and hasattr(cell, "item") else cell for cell in cells]
    kinds = {type(cell) for cell in cells if cell is not None}
    if kinds == {bool}:
        return "bool", cells
    if kinds == {int} and all(cell is None or -(2**63) <= cell < 2**63 for cell in cells):
        return "int", cells
    if kinds and kinds <= {int, float}:
        return "float", [None if cell is None else float(cell) for cell in cells]
    return "text", [_text(name, cell) for cell in cells]


def _text(name: str, cell: Any) -> str | None:
    if cell is None or isinstance(cell, str):
        return cell
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, (int, float, Decimal)):
        return str(cell)
    if isinstance(cell, (datetime.date, datetime.datetime)):
        return cell.isoformat()
    raise UsageError(f"column {name!r} of the dictionary holds a {type(cell).__name__}; give text, numbers, truth values, days or None")


def _with_types(table: Table) -> Table:
    """A column of polars without a type becomes text: its Arrow form has a buffer that the standard forbids."""
    if _module(table) == "polars" and type(table).__name__ == "DataFrame":
        import polars

        if polars.Null in table.dtypes:
            return table.with_columns(polars.col(polars.Null).cast(polars.String))
    return table


def like(table: Table, made: Any) -> Any:
    """What was made, as the kind of table that came in; as it is where that is not known."""
    module = _module(table)
    if module in ("polars", "pandas"):
        return as_kind(module, made, dtypes_of(table))
    if module == "pyarrow":
        import pyarrow

        return pyarrow.table(made)
    return made


def as_kind(kind: str, made: Any, dtypes: dict[str, Any]) -> Any:
    """What was made, as a DataFrame of pandas or polars."""
    return to_polars(made, dtypes) if kind == "polars" else to_pandas(made, dtypes)


def dtypes_of(table: Table) -> dict[str, Any]:
    """The types of the columns of a DataFrame of pandas or polars, by name."""
    if _module(table) == "polars" and hasattr(table, "collect_schema"):
        return dict(table.collect_schema())
    if _module(table) != "pandas" or not hasattr(table, "dtypes") or _is_column(table):
        return {}
    return {name: dtype for name, dtype in zip(table.columns, table.dtypes, strict=True) if isinstance(name, str)}


def to_polars(made: Any, dtypes: dict[str, Any]) -> Any:
    """A DataFrame of polars. An Enum is one again, of the values that are there."""
    import polars

    out = polars.DataFrame(made)
    for name, came in dtypes.items():
        if name in out.columns and isinstance(came, polars.Enum):
            present = set(out[name].cast(polars.String).drop_nulls().unique().to_list())
            values = [value for value in came.categories.to_list() if value in present]
            # Labels of a hierarchy are no values of it.
            if len(values) == len(present):
                out = out.with_columns(polars.col(name).cast(polars.String).cast(polars.Enum(values)))
    return out


def to_pandas(made: Any, dtypes: dict[str, Any]) -> Any:
    """A DataFrame of pandas that loses no value: whole numbers and truth values stay what they are beside missing ones."""
    import pandas

    try:
        import pyarrow
    except ImportError as error:
        raise UsageError("pandas needs pyarrow to take a table over: pip install pyarrow, or use to_polars()") from error
    arrow = pyarrow.table(made)
    columns = [_series(pandas, pyarrow, column, dtypes.get(name)) for name, column in zip(arrow.column_names, arrow.columns, strict=True)]
    out = pandas.concat(columns, axis=1) if columns else arrow.to_pandas()
    out.columns = arrow.column_names
    return out


def _series(pandas: Any, pyarrow: Any, column: Any, came: Any) -> Any:
    types = pyarrow.types
    whole, truth = types.is_integer(column.type), types.is_boolean(column.type)
    if isinstance(came, pandas.api.extensions.ExtensionDtype) and hasattr(came, "__from_arrow__") and _holds(pandas, types, came, column.type):
        return pandas.Series(came.__from_arrow__(column))
    if isinstance(came, pandas.CategoricalDtype) and came.ordered:
        values = column.to_pandas()
        present = set(values.dropna().unique())
        known = [value for value in came.categories if value in present]
        # In their order, and only those that are there: others would tell of rows that are not.
        return values.astype(pandas.CategoricalDtype(known, ordered=True)) if len(known) == len(present) else values
    if whole and column.null_count:
        name = ("UInt" if types.is_unsigned_integer(column.type) else "Int") + str(column.type.bit_width)
        return pandas.Series(pandas.api.types.pandas_dtype(name).__from_arrow__(column))
    if truth and column.null_count:
        return pandas.Series(pandas.BooleanDtype().__from_arrow__(column))
    return column.to_pandas()


def _holds(pandas: Any, types: Any, came: Any, kind: Any) -> bool:
    """Whether cells of an Arrow type are still of the type that came in."""
    if isinstance(came, pandas.ArrowDtype):
        return bool(came.pyarrow_dtype == kind)
    if isinstance(came, pandas.BooleanDtype):
        return bool(types.is_boolean(kind))
    if isinstance(came, pandas.StringDtype):
        return bool(types.is_string(kind) or types.is_large_string(kind))
    numeric = getattr(came, "numpy_dtype", None)
    if numeric is None:
        return False
    return bool((types.is_integer(kind) and numeric.kind in "iu") or (types.is_floating(kind) and numeric.kind == "f"))
