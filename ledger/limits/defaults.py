"""The limits that every player begins with, by the operator's setting."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from ledger.fields import MOST_PENCE
from ledger.limits.terms import KINDS, LENGTHS


def of_everybody() -> Mapping[tuple[str, str], int]:
    """Pence by kind and period, in the installation's own currency; what is not named has no limit.

    Raises ImproperlyConfigured.
    """
    return _read(settings.RACECARD_DEFAULT_LIMITS)


@lru_cache(maxsize=8)
def _read(text: str) -> Mapping[tuple[str, str], int]:
    found: dict[tuple[str, str], int] = {}
    for part in text.split():
        name, _, amount = part.partition("=")
        kind, _, period = name.partition("/")
        digits = amount.isascii() and amount.isdigit() and len(amount) <= len(str(MOST_PENCE))
        if kind not in KINDS or period not in LENGTHS or not digits or int(amount) > MOST_PENCE:
            raise ImproperlyConfigured(
                f"RACECARD_DEFAULT_LIMITS: {part} is no limit; one is written as deposit/day=50000 (pence)."
            )
        found[kind, period] = int(amount)
    return MappingProxyType(found)
