"""Statement lines and holds in terms that a client can put into words: a purpose, and the name of what they are about.

The ledger knows no names of games and tournaments. Their packages register them in `ledger.hooks`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Annotated, TypedDict
from uuid import UUID

from django.db.models import BooleanField, TextChoices
from django.db.models.expressions import RawSQL

from ledger import hooks
from ledger.betting.models import Market
from ledger.core.models import Account, Hold, OwnerKind, Purpose, Transfer
from ledger.core.selectors import valid_uuids
from ledger.hooks import SubjectName
from ledger.payouts.models import Freeze, Payout
from rest.documents import Moment, moment, one_of

MOST_HOLDS = 50
"""The newest holds that a wallet lists."""


class LinePurpose(TextChoices):
    CORRECTION = "correction", "reverses another transfer"
    WELCOME = "welcome", "play money of a new player"
    TOP_UP = "top-up", "play money topped up"
    DEPOSIT = "deposit", "money from outside"
    PAYOUT = "payout", "money paid outside"
    PRIZE_APPROVED = "prize-approved", "a prize that waited for approval"
    TO_SESSION = "to-session", "from the balance to the play session"
    FROM_SESSION = "from-session", "from the play session to the balance"
    STAKE = "stake", "against the bank"
    WINNINGS = "winnings", "from the bank"
    STAKE_REFUND = "stake-refund"
    BUY_IN = "buy-in", "into the pot of a table"
    BUY_IN_REFUND = "buy-in-refund"
    PRIZE = "prize", "from the pot of a table or tournament"
    ENTRY_FEE = "entry-fee"
    FEE_REFUND = "fee-refund", "an entry fee refunded"
    BET = "bet"
    BET_RETURN = "bet-return", "of a bet that won"
    BET_REFUND = "bet-refund", "of a bet that was cancelled or refunded"
    REPAYMENT = "repayment", "of a debt after a correction"
    OTHER = "other", "see `reason`"


_REASONS = {
    "credit of a new player": LinePurpose.WELCOME,
    "top-up": LinePurpose.TOP_UP,
    "cash in": LinePurpose.TO_SESSION,
    "cash out": LinePurpose.FROM_SESSION,
    "stake": LinePurpose.STAKE,
    "winnings": LinePurpose.WINNINGS,
    "buy-in": LinePurpose.BUY_IN,
    "buy-in given back": LinePurpose.BUY_IN_REFUND,
    "buy-in refunded": LinePurpose.BUY_IN_REFUND,
    "prize": LinePurpose.PRIZE,
    "entry fee": LinePurpose.ENTRY_FEE,
    "bet": LinePurpose.BET,
    "bet won": LinePurpose.BET_RETURN,
    "bet cancelled": LinePurpose.BET_REFUND,
    "bet refunded": LinePurpose.BET_REFUND,
    "repayment": LinePurpose.REPAYMENT,
}
_PAYOUT = re.compile(r"(?:withdrawal|prize) (RC[A-Z2-7]{12})")


def purpose_of(row: Transfer) -> LinePurpose:
    if row.reverses_id is not None:
        return LinePurpose.CORRECTION
    if known := _REASONS.get(row.reason):
        return known
    if "external" in (row.debit.purpose, row.credit.purpose):
        return LinePurpose.DEPOSIT if row.debit.purpose == Purpose.EXTERNAL else LinePurpose.PAYOUT
    if _PAYOUT.fullmatch(row.reason):
        return LinePurpose.PRIZE_APPROVED
    if row.debit.purpose == Purpose.ESCROW:
        of_tournament = row.subject.startswith(OwnerKind.TOURNAMENT)
        return LinePurpose.FEE_REFUND if of_tournament else LinePurpose.STAKE_REFUND
    return LinePurpose.OTHER


def reference_of(row: Transfer) -> str | None:
    """Return the reference of the payout that the transfer pays."""
    found = _PAYOUT.fullmatch(row.reason)
    return found and found[1]


# --- what a line is about ------------------------------------------------------------------------------


class NameOutput(TypedDict):
    """The name of a game or tournament, and what came of it for the player."""

    rules: Annotated[str | None, "the slug of the game"]
    title: Annotated[str | None, "of a tournament; null: that of its game"]
    place: Annotated[int | None, "the player's place, from 1"]
    of: Annotated[int | None, "the number of places at the table"]
    cards: Annotated[int | None, "the player's cards at the end"]


def name_document(name: SubjectName | None) -> NameOutput | None:
    if name is None:
        return None
    return {
        "rules": name.rules or None,
        "title": name.title or None,
        "place": name.place,
        "of": name.of,
        "cards": name.cards,
    }


def about_of(subjects: Iterable[str]) -> dict[str, str]:
    """Return what markets, payouts, and freezes are about, by their subject. One query for each kind that occurs."""
    keys = _by_kind(subjects)
    found: dict[str, str] = {}
    for kind, model in ((OwnerKind.MARKET.value, Market), ("payout", Payout), ("freeze", Freeze)):
        if ids := valid_uuids(keys[kind]):
            rows = model._default_manager.filter(pk__in=ids).values_list("pk", "subject")
            found |= {f"{kind}:{key}": subject for key, subject in rows if subject}
    return found


def names_of(player: UUID, subjects: Iterable[str]) -> dict[str, SubjectName]:
    """Return the names of games and tournaments by subject, as the player sees them. A few queries for all."""
    keys = _by_kind(subjects)
    return {
        f"{kind}:{key}": name
        for kind, some in keys.items()
        for key, name in hooks.names_of(kind, player, valid_uuids(some)).items()
    }


def _by_kind(subjects: Iterable[str]) -> defaultdict[str, set[str]]:
    keys: defaultdict[str, set[str]] = defaultdict(set)
    for subject in subjects:
        kind, _, key = subject.partition(":")
        keys[kind].add(key)
    return keys


# --- holds ---------------------------------------------------------------------------------------------


class HeldOutput(TypedDict):
    amount: int
    since: Moment
    reason: Annotated[
        str,
        one_of(
            [
                ("payout", "a payout that is not paid yet"),
                ("dispute", "what a game or tournament paid is disputed"),
                ("other", "see `subject`"),
            ]
        ),
    ]
    subject: Annotated[str, "what holds it"]
    about: Annotated[str, "the disputed game or tournament; otherwise the subject"]
    name: NameOutput | None


def holds(player: UUID, currency: str) -> list[HeldOutput]:
    """Return the open holds of a player's balance and play session, newest first, at most `MOST_HOLDS`."""
    owned = Account.objects.filter(
        kind=OwnerKind.PLAYER, key=str(player), currency=currency, purpose__in=[Purpose.CASH, Purpose.SESSION]
    )
    # As SQL, because SQLite does not use a partial index for a parameter.
    is_held = RawSQL("ledger_hold.state = 'held'", (), output_field=BooleanField())
    accounts = list(owned.values_list("pk", flat=True))
    rows = list(Hold.objects.filter(is_held, account__in=accounts).order_by("-at", "pk")[:MOST_HOLDS])
    about = about_of(row.subject for row in rows)
    names = names_of(player, about.values())
    return [_held(row, about.get(row.subject, row.subject), names) for row in rows]


def _held(row: Hold, about: str, names: Mapping[str, SubjectName]) -> HeldOutput:
    reasons = {"payout": "payout", "freeze": "dispute"}
    return {
        "amount": row.amount,
        "since": moment(row.at),
        "reason": reasons.get(row.subject.partition(":")[0], "other"),
        "subject": row.subject,
        "about": about,
        "name": name_document(names.get(about)),
    }
