"""The names of tournaments in a player's wallet, with the place that the player has now."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from uuid import UUID

from ledger.hooks import SubjectName, register_names, register_runner_names
from tournaments.models import Award, Entry, Tournament


def register() -> None:
    register_names("tournament", names)
    register_runner_names("tournament", entrants)


def entrants(tournament: str, names: Collection[str]) -> Mapping[str, str]:
    """Return the entrants by the names of their runners, such as `entry 3`."""
    numbers = {name: int(number) for name in names if (number := name.removeprefix("entry ")).isdecimal()}
    found = Entry.objects.filter(tournament=UUID(tournament), number__in=numbers.values()).select_related(
        "player"
    )
    people = {entry.number: entry.player.staff_name for entry in found}
    return {name: people[number] for name, number in numbers.items() if number in people}


def names(player: UUID, ids: Collection[UUID]) -> Mapping[UUID, SubjectName]:
    awards = Award.objects.filter(entry__tournament__in=ids, entry__player=player)
    places = {
        award.entry.tournament_id: max(award.corrected.all(), key=lambda one: one.number, default=award).place
        for award in awards.select_related("entry").prefetch_related("corrected")
    }
    rows = Tournament.objects.filter(pk__in=ids).values_list("pk", "name", "rules")
    return {id: SubjectName(rules, name, places.get(id)) for id, name, rules in rows}
