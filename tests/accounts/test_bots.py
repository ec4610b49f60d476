"""Bots of players: they act by tokens, play for points, and end with their owner's access."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import DatabaseError, transaction
from django.test import Client as Browser
from django.utils import timezone

from accounts import bots, services
from accounts.models import Player, Token
from accounts.roles import Role
from core.errors import Forbidden
from core.sql import stored
from games.models import GameRecord
from games.tables.services import create_game, start_game, take_seat
from jobs.models import Job
from ledger import services as ledger
from ledger.errors import PlayStopped, UnknownPlayer
from ledger.limits.services import exclude
from ledger.reports.progress import execute
from rest.scopes import BOT_SCOPES
from tests.conftest import NOW, Client, person
from tests.money import CURRENCY, fresh_key
from tests.security.test_scope_table import TABLE, address
from tests.security.world import undone
from tournaments.entries.admission import require_eligible
from tournaments.models import Tournament

pytestmark = pytest.mark.django_db

API = "/api/v1/"
BOTS = f"{API}players/me/bots/"
Api = Callable[[Player | None], Client]


def a_bot(owner: Player, name: str = "Deep Ace") -> Player:
    return bots.create(owner=owner, name=name, owner_only=False, now=NOW)


def program(bot: Player) -> Client:
    """A client with a token of the bot."""
    client = Client()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {services.issue_token(player=bot)[1]}")
    return client


def test_a_player_makes_a_bot_and_its_token(player: Player, api: Api) -> None:
    client = api(player)
    made = client.post(BOTS, {"name": "Deep Ace"})
    assert made.status_code == 201, made.content
    bot = made.json()
    assert (bot["name"], bot["accepts"], bot["suspended"]) == ("Deep Ace", "anyone", None)
    assert client.get(BOTS).json() == [bot]
    tokens = f"{BOTS}{bot['id']}/tokens/"
    token = client.post(tokens, {"name": "laptop"}).json()
    assert (token["player"], token["scopes"]) == (bot["id"], [str(one) for one in BOT_SCOPES])
    [listed] = client.get(tokens).json()
    assert listed["name"] == "laptop"
    assert token["token"] not in str(listed)
    its = Browser(headers={"Authorization": f"Bearer {token['token']}"})
    current = its.get(f"{API}tokens/current/").json()
    assert (current["player"], current["bot"]) == (bot["id"], True)
    assert client.delete(f"{tokens}{listed['id']}/").status_code == 204
    assert its.get(f"{API}games/").status_code == 401
    assert client.delete(f"{tokens}{listed['id']}/").status_code == 404


def test_a_bot_has_no_scope_beyond_reading_and_playing(player: Player) -> None:
    with pytest.raises(services.ScopeNotHeld):
        services.issue_token(player=a_bot(player), scopes=["read", "wallet"])


def test_everything_but_points_play_is_refused(player: Player) -> None:
    client = program(a_bot(player))
    wrong = {}
    for method, name, route, view in TABLE:
        scopes = getattr(getattr(view, method), "scopes", None)
        if scopes == () or set(scopes or ()) & set(BOT_SCOPES) or name in ("schema", "docs", "guest-session"):
            continue
        answer = undone(client, method, address(route), None if method == "get" else {})
        if answer.status_code != 403 or answer.json()["code"] != "bot-refused":
            wrong[f"{method} {name}"] = (answer.status_code, answer.content[:100])
    assert wrong == {}


@pytest.mark.parametrize(
    "terms",
    [
        {"rules": "ace-race", "stake_table": "ace-race", "buy_in": 100},
        {"rules": "vegas-solitaire", "config": {"draw": 3, "stake": 520}, "stake_table": "vegas-classic"},
    ],
)
@pytest.mark.parametrize("path", ["games/", "matches/"])
def test_a_bot_stakes_nothing(player: Player, terms: dict[str, Any], path: str) -> None:
    body = terms | ({"deals": 2} if path == "matches/" else {})
    refused = program(a_bot(player)).post(API + path, body)
    assert refused.status_code in (400, 403, 404, 409), refused.content
    assert not GameRecord.objects.exists()


@pytest.mark.both_databases
def test_money_is_refused_to_a_bot_by_the_database_too(player: Player) -> None:
    bot = a_bot(player)
    with pytest.raises(UnknownPlayer):
        ledger.deposit(
            player=bot.pk, amount=100, currency=CURRENCY, key=fresh_key(), actor="player:x", reason="", at=NOW
        )
    with pytest.raises(DatabaseError, match="no money"), transaction.atomic():
        execute(
            "INSERT INTO ledger_account (kind, key, purpose, currency, debits, credits, held, applied) "
            "VALUES ('player', %s, 'cash', 'GBP', 0, 0, 0, 0)",
            [str(bot.pk)],
        )


@pytest.mark.both_databases
def test_a_bot_plays_and_is_shown_with_its_owner(player: Player, rival: Player, api: Api) -> None:
    bot = a_bot(player)
    client = program(bot)
    opened = client.post(f"{API}games/", {"rules": "idle-aces", "config": {}})
    assert opened.status_code == 201, opened.content
    game = f"{API}games/{opened.json()['id']}/"
    assert client.post(f"{game}seats/", {}).status_code == 201
    assert client.post(f"{game}start/", {}).status_code == 200
    moved = client.post(f"{game}moves/", {"move": client.get(game).json()["legal_moves"][0]})
    assert moved.status_code == 201, moved.content
    for path in (game, f"{API}games/"):
        shown = api(rival).get(path).json()
        [seat] = (shown["results"][0] if "results" in shown else shown)["seats"]
        assert (seat["name"], seat["kind"], seat["bot"]) == ("Deep Ace", "bot", None)
        assert seat["owner"] == {"id": str(player.pk), "name": player.get_full_name()}
        [unnamed] = (api(None).get(game).json())["seats"]
        assert unnamed["owner"] == {"id": str(player.pk), "name": None}


def test_the_server_does_not_play_for_a_players_bot(player: Player) -> None:
    bot = a_bot(player)
    game = create_game(rules="idle-aces", config={}, seats=1, creator=bot, now=NOW)
    take_seat(game=game, player=bot, client_seed="", now=NOW)
    start_game(game=game, actor=bot, now=NOW)
    assert not Job.objects.filter(kind="games.play_bot").exists()


def test_bots_are_bounded_and_named_by_the_filter(player: Player, api: Api, settings: Any) -> None:
    settings.RACECARD_REFUSED_NAMES = ["rude"]
    client = api(player)
    for name in ("Rud3 bot", "Guest 7", " x", ""):
        assert client.post(BOTS, {"name": name}).status_code == 400, name
    made = [a_bot(player, f"Bot {number}") for number in range(bots.MOST_BOTS)]
    full = client.post(BOTS, {"name": "One more"})
    assert (full.status_code, full.json()["code"]) == (409, "too-many-bots")
    assert client.delete(f"{BOTS}{made[0].pk}/").status_code == 204
    assert client.post(BOTS, {"name": "One more"}).status_code == 201


def test_creating_bots_is_throttled(player: Player, api: Api, settings: Any) -> None:
    settings.API_RATES = settings.API_RATES | {"bots": (2, 86400)}
    client = api(player)
    for _ in range(2):
        assert client.post(BOTS, {"name": "Bot"}).status_code == 201
    assert client.post(BOTS, {"name": "Bot"}).status_code == 429
    assert client.get(BOTS).status_code == 200


def test_a_retired_bot_is_gone_and_its_games_stay(player: Player, api: Api) -> None:
    bot = a_bot(player)
    client = program(bot)
    client.post(f"{API}games/", {"rules": "idle-aces", "config": {}})
    assert api(player).delete(f"{BOTS}{bot.pk}/").status_code == 204
    assert client.get(f"{API}games/").status_code == 401
    assert api(player).get(BOTS).json() == []
    assert api(player).post(f"{BOTS}{bot.pk}/tokens/", {}).status_code == 404
    assert GameRecord.objects.get().creator == bot
    bot.refresh_from_db()
    assert not services.reinstate(player=bot)


@pytest.mark.both_databases
def test_a_guest_and_a_bot_own_no_bots(player: Player) -> None:
    guest = services.create_guest(now=NOW)
    for owner in (guest, a_bot(player)):
        with pytest.raises(DatabaseError), transaction.atomic():
            a_bot(owner)


def ends_tokens(player: Player, how: str) -> None:
    if how == "suspension":
        services.suspend(player=player, reason="rude")
    elif how == "erasure":
        services.erase_player(player=player, now=NOW)
    else:
        exclude(player=player.pk, months=6, key=fresh_key(), actor=f"player:{player.pk}", at=timezone.now())


@pytest.mark.parametrize("how", ["suspension", "erasure", "self-exclusion"])
def test_what_ends_the_owners_access_ends_the_bots(player: Player, how: str) -> None:
    bot = a_bot(player)
    client = program(bot)
    assert client.get(f"{API}games/").status_code == 200
    ends_tokens(player, how)
    assert client.get(f"{API}games/").status_code == 401
    assert not Token.objects.filter(player=bot).exists()
    if how != "self-exclusion":
        with pytest.raises(services.bots.AccountSuspended):
            services.issue_token(player=bot)
    else:
        with pytest.raises(PlayStopped):
            create_game(rules="idle-aces", config={}, seats=1, creator=bot, now=NOW)


def test_an_export_names_the_bots_and_erasure_forgets_their_names(player: Player) -> None:
    bot = a_bot(player)
    services.issue_token(player=bot, name="laptop")
    [exported] = services.export_player(player=player)["bots"]
    assert (exported["name"], exported["token_names"]) == ("Deep Ace", ["laptop"])
    services.erase_player(player=player, now=NOW)
    bot.refresh_from_db()
    assert (bot.display_name, bot.is_active, bot.owner_id) == ("", False, player.pk)
    [exported] = services.export_player(player=player)["bots"]
    assert (exported["name"], exported["token_names"]) == ("", [])


def test_staff_suspend_and_rename_a_bot_and_give_it_no_role(
    player: Player, administrator: Player, api: Api
) -> None:
    bot = a_bot(player)
    client, base = api(administrator), f"{API}players/{bot.pk}/"
    assert client.put(f"{base}suspension/", {"reason": "stalls"}, format="json").status_code == 200
    [shown] = api(player).get(BOTS).json()
    assert shown["suspended"] == "stalls"
    assert client.delete(f"{base}suspension/", {"reason": "fixed"}, format="json").status_code == 200
    roles = client.put(f"{base}roles/", {"roles": [Role.AUDITOR]}, format="json")
    assert (roles.status_code, roles.json()["code"]) == (409, "account-still-needed")
    assert client.delete(base).status_code == 409


@pytest.mark.both_databases
def test_the_database_gives_a_bot_no_way_in_and_no_other_owner(player: Player, rival: Player) -> None:
    bot = a_bot(player)
    for change, values in (
        ("is_staff = true", []),
        ("is_superuser = true", []),
        ("is_bot = false", []),
        ("email = 'zoe@club.example'", []),
        ("password = 'plain'", []),
        ("owner_id = %s", [stored(rival.pk)]),
        ("owner_id = NULL", []),
    ):
        with pytest.raises(DatabaseError), transaction.atomic():
            execute(f"UPDATE accounts_player SET {change} WHERE id = %s", [*values, stored(bot.pk)])
    services.suspend(player=rival, reason="rude")
    with pytest.raises(DatabaseError, match="active person"), transaction.atomic():
        bots.insert(Player(display_name="X", owner_id=rival.pk))


def test_a_bot_enters_no_tournament(player: Player, organizer: Player) -> None:
    with pytest.raises(Forbidden):
        require_eligible(Tournament(), a_bot(person("zoe")))
