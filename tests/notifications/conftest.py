"""Followers that start at the present, and players who can be reached by e-mail and push."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

import pytest
from allauth.account.models import EmailAddress

from accounts.models import Player
from notifications import follower, kinds, services
from notifications.kinds import Channel, Kind, Values
from notifications.models import Notification
from notifications.services import Announcement
from tests.conftest import NOW
from tests.mailbox import Mailbox, receiving
from tests.waiting import wait_until_final
from tests.webhooks.servers import Receiver
from tests.webpush.test_push import AUTH, BROWSER, point
from tests.webpush.test_push import text as encoded
from webhooks.sending import Outcome
from webpush import services as webpush

Follow = Callable[..., list[str]]


@pytest.fixture
def follow(db: None) -> Follow:
    """`follow()`: follow what has happened since, and return the new titles with their players, sorted."""
    wait_until_final()
    follower.start()

    def followed(now: datetime = NOW) -> list[str]:
        wait_until_final()
        known = set(Notification.objects.values_list("pk", flat=True))
        follower.follow(now=now)
        return announced(known)

    return followed


def announced(known: set[Any] = frozenset()) -> list[str]:  # type: ignore[assignment]
    rows = Notification.objects.exclude(pk__in=known).select_related("player")
    return sorted(f"{row.player.username}: {services.title_of(row)}" for row in rows)


@pytest.fixture
def mailbox(settings: Any) -> Iterator[Mailbox]:
    with receiving(settings) as box:
        yield box


@pytest.fixture
def pushed(monkeypatch: pytest.MonkeyPatch) -> Receiver:
    """A push service that takes every message."""
    receiver = Receiver(Outcome(201, "", "", 5))
    monkeypatch.setattr(webpush, "transport", receiver)
    return receiver


def address(player: Player, *, verified: bool = True) -> str:
    email = f"{player.username}@club.example"
    EmailAddress.objects.create(user=player, email=email, verified=verified, primary=True)
    return email


def browser(player: Player) -> None:
    webpush.subscribe(
        owner=player.pk,
        endpoint=f"https://push.example.org/{player.pk}",
        p256dh=encoded(point(BROWSER)),
        auth=encoded(AUTH),
        name="Firefox, Linux",
        now=NOW,
    )


allowed: dict[str, bool] = {}
"""Whether the test kind may be sent to a player."""


def _allowed(player: Any, values: Values) -> bool:
    return allowed.get(str(player), True)


KIND = Kind(
    name="test",
    label={"en": "A test", "de": "Ein Test", "pl": "Próba"},
    title=kinds.texts(en="Test of {name}", de="Probe von {name}", pl="Próba: {name}"),
    text=kinds.texts(en="Something has happened.", de="Etwas ist geschehen.", pl="Coś się stało."),
    path=kinds.always("/games/{name}/"),
    tag="test:{name}",
    channels=tuple(Channel),
    is_current=_allowed,
)


@pytest.fixture(autouse=True)
def test_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(kinds._kinds, KIND.name, KIND)
    allowed.clear()


def announcement(player: Player, number: int = 1, name: str = "one") -> Announcement:
    return Announcement(KIND.name, player.pk, f"thing:{name}", str(number), {"name": name})


def announce(player: Player, number: int = 1, name: str = "one", *, now: datetime = NOW) -> int:
    return services.announce([announcement(player, number, name)], now=now)
