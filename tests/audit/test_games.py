"""Test audits of games. Corruptions on PostgreSQL are those of test_corruption_matrix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson
import pytest

from accounts.models import Player
from audit.services import audit_game, audit_installation
from eventstore import store
from games.models import GameRecord
from tests.audit.conftest import found, verdicts

pytestmark = [pytest.mark.django_db, pytest.mark.sqlite]

Tamper = Callable[..., None]


def test_intact_installation_passes(player: Player, collected: GameRecord) -> None:
    report = audit_installation()
    assert (report.ok, report.faults) == (True, [])
    assert (report.counted["games"], report.counted["streams"]) == (1, 1)
    assert report.counted["events"] == store.head(collected.pk).version
    assert set(verdicts(report, "games").values()) == {"passed"}


def test_running_game_skips_final_checks(player: Player, vegas: Callable[..., Any]) -> None:
    vegas(player)
    result = verdicts(audit_installation(), "games")
    assert {check for check, verdict in result.items() if verdict == "not-run"} == {
        "tournament-seed",
        "client-seeds",
        "outcome",
        "escrow",
        "money",
    }
    assert {result[check] for check in ("commitment", "deal", "seals", "moves", "facts", "record")} == {
        "passed"
    }


def test_changed_event_is_found(collected: GameRecord, tamper: Tamper) -> None:
    tamper("UPDATE eventstore_event SET data = %s WHERE stream_id = %s AND version = 7", b"{}", collected.pk)
    subject = f"game:{collected.pk}"
    assert ("streams", "chain", subject, 7) in found(audit_installation())
    report = audit_game(collected.pk)
    assert ("games", "chain", subject, 7) in found(report)
    assert verdicts(report, "games")["outcome"] == "not-run"


def test_non_canonical_form_is_found(collected: GameRecord, tamper: Tamper) -> None:
    """Find data with the same meaning whose bytes differ from those hashed."""
    event = store.read(collected.pk)[6]
    events = orjson.dumps(event.data, option=orjson.OPT_INDENT_2)
    tamper("UPDATE eventstore_event SET data = %s WHERE stream_id = %s AND version = 7", events, collected.pk)
    assert found(audit_installation()) == {("streams", "chain", f"game:{collected.pk}", 7)}


def test_exchanged_sealed_card_is_found(player: Player, vegas: Callable[..., Any], tamper: Tamper) -> None:
    """Find a changed private part, which is sealed and not hashed, without disclosing it."""
    game = vegas(player)
    dealt = next(event for event in store.read(game.pk) if event.private)
    [[label, pack]] = dealt.private["packs"].items()
    data = orjson.dumps({"packs": {label: [*pack[1:], pack[0]]}})
    tamper(
        "UPDATE eventstore_event SET private = %s WHERE stream_id = %s AND version = %s",
        data,
        game.pk,
        dealt.version,
    )
    report = audit_installation()
    assert found(report) == {("games", "deal", f"game:{game.pk}", dealt.version)}
    assert pack[0] not in report.faults[0].why


def test_missing_stream_is_found(collected: GameRecord, tamper: Tamper) -> None:
    tamper("DELETE FROM eventstore_event WHERE stream_id = %s", collected.pk)
    tamper("DELETE FROM eventstore_stream WHERE id = %s", collected.pk)
    report = audit_installation()
    assert ("games", "record", f"game:{collected.pk}", None) in found(report)
    assert verdicts(report, "games")["moves"] == "not-run"


def test_unreadable_stream_hides_no_other(
    player: Player, collected: GameRecord, vegas: Callable[..., Any], tamper: Tamper
) -> None:
    broken = vegas(player)
    tamper("UPDATE eventstore_event SET data = %s WHERE stream_id = %s AND version = 1", b"[", broken.pk)
    report = audit_installation()
    assert {subject for _, _, subject, _ in found(report)} == {f"game:{broken.pk}"}
    assert report.tallies["games", "moves"].passed == 1
