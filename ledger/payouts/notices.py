"""Notifications of players about the decisions on their payouts, which follow from the steps of payouts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from uuid import UUID

from eventstore import store
from eventstore.store import Position
from ledger.core.models import player_owner
from ledger.money import with_money
from ledger.payouts.models import APPROVED, PAID, REJECTED, Payout, PayoutKind, PayoutStep
from notifications import follower, kinds
from notifications.follower import Batch, Source
from notifications.kinds import Channel, Kind, Texts, Values
from notifications.services import Announcement

PAYOUT = "payout"
_TABLE, _COLUMN = "ledger_payoutstep", "id"

ANNOUNCED = {
    (PayoutKind.WITHDRAWAL, APPROVED),
    (PayoutKind.WITHDRAWAL, REJECTED),
    (PayoutKind.WITHDRAWAL, PAID),
    (PayoutKind.PRIZE, REJECTED),
    (PayoutKind.PRIZE, PAID),
}
"""The steps that decide something. An approved prize is paid in the same transaction."""

TITLES: Mapping[str, Texts] = {
    APPROVED: {"en": "Payout approved", "de": "Auszahlung freigegeben", "pl": "Wypłata zatwierdzona"},
    REJECTED: {"en": "Payout rejected", "de": "Auszahlung abgelehnt", "pl": "Wypłata odrzucona"},
    PAID: {"en": "Payout paid", "de": "Auszahlung ausgeführt", "pl": "Wypłata wykonana"},
}
TEXTS: Mapping[tuple[str, str], Texts] = {
    (PayoutKind.WITHDRAWAL, APPROVED): {
        "en": "Your withdrawal of {money} is approved and will be sent.",
        "de": "Deine Auszahlung von {money} ist freigegeben und wird überwiesen.",
        "pl": "Twoja wypłata {money} jest zatwierdzona i zostanie wysłana.",
    },
    (PayoutKind.WITHDRAWAL, REJECTED): {
        "en": "Your withdrawal of {money} is rejected. The money is available again.",
        "de": "Deine Auszahlung von {money} ist abgelehnt. Das Geld ist wieder verfügbar.",
        "pl": "Twoja wypłata {money} jest odrzucona. Pieniądze są znowu dostępne.",
    },
    (PayoutKind.WITHDRAWAL, PAID): {
        "en": "Your withdrawal of {money} has been sent.",
        "de": "Deine Auszahlung von {money} ist überwiesen.",
        "pl": "Twoja wypłata {money} jest wysłana.",
    },
    (PayoutKind.PRIZE, REJECTED): {
        "en": "Your prize of {money} is not paid.",
        "de": "Dein Preis von {money} wird nicht ausgezahlt.",
        "pl": "Twoja nagroda {money} nie zostanie wypłacona.",
    },
    (PayoutKind.PRIZE, PAID): {
        "en": "Your prize of {money} is in your wallet.",
        "de": "Dein Preis von {money} ist in deinem Guthaben.",
        "pl": "Twoja nagroda {money} jest na twoim saldzie.",
    },
}


def _last() -> Position | None:
    return store.last_position(table=_TABLE, column=_COLUMN)


def _read(after: Position, limit: int) -> Batch | None:
    found = store.positions_after(after, limit, table=_TABLE, column=_COLUMN)
    if not found:
        return None
    steps = PayoutStep.objects.filter(pk__in=[at.identity for at in found]).select_related("payout")
    return Batch(found[-1], list(steps.order_by("pk")))


def _announcements(steps: Sequence[PayoutStep], now: datetime) -> Iterable[Announcement]:
    for step in steps:
        payout = step.payout
        if (payout.kind, step.becomes) in ANNOUNCED and step.actor != step.payee:
            values = {
                "payout": str(payout.pk),
                "payout_kind": payout.kind,
                "state": step.becomes,
                "amount": step.amount,
                "currency": step.currency,
            }
            yield Announcement(PAYOUT, payout.player, payout.ledger_subject, str(step.number), values)


def _is_own(player: UUID, values: Values) -> bool:
    return Payout.objects.filter(pk=values["payout"], payee=player_owner(player)).exists()


KIND = Kind(
    name=PAYOUT,
    label={
        "en": "A payout is decided",
        "de": "Über eine Auszahlung ist entschieden",
        "pl": "Zapada decyzja o wypłacie",
    },
    title=lambda values: TITLES[values["state"]],
    text=lambda values: TEXTS[values["payout_kind"], values["state"]],
    path=lambda values: "/wallet/payouts/" if values["payout_kind"] == PayoutKind.WITHDRAWAL else "/wallet/",
    tag="payout:{payout}",
    channels=tuple(Channel),
    is_current=_is_own,
    shown=with_money,
)


def register() -> None:
    kinds.register(KIND)
    follower.register(Source("payouts", _last, _read, lambda: [_announcements]))
