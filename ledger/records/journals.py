"""The books as plain text accounting: what hledger and beancount read. Pure.

There money is counted by its side: what an account is debited with is added, what it is credited with is taken off. So
what players have, which the house owes them, stands there as a negative liability. Every transaction has all legs of
one posting, two lines a leg, and whatever the ledger knows of it. At the end stands what each account has, for the
program to check.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from uuid import UUID

ROOTS = {
    "external": "Assets",
    "receivable": "Assets",
    "cash": "Liabilities",
    "session": "Liabilities",
    "escrow": "Liabilities",
    "payable": "Liabilities",
    "bank": "Equity",
    "promotion": "Equity",
    "rake": "Income",
    "takeout": "Income",
    "breakage": "Income",
}
"""What accounts of each purpose are to the house."""


def account_name(kind: str, key: str, purpose: str) -> str:
    """An account as both programs take it; different accounts have different names.

    >>> account_name("house", "", "external"), account_name("player", "3f2a-7", "cash")
    ('Assets:House:External', 'Liabilities:Player-3f2a-7:Cash')
    """
    owner = f"{kind.capitalize()}-{_spelt(key)}" if key else kind.capitalize()
    return f"{ROOTS[purpose]}:{owner}:{purpose.capitalize()}"


def _spelt(key: str) -> str:
    """A key in letters, digits and hyphens. What is neither is spelt by its number after two hyphens, and so is a
    hyphen before it, so that two hyphens always begin a number.

    >>> _spelt("a-b_c"), _spelt("a-_c")
    ('a-b--5Fc', 'a--2D--5Fc')
    """
    return re.sub(r"[^A-Za-z0-9-]|-(?=[^A-Za-z0-9])", lambda found: f"--{ord(found[0]):02X}", key)


def decimal(amount: int, places: int) -> str:
    """Minor units as a decimal number.

    >>> decimal(-1205, 2), decimal(7, 0)
    ('-12.05', '7')
    """
    whole, rest = divmod(abs(amount), 10**places)
    sign = "-" if amount < 0 else ""
    return f"{sign}{whole}.{rest:0{places}}" if places else f"{sign}{whole}"


@dataclass(frozen=True, slots=True)
class JournalLeg:
    transfer: UUID
    debit: str
    credit: str
    amount: int
    reason: str
    reverses: UUID | None


@dataclass(frozen=True, slots=True)
class Entry:
    """A posting: one or more legs of one currency."""

    posting: UUID
    key: str
    subject: str
    event: int | None
    actor: str
    at: datetime
    currency: str
    legs: Sequence[JournalLeg]

    @property
    def date(self) -> date:
        """In UTC, as all times."""
        return self.at.astimezone(UTC).date()

    @property
    def tags(self) -> list[tuple[str, str]]:
        """What is known of it beside accounts and amounts. The time has all its digits."""
        at = self.at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
        known = [("key", self.key), ("posting", str(self.posting)), ("subject", self.subject)]
        event = "" if self.event is None else str(self.event)
        known += [("event", event), ("actor", self.actor), ("at", at)]
        return [(name, text) for name, text in known if text]


def leg_tags(leg: JournalLeg) -> list[tuple[str, str]]:
    tags = [("transfer", str(leg.transfer)), ("reason", leg.reason)]
    return tags if leg.reverses is None else [*tags, ("reverses", str(leg.reverses))]


@dataclass(frozen=True, slots=True)
class Journal(ABC):
    """`places`: digits after the point by currency. `first`, `last`: the days of the first and the last transaction."""

    places: Mapping[str, int]
    first: date
    last: date

    @abstractmethod
    def head(self) -> str:
        """What is told before all."""

    @abstractmethod
    def opened(self, account: str) -> str:
        """That there is an account."""

    @abstractmethod
    def entry(self, entry: Entry) -> str:
        """A transaction."""

    @abstractmethod
    def balance(self, account: str, currency: str, amount: int) -> str:
        """What an account has in the end, debits less credits, to be checked by the program."""

    def money(self, amount: int, currency: str) -> str:
        return f"{decimal(amount, self.places[currency])} {currency}"


class Beancount(Journal):
    """https://beancount.github.io/docs/beancount_language_syntax.html"""

    def head(self) -> str:
        named = "".join(f'option "operating_currency" "{each}"\n' for each in self.places)
        return f'option "title" "Racecard"\n{named}' + "".join(
            f"{self.first} commodity {each}\n" for each in self.places
        )

    def opened(self, account: str) -> str:
        return f"{self.first} open {account}\n"

    def entry(self, entry: Entry) -> str:
        told = [f"\n{entry.date} * {_quoted(entry.legs[0].reason)}"]
        told += self._tags(entry.tags, "  ")
        for leg in entry.legs:
            told.append(f"  {leg.debit}  {self.money(leg.amount, entry.currency)}")
            told += self._tags(leg_tags(leg), "    ")
            told.append(f"  {leg.credit}  {self.money(-leg.amount, entry.currency)}")
        return "\n".join(told) + "\n"

    def balance(self, account: str, currency: str, amount: int) -> str:
        # It is judged as a day begins. By itself the program would let a penny pass.
        number = decimal(amount, self.places[currency])
        return f"{self.last + timedelta(days=1)} balance {account}  {number} ~ 0 {currency}\n"

    def _tags(self, tags: Iterable[tuple[str, str]], indent: str) -> list[str]:
        return [f"{indent}{name}: {_quoted(text)}" for name, text in tags]


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + escaped.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t") + '"'


class Hledger(Journal):
    """https://hledger.org/hledger.html#journal

    Tags hold texts as JSON strings in which whatever could end or change a tag is escaped, so they can be read back.
    """

    def head(self) -> str:
        commodities = [f"commodity {_example(places)} {each}\n" for each, places in self.places.items()]
        return "; Racecard\ndecimal-mark .\n" + "".join(commodities)

    def opened(self, account: str) -> str:
        return f"account {account}\n"

    def entry(self, entry: Entry) -> str:
        told = [f"\n{entry.date} * {_plain(entry.legs[0].reason)}"]
        told += self._tags(entry.tags)
        for leg in entry.legs:
            told.append(f"    {leg.debit}  {self.money(leg.amount, entry.currency)}")
            told += self._tags(leg_tags(leg))
            told.append(f"    {leg.credit}  {self.money(-leg.amount, entry.currency)}")
        return "\n".join(told) + "\n"

    def balance(self, account: str, currency: str, amount: int) -> str:
        nothing, has = self.money(0, currency), self.money(amount, currency)
        return f"\n{self.last} * balance\n    {account}  {nothing} = {has}\n"

    def _tags(self, tags: Iterable[tuple[str, str]]) -> list[str]:
        return [f"    ; {name}:{_tag(text)}" for name, text in tags]


def _example(places: int) -> str:
    return f"1000.{'0' * places}"


def _tag(text: str) -> str:
    """A comma ends a tag, brackets or `date:` in a comment set a date, and a line that is broken ends them all.

    >>> print(_tag("a, [2026-01-01]"))
    "a\\u002c \\u005b2026-01-01]"
    """
    letters = [each if _harmless(each) else _escaped(each) for each in text]
    return '"' + re.sub(r"(?i)(date2?):", r"\1\\u003a", "".join(letters)) + '"'


def _escaped(letter: str) -> str:
    return f"\\u{ord(letter):04x}" if letter in ",;[" else json.dumps(letter)[1:-1]


def _harmless(letter: str) -> bool:
    return letter.isprintable() and letter not in '",;[\\'


def _plain(text: str) -> str:
    """A reason as a description, in which some signs have a meaning of their own; the tag has all of it."""
    return " ".join("".join(each if each.isalnum() or each in ".:'/&%+-" else " " for each in text).split())
