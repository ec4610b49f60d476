"""A mail server that keeps what it receives."""

from __future__ import annotations

import email
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import Message
from typing import Any

from aiosmtpd.controller import Controller

from tools.services import free_port

SITE = "https://cards.example"


class Mailbox:
    """What the mail server has received."""

    def __init__(self) -> None:
        self.messages: list[Message] = []

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        self.messages.append(email.message_from_bytes(envelope.content))
        return "250 OK"

    def take(self, to: str) -> Message:
        """The only new message."""
        [message] = self.messages
        self.messages.clear()
        assert message["To"] == to
        return message


def text(message: Message) -> str:
    return message.get_payload(decode=True).decode()


@contextmanager
def mail_server() -> Iterator[tuple[Mailbox, str, int]]:
    """A mail server: what it receives, its host, and its port."""
    box = Mailbox()
    server = Controller(box, hostname="127.0.0.1", port=free_port())
    server.start()
    try:
        yield box, server.hostname, server.port
    finally:
        server.stop()


@contextmanager
def receiving(settings: Any) -> Iterator[Mailbox]:
    """A mail server to which this site, at `SITE`, sends its e-mail."""
    with mail_server() as (box, host, port):
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = host, port
        settings.RACECARD_SITE_URL = SITE
        yield box
