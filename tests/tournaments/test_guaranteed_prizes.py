"""Fixed and guaranteed prizes: held at publication, paid exactly at the end, released at a cancellation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import call_command
from django.db import transaction

from accounts.models import Player
from accounts.roles import Role
from ledger import services as ledger
from ledger.errors import HoldResolved
from ledger.models import Account, Hold, HoldState
from ledger.reconciliation.models import Difference
from ledger.reconciliation.services import reconcile_all
from ledger.reports import reports
from ledger.reports.reports import Period
from ledger.selectors import balance, transfers_of
from tests.conftest import known
from tests.databases import shared
from tests.ledger.locks import in_order, taken_too_early
from tests.money import CURRENCY, available, fund
from tests.tampering import tamper
from tests.tournaments.conftest import Publish, publish
from tests.tournaments.playing import (
    NOW,
    SEED,
    begin,
    close_round,
    enter,
    later,
    play_round,
    rich,
    settle,
    start,
    status_of,
    terms,
)
from tournaments import selectors, services
from tournaments.errors import BadTerms, GuaranteeNotCovered, GuaranteeTooHigh
from tournaments.formats.replay import replay
from tournaments.models import Status, Tournament
from tournaments.prizes import money, settlement
from tournaments.report import account
from tournaments.rounds import selectors as round_selectors

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


def held() -> int:
    return balance(owner="house", purpose="bank", currency=CURRENCY).held


def played(tournament: Tournament) -> Tournament:
    enter(tournament, rich("cid"), rich("dan"))
    start(tournament)
    play_round(tournament, 1)
    assert status_of(tournament) == Status.FINISHED
    return tournament


def events(tournament: Tournament) -> list[dict[str, Any]]:
    return selectors.events_for(None, tournament.pk)


@shared
def paid() -> Tournament:
    tournament = publish(known("olga", Role.ORGANIZER), rounds=1, rake=1000, guarantee=3000)
    assert held() == 3000
    return played(tournament)


def test_the_guarantee_is_held_and_the_rest_released_at_the_end(paid: Tournament) -> None:
    # 1,000 of fees less 100 of rake: the site adds 2,100.
    assert (held(), available("house", "bank")) == (0, 900)
    assert available("house", "rake") == 100
    assert available(paid.subject, "escrow") == 0
    won = [row["amount"] for row in transfers_of(paid.subject) if row["reason"] == "prize"]
    assert sum(won) == 3000
    [message] = [event["data"] for event in events(paid) if event["type"] == "prizes"]
    assert (message["pool"], message["rake"], message["overlay"]) == (1000, 100, 2100)


def test_a_guarantee_below_the_fees_is_not_used(published: Publish) -> None:
    tournament = played(published(rounds=1, guarantee=999))
    assert (held(), available("house", "bank")) == (0, 999)
    assert "guarantee" not in [row["reason"] for row in transfers_of(tournament.subject)]


def test_a_cancelled_tournament_releases_the_guarantee_and_refunds_the_fees(published: Publish) -> None:
    tournament = published(guarantee=3000)
    cid = rich("cid")
    enter(tournament, cid)
    services.cancel(tournament_id=tournament.pk, actor=None, reason="fog", now=NOW)
    assert (held(), available("house", "bank"), available(f"player:{cid.pk}")) == (0, 3000, 10_000)
    assert Hold.objects.get(subject=tournament.subject).state == HoldState.RELEASED


def test_prizes_can_be_guaranteed_without_a_fee(published: Publish) -> None:
    tournament = played(published(rounds=1, fee=0, guarantee=700, amounts=(400, 200), prizes=()))
    standings = round_selectors.standings(tournament, None)["standings"]
    assert sum(each["prize"] for each in standings) == 700


def test_the_replay_the_accounts_and_the_ledger_agree(published: Publish) -> None:
    tournament = played(
        published(rounds=1, rake=500, guarantee=2000, amounts=(900, 600), prizes=(7000, 3000))
    )
    replayed = replay(str(tournament.pk), events(tournament))
    assert replayed.difference is None
    document = account(tournament, replayed, None)
    assert [check["what"] for check in document["checks"] if not check["ok"]] == []
    assert document["money"] == {
        "currency": CURRENCY, "fees": 1000, "overlay": 1050, "prizes": 2000, "rake": 50, "left": 0,
    }  # fmt: skip
    assert reconcile_all().ok


def test_replay_finds_an_overlay_that_the_terms_do_not_give(
    paid: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as other:
        other.setattr("tournaments.formats.replay.prizes.overlay", lambda *_, **__: 999)
        found = replay(str(paid.pk), events(paid)).difference
    assert found is not None
    assert (found.what, found.recorded, found.derived) == ("what the bank adds", 2100, 999)


def test_the_site_report_contains_the_overlay(paid: Tournament) -> None:
    found = reports.tournament_total(Period(CURRENCY))
    assert (found.stakes, found.winnings, found.rake, found.overlay, found.bank) == (
        1000,
        3000,
        100,
        -2100,
        0,
    )
    assert (
        found.stakes - found.refunds - found.winnings
        == found.liability + found.margin + found.promotion + found.overlay
    )


def test_fixed_prizes_that_might_not_be_covered_are_refused(published: Publish) -> None:
    for changes in (
        {"fee": 0, "amounts": (1,)},
        {"fewest": 3, "rake": 1000, "amounts": (1000, 351)},
        {"guarantee": 1500, "amounts": (1000, 501)},
    ):
        with pytest.raises(BadTerms, match=r"only [\d.]+ play money are sure"):
            published(**changes)
    with pytest.raises(BadTerms, match="amounts: no place pays more than a better one"):
        published(amounts=(100, 200))


def test_fixed_prizes_that_the_minimum_of_entrants_covers_need_no_guarantee(published: Publish) -> None:
    assert published(fewest=3, rake=1000, amounts=(1000, 350)).amounts == [1000, 350]


def test_the_guarantees_of_an_organizer_have_a_total_limit(
    published: Publish, organizer: Player, settings: Any
) -> None:
    settings.RACECARD_ORGANIZER_GUARANTEE = 5000
    first = published(guarantee=3000)
    with pytest.raises(
        GuaranteeTooHigh, match=r"guarantee 50\.00 play money in all; 30\.00 play money are guaranteed"
    ) as refused:
        published(guarantee=2001)
    assert refused.value.extra == {"maximum": 5000, "guaranteed": 3000}
    assert held() == 3000
    published(guarantee=2000)
    services.cancel(tournament_id=first.pk, actor=None, reason="fog", now=NOW)
    published(guarantee=3000)


def test_an_administrator_publishes_a_guarantee_above_the_limit(
    organizer: Player, administrator: Player, settings: Any
) -> None:
    settings.RACECARD_ORGANIZER_GUARANTEE = 0
    draft = services.create(organizer=organizer, terms=terms(guarantee=10), now=NOW)
    services.publish(tournament_id=draft.pk, actor=administrator, now=NOW, seed=SEED)
    assert held() == 10


def test_a_guarantee_of_real_money_requires_the_funds(
    published: Publish, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setattr(money, "PLAY_MONEY", "XXX")
    with pytest.raises(GuaranteeNotCovered, match=r"30\.00 play money are missing"):
        published(guarantee=3000)
    assert Tournament.objects.filter(status=Status.PUBLISHED).count() == 0
    call_command("fund_house", "bank", "3000", "--reason", "spring cup", "--key", "one")
    call_command("fund_house", "bank", "3000", "--reason", "spring cup", "--key", "one")
    assert "house/bank has 3000 pence" in capsys.readouterr().out
    published(guarantee=3000)
    assert (held(), available("house", "bank")) == (3000, 0)


def test_held_money_cannot_guarantee_another_tournament(
    published: Publish, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(money, "PLAY_MONEY", "XXX")
    fund(money.bank(CURRENCY), 3000)
    published(guarantee=2000)
    with pytest.raises(GuaranteeNotCovered, match=r"10\.00 play money are missing"):
        published(guarantee=2000)


def found_after(change: Callable[[], object]) -> list[Difference]:
    """Return what reconciliation finds after the change, and undo the change."""
    with transaction.atomic():
        change()
        found = reconcile_all().differences
        transaction.set_rollback(True)
    return found


def test_a_missing_hold_is_found(published: Publish) -> None:
    tournament = published(guarantee=3000)
    [hold] = Hold.objects.filter(subject=tournament.subject)
    found = found_after(lambda: ledger.release(hold=hold.pk, actor="test", at=NOW))
    assert [(each.what, each.recorded, each.derived) for each in found] == [("the hold for prizes", 0, 3000)]


@pytest.mark.both_databases
def test_an_overlay_of_another_amount_is_found(paid: Tournament) -> None:
    found = found_after(
        lambda: tamper("UPDATE ledger_transfer SET amount = amount - 1 WHERE reason = 'guarantee'")
    )
    [wrong] = [each for each in found if each.what == "tournament money"]
    assert (wrong.subject, wrong.account) == (paid.subject, f"house/bank to {paid.subject}/escrow")


def test_the_guarantee_is_settled_once(paid: Tournament) -> None:
    settlement.finish(tournament_id=paid.pk, now=later(9))
    [hold] = Hold.objects.filter(subject=paid.subject)
    with pytest.raises(HoldResolved):
        ledger.release(hold=hold.pk, actor="test", at=NOW)
    assert money.guarantee_captured(paid) == 2100


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_paying_a_guarantee_locks_accounts_in_order(published: Publish) -> None:
    tournament = begin(published, "cid", "dan", rounds=1, rake=500, guarantee=9000)
    close_round(tournament)
    pays = {
        "prizes": lambda: settle(tournament),
        "refunds": lambda: services.cancel(tournament_id=tournament.pk, actor=None, reason="fog", now=NOW),
    }
    for name, pay in pays.items():
        _, early = taken_too_early(pay, in_order(Account.objects.all()))
        assert early == [], name


def test_the_prize_plan_shows_what_each_place_would_pay_now(published: Publish) -> None:
    tournament = published(fewest=2, rake=1000, guarantee=2000, amounts=(500,), prizes=(6000, 4000))

    def plan() -> Any:
        tournament.refresh_from_db()
        return selectors.document(tournament, None, now=NOW)["prize_plan"]

    assert plan() == {"entrants": 2, "fees": 1000, "rake": 100, "overlay": 1100, "places": [1400, 600]}
    enter(tournament, *[rich(name) for name in ("cid", "dan", "eva", "flo", "gus")])
    assert plan() == {"entrants": 5, "fees": 2500, "rake": 250, "overlay": 0, "places": [1550, 700]}
    services.cancel(tournament_id=tournament.pk, actor=None, reason="fog", now=NOW)
    assert plan() is None


def test_standings_show_what_each_place_would_be_paid_now(published: Publish) -> None:
    tournament = begin(
        published, "cid", "dan", rounds=2, rake=700, guarantee=2000, amounts=(500, 200), prizes=()
    )
    tournament.refresh_from_db()
    plan = selectors.document(tournament, None, now=NOW)["prize_plan"]
    assert plan is not None

    def shown() -> list[tuple[int, int | None, int | None]]:
        rows = round_selectors.standings(tournament, None)["standings"]
        return [(row["place"], row["prize"], row["prize_now"]) for row in rows]

    assert [now for _, _, now in shown()] == [None, None]
    play_round(tournament, 1)
    first, second = plan["places"]
    assert shown() == [(1, None, first), (2, None, second)]
    play_round(tournament, 2)
    tournament.refresh_from_db()
    assert shown() == [(1, first, None), (2, second, None)], "what the plan says is paid"
