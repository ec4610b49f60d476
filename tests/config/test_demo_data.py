"""What a new installation starts with."""

from __future__ import annotations

import stat
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from accounts.models import Player
from accounts.roles import Role, roles_of
from config.management.commands import demo_data as demo
from ledger.selectors import balance, trial_balance
from tests.conftest import person
from tournaments.models import Status, Tournament

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def data(settings: Any, tmp_path: Path) -> Path:
    settings.DATA = tmp_path
    return tmp_path


def demo_data(**options: Any) -> str:
    out = StringIO()
    call_command("demo_data", stdout=out, **options)
    return out.getvalue()


def test_the_people_have_their_roles_and_passwords_made_for_them_alone() -> None:
    passwords = demo.fill(now=NOON)
    assert len(set(passwords.values())) == 4
    for username, roles in demo.PEOPLE.items():
        one = Player.objects.get(username=username)
        assert roles_of(one) == roles
        assert one.check_password(passwords[username])
        assert not one.is_superuser
    assert roles_of(Player.objects.get(username="auditor")) == {Role.AUDITOR}


def test_there_is_money_and_the_ledger_balances(settings: Any) -> None:
    demo.fill(now=NOON)
    currency = settings.RACECARD_CURRENCY
    player = Player.objects.get(username="player")
    assert balance(owner=f"player:{player.pk}", purpose="cash", currency=currency).total == demo.PURSE
    assert trial_balance(currency).total == 0


def test_a_tournament_is_published_that_will_start_by_itself() -> None:
    demo.fill(now=NOON)
    tournament = Tournament.objects.get()
    assert tournament.status == Status.PUBLISHED
    assert tournament.opens_at == NOON + demo.STARTS_AFTER
    assert tournament.fill_to > 0


def test_the_passwords_are_shown_once_and_stored_for_the_owner(data: Path) -> None:
    printed = demo_data()
    kept = data / "demo-passwords.txt"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    lines = kept.read_text().split()
    assert all(word in printed for word in lines)
    assert len(lines) == 8


def test_an_installation_with_people_is_left_as_it_is(data: Path) -> None:
    person("somebody")
    assert demo_data(if_empty=True) == ""
    assert "already" in demo_data()
    assert [one.username for one in Player.objects.all()] == ["somebody"]
