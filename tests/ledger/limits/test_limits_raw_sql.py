"""Protection against SQL: no row changes, no limit rises early, no stop is shortened."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import DatabaseError, transaction

from accounts.models import Player
from ledger.limits import protection
from ledger.limits.models import LimitChange, PlayStop, ProtectedPlayer
from ledger.limits.services import set_limit, take_time_out
from tests.ledger.raw_sql import changes_refused, refused, rows_are_kept, run
from tests.money import AT, CURRENCY, fresh_key

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


@pytest.fixture
def limited(player: Player) -> UUID:
    order = {"player": player.pk, "actor": "test", "at": AT}
    set_limit(kind="stake", period="day", amount=500, currency=CURRENCY, key="first", **order)
    take_time_out(hours=24, key="out", **order)
    return player.pk


def everything() -> list[Any]:
    return [list(model.objects.order_by("pk").values()) for model in (ProtectedPlayer, LimitChange, PlayStop)]


def test_rows_cannot_be_changed_or_removed(limited: UUID) -> None:
    changes_refused("ledger_limitchange", ("amount = 10000", "effective_at = at", "player = player"))
    changes_refused("ledger_playstop", ("until = at", "until = NULL"))
    changes_refused("ledger_protectedplayer", ["since = since"])
    rows_are_kept(ProtectedPlayer, LimitChange, PlayStop)


def write_limit(player: UUID, **row: Any) -> LimitChange:
    """Insert a row without the services, with arbitrary figures."""
    whole = {
        "currency": CURRENCY,
        "kind": "stake",
        "period": "day",
        "at": AT + HOUR,
        "effective_at": AT + HOUR,
        "key": fresh_key(),
    } | row
    with transaction.atomic():
        return LimitChange.objects.create(protected_id=player, **whole)


def test_a_forged_change_is_refused(limited: UUID, subtests: pytest.Subtests) -> None:
    before = everything()
    for forged in [
        # An immediate raise, with a true or false value of the limit in force.
        {"amount": 501, "was": 500},
        {"amount": None, "was": 500},
        {"amount": 900, "was": 1000},
        {"amount": 900, "was": None},
        {"amount": None, "was": None},
        # A raise after less than a day.
        {"amount": 501, "was": 500, "effective_at": AT + HOUR + DAY - timedelta(seconds=1)},
        {"amount": 501, "was": 900, "effective_at": AT + HOUR + DAY},
        # Before the change that it follows, or in force before its request.
        {"amount": 400, "was": 500, "at": AT - HOUR, "effective_at": AT - HOUR},
        {"amount": 400, "was": 500, "effective_at": AT},
        {"amount": -1, "was": 500},
        {"amount": 10**11 + 1, "was": 500, "effective_at": AT + 2 * DAY},
        {"kind": "win", "amount": 4, "was": None},
        {"period": "year", "amount": 4, "was": None},
    ]:
        with subtests.test(forged=forged):
            with pytest.raises(DatabaseError):
                write_limit(limited, **forged)
            assert everything() == before


def test_valid_changes_are_accepted(limited: UUID) -> None:
    """This shows that the refusals above have the expected reason."""
    write_limit(limited, amount=900, was=500, effective_at=AT + HOUR + DAY)
    write_limit(limited, amount=400, was=500, at=AT + 2 * HOUR, effective_at=AT + 2 * HOUR)
    write_limit(limited, amount=None, was=400, at=AT + 3 * HOUR, effective_at=AT + 3 * HOUR + DAY)
    late = AT + 3 * HOUR + DAY
    write_limit(limited, amount=None, was=None, at=late, effective_at=late + DAY)
    in_force = protection.limits_in_force(player=limited, currency=CURRENCY, at=late)
    assert in_force == {}


@pytest.mark.sqlite
def test_an_amount_that_is_not_an_integer_is_refused(limited: UUID) -> None:
    sql = (
        "INSERT INTO ledger_limitchange (player, currency, kind, period, amount, was, at, effective_at, actor, reason, "
        "key, fingerprint) SELECT player, currency, kind, 'week', %s, NULL, at, at, '', '', 'k', '' "
        "FROM ledger_limitchange"
    )
    run(sql, 5)
    for amount in (1.5, "abc", b"5"):
        refused(sql.replace("'week'", "'month'").replace("'k'", "'l'"), amount)


def write_stop(player: UUID, kind: str, until: datetime | None) -> PlayStop:
    with transaction.atomic():
        return PlayStop.objects.create(protected_id=player, kind=kind, at=AT, until=until, key=fresh_key())


def test_a_stop_of_another_length_is_refused(limited: UUID, subtests: pytest.Subtests) -> None:
    for kind, until in [
        ("time-out", None),
        ("time-out", AT),
        ("time-out", AT + HOUR - timedelta(seconds=1)),
        ("time-out", AT + 42 * DAY + timedelta(seconds=1)),
        ("self-exclusion", AT - DAY),
        ("self-exclusion", AT + 180 * DAY),
        ("self-exclusion", AT + 1828 * DAY),
        ("holiday", AT + 2 * HOUR),
    ]:
        with subtests.test(kind=kind, until=until), pytest.raises(DatabaseError):
            write_stop(limited, kind, until)


def test_a_further_stop_does_not_shorten_an_earlier_one(limited: UUID) -> None:
    write_stop(limited, "self-exclusion", AT + 200 * DAY)
    write_stop(limited, "time-out", AT + HOUR)
    stop = protection.stopped(player=limited, at=AT + 150 * DAY)
    assert stop is not None
    assert stop.until == AT + 200 * DAY
    write_stop(limited, "self-exclusion", None)
    stop = protection.stopped(player=limited, at=AT + 5000 * DAY)
    assert stop is not None
    assert stop.until is None
