"""Send a notification by one channel, at most once: the row is claimed, which commits, before the message leaves.

A worker that is killed between the two loses this one message. The webhook of a player is different: the message goes
to the outbox of `webhooks` in the transaction of the claim, and is sent from there as every webhook is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from smtplib import SMTPException
from typing import Any
from uuid import UUID

import structlog
from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.db import transaction

from notifications import kinds, preferences, unsubscribing
from notifications.kinds import Channel, Kind
from notifications.models import ERROR_LENGTH, Delivery, Notification, Outcome
from notifications.preferences import Chosen, Reach
from rest.documents import moment
from webhooks import services as webhooks
from webpush import services as webpush

log = structlog.get_logger(__name__)

PAUSES = (timedelta(minutes=1), timedelta(minutes=5), timedelta(minutes=30), timedelta(hours=2))
"""The delays after a mail server was not reached, which nothing has left for. Then the message is given up."""

MOST_OF_A_DIGEST = 50
"""Notifications that a digest lists; it counts the others."""

MOST_AT_ONCE = 500
"""Notifications of one digest. Further ones make another."""

STRAGGLERS = timedelta(minutes=2)
"""More than a job that writes notifications may take."""

WORDS = {
    "en": (
        "{count} notifications",
        "and {more} more",
        "Stop these e-mails:",
        "Stop all e-mails of this kind:",
    ),
    "de": (
        "{count} Benachrichtigungen",
        "und {more} weitere",
        "Diese E-Mails abbestellen:",
        "E-Mails dieser Art abbestellen:",
    ),
    "pl": (
        "Powiadomienia: {count}",
        "i jeszcze {more}",
        "Wyłącz te e-maile:",
        "Wyłącz wszystkie e-maile tego rodzaju:",
    ),
}
"""The subject of a digest, its rest, and the last line of a digest and of a single e-mail."""


def send(*, delivery_id: int, now: datetime) -> datetime | None:
    """Send one delivery, outside of any transaction. Return when to try again; None if it has ended."""
    delivery = _waiting().filter(pk=delivery_id).first()
    if delivery is None:
        return None
    reach = _reach(delivery.player_id)
    if not _is_wanted(delivery, reach, now):
        return None
    assert reach is not None, "only a player who is reached wants a message"
    chosen = reach.choices
    if delivery.channel != Channel.WEBHOOK and (end := chosen.quiet_end(now)) is not None:
        return end
    if delivery.channel == Channel.EMAIL:
        return _send_mail([delivery], chosen, now)
    SENDERS[Channel(delivery.channel)](delivery, chosen, now)
    return None


def send_digest(*, player: UUID, due: datetime, now: datetime) -> datetime | None:
    """Send the e-mails of a player that are due as one. Return when to look again; None if none can be left.

    A notification for this digest may commit while the digest is sent, so it is looked at a second time.
    """
    again = _send_digest(player, now)
    return again or (due + STRAGGLERS if now < due + STRAGGLERS else None)


def _send_digest(player: UUID, now: datetime) -> datetime | None:
    reach = _reach(player)
    waiting = _waiting().filter(player=player, channel=Channel.EMAIL, due__lte=now).order_by("due", "pk")
    found = list(waiting[:MOST_AT_ONCE])
    wanted = [delivery for delivery in found if _is_wanted(delivery, reach, now)]
    again = now if len(found) == MOST_AT_ONCE else None
    if not wanted or reach is None:
        return again
    if (end := reach.choices.quiet_end(now)) is not None:
        return end
    return _send_mail(wanted, reach.choices, now) or again


def _waiting() -> Any:
    return Delivery.objects.filter(claimed_at=None, ended_at=None).select_related("notification")


def _reach(player: UUID) -> Reach | None:
    return preferences.reach([player]).get(player)


def _is_wanted(delivery: Delivery, reach: Reach | None, now: datetime) -> bool:
    """Whether the player still wants this message, can be reached, and may see what it is about. Otherwise it ends."""
    row = delivery.notification
    kind = kinds.find(row.kind)
    if (
        kind is not None
        and reach is not None
        and delivery.channel in reach.channels(row.kind)
        and kind.is_current(row.player_id, row.values)
    ):
        return True
    _end(delivery, Outcome.DROPPED, now)
    return False


def _claim(delivery: Delivery, now: datetime) -> bool:
    """Claim a delivery. Of two workers one gets it, once."""
    free = Delivery.objects.filter(pk=delivery.pk, claimed_at=None, ended_at=None)
    return bool(free.update(claimed_at=now))


def _end(delivery: Delivery, outcome: Outcome, now: datetime, error: str = "") -> None:
    open = Delivery.objects.filter(pk=delivery.pk, ended_at=None)
    open.update(ended_at=now, outcome=outcome, error=error[:ERROR_LENGTH])
    if error:
        log.warning("notification_failed", delivery=delivery.pk, channel=delivery.channel, error=error)


# --- push and webhooks ---------------------------------------------------------------------------------


def _push(delivery: Delivery, chosen: Chosen, now: datetime) -> None:
    if not _claim(delivery, now):
        return
    row, kind = delivery.notification, _kind(delivery)
    title, text = kind.render(row.values, chosen.language)
    outcomes = webpush.send(
        owner=row.player_id,
        title=title,
        body=text,
        link=kind.link(row.values),
        tag=kind.tag.format_map(row.values),
        urgent=kind.urgent,
        now=now,
    )
    if any(one.ok for one in outcomes):
        _end(delivery, Outcome.SENT, now)
    else:
        _end(delivery, Outcome.FAILED, now, outcomes[0].said if outcomes else "no browser is subscribed")


def _webhook(delivery: Delivery, chosen: Chosen, now: datetime) -> None:
    row, kind = delivery.notification, _kind(delivery)
    title, text = kind.render(row.values, chosen.language)
    with transaction.atomic():
        if not _claim(delivery, now):
            return
        webhooks.announce(
            owner=row.player_id,
            subject=f"notification:{row.pk}",
            within=webhooks.personal(row.player_id),
            position=1,
            type=f"notification.{row.kind}",
            data={
                "notification": str(row.pk),
                "title": title,
                "text": text,
                "link": settings.RACECARD_SITE_URL + kind.link(row.values),
                "values": row.values,
                "created_at": moment(row.created_at),
            },
            now=now,
            of_owner=False,
        )
        _end(delivery, Outcome.SENT, now)


Sender = Callable[[Delivery, Chosen, datetime], None]
SENDERS: dict[Channel, Sender] = {Channel.PUSH: _push, Channel.WEBHOOK: _webhook}


def _kind(delivery: Delivery) -> Kind:
    kind = kinds.find(delivery.notification.kind)
    assert kind is not None, "only a known kind is wanted"
    return kind


# --- e-mail --------------------------------------------------------------------------------------------


def _send_mail(deliveries: Sequence[Delivery], chosen: Chosen, now: datetime) -> datetime | None:
    """Send one e-mail about all deliveries, which are of one player. Return when to try again."""
    connection = get_connection()
    try:
        connection.open()
    except (OSError, SMTPException) as error:
        return _postpone(deliveries, now, error)
    try:
        claimed = [delivery for delivery in deliveries if _claim(delivery, now)]
        if not claimed:
            return None
        failure = _sent(_mail(claimed, chosen), connection)
        for delivery in claimed:
            _end(delivery, Outcome.FAILED if failure else Outcome.SENT, now, failure)
    finally:
        connection.close()
    return None


def _sent(mail: EmailMessage, connection: Any) -> str:
    """Send an e-mail and return the error; empty if the server has taken it."""
    mail.connection = connection
    try:
        mail.send()
    except (OSError, SMTPException) as error:
        return f"{type(error).__name__}: {error}"
    return ""


def _postpone(deliveries: Sequence[Delivery], now: datetime, error: Exception) -> datetime | None:
    """Nothing was sent, so the deliveries wait for another attempt, or end after the last one."""
    tries = deliveries[0].tries
    if tries >= len(PAUSES):
        for delivery in deliveries:
            _end(delivery, Outcome.FAILED, now, f"{type(error).__name__}: {error}")
        return None
    Delivery.objects.filter(pk__in=[delivery.pk for delivery in deliveries]).update(tries=tries + 1)
    return now + PAUSES[tries]


def _mail(deliveries: Sequence[Delivery], chosen: Chosen) -> EmailMessage:
    player = deliveries[0].player_id
    rows = [delivery.notification for delivery in deliveries]
    digest, more, stop_all, stop_kind = WORDS[chosen.language]
    is_single = len(rows) == 1
    kind = rows[0].kind if is_single else unsubscribing.ALL
    link = unsubscribing.link(player, kind)
    if is_single:
        subject, parts = (
            _kind(deliveries[0]).render(rows[0].values, chosen.language)[0],
            [_text(rows[0], chosen)],
        )
    else:
        subject = digest.format(count=len(rows))
        parts = [_text(row, chosen, titled=True) for row in rows[:MOST_OF_A_DIGEST]]
        if len(rows) > MOST_OF_A_DIGEST:
            parts.append(more.format(more=len(rows) - MOST_OF_A_DIGEST))
    parts.append(f"-- \n{stop_kind if is_single else stop_all} {link}")
    return EmailMessage(
        subject=f"{settings.ACCOUNT_EMAIL_SUBJECT_PREFIX}{subject}",
        body="\n\n".join(parts) + "\n",
        to=[preferences.addresses([player])[player]],
        headers={
            "List-Unsubscribe": f"<{link}>",
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
            "Auto-Submitted": "auto-generated",
        },
    )


def _text(row: Notification, chosen: Chosen, *, titled: bool = False) -> str:
    kind = kinds.find(row.kind)
    assert kind is not None, "only a known kind is wanted"
    title, text = kind.render(row.values, chosen.language)
    address = settings.RACECARD_SITE_URL + kind.link(row.values)
    return "\n".join([title, text, address] if titled else [text, "", address])
