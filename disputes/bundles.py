"""The rulings on a game as its bundle shows them (RULEBOOK 8): each with the transfers that it caused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from uuid import UUID

from disputes import states
from disputes.models import Ruling
from eventstore.chain import format_at
from games.rules.bundle_form import WITHHELD
from ledger.betting.judging import moved_by_ruling
from ledger.selectors import as_bundled, transfers_of_ruling

IN_EFFECT = (states.STANDING, states.SUPERSEDED)
"""What has moved something, also where an appeal has moved it on since."""


def rulings_on(game: UUID, with_money: bool) -> list[dict[str, Any]]:
    """In the order in which they took effect; without `with_money` their transfers are withheld."""
    made = Ruling.objects.filter(dispute__game=game, state__in=IN_EFFECT)
    return [
        {
            "id": str(one.pk),
            "at": format_at(one.decided_at or one.ruled_at),
            "finding": one.finding,
            "remedy": one.remedy,
            "reason": one.reason,
            "transfers": list(transfers(one)) if with_money else WITHHELD,
        }
        for one in sorted(made, key=lambda one: (one.decided_at or one.ruled_at, str(one.pk)))
    ]


def transfers(ruling: Ruling) -> Iterator[dict[str, Any]]:
    for caused in ruling.caused:
        yield from _transfers(caused)


def _transfers(caused: Mapping[str, Any]) -> list[dict[str, Any]]:
    if caused["kind"] == "market":
        return [as_bundled(row) for row in moved_by_ruling(caused["subject"], caused["number"])]
    return [as_bundled(row) for row in transfers_of_ruling(caused["subject"], caused["number"])]
