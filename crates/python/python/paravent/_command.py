"""The command ``paravent``."""

from __future__ import annotations

import signal
import sys

from . import _paravent


def main() -> None:
    """Run the command line and end with its exit code."""
    # The program stops by itself and leaves nothing half-written; Python's handler would only wait.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.stdout.flush()
    sys.exit(_paravent.main(["paravent", *sys.argv[1:]]))
