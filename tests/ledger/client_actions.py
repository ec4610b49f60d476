"""Actions of clients of the ledger, written to a journal first, so that they can be repeated after a kill.

An intent is an action with its key and all its arguments. A killed client repeats its last intent; the ledger
must answer as if it had not been interrupted.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from django.db import OperationalError, transaction

from core.errors import Problem
from ledger.betting import settlements
from ledger.betting.models import ENDED, Bet, BetStatus, Market, Settlement
from ledger.core.holds import expire
from ledger.models import GameStake, Hold, PlaySession, StakeStatus, Transfer
from ledger.selectors import stake_table
from ledger.services import (
    Leg,
    Terms,
    cancel_bet,
    capture,
    cash_out,
    close_market,
    deposit,
    hold,
    open_market,
    open_session,
    place_bet,
    post,
    refund_stake,
    release,
    resettle_market,
    reverse,
    settle_market,
    settle_stake,
    take_stake,
    void_market,
)
from tests.money import AT, CURRENCY, cash

LATER = AT + timedelta(hours=1)
RUNNERS = ["C", "D", "H"]
POOL = Terms(takeout=700)

Intent = dict[str, Any]


def choose(chance: random.Random, players: Sequence[UUID]) -> Intent | None:
    """Choose an action, and return None if it is not possible now."""
    who = str(chance.choice(players))
    key = f"action:{uuid4()}"
    action = chance.choice(list(CHOICES))
    arguments = CHOICES[action](chance, who)
    return None if arguments is None else {"action": action, "key": key, **arguments}


def _some(chance: random.Random, rows: Any) -> str | None:
    found = list(rows.values_list("pk", flat=True).order_by("pk")[:30])
    return str(chance.choice(found)) if found else None


def _one(name: str, row: str | None, **more: Any) -> Intent | None:
    return None if row is None else {name: row, **more}


def _open_sessions(who: str) -> Any:
    return PlaySession.objects.filter(player=who, closed_at=None)


def _cancellable(who: str) -> Any:
    return Bet.objects.filter(player=who, status=BetStatus.OPEN)


CHOICES: dict[str, Callable[[random.Random, str], Intent | None]] = {
    "deposit": lambda chance, who: {"player": who, "amount": chance.randrange(1, 2000)},
    "pay": lambda chance, who: {"player": who, "to": str(uuid4()), "amount": chance.randrange(1, 300)},
    "open_session": lambda chance, who: {"player": who, "amount": chance.randrange(1, 1500)},
    "cash_out": lambda chance, who: _one("session", _some(chance, _open_sessions(who))),
    "stake": lambda chance, who: _one(
        "session", _some(chance, _open_sessions(who)), game=str(uuid4()), stake=104 * chance.randrange(1, 9)
    ),
    "settle": lambda chance, who: _one(
        "game", _some(chance, GameStake.objects.filter(status=StakeStatus.OPEN)), won=chance.randrange(416)
    ),
    "refund": lambda chance, who: _one(
        "game", _some(chance, GameStake.objects.filter(status=StakeStatus.OPEN))
    ),
    "open_market": lambda chance, who: (
        {"subject": f"race:{uuid4()}"} if Market.objects.filter(status="open").count() < 3 else None
    ),
    "bet": lambda chance, who: _one(
        "market",
        _some(chance, Market.objects.filter(status="open")),
        player=who,
        runner=chance.choice(RUNNERS),
        stake=chance.randrange(1, 200),
    ),
    "cancel": lambda chance, who: _one("bet", _some(chance, _cancellable(who)), player=who),
    "end_market": lambda chance, who: _one(
        "market",
        _some(chance, Market.objects.filter(status="open", bets_made__gt=4)),
        winner=chance.choice([*RUNNERS, None]),
    ),
    "void_market": lambda chance, who: _one(
        "market", _some(chance, Market.objects.filter(status="open", bets_made__gt=3))
    ),
    "carry_on": lambda chance, who: _one(
        "settlement", _some(chance, Settlement.objects.filter(done_at=None))
    ),
    "resettle": lambda chance, who: _one(
        "market",
        _some(chance, Market.objects.filter(status__in=ENDED, settlement=1)),
        winner=chance.choice(RUNNERS),
    ),
    "hold": lambda chance, who: {"player": who, "amount": chance.randrange(1, 300)},
    "capture": lambda chance, who: _one("hold", _some(chance, _held(who)), to=str(uuid4())),
    "release": lambda chance, who: _one("hold", _some(chance, _held(who))),
    "expire": lambda chance, who: _one("hold", _some(chance, _held(who))),
    "reverse": lambda chance, who: _one("transfer", _some(chance, _reversible())),
}


def _reversible() -> Any:
    """Return transfers that may be reversed. The funding of the bank is excluded: stakes depend on it."""
    return Transfer.objects.filter(reverses=None, reversed_by=None, subject="", key__startswith="action:")


def _held(who: str) -> Any:
    return Hold.objects.filter(state="held", account__key=who)


def perform(intent: Intent) -> None:
    """Perform an action for the first time or again. Raises the refusal of the ledger."""
    given = {name: value for name, value in intent.items() if name not in ("action", "n")}
    ACTIONS[intent["action"]](**given)


def _pay(key: str, player: str, to: str, amount: int) -> None:
    legs = [
        Leg(cash(UUID(player)), cash(UUID(to)), amount, "half"),
        Leg(cash(UUID(player)), cash(UUID(to)), 1, "one"),
    ]
    post(key=key, legs=legs, actor="test", at=AT)


def _stake(key: str, session: str, game: str, stake: int) -> None:
    take_stake(
        session=UUID(session), game=UUID(game), stake=stake, max_win=4 * stake,
        stake_table=stake_table("vegas-classic"), event=3, at=AT,
    )  # fmt: skip


def _open_market(key: str, subject: str) -> None:
    open_market(
        subject=subject,
        kind="pool",
        runners=RUNNERS,
        currency=CURRENCY,
        terms=POOL,
        opened_by="test",
        at=AT,
        key=key,
    )


@transaction.atomic
def _end_market(key: str, market: str, winner: str | None) -> None:
    close_market(market=UUID(market), event=5, at=AT)
    settle_market(market=UUID(market), winners=[winner] if winner else [], event=9, at=AT)


def _reverse(key: str, transfer: str) -> None:
    row = Transfer.objects.get(pk=transfer)
    reverse(transfer=row.uuid, key=key, actor="test", reason="x", at=AT)


ACTIONS: dict[str, Callable[..., object]] = {
    "deposit": lambda key, player, amount: deposit(
        player=UUID(player), amount=amount, currency=CURRENCY, key=key, actor="test", reason="x", at=AT
    ),
    "pay": _pay,
    "open_session": lambda key, player, amount: open_session(
        player=UUID(player), amount=amount, currency=CURRENCY, key=key, at=AT
    ),
    "cash_out": lambda key, session: cash_out(session=UUID(session), key=key, at=AT),
    "stake": _stake,
    "settle": lambda key, game, won: settle_stake(game=UUID(game), winnings=won, event=9, at=AT),
    "refund": lambda key, game: refund_stake(game=UUID(game), event=9, at=AT),
    "open_market": _open_market,
    "bet": lambda key, market, player, runner, stake: place_bet(
        market=UUID(market), player=UUID(player), runner=runner, stake=stake, key=key, at=AT
    ),
    "cancel": lambda key, bet, player: cancel_bet(bet=UUID(bet), player=UUID(player), key=key, at=AT),
    "end_market": _end_market,
    "void_market": lambda key, market: void_market(market=UUID(market), reason="x", at=AT),
    "carry_on": lambda key, settlement: settlements.carry_on(settlement=UUID(settlement), at=AT),
    "resettle": lambda key, market, winner: resettle_market(
        market=UUID(market), winners=[winner], reason="x", actor="test", at=AT
    ),
    "hold": lambda key, player, amount: hold(
        key=key, account=cash(UUID(player)), amount=amount, subject="", expires_at=LATER, actor="test", at=AT
    ),
    "capture": lambda key, hold, to: capture(
        hold=UUID(hold), credit=cash(UUID(to)), key=key, reason="x", actor="test", at=AT
    ),
    "release": lambda key, hold: release(hold=UUID(hold), actor="test", at=AT),
    "expire": lambda key, hold: expire(hold=UUID(hold), now=LATER),
    "reverse": _reverse,
}

EFFECT: dict[str, Callable[[Intent], int]] = {
    "deposit": lambda intent: Transfer.objects.filter(key=intent["key"], leg=0).count(),
    "pay": lambda intent: Transfer.objects.filter(key=intent["key"]).count() // 2,
    "open_session": lambda intent: PlaySession.objects.filter(key=intent["key"]).count(),
    "cash_out": lambda intent: PlaySession.objects.filter(cash_out_key=intent["key"]).count(),
    "stake": lambda intent: GameStake.objects.filter(game=intent["game"]).count(),
    "open_market": lambda intent: Market.objects.filter(key=intent["key"]).count(),
    "bet": lambda intent: Bet.objects.filter(key=intent["key"]).count(),
    "cancel": lambda intent: Bet.objects.filter(cancel_key=intent["key"]).count(),
    "hold": lambda intent: Hold.objects.filter(key=intent["key"]).count(),
    "capture": lambda intent: Transfer.objects.filter(key=intent["key"]).count(),
    "reverse": lambda intent: Transfer.objects.filter(key=intent["key"], reverses__isnull=False).count(),
}
"""How often an action with a key has taken effect: once if it was answered as done, never if refused."""


class Journal:
    """The intents of a client and the responses to them, one in each line.

    A client that is killed while it writes may leave a part of a line. That line does not count: nothing is done
    before its intent is written, and what has no answer is sent again.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def cut_off_unfinished_line(self) -> None:
        if self.path.exists():
            written = self.path.read_bytes()
            os.truncate(self.path, written.rfind(b"\n") + 1)

    def lines(self) -> Iterator[Intent]:
        if self.path.exists():
            for line in self.path.read_bytes().splitlines():
                yield json.loads(line)

    def answered(self) -> dict[str, str]:
        return {line["key"]: line["answer"] for line in self.lines() if "answer" in line}

    def intents(self) -> dict[str, Intent]:
        return {line["key"]: line for line in self.lines() if "action" in line}

    def write(self, line: Intent) -> None:
        file = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(file, json.dumps(line).encode() + b"\n")
        os.close(file)


def live(journal: Journal, players: Sequence[UUID], seed: int, stop: Path) -> None:
    """Run a client: repeat the interrupted intent, if any, then choose new ones until the stop signal."""
    journal.cut_off_unfinished_line()
    chance = random.Random(f"{seed}:{sum(1 for _ in journal.lines())}")
    answered = journal.answered()
    known = journal.intents()
    left = [intent for key, intent in known.items() if key not in answered]
    while left or not stop.exists():
        intent = left.pop() if left else choose(chance, players)
        if intent is None:
            continue
        if intent["key"] not in known:
            journal.write(intent)
        journal.write({"key": intent["key"], "answer": _answer(intent)})


def _answer(intent: Intent) -> str:
    for _ in range(20):
        try:
            perform(intent)
        except Problem as problem:
            return problem.code
        except OperationalError:
            continue
        except Exception as error:
            return f"{type(error).__name__}: {str(error)[:300]}"
        return "done"
    return "busy"
