"""A table as JSON values and back, so that a fold can start from it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

from games.rules.registry import get
from games.rules.table import Seated, Table


def document(table: Table) -> dict[str, Any]:
    """Return the table as JSON values for `restored`. Named tuples and tuples become lists."""
    return {
        "rules": table.game.slug,
        "rules_version": table.game.version,
        "config": table.game.config_json(table.config),
        "commitment": table.commitment,
        "version": table.version,
        "status": table.status,
        "seats": [[seat, *who] for seat, who in table.seats.items()],
        "bet_seeds": None if table.bet_seeds is None else list(table.bet_seeds),
        "state": _plain(table.state),
        "moves": table.moves,
        "outcome": table.outcome,
    }


def restored(document: dict[str, Any]) -> Table:
    game = get(document["rules"], document["rules_version"])
    config = game.parse_config(document["config"])
    bet_seeds = document["bet_seeds"]
    state: Any = type(game.initial(config, 0))
    return Table(
        game=game,
        config=config,
        commitment=document["commitment"],
        version=document["version"],
        status=document["status"],
        seats={seat: Seated(*who) for seat, *who in document["seats"]},
        bet_seeds=None if bet_seeds is None else tuple(bet_seeds),
        state=_reader(state)(document["state"]),
        moves=document["moves"],
        outcome=document["outcome"],
    )


def _plain(value: Any) -> Any:
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


Reader = Callable[[Any], Any]


@cache
def _reader(kind: Any) -> Reader:
    """Makes a value of a type that a game's state is made of: named tuples, tuples, plain values, or None."""
    if hasattr(kind, "_fields"):
        hints = get_type_hints(kind)
        readers = [_reader(hints[name]) for name in kind._fields]
        return lambda value: kind(*[read(item) for read, item in zip(readers, value, strict=True)])
    parts = get_args(kind)
    if get_origin(kind) is tuple:
        if parts[-1] is Ellipsis:
            return _sequence(_reader(parts[0]))
        fixed = [_reader(part) for part in parts]
        return lambda value: tuple([read(item) for read, item in zip(fixed, value, strict=True)])
    if NoneType in parts:
        [some] = [part for part in parts if part is not NoneType]
        read = _reader(some)
        return lambda value: None if value is None else read(value)
    if kind not in (int, str, bool):
        raise TypeError(f"no snapshot can hold a {kind}")
    return lambda value: value


def _sequence(read: Reader) -> Reader:
    return lambda value: tuple([read(item) for item in value])
