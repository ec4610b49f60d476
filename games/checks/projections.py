"""The projections of a range of games: records, seats, seeds, and transfers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from eventstore.ranges import Range
from games.models import GameRecord, GameSecret, RevealedSeed, Seat
from ledger.reconciliation.services import account_name, each_among
from ledger.selectors import RULING

Transfers = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Projections:
    """The rows of games at one moment."""

    games: Mapping[UUID, GameRecord]
    seats: Mapping[UUID, Mapping[int, str]]
    seeds: Mapping[UUID, bytes]
    transfers: Mapping[UUID, Transfers]
    revealed: Mapping[UUID, bytes]
    """The revealed seeds of tournaments."""
    in_play: frozenset[str]
    """The deal groups with a game in play."""

    def is_public(self, game: GameRecord) -> bool:
        """Return `games.access.is_disclosed` for the moment at which these rows were read."""
        return game.ended and (not game.deal_group or game.deal_group not in self.in_play)

    def is_version_public(self, stream: UUID) -> bool:
        """Return whether the version of a stream is public. Only games hide theirs."""
        game = self.games.get(stream)
        return game is None or not (game.private or game.deal_group in self.in_play)

    def tournament(self, game: GameRecord) -> dict[str, Any] | None:
        """Return the tournament part of the game's bundle."""
        if game.tournament is None:
            return None
        seed = self.revealed.get(game.tournament)
        return {
            "id": str(game.tournament),
            "round": game.round,
            "deal": game.deal,
            "commitment": game.tournament_commitment,
            "seed": seed.hex() if seed else None,
            "entropy": game.entropy,
        }


def load(range: Range) -> Projections:
    """Read the projections of the games of a range."""
    games = {game.pk: game for game in GameRecord.objects.filter(range.q("pk"))}
    seats: dict[UUID, dict[int, str]] = defaultdict(dict)
    for game, seat, player in Seat.objects.filter(range.q("game")).values_list("game", "seat", "player"):
        seats[game][seat] = str(player)
    secrets = GameSecret.objects.filter(range.q("pk")).values_list("pk", "server_seed")
    groups = {game.deal_group for game in games.values() if game.deal_group}
    running = GameRecord.objects.running().filter(deal_group__in=groups)
    tournaments = {game.tournament for game in games.values() if game.tournament}
    revealed = RevealedSeed.objects.filter(pk__in=tournaments).values_list("pk", "seed")
    return Projections(
        games=games,
        seats=seats,
        seeds={game: bytes(seed) for game, seed in secrets},
        transfers=_transfers(games),
        revealed={tournament: bytes(seed) for tournament, seed in revealed},
        in_play=frozenset(running.values_list("deal_group", flat=True).distinct()) if groups else frozenset(),
    )


_TRANSFERS = (
    "SELECT t.subject, t.key, t.uuid, {debit}, {credit}, t.amount, t.currency, t.reason, t.event, "
    "t.epoch, t.xact, t.position FROM ledger_transfer t "
    "LEFT JOIN ledger_account d ON d.id = t.debit_id LEFT JOIN ledger_account c ON c.id = t.credit_id WHERE"
)


def _transfers(games: Iterable[UUID]) -> dict[UUID, Transfers]:
    """Return `ledger.selectors.transfers_of` of each game, without creating a model object for every transfer."""
    subjects = {f"game:{game}": game for game in games}
    select = _TRANSFERS.format(debit=account_name("d"), credit=account_name("c"))
    rows = sorted(each_among(select, "t.subject", list(subjects)), key=lambda row: row[9:])
    found: dict[UUID, Transfers] = defaultdict(list)
    for subject, key, id, debit, credit, amount, currency, reason, event, *_ in rows:
        if not key.startswith(f"{subject}{RULING}"):
            found[subjects[subject]].append(
                {
                    "id": str(id if isinstance(id, UUID) else UUID(id)),
                    "debit": debit,
                    "credit": credit,
                    "amount": amount,
                    "currency": currency,
                    "reason": reason,
                    "event": event,
                }
            )
    return found
