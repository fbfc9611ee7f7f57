"""Telling how far a run has come."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TextIO


def bar(stream: TextIO | None = None) -> Callable[[str, int, int | None], None]:
    """A line that is written over: ``job.anonymize(table, progress=paravent.bar())``."""
    out = sys.stderr if stream is None else stream
    last = ""

    def tell(phase: str, done: int, total: int | None) -> None:
        nonlocal last
        share = f" {100 * done // total} %" if total else (f" {done:,}" if done else "")
        line = f"{phase}{share}"
        out.write("\r" + line.ljust(len(last)))
        out.flush()
        last = line

    return tell
