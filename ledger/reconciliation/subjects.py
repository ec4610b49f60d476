"""Derivations of the ledger's own subjects: play sessions, markets, pots, payouts, and payout batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ledger.betting.models import BetStatus, Market, Settlement
from ledger.betting.settlements import counted_bets, judgement
from ledger.core.selectors import valid_uuids
from ledger.models import HoldState, OwnerKind, PlaySession
from ledger.payouts.models import Payout, PayoutBatch, PayoutKind, PayoutState, PayoutStep
from ledger.reconciliation.derivations import Derivation, Derived, Flow, by_key, register_derivation
from ledger.reconciliation.models import Difference
from ledger.stakes.models import BuyIn, BuyInStatus, Division, Pot


def register() -> None:
    register_derivation(
        Derivation(
            "the money of play sessions",
            "a session moved its cash-in and its cash-out, and nothing else",
            "session",
            by_key(PlaySession.objects.all()),
            _sessions,
        )
    )
    register_derivation(
        Derivation(
            "the money of markets",
            "stakes, returns, and refunds follow from the bets and settlements of the market",
            OwnerKind.MARKET,
            by_key(Market.objects.all()),
            _markets,
        )
    )
    register_derivation(
        Derivation(
            "the money of pots",
            "shares and rake follow from the buy-ins and divisions of the pot",
            OwnerKind.GAME,
            _pots_after,
            _pots,
        )
    )
    register_derivation(
        Derivation(
            "the money of payouts",
            "holds and payments follow from the approval steps of the payout",
            "payout",
            by_key(Payout.objects.all()),
            _payouts,
        )
    )
    register_derivation(
        Derivation(
            "the money of payout batches",
            "a batch paid the amounts of its payouts",
            "payout-batch",
            by_key(PayoutBatch.objects.all()),
            _batches,
        )
    )


# --- play sessions ------------------------------------------------------------------------------------


def _sessions(keys: Sequence[str], replay: bool) -> Iterator[Derived]:
    for session in PlaySession.objects.filter(pk__in=valid_uuids(keys)):
        owner = f"{OwnerKind.PLAYER}:{session.player}"
        flows = [Flow(f"{owner}/cash", f"{owner}/session", session.cash_in)]
        if session.cash_out:
            flows.append(Flow(f"{owner}/session", f"{owner}/cash", session.cash_out))
        yield Derived(session.subject, session.currency, flows)


# --- markets ------------------------------------------------------------------------------------------


def _markets(keys: Sequence[str], replay: bool) -> Iterator[Derived]:
    for market in Market.objects.select_related("stake_table", "escrow").filter(pk__in=valid_uuids(keys)):
        yield _market(market)


def _market(market: Market) -> Derived:
    """Derive stakes and cancellations from bets, and judge payouts and the site's part again by settlement."""
    purses: dict[int, str] = {}
    flows = []
    for number, kind, key, purpose, stake, status in market.bets.values_list(
        "number", "purse__kind", "purse__key", "purse__purpose", "stake", "status"
    ).iterator(chunk_size=2000):
        purses[number] = f"{kind}:{key}/{purpose}"
        flows.append(Flow(purses[number], market.escrow.text, stake))
        if status == BetStatus.CANCELLED:
            flows.append(Flow(market.escrow.text, purses[number], stake))
    differences: list[Difference] = []
    for made in market.settlements.exclude(gross=None).order_by("number"):
        flows += _settled(market, made, purses, differences)
    return Derived(market.owner, market.currency, flows, differences)


def _settled(
    market: Market, made: Settlement, purses: dict[int, str], differences: list[Difference]
) -> Iterator[Flow]:
    bets = counted_bets(market, made)
    found = judgement(market, made, bets)
    gross = sum(bet.stake for bet in bets)
    bank = gross - found.paid - found.takeout - found.breakage
    sums = {
        "gross": gross,
        "paid": found.paid,
        "takeout": found.takeout,
        "breakage": found.breakage,
        "bank": bank,
    }
    for name, derived in sums.items():
        if (recorded := getattr(made, name)) != derived:
            what = f"{name} of settlement {made.number}"
            differences.append(
                Difference(
                    market.escrow.text, market.currency, what, recorded, derived, market.owner, made.event
                )
            )
    escrow = market.escrow.text
    if market.rules.priced:
        assert market.stake_table is not None
        house = f"{market.stake_table.bank_owner}/bank"
        yield Flow(escrow, house, max(bank, 0))
        yield Flow(house, escrow, max(-bank, 0))
    else:
        yield Flow(escrow, "house/takeout", found.takeout)
        yield Flow(escrow, "house/breakage", found.breakage)
    for bet, returned in zip(bets, found.returns, strict=True):
        if bet.number <= made.paid_through:
            yield Flow(escrow, purses[bet.number], returned)


# --- pots ---------------------------------------------------------------------------------------------


def _pots_after(after: str, most: int) -> Sequence[str]:
    behind = Pot.objects.filter(
        subject__startswith=f"{OwnerKind.GAME}:", subject__gt=f"{OwnerKind.GAME}:{after}"
    )
    found = behind.order_by("subject").values_list("subject", flat=True)[:most]
    return [subject.partition(":")[2] for subject in found]


def _pots(keys: Sequence[str], replay: bool) -> Iterable[Derived]:
    subjects = [f"{OwnerKind.GAME}:{key}" for key in keys]
    for pot in Pot.objects.select_related("escrow", "stake_table").filter(subject__in=subjects):
        parts = list(pot.buy_ins.select_related("purse").order_by("event"))
        flows = [flow for part in parts for flow in _bought_in(pot, part)]
        staying = [part for part in parts if part.status != BuyInStatus.BACK]
        divisions = list(pot.divisions.all())
        for division in divisions:
            flows += _divided(pot, division, staying)
        rows = list(_rows(pot, parts, staying, divisions[-1] if divisions else None))
        yield Derived(pot.subject, pot.currency, flows, rows)


def _rows(
    pot: Pot, parts: Sequence[BuyIn], staying: Sequence[BuyIn], last: Division | None
) -> Iterator[Difference]:
    """Yield where the rows of a pot contradict its terms."""

    def compared(
        what: str, recorded: int | None, derived: int | None, event: int | None
    ) -> Iterator[Difference]:
        if recorded != derived:
            found, due = ("none" if sum is None else sum for sum in (recorded, derived))
            yield Difference(pot.escrow.text, pot.currency, what, found, due, pot.subject, event)

    for part in parts:
        yield from compared(f"the buy-in of player {part.player}", part.amount, pot.amount, part.event)
    if last is None:
        return
    gross = pot.amount * len(staying)
    shares = None if last.void else pot.terms.divide(gross, last.places)
    yield from compared(f"gross of division {last.number}", last.gross, gross, last.event)
    yield from compared(
        f"rake of division {last.number}", last.rake, shares.rake if shares else 0, last.event
    )
    for part in staying:
        back = shares.awards.get(str(part.player)) if shares else pot.amount
        yield from compared(f"what player {part.player} got back", part.returned, back, last.event)


def _bought_in(pot: Pot, part: BuyIn) -> Iterator[Flow]:
    yield Flow(part.purse.text, pot.escrow.text, pot.amount)
    if part.status == BuyInStatus.BACK:
        yield Flow(pot.escrow.text, part.purse.text, pot.amount)


def _divided(pot: Pot, division: Division, parts: Sequence[BuyIn]) -> Iterator[Flow]:
    purses = {str(part.player): part.purse.text for part in parts}
    if division.void:
        yield from (Flow(pot.escrow.text, purse, pot.amount) for purse in purses.values())
        return
    shares = pot.terms.divide(pot.amount * len(parts), division.places)
    yield Flow(pot.escrow.text, "house/rake", shares.rake)
    yield from (Flow(pot.escrow.text, purses[player], pence) for player, pence in shares.awards.items())


# --- payouts ----------------------------------------------------------------------------------------


def _payouts(keys: Sequence[str], replay: bool) -> Iterator[Derived]:
    wanted = (
        Payout.objects.filter(pk__in=valid_uuids(keys))
        .select_related("account", "hold")
        .prefetch_related("steps")
    )
    for payout in wanted:
        flows = [] if payout.batch_id is not None else list(_flows(payout))
        yield Derived(payout.ledger_subject, payout.currency, flows, [*_promised(payout), *_decided(payout)])


def _flows(payout: Payout) -> Iterator[Flow]:
    prize = payout.kind == PayoutKind.PRIZE
    if payout.state == PayoutState.PAID:
        yield Flow(payout.account.text, f"{payout.payee}/cash" if prize else "house/external", payout.amount)
    elif payout.state == PayoutState.REJECTED and prize:
        yield Flow(payout.account.text, "house/payable", payout.amount)


def _promised(payout: Payout) -> Iterator[Difference]:
    """Check that an open payout has its money held."""
    held = payout.hold.amount if payout.hold.state == HoldState.HELD else 0
    due = payout.amount if payout.is_open else 0
    if held != due:
        yield Difference(
            payout.account.text,
            payout.currency,
            f"the hold of {payout}",
            held,
            due,
            payout.ledger_subject,
        )


def _decided(payout: Payout) -> Iterator[Difference]:
    """Check that the steps lead from the request to the current state, each about the same money, and that no one
    approved their own request or payment, or approved twice.
    """
    about = (payout.requested_by, payout.payee, payout.amount, payout.currency, payout.two_persons)
    steps, becomes, actor = list(payout.steps.all()), "", ""
    for number, step in enumerate(steps, start=1):
        recorded = (step.number, step.was, step.previous)
        said = (step.maker, step.payee, step.amount, step.currency, step.two_persons)
        if (recorded, said) != ((number, becomes, actor), about):
            yield _of_steps(payout, f"step {number}", (*recorded, *said), (number, becomes, actor, *about))
        if step.becomes in (PayoutState.CHECKED, PayoutState.APPROVED) and step.actor in _barred(step):
            yield _of_steps(payout, f"who approved by step {number}", step.actor, "another person")
        becomes, actor = step.becomes, step.actor
    state = (payout.version, str(payout.state))
    if state != (len(steps), becomes):
        yield _of_steps(payout, "its state", state, (len(steps), becomes))


def _barred(step: PayoutStep) -> set[str]:
    twice = step.two_persons and step.becomes == PayoutState.APPROVED
    return {step.maker, step.payee, *([step.previous] if twice else [])}


def _of_steps(payout: Payout, what: str, found: object, due: object) -> Difference:
    return Difference(payout.payee, payout.currency, what, str(found), str(due), payout.ledger_subject)


def _batches(keys: Sequence[str], replay: bool) -> Iterator[Derived]:
    for batch in PayoutBatch.objects.filter(pk__in=valid_uuids(keys)).prefetch_related("payouts__account"):
        flows = [flow for payout in batch.payouts.all() for flow in _flows(payout)]
        yield Derived(batch.subject, batch.currency, flows)
