"""The preview that other sites show of a link to a public tournament or game (Open Graph).

It shows every reader what one without a session sees. An address of something that is not public has no
preview, like an address of nothing.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import cycle, islice
from typing import NamedTuple
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from core.errors import NotFound
from games.access import visible_game
from games.models import GameRecord
from games.rules import title
from games.rules.registry import manifests
from ledger.money import money
from tournaments.access import visible
from tournaments.models import Status, Tournament

PAGE = re.compile(r"/(games|tournaments)/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/?")
DAY = 86_400


class Card(NamedTuple):
    """A title, a description, and the slug of the game whose picture it has."""

    title: str
    description: str
    rules: str


def meta_tags(request: HttpRequest) -> SafeString:
    """Return the tags of the page's preview; empty for every other page."""
    found = PAGE.fullmatch(request.path_info)
    try:
        card = _card(found[1], UUID(found[2])) if found else None
    except NotFound:
        card = None
    if card is None:
        return SafeString("")
    picture = request.build_absolute_uri(reverse("share-picture", args=[card.rules]))
    tags = {
        "og:type": "website",
        "og:site_name": "Racecard",
        "og:url": request.build_absolute_uri(request.path_info),
        "og:title": card.title,
        "og:description": card.description,
        "og:image": picture,
        "og:image:width": str(WIDTH),
        "og:image:height": str(HEIGHT),
        "og:image:alt": "Playing cards on a table",
    }
    twitter = {"twitter:card": "summary_large_image"}
    return format_html(
        "{}{}",
        format_html_join("", '<meta property="{}" content="{}" />', tags.items()),
        format_html_join("", '<meta name="{}" content="{}" />', twitter.items()),
    )


def _card(kind: str, id: UUID) -> Card:
    """Raises NotFound."""
    return _of_tournament(visible(None, id)) if kind == "tournaments" else _of_game(visible_game(None, id))


_STATE = {
    Status.PUBLISHED: "open for entries",
    Status.RUNNING: "in progress",
    Status.FINISHED: "finished",
    Status.CANCELLED: "cancelled",
}


_GAME_STATE = {"open": "waiting for players", "active": "in progress"}


def _of_tournament(tournament: Tournament) -> Card:
    entries = tournament.entries.standing().count()
    fee = money(tournament.fee, tournament.currency) if tournament.fee else "free"
    facts = [
        f"{title(tournament.rules)}, {tournament.format.replace('-', ' ').capitalize()}",
        f"{entries:,} of {tournament.capacity:,} players",
        f"entry {fee}",
    ]
    if tournament.opens_at is not None and tournament.status == Status.PUBLISHED:
        facts.append(f"starts {tournament.opens_at:%d %B %Y, %H:%M} UTC")
    facts.append(_STATE[Status(tournament.status)])
    return Card(tournament.name, " · ".join(facts), tournament.rules)


def _of_game(game: GameRecord) -> Card:
    name, seats = title(game.rules), game.seats
    players = {0: "A race to bet on", 1: "A game for one player"}.get(seats, f"A table of {seats}")
    return Card(f"{name} on Racecard", f"{players}, {_GAME_STATE.get(game.status, game.status)}", game.rules)


# --- the picture ---------------------------------------------------------------------------------------

WIDTH, HEIGHT = 1200, 630
_FELT, _PAPER, _RED, _BLACK = range(4)
_PALETTE = bytes.fromhex("0d5c3fffffffa3231c1c2421")
_CARD = (230, 322)
_CORNER = 22
_PIP, _SMALL = 140, 40
_INDEX = 24
_CARDS = 4
SUITS = "shdc"


@require_safe
def picture(request: HttpRequest, rules: str) -> HttpResponse:
    """The picture of a game's previews: four cards, as a PNG."""
    known = list(manifests())
    if rules not in known:
        raise Http404
    drawn = _drawn(known.index(rules) % len(SUITS))
    headers = {"Cache-Control": f"public, max-age={DAY}"}
    return HttpResponse(drawn, content_type="image/png", headers=headers)


ICON = 180
"""Pixels to a side of the icon."""
_POINTS = 3
"""Points to a side of a pixel of the icon, of which its shade is the share inside the sign."""
_SIGN = 0.6
"""The side of the sign on the icon."""


@require_safe
def icon(request: HttpRequest) -> HttpResponse:
    """The icon of the client as a PNG: for iOS, which installs none from an SVG, and for pages that name no icon."""
    headers = {"Cache-Control": f"public, max-age={DAY}"}
    return HttpResponse(_icon(), content_type="image/png", headers=headers)


@cache
def _icon() -> bytes:
    shades = _POINTS**2
    felt, paper = _PALETTE[:3], _PALETTE[3:6]
    palette = bytes(
        (a * (shades - shade) + b * shade) // shades
        for shade in range(shades + 1)
        for a, b in zip(felt, paper, strict=True)
    )
    points = [((2 * index + 1) / (ICON * _POINTS) - 1) / _SIGN for index in range(ICON * _POINTS)]
    rows = [bytearray(ICON) for _ in range(ICON)]
    for down, y in enumerate(points):
        for across, x in enumerate(points):
            rows[down // _POINTS][across // _POINTS] += _is_inside("s", x, y)
    return _png(rows, palette)


def _rows(first: int) -> list[bytearray]:
    rows = [bytearray(WIDTH) for _ in range(HEIGHT)]
    width, height = _CARD
    gap = (WIDTH - _CARDS * width) // (_CARDS + 1)
    for number, suit in enumerate(islice(cycle(SUITS), first, first + _CARDS)):
        left, top = gap + number * (width + gap), (HEIGHT - height) // 2
        for y, row in enumerate(rows[top : top + height]):
            inset = _inset(min(y, height - 1 - y))
            row[left + inset : left + width - inset] = bytes([_PAPER]) * (width - 2 * inset)
        ink = _RED if suit in "hd" else _BLACK
        _draw("ace", rows, ink, left + _INDEX, top + _INDEX, _SMALL)
        _draw(suit, rows, ink, left + _INDEX, top + _INDEX + _SMALL + 8, _SMALL)
        _draw(suit, rows, ink, left + (width - _PIP) // 2, top + (height - _PIP) // 2 + 24, _PIP)
    return rows


def _inset(row: int) -> int:
    """Return by how much the round corners shorten a row of a card, counted from the nearer end."""
    return 0 if row >= _CORNER else round(_CORNER - (_CORNER**2 - (_CORNER - row) ** 2) ** 0.5)


def _draw(sign: str, rows: list[bytearray], ink: int, left: int, top: int, size: int) -> None:
    for y in range(size):
        for x in range(size):
            if _is_inside(sign, 2 * x / size - 1, 2 * y / size - 1):
                rows[top + y][left + x] = ink


def _is_inside(suit: str, x: float, y: float) -> bool:
    """Return whether a point is inside a suit's sign or the letter of an ace. Coordinates: -1 to 1, downwards."""
    if suit == "ace":
        side = 0.35 * (y + 1)
        return abs(x) <= side + 0.14 and (abs(x) >= side - 0.14 or 0.2 < y < 0.45)
    if suit == "d":
        return abs(x) / 0.75 + abs(y) <= 1
    if suit == "h":
        return _is_in_heart(x, -y)
    has_stem = 0.2 < y < 0.95 and abs(x) < 0.1 + 0.35 * (y - 0.2)
    if suit == "s":
        return has_stem or _is_in_heart(x, y + 0.15)
    has_middle = abs(x) < 0.2 and -0.4 < y < 0.3
    return (
        has_stem
        or has_middle
        or any((x - a) ** 2 + (y - b) ** 2 < 0.16 for a, b in ((0, -0.5), (-0.5, 0.15), (0.5, 0.15)))
    )


def _is_in_heart(x: float, y: float) -> bool:
    x, y = 1.2 * x, 1.2 * y + 0.1
    return bool((x * x + y * y - 1) ** 3 - x * x * y**3 <= 0)


@lru_cache(maxsize=len(SUITS))
def _drawn(first: int) -> bytes:
    """Return the picture as a PNG; `first` is the suit of the first card."""
    return _png(_rows(first), _PALETTE)


def _png(rows: Sequence[bytearray], palette: bytes) -> bytes:
    """Return the rows, whose bytes are numbers of colours of the palette, as a PNG."""
    pixels = b"".join(b"\0" + bytes(row) for row in rows)
    header = struct.pack(">2I5B", len(rows[0]), len(rows), 8, 3, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"PLTE", palette), (b"IDAT", zlib.compress(pixels, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in chunks)


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
