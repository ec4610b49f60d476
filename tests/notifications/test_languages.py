"""Everything that a player reads of notifications is there in each language."""

from __future__ import annotations

from typing import Any

import pytest

from ledger.money import LOCALES
from ledger.payouts.notices import ANNOUNCED
from notifications import kinds, sending, unsubscribing
from notifications.kinds import LANGUAGES, Kind

VALUES = {"name": "Sunday Cup", "round": 1, "place": 2, "amount": 500, "currency": "XTS"}


def cases() -> list[tuple[Kind, dict[str, Any]]]:
    """Every kind, with the values of each of its texts."""
    decided = [{"payout_kind": kind, "state": state} for kind, state in sorted(ANNOUNCED)]
    return [
        (kind, VALUES | more)
        for kind in kinds.every()
        for more in (decided if kind.name == "payout" else [{}])
    ]


@pytest.mark.parametrize(("kind", "values"), cases(), ids=lambda case: getattr(case, "name", ""))
def test_a_kind_has_its_own_texts_in_every_language(kind: Kind, values: dict[str, Any]) -> None:
    rendered = {(kind.label[language], *kind.render(values, language)) for language in LANGUAGES}
    assert len(rendered) == len(LANGUAGES)
    assert all(text for texts in rendered for text in texts)


def test_e_mails_and_the_page_that_ends_them_are_in_every_language() -> None:
    for texts in (sending.WORDS, unsubscribing.PAGE, LOCALES):
        assert texts.keys() == set(LANGUAGES)
    assert len({tuple(page) for page in unsubscribing.PAGE.values()}) == 1
    assert len({len(words) for words in sending.WORDS.values()}) == 1
