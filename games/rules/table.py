"""The fold of a whole game's stream: seats, commitment, deal, game, and end. Pure.

Server and verifier both use it. `decide`, `expire`, and the functions named after other events return what may be
appended next; `evolve` applies an event without judging it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple

from eventstore.chain import LARGEST_INTEGER
from games.rules.buy_in import BuyIn
from games.rules.cards import SUIT_NAMES, SUITS
from games.rules.fairness import SEED_BYTES, GameKey, client_seed
from games.rules.protocol import Fact, Game, Move
from games.rules.refusals import CHOSEN_SUITS, ENDED, SEATING, STARTED, ConfigError, Refused, because
from games.rules.registry import get

Status = Literal["open", "active", "finished", "void"]


class UnknownEvent(ValueError):
    """An event type that this release does not know, or not at this place of a stream."""


class Unfoldable(ValueError):
    """A stream that was changed outside the server. `version` is its first event that cannot be folded."""

    def __init__(self, version: int, why: str) -> None:
        super().__init__(f"event {version}: {why}")
        self.version, self.why = version, why


UNFOLDABLE = (LookupError, ValueError, TypeError, AttributeError, AssertionError)
"""Exceptions that a tampered event may raise in a fold."""


def why_unfoldable(error: Exception) -> str:
    """Return the reason without values from the event, which may be hidden from the reader."""
    if isinstance(error, UnknownEvent):
        return str(error)
    if isinstance(error, KeyError):
        return "it lacks what its kind needs, or names what is not at the table"
    return "what it says does not fit the table as it was before it"


class Seated(NamedTuple):
    player: str
    client_seed: str
    suit: str | None = None
    """None where the seats of the table have no suit."""


class Table(NamedTuple):
    """The state of a game's stream after `version` events."""

    game: Game
    config: Any
    commitment: str
    version: int
    status: Status
    seats: dict[int, Seated]
    """By seat. Never changed in place."""
    bet_seeds: tuple[str, ...] | None
    """None where the game has no market."""
    state: Any
    """The game's own state; before the deal that of no seats."""
    moves: int
    """Accepted moves, those the server played for an absent seat included."""
    outcome: dict[str, Any] | None

    @property
    def ended(self) -> bool:
        return self.status in ("finished", "void")

    def to_act(self) -> list[int]:
        return self.game.to_act(self.state) if self.status == "active" else []

    def legal_moves(self, seat: int | None) -> list[Move]:
        return self.game.legal_moves(self.state, seat) if self.status == "active" else []

    def view(self, seat: int | None) -> dict[str, Any]:
        return self.game.view(self.state, seat)

    def free_suits(self, seats: int) -> list[str] | None:
        """Return the suits that another seat may choose, at a table of `seats`; None if seats have no suit."""
        return free_suits(self.game, self.config, (who.suit for who in self.seats.values()), seats)

    def first_free_suit(self, seats: int) -> str | None:
        """Return the suit that a bot takes; None if seats have no suit or none is left."""
        return next(iter(self.free_suits(seats) or ()), None)

    def seats_document(self) -> list[dict[str, Any]]:
        """Return the seats as a bundle shows them; `suit` only if seats have one."""
        return [
            {"seat": seat, "player": who.player, "client_seed": who.client_seed}
            | ({} if who.suit is None else {"suit": who.suit})
            for seat, who in sorted(self.seats.items())
        ]

    def key(self, server_seed: bytes) -> GameKey:
        """Return the game's key, from the seeds of the seats."""
        seeds = [self.seats[seat].client_seed for seat in sorted(self.seats)]
        return GameKey(server_seed, seeds, self.bet_seeds)


# --- what may be appended: each returns the event, or raises Refused ------------------------------


def require_dealable(game: Game, config: Any, seats: int) -> None:
    """Raise ConfigError if this config cannot be dealt to so many seats."""
    try:
        game.deal(config, seats, GameKey(bytes(SEED_BYTES), [""] * seats))
    except Refused as refused:
        raise ConfigError("", refused.fact or refused.rule) from refused


def create(
    game: Game, config: Any, *, commitment: str, buy_in: BuyIn | None = None, parent: Parent | None = None
) -> Fact:
    """Return the first event. It contains `buy_in` only at a staked table, and `parent` only in a continued game."""
    data = {
        "rules": game.slug,
        "rules_version": game.version,
        "config": game.config_json(config),
        "commitment": commitment,
    }
    if buy_in is not None:
        data["buy_in"] = buy_in.document()
    if parent is not None:
        data["parent"] = parent.document()
    return Fact("created", None, data)


def seat(
    table: Table, seat: int, *, player: str, seed: str, suit: str | None = None, seats: int | None = None
) -> Fact:
    """`suit` is required where the seats have suits, and refused elsewhere.

    `seats` is the size of the table. A stream does not say it before the deal: None assumes the largest table, and the
    deal checks the suits again. Raises BadSeed when `seed` is no client seed.
    """
    require_open(table)
    if not 0 <= seat < max(table.game.seats):
        raise Refused("no-such-seat", SEATING, because("seat-beyond", seat=seat))
    if seat in table.seats:
        raise Refused("seat-taken", SEATING, because("seat-taken", seat=seat))
    _require_suit(table, suit, max(table.game.seats) if seats is None else seats)
    data = {"seat": seat, "player": player, "client_seed": client_seed(seed)}
    return Fact("seated", None, data if suit is None else {**data, "suit": suit})


def leave(table: Table, seat: int) -> Fact:
    require_open(table)
    if seat not in table.seats:
        raise Refused("no-such-seat", SEATING, because("nobody-seated", seat=seat))
    return Fact("left", None, {"seat": seat})


def deal(table: Table, key: GameKey) -> Fact:
    require_open(table)
    seats = len(table.seats)
    if seats not in table.game.seats or any(number not in table.seats for number in range(seats)):
        raise Refused("seats-open", SEATING, because("seated", seats=str(sorted(table.seats))))
    if most := table.game.seats_of_a_suit(table.config, seats):
        for suit, taken in Counter(who.suit for who in table.seats.values()).most_common(1):
            if taken > most:
                too_many = because("suit-of-too-many", suit=SUIT_NAMES[str(suit)])
                raise Refused("suit-taken", CHOSEN_SUITS, too_many)
    return table.game.deal(table.config, seats, key)


def decide(table: Table, seat: int | None, move: object, key: GameKey | None = None) -> tuple[Fact, ...]:
    """Return the events of a move, including the end of the game. Raises Refused."""
    if table.status != "active":
        table.game.check_form(move)
        if table.ended:
            raise Refused("game-over", ENDED)
    return _capped(table, table.game.decide(table.state, seat, move, key))


def expire(table: Table, seat: int | None, key: GameKey | None = None) -> tuple[Fact, ...]:
    """Return the server's move for a seat past its limit. Raises Refused."""
    if table.ended:
        raise Refused("game-over", ENDED)
    if table.status == "open":
        raise Refused("rule-forbids", STARTED)
    return _capped(table, table.game.expire(table.state, seat, key))


def void(table: Table, *, reason: str) -> Fact:
    if table.ended:
        raise Refused("game-over", ENDED)
    return Fact("voided", None, {"reason": reason})


def require_open(table: Table) -> None:
    """Raise Refused once the cards are dealt or the table is void."""
    if table.ended:
        raise Refused("game-over", ENDED)
    if table.status != "open":
        raise Refused("rule-forbids", STARTED, because("dealt"))


def _capped(table: Table, facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
    """Stop the game with the last move that the cap allows, before the server's next move."""
    cap = table.game.move_cap
    if cap is None or table.moves + len(facts) < cap:
        return facts
    made, left = tuple(fact for fact in facts if "move" in fact.data), cap - table.moves
    if len(made) < left or (len(made) == left and facts[-1].type == "finished"):
        return facts
    state = table.state
    for fact in made[:left]:
        state = table.game.evolve(state, fact.type, fact.seat, fact.data, fact.private)
    return made[:left] + table.game.stop(state)


def free_suits(game: Game, config: Any, taken: Iterable[str | None], seats: int) -> list[str] | None:
    """Return the suits that another seat may choose, in canonical order; None if seats have no suit.

    `taken` has the suit of each seat that is taken.
    """
    most = game.seats_of_a_suit(config, seats)
    if most == 0:
        return None
    counts = Counter(taken)
    return [suit for suit in SUITS if counts[suit] < most]


def _require_suit(table: Table, suit: str | None, seats: int) -> None:
    left = table.free_suits(seats)
    if left is None:
        if suit is not None:
            raise Refused("no-suits", CHOSEN_SUITS, because("no-suits"))
    elif suit is None:
        raise Refused("suit-needed", CHOSEN_SUITS, because("suit-needed", suits=" ".join(left)))
    elif suit not in SUITS or len(suit) != 1:
        raise Refused("no-such-suit", CHOSEN_SUITS, because("no-such-suit", suits=" ".join(SUITS)))
    elif suit not in left:
        raise Refused(
            "suit-taken",
            CHOSEN_SUITS,
            because("suit-taken", suit=SUIT_NAMES[suit], suits=", ".join(SUIT_NAMES[one] for one in left)),
        )


# --- what was appended --------------------------------------------------------------------------


def evolve(
    table: Table | None,
    type: str,
    seat: int | None,
    data: Mapping[str, Any],
    private: Mapping[str, Any] | None = None,
) -> Table:
    """Return the table after an event; None is the empty stream. Raises UnknownEvent."""
    if table is None:
        if type != "created":
            raise UnknownEvent(f"a game's stream begins with `created`, not `{type}`")
        return _created(data)
    game, config, commitment, version, status, seats, bets, state, moves, outcome = table
    if "move" in data:
        state = game.evolve(state, type, seat, data, private)
        moves += 1
    elif type == "seated":
        seats = {**seats, data["seat"]: Seated(data["player"], data["client_seed"], data.get("suit"))}
    elif type == "left":
        seats = {taken: who for taken, who in seats.items() if taken != data["seat"]}
    elif type == "dealt":
        status, bets = "active", tuple(data["bet_seeds"]) if "bet_seeds" in data else None
        state = game.evolve(_before_the_deal(game, config, seats), type, seat, data, private)
    elif type == "expired":
        state = game.evolve(state, type, seat, data, private)
    elif type == "finished":
        status, outcome = "finished", data["outcome"]
    elif type == "voided":
        status = "void"
    else:
        raise UnknownEvent(f"`{type}` is no event of {game.slug}")
    after = (game, config, commitment, version + 1, status, seats, bets, state, moves, outcome)
    return tuple.__new__(Table, after)  # takes half the time of Table(…), and is done for every event


def _before_the_deal(game: Game, config: Any, seats: Mapping[int, Seated]) -> Any:
    state = game.initial(config, len(seats))
    if game.seats_of_a_suit(config, len(seats)):
        state = game.with_suits(state, [str(seats[number].suit) for number in sorted(seats)])
    return state


def _created(data: Mapping[str, Any]) -> Table:
    game = get(data["rules"], data["rules_version"])
    config = game.parse_config(data["config"])
    return Table(
        game=game,
        config=config,
        commitment=data["commitment"],
        version=1,
        status="open",
        seats={},
        bet_seeds=None,
        state=game.initial(config, 0),
        moves=0,
        outcome=None,
    )


CONTINUED = "continued"
"""The reason of a void game that another game continues."""

_ID = re.compile(r"[0-9A-Za-z][0-9A-Za-z._-]{0,63}").fullmatch
_HASH = re.compile(r"[0-9a-f]{64}").fullmatch


class NoParent(ValueError):
    """A malformed reference to a parent."""


class Parent(NamedTuple):
    """`version` is the parent's last event that is repeated, `hash` that event's."""

    game: str
    version: int
    hash: str

    def document(self) -> dict[str, Any]:
        return self._asdict()


def read_parent(document: object) -> Parent:
    """Raises NoParent."""
    if not isinstance(document, dict) or document.keys() != set(Parent._fields):
        raise NoParent(f"`parent` has the keys {', '.join(Parent._fields)}")
    found = Parent(**document)
    if type(found.game) is not str or not _ID(found.game):
        raise NoParent("`parent.game` is no id of a game")
    if type(found.version) is not int or not 1 <= found.version <= LARGEST_INTEGER:
        raise NoParent("`parent.version` is no version")
    if type(found.hash) is not str or not _HASH(found.hash):
        raise NoParent("`parent.hash` is no hash")
    return found
