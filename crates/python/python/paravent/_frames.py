"""Tables from anywhere, and back to where they came from."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from . import _paravent
from ._errors import InputOutputError, ParaventError, UsageError

if TYPE_CHECKING:
    from ._job import Job

Table = Any
"""Anything with ``__arrow_c_stream__`` (pandas, polars, pyarrow, DuckDB …), a dict of lists, or a path."""


def frame(table: Table, job: Job | None = None) -> _paravent.Frame:
    """The table as the engine reads it. With a job, a path is read as its ``[input]`` says: delimiter, missing values, spellings."""
    if isinstance(table, _paravent.Frame):
        return table
    if isinstance(table, (str, os.PathLike)):
        path = os.fspath(table)
        return _paravent.Frame.read(path) if job is None else _paravent.Frame.read(path, job._text(), job.file)
    # A lazy frame of polars is not there yet.
    if not hasattr(table, "__arrow_c_stream__") and callable(getattr(table, "collect", None)):
        table = table.collect()
    if hasattr(table, "__arrow_c_stream__"):
        try:
            return _paravent.Frame(_with_types(table))
        except (TypeError, ValueError) as error:
            if isinstance(error, ParaventError):
                raise
            raise InputOutputError(f"the table cannot be taken over as Arrow: {error}") from error
    raise UsageError(
        f"a {type(table).__name__} is no table: give something with __arrow_c_stream__ "
        "(a DataFrame of polars or pandas, a pyarrow Table, a DuckDB relation), or a path"
    )


def _with_types(table: Table) -> Table:
    """A column of polars without a type becomes text: its Arrow form has a buffer that the standard forbids."""
    if type(table).__module__.partition(".")[0] == "polars" and type(table).__name__ == "DataFrame":
        import polars

        if polars.Null in table.dtypes:
            return table.with_columns(polars.col(polars.Null).cast(polars.String))
    return table


def like(table: Table, made: Any) -> Any:
    """What was made, as the kind of table that came in; as it is where that is not known."""
    module = type(table).__module__.partition(".")[0]
    if module == "polars":
        import polars

        return polars.DataFrame(made)
    if module == "pandas":
        import pandas

        if hasattr(pandas.DataFrame, "from_arrow"):
            return pandas.DataFrame.from_arrow(made)
        import pyarrow

        return pyarrow.table(made).to_pandas()
    if module == "pyarrow":
        import pyarrow

        return pyarrow.table(made)
    return made
