"""Texts and HTML that users read."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from itertools import islice

MAX_ROWS = 20
"""The number of rows of a table in a notebook."""


def printable(text: str) -> str:
    """Returns a text that can be encoded. Bytes of a path that are not UTF-8 become U+FFFD."""
    try:
        text.encode()
        return text
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogateescape" if _is_path(text) else "replace").decode("utf-8", "replace")


def _is_path(text: str) -> bool:
    # Other surrogates do not stand for bytes.
    return all(not 0xD800 <= ord(letter) <= 0xDFFF or 0xDC80 <= ord(letter) <= 0xDCFF for letter in text)


def escaped(text: object) -> str:
    """Returns a text as HTML."""
    return html.escape(printable(str(text)))


def table(header: Sequence[str], rows: Iterable[Sequence[object]], count: int) -> str:
    """Returns the first of `count` rows as an HTML table. Without a header, the first cell of each row is its title."""
    style = ' style="text-align:left"'
    head = "".join(f"<th{style}>{escaped(name)}</th>" for name in header)
    lines = [f"<tr>{head}</tr>"] if header else []
    for first, *others in islice(rows, MAX_ROWS):
        cells = "".join(f"<td{style}>{escaped(cell)}</td>" for cell in others)
        title = f"<td{style}>{escaped(first)}</td>" if header else f"<th{style}>{escaped(first)}</th>"
        lines.append(f"<tr>{title}{cells}</tr>")
    more = f"<div>and {count - MAX_ROWS} more</div>" if count > MAX_ROWS else ""
    return f"<table>{''.join(lines)}</table>{more}"


def folded(title: str, content: str) -> str:
    """Returns HTML that shows its content after a click on the title."""
    return f"<details><summary>{escaped(title)}</summary>{content}</details>"
