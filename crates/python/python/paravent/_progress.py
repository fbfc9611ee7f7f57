"""Telling how far a run has come."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Any, TextIO


class bar:
    """A line that is written over, and ended when the run ends: ``job.anonymize(table, progress=paravent.bar())``.

    >>> import io
    >>> stream = io.StringIO()
    >>> told = bar(stream)
    >>> told("searching", 1, 4)
    >>> told.close()
    >>> stream.getvalue()
    '\\rsearching 25 %\\n'
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._out = sys.stderr if stream is None else stream
        self._last = ""

    def __call__(self, phase: str, done: int, total: int | None) -> None:
        share = f" {100 * done // total} %" if total else (f" {done:,}" if done else "")
        line = f"{phase}{share}"
        self._out.write("\r" + line.ljust(len(self._last)))
        self._out.flush()
        self._last = line

    def close(self) -> None:
        """End the line. Runs do it themselves, however they end."""
        if self._last:
            self._out.write("\n")
            self._out.flush()
        self._last = ""


@contextlib.contextmanager
def ended(progress: Any) -> Iterator[None]:
    """Ends the line of a bar when the run has ended, however it did."""
    try:
        yield
    finally:
        if isinstance(progress, bar):
            progress.close()
