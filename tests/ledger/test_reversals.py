"""A mistake is reversed by another transfer, once, even if the money has been spent."""

from __future__ import annotations

from functools import partial
from uuid import uuid4

import pytest
from django.db import IntegrityError, transaction

from accounts.models import Player
from core.errors import KeyReused
from ledger import errors
from ledger.models import Account, PlaySession, StakeTable, Transfer
from ledger.services import (
    Leg,
    Posting,
    account,
    cash_out,
    deposit,
    open_session,
    post,
    reverse,
    settle_stake,
    take_stake,
)
from tests.concurrency import at_once
from tests.money import AT, CURRENCY, available, cash, fresh_key, fund

pytestmark = pytest.mark.django_db


def pay_in(player: Player, amount: int, key: str | None = None) -> Posting:
    return deposit(
        player=player.pk,
        amount=amount,
        currency=CURRENCY,
        key=key or fresh_key(),
        actor="test",
        reason="paid in",
        at=AT,
    )


def take_back(transfer: Transfer, key: str | None = None, **options: bool) -> Posting:
    return reverse(
        transfer=transfer.uuid, key=key or fresh_key(), actor="test", reason="mistake", at=AT, **options
    )


def rule(transfer: Transfer) -> Posting:
    """Reverse a transfer like a ruling on its event."""
    return take_back(transfer, f"{transfer.subject}:ruling:1:{transfer.position}", settles_escrow=True)


def owed(player: Player) -> int:
    return -available(f"player:{player.pk}", "receivable")


def test_a_reversal_mirrors_its_transfer(player: Player) -> None:
    (paid,) = pay_in(player, 500).transfers
    (back,) = take_back(paid).transfers
    assert (back.debit, back.credit, back.amount, back.reverses) == (paid.credit, paid.debit, 500, paid)
    assert available(f"player:{player.pk}") == 0


def test_a_repeated_reversal_takes_effect_once(player: Player) -> None:
    (paid,) = pay_in(player, 500).transfers
    first = take_back(paid, "once")
    assert take_back(paid, "once").id == first.id
    with pytest.raises(errors.AlreadyReversed) as refused:
        take_back(paid)
    assert refused.value.extra == {
        "reversal": str(first.transfers[0].uuid), "at": "2026-03-01T12:00:00.000000Z", "by": "test"
    }  # fmt: skip
    with pytest.raises(KeyReused):
        reverse(transfer=paid.uuid, key="once", actor="test", reason="another reason", at=AT)


def test_a_reversal_cannot_be_reversed(player: Player) -> None:
    (paid,) = pay_in(player, 500).transfers
    with pytest.raises(errors.NotReversible):
        take_back(take_back(paid).transfers[-1])


def test_unknown_transfer_cannot_be_reversed() -> None:
    with pytest.raises(errors.UnknownTransfer):
        reverse(transfer=uuid4(), key=fresh_key(), actor="test", reason="mistake", at=AT)


def test_missing_money_becomes_a_debt(player: Player) -> None:
    (paid,) = pay_in(player, 500).transfers
    open_session(player=player.pk, amount=300, currency=CURRENCY, key=fresh_key(), at=AT)
    lent, back = take_back(paid).transfers
    assert (lent.debit.purpose, lent.amount, back.amount) == ("receivable", 300, 500)
    assert available(f"player:{player.pk}") == 0
    assert owed(player) == 300


def test_cashed_out_winnings_are_taken_from_cash(
    player: Player, cashed_in: PlaySession, vegas: StakeTable
) -> None:
    game = uuid4()
    take_stake(session=cashed_in, game=game, stake=520, max_win=2080, stake_table=vegas, event=3, at=AT)
    settle_stake(game=game, winnings=2080, event=9, at=AT)
    cash_out(session=cashed_in, key="out", at=AT)
    assert available(f"player:{player.pk}") == 6560
    won = Transfer.objects.get(subject=f"game:{game}", reason="winnings")
    legs = rule(won).transfers
    assert [(row.debit.purpose, row.amount) for row in legs] == [("cash", 2080), ("session", 2080)]
    assert (available(f"player:{player.pk}"), owed(player)) == (4480, 0)


def test_the_debt_is_the_amount_that_cash_does_not_cover(
    player: Player, cashed_in: PlaySession, vegas: StakeTable
) -> None:
    game = uuid4()
    take_stake(session=cashed_in, game=game, stake=520, max_win=2080, stake_table=vegas, event=3, at=AT)
    settle_stake(game=game, winnings=2080, event=9, at=AT)
    cash_out(session=cashed_in, key="out", at=AT)
    spent = Leg(cash(player.pk), account(owner="house", purpose="rake", currency=CURRENCY), 6000, "spent")
    post(key=fresh_key(), legs=[spent], actor="test", at=AT)
    rule(Transfer.objects.get(subject=f"game:{game}", reason="winnings"))
    assert (available(f"player:{player.pk}"), owed(player)) == (0, 1520)


def test_a_debt_is_repaid_from_the_next_deposits(player: Player) -> None:
    (paid,) = pay_in(player, 500).transfers
    open_session(player=player.pk, amount=300, currency=CURRENCY, key=fresh_key(), at=AT)
    take_back(paid)
    pay_in(player, 100)
    assert (available(f"player:{player.pk}"), owed(player)) == (0, 200)
    again = pay_in(player, 500, "key")
    assert (available(f"player:{player.pk}"), owed(player)) == (300, 0)
    assert pay_in(player, 500, "key").id == again.id
    pay_in(player, 1)
    assert (available(f"player:{player.pk}"), owed(player)) == (301, 0)


def test_the_site_has_no_debt_to_itself() -> None:
    bank = account(owner="house", purpose="bank", currency=CURRENCY)
    rake = account(owner="house", purpose="rake", currency=CURRENCY)
    fund(bank, 500)
    (paid,) = post(key=fresh_key(), legs=[Leg(bank, rake, 500, "x")], actor="test", at=AT).transfers
    post(key=fresh_key(), legs=[Leg(rake, cash(uuid4()), 1, "x")], actor="test", at=AT)
    with pytest.raises(errors.InsufficientFunds):
        take_back(paid)
    assert not Account.objects.filter(kind="house", purpose="receivable").exists()


def test_an_escrow_is_settled_only_by_its_subject(player: Player, rival: Player) -> None:
    escrow = account(owner="tournament:x", purpose="escrow", currency=CURRENCY)
    fund(cash(player.pk), 500)
    (fee,) = post(
        key=fresh_key(), legs=[Leg(cash(player.pk), escrow, 500, "entry")], actor="test", at=AT
    ).transfers
    with pytest.raises(errors.EventMoney):
        take_back(fee)
    assert available("tournament:x", "escrow") == 500
    take_back(fee, settles_escrow=True)
    assert available(f"player:{player.pk}") == 500


@pytest.mark.both_databases
def test_the_transfer_of_an_event_is_reversed_only_by_a_ruling(
    player: Player, cashed_in: PlaySession, vegas: StakeTable
) -> None:
    game = uuid4()
    take_stake(session=cashed_in, game=game, stake=520, max_win=2080, stake_table=vegas, event=3, at=AT)
    settle_stake(game=game, winnings=800, event=9, at=AT)
    moved = list(Transfer.objects.with_accounts().filter(subject=f"game:{game}"))
    assert len(moved) == 3
    for transfer in moved:
        with pytest.raises(errors.EventMoney) as refused:
            take_back(transfer)
        assert refused.value.extra == {"subject": f"game:{game}", "event": transfer.event}
        with pytest.raises(IntegrityError, match="key of the event"), transaction.atomic():
            take_back(transfer, settles_escrow=True)
    [won] = [transfer for transfer in moved if transfer.reason == "winnings"]
    back = rule(won).transfers[-1]
    assert available(f"player:{player.pk}", "session") == 1480
    with pytest.raises(errors.AlreadyReversed, match=str(back.uuid)):
        take_back(won)


@pytest.mark.parametrize(
    ("owner", "purpose", "subject", "event"),
    [
        ("house", "bank", "withdrawal:x", 3),
        ("house", "bank", "market:x", None),
        ("tournament:x", "escrow", "withdrawal:x", None),
    ],
    ids=["a recorded event", "the subject", "an escrow"],
)
def test_each_mark_of_an_event_forbids_a_manual_reversal(
    player: Player, owner: str, purpose: str, subject: str, event: int | None
) -> None:
    source = account(owner=owner, purpose=purpose, currency=CURRENCY)
    fund(source, 500)
    legs = [Leg(source, cash(player.pk), 500, "x")]
    (paid,) = post(key=fresh_key(), legs=legs, subject=subject, event=event, actor="test", at=AT).transfers
    with pytest.raises(errors.EventMoney):
        take_back(paid)


def test_administrators_cannot_reverse_their_own_transfers(player: Player) -> None:
    (paid,) = pay_in(player, 500).transfers
    with pytest.raises(errors.InterestedParty):
        reverse(transfer=paid.uuid, key=fresh_key(), actor=f"player:{player.pk}", reason="back", at=AT)


@pytest.mark.django_db(transaction=True)
def test_the_second_of_two_concurrent_reversals_names_the_first() -> None:
    """It must not be refused because of the missing money."""
    bank = account(owner="house", purpose="bank", currency=CURRENCY)
    rake = account(owner="house", purpose="rake", currency=CURRENCY)
    fund(bank, 500)
    (paid,) = post(key=fresh_key(), legs=[Leg(bank, rake, 500, "x")], actor="test", at=AT).transfers
    results = at_once(*[partial(take_back, paid)] * 3)
    made = [one for one in results if isinstance(one, Posting)]
    refused = [one for one in results if isinstance(one, errors.AlreadyReversed)]
    assert (len(made), len(refused)) == (1, 2), results
    assert {one.extra["reversal"] for one in refused} == {str(made[0].transfers[0].uuid)}


def test_deposit_needs_a_known_player(player: Player) -> None:
    with pytest.raises(errors.UnknownPlayer):
        deposit(player=uuid4(), amount=5, currency=CURRENCY, key=fresh_key(), actor="test", reason="x", at=AT)
    pay_in(player, 5, "key")
    with pytest.raises(KeyReused):
        pay_in(player, 6, "key")
