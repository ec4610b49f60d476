"""How a game's money follows from its events: stakes of the house's games, and what decided the markets on races.

An outcome is taken as the stream's last event tells it, and its money made anew by the rules from what it says; asked
to replay, the game is folded again from its first event to its last. That the moves were legal and the log is what it
was is for the verification of games, which re-judges them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any
from uuid import UUID

import orjson

from eventstore import store
from games import state
from games.models import GameRecord
from games.rules.registry import get
from ledger.betting.bets import ACTOR
from ledger.betting.models import Market, Settlement
from ledger.reconciliation.derivations import Derivation, Derived, Flow, register_derivation
from ledger.reconciliation.moved import each_among
from ledger.reconciliation.own import uuids
from ledger.reconciliation.report import Difference
from ledger.rows import stored
from ledger.stakes.rulings import flows, rulings_on

TOLD = ("created", "seated", "left", "dealt", "finished", "voided")
"""The events that say who staked what and how it ended."""

Events = Sequence[tuple[int, str, dict[str, Any]]]


def register() -> None:
    register_derivation(Derivation("the money of staked games", "game", _staked_after, _staked))
    register_derivation(Derivation("the winners of races", "market", _races_after, _races))


# --- stakes ------------------------------------------------------------------------------------------


def _staked_after(after: str, most: int) -> Sequence[str]:
    games = GameRecord.objects.filter(stake__gt=0, play_session__isnull=False)
    behind = games.filter(pk__gt=UUID(after)) if after else games
    return [str(key) for key in behind.order_by("pk").values_list("pk", flat=True)[:most]]


_STAKED = (
    "SELECT g.id, t.slug, s.status, s.winnings, st.currency FROM games_gamerecord g "
    "LEFT JOIN ledger_staketable t ON t.id = g.stake_table_id LEFT JOIN ledger_gamestake s ON s.game = g.id "
    "LEFT JOIN ledger_staketable st ON st.id = s.stake_table_id "
    "WHERE g.stake > 0 AND g.play_session_id IS NOT NULL AND"
)


def _staked(keys: Sequence[str], replay: bool) -> Iterator[Derived]:
    ids = uuids(keys)
    rows = list(each_among(_STAKED, "g.id", [stored(id) for id in ids]))
    told = store.outline(ids, TOLD)
    ruled = rulings_on(ids)
    for id, slug, status, winnings, currency in rows:
        game = id if isinstance(id, UUID) else UUID(id)
        row = None if status is None else (status, winnings, currency)
        derived = _stake(game, str(slug), told.get(game, ()), row, replay)
        anew = [flow for ruling in ruled.get(game, ()) for flow in flows(ruling)]
        yield derived._replace(flows=[*(derived.flows or ()), *anew])


def _stake(
    game: UUID, slug: str, events: Events, row: tuple[str, int | None, str] | None, replay: bool
) -> Derived:
    """Stake at the deal; at the end the stake to the bank and the winnings from it, or the stake back."""
    subject = f"game:{game}"
    dealt = next((version for version, type, _ in events if type == "dealt"), None)
    if row is None:
        missing = dealt is not None
        faults = [Difference(subject, "", "its stake", "missing", "there", subject, dealt)] if missing else []
        return Derived(subject, "", [], faults)
    status, winnings, currency = row
    purse, escrow, bank = f"player:{_seated(events)}/session", f"{subject}/escrow", f"house:{slug}/bank"
    config = _config(events)
    ended = next(
        ((version, type, data) for version, type, data in events if type in ("finished", "voided")), None
    )
    flows: list[Flow] = []
    due: tuple[str, int | None] = ("open", None)
    if dealt is not None:
        flows.append(Flow(purse, escrow, config.stake, dealt, dealt))
    if dealt is not None and ended is not None:
        version, type, data = ended
        if type == "voided":
            due = ("refunded", None)
            flows.append(Flow(escrow, purse, config.stake, version, version))
        else:
            won = _replayed(game) if replay else config.pence_per_card * data["outcome"]["cards"]
            due = ("settled", won)
            flows.append(Flow(escrow, bank, config.stake, dealt + 1, version))
            flows.append(Flow(bank, purse, won, dealt + 1, version))
    faults = []
    if (status, winnings) != due:
        faults.append(
            Difference(
                subject, currency, "its stake", f"{status} {winnings}", f"{due[0]} {due[1]}", subject,
                ended[0] if ended else dealt,
            )
        )  # fmt: skip
    return Derived(subject, currency, flows, faults)


def _seated(events: Events) -> str:
    seats = {}
    for _, type, data in events:
        if type == "seated":
            seats[data["seat"]] = data["player"]
        elif type == "left":
            seats.pop(data["seat"], None)
    return str(seats.get(0, "nobody"))


def _config(events: Events) -> Any:
    _, _, created = events[0]
    return _parsed(created["rules"], created["rules_version"], orjson.dumps(created["config"]))


@lru_cache(maxsize=1024)
def _parsed(rules: str, version: int, config: bytes) -> Any:
    return get(rules, version).parse_config(orjson.loads(config))


def _replayed(game: UUID) -> int:
    """What the game came to, in pence, folded anew from its first event to its last."""
    table = state.fold(store.read(game))
    [gain] = table.game.gains(table.state) or ()
    return int(gain + table.config.stake)


# --- races -------------------------------------------------------------------------------------------

_WIN = ":win"
"""The end of the key that a race's own market has."""


def _races_after(after: str, most: int) -> Sequence[str]:
    markets = Market.objects.filter(key__startswith="game:", key__endswith=_WIN)
    behind = markets.filter(pk__gt=UUID(after)) if after else markets
    return [str(key) for key in behind.order_by("pk").values_list("pk", flat=True)[:most]]


def _races(keys: Sequence[str], replay: bool) -> Iterator[Derived]:
    """Whether the market of a race was settled as the race ended; what a person has ruled is that person's."""
    markets = Market.objects.filter(pk__in=uuids(keys), key__startswith="game:", key__endswith=_WIN)
    races = {UUID(market.subject.partition(":")[2]): market for market in markets}
    told = store.outline(list(races), ("finished", "voided"))
    made = {
        settlement.market_id: settlement
        for settlement in Settlement.objects.filter(market__in=races.values(), number=1)
    }
    for race, market in races.items():
        settlement = made.get(market.pk)
        if settlement is not None and settlement.actor != ACTOR:
            yield Derived(market.owner, market.currency, None, (), "a person ruled on them")
        else:
            faults = _decided(race, market, settlement, told.get(race, ()))
            yield Derived(market.owner, market.currency, None, faults)


def _decided(race: UUID, market: Market, made: Settlement | None, events: Events) -> list[Difference]:
    expected = "open"
    version: int | None = None
    if events:
        version, type, data = events[-1]
        winner = None if type == "voided" else data["outcome"]["winner"]
        expected = "void" if type == "voided" else f"settled on {winner or 'nobody'}"
    found = "open"
    if made is not None:
        found = "void" if made.void else f"settled on {' and '.join(made.winners) or 'nobody'}"
    if found == expected:
        return []
    return [
        Difference(
            market.owner, market.currency, "the market of a race", found, expected, f"game:{race}", version
        )
    ]
