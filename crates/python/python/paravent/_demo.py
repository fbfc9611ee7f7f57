"""A small made-up table about people."""

from __future__ import annotations

import os
import tempfile

from . import _paravent


def demo() -> _paravent.Frame:
    """The made-up patients of ``paravent demo``.

    >>> demo().columns[:3]
    ['patient_id', 'name', 'sex']
    """
    with tempfile.TemporaryDirectory() as folder:
        _paravent.demo(folder)
        return _paravent.Frame.read(os.path.join(folder, "patients.csv"))
