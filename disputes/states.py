"""States of disputes and rulings, and their transitions. Pure."""

from __future__ import annotations

from collections.abc import Mapping

OPEN = "open"
PROPOSED = "proposed"
RULED = "ruled"
APPEALED = "appealed"
WITHDRAWN = "withdrawn"

PENDING = (OPEN, PROPOSED, APPEALED)
"""States of an open dispute, in which what the game paid is held."""

WAITING = (OPEN, APPEALED)
"""States in which an auditor can rule."""

TRANSITIONS: Mapping[str, tuple[str, ...]] = {
    OPEN: (PROPOSED, RULED, WITHDRAWN),
    PROPOSED: (RULED, OPEN, APPEALED),
    RULED: (APPEALED,),
    APPEALED: (PROPOSED, RULED),
}
"""By state of a dispute, the states that may follow. A refused proposal returns to the state before it."""

STANDING = "standing"
REFUSED = "refused"
SUPERSEDED = "superseded"

RULING_TRANSITIONS: Mapping[str, tuple[str, ...]] = {
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
"""Findings on a claim. `rejected` goes with the remedy `dismissed`, and only with it."""
