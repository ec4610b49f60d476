"""Signatures of the Standard Webhooks scheme: its own example, and what the documentation says of checking them."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webhooks.services import secret_text, sign, signature_headers

DOCS = Path(__file__).resolve().parents[2] / "docs" / "webhooks.md"


def test_the_example_of_the_scheme() -> None:
    secret = base64.b64decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    signed = sign(
        secret, id="msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp=1614265330, body=b'{"test": 2432232314}'
    )
    assert signed == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    assert secret_text(secret) == "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


@pytest.fixture(scope="module")
def verify() -> Callable[..., Any]:
    """The receiver's function as the documentation has it."""
    [code] = re.findall(r"```python\n(.*?)```", DOCS.read_text(), re.DOTALL)
    found: dict[str, Any] = {}
    exec(code, found)
    return found["verify"]


@given(st.binary(min_size=24, max_size=64), st.binary(max_size=300), st.integers(0, 2**33))
def test_the_receiver_of_the_documentation_accepts_what_is_signed(
    verify: Callable[..., Any], secret: bytes, body: bytes, at: int
) -> None:
    sent = signature_headers(secret, id="one", timestamp=at, body=body)
    assert verify(secret_text(secret), sent, body, now=at + 299)
    assert not verify(secret_text(secret), sent, body + b" ", now=at)
    assert not verify(secret_text(secret), {**sent, "webhook-id": "two"}, body, now=at)
    assert not verify(secret_text(secret), {**sent, "webhook-timestamp": str(at + 1)}, body, now=at)
    assert not verify(secret_text(secret), sent, body, now=at + 301)
    assert not verify(secret_text(b"x" * 24), sent, body, now=at)
    among_others = {**sent, "webhook-signature": "v1,AAAA " + sent["webhook-signature"]}
    assert verify(secret_text(secret), among_others, body, now=at)
