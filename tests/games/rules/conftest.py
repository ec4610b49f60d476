"""Positions written as text, whole games recorded move by move, and bundles of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from games.rules import Fact, GameKey, Refused, get, table
from games.rules.bundles.record import Recording, bundle
from games.rules.cards import CARD, SUITS, cards
from games.rules.fairness import commitment
from games.rules.table import Table
from games.rules.vegas_solitaire import Layout, State, VegasSolitaire

SERVER_SEED = bytes(range(32))


@pytest.fixture
def key() -> GameKey:
    return GameKey(SERVER_SEED, ["ann", ""])


@pytest.fixture
def vegas() -> VegasSolitaire:
    game = get("vegas-solitaire")
    assert isinstance(game, VegasSolitaire)
    return game


@pytest.fixture
def position(vegas) -> Callable[..., State]:
    """A Vegas position: piles are text, last card on top; face-down cards of a column are in brackets."""

    def build(
        *columns: str,
        stock: str = "2C",
        waste: str = "",
        fan: int | None = None,
        foundations: str = "",
        passes_left: int | None = None,
        draw: int = 3,
        **config: Any,
    ) -> State:
        piles = [*columns, *[""] * (7 - len(columns))]
        tops = {text[1]: CARD[text] % 13 + 1 for text in foundations.split()}
        drawn = cards(waste.split())
        layout = Layout(
            stock=cards(stock.split()),
            waste=drawn,
            fan=min(len(drawn), draw) if fan is None else fan,
            columns=tuple(cards(pile.replace("(", "").replace(")", "").split()) for pile in piles),
            down=tuple(len(pile.partition(")")[0].split()) if ")" in pile else 0 for pile in piles),
            foundations=tuple(tops.get(suit, 0) for suit in SUITS),
            passes_left=draw if passes_left is None else passes_left,
        )
        return State(vegas.parse_config({"draw": draw, **config}), layout, before=None, collected=False)

    return build


@pytest.fixture
def play(vegas) -> Callable[..., State]:
    """Return the state after moves of seat 0, each of which must be legal."""

    def apply(state: State, *moves: dict[str, Any]) -> State:
        for move in moves:
            for fact in vegas.decide(state, 0, move):
                state = vegas.evolve(state, fact.type, fact.seat, fact.data, fact.private)
        return state

    return apply


@pytest.fixture
def refusal(vegas) -> Callable[..., Refused]:
    def refuse(state: State, move: object, seat: int | None = 0) -> Refused:
        with pytest.raises(Refused) as caught:
            vegas.decide(state, seat, move)
        return caught.value

    return refuse


PLAYERS = ("2f0c5a30-0000-4000-8000-00000000000a", "2f0c5a30-0000-4000-8000-00000000000b")
GAME_ID = "7d4d1a52-0000-4000-8000-000000000001"


class Stream:
    """A game recorded move by move, one second apart."""

    def __init__(
        self, slug: str, config: dict[str, Any], *, seats: int, seeds=("ann", ""), bets=None, seed=SERVER_SEED
    ):
        self.server_seed = seed
        self.recording = Recording(GAME_ID)
        game = get(slug)
        self.append(table.create(game, game.parse_config(config), commitment=commitment(seed)))
        for seat in range(seats):
            self.append(table.seat(self.table, seat, player=PLAYERS[seat], seed=seeds[seat]))
        self.key = GameKey(seed, seeds[:seats], bets)

    @property
    def table(self) -> Table:
        assert self.recording.table is not None
        return self.recording.table

    def append(self, *facts: Fact) -> None:
        second = len(self.recording.events)
        self.recording.append(
            *facts,
            at=f"2026-02-03T{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}.000001Z",
            key=getattr(self, "key", None),
        )

    def deal(self) -> Stream:
        self.append(table.deal(self.table, self.key))
        return self

    def play(self, *moves: dict[str, Any], seat: int | None = 0) -> Stream:
        for move in moves:
            self.append(*table.decide(self.table, seat, move, self.key))
        return self

    def bundle(self, **parts: Any) -> dict[str, Any]:
        seed = self.server_seed if self.table.ended else None
        return bundle(
            game_id=GAME_ID, table=self.table, events=self.recording.events, server_seed=seed, **parts
        )


@pytest.fixture
def stream() -> type[Stream]:
    return Stream


def transfer(number: int, debit: str, credit: str, amount: int, event: int) -> dict[str, Any]:
    return {
        "id": f"t{number}",
        "debit": debit,
        "credit": credit,
        "amount": amount,
        "currency": "GBP",
        "reason": "test",
        "event": event,
    }


@pytest.fixture
def staked(stream) -> dict[str, Any]:
    """A staked Vegas game with an Ace put up and collected, and its money: 520 in, 40 out."""
    played = stream("vegas-solitaire", {"draw": 3}, seats=1, seeds=("lucky",)).deal()
    while not any(played.table.view(0)["foundations"].values()):
        legal = played.table.legal_moves(0)
        up = [move for move in legal if move.get("to") == "foundation"]
        played.play((up or [move for move in legal if move["type"] in ("draw", "recycle")])[0])
    played.play({"type": "collect"})
    player, escrow = f"player:{PLAYERS[0]}/session", f"game:{GAME_ID}/escrow"
    last = played.table.version
    return played.bundle(
        transfers=[
            transfer(1, player, escrow, 520, 3),
            transfer(2, escrow, player, 40, last),
            transfer(3, escrow, "house/bank", 480, last),
        ]
    )
