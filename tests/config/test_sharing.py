"""Previews of links: public tournaments and games have one, everything else gives nothing away."""

from __future__ import annotations

import html
import json
import re
import struct
import uuid
import zlib
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from accounts.models import Player
from games import services as games
from tests.conftest import NOW
from tests.tournaments.playing import SEED, enter, rich, terms
from tournaments import services
from tournaments.models import Tournament

pytestmark = pytest.mark.django_db
PAGE = (
    '<!doctype html>\n<html lang="en">\n<head><title>Racecard</title></head>\n<div id="app"></div>\n</html>\n'
)


@pytest.fixture(autouse=True)
def built(tmp_path: Path, settings: Any) -> None:
    (tmp_path / "index.html").write_text(PAGE)
    routes = ["/", "/games/:id", "/games/:id/replay", "/tournaments/:id"]
    (tmp_path / "routes.json").write_text(json.dumps(routes))
    settings.RACECARD_CLIENT = tmp_path


@pytest.fixture
def draft(organizer: Player) -> Tournament:
    return services.create(organizer=organizer, terms=terms(name='Cup "of" <Aces>', fee=0), now=NOW)


def tags(page: str) -> dict[str, str]:
    found = re.findall(r'<meta (?:property|name)="([^"]+)" content="([^"]*)" />', page)
    return {name: html.unescape(value) for name, value in found}


def read(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200
    return answer.content.decode()


def test_a_published_tournament_has_a_preview(client: Client, draft: Tournament) -> None:
    services.publish(tournament_id=draft.pk, actor=draft.organizer, now=NOW, seed=SEED)
    enter(draft, rich("cid"))
    page = read(client, f"/tournaments/{draft.pk}/")
    shown = tags(page)
    assert "<Aces>" not in page
    assert shown["og:title"] == 'Cup "of" <Aces>'
    expected = "Vegas Solitaire, Duplicate · 1 of 20 players · entry free · open for entries"
    assert shown["og:description"] == expected
    assert shown["og:url"] == f"http://testserver/tournaments/{draft.pk}/"
    assert shown["twitter:card"] == "summary_large_image"
    assert client.get(shown["og:image"]).status_code == 200
    assert "cid" not in page


def test_a_draft_looks_like_nothing_even_to_its_organizer(client: Client, draft: Tournament) -> None:
    nothing = read(client, f"/tournaments/{uuid.uuid4()}/")
    assert tags(nothing) == {}
    assert read(client, f"/tournaments/{draft.pk}/") == nothing
    client.force_login(draft.organizer, backend="accounts.roles.PlayerBackend")
    assert tags(read(client, f"/tournaments/{draft.pk}/")) == {}


def test_only_public_games_have_a_preview(client: Client, player: Player) -> None:
    public, private = (
        games.create_game(creator=player, rules="ace-race", config={}, seats=4, private=private, now=NOW)
        for private in (False, True)
    )
    shown = tags(read(client, f"/games/{public.pk}/"))
    assert shown["og:title"] == "Ace Race on Racecard"
    assert shown["og:description"] == "A table of 4, waiting for players"
    assert tags(read(client, f"/games/{private.pk}/")) == {}
    assert tags(read(client, f"/games/{private.pk}/?invite={private.invite}")) == {}
    assert tags(read(client, f"/games/{public.pk}/replay/")) == {}


def pixels_of(body: bytes) -> list[bytes]:
    """The rows of a PNG of indexed colours."""
    width, height = struct.unpack(">2I", body[16:24])
    start = body.index(b"IDAT")
    [length] = struct.unpack(">I", body[start - 4 : start])
    pixels = zlib.decompress(body[start + 4 : start + 4 + length])
    assert len(pixels) == (width + 1) * height
    return [pixels[row + 1 : row + 1 + width] for row in range(0, len(pixels), width + 1)]


def test_the_picture_is_a_png_that_caches_keep(client: Client) -> None:
    answer = client.get("/share/ace-race.png")
    body = answer.content
    assert (answer["Content-Type"], answer["Cache-Control"]) == ("image/png", "public, max-age=86400")
    assert body.startswith(b"\x89PNG\r\n\x1a\n")
    assert {shade for row in pixels_of(body) for shade in row} == {0, 1, 2, 3}, (
        "felt, cards, and signs in both colours"
    )
    assert client.get("/share/no-such-game.png").status_code == 404


def test_the_icon_is_a_spade_on_felt(client: Client) -> None:
    answer = client.get("/apple-touch-icon.png")
    assert (answer["Content-Type"], answer["Cache-Control"]) == ("image/png", "public, max-age=86400")
    rows = pixels_of(answer.content)
    assert {len(row) for row in rows} == {len(rows)} == {180}
    paper = max(map(max, rows))
    assert set(rows[0]) == set(rows[-1]) == {0}, "felt at the edge, of which iOS cuts the corners"
    assert rows[90][90] == paper
    assert 0.1 < sum(row.count(paper) for row in rows) / 180**2 < 0.4
    assert any(0 < shade < paper for row in rows for shade in row), "its edge is smooth"
    assert client.get("/favicon.ico").content == answer.content
