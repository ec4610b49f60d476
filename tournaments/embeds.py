"""Standings and brackets for frames on other sites.

The pages read no cookie and have no session. They show what anyone may see of a published tournament. A process
computes a page once for each state of its tournament, so that a frame on a busy site costs little.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from functools import lru_cache
from itertools import groupby
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.template.loader import render_to_string
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from core.errors import NotFound
from ledger.money import money
from rest.budgets import BudgetedView
from rest.conditional import conditional, digest
from rest.framing import frameable
from tournaments import access, record
from tournaments.actions.rows import measured
from tournaments.models import Status, Tournament
from tournaments.rounds import selectors

MOST_ROWS = 100
"""Rows of embedded standings. The page of the tournament shows the others."""

LASTING = 15
"""Seconds for which caches may keep a page."""

REMEMBERED = 64
"""Pages that a process remembers."""

TEXTS = {
    "en": {
        "standings": "Standings",
        "bracket": "Bracket",
        "rank": "Rank",
        "player": "Player",
        "prize": "Prize",
        "out": "disqualified",
        "more": "and {} more",
        "none": "Nothing to show yet.",
        "no-bracket": "This tournament has no bracket.",
        "round": "Round {}",
        "third": "Third place",
        "losers": "Losers’ bracket",
        "bye": "bye",
        "open": "to be decided",
        "won": "won",
        "unnamed": "Player {}",
        "missing": "There is no public tournament at this address.",
        "draft": "draft",
        "published": "open for entries",
        "running": "running",
        "finished": "finished",
        "cancelled": "cancelled",
        "measure.points": "Points",
        "measure.round": "Round reached",
        "measure.matchpoints": "Matchpoints",
        "measure.bank": "Bank",
        "measure.went-on": "Qualified",
        "measure.group-place": "Place in group",
    },
    "de": {
        "standings": "Tabelle",
        "bracket": "Turnierbaum",
        "rank": "Rang",
        "player": "Spieler",
        "prize": "Preis",
        "out": "disqualifiziert",
        "more": "und {} weitere",
        "none": "Noch nichts zu sehen.",
        "no-bracket": "Dieses Turnier hat keinen Turnierbaum.",
        "round": "Runde {}",
        "third": "Platz 3",
        "losers": "Unterer Baum",
        "bye": "Freilos",
        "open": "noch offen",
        "won": "gewonnen",
        "unnamed": "Spieler {}",
        "missing": "Unter dieser Adresse gibt es kein öffentliches Turnier.",
        "draft": "Entwurf",
        "published": "Anmeldung offen",
        "running": "läuft",
        "finished": "beendet",
        "cancelled": "abgesagt",
        "measure.points": "Punkte",
        "measure.round": "Erreichte Runde",
        "measure.matchpoints": "Matchpunkte",
        "measure.bank": "Bank",
        "measure.went-on": "Weitergekommen",
        "measure.group-place": "Platz in der Gruppe",
    },
    "pl": {
        "standings": "Klasyfikacja",
        "bracket": "Drabinka",
        "rank": "Miejsce",
        "player": "Gracz",
        "prize": "Nagroda",
        "out": "dyskwalifikacja",
        "more": "i jeszcze {}",
        "none": "Nie ma jeszcze nic do pokazania.",
        "no-bracket": "Ten turniej nie ma drabinki.",
        "round": "Runda {}",
        "third": "Trzecie miejsce",
        "losers": "Drabinka przegranych",
        "bye": "wolny los",
        "open": "jeszcze nieznany",
        "won": "wygrana",
        "unnamed": "Gracz {}",
        "missing": "Pod tym adresem nie ma publicznego turnieju.",
        "draft": "szkic",
        "published": "zapisy otwarte",
        "running": "w toku",
        "finished": "zakończony",
        "cancelled": "odwołany",
        "measure.points": "Punkty",
        "measure.round": "Osiągnięta runda",
        "measure.matchpoints": "Punkty meczowe",
        "measure.bank": "Bank",
        "measure.went-on": "Awans",
        "measure.group-place": "Miejsce w grupie",
    },
}
THEMES = ("light", "dark")
BRACKETS = ("knockout", "double-knockout", "stages")
REACHED = ("round", "group-place")
"""Measures of how far an entrant has come, which say nothing before a round is closed."""


@extend_schema(exclude=True)
class Embed(BudgetedView):
    """A page for a frame. `lang` and `theme` choose its language and colours; unknown values have no effect."""

    authentication_classes = ()
    permission_classes = ()
    budget = "history"
    kind: str

    def perform_content_negotiation(self, request: Request, force: bool = False) -> Any:
        """Accept every caller: a page is HTML, and only a refusal is JSON."""
        return super().perform_content_negotiation(request, force=True)

    def get(self, request: Request, tournament_id: UUID) -> HttpResponse:
        # Sites that link here, and those that count visits, append parameters of their own, which are ignored.
        given = request.query_params
        language = given.get("lang", "en")
        look = (
            language if language in TEXTS else "en",
            theme if (theme := given.get("theme", "")) in THEMES else "",
        )
        try:
            tournament = access.visible(None, tournament_id)
        except NotFound:
            context = {"texts": TEXTS[look[0]], "language": look[0], "theme": look[1]}
            return frameable(
                HttpResponse(render_to_string("tournaments/embed/missing.html", context), status=404)
            )
        body = _page(self.kind, tournament.pk, _state(tournament), *look, int(time.time() // LASTING))
        headers = {"Cache-Control": f"public, max-age={LASTING}"}
        html = "text/html; charset=utf-8"
        return frameable(conditional(request, digest(body), lambda: body, headers, content_type=html))


class EmbeddedStandings(Embed):
    kind = "standings"


class EmbeddedBracket(Embed):
    kind = "bracket"


def _state(tournament: Tournament) -> tuple[int, int]:
    """Return what a page depends on: the version, and how many games of the round have ended."""
    round = tournament.played_rounds.order_by("-number").first()
    return record.head(tournament).version, 0 if round is None else selectors.counts(round)["ended"]


@lru_cache(maxsize=REMEMBERED)
def _page(
    kind: str, tournament_id: UUID, state: tuple[int, int], language: str, theme: str, window: int
) -> bytes:
    """Return the page at a state. Names may change without an event, so a page lasts for one window of time."""
    tournament, texts = Tournament.objects.get(pk=tournament_id), TEXTS[language]
    over = tournament.status in (Status.FINISHED, Status.CANCELLED)
    context = {
        "kind": kind,
        "tournament": tournament,
        "status": texts[tournament.status],
        "texts": texts,
        "language": language,
        "theme": theme,
        "live": 0 if over else LASTING,
        **(_standings(tournament, language) if kind == "standings" else _bracket(tournament, texts)),
    }
    return render_to_string("tournaments/embed/page.html", context).encode()


def _named(row: Any, texts: dict[str, str]) -> str:
    return str(row["name"] or texts["unnamed"].format(row["entry"]))


def _unbroken(amount: str) -> str:
    """Return the amount with a unit of several words that a narrow frame does not break."""
    number, *unit = amount.split(" ")
    return " ".join([number, *(["\N{NO-BREAK SPACE}".join(unit)] if unit else [])])


def _standings(tournament: Tournament, language: str) -> dict[str, Any]:
    found, texts = selectors.standings(tournament, None), TEXTS[language]
    measure = found["measures"][0]["name"] if found["measures"] else "points"
    rows = [
        {
            "place": row["place"] if found["rounds_closed"] else "–",
            "name": _named(row, texts),
            "points": _unbroken(measured(measure, row["totals"][0], language))
            if row["totals"] and (found["rounds_closed"] or measure not in REACHED)
            else "–",
            "prize": _unbroken(money(row["prize"], tournament.currency, language)) if row["prize"] else "",
            "out": row["disqualified"],
        }
        for row in found["standings"][:MOST_ROWS]
    ]
    return {
        "rows": rows,
        "points": texts.get(f"measure.{measure}", measure.replace("-", " ").capitalize()),
        "prizes": any(row["prize"] for row in rows),
        "more": texts["more"].format(left) if (left := len(found["standings"]) - MOST_ROWS) > 0 else "",
    }


def _bracket(tournament: Tournament, texts: dict[str, str]) -> dict[str, Any]:
    matches = selectors.bracket(tournament, None)["matches"]
    losers = [match for match in matches if match["side"] == "losers"]
    trees = {"": [match for match in matches if match not in losers], texts["losers"]: losers}
    return {
        "trees": [{"title": title, "rounds": _rounds(tree, texts)} for title, tree in trees.items() if tree],
        "empty": texts["none" if tournament.format in BRACKETS else "no-bracket"],
    }


def _rounds(matches: Iterable[selectors.BracketMatch], texts: dict[str, str]) -> list[dict[str, Any]]:
    return [
        {
            "title": texts["round"].format(number),
            "matches": [_match(match, texts) for match in of_round if match["slots"]],
        }
        for number, of_round in groupby(matches, key=lambda match: match["round"])
    ]


def _match(match: selectors.BracketMatch, texts: dict[str, str]) -> dict[str, Any]:
    slots = [
        {
            "name": texts["open" if slot["source"] else "bye"]
            if slot["entry"] is None
            else _named(slot, texts),
            "known": slot["entry"] is not None,
            "score": slot["running_score"] if slot["score"] is None else slot["score"],
            "won": slot["entry"] is not None and slot["entry"] in match["advancing"],
        }
        for slot in match["slots"]
    ]
    return {"title": texts["third"] if match["side"] == "third-place" else "", "slots": slots}
