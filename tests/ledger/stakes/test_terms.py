"""Terms of stake tables are dated, numbered, and never deleted: terms in force, withdrawn, and of dealt games."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from accounts.models import Player
from games.rules.vegas_solitaire.manifest import VEGAS_CLASSIC
from ledger import services
from ledger.errors import (
    BadStakeTable,
    BadStakeTerms,
    BankLimit,
    InsufficientFunds,
    StakeOffStep,
    StakeTableClosed,
    StakeTableExists,
    StakeTermsChanged,
    StakeTermsStale,
)
from ledger.models import GameStake, PlaySession, StakeTable, StakeTerms
from ledger.money import MOST_PENCE
from ledger.stakes import terms as pure
from ledger.stakes.tables import (
    change_terms,
    in_force,
    in_force_and_ahead,
    open_table,
    planned,
    states,
    terms_at,
    warnings,
)
from ledger.stakes.terms import Figures
from tests.money import AT, CURRENCY, available, cash, fresh_key, fund

pytestmark = pytest.mark.django_db

SECOND = timedelta(seconds=1)
INSTANT = timedelta(microseconds=1)
BY = {"actor": "player:adam", "reason": "tried"}


def change(table: StakeTable, expected: int, begins: datetime | None = None, **changes: Any) -> StakeTerms:
    at = changes.pop("at", AT)
    figures = replace(terms_at(table, begins or at).figures, **changes)
    return change_terms(table=table, figures=figures, expected=expected, effective_from=begins, at=at, **BY)


def deal(
    session: PlaySession, table: StakeTable, stake: int = 520, at: datetime = AT, **more: Any
) -> GameStake:
    return services.take_stake(
        session=session,
        game=uuid4(),
        stake=stake,
        max_win=4 * stake,
        stake_table=table,
        event=3,
        at=at,
        **more,
    )


def test_the_maximum_amount_is_that_of_a_transfer() -> None:
    assert pure.MOST == MOST_PENCE


def test_terms_apply_from_their_time_on(vegas: StakeTable) -> None:
    begins = AT + timedelta(days=1)
    change(vegas, 1, begins, maximum=2080)
    assert terms_at(vegas, begins - INSTANT).maximum == 1_040_000
    assert terms_at(vegas, begins).maximum == 2080
    with pytest.raises(StakeOffStep):
        services.check_stake(stake=2184, stake_table=vegas, at=begins)
    assert services.check_stake(stake=2184, stake_table=vegas, at=begins - INSTANT).number == 1


def test_the_terms_in_force_cost_one_query(vegas: StakeTable) -> None:
    for number in range(1, 6):
        change(vegas, number, maximum=104 * (10 + number), default=104)
    with CaptureQueriesContext(connection) as queries:
        assert terms_at(vegas, AT).number == 6
    assert len(queries) == 1
    with CaptureQueriesContext(connection) as queries:
        assert in_force(AT)[vegas.pk].number == 6
    assert len(queries) == 1


def test_last_request_withdraws_announced_terms(vegas: StakeTable) -> None:
    later = AT + timedelta(days=10)
    change(vegas, 1, later, maximum=2080)
    change(vegas, 2, later + SECOND, maximum=3120)
    now, ahead = in_force_and_ahead(vegas.terms.all(), AT)
    assert (now and now.number, [each.number for each in ahead]) == (1, [2, 3])
    plan = planned(table=vegas, figures=VEGAS_CLASSIC, expected=3, effective_from=later + SECOND, at=AT)
    assert [each.number for each in plan.withdrawn] == [3]
    change(vegas, 3, AT + SECOND, open=False, at=AT)
    assert terms_at(vegas, later + timedelta(days=30)).number == 4
    assert states(vegas.terms.all(), AT) == {1: "in-force", 2: "withdrawn", 3: "withdrawn", 4: "announced"}
    assert states(vegas.terms.all(), later) == {1: "past", 2: "withdrawn", 3: "withdrawn", 4: "in-force"}


@given(begins=st.lists(st.integers(0, 5), min_size=1, max_size=6), at=st.integers(0, 6))
def test_all_readers_agree_on_the_terms_in_force(begins: list[int], at: int) -> None:
    rows = [
        StakeTerms(number=number, effective_from=AT + timedelta(days=days))
        for number, days in enumerate(begins, start=1)
    ]
    moment = AT + timedelta(days=at)
    now, ahead = in_force_and_ahead(rows, moment)
    begun = [row.number for row in rows if row.effective_from <= moment]
    assert (now.number if now else 0) == max(begun, default=0)
    for day in range(at, 7):
        then, _ = in_force_and_ahead(rows, AT + timedelta(days=day))
        assert then is None or then is now or then in ahead
    reported = states(rows, moment)
    assert [number for number, state in reported.items() if state == "in-force"] == (
        [now.number] if now else []
    )
    assert [number for number, state in reported.items() if state == "announced"] == sorted(
        r.number for r in ahead
    )


def test_a_change_cannot_be_in_the_past_or_more_than_a_year_ahead(vegas: StakeTable) -> None:
    for begins in (AT - INSTANT, AT + timedelta(days=367)):
        with pytest.raises(BadStakeTerms):
            change_terms(table=vegas, figures=VEGAS_CLASSIC, expected=1, effective_from=begins, at=AT, **BY)
    change(vegas, 1, AT + timedelta(days=366), maximum=2080)


def test_equal_terms_are_no_change(vegas: StakeTable) -> None:
    with pytest.raises(BadStakeTerms):
        change(vegas, 1)
    change(vegas, 1, AT + SECOND, maximum=2080)
    assert change(vegas, 2, AT + SECOND, maximum=1_040_000).number == 3


def test_change_of_unseen_terms_is_refused(vegas: StakeTable) -> None:
    change(vegas, 1, maximum=2080)
    for expected in (1, 3):
        with pytest.raises(StakeTermsStale) as refusal:
            change(vegas, expected, maximum=3120)
        assert refusal.value.extra == {"number": 2}


BAD: list[dict[str, Any]] = [
    {"minimum": 0},
    {"minimum": 624, "default": 520},
    {"maximum": 416},
    {"default": 521},
    {"maximum": 1_040_001},
    {"step": 0},
    {"step": -104},
    {"minimum": True},
    {"minimum": 104.0},
    {"maximum": 10**30},
    {"bank_limit": -1},
    {"bank_limit": 10**12},
    {"rake": 10_000},
    {"rake": 1},
    {"split": ()},
    {"split": (9_999,)},
    {"split": (5_000, 5_000)},
    {"win_rate": ""},
    {"win_rate": "1/7"},
    {"win_rate": "0/13"},
    {"win_rate": "9999/1"},
    {"win_rate": "a third"},
    {"step": 52, "minimum": 156},
    {"maximum": 1_040_104},
    {"minimum": 100, "step": 100, "default": 500, "maximum": 1000},
]


def test_invalid_figures_are_refused_with_each_fault(vegas: StakeTable, subtests: pytest.Subtests) -> None:
    for changes in BAD:
        with subtests.test(changes=changes):
            with pytest.raises(BadStakeTerms) as refusal:
                change(vegas, 1, **changes)
            assert refusal.value.extra["faults"]
            assert vegas.terms.count() == 1
            with pytest.raises(BadStakeTerms):
                services.open_table(
                    slug="bad",
                    rules="vegas-solitaire",
                    mode="",
                    currency=CURRENCY,
                    figures=replace(VEGAS_CLASSIC, **changes),
                    at=AT,
                    **BY,
                )
            assert not StakeTable.objects.filter(slug="bad").exists()


@pytest.mark.parametrize("reason", ["", "ab", "x" * 201])
def test_a_change_requires_a_reason(vegas: StakeTable, reason: str) -> None:
    figures = replace(VEGAS_CLASSIC, maximum=2080)
    with pytest.raises(BadStakeTerms):
        change_terms(
            table=vegas, figures=figures, expected=1, effective_from=None, actor="a", reason=reason, at=AT
        )


def opened(**changes: Any) -> StakeTable:
    wanted: dict[str, Any] = {
        "slug": "club",
        "rules": "vegas-solitaire",
        "mode": "",
        "currency": CURRENCY,
        "figures": VEGAS_CLASSIC,
    }
    return open_table(**{**wanted, **changes}, at=AT, **BY)


def test_an_invalid_table_is_refused(subtests: pytest.Subtests) -> None:
    for changes in [
        {"slug": ""},
        {"slug": "Club"},
        {"slug": "a club"},
        {"slug": "club\n"},
        {"slug": "x" * 41},
        {"rules": "bridge"},
        {"rules": "idle-aces"},
        {"mode": "draw=2"},
        {"mode": "draw"},
        {"mode": "stake=104"},
        {"mode": "draw=1,draw=3"},
        {"mode": "passes=3"},
    ]:
        with subtests.test(changes=changes), pytest.raises(BadStakeTable):
            opened(**changes)


def test_a_table_is_opened_once(db: None) -> None:
    table = opened(mode="draw=3")
    assert (table.mode, terms_at(table, AT).figures) == ("draw=3", VEGAS_CLASSIC)
    with pytest.raises(StakeTableExists):
        opened()
    with pytest.raises(StakeTableClosed):
        terms_at(table, AT - INSTANT)


def test_a_table_of_buy_ins_has_rake_and_split(db: None) -> None:
    figures = Figures(minimum=100, maximum=1000, step=100, default=500, rake=500, split=(7000, 3000))
    assert terms_at(opened(rules="ace-race", figures=figures), AT).figures == figures
    with pytest.raises(BadStakeTerms):
        opened(slug="paid", rules="ace-race", figures=replace(figures, win_rate="1/13"))
    with pytest.raises(BadStakeTerms):
        opened(slug="raced", rules="racing-aces", figures=figures)


def test_uncovered_risk_is_a_warning(vegas: StakeTable) -> None:
    """The bank of the fixture has 1,000,000; a win at a stake of 1,040,000 may cost three times the stake."""
    assert len(warnings(vegas, VEGAS_CLASSIC)) == 1
    assert len(warnings(vegas, replace(VEGAS_CLASSIC, bank_limit=500))) == 2
    assert warnings(vegas, replace(VEGAS_CLASSIC, maximum=104_000)) == []
    assert warnings(vegas, replace(VEGAS_CLASSIC, open=False)) == []


CHANGES: list[dict[str, Any]] = [
    {"minimum": 1040, "default": 1040},
    {"maximum": 104, "default": 104},
    {"step": 1040, "minimum": 1040, "default": 1040},
    {"win_rate": "5/52"},
    {"bank_limit": 0},
    {"open": False},
]


@pytest.mark.parametrize("changes", CHANGES, ids=str)
@pytest.mark.parametrize("end", ["settled", "refunded"])
def test_changes_do_not_affect_a_dealt_game(
    player: Player, cashed_in: PlaySession, vegas: StakeTable, changes: dict[str, Any], end: str
) -> None:
    dealt = deal(cashed_in, vegas)
    change(vegas, 1, **changes)
    if end == "settled":
        ended = services.settle_stake(game=dealt.game, winnings=2080, event=9, at=AT + SECOND)
        assert available(f"player:{player.pk}", "session") == 2000 - 520 + 2080
    else:
        ended = services.refund_stake(game=dealt.game, event=9, at=AT + SECOND)
        assert available(f"player:{player.pk}", "session") == 2000
    assert (ended.status, ended.terms.number, ended.stake, ended.max_win) == (end, 1, 520, 2080)


def test_the_limit_of_the_bank_applies_to_new_deals(
    rival: Player, cashed_in: PlaySession, vegas: StakeTable
) -> None:
    dealt = deal(cashed_in, vegas)
    change(vegas, 1, bank_limit=1560)
    fund(cash(rival.pk), 2000)
    other = services.open_session(player=rival.pk, amount=2000, currency=CURRENCY, key=fresh_key(), at=AT)
    with pytest.raises(BankLimit):
        deal(other, vegas, 104)
    services.settle_stake(game=dealt.game, winnings=2080, event=9, at=AT)
    assert deal(other, vegas, 520).terms.number == 2


def test_a_game_with_an_old_pay_table_cannot_be_dealt(cashed_in: PlaySession, vegas: StakeTable) -> None:
    change(vegas, 1, win_rate="5/52")
    with pytest.raises(StakeTermsChanged):
        deal(cashed_in, vegas, win_rate="1/13")
    assert not GameStake.objects.exists()
    assert deal(cashed_in, vegas, win_rate="5/52").terms.win_rate == "5/52"


def test_profit_can_be_withdrawn_and_held_money_cannot(cashed_in: PlaySession, vegas: StakeTable) -> None:
    dealt = deal(cashed_in, vegas)
    order: dict[str, Any] = {"stake_table": vegas, "actor": "test", "reason": "profit", "at": AT}
    with pytest.raises(InsufficientFunds):
        services.defund_bank(amount=1_000_000 - 1559, key=fresh_key(), **order)
    services.defund_bank(amount=1_000_000 - 1560, key="out", **order)
    services.defund_bank(amount=1_000_000 - 1560, key="out", **order)
    assert available(vegas.bank_owner, "bank") == 0
    services.settle_stake(game=dealt.game, winnings=2080, event=9, at=AT)
    assert available(vegas.bank_owner, "bank") == 0
