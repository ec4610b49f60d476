"""One message to a push service: encrypted for the browser (RFC 8291) and signed by the installation (RFC 8292).

The connection goes to public addresses only, as that of a webhook does: the address comes from a browser.
"""

from __future__ import annotations

import base64
from datetime import datetime, timedelta
from functools import lru_cache
from pathlib import Path
from urllib.parse import urlsplit

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from django.conf import settings

from core.secret_files import load_or_create
from webhooks.sending import Outcome, Transport
from webpush.models import Subscription

Private = ec.EllipticCurvePrivateKey

LIVES = timedelta(hours=24)
"""How long the push service keeps a message for a browser that is not running."""

SIGNED_FOR = timedelta(hours=12)
"""How long a signature is good; RFC 8292 allows a day."""


def _new_key() -> str:
    key = ec.generate_private_key(ec.SECP256R1())
    form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return key.private_bytes(*form).decode()


@lru_cache(maxsize=4)
def _key(path: Path) -> Private:
    key = serialization.load_pem_private_key(load_or_create(path, _new_key).encode(), None)
    assert isinstance(key, Private)
    return key


def signing_key() -> Private:
    """The installation's VAPID key, created on the first call. A new key makes every subscription useless."""
    return _key(Path(settings.RACECARD_PUSH_KEY))


def public_key() -> str:
    """The key that a browser subscribes with (`applicationServerKey`), in base64url."""
    form = (serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
    return base64.urlsafe_b64encode(signing_key().public_key().public_bytes(*form)).rstrip(b"=").decode()


def contact() -> str:
    """Whom a push service may write to about this installation."""
    if settings.RACECARD_SITE_URL.startswith("https://"):
        parts = urlsplit(settings.RACECARD_SITE_URL)
        return f"https://{parts.hostname}"
    address = settings.DEFAULT_FROM_EMAIL.rpartition("<")[2].rstrip("> ")
    return f"mailto:{address}"


def send(
    to: Subscription, body: bytes, *, topic: str, urgent: bool, transport: Transport, now: datetime
) -> Outcome:
    """Never raises for an error of the push service. A newer message replaces one of its topic that waits there."""
    # Imported on first use: the import is slow, and most processes send nothing.
    from py_vapid import Vapid
    from pywebpush import WebPusher

    keys = {"p256dh": to.p256dh, "auth": to.auth}
    encrypted = WebPusher({"endpoint": to.endpoint, "keys": keys}).encode(body)["body"]
    parts = urlsplit(to.endpoint)
    claims = {
        "aud": f"{parts.scheme}://{parts.netloc}",
        "exp": int((now + SIGNED_FOR).timestamp()),
        "sub": contact(),
    }
    headers = {
        **Vapid(signing_key()).sign(claims),
        "content-encoding": "aes128gcm",
        "content-type": "application/octet-stream",
        "topic": topic,
        "ttl": str(int(LIVES.total_seconds())),
        "urgency": "high" if urgent else "normal",
        "user-agent": "racecard",
    }
    return transport.send(to.endpoint, headers=headers, body=encrypted)
