"""Tables as CSV (RFC 4180), sent row by row."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO
from itertools import chain

from django.http import StreamingHttpResponse

from ledger.spreadsheets import harmless

AT_ONCE = 500
"""Rows that are sent at once."""

Cell = str | int | None


def table(heads: Sequence[str], rows: Iterable[Sequence[Cell]]) -> Iterator[str]:
    """Pieces of text, each of whole rows."""
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
    """Text that a spreadsheet would take for a formula is told to be text; numbers stay what they are."""
    return harmless(value) if isinstance(value, str) else value


def attachment(pieces: Iterable[str], *, name: str, kind: str = "text/csv") -> StreamingHttpResponse:
    return StreamingHttpResponse(
        (piece.encode() for piece in pieces),
        content_type=f"{kind}; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"},
    )
