"""The ledger as plain text accounting for hledger and beancount. Pure.

There a debit adds and a credit subtracts, so what the site owes to players is a negative liability. Each transaction
has all legs of one posting, two lines a leg, and the posting's data as tags. The final balances follow as assertions.
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
"""The root account of each purpose, as the site sees it."""


def account_name(kind: str, key: str, purpose: str) -> str:
    """Return an account name that both programs accept; different accounts have different names.

    >>> account_name("house", "", "external"), account_name("player", "3f2a-7", "cash")
    ('Assets:House:External', 'Liabilities:Player-3f2a-7:Cash')
    """
    owner = f"{kind.capitalize()}-{_spelt(key)}" if key else kind.capitalize()
    return f"{ROOTS[purpose]}:{owner}:{purpose.capitalize()}"


def _spelt(key: str) -> str:
    """Write a key in letters, digits, and hyphens. Other characters, and a hyphen before one, become two hyphens and
    their number.

    >>> _spelt("a-b_c"), _spelt("a-_c")
    ('a-b--5Fc', 'a--2D--5Fc')
    """
    return re.sub(r"[^A-Za-z0-9-]|-(?=[^A-Za-z0-9])", lambda found: f"--{ord(found[0]):02X}", key)


def decimal(amount: int, places: int) -> str:
    """Format minor units as a decimal number.

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
        """The date in UTC."""
        return self.at.astimezone(UTC).date()

    @property
    def tags(self) -> list[tuple[str, str]]:
        """The posting's data apart from accounts and amounts, with the time at full precision."""
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
    """A journal. `places`: decimal places by currency. `first`, `last`: the days of the first and last transaction."""

    places: Mapping[str, int]
    first: date
    last: date

    @abstractmethod
    def head(self) -> str:
        """Return the header."""

    @abstractmethod
    def opened(self, account: str) -> str:
        """Return the declaration of an account."""

    @abstractmethod
    def entry(self, entry: Entry) -> str:
        """Return a transaction."""

    @abstractmethod
    def balance(self, account: str, currency: str, amount: int) -> str:
        """Return the assertion of a final balance, debits less credits."""

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
        lines = [f"\n{entry.date} * {_quoted(entry.legs[0].reason)}"]
        lines += self._tags(entry.tags, "  ")
        for leg in entry.legs:
            lines.append(f"  {leg.debit}  {self.money(leg.amount, entry.currency)}")
            lines += self._tags(leg_tags(leg), "    ")
            lines.append(f"  {leg.credit}  {self.money(-leg.amount, entry.currency)}")
        return "\n".join(lines) + "\n"

    def balance(self, account: str, currency: str, amount: int) -> str:
        # Beancount checks at the beginning of the day, and by default tolerates a penny.
        number = decimal(amount, self.places[currency])
        return f"{self.last + timedelta(days=1)} balance {account}  {number} ~ 0 {currency}\n"

    def _tags(self, tags: Iterable[tuple[str, str]], indent: str) -> list[str]:
        return [f"{indent}{name}: {_quoted(text)}" for name, text in tags]


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + escaped.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t") + '"'


class Hledger(Journal):
    """https://hledger.org/hledger.html#journal

    Tags hold texts as JSON strings. Characters that could end or change a tag are escaped, so the texts can be read
    back.
    """

    def head(self) -> str:
        commodities = [f"commodity {_example(places)} {each}\n" for each, places in self.places.items()]
        return "; Racecard\ndecimal-mark .\n" + "".join(commodities)

    def opened(self, account: str) -> str:
        return f"account {account}\n"

    def entry(self, entry: Entry) -> str:
        lines = [f"\n{entry.date} * {_plain(entry.legs[0].reason)}"]
        lines += self._tags(entry.tags)
        for leg in entry.legs:
            lines.append(f"    {leg.debit}  {self.money(leg.amount, entry.currency)}")
            lines += self._tags(leg_tags(leg))
            lines.append(f"    {leg.credit}  {self.money(-leg.amount, entry.currency)}")
        return "\n".join(lines) + "\n"

    def balance(self, account: str, currency: str, amount: int) -> str:
        nothing, has = self.money(0, currency), self.money(amount, currency)
        return f"\n{self.last} * balance\n    {account}  {nothing} = {has}\n"

    def _tags(self, tags: Iterable[tuple[str, str]]) -> list[str]:
        return [f"    ; {name}:{_tag(text)}" for name, text in tags]


def _example(places: int) -> str:
    return f"1000.{'0' * places}"


def _tag(text: str) -> str:
    """Escape a tag: a comma ends it, brackets or `date:` in a comment set a date, a line break ends all tags.

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
    """Return a reason as a description without signs that have a meaning there; the tag has the full text."""
    return " ".join("".join(each if each.isalnum() or each in ".:'/&%+-" else " " for each in text).split())
