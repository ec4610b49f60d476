"""Test audits of tournaments. Corruptions on PostgreSQL are those of test_corruption_matrix."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import orjson
import pytest
from django.db import transaction

from audit.services import audit_installation, audit_tournament
from config.cli.tournament import read
from games.models import GameRecord
from tests.audit.conftest import found, verdicts
from tests.conftest import NOW, known, person
from tests.databases import shared
from tournaments.models import Status, Tournament
from tournaments.simulation import hold

pytestmark = [pytest.mark.django_db, pytest.mark.sqlite, pytest.mark.slow]

Tamper = Callable[..., None]

CLUB = """
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


@shared
def club() -> Tournament:
    """Return a finished Swiss tournament of two rounds and three bots, with one bye per round."""
    held = hold(read(CLUB), organizer=known("olga"), now=NOW, look=lambda tournament: None)
    assert held.status == Status.FINISHED
    return held


def wrong(tournament: Tournament) -> set[str]:
    return {
        check
        for part, check, subject, _ in found(audit_installation())
        if (part, subject) == ("tournaments", f"tournament:{tournament.pk}")
    }


def test_intact_tournament_passes(club: Tournament) -> None:
    report = audit_tournament(club.pk)
    assert report.faults == []
    checked = verdicts(report, "tournaments")
    assert checked.pop("checkpoint") == "not-run"
    assert set(checked.values()) == {"passed"}
    assert report.tallies["games", "moves"].passed == 2


def test_changed_record_is_found(club: Tournament, tamper: Tamper, subtests: pytest.Subtests) -> None:
    for sql, checks in [
        ("UPDATE tournaments_tournament SET fee = fee + 1", {"record"}),
        ("UPDATE tournaments_tournament SET entropy = commitment", {"record"}),
        ("UPDATE tournaments_entry SET client_seed = 'mine'", {"record"}),
        ("UPDATE tournaments_round SET state = 'open', closed_at = NULL WHERE number = 2", {"record"}),
        ("UPDATE tournaments_secretseed SET seed = %s", {"seed"}),
        ("UPDATE games_revealedseed SET seed = %s", {"record"}),
        ("UPDATE games_gamerecord SET deal = deal + 1", {"seed", "deals"}),
        ("UPDATE tournaments_tablegame SET deal = deal + 10", {"deals", "record", "worth"}),
    ]:
        with subtests.test(sql=sql, checks=checks), transaction.atomic():
            tamper(sql, *[b"s" * 32] * sql.count("%s"))
            assert wrong(club) == checks
            transaction.set_rollback(True)


def test_game_not_following_in_match_is_found(tamper: Tamper, subtests: pytest.Subtests) -> None:
    match = CLUB.replace("rounds = 2", "rounds = 1\ngames = 2").replace("count = 3", "count = 2")
    held = hold(read(match), organizer=person("olga"), now=NOW, look=lambda tournament: None)
    assert wrong(held) == set()
    first, second = GameRecord.objects.order_by("deal")
    assert second.config == {**first.config, "dealer": 1, "previous_winner": first.outcome["winners"][0]}
    for game, config in (
        (first, {**first.config, "dealer": 1}),
        (second, {**second.config, "dealer": 0}),
        (second, {**second.config, "previous_winner": None}),
    ):
        with subtests.test(config=config), transaction.atomic():
            tamper(
                "UPDATE games_gamerecord SET config = %s WHERE id = %s",
                orjson.dumps(config).decode(),
                game.pk,
            )
            assert wrong(held) == {"deals"}
            transaction.set_rollback(True)
    other = {**first.outcome, "winners": [1 - first.outcome["winners"][0]]}
    tamper("UPDATE games_gamerecord SET outcome = %s WHERE id = %s", orjson.dumps(other).decode(), first.pk)
    assert wrong(held) == {"deals", "worth"}


def test_result_not_given_by_game_is_found(club: Tournament, tamper: Tamper) -> None:
    """Find a changed outcome on which record and stream of the game agree."""
    game = GameRecord.objects.all()[0]
    other = orjson.dumps({**game.outcome, "winners": [], "hands": [9, 9]}).decode()
    tamper("UPDATE games_gamerecord SET outcome = %s WHERE id = %s", other, game.pk)
    assert wrong(club) == {"worth"}


def test_open_tournament_skips_later_checks(club: Tournament) -> None:
    from tests.tournaments.playing import terms
    from tournaments import services

    draft = services.create(organizer=club.organizer, terms=terms(), now=NOW)
    services.publish(tournament_id=draft.pk, actor=club.organizer, now=NOW + timedelta(seconds=1))
    result = verdicts(audit_tournament(draft.pk), "tournaments")
    assert {check for check, verdict in result.items() if verdict == "passed"} == {"chain", "record"}
