"""What the organizer says of two entrants before a round is laid out: that they do not meet, or that they must.

It holds for the rounds to come and changes none that is laid out. To be kept apart is the last thing that gives way
when there is no other way to seat a field, and then the round tells it; to be brought together never gives way.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from accounts.models import Player
from tournaments import formats, record, roles
from tournaments.formats.history import History
from tournaments.formats.wishes import TOGETHER, Two, What, Wish
from tournaments.models import Status, Tournament
from tournaments.problems import BadPair, PairAlreadySaid, PairNotSaid, WishesNotHeeded, WrongStatus


@transaction.atomic
def keep_apart(
    *,
    tournament_id: UUID,
    entries: Sequence[int],
    first: int | None = None,
    actor: Player,
    reason: str,
    now: datetime,
) -> None:
    """Seat two entries at different tables from round `first` on; None: from the next that is laid out.

    Raises NotFound, InterestedParty, WrongStatus, WishesNotHeeded, BadPair, PairAlreadySaid.
    """
    tournament, state = _before_a_round(tournament_id, actor)
    two = _pair(state, entries)
    _refuse_if_said(state, two)
    since = state.next_round if first is None else first
    if not state.next_round <= since <= tournament.rounds:
        raise BadPair(f"from a round between {state.next_round} and {tournament.rounds}.")
    _append(tournament, "kept-apart", {"entries": list(two), "from": since}, actor, reason, now)


@transaction.atomic
def bring_together(
    *, tournament_id: UUID, entries: Sequence[int], actor: Player, reason: str, now: datetime
) -> None:
    """Have two entries meet in the next round, whatever it costs the others.

    Raises NotFound, InterestedParty, WrongStatus, WishesNotHeeded, BadPair, PairAlreadySaid.
    """
    tournament, state = _before_a_round(tournament_id, actor)
    two = _pair(state, entries)
    _refuse_if_said(state, two)
    awaited = {entry for wish in _standing(state) if wish.what == TOGETHER for entry in wish.entries}
    if taken := sorted(awaited & set(two)):
        raise PairAlreadySaid(f"Entry {taken[0]} is to meet somebody else in that round.")
    told = {"entries": list(two), "round": state.next_round}
    _append(tournament, "brought-together", told, actor, reason, now)


@transaction.atomic
def release(
    *, tournament_id: UUID, what: What, entries: Sequence[int], actor: Player, reason: str, now: datetime
) -> None:
    """Take back what was said of two entries, for all rounds that are not laid out.

    Raises NotFound, InterestedParty, WrongStatus, WishesNotHeeded, BadPair, PairNotSaid.
    """
    tournament, state = _before_a_round(tournament_id, actor)
    two = _ordered(entries)
    if not any(wish.what == what and wish.entries == two for wish in _standing(state)):
        raise PairNotSaid
    told = {"what": what, "entries": list(two), "from": state.next_round}
    _append(tournament, "pair-released", told, actor, reason, now)


def said(tournament: Tournament) -> list[dict[str, Any]]:
    """All that was ever said and not taken back before it counted, in the order in which it was."""
    return [
        {"wish": wish.what, "entries": list(wish.entries), "first": wish.first, "last": wish.last}
        for wish in record.load(tournament.pk).wishes
    ]


def _before_a_round(tournament_id: UUID, actor: Player) -> tuple[Tournament, History]:
    tournament = roles.locked_for(tournament_id, actor)
    if tournament.status not in (Status.PUBLISHED, Status.RUNNING):
        raise WrongStatus(f"The tournament is {tournament.status}.")
    state = record.load(tournament.pk)
    form = formats.get(tournament.format)
    if not form.heeds_wishes(state.snapshot()):
        raise WishesNotHeeded(f"Who meets whom in the format {form.slug} is not to be asked for.")
    if state.next_round > tournament.rounds:
        raise WrongStatus("All rounds are laid out.")
    return tournament, state


def _pair(state: History, entries: Sequence[int]) -> Two:
    two = _ordered(entries)
    playing = {entrant.entry for entrant in state.entrants if entrant.last is None}
    if missing := [entry for entry in two if entry not in playing]:
        raise BadPair(f"Entry {missing[0]} does not play.")
    return two


def _ordered(entries: Sequence[int]) -> Two:
    if len(set(entries)) != 2:
        raise BadPair("Two different entries are needed.")
    one, other = sorted(set(entries))
    return one, other


def _standing(state: History) -> list[Wish]:
    """What holds for the next round or will for a later one."""
    return [wish for wish in state.wishes if wish.last is None or wish.last >= state.next_round]


def _refuse_if_said(state: History, two: Two) -> None:
    for wish in _standing(state):
        if wish.entries == two:
            raise PairAlreadySaid(f"Entries {two[0]} and {two[1]} are to be {wish.what} already.")


def _append(
    tournament: Tournament, type: str, told: dict[str, Any], actor: Player, reason: str, now: datetime
) -> None:
    record.append(tournament, (type, {**told, "reason": reason, "by": str(actor.pk)}), now=now)
