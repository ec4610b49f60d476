"""Fixtures of an installation with games, and of raw SQL access to it."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from django.db import connection

from accounts.models import Player
from audit.report import ordered
from core.checks import Fault, Report
from games import selectors, services
from games.models import GameRecord
from tests import tampering
from tests.games.conftest import NOON, cashed_in, classic, nothing_remembered, race, staked, vegas  # noqa: F401


@pytest.fixture
def collected(player: Player, staked: Callable[..., Any]) -> GameRecord:  # noqa: F811
    """Return a staked game of Vegas Solitaire that was played and collected."""
    game, _ = staked(player)
    chance = random.Random(7)
    for _ in range(15):
        moves = [move for move in selectors.legal_moves(player, game)[1] if move["type"] != "collect"]
        services.play(game_id=game.pk, player=player, move=chance.choice(moves), now=NOON)
    services.play(game_id=game.pk, player=player, move={"type": "collect"}, now=NOON)
    return GameRecord.objects.get(pk=game.pk)


@pytest.fixture
def tamper() -> Callable[..., None]:
    """Run one statement with the triggers disabled. It must change a row."""

    def run(sql: str, *values: Any) -> None:
        stored = [
            value.hex if isinstance(value, UUID) and connection.vendor == "sqlite" else value
            for value in values
        ]
        tampering.tamper(sql, *stored)

    return run


def found(report: Report) -> set[tuple[str, str, str, int | None]]:
    """Return part, check, subject, and version of each fault."""
    return {place(fault) for fault in report.faults}


def place(fault: Fault) -> tuple[str, str, str, int | None]:
    return fault.part, fault.check, fault.subject, fault.version


def verdicts(report: Report, part: str) -> dict[str, str]:
    return {check: report.tallies[of, check].verdict for of, check in ordered(report) if of == part}
