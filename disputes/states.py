"""What a dispute and a ruling may be, and how each goes on. Pure."""

from __future__ import annotations

from collections.abc import Mapping

OPEN = "open"
PROPOSED = "proposed"
RULED = "ruled"
APPEALED = "appealed"
WITHDRAWN = "withdrawn"

PENDING = (OPEN, PROPOSED, APPEALED)
"""Somebody is still to decide: what the game paid is held."""

WAITING = (OPEN, APPEALED)
"""An auditor is to rule."""

MOVES: Mapping[str, tuple[str, ...]] = {
    OPEN: (PROPOSED, RULED, WITHDRAWN),
    PROPOSED: (RULED, OPEN, APPEALED),
    RULED: (APPEALED,),
    APPEALED: (PROPOSED, RULED),
}
"""A proposal that the second person refuses goes back to where it came from."""

INSTANCES = 2
"""The first, and one appeal."""

STANDING = "standing"
REFUSED = "refused"
SUPERSEDED = "superseded"

RULING_MOVES: Mapping[str, tuple[str, ...]] = {
    PROPOSED: (STANDING, REFUSED),
    STANDING: (SUPERSEDED,),
}

DISMISSED = "dismissed"
REPLAY = "replay"
VOID = "void"
CORRECTED = "corrected"
POINTS = "points"
REMEDIES = (DISMISSED, REPLAY, VOID, CORRECTED, POINTS)

REJECTED = "rejected"
UPHELD = "upheld"
PARTLY = "partly-upheld"
FINDINGS = (REJECTED, UPHELD, PARTLY)
"""Of the claim. Rejected is what is dismissed, and nothing else is."""
