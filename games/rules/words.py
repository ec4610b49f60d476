"""Parts of sentences that describe moves."""

from __future__ import annotations

from collections.abc import Iterable


def cards(texts: Iterable[str]) -> str:
    return " ".join(texts) or "nothing"


def pile(name: str) -> str:
    """
    >>> pile("column:3")
    'column 3'
    """
    return name.replace(":", " ")
