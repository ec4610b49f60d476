"""Every known corruption of an installation by SQL is found and named.

The installation is made once; each forgery is applied, audited, and rolled back.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction

from accounts.models import Player
from audit.services import audit_installation
from config import checkpoints
from config.cli.tournament import read
from core import triggers
from core.checks import Fault, Report
from disputes import services as disputes
from disputes.models import Dispute
from disputes.rulings import services as rulings
from eventstore.checkpoints import service as checkpoint
from eventstore.checkpoints.published import Published
from games import context, early_access, selectors, services, state
from games.models import GameRecord
from tests.audit import forgeries
from tests.audit.forgeries import FORGERIES, ExpectedFault, World
from tests.conftest import person
from tests.games import races
from tests.games import staked as tables
from tests.games.conftest import NOON, cashed_in, classic, staked, vegas  # noqa: F401
from tests.ledger.betting.markets import bet
from tests.ledger.payouts.cast import approved
from tests.waiting import wait_until_final
from tournaments.simulation import hold

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

LATER = NOON + timedelta(hours=1)
CUP = """
seed = "club night"
[tournament]
name = "Club night"
format = "swiss"
rules = "ace-race"
rounds = 2
fee = 500
[[bots]]
count = 3
"""


@pytest.fixture
def world(
    player: Player,
    rival: Player,
    auditor: Player,
    staked: Callable[..., Any],  # noqa: F811
    vegas: Callable[..., GameRecord],  # noqa: F811
    settings: Any,
    tmp_path: Path,
) -> World:
    settings.RACECARD_CHECKPOINT_KEY, settings.DATA = tmp_path / "checkpoint.key", tmp_path
    state.cache.clear()
    context.clear_cache()
    pot = tables.play_out(tables.dealt("ace-race", [player, rival]), [player, rival])
    race = races.open_table(player)
    market = races.open_market(race)
    bet(market, "H", 100)
    bet(market, "S", 200)
    races.to_the_end(race, player)
    cup = hold(read(CUP), organizer=person("olga"), now=NOON, look=lambda tournament: None)
    game = collected(staked(player)[0], player)
    running = vegas(player)
    services.play(game_id=running.pk, player=player, move={"type": "draw"}, now=NOON)
    early_access.record(viewer=auditor, game=running, what="bundle", version=None, now=NOON)
    staked(rival)  # a stake table's bank holds what can be won there
    approved(player=player.pk)
    sign()
    last = sign_ruling(pot, player, auditor)
    return World(
        staked=GameRecord.objects.get(pk=game.pk),
        running=running,
        pot=pot,
        race=GameRecord.objects.get(pk=race.pk),
        cup=cup,
        dispute=Dispute.objects.get(),
        last=last,
    )


def collected(game: GameRecord, player: Player) -> GameRecord:
    chance = random.Random(7)
    for _ in range(10):
        moves = [move for move in selectors.legal_moves(player, game)[1] if move["type"] != "collect"]
        services.play(game_id=game.pk, player=player, move=chance.choice(moves), now=NOON)
    services.play(game_id=game.pk, player=player, move={"type": "collect"}, now=NOON)
    return game


def sign_ruling(game: GameRecord, player: Player, auditor: Player) -> int:
    opened = disputes.open_dispute(game_id=game.pk, actor=player, version=1, claim="my King", now=LATER)
    disputes.pin(dispute_id=opened.pk, actor=auditor, version=4, note="the deal", now=LATER)
    decision = rulings.Decision(finding="rejected", remedy="dismissed", reason="as the log shows", terms={})
    shown = rulings.preview(dispute_id=opened.pk, decision=decision, actor=auditor, now=LATER)
    rulings.rule(dispute_id=opened.pk, decision=decision, token=shown.token, actor=auditor, now=LATER)
    return sign()


def sign() -> int:
    """Sign all committed data and return the number of the checkpoint."""
    wait_until_final()
    checkpoints.make_and_publish(LATER)
    last = checkpoint.latest()
    assert last is not None
    return last.number


PIECES = {
    "checkpoints": {"checkpoints", "published"},
    "disputes": {"disputes", "streams"},
    "games": {"streams"},
    "ledger": {"ledger"},
    "early-access": {"early-access"},
    "streams": {"streams"},
    "suspensions": {"suspensions"},
    "tournaments": {"tournaments", "streams"},
}
"""By part of a report, the pieces of an audit that find its faults."""


def audited(known: list[Published], parts: set[str] | None = None) -> Report:
    """Audit everything, or only the pieces that can find faults in the parts."""
    state.cache.clear()
    context.clear_cache()
    if parts is None:
        return audit_installation(known=known)
    wanted = set[str]().union(*(PIECES[part] for part in parts))
    return audit_installation(
        known=known,
        spread=lambda carry_out, pieces: map(carry_out, [one for one in pieces if one.part in wanted]),
    )


@pytest.mark.long
def test_corruption_is_found(world: World) -> None:
    known = list(checkpoints.read_published())
    assert world.last == len(known) == 2
    honest = audited(known)
    assert [str(fault) for fault in honest.faults] == []
    missed: dict[str, Any] = {}
    with transaction.atomic():
        drop_triggers()
        for name, forge in FORGERIES.items():
            with rolled_back():
                expected = list(forge(world))
                # Forgeries that only checkpoints reveal are audited completely.
                parts = {one.part for one in expected} if name not in forgeries.BY_CHECKPOINT_ALONE else None
                faults = [fault for fault in audited(known, parts).faults if fault.part != "database"]
            missing = [one for one in expected if not any(matches(one, fault) for fault in faults)]
            also = {fault.part for fault in faults} - {"checkpoints"}
            if missing or not expected or (name in forgeries.BY_CHECKPOINT_ALONE and also):
                missed[name] = (missing, list(map(str, faults)))
        transaction.set_rollback(True)
    assert missed == {}
    assert audited(known).faults == []


def matches(one: ExpectedFault, fault: Fault) -> bool:
    place = (fault.part, fault.check, fault.subject, fault.version)
    return (
        place == (one.part, one.check, one.subject, one.version)
        and one.checkpoint in (None, fault.checkpoint)
        and one.why in fault.why
    )


def drop_triggers() -> None:
    """Drop the triggers for the rest of the transaction."""
    with connection.cursor() as cursor:
        for statement in triggers._wanted():
            if statement.table:
                cursor.execute(triggers._drop(statement))


class rolled_back:  # noqa: N801
    """Roll back everything done in the block."""

    def __enter__(self) -> None:
        self._savepoint = transaction.savepoint()

    def __exit__(self, *_: object) -> None:
        transaction.savepoint_rollback(self._savepoint)
