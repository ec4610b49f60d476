"""Every money command with a malformed body returns a problem and moves nothing.

A valid body is changed in one place at a time.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any
from uuid import uuid4

import pytest
from django.core.cache import cache
from django.db import connection, transaction

from accounts.models import Player
from ledger import services
from ledger.limits.models import LimitChange, PlayStop
from ledger.models import Hold, StakeTerms, Transfer
from ledger.payouts.batches import file_checksum
from ledger.payouts.models import Freeze, Payout, PayoutBatch, PayoutStep
from tests.conftest import Client
from tests.ledger.betting.markets import bet, close, open_pool
from tests.ledger.payouts.cast import approved, ask, batch
from tests.ledger.stakes.pots import open_pot, people, settle, sit_down
from tests.money import bankroll, cash, fund

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(240), pytest.mark.both_databases, pytest.mark.slow]

DEEP: Any = 0
for _ in range(200):
    DEEP = [DEEP]
JUNK = [
    None, True, False, 0, -1, 1.5, 1e300, 10**11 + 1, 10**30, "", " ", "1", "a\x00b", "\ud800", "é" * 5000, [], [None],
    [[]], [{}], {}, {"a": 1}, DEEP,
]  # fmt: skip
RAW = [
    b"",
    b"null",
    b"[]",
    b'"x"',
    b"7",
    b"{",
    b'{"amount": NaN}',
    b'{"amount": 1e999}',
    b"\xff\xfe",
    b"[" * 5000,
]
REASON = {"reason": "looked into"}
MOMENT = (datetime.now(UTC) + timedelta(days=2)).isoformat()
NO_ID = "00000000-0000-4000-8000-000000000000"
FIGURES = {
    "minimum": 104,
    "maximum": 1040,
    "step": 104,
    "default": 104,
    "win_rate": "1/13",
    "bank_limit": None,
}


class Scene:
    def __init__(self, player: Player) -> None:
        self.player = player
        bankroll(100_000)
        fund(cash(player.pk), 10_000)
        self.asked = ask(100, player.pk)
        self.approved = approved(100)
        self.batch = batch(approved(100))
        self.pool, self.closed = open_pool(), open_pool()
        self.bet = bet(self.pool, "H", 100, player.pk)
        bet(self.closed, "C", 100)
        close(self.closed)
        self.pot, self.seated = open_pot(100), people(2)
        sit_down(self.pot, self.seated)
        settle(self.pot, *[[one] for one in self.seated])
        self.freeze = services.freeze(
            subject=self.pot.subject, player=None, claim="c", actor="test", at=datetime.now(UTC), reason="x"
        )

    def commands(self) -> Iterator[tuple[str, str, dict[str, Any]]]:
        """Return the role, the address, and a valid body of each command."""
        yield "player", "withdrawals/", {"amount": 5, "currency": "XTS", "destination": "IBAN XT00"}
        yield "player", f"withdrawals/{self.asked.pk}/cancel/", {}
        yield "player", "wallet/limits/", {"kind": "stake", "period": "day", "amount": 500}
        yield "player", "wallet/time-outs/", {"hours": 5}
        yield "player", "wallet/self-exclusion/", {"months": 6, "confirm": "exclude me"}
        yield "player", f"markets/{self.pool.pk}/bets/", {"runner": "H", "stake": 10, "client_seed": "mine"}
        yield "player", f"markets/{self.pool.pk}/bets/void/", {"key": "k"}
        yield "player", f"bets/{self.bet.pk}/cancel/", {}
        yield "player", "play-sessions/", {"amount": 10, "currency": "XTS"}
        yield from (("administrator", *more) for more in self._of_staff())

    def _of_staff(self) -> Iterator[tuple[str, dict[str, Any]]]:
        for action in ("hold", "reject", "release", "reinstate"):
            yield f"payouts/{self.asked.pk}/{action}/", REASON
        yield f"payouts/{self.asked.pk}/approve/", {"amount": 100, **REASON}
        yield f"payouts/{self.approved.pk}/pay/", REASON
        yield "payout-batches/", {"currency": "XTS", "payouts": [str(self.approved.pk)]}
        yield "payout-batches/", {"currency": "XTS", "up_to": 500}
        yield f"payout-batches/{self.batch.pk}/pay/", {"checksum": file_checksum(self.batch)}
        yield "freezes/", {"subject": self.pot.subject, "player": str(self.seated[0]), **REASON}
        yield f"freezes/{self.freeze.pk}/release/", REASON
        yield f"pots/{self.pot.pk}/resettle/", {"places": [[str(one)] for one in self.seated[::-1]], **REASON}
        yield f"players/{self.player.pk}/limits/", {"kind": "loss", "period": "week", "amount": 1, **REASON}
        yield f"players/{self.player.pk}/time-outs/", {"hours": 5, **REASON}
        yield f"players/{self.player.pk}/exclusions/", {"months": None, **REASON}
        yield f"markets/{self.closed.pk}/settle/", {"winners": ["H"], **REASON}
        yield f"markets/{self.closed.pk}/resettle/", {"winners": ["H"], **REASON}
        yield f"markets/{self.pool.pk}/void/", REASON
        terms = {"expected": 1, "effective_from": MOMENT, "rake": 0, "split": "winner", "open": True}
        yield "stakes/vegas-classic/terms/", {**FIGURES, **terms, **REASON}
        yield "stakes/", {"slug": "new", "rules": "vegas-solitaire", "mode": "draw=3", **FIGURES, **REASON}
        for action in ("funding", "defunding"):
            yield f"stakes/vegas-classic/{action}/", {"amount": 10, **REASON}
        yield "deposits/", {"player": str(self.player.pk), "amount": 10, **REASON}
        yield "reversals/", {"transfer": NO_ID, **REASON}


def spoilt(body: dict[str, Any]) -> Iterator[bytes]:
    yield from RAW
    yield json.dumps({**body, "actor": "player:x"}).encode()
    for name in body:
        for junk in JUNK:
            # A value that is valid in this place is not malformed.
            if (
                not isinstance(junk, type(body[name]))
                or isinstance(junk, str)
                or not junk
                or junk in ("1", -1)
            ):
                yield json.dumps({**body, name: junk}).encode()


def standing() -> Any:
    """Return the number of rows of each kind."""
    counted = [Transfer, Hold, Payout, PayoutStep, PayoutBatch, Freeze, StakeTerms, LimitChange, PlayStop]
    counts = ", ".join(f"(SELECT count(*) FROM {model._meta.db_table})" for model in counted)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {counts}")
        return cursor.fetchone()


@pytest.mark.parametrize("most", [9, pytest.param(60, marks=pytest.mark.soak)])
def test_malformed_bodies_are_refused_and_move_nothing(
    api: Callable[[Player | None], Client], player: Player, administrator: Player, most: int
) -> None:
    """Sends up to `most` malformed bodies of each command, drawn by a seed."""
    scene, chance = Scene(player), Random(4)
    clients = {"player": api(player), "administrator": api(administrator)}
    refused, accepted, before = 0, 0, standing()
    for who, path, body in list(scene.commands()):
        bodies = list(spoilt(body))
        for text in chance.sample(bodies, min(most, len(bodies))):
            cache.clear()
            with transaction.atomic():
                answer = clients[who].generic(
                    "POST", f"/api/v1/{path}", text, content_type="application/json",
                    headers={"Idempotency-Key": str(uuid4())},
                )  # fmt: skip
                reported = (path, text[:200], answer.status_code, answer.content[:300])
                assert answer.status_code < 500, reported
                if answer.status_code >= 400:
                    refused += 1
                    assert answer["Content-Type"] == "application/problem+json", reported
                    assert standing() == before, reported
                else:
                    accepted += 1
                transaction.set_rollback(True)
    assert refused > 5 * accepted
    assert standing() == before
