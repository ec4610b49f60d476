"""A webhook that is removed in the moment in which something is announced to it: both are done, in either order."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

import pytest
from django.db import connections, transaction

from accounts.models import Player
from core.errors import NotFound
from tests.conftest import NOW
from tests.installation import until
from tests.ledger.locks import one_waits
from webhooks import services
from webhooks.models import Delivery, Hook

# On SQLite one of the two writes after the other in any case.
pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def hook(player: Player) -> Hook:
    return services.register(owner=player.pk, url="https://hooks.example.org/in", now=NOW)[0]


def announce(hook: Hook) -> None:
    services.announce(owner=hook.owner_id, subject="thing:1", position=1, type="thing.done", data={}, now=NOW)


def concurrently(first: Callable[[], object], second: Callable[[], object]) -> None:
    """Begin the second while the first is done but not committed, and check that it waits for the commit."""

    def run() -> None:
        try:
            with transaction.atomic():
                second()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as thread:
        with transaction.atomic():
            first()
            doing: Future[None] = thread.submit(run)
            until(lambda: doing.done() or one_waits(), "the second is done, or waits")
            assert not doing.done()
        doing.result()


def test_a_message_announced_concurrently_is_removed_with_the_webhook(hook: Hook) -> None:
    concurrently(lambda: announce(hook), lambda: services.remove(hook))
    assert (Hook.objects.count(), Delivery.objects.count()) == (0, 0)


def test_a_concurrently_removed_webhook_gets_no_message(hook: Hook) -> None:
    concurrently(lambda: services.remove(hook), lambda: announce(hook))
    assert (Hook.objects.count(), Delivery.objects.count()) == (0, 0)


def test_announcing_does_not_wait_for_deliveries(hook: Hook) -> None:
    announce(hook)
    [delivery] = Delivery.objects.all()

    with transaction.atomic(), ThreadPoolExecutor(1) as thread:
        services.attempted(delivery_id=delivery.pk, round=1, outcome=None, now=NOW)

        def tell() -> None:
            try:
                services.announce(
                    owner=hook.owner_id, subject="thing:1", position=2, type="thing.done", data={}, now=NOW
                )
            finally:
                connections.close_all()

        thread.submit(tell).result(timeout=20)
    assert Delivery.objects.count() == 2


def test_what_is_gone_is_not_found(hook: Hook) -> None:
    announce(hook)
    [delivery] = Delivery.objects.all()
    services.remove(hook)
    for late in (
        lambda: services.enable(hook_id=hook.pk, now=NOW),
        lambda: services.redeliver(delivery_id=delivery.pk, now=NOW),
    ):
        with pytest.raises(NotFound):
            late()
