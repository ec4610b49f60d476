"""Settlements by rulings, compared with the streams of their disputes.

The ledger derives the amounts of a settlement from its inputs (winnings, places, winners); this module compares those
inputs with the ruling in the stream.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from uuid import UUID

from disputes import money, results
from disputes.models import Dispute
from disputes.results import Result
from eventstore import store
from games.models import GameRecord
from games.rules.buy_in import places
from ledger.hooks import Derivation, Derived, register_derivation
from ledger.models import Division, Settlement, StakeRuling
from ledger.reconciliation.services import Difference
from ledger.selectors import valid_uuids
from tournaments import record

Data = Mapping[str, Any]


def register() -> None:
    """Register the comparison with the reconciliation of the ledger."""
    register_derivation(
        Derivation(
            "the rulings on games",
            "settlements by a ruling follow from the stream of the dispute",
            "game",
            _after,
            _ruled,
        )
    )


def _after(after: str, most: int) -> Sequence[str]:
    games = GameRecord.objects.filter(pk__in=Dispute.objects.values("game"))
    behind = games.filter(pk__gt=UUID(after)) if after else games
    return [str(key) for key in behind.order_by("pk").values_list("pk", flat=True)[:most]]


def _ruled(keys: Sequence[str], replay: bool) -> Iterator[Derived]:
    disputes = Dispute.objects.filter(game__in=valid_uuids(keys)).select_related("game")
    rulings = store.outline([dispute.pk for dispute in disputes], ("ruled",))
    for dispute in disputes:
        faults = [
            fault
            for version, _, data in rulings.get(dispute.pk, ())
            for caused in data["caused"]
            if (fault := _fault(dispute, version, data, caused)) is not None
        ]
        yield Derived(f"game:{dispute.game_id}", "", None, faults)


def _fault(dispute: Dispute, version: int, data: Data, caused: Data) -> Difference | None:
    found, expected = _COMPARED_BY_KIND[caused["kind"]](
        dispute.game, results.read(data["result"]["becomes"]), caused
    )
    if found == expected:
        return None
    what = f"the {caused['kind']} by a ruling"
    return Difference(caused["subject"], "", what, found, expected, f"dispute:{dispute.pk}", version)


def _stake(game: GameRecord, result: Result, caused: Data) -> tuple[str, str]:
    made = StakeRuling.objects.filter(stake=game.pk, number=caused["number"]).first()
    outcome = money.outcome_of(game, result)
    expected = "void" if outcome is None else str(outcome["winnings"])
    return "missing" if made is None else "void" if made.void else str(made.winnings), expected


def _pot(game: GameRecord, result: Result, caused: Data) -> tuple[str, str]:
    made = Division.objects.filter(pot__subject=caused["subject"], number=caused["number"]).first()
    if made is None:
        return "missing", "there"
    if game.match_id is not None:  # divided by all deals of the match at that time
        return "there", "there"
    outcome = money.outcome_of(game, result)
    found = "void" if made.void else str(made.places)
    by_place = places(outcome)
    if by_place is None:
        return found, "void"
    players = dict(game.seatings.values_list("seat", "player"))
    return found, str([[str(players[seat]) for seat in place] for place in by_place])


def _market(game: GameRecord, result: Result, caused: Data) -> tuple[str, str]:
    id = UUID(caused["subject"].partition(":")[2])
    made = Settlement.objects.filter(market=id, number=caused["number"]).first()
    winners = money.winners_of(money.outcome_of(game, result))
    found = "missing" if made is None else "void" if made.void else str(made.winners)
    return found, "void" if winners is None else str(winners)


def _tournament(game: GameRecord, result: Result, caused: Data) -> tuple[str, str]:
    assert game.tournament is not None
    made = record.load(game.tournament).corrections
    return ("there" if made >= caused["number"] else "missing"), "there"


_COMPARED_BY_KIND: Mapping[str, Callable[[GameRecord, Result, Data], tuple[str, str]]] = {
    "stake": _stake,
    "pot": _pot,
    "market": _market,
    "tournament": _tournament,
}
