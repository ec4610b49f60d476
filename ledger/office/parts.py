"""Parts of a player's page that the books know nothing about: what is above the ledger tells them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from ledger.office.subjects import Link

LATEST = 15


@dataclass(frozen=True, slots=True)
class Part:
    """A table under a heading; a cell with an address leads there."""

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[Link]]
    empty: str


Tell = Callable[[UUID], Part]
_known: list[tuple[str, Tell]] = []


def player_part(permission: str) -> Callable[[Tell], Tell]:
    """Declare a function as what tells a part; it is shown to who has the permission."""

    def declare(tell: Tell) -> Tell:
        _known.append((permission, tell))
        return tell

    return declare


def parts(player: UUID, reader: Any) -> list[Part]:
    return [tell(player) for permission, tell in _known if reader.has_perm(permission)]
