"""The checks that an audit runs, by the part of the installation that they are about. Pure."""

from __future__ import annotations

from games.rules.bundle import CHECKS as OF_A_BUNDLE

DATABASE = {
    "triggers": "every trigger and function by which the database keeps its invariants stands unaltered",
}
STREAMS = {
    "chain": "versions count from 1 without gaps, and every hash is that of the event and the one before",
    "order": "no event is earlier than the one before",
    "head": "the stream's head is its last event",
    "owner": "the stream is of the kind that its events and the records beside it say",
    "readable": "what stands beside it can be read at all",
}
GAMES = {
    **OF_A_BUNDLE,
    "head": "the stream's head is its last event",
    "record": "the records beside the stream say what the stream says",
    "stored": "what is stored has the canonical form of what it says",
}
CHECKPOINT = {"checkpoint": "the stream holds what the signed checkpoints say it held"}
TOURNAMENTS = {
    "chain": "versions count from 1 without gaps and every hash fits",
    "field": "entries, entropy, number of rounds and seeding follow from who entered",
    "pairings": "every round was paired as its format pairs it, and the checker has nothing against it",
    "deals": "every table was dealt what its round and number give; the games of a match follow from one another",
    "results": "who was seated has a result, and what was corrected was so before",
    "standings": "the standings follow from the results",
    "prizes": "pool, rake and prizes follow from the standings",
    "seed": "the seed is the one committed to, and the lot key and every server seed follow from it",
    "worth": "every result is what its game gave",
    "record": "the records beside the stream say what the stream says",
}
DISPUTES = {
    "record": "the records of a dispute, its evidence and its rulings say what its stream says",
    "evidence": "the event disputed and those pinned stand in their games as they were pinned",
}
LOOKS = {"record": "of each early look there is the record that its stream tells of, and no other"}
CHECKPOINTS = {
    "kept": "each is signed, follows the one before, and what it covers is as it was then",
    "published": "those that were published are here, as they were published",
}
SUSPENSIONS = {
    "record": "games were suspended and went on as the log tells, and stand still where it says so",
}

PARTS = {
    "database": DATABASE,
    "checkpoints": CHECKPOINTS,
    "streams": STREAMS,
    "games": {**GAMES, **CHECKPOINT},
    "tournaments": {**TOURNAMENTS, **CHECKPOINT},
    "disputes": DISPUTES,
    "looks": LOOKS,
    "suspensions": SUSPENSIONS,
}
"""In the order in which they are told; the ledger's come last, each named by what it holds against what."""
