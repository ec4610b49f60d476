"""Fixtures of disputed games and auditors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest

from accounts.models import Player
from accounts.roles import Role
from disputes import services
from disputes.checks import stream_faults
from disputes.models import Dispute, Ruling
from disputes.rulings import services as rulings
from disputes.rulings.services import Decision, Preview
from games import context, state
from games.models import GameRecord
from tests import books
from tests.conftest import known, person
from tests.databases import shared
from tests.games.staked import NOON, dealt, play_out

LATER = NOON + timedelta(hours=1)


@pytest.fixture(autouse=True)
def nothing_remembered() -> None:
    """Clear the caches of folded games before each test."""
    state.cache.clear()
    context.clear_cache()


@pytest.fixture(autouse=True)
def everything_follows(request: pytest.FixtureRequest) -> Iterator[None]:
    """Check after each test that the ledger reconciles and that disputes match their streams."""
    yield from books.reconciled(request)
    if "db" in request.fixturenames or "transactional_db" in request.fixturenames:
        assert [fault for dispute in Dispute.objects.all() for fault in stream_faults(dispute)] == []


@pytest.fixture
def people(player: Player, rival: Player) -> list[Player]:
    return [player, rival]


@pytest.fixture
def other_auditor(db: None) -> Player:
    return person("alma", Role.AUDITOR)


@pytest.fixture
def third_auditor(db: None) -> Player:
    return person("abel", Role.AUDITOR)


@shared
def played() -> GameRecord:
    """Return an ended Ace Race with buy-ins of 520 pence; each player has 480 pence left."""
    people = [known("ann"), known("bob")]
    return play_out(dealt("ace-race", people), people)


Opens = Callable[..., Dispute]


@pytest.fixture
def opened() -> Opens:
    """Return `opened(game, player)`, which opens a dispute of the game from its deal on."""

    def open_one(game: GameRecord, who: Player, **more: Any) -> Dispute:
        return services.open_dispute(
            game_id=game.pk,
            actor=who,
            version=more.pop("version", 1),
            claim=more.pop("claim", "my King was not accepted"),
            now=more.pop("now", LATER),
        )

    return open_one


def decide(remedy: str, finding: str = "", **terms: Any) -> Decision:
    finding = finding or ("rejected" if remedy == "dismissed" else "upheld")
    return Decision(finding=finding, remedy=remedy, reason="as the log shows", terms=terms)


def shown(dispute: Dispute, auditor: Player, decision: Decision, **more: Any) -> Preview:
    return rulings.preview(
        dispute_id=dispute.pk, decision=decision, actor=auditor, now=more.pop("now", LATER)
    )


def ruled(dispute: Dispute, auditor: Player, decision: Decision, **more: Any) -> Ruling:
    """Preview a ruling and make it."""
    now = more.pop("now", LATER)
    preview = shown(dispute, auditor, decision, now=now)
    made = rulings.rule(dispute_id=dispute.pk, decision=decision, token=preview.token, actor=auditor, now=now)
    assert made.effects == preview.effects.document()
    dispute.refresh_from_db()
    return made
