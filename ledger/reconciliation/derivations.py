"""Transfers anew from what happened: each subject's own log says what should have been moved, and nothing else.

The ledger knows no games: whoever keeps a log (games, tournaments, the ledger's own markets, pots and sessions)
registers how a subject's money follows from it. Transfers of a kind that no log accounts for are found as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.db import connection

from ledger.reconciliation.moved import NOTHING, Moved, Moves, Pair, Sum
from ledger.reconciliation.report import Checked, Difference, Found, NotChecked

AT_ONCE = 500
"""Subjects that are held against their transfers at a time."""

UNREADABLE = (LookupError, ValueError, TypeError, AttributeError, ArithmeticError)
"""What events that nobody has appended may raise when they are read."""


class Flow(NamedTuple):
    """What should have gone from one account to another (`owner/purpose`), over all transfers between them.

    `amount` None: the log does not say how much. The events that the transfers name lie between `first` and `last`,
    where these are given.
    """

    debit: str
    credit: str
    amount: int | None
    first: int | None = None
    last: int | None = None


class Derived(NamedTuple):
    """What one subject's log says. `flows` None: it says nothing of transfers, only what `differences` tell.

    `not_checked` says why a log does not decide here; then nothing is held against it.
    """

    subject: str
    currency: str
    flows: Sequence[Flow] | None
    differences: Sequence[Difference] = ()
    not_checked: str = ""


Page = Callable[[str, int], Sequence[str]]
Derive = Callable[[Sequence[str], bool], Iterable[Derived]]


@dataclass(frozen=True, slots=True)
class Derivation:
    """How the money of some subjects of a kind follows from their log.

    page    the keys of the next so many subjects behind a key ("" to begin), in one order; fewer only at the end
    derive  what their logs say, for those keys that are subjects of this derivation; the flag asks that logs be
            replayed move by move, where otherwise what they say at the end is taken
    """

    what: str
    kind: str
    page: Page
    derive: Derive


_derivations: list[Derivation] = []


def register_derivation(derivation: Derivation) -> None:
    _derivations.append(derivation)


def check_subjects(*, replay: bool = False) -> Iterator[Found]:
    """Hold the transfers of every subject against its log. To be called within one snapshot."""
    accounted: Counter[str] = Counter()
    for derivation in _derivations:
        yield from _check(derivation, replay, accounted)
    for kind, number in _kinds().items():
        known = [each for each in _derivations if each.kind == kind]
        if not kind:
            yield NotChecked(
                number, "transfers", "of no subject: money paid in and moved by hand; only summed"
            )
        elif not known:
            yield NotChecked(number, "transfers", f"of subjects of kind {kind}, for which there is no log")
        elif number != accounted[kind]:
            yield from _orphans(kind, known)


def _check(derivation: Derivation, replay: bool, accounted: Counter[str]) -> Iterator[Found]:
    subjects = reversed_ = 0
    moves = Moves()
    open_questions: Counter[str] = Counter()
    keys = derivation.page("", AT_ONCE)
    while keys:
        derived = list(_derived(derivation, keys, replay))
        open_questions.update(each.not_checked for each in derived if each.not_checked)
        subjects += sum(not each.not_checked for each in derived)
        moved = moves.of([each.subject for each in derived if each.flows is not None])
        for each in derived:
            yield from each.differences
            if each.flows is not None:
                found = moved.get(each.subject, NOTHING)
                accounted[derivation.kind] += found.transfers
                reversed_ += found.ruled
                yield from _compare(derivation.what, each, each.flows, found)
        keys = derivation.page(keys[-1], AT_ONCE) if len(keys) == AT_ONCE else ()
    yield Checked(derivation.what, f"{derivation.kind}s", subjects)
    for why, number in open_questions.items():
        yield NotChecked(number, f"{derivation.kind}s", f"{why} ({derivation.what})")
    if reversed_:
        yield NotChecked(
            reversed_,
            "transfers",
            f"of reversals among {derivation.what}: somebody ruled so, no log says it; they mirror what they reverse",
        )


def _derived(derivation: Derivation, keys: Sequence[str], replay: bool) -> Iterable[Derived]:
    """One log that nobody could have written must not keep those beside it from being read."""
    try:
        return list(derivation.derive(keys, replay))
    except UNREADABLE as error:
        if len(keys) > 1:
            return [each for key in keys for each in _derived(derivation, [key], replay)]
        [key] = keys
        subject = f"{derivation.kind}:{key}"
        why = f"unreadable: {type(error).__name__} {error}"
        return [Derived(subject, "", None, [Difference(subject, "", "its log", why, "readable", subject)])]


def _compare(what: str, derived: Derived, flows: Sequence[Flow], found: Moved) -> Iterator[Difference]:
    expected: dict[Pair, Flow] = {}
    for flow in flows:
        pair = (flow.debit, flow.credit, derived.currency)
        known = expected.get(pair)
        expected[pair] = flow if known is None else _together(known, flow)
    for pair in expected.keys() | found.sums.keys():
        debit, credit, currency = pair
        sum_, due = found.sums.get(pair, Sum()), expected.get(pair)
        amount = 0 if due is None else due.amount
        if amount is not None and sum_.amount != amount:
            event = due.last if due is not None else next(iter(sum_.events), None)
            yield Difference(
                f"{debit} to {credit}", currency, what, sum_.amount, amount, derived.subject, event
            )
        elif due is not None and due.first is not None and due.last is not None:
            for event in sum_.events:
                if event is None or not due.first <= event <= due.last:
                    told = f"{due.first} to {due.last}"
                    yield Difference(
                        f"{debit} to {credit}", currency, "the event", str(event), told, derived.subject
                    )


def _together(one: Flow, other: Flow) -> Flow:
    amount = None if one.amount is None or other.amount is None else one.amount + other.amount
    bounded = None not in (one.first, one.last, other.first, other.last)
    first = min(one.first or 0, other.first or 0) if bounded else None
    last = max(one.last or 0, other.last or 0) if bounded else None
    return Flow(one.debit, one.credit, amount, first, last)


def _kinds() -> dict[str, int]:
    """How many transfers there are by kind of subject; the kind of no subject is empty."""
    if connection.vendor == "postgresql":
        kind = "split_part(subject, ':', 1)"
    else:
        kind = "CASE instr(subject, ':') WHEN 0 THEN subject ELSE substr(subject, 1, instr(subject, ':') - 1) END"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {kind} AS kind, count(*) FROM ledger_transfer GROUP BY 1 ORDER BY 1")  # noqa: S608
        return dict(cursor.fetchall())


def _orphans(kind: str, known: Sequence[Derivation]) -> Iterator[Difference]:
    """Transfers of subjects that none of the kind's logs knows, a page of subjects at a time."""
    after = f"{kind}:"
    while True:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT subject, min(currency), sum(amount), count(*) FROM ledger_transfer "
                "WHERE subject LIKE %s AND subject > %s GROUP BY subject ORDER BY subject LIMIT %s",
                [f"{kind}:%", after, AT_ONCE],
            )
            page = cursor.fetchall()
        if not page:
            return
        after = page[-1][0]
        keys = [subject.partition(":")[2] for subject, *_ in page]
        accounted = {
            each.subject
            for derivation in known
            for each in _derived(derivation, keys, False)
            if each.flows is not None
        }
        for subject, currency, amount, number in page:
            if subject not in accounted:
                yield Difference(
                    f"{number} transfers", currency, "what was moved for nothing", int(amount), 0, subject
                )
