"""Every game at every size of table over REST, with people and bots. Each seat sees only what it may."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.utils import timezone

from accounts.models import Player
from games import bots, rules, selectors, state
from games.bots import Observation
from games.models import GameRecord, Status
from games.rules.bundles.verification import verify
from games.rules.cards import TEXT
from games.rules.table import Table
from tests.due_jobs import run_due
from tests.games.tables import CONFIGS

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
Api = Callable[[Player | None], Any]

GAMES = "/api/v1/games/"
MOVES = 3
"""Moves of people; then the game's limit ends it."""
LIMIT = 3600

SIZES = {entry["slug"]: entry["seats"] for entry in rules.catalogue()} | {"racing-aces": (0, 1, 8)}
TABLES = [
    pytest.param(slug, seats, pace, marks=[] if seats in (sizes[0], sizes[-1]) else pytest.mark.soak)
    for slug, sizes in SIZES.items()
    for seats in sizes
    for pace in (["race", "turns"] if slug == "racing-demons" and seats == 2 else [None])
]
"""Every size of table; between the smallest and the largest, in the soak."""


def body(slug: str, seats: int, pace: str | None) -> dict[str, Any]:
    people = min(seats, 2)
    made: dict[str, Any] = {
        "rules": slug,
        "seats": seats,
        "config": dict(CONFIGS[slug]),
        "bots": list(range(people, seats)),
    }
    if slug == "racing-demons":
        # If all seats play at once, only the config ends the game in time.
        made["config"] |= {"pace": pace or "race", "time_limit": LIMIT}
    if made["config"].get("pace") != "race":
        made["game_limit"] = LIMIT
    return made


# --- hidden cards, computed from the state and not from its views -------------------------------------


def hidden(table: Table, seat: int | None) -> set[str]:
    """Return the cards that a seat (None: a spectator) may not see in the present state."""
    state = table.state
    cards: set[int] = set()
    if table.game.slug == "racing-aces":
        return set()  # the drawn cards are visible, and nothing else of the stock
    if table.game.slug == "ace-race":
        cards |= set(state.draw_pile)
        for other, hand in enumerate(state.hands):
            cards |= set(hand) if other != seat else set()
        if seat != state.to_act:
            cards.add(state.drawn)
    elif table.game.slug == "racing-demons":
        for side in state.sides:
            cards |= {*side.demon[:-1], *side.stock, *side.waste[: len(side.waste) - side.fan]}
    elif table.game.slug == "idle-aces":
        cards |= {*state.stock, *state.waste[:-1]}
    else:
        layout = state.layout
        cards |= {*layout.stock, *layout.waste[: len(layout.waste) - layout.fan]}
        for column, down in zip(layout.columns, layout.down, strict=True):
            cards |= set(column[:down])
    return {text_of(table, card) for card in cards if card >= 0}


def text_of(table: Table, card: int) -> str:
    if table.game.slug == "racing-demons":
        from games.rules.racing_demons.position import TEXT as DEMONS

        return DEMONS[card]
    if table.game.slug == "idle-aces":
        from games.rules.idle_aces.position import TEXT as ACES

        return ACES[card]
    return TEXT[card]


def texts(shown: Any) -> Iterator[str]:
    """Return every text in a JSON value, keys included."""
    if isinstance(shown, dict):
        for key, value in shown.items():
            yield key
            yield from texts(value)
    elif isinstance(shown, list):
        for value in shown:
            yield from texts(value)
    elif isinstance(shown, str):
        yield shown


def shows_nothing_hidden(table: Table, seat: int | None, shown: dict[str, Any]) -> None:
    result = set(texts([shown["view"], shown["legal_moves"]]))
    assert not result & hidden(table, seat), (seat, result & hidden(table, seat))


# --- a game ---------------------------------------------------------------------------------------


class Played:
    """A game as its players and a spectator see it."""

    def __init__(self, api: Api, people: list[Player], stranger: Player, made: dict[str, Any]) -> None:
        self.owner = api(people[0])
        opened = self.owner.post(GAMES, made)
        assert opened.status_code == 201, opened.json()
        self.path = opened["Location"]
        self.id = UUID(opened.json()["id"])
        seated = people[: made["seats"]]
        self.clients = {}
        for who in seated:
            sat = api(who).post(f"{self.path}seats/", {"client_seed": who.username})
            assert sat.status_code == 201, sat.json()
            self.clients[sat.json()["seat"]] = api(who)
        self.spectator = api(stranger)
        started = self.owner.post(f"{self.path}start/", {})
        assert (started.status_code, started.json()["status"]) == (200, "active"), started.json()
        self.known: dict[int, set[str]] = {seat: set() for seat in self.clients}
        self.moment = timezone.now()
        self.rng = random.Random(made["seats"])
        self.slug = made["rules"]
        self.look_around()

    def table(self) -> Table:
        return state.load(self.id)[1]

    def look_around(self) -> None:
        """Check that every viewer sees no more than they may."""
        table = self.table()
        for seat, client in self.clients.items():
            shown = client.get(self.path).json()
            assert shown["seat"] == seat
            shows_nothing_hidden(table, seat, shown)
            self.known[seat] |= set(shown["view"].get("hand") or ())
        watched = self.spectator.get(self.path).json()
        assert (watched["seat"], watched["legal_moves"]) == (None, [])
        if table.status == "active":
            shows_nothing_hidden(table, None, watched)
            for personal in ("hand", "you"):
                assert watched["view"].get(personal) is None

    def play(self) -> bool:
        """Make one move of a person and the bots' replies. Returns whether the game continues."""
        waiting = [seat for seat in self.table().to_act() if seat in self.clients]
        seat = self.rng.choice(waiting) if waiting else None
        client = self.owner if seat is None else self.clients[seat]
        shown = client.get(self.path).json()
        if shown["legal_moves"]:
            self.make(client, seat, shown)
        self.moment = max(self.moment + timedelta(seconds=2), timezone.now())
        run_due(self.moment)
        return self.table().status == "active"

    def make(self, client: Any, seat: int | None, shown: dict[str, Any]) -> None:
        names = bots.names(self.slug)
        bot = bots.get(self.slug, bots.DEFAULT if bots.DEFAULT in names else names[0])
        move = bot.choose(Observation(shown["view"], shown["legal_moves"], shown["config"], seat), self.rng)
        answer = client.post(f"{self.path}moves/", {"move": move})
        assert answer.status_code == 201, (move, answer.json())
        receipt = answer.json()
        assert receipt["events"][0]["seat"] == seat
        assert receipt["hash"] == receipt["events"][-1]["hash"]
        table = self.table()
        if table.status == "active" and seat is not None:
            self.known[seat] |= set(receipt["view"].get("hand") or ()) | set(texts(move))
            shows_nothing_hidden(table, seat, receipt)
            self.holds_no_secret(seat, receipt["events"])

    def holds_no_secret(self, seat: int, events: list[dict[str, Any]]) -> None:
        """Check that a seat's private parts show only cards that have been in its hand."""
        for event in events:
            opened = {text for text in texts(event["private"]) if is_card(text)}
            assert opened <= self.known[seat], (seat, event)

    def events(self, client: Any) -> list[dict[str, Any]]:
        found = client.get(f"{self.path}events/?limit=500").json()["results"]
        while len(found) % 500 == 0:
            more = client.get(f"{self.path}events/?limit=500&after={len(found)}").json()["results"]
            if not more:
                break
            found += more
        return list(found)


def is_card(text: str) -> bool:
    name = text.partition(".")[0]
    return name in TEXT or name in ("X1", "X2")


@pytest.mark.parametrize(("slug", "seats", "pace"), TABLES)
def test_a_game_shows_each_seat_only_what_it_may_see(
    api: Api, player: Player, rival: Player, stranger: Player, slug: str, seats: int, pace: str | None
) -> None:
    game = Played(api, [player, rival], stranger, body(slug, seats, pace))
    for _ in range(MOVES):
        if not game.play():
            break
        game.look_around()
    if game.table().status == "active":
        unfinished(game)
    ended(game, api, player, stranger)


def unfinished(game: Played) -> None:
    """Check what each seat sees of a running game, then end it by its time limit."""
    public = {event["version"]: event for event in game.events(game.spectator)}
    assert all(event["private"] is None for event in public.values())
    for seat, client in game.clients.items():
        received = game.events(client)
        game.holds_no_secret(seat, received)
        for event in received:
            assert {**event, "private": None} == public[event["version"]], "data is the same for all"
        replayed = client.get(f"{game.path}replay/?at={received[-1]['version']}").json()
        assert replayed["view"] == client.get(game.path).json()["view"]
        assert replayed["views"] is None
    for path in ("bundle/", "replay/?all=true"):
        assert game.owner.get(f"{game.path}{path}").json()["code"] == "game-in-play"
    run_due(game.moment + timedelta(seconds=LIMIT))


def ended(game: Played, api: Api, player: Player, stranger: Player) -> None:
    record = GameRecord.objects.get(pk=game.id)
    assert record.status == Status.FINISHED
    shown = api(stranger).get(game.path).json()
    assert (shown["status"], shown["legal_moves"], shown["to_act"]) == ("finished", [], [])
    assert shown["outcome"] == record.outcome
    bundle = api(stranger).get(f"{game.path}bundle/").json()
    report = verify(bundle)
    assert report.ok, report.faults
    assert set(report.checks.values()) <= {"passed", "not-run"}
    assert api(stranger).get(f"{game.path}verification/").json()["ok"] is True
    assert [event["private"] for event in game.events(game.spectator)] == [
        event["private"] for event in bundle["events"]
    ], "everything is opened when the game is over"
    dealt = next(event["version"] for event in bundle["events"] if event["type"] == "dealt")
    views = api(stranger).get(f"{game.path}replay/?at={dealt}&all=true").json()["views"]
    assert len(views) == record.seats


# --- refused requests -----------------------------------------------------------------------------

VALUES: list[Any] = [
    *(None, True, -1, 0, 3, 99, "", "waste", "foundation", "foundation:new", "foundation:7", "column:1", "work:1"),
    *("twos:0", "kings:1", "aces", "demon", "X1", "AS", "7H", "KD.0", "higher", ["7H"], ["7H", "7H"], ["X1"]),
    *(["AS", "KD"], [{"card": "7H", "to": 0}], [{"card": "7H", "to": 9}], {"name": "high"}, {"name": "suits"}, {}),
]  # fmt: skip


def wrong_moves(entry: dict[str, Any], legal: list[dict[str, Any]], rng: random.Random) -> Iterator[Any]:
    shapes = [list(shape["properties"]) for shape in entry["move_schema"]["oneOf"]]
    kinds = [shape["properties"]["type"]["const"] for shape in entry["move_schema"]["oneOf"]]
    for _ in range(30):
        move = dict(rng.choice(legal)) if legal and rng.random() < 0.6 else {"type": rng.choice(kinds)}
        for key in rng.sample(sorted({*rng.choice(shapes), *move, "extra"} - {"type"}), 1):
            move[key] = rng.choice(VALUES)
        yield move


@pytest.mark.parametrize("entry", rules.catalogue(), ids=lambda entry: entry["slug"])
def test_refused_requests_change_and_reveal_nothing(
    api: Api, player: Player, rival: Player, stranger: Player, entry: dict[str, Any]
) -> None:
    seats = entry["seats"][0] or 2
    game = Played(api, [player, rival], stranger, body(entry["slug"], seats, "turns"))
    sentences = {ruling["text"] for ruling in [*entry["rulings"], *entry["general"]]}
    codes = {refusal["code"]: 400 if refusal["malformed"] else 409 for refusal in entry["refusals"]}
    met: set[str] = set()
    for _ in range(2):
        head, table = state.load(game.id)
        legal = [move for seat in game.clients for move in table.legal_moves(seat)]
        for move in wrong_moves(entry, legal, game.rng):
            seat = game.rng.choice(list(game.clients))
            if move in table.legal_moves(seat):
                continue
            answer = game.clients[seat].post(f"{game.path}moves/", {"move": move})
            if answer.status_code == 201:
                # The move was legal if the value does not matter or is the default.
                assert entry["slug"] in ("vegas-solitaire", "racing-demons", "ace-race"), move
                head, table = state.load(game.id)
                continue
            problem = answer.json()
            assert answer.status_code == codes[problem["code"]], problem
            assert problem["rule"] in sentences, problem
            if (
                problem["code"] == "malformed-move"
            ):  # it names the possible values of a key, independent of the hands
                met.add(problem["code"])
                continue
            said = {word.strip("`,.;:()") for word in f"{problem['fact']} {problem['detail']}".split()}
            assert not said & (hidden(table, seat) - set(texts(move))), problem
            assert state.load(game.id)[0] == head
            met.add(problem["code"])
        game.play()
    assert "malformed-move" in met
    assert selectors.verification(GameRecord.objects.get(pk=game.id))["ok"]
