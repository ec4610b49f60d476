"""The check of words that must not come back and of commit subjects."""

from __future__ import annotations

import pytest

from tools.wording import WORDS, faults, long_subjects


@pytest.mark.parametrize("text", ["a turnstile", "Turnstile()", "kept_deeds", "KeptDeeds", "The house today"])
def test_a_listed_word_is_found_in_text_and_in_names(text: str) -> None:
    assert len(list(faults("a.py", f"first line\n{text}\n"))) == 1


def test_part_of_another_word_is_not_found() -> None:
    assert list(faults("a.py", "turnstiles are another word")) == []


def test_each_word_is_listed_once_in_order() -> None:
    assert list(WORDS) == sorted(set(WORDS), key=str.lower)


def test_a_long_subject_is_reported_with_its_length() -> None:
    [fault] = long_subjects(["Short enough", "x" * 73])
    assert "73 characters" in fault
