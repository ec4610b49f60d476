"""Standings and brackets in frames of other sites: public, without a session, and cached."""

from __future__ import annotations

import re
import uuid
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client, override_settings

from accounts.models import Player
from accounts.roles import Role
from tests.conftest import known
from tests.databases import shared
from tests.tournaments.conftest import Publish, publish
from tests.tournaments.playing import NOW, begin, enter, play_round, rich, start, terms
from tournaments import services
from tournaments.models import Tournament

pytestmark = pytest.mark.django_db
KNOCKOUT = {"format": "knockout", "rules": "ace-race", "config": {}, "rounds": 0, "seats": 2, "sizes": (2,)}


def framed(
    client: Client, tournament: Tournament, kind: str = "standings", query: str = "", **headers: str
) -> Any:
    return client.get(f"/embed/tournaments/{tournament.pk}/{kind}/{query}", headers=headers)


def text(answer: HttpResponse) -> str:
    assert answer.status_code == 200
    return answer.content.decode()


@shared
def ended() -> Tournament:
    tournament = publish(known("olga", Role.ORGANIZER), rounds=1)
    enter(tournament, rich("cid"), rich("dan"))
    start(tournament)
    play_round(tournament, 1)
    tournament.refresh_from_db()
    return tournament


def test_any_site_may_frame_these_pages_and_no_others(client: Client, ended: Tournament) -> None:
    answer = framed(client, ended)
    assert "frame-ancestors *" in answer["Content-Security-Policy"]
    assert "script-src 'self'" in answer["Content-Security-Policy"]
    assert "X-Frame-Options" not in answer
    assert answer["X-Content-Type-Options"] == "nosniff"
    for path in (
        "/embed/",
        f"/embed/tournaments/{ended.pk}/",
        "/",
        "/docs/errors/",
        f"/tournaments/{ended.pk}/",
    ):
        other = client.get(path)
        assert "frame-ancestors 'none'" in other["Content-Security-Policy"], path
        assert other["X-Frame-Options"] == "DENY", path


def test_the_standings_have_prizes_when_the_tournament_is_over(client: Client, ended: Tournament) -> None:
    page = text(framed(client, ended))
    assert ended.name in page
    assert re.search(r"\d\.\d\d play\xa0money", page)
    assert "data-live" not in page
    german = text(framed(client, ended, query="?lang=de&theme=dark"))
    assert '<html lang="de" data-theme="dark">' in german
    assert "beendet" in german
    assert re.search(r"\d,\d\d Spielgeld", german)
    assert '<html lang="en">' in text(framed(client, ended, query="?lang=xx&theme=xx"))
    assert framed(client, ended, query="?utm_source=x&lang=en&lang=de").status_code == 200


def test_the_bracket_shows_rounds_and_open_places(client: Client, published: Publish) -> None:
    tournament = published(**KNOCKOUT)
    assert "Nothing to show yet." in text(framed(client, tournament, "bracket"))
    enter(tournament, *(rich(name) for name in ("cid", "dan", "eva")))
    start(tournament)
    page = text(framed(client, tournament, "bracket"))
    assert all(
        part in page
        for part in ("Round 1", "Round 2", "Third place", "bye", "to be decided", 'data-live="15"')
    )


def test_a_double_knockout_has_a_bracket_for_those_who_lost_once(client: Client, published: Publish) -> None:
    tournament = begin(published, "cid", "dan", "eva", "finn", **{**KNOCKOUT, "format": "double-knockout"})
    winners, losers = text(framed(client, tournament, "bracket")).split("Losers’ bracket</h2>")
    assert "Round 1" in winners
    assert "Round 1" not in losers
    assert "Round 2" in losers


def test_a_format_without_a_bracket_says_so(client: Client, ended: Tournament) -> None:
    assert "This tournament has no bracket." in text(framed(client, ended, "bracket"))


def test_the_standings_of_a_knockout_name_their_column(client: Client, published: Publish) -> None:
    tournament = begin(published, "cid", "dan", "eva", **KNOCKOUT)
    for language, words in (("en", "Round reached"), ("de", "Erreichte Runde"), ("pl", "Osiągnięta runda")):
        page = text(framed(client, tournament, query=f"?lang={language}"))
        assert f">{words}</th>" in page
        assert page.count('<td class="number">–</td>') == 6, (
            "neither rank nor round before the first is closed"
        )


def test_a_page_reads_no_session_and_sets_no_cookie(
    client: Client, ended: Tournament, player: Player, django_assert_num_queries: Any
) -> None:
    plain = framed(client, ended)
    client.force_login(player, backend="accounts.roles.PlayerBackend")
    again = framed(client, ended)
    assert again.content == plain.content, "the same for every reader"
    assert not again.cookies
    assert "Cookie" not in again.get("Vary", "")
    with django_assert_num_queries(4):
        framed(
            client, ended
        )  # the tournament, its head, its round, and the round's games; nothing is computed


def test_a_page_is_cached_until_it_changes(client: Client, published: Publish) -> None:
    tournament = published()
    enter(tournament, rich("cid"))
    first = framed(client, tournament)
    assert first["Cache-Control"] == "public, max-age=15"
    same = framed(client, tournament, **{"If-None-Match": first["ETag"]})
    assert (same.status_code, same.content) == (304, b"")
    assert "frame-ancestors *" in same["Content-Security-Policy"]
    enter(tournament, rich("dan"))
    assert framed(client, tournament, **{"If-None-Match": first["ETag"]}).status_code == 200


def test_what_is_not_public_is_not_found(client: Client, organizer: Player) -> None:
    draft = services.create(organizer=organizer, terms=terms(name="Secret cup"), now=NOW)
    nothing = client.get(f"/embed/tournaments/{uuid.uuid4()}/standings/")
    client.force_login(organizer, backend="accounts.roles.PlayerBackend")
    hidden = framed(client, draft)
    assert (hidden.status_code, hidden.content) == (404, nothing.content)
    assert "frame-ancestors *" in hidden["Content-Security-Policy"]


def test_a_page_is_only_read_by_callers_that_accept_html_within_their_budget(
    client: Client, published: Publish
) -> None:
    tournament = published()
    assert framed(client, tournament, Accept="text/html").status_code == 200
    assert client.post(f"/embed/tournaments/{tournament.pk}/standings/").status_code == 405
    assert client.head(f"/embed/tournaments/{tournament.pk}/standings/").status_code == 200
    with override_settings(API_BUDGETS={"history": (0, 0, 60)}):
        assert framed(client, tournament).status_code == 429
