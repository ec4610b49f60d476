"""Whole games between bots, each a bundle that proves itself. Everything in game n follows from (seed, n)."""

from __future__ import annotations

import hashlib
import random
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from eventstore.chain import GENESIS, format_at
from games.bots.protocol import Bot, Event, Observation
from games.rules import table as tables
from games.rules.bundles.record import Recording, bundle
from games.rules.fairness import GameKey, commitment
from games.rules.protocol import Fact, Game
from games.rules.table import Table

FIRST_MOMENT = datetime(2026, 1, 1, tzinfo=UTC)
"""Game n starts n minutes later; its events follow by seconds, in a game against time by tenths."""

CURRENCY = "GBP"


@dataclass(frozen=True, slots=True)
class Lots:
    """The random values of one simulated game."""

    seed: str
    number: int

    def draw(self, label: str) -> bytes:
        return hashlib.sha256(f"racecard simulation|{self.seed}|{self.number}|{label}".encode()).digest()

    def identifier(self, label: str) -> str:
        return str(uuid.UUID(bytes=self.draw(label)[:16], version=4))


@dataclass(frozen=True, slots=True)
class Played:
    bundle: dict[str, Any]
    table: Table


def simulate(game: Game, config: Any, *, seats: int, bots: Sequence[Bot], seed: str, number: int) -> Played:
    """Play game `number`. The bots take the seats in turn, from the first again when there are fewer.

    Where no seat is to act, the first bot stands for the operator; where several are, chance says who is quickest.
    """
    lots = Lots(seed, number)
    recording = Recording(lots.identifier("game"))
    table = _play(recording, game, config, seats, bots, lots)
    document = bundle(
        game_id=recording.stream,
        table=table,
        events=recording.events,
        server_seed=_server_seed(lots),
        transfers=_transfers(recording, lots),
    )
    return Played(document, table)


def play(game: Game, config: Any, *, seats: int, bots: Sequence[Bot], seed: str, number: int) -> Table:
    """The end of the same game, without a proof of it: for statistics, in two thirds of the time."""
    lots = Lots(seed, number)
    return _play(Jotting(lots.identifier("game")), game, config, seats, bots, lots)


class Jotting(Recording):
    """A record that only the players look at while they play: it proves nothing."""

    def _event(self, fact: Fact, at: str, key: GameKey | None) -> dict[str, Any]:
        nothing = {"seal": None, "at": at, "prev": GENESIS, "hash": GENESIS}
        return {"version": len(self.events) + 1, **fact._asdict(), **nothing}


def _server_seed(lots: Lots) -> bytes:
    return lots.draw("server seed")


def _play(
    recording: Recording, game: Game, config: Any, seats: int, bots: Sequence[Bot], lots: Lots
) -> Table:
    server_seed = _server_seed(lots)
    moment = FIRST_MOMENT + timedelta(minutes=lots.number)
    limit = game.time_limit(config)
    step = timedelta(seconds=1) if limit is None else timedelta(milliseconds=100)

    def at() -> str:
        return format_at(moment + step * len(recording.events))

    table = recording.append(tables.create(game, config, commitment=commitment(server_seed)), at=at())
    for taken in range(seats):
        table = recording.append(_seated(table, taken, lots, seats), at=at())
    key = table.key(server_seed)
    last_step = None if limit is None else len(recording.events) + timedelta(seconds=limit) // step
    table = recording.append(tables.deal(table, key), at=at(), key=key)
    rng = random.Random(lots.draw("bots"))  # noqa: S311 - bots' whims, repeatable; no deal depends on them
    while not table.ended:
        if last_step is not None and len(recording.events) >= last_step:
            facts = tables.expire(table, None, key)
        else:
            seat = _next_to_act(table, rng)
            bot = bots[(seat or 0) % len(bots)]
            move = bot.choose(_sight(recording, table, seat), rng)
            facts = tables.decide(table, seat, move, key)
        table = recording.append(*facts, at=at(), key=key)
    return table


def _next_to_act(table: Table, rng: random.Random) -> int | None:
    """Return the next seat; if several may act, seats that could only wait are skipped."""
    waiting = table.to_act()
    if len(waiting) < 2:
        return waiting[0] if waiting else None
    return next(seat for seat in rng.sample(waiting, len(waiting)) if table.legal_moves(seat))


def _sight(recording: Recording, table: Table, seat: int | None) -> Observation:
    return Observation(
        view=table.view(seat),
        legal_moves=table.legal_moves(seat),
        config=table.game.config_json(table.config),
        seat=seat,
        history=_history(recording.events, table.game, seat),
    )


def _history(events: Sequence[dict[str, Any]], game: Game, seat: int | None) -> Callable[[], Sequence[Event]]:
    def received() -> Sequence[Event]:
        return [{**event, "private": game.redact_private(_fact(event), seat)} for event in events]

    return received


def _fact(event: Event) -> Fact:
    return Fact(event["type"], event["seat"], event["data"], event["private"])


def _seated(table: Table, seat: int, lots: Lots, seats: int) -> Fact:
    seed = lots.draw(f"client seed|{seat}").hex()[:16]
    player, suit = lots.identifier(f"player|{seat}"), table.first_free_suit(seats)
    return tables.seat(table, seat, player=player, seed=seed, suit=suit, seats=seats)


def _transfers(recording: Recording, lots: Lots) -> list[dict[str, Any]]:
    """The money of a staked game: stake in, winnings out, the rest from or to the bank."""
    table = recording.table
    assert table is not None
    stake = table.game.config_json(table.config).get("stake", 0)
    if not stake or table.outcome is None:
        return []
    winnings = table.outcome["winnings"]
    player, escrow, bank = (
        f"player:{table.seats[0].player}/session",
        f"game:{recording.stream}/escrow",
        "house/bank",
    )
    dealt = next(event["version"] for event in recording.events if event["type"] == "dealt")
    legs = [
        (player, escrow, stake, "stake", dealt),
        (bank, escrow, winnings - stake, "win", table.version),
        (escrow, bank, stake - winnings, "loss", table.version),
        (escrow, player, winnings, "winnings", table.version),
    ]
    return [
        {
            "id": lots.identifier(f"transfer|{reason}"),
            "debit": debit,
            "credit": credit,
            "amount": amount,
            "currency": CURRENCY,
            "reason": reason,
            "event": event,
        }
        for debit, credit, amount, reason, event in legs
        if amount > 0
    ]
