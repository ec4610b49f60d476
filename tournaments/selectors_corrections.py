"""What is shown of corrections: those that were made, and what one would change."""

from __future__ import annotations

from typing import Any

from eventstore import store
from tournaments import record
from tournaments.corrections import Preview
from tournaments.formats.history import paired
from tournaments.formats.protocol import Pairing, Standing
from tournaments.models import Tournament

Document = dict[str, Any]


def made(tournament: Tournament) -> list[Document]:
    """In the order in which they were made."""
    if not record.load(tournament.pk).corrections:
        return []
    return [
        {**event.data, "version": event.version, "at": event.at}
        for event in store.read(tournament.pk)
        if event.type == "result-corrected"
    ]


def previewed(shown: Preview) -> Document:
    found = shown.effects
    return {
        "token": shown.token,
        "version": shown.version,
        "correction": shown.correction.document(),
        "standings": [
            {"entry": one.now.entry, "was": _placed(one.was), "would_be": _placed(one.now)}
            for one in found.moved
        ],
        "pairings": [
            {
                "round": one.was.round,
                "was": _laid_out(one.was),
                "would_be": None if one.would_be is None else _laid_out(one.would_be),
            }
            for one in found.pairings
        ],
        "prizes": [{"entry": one.entry, "was": one.was, "would_be": one.now} for one in found.prizes],
        "outright": None
        if shown.outright is None
        else [
            {
                "bet": str(one.bet),
                "runner": one.runner,
                "stake": one.stake,
                "was": one.was,
                "would_be": one.now,
            }
            for one in shown.outright
        ],
        "ratings_stay": shown.rated,
    }


def _placed(standing: Standing) -> Document:
    return {"place": standing.place, "totals": list(standing.totals)}


def _laid_out(pairing: Pairing) -> Document:
    told = paired(pairing)
    return {name: told[name] for name in ("tables", "byes", "relaxed")}
