"""Commands under a key take effect once: a repeated command returns what the first one made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from django.db import IntegrityError, models, transaction

from core.errors import KeyReused

Row = TypeVar("Row", bound=models.Model)


def once(model: type[Row], key: str, fingerprint: str, make: Callable[[], Row]) -> Row:
    """Return the row under a key, or the row that `make` creates. Raises KeyReused if the content differs.

    If a concurrent command with the key comes first, what `make` has written is rolled back.
    """
    rows = model._default_manager.filter(key=key)
    known: Any = rows.first()
    if known is None:
        try:
            with transaction.atomic():
                return make()
        except IntegrityError:
            known = rows.first()
            if known is None:
                raise
    if known.fingerprint != fingerprint:
        raise KeyReused()
    found: Row = known
    return found
