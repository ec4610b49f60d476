"""A crash between any two steps of a decision changes nothing, and a retry completes the decision."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ledger import services
from ledger.models import Account, Hold, Transfer
from ledger.payouts import decisions, freezes, requests
from ledger.payouts.models import Freeze, FrozenMoney, Payout, PayoutStep
from tests.ledger.payouts.cast import ADAM, BEA, LATER, approved, ask, prize, rich, win
from tests.money import cash

pytestmark = pytest.mark.django_db


class Crash(Exception):
    pass


def everything() -> list[Any]:
    models = (Account, Transfer, Hold, Payout, PayoutStep, Freeze, FrozenMoney)
    return [list(model.objects.order_by("pk").values()) for model in models]


def rejected() -> Payout:
    won = prize()
    return services.reject_payout(payout=won.pk, actor=ADAM, reason="collusion", at=LATER)


def decide(action: str, payout: Payout, **more: Any) -> Callable[[], object]:
    given = {"payout": payout.pk, "actor": BEA, "at": LATER, **more}
    return lambda: getattr(services, action)(**given)


SCENES: dict[str, tuple[Callable[[], Callable[[], object]], Any, list[str]]] = {
    "pay": (lambda: decide("pay_payout", approved()), decisions, ["check_step", "capture", "step"]),
    "approve": (lambda: decide("approve_payout", ask()), decisions, ["check_approver", "step"]),
    "approve a prize": (
        lambda: decide("approve_payout", prize()),
        decisions,
        ["check_approver", "step", "capture"],
    ),
    "hold": (lambda: decide("hold_payout", approved(), reason="wait"), decisions, ["step"]),
    "reject": (lambda: decide("reject_payout", approved(), reason="no"), decisions, ["release", "step"]),
    "reject a prize": (lambda: decide("reject_payout", prize(), reason="no"), decisions, ["capture", "step"]),
    "reinstate": (
        lambda: decide("reinstate_prize", rejected(), reason="cleared"),
        decisions,
        ["reverse", "request_prize"],
    ),
    "request": (lambda: asks(rich()), requests, ["hold", "check_amount"]),
    "freeze": (lambda: freeze(), freezes, ["lock", "hold", "step"]),
    "release a freeze": (lambda: released(), freezes, ["lock", "release", "step"]),
}


def asks(player: Any) -> Callable[[], object]:
    cash(player)
    return lambda: ask(400, player, key="k")


def freeze() -> Callable[[], object]:
    player = rich(50)
    win(player, 300)
    ask(250, player)
    return lambda: services.freeze(subject="game:7", player=None, claim="c", actor=ADAM, at=LATER)


def released() -> Callable[[], object]:
    freeze()()
    made = Freeze.objects.get()
    return lambda: services.release_freeze(freeze=made.pk, actor=ADAM, reason="no case", at=LATER)


@pytest.mark.parametrize(("name", "where"), [(name, at) for name, scene in SCENES.items() for at in scene[2]])
def test_a_crashed_decision_changes_nothing_and_a_retry_completes_it(
    name: str, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare, module, _ = SCENES[name]
    action = prepare()
    before, real = everything(), getattr(module, where)

    def dies_after(*args: object, **kwargs: object) -> object:
        real(*args, **kwargs)
        raise Crash

    monkeypatch.setattr(module, where, dies_after)
    with pytest.raises(Crash):
        action()
    monkeypatch.undo()
    # Empty accounts that were created for it may remain.
    after = everything()
    known = {row["id"] for row in before[0]}
    assert [[row for row in after[0] if row["id"] in known], *after[1:]] == before
    action()
    assert everything() != before
