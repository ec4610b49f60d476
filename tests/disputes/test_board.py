"""The board on the page of a dispute: before and after an event, the cards that moved, the rule, and the money."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse

from accounts.models import Player
from disputes.models import Dispute
from disputes.staff.board import piles_of
from games.models import EarlyAccess, GameRecord
from tests.disputes.conftest import Opens
from tests.disputes.test_staff_pages import signed_in
from tests.games.staked import dealt

pytestmark = pytest.mark.django_db


@pytest.fixture
def dispute(played: GameRecord, player: Player, opened: Opens) -> Dispute:
    return opened(played, player, version=5)


def shown(who: Player, dispute: Dispute, query: str = "") -> Any:
    answer = signed_in(who).get(reverse("admin:dispute_page", args=[dispute.pk]) + query)
    assert answer.status_code == 200
    return answer


def test_the_board_opens_at_the_disputed_event_with_both_sides(dispute: Dispute, auditor: Player) -> None:
    board = shown(auditor, dispute).context["board"]
    assert board.version == dispute.version
    assert board.event["before"] is not None
    assert board.event["rules"] == "passed"
    assert board.server_time is not None
    for asked, version in (
        ("0", 1),
        ("99999", board.last),
        ("x", dispute.version),
        ("9" * 30, dispute.version),
    ):
        assert shown(auditor, dispute, f"?at={asked}").context["board"].version == version


@pytest.mark.parametrize("stride", [12, pytest.param(1, marks=pytest.mark.nightly)])
def test_each_step_marks_the_cards_that_moved_and_names_people(
    dispute: Dispute, auditor: Player, stride: int
) -> None:
    last = shown(auditor, dispute).context["board"].last
    moved = 0
    for version in {*range(1, last + 1, stride), last}:
        board = shown(auditor, dispute, f"?at={version}").context["board"]
        assert board.version == version
        assert str(dispute.opener_id) not in board.happened
        assert "eat 0" not in board.happened
        if board.event["before"] is None or board.event["after"] is None:
            continue
        was, becomes = (dict(piles_of(board.event[side])) for side in ("before", "after"))
        assert [pile.is_changed for pile in board.piles] == sorted(
            (pile.is_changed for pile in board.piles), reverse=True
        ), "the piles that change come first"
        assert sum(pile.is_changed for pile in board.piles) == sum(
            sorted(was.get(path, ())) != sorted(becomes.get(path, ())) for path in {*was, *becomes}
        )
        moved += any(pile.is_changed for pile in board.piles)
    assert moved > 0


def test_the_board_of_a_game_in_play_is_shown_on_request_and_recorded(
    people: list[Player], auditor: Player, administrator: Player, opened: Opens
) -> None:
    dispute = opened(dealt("ace-race", people), people[0])
    looked = EarlyAccess.objects.filter(viewer=auditor, game=dispute.game, what="evidence")
    page = shown(auditor, dispute)
    assert "board" not in page.context
    assert "Show the board" in page.content.decode()
    assert not looked.exists()
    assert "board" in shown(auditor, dispute, "?board=1").context
    assert looked.count() == 1
    assert "board" not in shown(administrator, dispute, "?board=1").context


def test_the_money_of_the_game_is_in_words(dispute: Dispute, auditor: Player) -> None:
    page = shown(auditor, dispute)
    [first, *_] = page.context["money"]
    assert first.movement.debit.startswith(f"{dispute.opener}: ")
    assert first.movement.amount == "5.20 play money"
    assert "house/" not in page.content.decode()
