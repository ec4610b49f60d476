"""The ladder of decimal prices, in hundredths with the stake: 410 is 4.10. Pure.

Its steps are those of betting exchanges, which grow with the price: 1.01, 1.02, … 2.00, 2.02, … 3.00, 3.05, … 1000.00.
"""

from __future__ import annotations

from fractions import Fraction

BANDS = (
    (100, 1),
    (200, 2),
    (300, 5),
    (400, 10),
    (600, 20),
    (1_000, 50),
    (2_000, 100),
    (3_000, 200),
    (5_000, 500),
    (10_000, 1_000),
)
"""The lower end of each band with its step, in hundredths. Each end is a multiple of both steps that meet there."""

LOWEST, HIGHEST = 101, 100_000


def step(hundredths: int) -> int:
    """Return the step of the ladder from a price of at least 1.00 upwards."""
    return next(step for start, step in reversed(BANDS) if hundredths >= start)


def at_most(price: Fraction) -> int | None:
    """Return the highest price of the ladder that is not above `price`, which is less than a step below it.

    None below the lowest price, and from one step above the highest one.

    >>> at_most(Fraction(19, 5)), at_most(Fraction(413, 100)), at_most(Fraction(1)), at_most(Fraction(5000))
    (380, 410, None, None)
    """
    hundredths = int(100 * price)
    if hundredths < LOWEST:
        return None
    found = hundredths - hundredths % step(hundredths)
    return found if found <= HIGHEST else None


def condition(column: str) -> str:
    """Return the SQL condition that an integer column has a price of the ladder."""
    ends = [*(start for start, _ in BANDS[1:]), HIGHEST + 1]
    bands = (
        f"{column} >= {max(start, LOWEST)} AND {column} < {end} AND {column} % {width} = 0"
        for (start, width), end in zip(BANDS, ends, strict=True)
    )
    return f"({' OR '.join(bands)})"
