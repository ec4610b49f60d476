"""What a payout may become. Pure.

requested → approved → paid, or rejected; held for as long as somebody looks into it, then requested again, so that
whoever approved it before has to do so anew. Where two persons must approve, the first one's word makes it checked.
"""

from __future__ import annotations

REQUESTED = "requested"
CHECKED = "checked"
APPROVED = "approved"
HELD = "held"
REJECTED = "rejected"
PAID = "paid"

STATES = (REQUESTED, CHECKED, APPROVED, HELD, REJECTED, PAID)
UNDECIDED = (REQUESTED, CHECKED)
"""Those that wait for an approval."""

OPEN = (REQUESTED, CHECKED, APPROVED, HELD)
"""Those in which its money still lies held on the player's account."""

MOVES: dict[str, tuple[str, ...]] = {
    "": (REQUESTED,),
    REQUESTED: (CHECKED, APPROVED, HELD, REJECTED),
    CHECKED: (APPROVED, HELD, REJECTED),
    APPROVED: (PAID, HELD, REJECTED),
    HELD: (REQUESTED, REJECTED),
    REJECTED: (),
    PAID: (),
}

BY_PAYEE = (("", REQUESTED), (REQUESTED, REJECTED))
"""All that those who are paid may do themselves: ask, and take it back before anybody has decided."""


def is_cancellable(state: str) -> bool:
    """Whether those who are paid may take it back: nobody has decided, nor approved it as the first of two.

    >>> is_cancellable("requested"), is_cancellable("checked")
    (True, False)
    """
    return (state, REJECTED) in BY_PAYEE


def may_become(was: str, becomes: str) -> bool:
    """
    >>> may_become("approved", "paid"), may_become("held", "paid")
    (True, False)
    """
    return becomes in MOVES[was]
