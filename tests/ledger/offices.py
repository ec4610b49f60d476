"""Staff at work in tests: a browser with a session, and actions with their preview."""

from __future__ import annotations

import re
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.test import Client

from accounts.models import Player


def signed_in(who: Player) -> Client:
    client = Client()
    client.force_login(who, backend=settings.AUTHENTICATION_BACKENDS[-1])
    return client


def text(answer: Any) -> str:
    assert answer.status_code == 200, answer
    return str(answer.content.decode())


def perform(client: Client, address: str, **form: Any) -> tuple[str, Any]:
    """Return the preview of an action, and the response to its confirmation."""
    key = re.search(r'name="key" value="(\w+)"', text(client.get(address)))
    # An action that is refused at once has no form.
    sent = {"reason": "as agreed by phone", "key": key[1] if key else uuid4().hex, **form}
    preview = text(client.post(address, sent))
    return preview, client.post(address, {**sent, "confirmed": "yes"})
