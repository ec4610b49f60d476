"""A whole game's stream as one pure fold: who sits, the commitment, the deal, the game itself, its end.

Server and verifier both stand on this: `decide`, `expire` and the functions named after the other events
say what may be appended next; `evolve` takes what was appended and never judges.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from games.rules.buy_in import BuyIn
from games.rules.fairness import SEED_BYTES, GameKey, client_seed
from games.rules.grounds import because
from games.rules.parent import Parent
from games.rules.protocol import ConfigError, Fact, Game, Move, Refused
from games.rules.refusals import ENDED, SEATING, STARTED
from games.rules.registry import get

Status = Literal["open", "active", "finished", "void"]


class UnknownEvent(ValueError):
    """An event type that this release does not know, or not at this place of a stream."""


class Unfoldable(ValueError):
    """Events that tell no game: somebody has changed them past the server. `version` is the first that does not fit."""

    def __init__(self, version: int, why: str) -> None:
        super().__init__(f"event {version}: {why}")
        self.version, self.why = version, why


UNFOLDABLE = (LookupError, ValueError, TypeError, AttributeError, AssertionError)
"""What events that nobody could have appended may raise in a fold."""


def why_unfoldable(error: Exception) -> str:
    """In words that name nothing of what the event holds, which may be hidden from who reads them."""
    if isinstance(error, UnknownEvent):
        return str(error)
    if isinstance(error, KeyError):
        return "it lacks what its kind needs, or names what is not at the table"
    return "what it says does not fit the table as it was before it"


class Seated(NamedTuple):
    player: str
    client_seed: str


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

    def key(self, server_seed: bytes) -> GameKey:
        """The game's key, from the seeds of those who sit."""
        seeds = [self.seats[seat].client_seed for seat in sorted(self.seats)]
        return GameKey(server_seed, seeds, self.bet_seeds)


# --- what may be appended: each returns the event, or raises Refused ------------------------------


def require_dealable(game: Game, config: Any, seats: int) -> None:
    """Raises ConfigError where so many seats could never be dealt to under this config."""
    try:
        game.deal(config, seats, GameKey(bytes(SEED_BYTES), [""] * seats))
    except Refused as refused:
        raise ConfigError("", refused.fact or refused.rule) from refused


def create(
    game: Game, config: Any, *, commitment: str, buy_in: BuyIn | None = None, parent: Parent | None = None
) -> Fact:
    """`buy_in` is what each seat of a staked table pays; the event of any other table says nothing of it.

    Neither does it speak of a `parent`, unless the game goes on from another.
    """
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


def seat(table: Table, seat: int, *, player: str, seed: str) -> Fact:
    """Raises BadSeed when `seed` is no client seed."""
    _refuse_unless_open(table)
    if not 0 <= seat < max(table.game.seats):
        raise Refused("no-such-seat", SEATING, because("seat-beyond", seat=seat))
    if seat in table.seats:
        raise Refused("seat-taken", SEATING, because("seat-taken", seat=seat))
    return Fact("seated", None, {"seat": seat, "player": player, "client_seed": client_seed(seed)})


def leave(table: Table, seat: int) -> Fact:
    _refuse_unless_open(table)
    if seat not in table.seats:
        raise Refused("no-such-seat", SEATING, because("nobody-seated", seat=seat))
    return Fact("left", None, {"seat": seat})


def deal(table: Table, key: GameKey) -> Fact:
    _refuse_unless_open(table)
    seats = len(table.seats)
    if seats not in table.game.seats or any(number not in table.seats for number in range(seats)):
        raise Refused("seats-open", SEATING, because("seated", seats=str(sorted(table.seats))))
    return table.game.deal(table.config, seats, key)


def decide(table: Table, seat: int | None, move: object, key: GameKey | None = None) -> tuple[Fact, ...]:
    """The events of a move: its own, and what ends the game if it does. Raises Refused."""
    if table.status != "active":
        table.game.check_form(move)
        if table.ended:
            raise Refused("game-over", ENDED)
    return _capped(table, table.game.decide(table.state, seat, move, key))


def expire(table: Table, seat: int | None, key: GameKey | None = None) -> tuple[Fact, ...]:
    """What the server plays for a seat that is past its limit. Raises Refused."""
    if table.ended:
        raise Refused("game-over", ENDED)
    if table.status == "open":
        raise Refused("rule-forbids", STARTED)
    return _capped(table, table.game.expire(table.state, seat, key))


def void(table: Table, *, reason: str) -> Fact:
    if table.ended:
        raise Refused("game-over", ENDED)
    return Fact("voided", None, {"reason": reason})


def _refuse_unless_open(table: Table) -> None:
    if table.ended:
        raise Refused("game-over", ENDED)
    if table.status != "open":
        raise Refused("rule-forbids", STARTED, because("dealt"))


def _capped(table: Table, facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
    """With the last move that a game may have comes its stop, at once; what the server would play next is not made."""
    cap = table.game.move_cap
    if cap is None:
        return facts
    made, left = tuple(fact for fact in facts if "move" in fact.data), cap - table.moves
    if len(made) < left or (len(made) == left and facts[-1].type == "finished"):
        return facts
    state = table.state
    for fact in made[:left]:
        state = table.game.evolve(state, fact.type, fact.seat, fact.data, fact.private)
    return made[:left] + table.game.stop(state)


# --- what was appended --------------------------------------------------------------------------


def evolve(
    table: Table | None,
    type: str,
    seat: int | None,
    data: Mapping[str, Any],
    private: Mapping[str, Any] | None = None,
) -> Table:
    """The table after an event; None stands for the empty stream. Raises UnknownEvent."""
    if table is None:
        if type != "created":
            raise UnknownEvent(f"a game's stream begins with `created`, not `{type}`")
        return _created(data)
    game, config, commitment, version, status, seats, bets, state, moves, outcome = table
    if "move" in data:
        state = game.evolve(state, type, seat, data, private)
        moves += 1
    elif type == "seated":
        seats = {**seats, data["seat"]: Seated(data["player"], data["client_seed"])}
    elif type == "left":
        seats = {taken: who for taken, who in seats.items() if taken != data["seat"]}
    elif type == "dealt":
        status, bets = "active", tuple(data["bet_seeds"]) if "bet_seeds" in data else None
        state = game.evolve(game.initial(config, len(seats)), type, seat, data, private)
    elif type == "expired":
        state = game.evolve(state, type, seat, data, private)
    elif type == "finished":
        status, outcome = "finished", data["outcome"]
    elif type == "voided":
        status = "void"
    else:
        raise UnknownEvent(f"`{type}` is no event of {game.slug}")
    return Table(game, config, commitment, version + 1, status, seats, bets, state, moves, outcome)


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
