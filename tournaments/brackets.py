"""A tournament's bracket as it is shown: the drawing (`formats.bracket`) with names and with each match's games."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any
from uuid import UUID

from accounts.names import name_for
from tournaments import record
from tournaments.access import Viewer
from tournaments.formats import bracket
from tournaments.formats.bracket_shapes import Slot
from tournaments.models import TableGame, Tournament


def document(tournament: Tournament, viewer: Viewer) -> dict[str, Any]:
    """No matches where there is no bracket, and before it is drawn: the field is seeded when the entries close."""
    version, state = record.head(tournament).version, record.load(tournament.pk)
    matches = bracket.drawn(tournament.format, state.snapshot()) if state.seeding else ()
    games = _games(tournament) if matches else {}
    drawn_in = {one for match in matches for slot in match.slots if (one := slot.entry) is not None}
    ids = {one.entry: one.player for one in state.entrants if one.entry in drawn_in}
    known = {entry.player_id: entry.player for entry in tournament.entries.select_related("player")}
    left = {one.entry for one in state.entrants if one.last is not None}
    seeds = {entry: seed for seed, entry in enumerate(state.seeding, start=1)}

    def slot_document(slot: Slot) -> dict[str, Any]:
        player = None if slot.entry is None else ids[slot.entry]
        return {
            "entry": slot.entry,
            "player": player,
            "name": None if player is None else name_for(viewer, known[UUID(player)]),
            "seed": None if slot.entry is None else seeds.get(slot.entry),
            "left": slot.entry in left,
            "source": None if slot.source is None else asdict(slot.source),
            "score": slot.score,
            "place": slot.place,
            "lives": slot.lives,
        }

    return {
        "version": version,
        "measure": state.measures[0].name if state.measures else None,
        "matches": [
            {
                "number": match.number,
                "round": match.round,
                "side": match.side,
                "state": match.state,
                "table": match.table,
                "winner": match.winner,
                "winner_to": match.winner_to,
                "loser_to": match.loser_to,
                "through": match.through,
                "goes_on": list(match.goes_on),
                "slots": [slot_document(slot) for slot in match.slots],
                "games": games.get((match.round, match.table), []),
            }
            for match in matches
        ],
    }


def _games(tournament: Tournament) -> dict[tuple[int, int | None], list[dict[str, Any]]]:
    """By round and table, the games that were dealt there."""
    dealt = TableGame.objects.filter(table__round__tournament=tournament, dealt_at__isnull=False)
    found: dict[tuple[int, int | None], list[dict[str, Any]]] = {}
    for one in dealt.select_related("table__round").order_by("number"):
        told = {"number": one.number, "game": str(one.game), "ended": one.ended or None}
        found.setdefault((one.table.round.number, one.table.number), []).append(told)
    return found
