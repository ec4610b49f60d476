"""The result that a game counts with after its rulings, and the effects of one ruling.

A game's stream records what happened and never changes. A ruling sets the result with which the game counts; the last
ruling that changes it decides. An appeal supersedes the first ruling, so dismissing the claim on appeal restores the
previous result.

Preview, ruling, and approval compute the same effects document. A ruling takes effect only if the document is
unchanged.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, TypedDict
from uuid import UUID

from disputes import states
from disputes.models import Dispute, Ruling
from eventstore.chain import canonical
from ledger.selectors import BalanceChange
from rest.documents import Object

RECORDED = "recorded"
VOID = "void"
CORRECTED = "corrected"
POINTS = "points"

Document = dict[str, Any]


# --- results ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Result:
    """A result: as recorded in the stream, void, corrected to an outcome, or adjusted by points."""

    kind: str = RECORDED
    value: Mapping[str, Any] = field(default_factory=dict)

    def document(self) -> Document:
        return {"kind": self.kind, **({"value": dict(self.value)} if self.value else {})}


AS_RECORDED = Result()


def read(document: Mapping[str, Any]) -> Result:
    return Result(document["kind"], document.get("value", {}))


def after(rulings: Iterable[tuple[str, Mapping[str, Any]]]) -> Result:
    """Return the result after rulings, given in order as pairs of remedy and resulting document."""
    last = AS_RECORDED
    for remedy, becomes in rulings:
        if remedy != states.DISMISSED:
            last = read(becomes)
    return last


def effective(game_id: UUID, *, without: Dispute | None = None) -> Result:
    """Return the result of a game by its rulings in effect, optionally ignoring those on one dispute."""
    rulings = Ruling.objects.filter(dispute__game=game_id, state=states.STANDING)
    if without is not None:
        rulings = rulings.exclude(dispute=without)
    made = sorted(rulings, key=lambda one: (one.decided_at or one.ruled_at, str(one.pk)))
    return after((one.remedy, one.effects["result"]["becomes"]) for one in made)


# --- effects ---------------------------------------------------------------------------------------------


class RulingMoneyOutput(TypedDict):
    owner: Annotated[str, "player:…, house, house:…"]
    currency: str
    change: Annotated[int, "pence"]


class ResultChangeOutput(TypedDict):
    was: Object
    becomes: Object


class RulingEffectsOutput(TypedDict):
    result: ResultChangeOutput
    money: list[RulingMoneyOutput]
    tournament: Annotated[Object | None, "the changes of standings, pairings, prizes, and bets"]
    plays: Annotated[str | None, "`continued`, `new-deal`, or `called-off`; null otherwise"]
    bets_paid_later: int


@dataclass(frozen=True, slots=True)
class Effects:
    """The effects of a ruling.

    `was` and `becomes` are result documents, `tournament` is what the correction changes in the tournament, and `plays`
    says how the game is continued.
    """

    was: Document
    becomes: Document
    money: Sequence[BalanceChange] = ()
    tournament: Document | None = None
    plays: str | None = None
    bets: int = 0
    """The number of bets that a job settles later; `money` includes them."""

    @property
    def changes_anything(self) -> bool:
        return bool(self.money or self.tournament or self.plays or self.was != self.becomes)

    def document(self) -> RulingEffectsOutput:
        return {
            "result": {"was": self.was, "becomes": self.becomes},
            "money": [
                {"owner": one.owner, "currency": one.currency, "change": one.amount} for one in self.money
            ],
            "tournament": self.tournament,
            "plays": self.plays,
            "bets_paid_later": self.bets,
        }

    def moved(self) -> dict[str, int]:
        """Return the amount that changes hands, by currency: the sum of all increases."""
        sums: dict[str, int] = {}
        for one in self.money:
            sums[one.currency] = sums.get(one.currency, 0) + max(one.amount, 0)
        return sums


def digest(document: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a document's canonical form, in hex."""
    return hashlib.sha256(canonical(document)).hexdigest()


def needs_second_person(effects: Effects, limits: Mapping[str, int]) -> bool:
    """Return whether more money moves than one person may move. A currency without a limit has the limit 0."""
    return any(amount > limits.get(currency, 0) for currency, amount in effects.moved().items())


@dataclass(frozen=True, slots=True)
class AppliedRemedy:
    """An applied remedy: its effects, its entries in the ledger or tournament, and the game played next."""

    effects: Effects
    caused: Sequence[Document] = field(default_factory=list)
    game: UUID | None = None
