"""The form of configs and moves as tables of values: one home for the check and for the published schema."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from games.rules.refusals import A_MOVE, FORM, KNOWN_MOVES, ConfigError, Refused, because

LARGEST = 2**53 - 1
"""The largest whole number that JSON's canonical form can carry."""

RULING = "x-ruling"
"""The keyword of a config's schema that marks an option."""
LABELS = "x-labels"
"""The keyword of a config's schema with the labels of its values, by their text."""


class Form(Protocol):
    """`fault` says what is wrong with a value, None when nothing is."""

    def fault(self, value: object) -> str | None: ...
    def schema(self) -> dict[str, Any]: ...


@dataclass(frozen=True, slots=True)
class Whole:
    """A JSON number without a fraction; booleans are no numbers."""

    low: int
    high: int
    step: int = 1

    def fault(self, value: object) -> str | None:
        if type(value) is not int:
            return "must be a whole number"
        if not self.low <= value <= self.high:
            return f"must be {self.low}…{self.high}"
        return f"must be a multiple of {self.step}" if value % self.step else None

    def schema(self) -> dict[str, Any]:
        limits: dict[str, Any] = {"type": "integer", "minimum": self.low, "maximum": self.high}
        return limits | ({"multipleOf": self.step} if self.step != 1 else {})


@dataclass(frozen=True, slots=True)
class Among:
    """One of a few values, all text or all whole numbers."""

    values: tuple[str, ...] | tuple[int, ...]
    _known: frozenset[object] = dataclasses.field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_known", frozenset(self.values))

    def fault(self, value: object) -> str | None:
        if type(value) is type(self.values[0]) and value in self._known:
            return None
        return "must be one of " + ", ".join(str(known) for known in self.values)

    def schema(self) -> dict[str, Any]:
        return {"enum": list(self.values)}


@dataclass(frozen=True, slots=True)
class Pattern:
    """Text that matches a regular expression as a whole (ASCII; the same in Python and ECMAScript)."""

    expression: str

    def fault(self, value: object) -> str | None:
        if isinstance(value, str) and re.fullmatch(self.expression, value, re.ASCII):
            return None
        return f"must be text of the form {self.expression}"

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "pattern": f"^{self.expression}$"}


@dataclass(frozen=True, slots=True)
class Field:
    """A key of a config or move. Without `default` it must be given, unless `optional`."""

    form: Form
    default: Any = None
    optional: bool = False
    about: str = ""
    ruling: str = ""
    """For an option, the key of the ruling that it decides, so that a game can be judged under another reading."""
    suggested: Any = None
    """The suggested value of a required key. It is written into the config, never assumed."""
    title: str = ""
    """The label of the field on a screen."""
    labels: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """The labels of its values, by their text."""

    def schema(self) -> dict[str, Any]:
        schema = self.form.schema()
        if self.ruling:
            schema[RULING] = self.ruling
        if self.default is not None:
            schema["default"] = self.default
        if self.suggested is not None:
            schema["examples"] = [self.suggested]
        if self.title:
            schema["title"] = self.title
        if self.labels:
            schema[LABELS] = dict(self.labels)
        if self.about:
            schema["description"] = self.about
        return schema

    @property
    def needed(self) -> bool:
        return self.default is None and not self.optional


Fields = Mapping[str, Field]


def read_config(raw: object, fields: Fields) -> dict[str, Any]:
    """All keys of `fields`, with defaults for those not given. Raises ConfigError for the first wrong."""
    if not isinstance(raw, Mapping):
        raise ConfigError("", "a config is a JSON object")
    for key in raw:
        if key not in fields:
            raise ConfigError(str(key), "is not a key of this game's config")
    values: dict[str, Any] = {}
    for key, field in fields.items():
        if key not in raw:
            if field.needed:
                raise ConfigError(key, "must be given")
            values[key] = field.default
            continue
        if why := field.form.fault(raw[key]):
            raise ConfigError(key, why)
        values[key] = raw[key]
    return values


def object_schema(fields: Fields, **constant: str) -> dict[str, Any]:
    properties = {key: {"const": value} for key, value in constant.items()}
    return {
        "type": "object",
        "properties": properties | {key: field.schema() for key, field in fields.items()},
        "required": [*constant, *(key for key, field in fields.items() if field.needed)],
        "additionalProperties": False,
    }


class MoveForms:
    """The moves of a game by type, each with its keys besides `type`."""

    def __init__(self, forms: Mapping[str, Fields]) -> None:
        self.forms = dict(forms)
        self._checks = {
            kind: (
                frozenset({"type", *fields}),
                [(key, field.form.fault, field.needed) for key, field in fields.items()],
            )
            for kind, fields in forms.items()
        }

    def schema(self) -> dict[str, Any]:
        return {"oneOf": [object_schema(fields, type=type) for type, fields in self.forms.items()]}

    def check(self, move: object) -> None:
        """Raises Refused: `malformed-move` or `unknown-move`."""
        if not isinstance(move, dict):
            raise Refused("malformed-move", A_MOVE, because("no-object"))
        kind = move.get("type")
        if not isinstance(kind, str):
            raise Refused("malformed-move", A_MOVE, because("no-type"))
        if kind not in self._checks:
            raise Refused("unknown-move", KNOWN_MOVES, because("known-moves", moves=", ".join(self.forms)))
        keys, checks = self._checks[kind]
        if not move.keys() <= keys:
            unknown = str(next(key for key in move if key not in keys))
            raise Refused("malformed-move", FORM, because("unknown-key", move=kind, key=unknown[:40]))
        for key, fault, needed in checks:
            if key in move:
                if why := fault(move[key]):
                    raise Refused("malformed-move", FORM, because("key-form", key=key, why=why))
            elif needed:
                raise Refused("malformed-move", FORM, because("missing-key", move=kind, key=key))
