"""What can be done with disputes: opened and withdrawn by players, ruled on by auditors, appealed once."""

from disputes.appeals import appeal
from disputes.decisions import BadDecision, Decision
from disputes.evidence import pin
from disputes.opening import open_dispute, withdraw
from disputes.rulings import Preview, approve, preview, refuse, rule
from disputes.suspending import resume, suspend

__all__ = [
    "BadDecision",
    "Decision",
    "Preview",
    "appeal",
    "approve",
    "open_dispute",
    "pin",
    "preview",
    "refuse",
    "resume",
    "rule",
    "suspend",
    "withdraw",
]
