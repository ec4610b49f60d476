"""Expensive operations are limited by the processor time that they take, of an account and of an address."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from django.test import override_settings

from accounts.models import Player
from api import budgets
from api.budgets import RESERVED, Budget, BudgetSpent
from games import services
from tests.conftest import NOW


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
    assert (spent.value.status, spent.value.code) == (429, "budget-spent")
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
    """What has begun holds a reservation, before anybody knows what it costs."""
    for _ in range(1000 // RESERVED):
        budget().open()
    with pytest.raises(BudgetSpent):
        budget().open()


@override_settings(API_BUDGETS={"history": (2, 5, 60)})
def test_work_that_a_job_will_do_is_charged_too(clock: Clock) -> None:
    work(clock, 0.1, of=budget(), more=2.0)
    assert budget().wait() > 0


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


@pytest.mark.django_db
def test_what_is_refused_costs_a_caller_without_the_right_nothing(
    api: Callable[[Player | None], Any], settings: Any
) -> None:
    settings.API_BUDGETS = {**settings.API_BUDGETS, "history": (0, 0, 60)}
    anyone = "/api/v1/games/00000000-0000-4000-8000-000000000000/replay/"
    assert api(None).get(anyone).status_code == 401
