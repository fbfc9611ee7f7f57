"""The tutorial runs from its first cell to its last."""

from __future__ import annotations

import pathlib

import nbformat
from nbclient import NotebookClient


def test_the_tutorial_runs(somewhere: pathlib.Path) -> None:
    notebook = nbformat.read(pathlib.Path(__file__).parent.parent / "tutorial.ipynb", as_version=4)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(somewhere)}}).execute()
    assert any("text/html" in output.get("data", {}) for cell in notebook.cells for output in cell.get("outputs", []))
