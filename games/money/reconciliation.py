"""How a game's money follows from its events: stakes, race markets, and pots.

The outcome is that of the stream's last event, and the rules compute the money from it. With replay the game is folded
again from its first event. The verification of games checks that moves were legal and the log is intact. The ledger
compares what the pots paid with the transfers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any
from uuid import UUID

import orjson

from core.sql import as_uuid, stored
from eventstore import store
from eventstore.chain import canonical
from games import state
from games.models import GameRecord, Match, MatchStatus, Status
from games.money import buy_ins
from games.rules.buy_in import places
from games.rules.registry import get
from ledger.hooks import Derivation, Derived, Flow, by_key, register_derivation
from ledger.models import BuyIn, Division, Market, Pot, Settlement
from ledger.reconciliation.services import Difference, each_among
from ledger.selectors import ruling_flows, rulings_on, valid_uuids
from ledger.services import MARKET_ACTOR, POT_ACTOR

STAKE_EVENTS = ("created", "seated", "left", "dealt", "finished", "voided")
"""The events that say who staked what, and how the game ended."""

POT_EVENTS = ("created", "seated", "left", "finished", "voided")
"""The events that say who bought in and how the game ended."""

Events = Sequence[tuple[int, str, dict[str, Any]]]


def register() -> None:
    staked = GameRecord.objects.filter(stake__gt=0, play_session__isnull=False)
    races = Market.objects.filter(key__startswith="game:", key__endswith=_WIN)
    tables = GameRecord.objects.filter(buy_in__gt=0, match=None)
    matches = Match.objects.filter(buy_in__gt=0)
    for name, about, kind, rows, derive in (
        (
            "the money of staked games",
            "stake and winnings follow from the events of the game",
            "game",
            staked,
            _staked,
        ),
        (
            "the winners of races",
            "a market was settled by the winners in the events of its race",
            "market",
            races,
            _races,
        ),
        (
            "the places of staked tables",
            "a pot was divided by the places in the events of its game",
            "game",
            tables,
            _tables,
        ),
        (
            "the places of staked matches",
            "a pot was divided by the places in the events of the match's games",
            "game",
            matches,
            _matches,
        ),
    ):
        register_derivation(Derivation(name, about, kind, by_key(rows), derive))


# --- stakes ------------------------------------------------------------------------------------------


_STAKED = (
    "SELECT g.id, t.slug, s.status, s.winnings, st.currency FROM games_gamerecord g "
    "LEFT JOIN ledger_staketable t ON t.id = g.stake_table_id LEFT JOIN ledger_gamestake s ON s.game = g.id "
    "LEFT JOIN ledger_staketable st ON st.id = s.stake_table_id "
    "WHERE g.stake > 0 AND g.play_session_id IS NOT NULL AND"
)


def _staked(keys: Sequence[str], replay: bool) -> Iterator[Derived]:
    ids = valid_uuids(keys)
    rows = list(each_among(_STAKED, "g.id", [stored(id) for id in ids]))
    events = store.outline(ids, STAKE_EVENTS)
    ruled = rulings_on(ids)
    for id, slug, status, winnings, currency in rows:
        game = as_uuid(id)
        row = None if status is None else (status, winnings, currency)
        derived = _stake(game, str(slug), events.get(game, ()), row, replay)
        corrected = [flow for ruling in ruled.get(game, ()) for flow in ruling_flows(ruling)]
        yield derived._replace(flows=[*(derived.flows or ()), *corrected])


def _stake(
    game: UUID, slug: str, events: Events, row: tuple[str, int | None, str] | None, replay: bool
) -> Derived:
    """Derive the stake at the deal; at the end the stake to the bank and the winnings from it, or the refund."""
    subject = f"game:{game}"
    dealt = next((version for version, type, _ in events if type == "dealt"), None)
    if row is None:
        faults = [_difference(subject, "", "its stake", "missing", "there", dealt)]
        return Derived(subject, "", [], faults if dealt is not None else [])
    status, winnings, currency = row
    seats, _, ended = _followed(events)
    purse, escrow = f"player:{seats.get(0, 'none')}/session", f"{subject}/escrow"
    bank = f"house:{slug}/bank"
    config = _config(events)
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
    found, expected, last = f"{status} {winnings}", f"{due[0]} {due[1]}", ended[0] if ended else dealt
    faults = [_difference(subject, currency, "its stake", found, expected, last)]
    return Derived(subject, currency, flows, faults if found != expected else [])


def _config(events: Events) -> Any:
    _, _, created = events[0]
    return _parsed(created["rules"], created["rules_version"], orjson.dumps(created["config"]))


@lru_cache(maxsize=1024)
def _parsed(rules: str, version: int, config: bytes) -> Any:
    return get(rules, version).parse_config(orjson.loads(config))


def _replayed(game: UUID) -> int:
    """Return the winnings in pence, folded from all events of the game."""
    table = state.fold(store.read(game))
    [gain] = table.game.gains(table.state) or ()
    return int(gain + table.config.stake)


# --- races -------------------------------------------------------------------------------------------

_WIN = ":win"
"""The end of the key of a race's win market."""


def _races(keys: Sequence[str], replay: bool) -> Iterator[Derived]:
    """Check that the market of a race was settled as the race ended. Rulings by a person are not checked."""
    markets = Market.objects.filter(pk__in=valid_uuids(keys), key__startswith="game:", key__endswith=_WIN)
    races = {UUID(market.subject.partition(":")[2]): market for market in markets}
    ends = store.outline(list(races), ("finished", "voided"))
    made = {
        settlement.market_id: settlement
        for settlement in Settlement.objects.filter(market__in=races.values(), number=1)
    }
    for race, market in races.items():
        settlement = made.get(market.pk)
        if settlement is not None and settlement.actor != MARKET_ACTOR:
            yield Derived(market.owner, market.currency, None, (), "settled by a person")
        else:
            faults = _decided(race, market, settlement, ends.get(race, ()))
            yield Derived(market.owner, market.currency, None, faults)


def _decided(race: UUID, market: Market, made: Settlement | None, events: Events) -> list[Difference]:
    expected = "open"
    version: int | None = None
    if events:
        version, type, data = events[-1]
        winner = None if type == "voided" else data["outcome"]["winner"]
        expected = "void" if type == "voided" else f"settled on {winner or 'no winner'}"
    found = "open"
    if made is not None:
        found = "void" if made.void else f"settled on {' and '.join(made.winners) or 'no winner'}"
    if found == expected:
        return []
    return [
        Difference(
            market.owner, market.currency, "the market of a race", found, expected, f"game:{race}", version
        )
    ]


# --- pots ---------------------------------------------------------------------------------------------


def _tables(keys: Sequence[str], replay: bool) -> Iterator[Derived]:
    games = list(GameRecord.objects.filter(pk__in=valid_uuids(keys), buy_in__gt=0, match=None))
    events = store.outline([game.pk for game in games], POT_EVENTS)
    for game in games:
        yield _of_table(game, events.get(game.pk, ()))


def _of_table(game: GameRecord, events: Events) -> Derived:
    seats, terms, end = _followed(events)
    expected = "open"
    if end is not None:
        _, type, data = end
        by_place = None if type == "voided" else places(data["outcome"])
        expected = _places_text([[seats[seat] for seat in place] for place in by_place or ()])
    version = end[0] if end else None
    return _compared(game, expected, version, sorted(seats.values()), terms)


def _followed(
    events: Events,
) -> tuple[dict[int, str], dict[str, Any], tuple[int, str, dict[str, Any]] | None]:
    """Return the seats at the end, the terms of the buy-in, and the event that ended the game."""
    seats: dict[int, str] = {}
    terms: dict[str, Any] = {}
    end = None
    for event in events:
        _, type, data = event
        if type == "created":
            terms = data.get("buy_in", {})
        elif type == "seated":
            seats[data["seat"]] = data["player"]
        elif type == "left":
            seats.pop(data["seat"], None)
        elif type in ("finished", "voided"):
            end = event
    return seats, terms, end


def _matches(keys: Sequence[str], replay: bool) -> Iterator[Derived]:
    for match in Match.objects.filter(pk__in=valid_uuids(keys), buy_in__gt=0):
        games = list(match.games.order_by("match_number"))
        events = store.outline([game.pk for game in games], POT_EVENTS)
        seats, _, _ = _followed(events.get(games[0].pk, ()))
        ends = [_followed(events.get(game.pk, ()))[2] for game in games if game.status == Status.FINISHED]
        outcomes = [end[2]["outcome"] for end in ends if end is not None]
        expected = "open"
        if match.status != MatchStatus.RUNNING:
            standings = buy_ins.places_of(match, outcomes) if outcomes else []
            expected = _places_text([[seats[seat] for seat in place] for place in standings])
        yield _compared(match, expected, None, sorted(seats.values()), None)


def _compared(
    of: GameRecord | Match,
    expected: str,
    version: int | None,
    people: list[str],
    terms: dict[str, Any] | None,
) -> Derived:
    """`terms` None: no stream contains them."""
    subject = buy_ins.subject(of)
    pot = Pot.objects.select_related("stake_table").filter(subject=subject).first()
    if pot is None:
        return Derived(subject, "", None, [_difference(subject, "", "its pot", "missing", "there", version)])
    made = Division.objects.filter(pot=pot, number=1).first()
    found = "open" if made is None else _places_text([] if made.void else made.places)
    bought = sorted(str(player) for player in _bought(pot))
    held = {
        "amount": pot.amount,
        "currency": pot.currency,
        "stake_table": pot.stake_table.slug,
        "rake": pot.rake,
        "split": pot.split,
    }
    compared = [
        ("who bought in", ", ".join(bought), ", ".join(people)),
        ("the terms of its pot", _text(held), _text(held if terms is None else terms)),
    ]
    if made is None or made.actor == POT_ACTOR:
        compared.append(("the division of its pot", found, expected))
    faults = [
        _difference(subject, pot.currency, what, recorded, derived, version)
        for what, recorded, derived in compared
        if recorded != derived
    ]
    return Derived(subject, pot.currency, None, faults)


def _bought(pot: Pot) -> Sequence[UUID]:
    return list(BuyIn.objects.filter(pot=pot).standing().values_list("player", flat=True))


def _text(terms: dict[str, Any]) -> str:
    return canonical(terms).decode()


def _places_text(places: Sequence[Sequence[str]]) -> str:
    return " before ".join(" and ".join(place) for place in places) or "void"


def _difference(
    subject: str, currency: str, what: str, found: str, expected: str, version: int | None
) -> Difference:
    return Difference(subject, currency, what, found, expected, subject, version)
