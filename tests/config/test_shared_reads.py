"""Live events are read, redacted, and encoded once for each audience, and equal what each stream would read itself."""

from __future__ import annotations

import random
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.contrib.auth import SESSION_KEY
from django.db import transaction
from django.test import Client

from accounts import services as accounts
from accounts.authentication import Credential, ended
from accounts.models import Player, Token
from accounts.roles import Role
from accounts.services import issue_token
from config.streams import reads
from config.streams.reads import REFUSED, Source, Watcher, encoded, fan_out
from core.errors import Problem
from eventstore import feed, store
from eventstore.feed import Reader
from games import access, early_access, services
from games.models import GameRecord, Status
from tests.conftest import NOW
from tests.games.tables import CONFIGS, dealt, some_move

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _same_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread of the server closes its connection when its age or its state asks for it; a test's holds its data."""
    monkeypatch.setattr("config.streams.reads.close_old_connections", lambda: None)


def people(count: int) -> list[Player]:
    return [Player.objects.create_user(f"person-{number}") for number in range(count)]


def watching(viewer: Player, source: Source, after: int = 0) -> Watcher:
    token, _ = issue_token(player=viewer)
    credential = Credential(viewer.pk, digest=token.digest)
    return Watcher(credential, source.reader(credential), after)


def own_read(viewer: Player, watcher: Watcher) -> list[bytes] | object:
    try:
        source = Source("game", watcher.reader.stream, watcher.reader.invite)
        return [encoded(event) for event in source.events(viewer, watcher.after)]
    except Problem:
        return REFUSED


def shared_read(watchers: list[Watcher]) -> list[list[bytes] | object]:
    found = fan_out("game", watchers)
    return [
        REFUSED
        if audience is REFUSED
        else [event.json for event in found.events[audience] if event.version > watcher.after]
        for watcher, audience in zip(watchers, found.audiences, strict=True)
    ]


DEALS = ("alone", "in play", "open")


@pytest.mark.parametrize(
    ("rules", "deal"),
    [
        pytest.param(
            rules,
            deal,
            # Each game, and each state of a deal of the one in which seats see most that others do not.
            marks=() if rules == "ace-race" or DEALS[number % 3] == deal else pytest.mark.nightly,
        )
        for number, rules in enumerate(sorted(CONFIGS))
        for deal in DEALS
    ],
)
def test_bytes_of_random_games(rules: str, deal: str) -> None:
    """Seats, a friend with the invitation, strangers, and auditors with and without early access."""
    rng = random.Random(f"{rules} {deal}")
    for private, over in ((False, False), (True, False), (False, True)):
        with transaction.atomic():
            check_random_game(rules, deal, rng, private=private, over=over)
            transaction.set_rollback(True)


def check_random_game(rules: str, deal: str, rng: random.Random, *, private: bool, over: bool) -> None:
    seated = people(1 if rules in ("vegas-solitaire", "idle-aces") else 3)
    names = ["stranger", "friend", "auditor", "looked"]
    stranger, friend, auditor, looked = (Player.objects.create_user(name) for name in names)
    for one in (auditor, looked):
        accounts.set_roles(player=one, roles=frozenset([Role.AUDITOR]))
    game = dealt(rules, seated, now=NOW, private=private)
    for _ in range(rng.randint(0, 12)):
        game.refresh_from_db()
        if game.ended:
            break
        who, move = some_move(game, seated, rng)
        services.play(game_id=game.pk, player=who, move=move, now=NOW)
    game.refresh_from_db()
    early_access.record(viewer=looked, game=game, what="view", version=None, now=NOW)
    of_tournament = {"tournament": uuid4(), "round": 1, "deal": 1, "deal_group": "one", "hints": False}
    void = {"status": Status.VOID, "ended_at": NOW}
    if deal != "alone":
        other = dealt(rules, seated, now=NOW)
        placed = of_tournament | (void if deal == "open" else {})
        GameRecord.objects.filter(pk=other.pk).update(**placed)
        GameRecord.objects.filter(pk=game.pk).update(**of_tournament)
    if over:
        GameRecord.objects.filter(pk=game.pk).update(**void)
    viewers = [*seated, stranger, friend, auditor, looked]
    sources = [Source("game", game.pk, game.invite if viewer is friend else "") for viewer in viewers]
    head = feed.statuses([game.pk])[game.pk].version
    watchers = [
        watching(viewer, source, rng.randint(0, head - 1))
        for viewer, source in zip(viewers, sources, strict=True)
    ]
    own = [own_read(viewer, watcher) for viewer, watcher in zip(viewers, watchers, strict=True)]
    assert shared_read(watchers) == own


def test_encodings_are_as_many_as_audiences(
    monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: Any
) -> None:
    """Two seats and the spectators; the statements are the same for one watcher and for fifty."""
    seated = people(2)
    game = dealt("ace-race", seated, now=NOW)
    source, head = Source("game", game.pk), feed.statuses([game.pk])[game.pk].version
    spectators = [Player.objects.create_user(f"spectator-{number}") for number in range(48)]
    watchers = [watching(viewer, source, head - 1) for viewer in (*seated, *spectators)]
    fan_out("game", watchers[:1])
    made: list[Any] = []
    monkeypatch.setattr(reads, "encoded", lambda event: made.append(event) or encoded(event))
    for some, audiences in ((watchers[2:3], 1), (watchers, 3)):
        made.clear()
        with django_assert_num_queries(4):  # events, the game, its head, tokens
            found = fan_out("game", some)
        assert len(made) == len(found.events) == len(set(found.audiences)) == audiences


def test_streams_of_an_audience_share_the_bytes() -> None:
    player, rival, *spectators = people(4)
    game, rng = dealt("ace-race", [player, rival], now=NOW), random.Random(1)
    while not _draws(game, seat=0):
        who, move = some_move(game, [player, rival], rng)
        services.play(game_id=game.pk, player=who, move=move, now=NOW)
        game.refresh_from_db()
    found = fan_out("game", [watching(one, Source("game", game.pk)) for one in (player, *spectators)])
    seat, first, second = (found.events[audience] for audience in found.audiences)
    assert first is second
    assert [event.version for event in seat] == [event.version for event in first]
    shown = {one.version for one, other in zip(seat, first, strict=True) if one.json != other.json}
    assert shown >= _draws(game, seat=0)


def _draws(game: GameRecord, *, seat: int) -> set[int]:
    """Return the versions of the events in which the seat drew a card that only it sees."""
    return {
        event.version
        for event in store.read(game.pk)
        if event.seat == seat and (event.private or {}).get("move", {}).get("type") == "draw"
    }


def test_a_revoked_reader_gets_nothing_of_the_next_event() -> None:
    player, gone, erased, stays = people(4)
    game = dealt("vegas-solitaire", [player], now=NOW)
    watchers = [watching(one, Source("game", game.pk)) for one in (gone, erased, stays)]
    Token.objects.filter(player=gone).delete()
    Player.objects.filter(pk=erased.pk).update(is_active=False)
    assert [audience is REFUSED for audience in fan_out("game", watchers).audiences] == [True, True, False]


def test_a_game_made_private_is_closed_to_strangers() -> None:
    player, stranger = people(2)
    game = dealt("vegas-solitaire", [player], now=NOW)
    watchers = [watching(one, Source("game", game.pk)) for one in (player, stranger)]
    GameRecord.objects.filter(pk=game.pk).update(private=True)
    assert [audience is REFUSED for audience in fan_out("game", watchers).audiences] == [False, True]


def test_a_session_ends_with_its_row_its_password_and_its_player() -> None:
    credentials = []
    for player in people(4):
        browser = Client()
        browser.force_login(player)
        assert UUID(browser.session[SESSION_KEY]) == player.pk
        credentials.append(Credential(player.pk, session=browser.session.session_key or ""))
    assert ended(credentials) == set()
    out, changed, inactive, _ = credentials
    browser = Client()
    browser.cookies["sessionid"] = out.session
    browser.logout()
    player = Player.objects.get(pk=changed.player)
    player.set_password("another horse battery")
    player.save()
    Player.objects.filter(pk=inactive.player).update(is_active=False)
    for _ in range(2):
        assert ended(credentials) == {out, changed, inactive}


def test_who_may_follow_a_game_is_who_may_see_it() -> None:
    """The rule by rows agrees with `visible_games` for matches, redeals, and races without seats."""
    player, rival, stranger = people(3)
    first = dealt("ace-race", [player, rival], now=NOW, private=True)
    redeal = dealt("ace-race", [stranger, Player.objects.create_user("fourth")], now=NOW, private=True)
    GameRecord.objects.filter(pk=redeal.pk).update(parent=first.pk)
    race = dealt("racing-aces", [stranger], now=NOW, private=True)
    games = [first.pk, redeal.pk, race.pk]
    readers = [Reader(viewer.pk, game) for viewer in (player, rival, stranger) for game in games]
    expected = {
        (viewer.pk, game)
        for viewer in (player, rival, stranger)
        for game in access.visible_games(viewer).filter(pk__in=games).values_list("pk", flat=True)
    }
    assert {(each.player, each.stream) for each in access.followable(readers)} == expected
    assert len(expected) == 6
