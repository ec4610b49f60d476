"""How the money of the ledger's own subjects follows from their rows: play sessions, markets, pots."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from uuid import UUID

from django.db.models import Model, QuerySet

from ledger.betting.judging import judgement, standing
from ledger.betting.models import BetStatus, Market, MarketKind, Settlement
from ledger.buyins.models import BuyIn, BuyInStatus, Division, Pot
from ledger.models import OwnerKind, PlaySession
from ledger.reconciliation.derivations import Derivation, Derived, Flow, register_derivation
from ledger.reconciliation.report import Difference


def register() -> None:
    register_derivation(Derivation("the money of play sessions", "session", _sessions_after, _sessions))
    register_derivation(Derivation("the money of markets", OwnerKind.MARKET, _markets_after, _markets))
    register_derivation(Derivation("the money of pots", OwnerKind.GAME, _pots_after, _pots))


def _after(rows: QuerySet[Model], after: str, most: int) -> list[str]:
    behind = rows.filter(pk__gt=UUID(after)) if after else rows
    return [str(key) for key in behind.order_by("pk").values_list("pk", flat=True)[:most]]


def uuids(keys: Sequence[str]) -> list[UUID]:
    """Those of the keys that are ids; what is none is nobody's."""
    found = []
    for key in keys:
        try:
            found.append(UUID(key))
        except ValueError:
            continue
    return found


# --- play sessions ------------------------------------------------------------------------------------


def _sessions_after(after: str, most: int) -> Sequence[str]:
    return _after(PlaySession.objects.all(), after, most)


def _sessions(keys: Sequence[str], replay: bool) -> Iterator[Derived]:
    for session in PlaySession.objects.filter(pk__in=uuids(keys)):
        owner = f"{OwnerKind.PLAYER}:{session.player}"
        flows = [Flow(f"{owner}/cash", f"{owner}/session", session.cash_in)]
        if session.cash_out:
            flows.append(Flow(f"{owner}/session", f"{owner}/cash", session.cash_out))
        yield Derived(session.subject, session.currency, flows)


# --- markets ------------------------------------------------------------------------------------------


def _markets_after(after: str, most: int) -> Sequence[str]:
    # One has as many bets as there are; of many, one is read after the other.
    return _after(Market.objects.all(), after, most)


def _markets(keys: Sequence[str], replay: bool) -> Iterator[Derived]:
    for market in Market.objects.select_related("stake_table", "escrow").filter(pk__in=uuids(keys)):
        yield _market(market)


def _market(market: Market) -> Derived:
    """Stakes and cancellations from the bets; payouts and the house's part judged anew, settlement by settlement."""
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
    bets = standing(market, made)
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
    if market.kind == MarketKind.FIXED:
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
    """Where the rows of a pot say another sum than its terms give."""

    def compared(
        what: str, recorded: int | None, derived: int | None, event: int | None
    ) -> Iterator[Difference]:
        if recorded != derived:
            told, due = ("none" if sum is None else sum for sum in (recorded, derived))
            yield Difference(pot.escrow.text, pot.currency, what, told, due, pot.subject, event)

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
