"""Games that have been disputed, and who rules on them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest

from accounts.models import Player
from accounts.roles import Role
from disputes import proof, services
from disputes.models import Dispute, Ruling
from disputes.services import Decision, Preview
from games import particulars, state
from games.models import GameRecord
from tests import books
from tests.conftest import known, person
from tests.databases import shared
from tests.games.staked import NOON, dealt, play_out

LATER = NOON + timedelta(hours=1)


@pytest.fixture(autouse=True)
def nothing_remembered() -> None:
    """No test meets the folded games of another."""
    state.cache.clear()
    particulars.forget()


@pytest.fixture(autouse=True)
def everything_follows(request: pytest.FixtureRequest) -> Iterator[None]:
    """After every test the books follow from what happened, and each dispute's rows from its stream."""
    yield from books.reconciled(request)
    if "db" in request.fixturenames or "transactional_db" in request.fixturenames:
        assert [fault for dispute in Dispute.objects.all() for fault in proof.faults(dispute)] == []


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
    """A staked table of Ace Race that has been played to its end; each put in 520 pence and has 480 beside."""
    people = [known("ann"), known("bob")]
    return play_out(dealt("ace-race", people), people)


Opens = Callable[..., Dispute]


@pytest.fixture
def opened() -> Opens:
    """`opened(game, player)`: a dispute of the game from its deal on."""

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
    return services.preview(
        dispute_id=dispute.pk, decision=decision, actor=auditor, now=more.pop("now", LATER)
    )


def ruled(dispute: Dispute, auditor: Player, decision: Decision, **more: Any) -> Ruling:
    """As it is shown, so it is done."""
    now = more.pop("now", LATER)
    preview = shown(dispute, auditor, decision, now=now)
    made = services.rule(
        dispute_id=dispute.pk, decision=decision, token=preview.token, actor=auditor, now=now
    )
    assert made.effects == preview.effects.document()
    dispute.refresh_from_db()
    return made
