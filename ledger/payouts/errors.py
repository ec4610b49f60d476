"""Why a payout, a batch or a freeze is refused."""

from __future__ import annotations

from api.errors import Conflict, Forbidden, InvalidInput, NotFound


class UnknownPayout(NotFound):
    code = "unknown-payout"
    title = "There is no such payout"


class UnknownPayoutBatch(NotFound):
    code = "unknown-payout-batch"
    title = "There is no such batch of payouts"


class UnknownFreeze(NotFound):
    code = "unknown-freeze"
    title = "There is no such freeze"


class BadDestination(InvalidInput):
    code = "bad-destination"
    title = "A destination is one line of 1 to 140 printable characters"


class PayoutMovedOn(Conflict):
    """`state` is the one that it is in."""

    code = "payout-moved-on"
    title = "The payout is in a state in which this cannot be done"


class PayoutAmountDiffers(Conflict):
    """`amount` is what it is about."""

    code = "payout-amount-differs"
    title = "The payout is of another amount than was named"


class OwnPayout(Forbidden):
    code = "own-payout"
    title = "Nobody decides about money that they asked for or are to get"


class SecondPersonNeeded(Forbidden):
    code = "second-person-needed"
    title = "A payout of this size is approved by two persons, not twice by one"


class PayoutFrozen(Conflict):
    code = "payout-frozen"
    title = "A claim on where this money came from is not answered yet"


class PayoutInBatch(Conflict):
    """`batch` is the one."""

    code = "payout-in-batch"
    title = "The payout is in a batch, and is paid with it"


class EmptyBatch(Conflict):
    code = "empty-batch"
    title = "There is nothing to be paid in this batch"


class BatchChanged(Conflict):
    """`checksum` is that of the file as it is now."""

    code = "batch-changed"
    title = "The batch is not what was exported; export it again"


class BatchPaid(Conflict):
    code = "batch-paid"
    title = "The batch has been paid"


class FreezeReleased(Conflict):
    code = "freeze-released"
    title = "The freeze has been released before"


class NotReinstated(Conflict):
    code = "not-reinstated"
    title = "Only a prize that was rejected is granted after all, once"
