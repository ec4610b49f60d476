"""Where everybody ended and what they won, corrections included."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from tournaments.formats.protocol import Standing
from tournaments.models import Award
from tournaments.models_corrections import CorrectedAward


@dataclass(frozen=True, slots=True)
class Won:
    """`amount` in pence."""

    player: UUID
    place: int
    amount: int


def of(tournament_id: UUID | None) -> dict[int, Won]:
    """By entry number, as it stands now; nobody's before the end."""
    awards = Award.objects.filter(entry__tournament=tournament_id)
    won = {
        entry: Won(player, place, amount)
        for entry, player, place, amount in awards.values_list(
            "entry__number", "entry__player_id", "place", "amount"
        )
    }
    since = CorrectedAward.objects.filter(award__in=awards).order_by("number")
    for entry, place, amount in since.values_list("award__entry__number", "place", "amount"):
        won[entry] = Won(won[entry].player, place, amount)
    return won


def correct(
    tournament_id: UUID, standings: Sequence[Standing], amounts: Mapping[int, int], *, number: int
) -> None:
    """Write down whose place or prize a correction has changed."""
    had = of(tournament_id)
    keys = dict(Award.objects.filter(entry__tournament=tournament_id).values_list("entry__number", "pk"))
    CorrectedAward.objects.bulk_create(
        CorrectedAward(award_id=keys[one.entry], number=number, place=one.place, amount=amounts[one.entry])
        for one in standings
        if (had[one.entry].place, had[one.entry].amount) != (one.place, amounts[one.entry])
    )
