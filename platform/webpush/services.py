"""Subscriptions of browsers, and messages to them."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import secrets
from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from cryptography.hazmat.primitives.asymmetric import ec
from django.contrib.auth import get_user_model
from django.db import transaction

from core.errors import Conflict, InvalidInput, NotFound
from webhooks import targets
from webhooks.sending import Outcome, Transport
from webpush import sending
from webpush.models import Subscription

MOST_SUBSCRIPTIONS = 5
"""The limit of one account."""

transport = Transport(within=8.0)
"""All browsers of an account together take less time than the lease of a job."""

GONE = (404, 410)
"""The subscription has ended: the player withdrew the permission, or the browser gave it up."""

LONGEST_TITLE, LONGEST_BODY = 120, 300
"""In characters. A push service takes 4096 bytes, of which encryption needs 103."""


# --- subscriptions -------------------------------------------------------------------------------------


@transaction.atomic
def subscribe(
    *, owner: UUID, endpoint: str, p256dh: str, auth: str, name: str, now: datetime
) -> Subscription:
    """Register a browser and return it. The same browser again keeps its place.

    Raises BadPushTarget, BadPushKey, PushTaken, TooManyPushSubscriptions.
    """
    try:
        targets.target(endpoint)
    except targets.Refused as error:
        raise BadPushTarget(f"endpoint: {error}.", field="endpoint") from None
    _check_keys(p256dh, auth)
    # The lock makes the second of two concurrent requests count the first.
    get_user_model().objects.select_for_update().get(pk=owner)
    known = Subscription.objects.select_for_update(of=("self",)).filter(endpoint=endpoint).first()
    if known is not None and known.owner_id != owner:
        # The keys prove that this is the browser itself, where another player has signed in.
        if not secrets.compare_digest(known.auth, auth):
            raise PushTaken
        known.delete()
        known = None
    if known is not None:
        known.p256dh, known.auth, known.name = p256dh, auth, name
        known.save(update_fields=["p256dh", "auth", "name"])
        return known
    if Subscription.objects.filter(owner=owner).count() >= MOST_SUBSCRIPTIONS:
        raise TooManyPushSubscriptions(f"{MOST_SUBSCRIPTIONS} at most.")
    return Subscription.objects.create(
        owner_id=owner, endpoint=endpoint, p256dh=p256dh, auth=auth, name=name, created_at=now
    )


def unsubscribe(*, owner: UUID, subscription_id: UUID) -> None:
    """Remove a browser and the messages that wait for it. Raises NotFound."""
    if not Subscription.objects.filter(owner=owner, pk=subscription_id).delete()[0]:
        raise NotFound


def forget(*, owner: UUID) -> None:
    """Remove all browsers of an account that is erased."""
    Subscription.objects.filter(owner=owner).delete()


def _check_keys(p256dh: str, auth: str) -> None:
    """Raises BadPushKey."""
    try:
        ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), _decoded(p256dh))
    except ValueError:
        raise BadPushKey("p256dh: an uncompressed point of P-256 in base64url.", field="p256dh") from None
    try:
        is_secret = len(_decoded(auth)) == 16
    except ValueError:
        is_secret = False
    if not is_secret:
        raise BadPushKey("auth: 16 bytes in base64url.", field="auth")


def _decoded(text: str) -> bytes:
    """Raises ValueError."""
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except binascii.Error as error:
        raise ValueError(str(error)) from None


# --- messages ------------------------------------------------------------------------------------------


def reached(owners: Collection[UUID]) -> set[UUID]:
    """Return those of the players who have a browser that receives messages."""
    return set(Subscription.objects.filter(owner__in=owners).values_list("owner_id", flat=True))


def send(
    *, owner: UUID, title: str, body: str, link: str, tag: str, urgent: bool, now: datetime
) -> list[Outcome]:
    """Send a message once to every browser of a player, outside of any transaction. Return the results.

    It passes through servers of others, encrypted, and appears on screens that others may see: it must name no card,
    token, or other secret. `link` is a path of this site. A browser shows only the newest message of a `tag`. A
    subscription that has ended is removed.
    """
    if not link.startswith("/") or link.startswith("//"):
        raise ValueError("a message leads to a path of this site")
    shown = {"title": _cut(title, LONGEST_TITLE), "body": _cut(body, LONGEST_BODY), "link": link, "tag": tag}
    data = json.dumps(shown, ensure_ascii=False, separators=(",", ":")).encode()
    topic = base64.urlsafe_b64encode(hashlib.sha256(tag.encode()).digest()[:24]).decode()
    outcomes = []
    for to in Subscription.objects.filter(owner=owner).order_by("created_at", "pk"):
        outcome = sending.send(to, data, topic=topic, urgent=urgent, transport=transport, now=now)
        outcomes.append(outcome)
        this = Subscription.objects.filter(pk=to.pk)
        if outcome.status in GONE:
            this.delete()
        elif outcome.ok:
            this.update(used_at=now)
    return outcomes


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


class BadPushTarget(InvalidInput):
    code = "bad-push-target"
    title = "Push messages go to public https addresses only"


class BadPushKey(InvalidInput):
    code = "bad-push-key"
    title = "This is not a key of a browser's push subscription"


class PushTaken(Conflict):
    code = "push-subscription-taken"
    title = "This push subscription belongs to another account"


class TooManyPushSubscriptions(Conflict):
    code = "too-many-push-subscriptions"
    title = "There are as many browsers as one account may have; remove one first"
