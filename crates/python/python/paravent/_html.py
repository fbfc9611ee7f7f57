"""Small pages for notebooks: self-contained, without scripts, light and dark."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

_STYLE = """
.paravent{font:14px/1.45 system-ui,sans-serif;max-width:60em;color:#1b1f24;background:#fff;border:1px solid #d0d7de;border-radius:8px;padding:.8em 1em}
.paravent h4{margin:.1em 0 .5em;font-size:1.05em}.paravent table{border-collapse:collapse;margin:.4em 0;font-size:.95em}
.paravent th,.paravent td{text-align:left;padding:.15em .9em .15em 0;border-bottom:1px solid #eaeef2;vertical-align:top}
.paravent .good{color:#116329}.paravent .bad{color:#a40e26}.paravent .careful{color:#7d4e00}.paravent .quiet{color:#57606a}
@media (prefers-color-scheme:dark){.paravent{color:#e6edf3;background:#0d1117;border-color:#30363d}
.paravent th,.paravent td{border-color:#21262d}.paravent .good{color:#3fb950}.paravent .bad{color:#ff7b72}.paravent .careful{color:#d29922}.paravent .quiet{color:#8b949e}}
"""


def page(title: str, *parts: str) -> str:
    """A box with a title."""
    return f'<div class="paravent"><style>{_STYLE}</style><h4>{escape(title)}</h4>{"".join(parts)}</div>'


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Rows of text; cells that begin with a mark of ours keep it."""
    top = "".join(f"<th>{escape(name)}</th>" for name in head)
    body = "".join("<tr>" + "".join(f"<td>{cell(value)}</td>" for value in row) + "</tr>" for row in rows)
    return f"<table><tr>{top}</tr>{body}</table>"


class Mark:
    """A text with a colour."""

    def __init__(self, text: str, colour: str) -> None:
        self.text, self.colour = text, colour


def cell(value: Any) -> str:
    """A value as text that cannot be markup."""
    if isinstance(value, Mark):
        return f'<span class="{value.colour}">{escape(value.text)}</span>'
    if isinstance(value, bool):
        return cell(Mark("yes", "good") if value else Mark("no", "bad"))
    if isinstance(value, float):
        return escape(f"{value:.4g}")
    if isinstance(value, dict):
        return escape(", ".join(f"{key} = {item}" for key, item in value.items()))
    if isinstance(value, (list, tuple)):
        return escape(", ".join(str(item) for item in value))
    return escape("" if value is None else str(value))


def lines(texts: Iterable[str], colour: str) -> str:
    """A list of remarks."""
    return "".join(f'<div class="{colour}">· {escape(text)}</div>' for text in texts)
