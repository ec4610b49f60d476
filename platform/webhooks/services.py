"""Webhooks and their deliveries. Deliveries are written in the caller's transaction and sent by durable jobs."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Callable, Collection, Mapping
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.contrib.auth import get_user_model
from django.db import connection, transaction
from django.db.models import Q, QuerySet

from core.errors import Conflict, InvalidInput, NotFound
from jobs import services as jobs
from webhooks import targets
from webhooks.models import Attempt, Delivery, Hook, State
from webhooks.sending import GONE, Outcome, Transport

MOST_HOOKS = 10
"""The limit of one account."""

DELIVER = "webhooks.deliver"
MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
PAUSES = (timedelta(seconds=5), MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR)
"""The delays after failed attempts. When the attempt after the last delay fails too, the webhook is disabled."""

KEPT_FOR = timedelta(days=30)
"""How long a finished delivery can be read and sent again."""


# --- hooks ---------------------------------------------------------------------------------------------


@transaction.atomic
def register(*, owner: UUID, url: str, subject: str = "", now: datetime) -> tuple[Hook, str]:
    """Create a webhook and return it with its secret, which is shown only once. Raises BadTarget, TooManyHooks."""
    try:
        targets.target(url)
    except targets.Refused as error:
        raise BadTarget(f"url: {error}.", field="url") from None
    # The lock makes the second of two concurrent requests count the first.
    get_user_model().objects.select_for_update().get(pk=owner)
    if Hook.objects.filter(owner=owner).count() >= MOST_HOOKS:
        raise TooManyHooks(f"{MOST_HOOKS} at most.")
    secret = secrets.token_bytes(SECRET_BYTES)
    hook = Hook.objects.create(owner_id=owner, url=url, subject=subject, secret=secret, created_at=now)
    return hook, secret_text(secret)


PERSONAL = "player:"


def personal(owner: UUID) -> str:
    """Return the subject of a player's own webhook, which receives the player's notifications."""
    return f"{PERSONAL}{owner}"


def personal_hook(owner: UUID) -> Hook | None:
    return Hook.objects.filter(owner=owner, subject=personal(owner)).first()


def others(owner: UUID) -> QuerySet[Hook]:
    """Return the webhooks of an account without its personal one."""
    return Hook.objects.filter(owner=owner).exclude(subject=personal(owner))


@transaction.atomic
def register_personal(*, owner: UUID, url: str, now: datetime) -> tuple[Hook, str]:
    """Create the personal webhook of a player in place of an earlier one; otherwise like `register`."""
    get_user_model().objects.select_for_update().get(pk=owner)
    remove_personal(owner=owner)
    return register(owner=owner, url=url, subject=personal(owner), now=now)


def remove_personal(*, owner: UUID) -> None:
    """Delete the personal webhook of a player and its deliveries, if there is one."""
    _remove(Hook.objects.filter(owner=owner, subject=personal(owner)))


def reached(owners: Collection[UUID]) -> set[UUID]:
    """Return those of the players who have a personal webhook that is not disabled."""
    subjects = [personal(owner) for owner in owners]
    held = Hook.objects.filter(subject__in=subjects, disabled_at=None)
    return {hook.owner_id for hook in held.only("owner")}


def remove(hook: Hook) -> None:
    """Delete a webhook and its deliveries."""
    _remove(Hook.objects.filter(pk=hook.pk))


def forget(*, owner: UUID) -> None:
    """Delete all webhooks of an account that is erased."""
    _remove(Hook.objects.filter(owner=owner))


def forget_others(*, owner: UUID) -> None:
    """Delete the webhooks of an account that may no longer have any but its personal one."""
    _remove(others(owner))


@transaction.atomic
def _remove(hooks: QuerySet[Hook]) -> None:
    # Locked first: concurrent announcements commit before and are deleted too.
    held = [hook.pk for hook in hooks.select_for_update().order_by("pk")]
    Hook.objects.filter(pk__in=held).delete()


@transaction.atomic
def enable(*, hook_id: UUID, now: datetime) -> Hook:
    """Enable a webhook and send the deliveries that waited meanwhile first. Raises NotFound, NotDisabled."""
    hook = Hook.objects.select_for_update(no_key=True).filter(pk=hook_id).first()
    if hook is None:
        raise NotFound
    if hook.disabled_at is None:
        raise NotDisabled
    hook.disabled_at, hook.disabled_why = None, ""
    hook.save(update_fields=["disabled_at", "disabled_why"])
    for delivery in hook.deliveries.select_for_update().filter(state=State.WAITING).order_by("created_at"):
        _begin(delivery, now)
    return hook


def _disable(hook: Hook, why: str, now: datetime) -> None:
    Hook.objects.filter(pk=hook.pk, disabled_at=None).update(disabled_at=now, disabled_why=why)


# --- announcements ---------------------------------------------------------------------------------------


def announce(
    *,
    owner: UUID,
    subject: str,
    position: int,
    type: str,
    data: Mapping[str, Any],
    now: datetime,
    within: str = "",
    may_receive: Callable[[Any], bool] = lambda owner: True,
    of_owner: bool = True,
) -> None:
    """Schedule deliveries to all subscribed webhooks in the caller's transaction, once for each position.

    `within` is a larger subject that contains this one; its webhooks are included. `data` is public. `may_receive`
    decides whether the owner of a webhook may still have one on the subject. Disabled webhooks get their deliveries
    when they are enabled. `of_owner`: include the owner's webhooks for all subjects.
    """
    subjects = [subject, within] if within else [subject]
    chosen = Q(subject__in=subjects)
    if of_owner:
        chosen |= Q(owner=owner, subject="")
    wanted = Hook.objects.filter(chosen, owner__is_active=True)
    body = {"type": type, "timestamp": now.isoformat().replace("+00:00", "Z"), "data": dict(data)}
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for hook in _kept(wanted):
        if not may_receive(hook.owner):
            continue
        delivery, made = Delivery.objects.get_or_create(
            hook=hook,
            subject=subject,
            position=position,
            defaults={"type": type, "body": text, "created_at": now},
        )
        if made:
            _schedule(delivery, now)


def _kept(wanted: QuerySet[Hook]) -> list[Hook]:
    """These webhooks, locked against deletion until the caller's transaction ends."""
    found = list(wanted.select_related("owner").order_by("created_at", "pk"))
    if connection.vendor != "postgresql" or not found:
        return found
    with connection.cursor() as cursor:
        # The lock that the foreign keys of their deliveries need, taken before one of them can be deleted.
        statement = "SELECT id FROM webhooks_hook WHERE id = ANY(%s) ORDER BY id FOR KEY SHARE"
        cursor.execute(statement, [[hook.pk for hook in found]])
        locked = {id for (id,) in cursor.fetchall()}
    return [hook for hook in found if hook.pk in locked]


@transaction.atomic
def redeliver(*, delivery_id: UUID, now: datetime) -> Delivery:
    """Send a finished delivery again under the same id.

    Raises NotFound, StillWaiting, HookDisabled.
    """
    known = Delivery.objects.select_for_update(of=("self",)).select_related("hook")
    delivery = known.filter(pk=delivery_id).first()
    if delivery is None:
        raise NotFound
    if delivery.state == State.WAITING:
        raise StillWaiting
    if delivery.hook.disabled_at is not None:
        raise HookDisabled
    _begin(delivery, now)
    return delivery


def _begin(delivery: Delivery, now: datetime) -> None:
    delivery.state, delivery.ended_at, delivery.tries = State.WAITING, None, 0
    delivery.rounds += 1
    delivery.save(update_fields=["state", "ended_at", "tries", "rounds"])
    _schedule(delivery, now)


def _schedule(delivery: Delivery, due: datetime) -> None:
    jobs.schedule(
        kind=DELIVER,
        key=f"{DELIVER}:{delivery.pk}:{delivery.rounds}",
        payload={"delivery": str(delivery.pk), "round": delivery.rounds},
        due=due,
    )


# --- sending -------------------------------------------------------------------------------------------


def _waiting(delivery_id: UUID, round: int) -> Delivery | None:
    """The delivery, if the job of this round is to send it."""
    waiting = Delivery.objects.filter(pk=delivery_id, rounds=round, state=State.WAITING)
    return waiting.select_related("hook__owner").first()


def _locked(delivery_id: UUID, round: int) -> Delivery | None:
    """The delivery with its webhook locked, so that nobody enables or disables it meanwhile."""
    hook = Hook.objects.select_for_update(no_key=True, of=("self",)).filter(deliveries=delivery_id).first()
    return None if hook is None else _waiting(delivery_id, round)


def send(*, delivery_id: UUID, round: int, transport: Transport, now: datetime) -> Outcome | None:
    """Make one attempt, outside of any transaction. None if there is nothing to send."""
    delivery = _waiting(delivery_id, round)
    if delivery is None or delivery.hook.disabled_at is not None:
        return None
    if not delivery.hook.owner.is_active:
        return Outcome(None, "the account is suspended", "", 0)
    body = delivery.body.encode()
    signed = signature_headers(
        bytes(delivery.hook.secret), id=str(delivery.pk), timestamp=int(now.timestamp()), body=body
    )
    headers = {"content-type": "application/json", "user-agent": "racecard", **signed}
    return transport.send(delivery.hook.url, headers=headers, body=body)


def attempted(*, delivery_id: UUID, round: int, outcome: Outcome | None, now: datetime) -> datetime | None:
    """Record an attempt. Return when the next one is due; None if there is none."""
    delivery = _locked(delivery_id, round)
    if delivery is None:
        return None
    enabled = delivery.hook.disabled_at is None
    if outcome is None:
        # The webhook was disabled meanwhile. Enabling it schedules the delivery again.
        return now if enabled else None
    delivery.tries += 1
    Attempt.objects.create(
        delivery=delivery,
        number=delivery.attempts.count() + 1,
        at=now,
        status=outcome.status,
        error=outcome.error,
        answer=outcome.answer,
        took=outcome.took,
    )
    if not outcome.ok and outcome.status != GONE and delivery.tries <= len(PAUSES):
        delivery.save(update_fields=["tries"])
        return now + PAUSES[delivery.tries - 1] if enabled else None
    _end(delivery, State.DELIVERED if outcome.ok else State.FAILED, now)
    if not outcome.ok:
        _disable(delivery.hook, _why(delivery, outcome), now)
    return None


def _why(delivery: Delivery, outcome: Outcome) -> str:
    if outcome.status == GONE:
        return f"answered {GONE}: it wants nothing more"
    return f"{delivery.type} could not be delivered in {delivery.tries} attempts; the last: {outcome.said}"


def give_up(*, delivery_id: UUID, round: int, why: str, now: datetime) -> None:
    """Record that the job itself failed, for example because its worker was lost in each attempt."""
    delivery = _locked(delivery_id, round)
    if delivery is not None:
        _end(delivery, State.FAILED, now)
        _disable(delivery.hook, why, now)


def _end(delivery: Delivery, state: State, now: datetime) -> None:
    delivery.state, delivery.ended_at = state, now
    delivery.save(update_fields=["state", "ended_at", "tries"])


def prune(*, now: datetime) -> int:
    """Delete old finished deliveries and return their number."""
    old = Delivery.objects.filter(ended_at__lt=now - KEPT_FOR)
    return old.delete()[1].get("webhooks.Delivery", 0)


class BadTarget(InvalidInput):
    code = "bad-webhook-target"
    title = "Webhooks go to public https addresses alone"


class TooManyHooks(Conflict):
    code = "too-many-webhooks"
    title = "There are as many webhooks as one account may have; remove one first"


class HookDisabled(Conflict):
    code = "webhook-disabled"
    title = "The webhook is disabled; enable it first"


class StillWaiting(Conflict):
    code = "delivery-waiting"
    title = "The delivery is still being tried"


class NotDisabled(Conflict):
    code = "webhook-not-disabled"
    title = "The webhook is not disabled"


SECRET_BYTES = 32
PREFIX = "whsec_"


def secret_text(secret: bytes) -> str:
    """A secret in the form that its owner gets."""
    return PREFIX + base64.b64encode(secret).decode()


def sign(secret: bytes, *, id: str, timestamp: int, body: bytes) -> str:
    """HMAC-SHA256 over `id.timestamp.body`, in base64 after the version of the scheme."""
    signed = b".".join((id.encode(), str(timestamp).encode(), body))
    return "v1," + base64.b64encode(hmac.digest(secret, signed, hashlib.sha256)).decode()


def signature_headers(secret: bytes, *, id: str, timestamp: int, body: bytes) -> dict[str, str]:
    return {
        "webhook-id": id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": sign(secret, id=id, timestamp=timestamp, body=body),
    }
