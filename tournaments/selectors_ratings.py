"""What is shown of ratings: everybody sees them, names are for those who have signed in."""

from __future__ import annotations

from itertools import groupby
from typing import Any
from uuid import UUID

from django.db.models import F, Max, Min, Q, QuerySet, Window

from accounts.models import Player
from accounts.names import name_for
from api.errors import InvalidInput, NotFound
from tournaments import access
from tournaments.formats import ratings, scoring
from tournaments.models import Tournament
from tournaments.models_ratings import Rating, RatingChange


def best_first(rules: str) -> QuerySet[Rating]:
    """Raises InvalidInput for a game that has no tournaments."""
    _require_known(rules)
    return Rating.objects.filter(rules=rules).select_related("player")


def of_player(player_id: UUID) -> QuerySet[Rating]:
    """Raises NotFound."""
    _require_player(player_id)
    return Rating.objects.filter(player=player_id).select_related("player").order_by("rules")


def changes(player_id: UUID, rules: str) -> QuerySet[RatingChange]:
    """Raises NotFound, InvalidInput."""
    _require_player(player_id)
    _require_known(rules)
    return RatingChange.objects.filter(player=player_id, rules=rules)


def moved_in(tournament: Tournament) -> list[dict[str, Any]]:
    """What the tables of a tournament have made of everybody's rating so far: before the first, after the last."""
    ends = (
        RatingChange.objects.filter(tournament=tournament)
        .annotate(
            first=Window(Min("number"), partition_by=F("player")),
            last=Window(Max("number"), partition_by=F("player")),
        )
        .filter(Q(number=F("first")) | Q(number=F("last")))
        .order_by("player", "number")
    )
    return [_moved(list(changes)) for _, changes in groupby(ends, key=lambda change: change.player_id)]


def _moved(ends: list[RatingChange]) -> dict[str, Any]:
    first, last = ends[0], ends[-1]
    return {
        "player": str(first.player_id),
        "tables": last.number - first.number + 1,
        "before": _belief(first.mu_before, first.sigma_before),
        "after": _belief(last.mu, last.sigma),
    }


def _require_known(rules: str) -> None:
    if rules not in scoring.known():
        raise InvalidInput(f"rules: one of {', '.join(scoring.known())} is needed.")


def _require_player(player_id: UUID) -> None:
    if not Player.objects.filter(pk=player_id).exists():
        raise NotFound


def document(row: Rating, viewer: access.Viewer) -> dict[str, Any]:
    return {
        "player": str(row.player_id),
        "name": name_for(viewer, row.player),
        "rules": row.rules,
        **_belief(row.mu, row.sigma),
        "tables": row.tables,
        "changed_at": row.changed_at,
    }


def change_document(change: RatingChange) -> dict[str, Any]:
    return {
        "number": change.number,
        "tournament": str(change.tournament_id),
        "round": change.round,
        "table": change.table,
        "version": change.version,
        "place": change.place,
        "before": _belief(change.mu_before, change.sigma_before),
        "after": _belief(change.mu, change.sigma),
        "at": change.at,
    }


def _belief(mu: int, sigma: int) -> dict[str, int]:
    return {"rating": ratings.Rating(mu, sigma).points, "mu": mu, "sigma": sigma}
