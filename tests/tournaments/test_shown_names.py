"""To whom an entrant's name is shown is the entrant's choice at entry, everywhere the tournament shows it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from accounts.models import NameShown, Player
from accounts.roles import Role
from games import services as games
from tests.conftest import person
from tests.due_jobs import run_due
from tests.tournaments.conftest import Publish
from tests.tournaments.playing import NOW, games_of, later, start
from tests.tournaments.test_api import Api, at, refused
from tournaments import roles
from tournaments.entries import registration
from tournaments.models import Entry, StaffRole, Tournament, Waiting

pytestmark = pytest.mark.django_db
FREE = {"fee": 0, "prizes": (), "rounds": 1}
KNOCKOUT = {**FREE, "format": "knockout", "rules": "ace-race", "config": {}, "seats": 2, "sizes": (2,)}


def enter_as(tournament: Tournament, name: str, shown: str) -> Player:
    player = person(name)
    registration.enter(
        tournament_id=tournament.pk, player=player, client_seed=f"seed of {name}", shown_as=shown, now=NOW
    )
    return player


@pytest.fixture
def cast() -> dict[str, str]:
    return {
        "top": NameShown.EVERYONE,
        "evy": NameShown.EVERYONE,
        "mem": NameShown.MEMBERS,
        "ano": NameShown.ANONYMOUS,
    }


def filled(tournament: Tournament, cast: dict[str, str]) -> dict[str, Player]:
    return {name: enter_as(tournament, name, shown) for name, shown in cast.items()}


def names_in(document: Any) -> Iterator[str]:
    """Yield every text in a document."""
    if isinstance(document, dict):
        document = list(document.values())
    if isinstance(document, list):
        for one in document:
            yield from names_in(one)
    elif isinstance(document, str):
        yield document


PLACES = ("entries", "standings", "rounds/1", "bracket", "pairings")


def seen(api: Api, tournament: Tournament, viewer: Player | None, cast: dict[str, str]) -> list[set[str]]:
    """Return the names that a viewer finds in each document and export."""
    client = api(viewer)
    texts = [set(names_in(client.get(at(tournament, place)).json())) for place in PLACES]
    for export in ("entries", "standings", "pairings", "rounds/1"):
        answer = client.get(f"{at(tournament)}{export}.csv")
        sheet = b"".join(answer.streaming_content) if answer.streaming else answer.content
        texts.append({cell for row in csv.reader(io.StringIO(sheet.decode("utf-8-sig"))) for cell in row})
    return [text & set(cast) for text in texts]


def test_every_document_and_export_keeps_to_the_choice(
    api: Api,
    published: Publish,
    organizer: Player,
    stranger: Player,
    auditor: Player,
    cast: dict[str, str],
) -> None:
    tournament = published(**KNOCKOUT)
    players = filled(tournament, cast)
    start(tournament)
    for viewer, names in (
        (None, {"evy", "top"}),
        (stranger, {"evy", "top", "mem"}),
        (players["ano"], set(cast)),
        (organizer, set(cast)),
        (auditor, set(cast)),
    ):
        assert seen(api, tournament, viewer, cast) == [names] * (len(PLACES) + 4), viewer


def test_the_table_of_an_anonymous_player_does_not_name_them(
    api: Api,
    published: Publish,
    stranger: Player,
    auditor: Player,
    organizer: Player,
    administrator: Player,
) -> None:
    tournament, helper = published(**KNOCKOUT), person("hal")
    roles.give(
        tournament_id=tournament.pk, player_id=helper.pk, role=StaffRole.HELPER, actor=organizer, now=NOW
    )
    other = person("otto", Role.ORGANIZER)
    players = filled(tournament, {"evy": NameShown.EVERYONE, "ano": NameShown.ANONYMOUS})
    start(tournament)
    [one] = games_of(tournament, 1)
    games.void_game(game_id=one.game, reason="a card was missing", now=NOW)
    path = f"/api/v1/games/{one.game}/"

    def named(viewer: Player | None) -> set[str | None]:
        return {seat["name"] for seat in api(viewer).get(path).json()["seats"]}

    def listed(viewer: Player | None) -> set[str | None]:
        [line] = api(viewer).get("/api/v1/games/", {"tournament": str(tournament.pk)}).json()["results"]
        return {seat["name"] for seat in line["seats"]}

    for viewer in (None, stranger, players["evy"], other):
        assert named(viewer) == listed(viewer) == {"evy", None}, viewer
    for viewer in (players["ano"], auditor, administrator, organizer, helper):
        assert named(viewer) == listed(viewer) == {"evy", "ano"}, viewer


def test_a_list_of_tables_reads_once_who_sees_anonymous_players(
    api: Api, published: Publish, stranger: Player
) -> None:
    for number in range(2):
        tournament = published(**KNOCKOUT)
        filled(tournament, {f"evy{number}": NameShown.EVERYONE, f"ano{number}": NameShown.ANONYMOUS})
        start(tournament)
        games.void_game(game_id=games_of(tournament, 1)[0].game, reason="a card was missing", now=NOW)
    client = api(stranger)
    with CaptureQueriesContext(connection) as captured:
        lines = client.get("/api/v1/games/", {"status": "void"}).json()["results"]
    assert len(lines) == 2
    assert sum("tournaments_tournamentrole" in query["sql"] for query in captured.captured_queries) == 1


@pytest.mark.slow
def test_ratings_do_not_name_a_player_who_has_entered_anonymously(
    api: Api, published: Publish, stranger: Player, auditor: Player
) -> None:
    tournament = published(**KNOCKOUT)
    players = filled(tournament, {"evy": NameShown.EVERYONE, "ano": NameShown.ANONYMOUS})
    start(tournament)
    run_due(later(600))

    def rated(viewer: Player | None, path: str = "ratings/?rules=ace-race") -> set[str | None]:
        return {row["name"] for row in api(viewer).get(f"/api/v1/{path}").json()["results"]}

    assert rated(None) == {None}
    assert rated(stranger) == rated(players["evy"]) == {"evy", None}
    assert rated(players["ano"]) == rated(auditor) == {"evy", "ano"}
    assert rated(stranger, f"players/{players['ano'].pk}/ratings/") == {None}


@pytest.mark.both_databases
def test_the_database_refuses_an_unknown_choice(published: Publish, player: Player) -> None:
    tournament = published(**FREE)
    registration.enter(tournament_id=tournament.pk, player=player, client_seed="x", now=NOW)
    with pytest.raises(IntegrityError), transaction.atomic():
        Entry.objects.update(shown_as="sometimes")


def test_no_search_finds_an_anonymous_name(
    api: Api, published: Publish, organizer: Player, stranger: Player, cast: dict[str, str]
) -> None:
    tournament = published(**FREE)
    players = filled(tournament, cast)

    def found(viewer: Player) -> list[int]:
        answer = api(viewer).get(at(tournament, "entries"), {"search": "ano"})
        return [one["entry"] for one in answer.json()["results"]]

    assert found(stranger) == found(players["mem"]) == []
    assert found(organizer) == found(players["ano"]) == [4]


def test_the_choice_is_made_at_entry_and_kept_on_the_waiting_list(
    api: Api, published: Publish, player: Player, rival: Player
) -> None:
    tournament = published(**FREE, capacity=2, waiting_list=1)
    entries = at(tournament, "entries")
    made = api(player).post(entries, {"client_seed": "x", "shown_as": "anonymous"}).json()
    assert (made["name"], made["shown_as"]) == ("ann", "anonymous")
    refused(api(rival).post(entries, {"client_seed": "x", "shown_as": "sometimes"}), 400, "invalid-input")
    enter_as(tournament, "cid", NameShown.MEMBERS)
    waits = api(rival).post(entries, {"client_seed": "x", "shown_as": "anonymous"})
    assert waits.status_code == 202
    assert [one["name"] for one in api(player).get(at(tournament, "waiting")).json()["results"]] == [None]
    assert Waiting.objects.get().shown_as == NameShown.ANONYMOUS
    api(player).delete(entries)
    assert Entry.objects.standing().get(player=rival).shown_as == NameShown.ANONYMOUS


def test_without_a_choice_members_see_the_name(
    api: Api, published: Publish, player: Player, rival: Player
) -> None:
    tournament = published(**FREE)
    api(player).post(at(tournament, "entries"), {"client_seed": "x"})
    assert [one["name"] for one in api(None).get(at(tournament, "entries")).json()["results"]] == [None]
    assert [one["name"] for one in api(rival).get(at(tournament, "entries")).json()["results"]] == ["ann"]


def test_frames_show_public_names_only(published: Publish, client: Any, cast: dict[str, str]) -> None:
    tournament = published(**FREE)
    filled(tournament, cast)
    start(tournament)
    page = client.get(f"/embed/tournaments/{tournament.pk}/standings/").content.decode()
    assert ("evy" in page, "mem" in page, "ano" in page) == (True, False, False)
    assert "Player 4" in page


def test_blocks_and_challenges_do_not_disclose_the_name_of_an_anonymous_entrant(
    api: Api, published: Publish, player: Player, auditor: Player
) -> None:
    tournament = published(capacity=4, **KNOCKOUT)
    hidden, open_ = enter_as(tournament, "ano", NameShown.ANONYMOUS), enter_as(tournament, "mem", "members")
    for viewer, name in ((player, None), (auditor, "ano")):
        for other in (hidden, open_):
            assert api(viewer).put(f"/api/v1/players/me/blocks/{other.pk}/").status_code == 204
        blocks = api(viewer).get("/api/v1/players/me/blocks/").json()
        assert {one["player"]: one["name"] for one in blocks} == {str(hidden.pk): name, str(open_.pk): "mem"}
        for other in (hidden, open_):
            assert api(viewer).delete(f"/api/v1/players/me/blocks/{other.pk}/").status_code == 204
    challenge = {"rules": "ace-race", "config": {}, "opponents": [str(hidden.pk)]}
    made = api(player).post("/api/v1/challenges/", challenge, headers={"Idempotency-Key": "meet"})
    assert made.status_code == 201, made.content
    for viewer, names in (
        (player, (player.get_full_name(), None)),
        (hidden, (player.get_full_name(), "ano")),
    ):
        [shown] = api(viewer).get("/api/v1/challenges/").json()
        assert (shown["challenger"]["name"], shown["opponents"][0]["name"]) == names
        [waits] = api(viewer).get("/api/v1/players/me/waiting/").json()["challenges"]
        assert (waits["challenger"]["name"], waits["opponents"][0]["name"]) == names
