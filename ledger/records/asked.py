"""What an address of the records asks for: instants, days, a currency. Each raises InvalidInput."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from uuid import UUID

from django.conf import settings

from api.errors import InvalidInput
from ledger.errors import UnknownCurrency
from ledger.lines import LineKind
from ledger.records.statements import Range
from ledger.selectors import currencies, currencies_of

_INSTANT = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,6})?([Zz]|[+-]\d\d:\d\d)")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


def instant(given: dict[str, str], name: str) -> datetime | None:
    """RFC 3339, in UTC; None if it is not asked for."""
    text = given.get(name)
    if text is None:
        return None
    try:
        if _INSTANT.fullmatch(text):
            return _of_our_times(datetime.fromisoformat(text.upper()).astimezone(UTC))
    except (ValueError, OverflowError):
        pass
    raise InvalidInput(f"{name}: an instant such as 2026-03-01T12:00:00Z is needed; a + is written %2B.")


def day(given: dict[str, str], name: str) -> date | None:
    text = given.get(name)
    if text is None:
        return None
    try:
        if _DAY.fullmatch(text):
            found = date.fromisoformat(text)
            _of_our_times(datetime(found.year, found.month, found.day, tzinfo=UTC))
            return found
    except ValueError:
        pass
    raise InvalidInput(f"{name}: a day such as 2026-03-01 is needed.")


def range_of(given: dict[str, str]) -> Range:
    begins, until = instant(given, "from"), instant(given, "until")
    if begins is not None and until is not None and until < begins:
        raise InvalidInput("until: not before `from`, please.")
    return Range(begins, until)


def currency(given: dict[str, str]) -> str:
    own: str = settings.RACECARD_CURRENCY
    asked = given.get("currency", own)
    if asked != own and asked not in currencies():
        raise UnknownCurrency()
    return asked


def own_currency(given: dict[str, str], player: UUID) -> str:
    """The installation's, or another one in which the player has an account. Raises UnknownCurrency."""
    own: str = settings.RACECARD_CURRENCY
    asked = given.get("currency", own)
    if asked != own and asked not in currencies_of(player):
        raise UnknownCurrency()
    return asked


def kind_of_line(given: dict[str, str]) -> LineKind | None:
    asked = choice(given, "kind", tuple(LineKind.values))
    return None if asked is None else LineKind(asked)


def id(given: dict[str, str], name: str) -> UUID | None:
    try:
        return UUID(given[name]) if name in given else None
    except ValueError:
        raise InvalidInput(f"{name}: an id is needed.") from None


def choice(given: dict[str, str], name: str, among: tuple[str, ...]) -> str | None:
    asked = given.get(name)
    if asked is not None and asked not in among:
        raise InvalidInput(f"{name}: one of {', '.join(among)} is needed.")
    return asked


def _of_our_times(at: datetime) -> datetime:
    if not 1900 <= at.year < 2900:
        raise ValueError("nothing was posted then")
    return at
