"""Derivations: the transfers that each subject's own log explains, compared with the transfers made.

The owner of a log (games, tournaments, and the ledger's own markets, pots, and sessions) registers how a subject's
money follows from it. Transfers that no log explains are found as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection
from django.db.models import QuerySet

from core.checks import UNREADABLE
from core.sql import among
from ledger.reconciliation.books import account_name
from ledger.reconciliation.models import Checked, Difference, Found, NotChecked

# ruff: noqa: S608 (only names of our own tables and columns are put into these statements)

AT_ONCE = 500
"""Subjects that are compared at a time."""


class Flow(NamedTuple):
    """An expected flow from one account to another (`owner/purpose`), over all transfers between them.

    `amount` None: the log does not say. The events of the transfers lie between `first` and `last`, if given.
    """

    debit: str
    credit: str
    amount: int | None
    first: int | None = None
    last: int | None = None


class Derived(NamedTuple):
    """The result for one subject. `flows` None: the log explains no transfers, only `differences`.

    `not_checked` says why the log decides nothing; then the subject is not compared.
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
    """The derivation of money from the logs of some subjects of a kind.

    what    the name of the check, by what it compares
    about   what the check verifies
    page    the next keys after a key ("" to begin), in a fixed order; fewer than requested only at the end
    derive  the results for those keys that are subjects of this derivation; the flag requests a replay move by move
            instead of the recorded result
    """

    what: str
    about: str
    kind: str
    page: Page
    derive: Derive


def by_key(rows: QuerySet[Any]) -> Page:
    """Return the pages of rows in the order of their primary keys, which are UUIDs."""

    def page(after: str, most: int) -> list[str]:
        behind = rows.filter(pk__gt=UUID(after)) if after else rows.all()
        return [str(key) for key in behind.order_by("pk").values_list("pk", flat=True)[:most]]

    return page


_derivations: list[Derivation] = []


def register_derivation(derivation: Derivation) -> None:
    _derivations.append(derivation)


def about() -> dict[str, str]:
    """Return what each derivation verifies, by name."""
    return {each.what: each.about for each in _derivations}


def check_subjects(*, replay: bool = False) -> Iterator[Found]:
    """Compare the transfers of every subject with its log. Call it within one snapshot."""
    accounted: Counter[str] = Counter()
    for derivation in _derivations:
        yield from _check(derivation, replay, accounted)
    for kind, number in _kinds().items():
        known = [each for each in _derivations if each.kind == kind]
        if not kind:
            yield NotChecked(
                number, "transfers", "without a subject: deposits and manual transfers; only summed"
            )
        elif not known:
            yield NotChecked(number, "transfers", f"of subjects of kind {kind}, which have no log")
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
            f"of reversals among {derivation.what}: made by a ruling, which no log explains; they mirror the original",
        )


def _derived(derivation: Derivation, keys: Sequence[str], replay: bool) -> Iterable[Derived]:
    """Derive each key alone if the page is unreadable, so that one tampered log does not hide the others."""
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
                    expected_text = f"{due.first} to {due.last}"
                    yield Difference(
                        f"{debit} to {credit}",
                        currency,
                        "the event",
                        str(event),
                        expected_text,
                        derived.subject,
                    )


def _together(one: Flow, other: Flow) -> Flow:
    amount = None if one.amount is None or other.amount is None else one.amount + other.amount
    bounded = None not in (one.first, one.last, other.first, other.last)
    first = min(one.first or 0, other.first or 0) if bounded else None
    last = max(one.last or 0, other.last or 0) if bounded else None
    return Flow(one.debit, one.credit, amount, first, last)


def _kinds() -> dict[str, int]:
    """Return the number of transfers by kind of subject; the empty kind is for no subject."""
    if connection.vendor == "postgresql":
        kind = "split_part(subject, ':', 1)"
    else:
        kind = "CASE instr(subject, ':') WHEN 0 THEN subject ELSE substr(subject, 1, instr(subject, ':') - 1) END"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {kind} AS kind, count(*) FROM ledger_transfer GROUP BY 1 ORDER BY 1")
        return dict(cursor.fetchall())


def _orphans(kind: str, known: Sequence[Derivation]) -> Iterator[Difference]:
    """Yield the transfers of subjects that no log of the kind knows, one page of subjects at a time."""
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
                    f"{number} transfers",
                    currency,
                    "transfers without an explanation",
                    int(amount),
                    0,
                    subject,
                )


VALUES_AT_ONCE = 10_000
"""Values in one statement."""

MOST_NAMES = 20_000
"""Accounts whose names are cached between pages of subjects."""

Pair = tuple[str, str, str]
"""Debited account, credited account (`owner/purpose`), and currency."""


@dataclass(slots=True)
class Sum:
    amount: int = 0
    events: list[int | None] = field(default_factory=list)


@dataclass(slots=True)
class Moved:
    """The transfers of a subject. Transfers of reversals are separate, because only a person's ruling explains them."""

    sums: dict[Pair, Sum] = field(default_factory=dict)
    transfers: int = 0
    ruled: int = 0


NOTHING = Moved()


def each_among(select: str, column: str, values: Sequence[Any]) -> Iterator[Any]:
    """Yield the rows of a statement that ends in WHERE, for any number of values."""
    for start in range(0, len(values), VALUES_AT_ONCE):
        condition, parameters = among(column, values[start : start + VALUES_AT_ONCE])
        with connection.cursor() as cursor:
            cursor.execute(f"{select} {condition}", parameters)
            yield from cursor.fetchall()


class Moves:
    """Reads the transfers of subjects, page after page."""

    def __init__(self) -> None:
        self._names: dict[int, str] = {}

    def of(self, subjects: Sequence[str]) -> Mapping[str, Moved]:
        moved: dict[str, Moved] = {}
        if not subjects:
            return moved
        rows = list(each_among(_TRANSFERS, "subject", subjects))
        ruled = _ruled([position for position, _, reverses, *_ in rows if reverses is not None])
        names = self._named({row[3] for row in rows} | {row[4] for row in rows})
        for position, subject, _, debit, credit, currency, amount, event in rows:
            of_subject = moved.get(subject)
            if of_subject is None:
                of_subject = moved[subject] = Moved()
            of_subject.transfers += 1
            if position in ruled:
                of_subject.ruled += 1
                continue
            pair = (names[debit], names[credit], currency)
            sum_ = of_subject.sums.get(pair)
            if sum_ is None:
                sum_ = of_subject.sums[pair] = Sum()
            sum_.amount += amount
            sum_.events.append(event)
        return moved

    def _named(self, accounts: Iterable[int]) -> Mapping[int, str]:
        """Join the names here, because the database may choose to read all accounts for every page."""
        if len(self._names) > MOST_NAMES:
            self._names.clear()
        names = self._names
        if missing := [each for each in accounts if each not in names]:
            names.update((each, f"no account {each}") for each in missing)
            names.update(each_among(_ACCOUNTS, "id", missing))
        return names


def _ruled(reversals: Sequence[int]) -> set[int]:
    """Return the transfers of these reversals' postings, including amounts lent for them."""
    return {position for (position,) in each_among(_POSTINGS, "r.position", reversals)}


_TRANSFERS = (
    "SELECT position, subject, reverses_id, debit_id, credit_id, currency, amount, event "
    "FROM ledger_transfer WHERE"
)
_ACCOUNTS = f"SELECT id, {account_name('a')} FROM ledger_account a WHERE"
_POSTINGS = (
    "SELECT o.position FROM ledger_transfer r "
    "JOIN ledger_transfer o ON o.key = r.key AND o.posting = r.posting WHERE"
)
