"""Buy-ins are paid into the pot, refunded before the start, and divided once."""

from __future__ import annotations

from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from core.errors import KeyReused
from ledger import selectors, services
from ledger.errors import (
    BadPot,
    BoughtIn,
    InsufficientFunds,
    NotBoughtIn,
    PotClosed,
    PotOpen,
    StakeOffStep,
    StakeTableClosed,
    UnknownCurrency,
    UnknownPot,
)
from ledger.models import Transfer
from ledger.services import PotTerms
from ledger.stakes.models import BuyIn, Division, Pot
from tests.ledger.stakes.pots import LATER, in_escrow, money_of, open_pot, people, raked, settle, sit_down
from tests.money import AT, CURRENCY, cash, change, open_table

pytestmark = pytest.mark.django_db


def test_the_winner_takes_all() -> None:
    pot, (ann, bob, eve) = open_pot(), people(3)
    sit_down(pot, [ann, bob, eve])
    assert (in_escrow(pot), money_of([ann, bob, eve])) == (1560, [480] * 3)
    settle(pot, [bob], [ann], [eve])
    assert (in_escrow(pot), money_of([ann, bob, eve])) == (0, [480, 2040, 480])
    assert {part.player: part.net for part in BuyIn.objects.all()} == {ann: -520, bob: 1040, eve: -520}


def test_the_pot_less_the_rake_is_divided_by_places_and_ties_share() -> None:
    pot, (ann, bob, eve) = open_pot(rake=500, split=[7000, 3000]), people(3)
    sit_down(pot, [ann, bob, eve])
    settle(pot, [eve], [ann, bob])
    assert money_of([ann, bob, eve]) == [480 + 222, 480 + 222, 480 + 1038]
    assert (raked(), in_escrow(pot)) == (78, 0)


def test_shared_places_differ_by_odd_pence_only() -> None:
    pot, players = open_pot(100, rake=33), people(3)
    sit_down(pot, players)
    settle(pot, players)
    assert money_of(players) == [1000, 1000, 1000]
    pot = open_pot(100, rake=67)
    sit_down(pot, players)
    settle(pot, players)
    assert money_of(players) == [1000, 999, 999]


def test_repeated_seating_and_settlement_move_money_once() -> None:
    pot, (ann, bob) = open_pot(), people(2)
    sit_down(pot, [ann, bob])
    sit_down(pot, [ann, bob])
    assert BuyIn.objects.count() == 2
    settle(pot, [ann], [bob])
    moved = Transfer.objects.count()
    settle(pot, [ann], [bob])
    assert (Transfer.objects.count(), Division.objects.count()) == (moved, 1)
    with pytest.raises(PotClosed):
        settle(pot, [bob], [ann])
    with pytest.raises(PotClosed):
        services.void_pot(subject=pot.subject, event=10, at=LATER)
    with pytest.raises(KeyReused):
        services.take_buy_in(subject=pot.subject, player=bob, event=2, at=AT)


def test_double_late_or_unfunded_buy_ins_are_refused() -> None:
    pot, (ann, bob) = open_pot(), people(2)
    sit_down(pot, [ann])
    with pytest.raises(BoughtIn):
        services.take_buy_in(subject=pot.subject, player=ann, event=3, at=AT)
    [poor] = people(1, money=519)
    with pytest.raises(InsufficientFunds) as refused:
        services.take_buy_in(subject=pot.subject, player=poor, event=4, at=AT)
    assert refused.value.extra == {"account": f"player:{poor}/cash"}
    assert (money_of([poor]), in_escrow(pot)) == ([519], 520)
    settle(pot, [ann])
    with pytest.raises(PotClosed):
        services.take_buy_in(subject=pot.subject, player=bob, event=5, at=AT)


def test_leaving_refunds_the_buy_in() -> None:
    pot, (ann, bob) = open_pot(), people(2)
    sit_down(pot, [ann, bob])
    services.give_back_buy_in(subject=pot.subject, player=ann, event=4, at=AT)
    assert (money_of([ann]), in_escrow(pot)) == ([1000], 520)
    with pytest.raises(NotBoughtIn):
        services.give_back_buy_in(subject=pot.subject, player=ann, event=5, at=AT)
    services.take_buy_in(subject=pot.subject, player=ann, event=6, at=AT)
    settle(pot, [ann], [bob])
    assert money_of([ann, bob]) == [1520, 480]
    with pytest.raises(PotClosed):
        services.give_back_buy_in(subject=pot.subject, player=bob, event=7, at=AT)


def test_a_void_pot_is_refunded_once_without_rake() -> None:
    pot, players = open_pot(rake=1000), people(3)
    sit_down(pot, players)
    for _ in range(2):
        services.void_pot(subject=pot.subject, event=8, at=LATER)
    assert (money_of(players), raked(), in_escrow(pot)) == ([1000] * 3, 0, 0)
    with pytest.raises(PotClosed):
        settle(pot, players)


def test_an_empty_pot_is_voided_without_a_transfer() -> None:
    pot = open_pot()
    assert services.void_pot(subject=pot.subject, event=2, at=LATER).status == "void"
    assert not Transfer.objects.filter(subject=pot.subject).exists()


def test_places_must_name_exactly_the_buyers() -> None:
    pot, (ann, bob, eve) = open_pot(), people(3)
    sit_down(pot, [ann, bob])
    for places in ([], [[ann]], [[ann], [bob], [ann]], [[ann], [bob], [eve]], [[]]):
        with pytest.raises(BadPot):
            settle(pot, *places)
    assert in_escrow(pot) == 1040


def test_a_pot_is_within_the_bounds_of_its_table() -> None:
    for amount in (99, 105, 100_010, 0, -100):
        with pytest.raises(StakeOffStep):
            open_pot(amount)
    for terms in ({"rake": 10_000}, {"rake": -1}, {"split": []}, {"split": [9999]}, {"split": [10_000, 0]}):
        with pytest.raises(BadPot):
            open_pot(**terms)  # type: ignore[arg-type]
    abroad = open_table(slug="abroad", rules="racing-demons", currency="EUR", step=1)
    with pytest.raises(UnknownCurrency):
        services.open_pot(
            subject="game:x",
            amount=500,
            currency=CURRENCY,
            terms=PotTerms(stake_table="abroad"),
            stake_table=abroad,
            at=AT,
        )
    assert not Pot.objects.exists()


def test_a_pot_opened_again_is_the_same_pot() -> None:
    pot = open_pot(rake=100)
    assert open_pot(rake=100, subject=pot.subject).pk == pot.pk
    with pytest.raises(KeyReused):
        open_pot(rake=200, subject=pot.subject)


def test_no_pot_can_be_opened_at_a_closed_table() -> None:
    change(selectors.stake_table("ace-race-table"), open=False)
    with pytest.raises(StakeTableClosed):
        open_pot()


def test_unknown_ids_are_reported() -> None:
    for action in (
        lambda: services.take_buy_in(subject="game:x", player=uuid4(), event=2, at=AT),
        lambda: services.give_back_buy_in(subject="game:x", player=uuid4(), event=2, at=AT),
        lambda: services.settle_pot(subject="game:x", places=[[uuid4()]], event=2, at=AT),
        lambda: services.void_pot(subject="game:x", event=2, at=AT),
        lambda: services.resettle_pot(subject="game:x", places=None, reason="x", actor="x", at=AT),
    ):
        with pytest.raises(UnknownPot):
            action()
    pot = open_pot()
    with pytest.raises(PotOpen):
        services.resettle_pot(subject=pot.subject, places=None, reason="x", actor="x", at=AT)


SPLITS = (
    st.lists(st.integers(1, 50), min_size=1, max_size=10)
    .map(lambda parts: [part * 10_000 // sum(parts) or 1 for part in parts])
    .map(lambda shares: [10_000 - sum(shares[1:]), *shares[1:]])
    .filter(lambda shares: shares[0] >= 1)
)


@pytest.mark.slow
class MoneyIsConserved(TestCase):
    """Money is conserved for all terms, numbers of players, ties, and orders of commands."""

    @settings(max_examples=25, deadline=None)
    @given(
        amount=st.integers(10, 900).map(lambda tens: 10 * tens),
        rake=st.integers(0, 9999),
        split=SPLITS,
        order=st.permutations(range(8)),
        cuts=st.sets(st.integers(1, 7)),
        seats=st.integers(2, 8),
        leaves=st.booleans(),
        again=st.one_of(st.none(), st.permutations(range(8))),
        ends=st.sampled_from(["settle", "void"]),
    )
    def test_money_is_conserved(
        self, amount: int, rake: int, split: list[int], order: list[int], cuts: set[int], seats: int,
        leaves: bool, again: list[int] | None, ends: str,
    ) -> None:  # fmt: skip
        pot, players = open_pot(amount, rake=rake, split=split), people(seats, money=10_000)
        before = raked()
        sit_down(pot, players)
        if leaves:
            services.give_back_buy_in(subject=pot.subject, player=players[0], event=90, at=AT)
            services.take_buy_in(subject=pot.subject, player=players[0], event=91, at=AT)
        assert in_escrow(pot) == amount * seats
        places = self.places(players, order, cuts)
        if ends == "void":
            services.void_pot(subject=pot.subject, event=9, at=LATER)
            assert money_of(players) == [10_000] * seats
        else:
            settle(pot, *places)
            self.ranked(pot, places)
        if again is not None:
            second = self.places(players, again, set())
            services.resettle_pot(subject=pot.subject, places=second, reason="ruled", actor="adam", at=LATER)
            self.ranked(pot, second)
        assert in_escrow(pot) == 0
        assert sum(money_of(players)) + raked() - before == 10_000 * seats
        assert raked() - before == (amount * seats * rake // 10_000 if ends == "settle" or again else 0)

    def places(self, players: list, order: list[int], cuts: set[int]) -> list[list]:
        ranked = [players[seat] for seat in order if seat < len(players)]
        groups: list[list] = [[]]
        for rank, player in enumerate(ranked):
            if rank in cuts or not cuts:
                groups.append([])
            groups[-1].append(player)
        return [group for group in groups if group]

    def ranked(self, pot: Pot, places: list[list]) -> None:
        """Check that no place gets less than the one behind it, and that tied players differ by at most a penny."""
        returned = dict(BuyIn.objects.filter(pot=pot, status="paid").values_list("player", "returned"))
        for place in places:
            got = [returned[player] for player in place]
            assert max(got) - min(got) <= 1


def test_transfers_and_statements_show_buy_ins_prizes_and_rake() -> None:
    pot, (ann, bob) = open_pot(rake=1000), people(2)
    sit_down(pot, [ann, bob])
    settle(pot, [ann], [bob])
    reported = [(t["reason"], t["amount"], t["event"]) for t in selectors.transfers_of(pot.subject)]
    assert reported == [("buy-in", 520, 2), ("buy-in", 520, 3), ("prize", 936, 9), ("rake", 104, 9)]
    lines = selectors.statement(cash(ann))
    assert [(line.reason, line.change, line.balance) for line in lines[:2]] == [
        ("prize", 936, 1416),
        ("buy-in", -520, 480),
    ]
