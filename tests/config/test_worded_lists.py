"""Lists and records of staff show people, subjects, and states in words, and fold what is technical."""

from __future__ import annotations

import re
from uuid import UUID, uuid4

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone

from accounts.models import Player
from games.models import GameRecord
from jobs.models import Job
from ledger.models import Transfer
from staff.actions import record_action
from tests.games.tables import dealt
from tests.money import cash, fund

pytestmark = pytest.mark.django_db


@pytest.fixture
def staff(client: Client, administrator: Player) -> Client:
    client.force_login(administrator, backend=settings.AUTHENTICATION_BACKENDS[-1])
    return client


@pytest.fixture
def game(player: Player) -> GameRecord:
    return dealt("vegas-solitaire", [player], now=timezone.now())


def cells(page: str) -> list[str]:
    """Return the cells of the list as text."""
    rows = page.partition('id="result_list"')[2].split("<tbody>", 1)[1].split("</tbody>", 1)[0]
    return [
        re.sub(r"<[^>]+>", "", cell).strip() for cell in re.findall(r"<t[dh].*?</t[dh]>", rows, re.DOTALL)
    ]


def test_a_job_is_listed_by_its_kind_its_subject_and_a_coloured_state(
    staff: Client, game: GameRecord
) -> None:
    Job.objects.all().delete()
    Job.objects.create(kind="games.expire", key="k", payload={"game": str(game.pk)}, due=timezone.now())
    page = staff.get("/admin/jobs/job/").content.decode()
    assert cells(page)[1:4] == ["Games: expire", str(game), "waiting"]
    assert f'href="/admin/games/gamerecord/{game.pk}/change/"' in page
    assert '<span class="state state-warn">waiting</span>' in page


def test_a_record_names_its_actor_and_folds_ids(staff: Client, player: Player, administrator: Player) -> None:
    fund(cash(player.pk), 750)
    made = Transfer.objects.get()
    page = staff.get(f"/admin/ledger/transfer/{made.pk}/change/").content.decode()
    shown, folded = page.split("<summary>Technical details</summary>")
    assert f"{player}: wallet" in shown
    assert str(made.uuid) in folded
    assert str(made.uuid) not in shown
    assert made.key in folded


@pytest.mark.parametrize(
    ("actor", "name"), [(None, "the command line"), (UUID(int=7), "player 00000007")], ids=["command", "gone"]
)
def test_a_staff_action_names_the_command_line_only_if_no_one_is_its_actor(
    staff: Client, actor: UUID | None, name: str
) -> None:
    who = None if actor is None else Player(pk=actor)
    record_action(
        actor=who, action="fund-bank", at=timezone.now(), subject="house:vegas-classic", reason="x y z"
    )
    assert cells(staff.get("/admin/staff/actionrecord/").content.decode())[1:5] == [
        name,
        "Fund bank",
        "Vegas classic",
        "x y z",
    ]


def test_a_filter_by_an_empty_column_names_its_choices(staff: Client) -> None:
    page = staff.get("/admin/ledger/freeze/").content.decode()
    choices = re.findall(r'<a href="\?(?:released_at__isempty=\d)?"[^>]*>([^<]+)</a>', page)
    assert choices == ["All", "In force", "Released"]
    assert staff.get("/admin/ledger/freeze/?released_at__isempty=1").status_code == 200


def test_a_report_of_a_player_is_called_by_the_player_and_the_reason(
    staff: Client, player: Player, rival: Player
) -> None:
    report = player.reports.create(
        reporter=rival, reason="name", text="mine", game=uuid4(), created=timezone.now()
    )
    page = staff.get(f"/admin/accounts/playerreport/{report.pk}/change/").content.decode()
    assert f"{player}: offensive name" in page
    assert "<dd>mine</dd>" in page
