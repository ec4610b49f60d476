"""Play money that an installation gives: to a new player, and again once a day when little is left."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from accounts import services as accounts
from accounts.errors import UsernameTaken
from accounts.models import Player
from ledger import errors, selectors
from ledger.limits.services import take_time_out
from ledger.models import Transfer
from ledger.services import Leg, account, open_session, post, top_up
from tests.concurrency import endings
from tests.money import AT, CURRENCY, available, cash, fresh_key, fund

Api = Callable[[Player | None], Any]
V1 = "/api/v1"
CREDIT = 100_000

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def credit(player: Player, settings: Any) -> None:
    """The player signed up before the installation gave a credit."""
    settings.RACECARD_PLAY_CREDIT = CREDIT


def total(player: Player) -> int:
    return available(f"player:{player.pk}")


def lose(player: Player) -> None:
    """The player's whole balance goes to the site."""
    rake = account(owner="house", purpose="rake", currency=CURRENCY)
    legs = [Leg(cash(player.pk), rake, total(player), "lost")]
    post(key=fresh_key(), legs=legs, actor="test", at=AT)


def offered(player: Player, **later: int) -> int:
    own = selectors.wallet(player=player.pk, currency=CURRENCY)
    return selectors.offered_top_up(player=player.pk, currency=CURRENCY, own=own, at=AT + timedelta(**later))


def test_a_new_player_has_the_credit_as_a_deposit() -> None:
    player = accounts.sign_up(username="new", password="correct horse battery", now=AT)
    assert total(player) == CREDIT
    [line] = Transfer.objects.filter(credit__key=str(player.pk))
    assert (line.debit.purpose, line.reason, line.actor) == (
        "external",
        "credit of a new player",
        "system:play-money",
    )


def test_an_installation_without_a_credit_gives_none(settings: Any) -> None:
    settings.RACECARD_PLAY_CREDIT = 0
    player = accounts.sign_up(username="new", password="correct horse battery", now=AT)
    assert (total(player), offered(player)) == (0, 0)
    with pytest.raises(errors.TopUpRefused):
        top_up(player=player.pk, at=AT)


def test_a_name_that_is_taken_gives_nobody_money(player: Player) -> None:
    with pytest.raises(UsernameTaken):
        accounts.sign_up(username=player.username, password="correct horse battery", now=AT)
    assert not Transfer.objects.exists()


def test_a_guest_has_the_credit_after_signing_up() -> None:
    guest = accounts.create_guest(now=AT)
    assert total(guest) == 0
    accounts.sign_up_guest(player=guest, username="stays", password="correct horse battery")
    assert total(guest) == CREDIT


def test_a_bot_has_no_credit() -> None:
    assert total(accounts.create_bot(name="Bot 1")) == 0


@pytest.mark.parametrize(("left", "added"), [(0, CREDIT), (9_999, 90_001), (10_000, 0), (CREDIT, 0)])
def test_less_than_a_tenth_is_topped_up_to_the_whole(player: Player, left: int, added: int) -> None:
    if left:
        fund(cash(player.pk), left)
    assert offered(player) == added
    if not added:
        with pytest.raises(errors.TopUpRefused):
            top_up(player=player.pk, at=AT)
        return
    top_up(player=player.pk, at=AT)
    assert total(player) == CREDIT


def test_money_in_a_play_session_counts(player: Player) -> None:
    fund(cash(player.pk), CREDIT)
    open_session(player=player.pk, amount=CREDIT, currency=CURRENCY, key=fresh_key(), at=AT)
    assert (total(player), offered(player)) == (0, 0)


def test_a_player_is_topped_up_once_a_day(player: Player) -> None:
    top_up(player=player.pk, at=AT)
    lose(player)
    assert (offered(player), offered(player, days=1)) == (0, CREDIT)
    with pytest.raises(errors.TopUpRefused):
        top_up(player=player.pk, at=AT)
    top_up(player=player.pk, at=AT + timedelta(days=1))
    assert total(player) == CREDIT


def test_a_time_out_refuses_it(player: Player) -> None:
    take_time_out(player=player.pk, hours=24, key=fresh_key(), actor=f"player:{player.pk}", at=AT)
    with pytest.raises(errors.PlayStopped):
        top_up(player=player.pk, at=AT)


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_requests_at_the_same_time_top_up_once(player: Player) -> None:
    ended = endings(*[lambda: top_up(player=player.pk, at=AT)] * 3)
    assert sorted(ended) == ["done", "top-up-refused", "top-up-refused"]
    assert total(player) == CREDIT


def test_the_wallet_offers_it_and_a_repeated_request_adds_nothing(api: Api, player: Player) -> None:
    client = api(player)
    assert client.get(f"{V1}/wallet/").json()["top_up"] == CREDIT
    first, again = (client.post(f"{V1}/wallet/top-up/", {}, key="once").json() for _ in range(2))
    assert first == again
    assert (first["accounts"]["cash"]["total"], first["top_up"]) == (CREDIT, 0)
    refused = client.post(f"{V1}/wallet/top-up/", {})
    assert (refused.status_code, refused.json()["code"]) == (409, "top-up-refused")
