"""Text that is opened in a spreadsheet. Pure."""

from __future__ import annotations

import unicodedata

_BEGIN_A_FORMULA = ("=", "+", "-", "@", ";")
"""A semicolon separates cells where a comma separates decimals, so what follows it begins a cell."""


def harmless(text: str) -> str:
    """Text as a spreadsheet shows it: what one would take for a formula is put behind an apostrophe.

    Some read past blanks, line breaks and control characters at the beginning, and take wide forms for the signs.

    >>> harmless('=HYPERLINK("x")'), harmless(" \\n＠SUM(1)"), harmless("a=b")
    ('\\'=HYPERLINK("x")', "' \\n＠SUM(1)", 'a=b')
    >>> harmless(";=1+1"), harmless("\\t1"), harmless("－1")
    ("';=1+1", "'\\t1", "'－1")
    """
    if text[:1] in ("\t", "\r", "\n"):
        return f"'{text}"
    begins = next((each for each in text if not _is_passed_over(each)), "")
    return f"'{text}" if unicodedata.normalize("NFKC", begins).startswith(_BEGIN_A_FORMULA) else text


def _is_passed_over(letter: str) -> bool:
    return letter.isspace() or unicodedata.category(letter) in ("Cc", "Cf")
