"""Query parameters of the reports: instants, days, currency. Each function raises InvalidInput."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from uuid import UUID

from django.conf import settings

from core.errors import InvalidInput
from ledger.core.selectors import currencies, currencies_of
from ledger.errors import UnknownCurrency
from ledger.reports.statements import LineKind, Range
from rest.pagination import choice

_INSTANT = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,6})?([Zz]|[+-]\d\d:\d\d)")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")


def instant(given: dict[str, str], name: str) -> datetime | None:
    """Parse an RFC 3339 instant to UTC; None if it is absent."""
    text = given.get(name)
    if text is None:
        return None
    try:
        if _INSTANT.fullmatch(text):
            return _in_range(datetime.fromisoformat(text.upper()).astimezone(UTC))
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
            _in_range(datetime(found.year, found.month, found.day, tzinfo=UTC))
            return found
    except ValueError:
        pass
    raise InvalidInput(f"{name}: a day such as 2026-03-01 is needed.")


def range_of(given: dict[str, str]) -> Range:
    begins, until = instant(given, "from"), instant(given, "until")
    if begins is not None and until is not None and until < begins:
        raise InvalidInput("until: must not be before `from`.")
    return Range(begins, until)


def currency(given: dict[str, str]) -> str:
    own: str = settings.RACECARD_CURRENCY
    wanted = given.get("currency", own)
    if wanted != own and wanted not in currencies():
        raise UnknownCurrency()
    return wanted


def own_currency(given: dict[str, str], player: UUID) -> str:
    """Return the installation's currency, or another in which the player has an account. Raises UnknownCurrency."""
    own: str = settings.RACECARD_CURRENCY
    wanted = given.get("currency", own)
    if wanted != own and wanted not in currencies_of(player):
        raise UnknownCurrency()
    return wanted


def kind_of_line(given: dict[str, str]) -> LineKind | None:
    wanted = choice(given, "kind", tuple(LineKind.values))
    return None if wanted is None else LineKind(wanted)


def id(given: dict[str, str], name: str) -> UUID | None:
    try:
        return UUID(given[name]) if name in given else None
    except ValueError:
        raise InvalidInput(f"{name}: an id is needed.") from None


def _in_range(at: datetime) -> datetime:
    if not 1900 <= at.year < 2900:
        raise ValueError("out of range")
    return at
