"""Why a stake table is not opened or changed. Each is raised before anything is written."""

from __future__ import annotations

from api.errors import Conflict, InvalidInput


class BadStakeTable(InvalidInput):
    code = "bad-stake-table"
    title = "A stake table cannot be like this"


class BadStakeTerms(InvalidInput):
    """`faults` says each thing that is wrong, in a sentence."""

    code = "bad-stake-terms"
    title = "A stake table cannot offer this"


class StakeTableExists(Conflict):
    code = "stake-table-exists"
    title = "There is a stake table of this name"


class StakeTermsMoved(Conflict):
    """`number` is that of the newest terms."""

    code = "stake-terms-moved"
    title = "The stake table has newer terms than were seen; look at them, then ask again"
