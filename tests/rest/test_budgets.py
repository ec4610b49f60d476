"""Expensive operations are limited by the processor time that they take, of an account and of an address."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest
from django.http import StreamingHttpResponse
from django.test import override_settings
from rest_framework.response import Response
from rest_framework.test import APIRequestFactory

from accounts.models import Player
from games import services
from rest import budgets
from rest.budgets import RESERVED, Budget, BudgetedView, BudgetSpent
from rest.problems import status_of
from tests.conftest import NOW
from tests.security.world import operations


class Clock(SimpleNamespace):
    """The wall clock does not move; a test sets what work costs."""

    def __init__(self) -> None:
        super().__init__(wall=1_800_000_000.0, spent=0.0)

    def time(self) -> float:
        return float(self.wall)

    def thread_time(self) -> float:
        return float(self.spent)


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    one = Clock()
    monkeypatch.setattr(budgets, "time", one)
    return one


def budget(account: str | None = "ann", address: str = "198.51.100.7") -> Budget:
    return Budget("history", account=account, address=address)


def work(clock: Clock, seconds: float, *, of: Budget, more: float = 0.0) -> None:
    of.open()
    clock.spent += seconds
    of.close(more=more)


@override_settings(API_BUDGETS={"history": (2, 5, 60)})
def test_an_account_is_charged_what_its_work_has_cost(clock: Clock) -> None:
    work(clock, 1.9, of=budget())
    work(clock, 0.2, of=budget())
    with pytest.raises(BudgetSpent) as spent:
        budget().open()
    assert (status_of(spent.value), spent.value.code) == (429, "budget-spent")
    assert 0 < spent.value.extra["retry_after"] <= 60
    assert budget("bob").wait() == 0
    clock.wall += spent.value.extra["retry_after"]
    assert budget().wait() == 0, "the next window begins with a full budget"


@override_settings(API_BUDGETS={"history": (2, 5, 60)})
def test_an_address_is_charged_for_all_accounts(clock: Clock) -> None:
    for account in ("ann", "bob", "cid"):
        work(clock, 1.8, of=budget(account))
    assert budget("dan").wait() > 0
    assert budget("dan", "198.51.100.8").wait() == 0


@override_settings(API_BUDGETS={"history": (2, 5, 60)})
def test_those_who_are_not_signed_in_share_one_account(clock: Clock) -> None:
    work(clock, 2, of=budget(None))
    assert budget(None).wait() > 0
    assert budget("ann").wait() == 0


@override_settings(API_BUDGETS={"history": (1, 5, 60)})
def test_only_so_many_begin_at_the_same_moment() -> None:
    """A started operation holds a reservation before its cost is known."""
    for _ in range(1000 // RESERVED):
        budget().open()
    with pytest.raises(BudgetSpent):
        budget().open()


@override_settings(API_BUDGETS={"history": (2, 5, 60)})
def test_work_that_a_job_will_do_is_charged_too(clock: Clock) -> None:
    work(clock, 0.1, of=budget(), more=2.0)
    assert budget().wait() > 0


BUDGETED = {
    "hints": ["game-hint"],
    "history": [
        *("audit-game", "audit-tournament", "changes"),
        *("game-bundle", "game-events", "game-evidence", "game-evidence-event", "game-received"),
        *("game-recording", "game-replay", "game-verification"),
        *("tournament-bracket", "tournament-entries-csv", "tournament-events"),
        *("tournament-pairings", "tournament-pairings-csv"),
        *("tournament-round", "tournament-round-csv", "tournament-rounds"),
        *("tournament-standings", "tournament-standings-csv", "tournament-standings-entry"),
    ],
    "previews": ["tournament-preview"],
}
"""Addresses by the budget that pays for them. All only read."""


def test_every_expensive_operation_has_its_budget() -> None:
    found: dict[str, list[str]] = {}
    for method, name, _, view in operations():
        if issubclass(view, BudgetedView):
            assert method == "get" or name == "tournament-preview"
            found.setdefault(view.budget, []).append(name)
    assert {budget: sorted(names) for budget, names in found.items()} == BUDGETED


@pytest.mark.django_db
def test_over_rest(
    clock: Clock, api: Callable[[Player | None], Any], player: Player, rival: Player, settings: Any
) -> None:
    game = services.create_game(rules="racing-aces", config={}, seats=2, creator=player, now=NOW)
    address = f"/api/v1/games/{game.pk}/"
    client = api(player)
    assert client.get(f"{address}replay/").status_code == 200
    settings.API_BUDGETS = {**settings.API_BUDGETS, "history": (0, 60, 60)}
    for tail in ("replay/", "recording/", "events/", "verification/", "bundle/", "evidence/"):
        answer = client.get(address + tail)
        assert (answer.status_code, answer.json()["code"]) == (429, "budget-spent"), tail
        assert 0 < int(answer["Retry-After"]) <= 60
    assert client.get(address).status_code == 200, "the table itself can always be seen"
    settings.API_BUDGETS = {**settings.API_BUDGETS, "history": (20, 60, 60)}
    assert api(rival).get(f"{address}replay/").status_code == 200


def view_of(answer: Callable[[BudgetedView], Any], clock: Clock) -> Any:
    """A view that takes a second of processor time for each answer."""

    class Work(BudgetedView):
        authentication_classes: ClassVar[list[Any]] = []
        permission_classes: ClassVar[list[Any]] = []
        budget = "history"

        def get(self, request: Any) -> Any:
            clock.spent += 1
            return answer(self)

    return Work.as_view()


@override_settings(API_BUDGETS={"history": (2, 5, 60)})
def test_a_view_is_charged_for_the_job_that_it_has_scheduled(clock: Clock) -> None:
    def answer(view: BudgetedView) -> Response:
        view.caused = 1.0
        return Response({})

    view_of(answer, clock)(APIRequestFactory().get("/"))
    assert budget(None, "127.0.0.1").wait() > 0


@override_settings(API_BUDGETS={"history": (2, 5, 60)})
def test_an_answer_in_pieces_is_charged_until_its_last_piece(clock: Clock) -> None:
    def pieces() -> Iterator[bytes]:
        for _ in range(2):
            clock.spent += 0.5
            yield b"x"

    answer = view_of(lambda view: StreamingHttpResponse(pieces()), clock)(APIRequestFactory().get("/"))
    assert budget(None, "127.0.0.1").wait() == 0
    assert answer.getvalue() == b"xx"
    assert budget(None, "127.0.0.1").wait() > 0


@pytest.mark.django_db
def test_a_forbidden_request_is_not_charged(api: Callable[[Player | None], Any], settings: Any) -> None:
    settings.API_BUDGETS = {**settings.API_BUDGETS, "history": (0, 0, 60)}
    anyone = "/api/v1/games/00000000-0000-4000-8000-000000000000/replay/"
    assert api(None).get(anyone).status_code == 401
