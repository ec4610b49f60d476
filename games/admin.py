"""Read-only admin pages of games. A page shows only what its reader may see."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.contrib.admin.utils import display_for_value
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join

from core.errors import NotFound, Problem
from eventstore.store import EventOutput
from games import access, rules, selectors
from games.access import deal_in_play
from games.evidence import verification
from games.evidence.naming import event_words, people_at, seat_name, sits_down
from games.evidence.selectors import amount_format, event_text
from games.evidence.words import as_text, with_amounts
from games.models import EarlyAccess, GameRecord, Match, game_name
from games.money.actions import OpenRaceMarket
from ledger.models import OwnerKind
from ledger.money import money
from ledger.staff.actions import money_column
from staff import subjects
from staff.admin import ActionAdmin
from staff.columns import NOTHING, seconds_column, subject_column
from staff.dashboard import CountCard, register_cards
from staff.lists import ReadOnly, choices_of

TOURNAMENT = subject_column(
    "tournament", of=lambda game: f"tournament:{game.tournament}" if game.tournament else ""
)
PLAY_SESSION = subject_column(
    "play session", of=lambda game: f"session:{game.play_session_id}" if game.play_session_id else ""
)


FOR_A_MOVE = seconds_column("move_limit", "time for a move", "no limit")

EVENTS_A_PAGE = 100
WITHHELD = "Withheld until every game with its deal has ended"

SECTIONS: dict[str, tuple[Any, ...]] = {
    "": ("game_rules", "status", "result", "settings", "rules_version", "commitment", "entropy", "id"),
    "Table": (
        *("creator", "private", "seats", "seated"),
        seconds_column("draw_every", "time between draws", ""),
        FOR_A_MOVE,
        seconds_column("game_limit", "time for the game", "no limit"),
        "hints",
    ),
    "Match": ("match", "match_number"),
    "Tournament": (TOURNAMENT, "round", "deal", "tournament_commitment"),
    "Money": ("staked", "bought_in", "stake_table", PLAY_SESSION),
    "Times": ("created_at", "dealt_at", "suspended_at", "resumed_at", "time_given_back", "ended_at"),
    "Continued from": ("parent", "from_event"),
}


MARKS = {
    "Match": "match_id",
    "Tournament": "tournament",
    "Money": "stake_table_id",
    "Continued from": "parent_id",
}
"""Sections that a game has only if this column is filled."""


@admin.register(GameRecord)
class GameAdmin(ActionAdmin):
    staff_actions = (OpenRaceMarket,)
    list_display = (
        "game_rules",
        "status",
        "seats",
        TOURNAMENT,
        "staked",
        "created_at",
        "ended_at",
    )
    list_filter = ("status", choices_of("rules", rules.names, "game"))
    search_fields = ("=id", "=tournament", "=creator")
    change_form_template = "games/admin/game.html"

    def sections(self, request: HttpRequest, row: Any) -> Any:
        return [
            (name or None, {"fields": fields})
            for name, fields in SECTIONS.items()
            if name not in MARKS or getattr(row, MARKS[name], None) is not None
        ]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        return [name for fields in SECTIONS.values() for name in fields]

    @admin.display(description="game")
    def game_rules(self, game: GameRecord) -> str:
        return rules.title(game.rules)

    @admin.display(description="settings")
    def settings(self, game: GameRecord) -> str:
        return settings_words(_with_currency(game, game.config))

    @admin.display(description="stake", ordering="stake")
    def staked(self, game: GameRecord) -> str:
        return _of_table(game, game.stake)

    @admin.display(description="buy-in", ordering="buy_in")
    def bought_in(self, game: GameRecord) -> str:
        return _of_table(game, game.buy_in)

    @admin.display(description="Outcome")
    def result(self, game: GameRecord) -> str:
        """The outcome, withheld while others still play the same deal."""
        if game.outcome is None:
            return ""
        return WITHHELD if deal_in_play(game) else as_text(_with_currency(game, game.outcome))

    @admin.display(description="From event")
    def from_event(self, game: GameRecord) -> str:
        return self._of_what_it_repeats(game, game.parent_version)

    @admin.display(description="Started at")
    def dealt_at(self, game: GameRecord) -> str:
        """The start. A continued game takes it from the event at which it continues."""
        return self._of_what_it_repeats(game, game.started_at)

    @admin.display(description="Time given back")
    def time_given_back(self, game: GameRecord) -> str:
        return self._of_what_it_repeats(game, game.given_back)

    def _of_what_it_repeats(self, game: GameRecord, value: object) -> str:
        """Withhold a value that shows how far the parent of a continued game had come."""
        if game.parent_version is not None and deal_in_play(game):
            return WITHHELD
        return display_for_value(value or None, NOTHING)

    @admin.display(description="Seated")
    def seated(self, game: GameRecord) -> str:
        people = game.seatings.select_related("player")
        lines = [f"{seating.player.staff_name} (seat {seating.seat + 1})" for seating in people]
        return ", ".join(lines) or "none"

    def get_queryset(self, request: HttpRequest) -> QuerySet[GameRecord]:
        return super().get_queryset(request).select_related("stake_table", "creator")

    def get_urls(self) -> list[URLPattern]:
        verify = path(
            "<uuid:game_id>/verify/",
            self.admin_site.admin_view(self.verify),
            name="games_gamerecord_verify",
        )
        return [verify, *super().get_urls()]

    def row_context(self, request: HttpRequest, row: GameRecord) -> dict[str, Any]:
        return {**super().row_context(request, row), **_events(request, row)}

    def verify(self, request: HttpRequest, game_id: UUID) -> HttpResponse:
        game = self.get_object(request, str(game_id))
        if game is None or not self.has_view_permission(request, game):
            raise Http404
        closed = _closed_to(request, game)
        report = None if closed else verification.report(game, now=timezone.now())[0]
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "game": game,
            "title": f"Verification of {rules.title(game.rules)}",
            "name": rules.title(game.rules),
            "closed": closed,
            "report": report,
            **_verdicts(report["checks"] if report else {}),
        }
        return TemplateResponse(request, "games/admin/verification.html", context)


def _verdicts(checks: Mapping[str, str]) -> dict[str, Any]:
    """Return the results of checks with their meanings, and how many were run, passed, and failed."""
    from games.checks.games import CHECKS  # not needed to start

    found = Counter(checks.values())
    return {
        "checks": [
            {"name": name.replace("-", " "), "verdict": verdict, "meaning": CHECKS.get(name, "")}
            for name, verdict in checks.items()
        ],
        "passed": found["passed"],
        "failed": found["failed"],
        "run": found["passed"] + found["failed"],
    }


CLOSED = (
    "This game is private or its deal is still in play. It opens when the last game of the deal has ended."
)


def _of_table(game: GameRecord, amount: int) -> str:
    """Format money in the currency of the stake table; a game for points has none."""
    return money(amount, game.stake_table.currency) if amount and game.stake_table else ""


def _with_currency(game: GameRecord, value: Mapping[str, Any]) -> Any:
    """Return settings or an outcome with the amounts of a game for money in its currency."""
    return with_amounts(value, amount_format(game) or str)


_SETTINGS = {
    "draw": "cards drawn at once",
    "dealer": "dealer",
    "previous_winner": "winner of the deal before",
}
_SEATS = frozenset({"dealer", "previous_winner"})


def settings_words(settings: Mapping[str, Any]) -> str:
    """Return the settings of a game in words, without those that are not set. Seats count from 1.

    >>> settings_words({"dealer": 0, "previous_winner": None, "continuation": "strict"})
    'dealer: seat 1, continuation: strict'
    """
    return ", ".join(
        f"{_SETTINGS.get(name, name.replace('_', ' '))}: {f'seat {value + 1}' if name in _SEATS else as_text(value)}"
        for name, value in settings.items()
        if value is not None
    )


def _closed_to(request: HttpRequest, game: GameRecord) -> str:
    """Return why the verification is closed to this reader, or an empty text."""
    if not deal_in_play(game):
        return ""
    try:
        access.visible_game(request.user, game.pk, now=timezone.now())
    except NotFound:
        return CLOSED
    except Problem as problem:
        return problem.detail
    return ""


def _events(request: HttpRequest, game: GameRecord) -> dict[str, Any]:
    """Return a page of the stream as this reader may see it, or why it is closed."""
    try:
        after = max(0, int(request.GET.get("after", "0")))
        found = selectors.events_for(request.user, game.pk, after, limit=EVENTS_A_PAGE, now=timezone.now())
    except NotFound:
        return {"closed": CLOSED}
    except Problem as problem:
        return {"closed": problem.detail}
    except (ValueError, OverflowError):
        return {"closed": "Page not found."}
    return {
        "events": _described(game, found),
        "next_after": found[-1]["version"] if len(found) == EVENTS_A_PAGE else None,
        "first_page": after == 0,
    }


def _described(game: GameRecord, events: Sequence[EventOutput]) -> list[dict[str, Any]]:
    """Return events with who acted and what happened in words, and with their parts as the bundle has them."""
    people, amount = people_at(game), amount_format(game)
    links = subjects.links(sits_down(event) for event in events if event["type"] == "seated")
    return [
        {
            **event,
            "who": _who(event, game, people, links),
            "text": event_words(event, event_text(event, game.rules, amount), people, links),
            "data": _text(event["data"]),
            "private": _text(event["private"]),
        }
        for event in events
    ]


def _who(
    event: EventOutput, game: GameRecord, people: Mapping[int, str], links: Mapping[str, subjects.Link]
) -> str:
    """Return who acted by name; an empty text for the server and the operator of a race."""
    if event["type"] == "created":
        return game.creator.staff_name if game.creator else ""
    if event["type"] == "seated":
        return links[sits_down(event)].text
    return "" if event["seat"] is None else seat_name(event["seat"], people)


def _text(value: Any) -> str:
    """Format a value as the bundle does; an empty text for None."""
    return "" if value is None else json.dumps(value, ensure_ascii=False)


@admin.register(Match)
class MatchAdmin(ReadOnly):
    list_display = ("game", "status", "seats", "deals", "creator", "created_at", "ended_at")
    list_select_related = ("creator",)
    list_filter = ("status",)
    search_fields = ("=id", "=creator")
    fields = readonly_fields = (
        *("game", "status", "settings", "seats", "deals", "its_games", "creator", "private"),
        *(seconds_column("pause", "time between deals"), FOR_A_MOVE),
        *(
            seconds_column("game_limit", "time for a deal", "no limit"),
            "buy_in_money",
            "stake_table",
            "created_at",
            "ended_at",
            "id",
        ),
    )

    buy_in_money = money_column("buy_in", "buy-in", currency="stake_table.currency")

    @admin.display(description="game")
    def game(self, match: Match) -> str:
        return rules.title(match.rules)

    @admin.display(description="settings")
    def settings(self, match: Match) -> str:
        return settings_words(match.config)

    def subtitle(self, row: Match) -> str:
        return game_name(row.rules, row.created_at)

    @admin.display(description="games")
    def its_games(self, match: Match) -> str:
        return format_html_join(
            ", ",
            '<a href="{}">{}</a>',
            (
                (reverse("admin:games_gamerecord_change", args=[game.pk]), game.match_number)
                for game in match.games.order_by("match_number")
            ),
        )


@admin.register(EarlyAccess)
class EarlyAccessAdmin(ReadOnly):
    list_display = ("at", "what", "game_link", "viewer")
    list_select_related = ("viewer", "game")
    search_fields = ("=game", "=viewer")
    fields = readonly_fields = ("at", "what", "game", TOURNAMENT, "viewer", "event")

    @admin.display(description="game")
    def game_link(self, access: EarlyAccess) -> str:
        return format_html(
            '<a href="{}">{}</a>',
            reverse("admin:games_gamerecord_change", args=[access.game_id]),
            access.game,
        )

    def subtitle(self, row: EarlyAccess) -> str:
        return f"{row.what.capitalize()}: {row.game}"


subjects.register(
    OwnerKind.GAME,
    view="admin:games_gamerecord_change",
    names=subjects.names_of(GameRecord, "rules", lambda key, *values: game_name(*values), "created_at"),
)

register_cards(
    0,
    CountCard("Tables waiting", GameRecord, lambda now: Q(status="open"), {"status__exact": "open"}),
    CountCard("Games in progress", GameRecord, lambda now: Q(status="active"), {"status__exact": "active"}),
)
