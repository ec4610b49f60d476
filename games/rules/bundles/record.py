"""The written form of a game: chained events and the bundle that proves them (RULEBOOK 8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eventstore.chain import GENESIS, canonical, event_hash
from games.rules import table as tables
from games.rules.fairness import GameKey
from games.rules.protocol import Fact
from games.rules.table import Table

FORMAT = "racecard-bundle/1"


class Recording:
    """One game's stream, written without a database: by simulations, tests and benchmarks."""

    def __init__(self, stream: str) -> None:
        self.stream = stream
        self.events: list[dict[str, Any]] = []
        self.table: Table | None = None

    def append(self, *facts: Fact, at: str, key: GameKey | None = None) -> Table:
        """The table after the events; `key` seals what only some may see."""
        for fact in facts:
            self.events.append(self._event(fact, at, key))
            self.table = tables.evolve(self.table, fact.type, fact.seat, fact.data, fact.private)
        assert self.table is not None
        return self.table

    def _event(self, fact: Fact, at: str, key: GameKey | None) -> dict[str, Any]:
        version = len(self.events) + 1
        seal = None
        if fact.private is not None:
            if key is None:
                raise ValueError(f"`{fact.type}` holds what only some may see: it needs the game's key")
            seal = key.seal(self.stream, version, fact.private)
        prev = self.events[-1]["hash"] if self.events else GENESIS
        return {
            "version": version,
            "type": fact.type,
            "seat": fact.seat,
            "data": fact.data,
            "private": fact.private,
            "seal": seal,
            "at": at,
            "prev": prev,
            "hash": event_hash(
                stream=self.stream,
                version=version,
                type=fact.type,
                seat=fact.seat,
                data=canonical(fact.data),
                seal=seal,
                at=at,
                prev=prev,
            ),
        }


def bundle(
    *,
    game_id: str,
    table: Table,
    events: Sequence[Mapping[str, Any]],
    server_seed: bytes | None,
    tournament: Mapping[str, Any] | None = None,
    rulings: Sequence[Mapping[str, Any]] = (),
    transfers: Sequence[Mapping[str, Any]] | str = (),
) -> dict[str, Any]:
    """The document that proves a game. `server_seed` is None while the game is on; `events` are opened.

    `tournament` is {"id","round","deal","commitment","seed","entropy"}; `transfers` may be "withheld".
    """
    return {
        "format": FORMAT,
        "game": {
            "id": game_id,
            "rules": table.game.slug,
            "rules_version": table.game.version,
            "config": table.game.config_json(table.config),
            "seats": table.seats_document(),
            "bet_seeds": list(table.bet_seeds or ()),
            "commitment": table.commitment,
            "server_seed": None if server_seed is None else server_seed.hex(),
            "tournament": None if tournament is None else dict(tournament),
        },
        "events": [dict(event) for event in events],
        "outcome": table.outcome,
        "rulings": [dict(ruling) for ruling in rulings],
        "transfers": transfers if isinstance(transfers, str) else [dict(transfer) for transfer in transfers],
    }
