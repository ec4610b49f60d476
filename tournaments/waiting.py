"""What waits for a player in tournaments: open check-ins. Games of rounds wait like other games."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Annotated, TypedDict
from uuid import UUID

from rest.documents import Moment, Uuid, moment, one_of
from tournaments.entries import check_in
from tournaments.models import Entry, Status, Tournament

MOST = 200
"""Published tournaments that are looked at, the newest first."""


class WaitingTournamentOutput(TypedDict):
    key: Annotated[str, "names the item in the stream"]
    tournament: Uuid
    name: str
    kind: Annotated[str, one_of(["check-in"])]
    until: Annotated[Moment | None, "when the tournament starts"]


def open_check_ins(players: Collection[UUID], *, now: datetime) -> dict[UUID, list[WaitingTournamentOutput]]:
    """Return the check-ins that the players have not made yet."""
    published = Tournament.objects.filter(status=Status.PUBLISHED).order_by("-created_at", "-id")[:MOST]
    is_open = {one.pk: one for one in published if check_in.is_open(one, now)}
    found: dict[UUID, list[WaitingTournamentOutput]] = {player: [] for player in players}
    if not is_open:
        return found
    missing = Entry.objects.standing().filter(tournament__in=is_open, player__in=players, checked_in_at=None)
    for tournament, player in missing.order_by("tournament", "number").values_list("tournament", "player"):
        found[player].append(_document(is_open[tournament]))
    return found


def _document(tournament: Tournament) -> WaitingTournamentOutput:
    return {
        "key": f"tournament:{tournament.pk}:check-in",
        "tournament": str(tournament.pk),
        "name": tournament.name,
        "kind": "check-in",
        "until": moment(tournament.opens_at),
    }
