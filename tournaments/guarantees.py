"""The prizes that the house guarantees: set aside in `house/bank` at publication, so that they can always be paid.

Administrators promise what they like, organizers up to `RACECARD_ORGANIZER_GUARANTEE` in all their tournaments that are
not over. What the fees do not bring is taken from the hold at the end, and the rest of it is free again; a tournament
that is cancelled frees all of it.
"""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.db.models import Sum

from accounts.models import Player
from accounts.roles import Role, has_role
from ledger import services as ledger
from ledger.errors import InsufficientFunds
from ledger.models import Account, Hold, HoldState, Transfer
from ledger.services import Leg
from tournaments.models import Status, Tournament
from tournaments.problems import GuaranteeNotCovered, GuaranteeTooHigh

ACTOR = "tournaments"
PLAY_MONEY = "XTS"
"""ISO 4217's code for testing."""


def bank(currency: str) -> Account:
    return ledger.account(owner="house", purpose="bank", currency=currency)


def promise(tournament: Tournament, *, actor: Player, event: int, now: datetime) -> None:
    """Set the guaranteed prizes aside, for a tournament that is being published.

    Play money the house pays in as it needs it, as a transfer that says so. Any other must lie in `house/bank`.
    Raises GuaranteeTooHigh, GuaranteeNotCovered.
    """
    if not tournament.guarantee:
        return
    outside = ledger.account(owner="house", purpose="external", currency=tournament.currency)
    purse = bank(tournament.currency)
    # Of two that are promised at once the second counts the first, and what it holds.
    purse = ledger.lock([purse, outside])[purse.pk]
    _check_allowed(tournament, actor)
    short = tournament.guarantee - purse.available
    if short > 0 and tournament.currency == PLAY_MONEY:
        ledger.post(
            key=f"{tournament.subject}:guarantee",
            legs=[Leg(outside, purse, short, "play money for guaranteed prizes")],
            subject=tournament.subject,
            event=event,
            actor=ACTOR,
            at=now,
        )
    try:
        ledger.hold(
            key=_key(tournament),
            account=purse,
            amount=tournament.guarantee,
            subject=tournament.subject,
            expires_at=None,
            actor=ACTOR,
            at=now,
        )
    except InsufficientFunds:
        raise GuaranteeNotCovered(f"{short} pence are missing.", missing=short) from None


def _check_allowed(tournament: Tournament, actor: Player) -> None:
    if has_role(actor, Role.ADMINISTRATOR):
        return
    standing = Tournament.objects.filter(
        organizer=tournament.organizer_id, status__in=(Status.PUBLISHED, Status.RUNNING)
    ).exclude(pk=tournament.pk)
    promised = standing.aggregate(sum=Sum("guarantee"))["sum"] or 0
    most = settings.RACECARD_ORGANIZER_GUARANTEE
    if promised + tournament.guarantee > most:
        raise GuaranteeTooHigh(
            f"An organizer may promise {most} pence in all; {promised} are promised already.",
            most=most,
            promised=promised,
        )


def held(tournament: Tournament) -> int:
    """What is set aside now, in pence."""
    found = Hold.objects.filter(key=_key(tournament), state=HoldState.HELD).first()
    return found.amount if found is not None else 0


def captured(tournament: Tournament) -> int:
    """What has been taken from the guarantee into the tournament's escrow, in pence."""
    found = Hold.objects.filter(key=_key(tournament), state=HoldState.CAPTURED).first()
    if found is None or found.posting is None:
        return 0
    return sum(transfer.amount for transfer in Transfer.objects.filter(posting=found.posting))


def accounts(tournament: Tournament) -> list[Account]:
    """What settling the guarantee moves money of, to be locked with the rest."""
    return [bank(tournament.currency)] if tournament.guarantee else []


def settle(tournament: Tournament, *, overlay: int, into: Account, now: datetime) -> None:
    """Take from the hold what the fees do not bring, and free the rest; again it changes nothing."""
    kept = Hold.objects.filter(key=_key(tournament), state=HoldState.HELD).first()
    if kept is None:
        return
    if overlay:
        ledger.capture(
            hold=kept.pk,
            credit=into,
            amount=overlay,
            key=f"{tournament.subject}:overlay",
            reason="guarantee",
            actor=ACTOR,
            at=now,
        )
    else:
        ledger.release(hold=kept.pk, actor=ACTOR, at=now)


def _key(tournament: Tournament) -> str:
    return f"{tournament.subject}:guarantee"
