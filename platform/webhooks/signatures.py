"""Signatures as the Standard Webhooks scheme has them (https://www.standardwebhooks.com). Pure."""

from __future__ import annotations

import base64
import hashlib
import hmac

SECRET_BYTES = 32
PREFIX = "whsec_"


def secret_text(secret: bytes) -> str:
    """A secret as its holder is given it."""
    return PREFIX + base64.b64encode(secret).decode()


def sign(secret: bytes, *, id: str, timestamp: int, body: bytes) -> str:
    """HMAC-SHA256 over `id.timestamp.body`, in base64 behind the version of the scheme."""
    signed = b".".join((id.encode(), str(timestamp).encode(), body))
    return "v1," + base64.b64encode(hmac.digest(secret, signed, hashlib.sha256)).decode()


def headers(secret: bytes, *, id: str, timestamp: int, body: bytes) -> dict[str, str]:
    return {
        "webhook-id": id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": sign(secret, id=id, timestamp=timestamp, body=body),
    }
