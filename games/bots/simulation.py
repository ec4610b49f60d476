"""Whole games between bots, each a bundle that proves itself. Everything in game n follows from (seed, n)."""

from __future__ import annotations

import hashlib
import random
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from eventstore.chain import format_at
from games.bots.protocol import Bot
from games.rules import table as tables
from games.rules.fairness import commitment
from games.rules.protocol import Fact, Game
from games.rules.record import Recording, bundle
from games.rules.table import Table

FIRST_MOMENT = datetime(2026, 1, 1, tzinfo=UTC)
"""Game n starts n minutes later; its events follow by seconds."""

CURRENCY = "GBP"


@dataclass(frozen=True, slots=True)
class Lots:
    """What chance gives to one game of a simulation."""

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


def simulate(game: Game, config: Any, *, seats: int, bot: Bot, seed: str, number: int) -> Played:
    """Play game `number`. Where no seat is to act, the bot stands for the operator."""
    lots = Lots(seed, number)
    recording = Recording(lots.identifier("game"))
    server_seed = lots.draw("server seed")
    moment = FIRST_MOMENT + timedelta(minutes=number)

    def at() -> str:
        return format_at(moment + timedelta(seconds=len(recording.events)))

    table = recording.append(tables.create(game, config, commitment=commitment(server_seed)), at=at())
    for taken in range(seats):
        table = recording.append(_seated(table, taken, lots), at=at())
    key = table.key(server_seed)
    table = recording.append(tables.deal(table, key), at=at(), key=key)
    rng = random.Random(lots.draw("bots"))  # noqa: S311 - bots' whims, repeatable; no deal depends on them
    while not table.ended:
        seat = next(iter(table.to_act()), None)
        move = bot.choose(table.view(seat), table.legal_moves(seat), rng)
        table = recording.append(*tables.decide(table, seat, move, key), at=at(), key=key)
    document = bundle(
        game_id=recording.stream,
        table=table,
        events=recording.events,
        server_seed=server_seed,
        transfers=_transfers(recording, lots),
    )
    return Played(document, table)


def _seated(table: Table, seat: int, lots: Lots) -> Fact:
    seed = lots.draw(f"client seed|{seat}").hex()[:16]
    return tables.seat(table, seat, player=lots.identifier(f"player|{seat}"), seed=seed)


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
