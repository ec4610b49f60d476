"""The game that another goes on from, as the first event of the other names it."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from eventstore.chain import LARGEST_INTEGER

CONTINUED = "continued"
"""Why a game is void that goes on as another."""

_ID = re.compile(r"[0-9A-Za-z][0-9A-Za-z._-]{0,63}").fullmatch
_HASH = re.compile(r"[0-9a-f]{64}").fullmatch


class NoParent(ValueError):
    """What names no event of a game."""


class Parent(NamedTuple):
    """`version` is the parent's last event that is repeated, `hash` that event's."""

    game: str
    version: int
    hash: str

    def document(self) -> dict[str, Any]:
        return self._asdict()


def read(document: object) -> Parent:
    """Raises NoParent."""
    if not isinstance(document, dict) or document.keys() != set(Parent._fields):
        raise NoParent(f"`parent` has the keys {', '.join(Parent._fields)}")
    found = Parent(**document)
    if type(found.game) is not str or not _ID(found.game):
        raise NoParent("`parent.game` is no id of a game")
    if type(found.version) is not int or not 1 <= found.version <= LARGEST_INTEGER:
        raise NoParent("`parent.version` is no version")
    if type(found.hash) is not str or not _HASH(found.hash):
        raise NoParent("`parent.hash` is no hash")
    return found
