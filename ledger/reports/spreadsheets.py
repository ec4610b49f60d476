"""Tables as CSV (RFC 4180) that are safe to open in a spreadsheet. Pure."""

from __future__ import annotations

import csv
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO
from itertools import chain

AT_ONCE = 500
"""Rows that are sent at a time."""

Cell = str | int | None


def table(heads: Sequence[str], rows: Iterable[Sequence[Cell]]) -> Iterator[str]:
    """Yield the table as pieces of text, each of whole rows."""
    buffer = StringIO()
    writer = csv.writer(buffer, lineterminator="\r\n")
    for number, row in enumerate(chain([heads], rows), 1):
        writer.writerow([_cell(each) for each in row])
        if number % AT_ONCE == 0:
            yield buffer.getvalue()
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue()


def _cell(value: Cell) -> Cell:
    """Mark text that a spreadsheet would take for a formula as text. Numbers stay unchanged."""
    return harmless(value) if isinstance(value, str) else value


_BEGIN_A_FORMULA = ("=", "+", "-", "@", ";")
"""A semicolon separates cells where a comma separates decimals, so what follows it begins a cell."""


def harmless(text: str) -> str:
    """Put text that a spreadsheet would take for a formula behind an apostrophe.

    Some spreadsheets skip blanks, line breaks, and control characters at the beginning, and read wide forms as the
    signs.

    >>> harmless('=HYPERLINK("x")'), harmless(" \\n＠SUM(1)"), harmless("a=b")
    ('\\'=HYPERLINK("x")', "' \\n＠SUM(1)", 'a=b')
    >>> harmless(";=1+1"), harmless("\\t1"), harmless("－1")
    ("';=1+1", "'\\t1", "'－1")
    """
    if text[:1] in ("\t", "\r", "\n"):
        return f"'{text}"
    begins = next((each for each in text if not _is_passed_over(each)), "")
    return f"'{text}" if unicodedata.normalize("NFKC", begins).startswith(_BEGIN_A_FORMULA) else text


def _is_passed_over(letter: str) -> bool:
    return letter.isspace() or unicodedata.category(letter) in ("Cc", "Cf")
