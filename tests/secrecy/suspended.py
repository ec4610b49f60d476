"""Disputed, suspended, and continued games in compared worlds (see `visits`)."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from accounts.models import Player
from accounts.roles import Role
from config.streams.application import Source
from core.errors import NotFound
from disputes import services as disputes
from disputes.models import Dispute
from disputes.rulings import services as rulings
from disputes.rulings.services import Decision
from games import services, state
from games.access import visible_games
from games.errors import NotContinuable
from games.models import GameRecord
from games.rules import table as tables
from games.suspensions import continuation
from tests.conftest import person
from tests.secrecy.staff import OF_GAMES, pages
from tests.secrecy.table import Line, games_of, line_of, request_data
from tests.secrecy.visits import AT, GAMES, LOTS, SEATED, STAFF, Visit
from tests.secrecy.worlds import ENDINGS, Course
from tests.security.world import ANONYMOUS, operations

PAUSE = timedelta(minutes=5)
"""How long a game is suspended before it is continued."""
RACES = ("racing-aces", "racing-demons")
"""They may end with any move, and their moves need no key."""
READ_BY_LOOKING = ("dispute", "dispute-suspension", "dispute-resumption")
"""Responses that are early access for an auditor, which is recorded."""
LISTS = ("games", "disputes", "audit-reports")

Say = Callable[[Visit, str], str]


def words_of(visit: Visit, rules: str) -> str:
    """Return the hidden cards that the last seat sees, as text for a claim, a note, or a reason."""
    seats = visit.courses[rules].seats
    return str(state.load(GAMES[rules])[1].view(seats - 1 if rules != "racing-aces" else None))[:400]


# --- steps ---------------------------------------------------------------------------------------------


def disputed(visit: Visit) -> None:
    """Dispute every game by its last seat, with a claim that names its cards, and suspend it by an auditor."""
    auditor = _second_auditor(visit)
    for rules, course in visit.courses.items():
        LOTS.seed(f"dispute {rules}")
        game, words = GAMES[rules], words_of(visit, rules)
        opener = visit.world.people[SEATED[course.seats - 1]]
        opened = disputes.open_dispute(game_id=game, actor=opener, version=5, claim=words, now=AT)
        disputes.pin(dispute_id=opened.pk, actor=auditor, version=4, note=words, now=AT)
        disputes.suspend(dispute_id=opened.pk, actor=auditor, reason=words, now=AT)
        visit.ids |= {f"game {rules}": game, f"dispute {rules}": opened.pk}


def _second_auditor(visit: Visit) -> Player:
    """Return the auditor who decides. The other one has no early access."""
    LOTS.seed("alma")
    return person("alma", Role.AUDITOR)


def continue_game(visit: Visit, rules: str, version: int, reason: str) -> UUID:
    """Continue the disputed game by a ruling."""
    LOTS.seed(f"rule {rules}")
    dispute, now = visit.ids[f"dispute {rules}"], AT + PAUSE
    auditor = Player.objects.get(username="alma")
    decision = Decision(finding="upheld", remedy="replay", reason=reason, terms={"version": version})
    shown = rulings.preview(dispute_id=dispute, decision=decision, actor=auditor, now=now)
    LOTS.seed(f"child {rules}")
    ruled = rulings.rule(dispute_id=dispute, decision=decision, token=shown.token, actor=auditor, now=now)
    assert isinstance(ruled.game, UUID)
    visit.ids[f"child {rules}"] = ruled.game
    return ruled.game


def versions(game: UUID) -> Iterator[int]:
    """Return the versions from which a suspended game can be continued, latest first."""
    for version in range(state.load(game)[0].version, 0, -1):
        parent = GameRecord.objects.get(pk=game)
        try:
            continuation._judged(parent, continuation.store.read(game, until=version))
        except NotContinuable:
            continue
        yield version


def played_on(visit: Visit, game: UUID, course: Course, seed: int, moves: int, *, now: datetime) -> None:
    """Make a number of random moves, one each second, without ending the game."""
    chance = random.Random(seed)
    for second in range(moves):
        table = state.load(game)[1]
        waiting = table.to_act()
        seat = chance.choice(waiting) if waiting else None
        legal = [move for move in table.legal_moves(seat) if move["type"] not in (*ENDINGS, "stuck")]
        if not legal:
            return
        move = chance.choice(legal)
        if course.rules in RACES and tables.decide(table, seat, move)[-1].type == "finished":
            return
        who = visit.world.people[SEATED[seat or 0]]
        services.play(game_id=game, player=who, move=move, now=now + timedelta(seconds=second + 1))


# --- requests ------------------------------------------------------------------------------------------


def ask(visit: Visit, thorough: bool = False) -> None:
    """Request everything about every game and dispute from the API, as streams, and on the staff pages."""
    world, ids = visit.world, dict(visit.world.ids)
    world.ids |= visit.ids
    try:
        for role in visit.roles:
            _ask_api(visit, role, thorough)
            if role != ANONYMOUS:
                _follow(visit, role)
            if role in STAFF:
                _browse(visit, role, thorough)
    finally:
        world.ids.clear()
        world.ids |= ids


def _ask_api(visit: Visit, role: str, thorough: bool) -> None:
    games = [each for each in visit.ids if "dispute" not in each]
    disputes = [each for each in visit.ids if "dispute" in each]
    for method, name, route, _ in operations():
        operation = f"{method} {name}"
        line, (of, body) = line_of(operation), request_data(operation)
        if role == "auditor" and name in READ_BY_LOOKING:
            continue
        if "game_id>" in route:
            requested = games_of(operation, games, thorough)
            if role == "auditor" and name == "game-disputes":
                # Opening another game is early access, after which the auditor reads its claims.
                seen = visible_games(visit.world.people[role])
                requested = [each for each in requested if seen.filter(pk=visit.ids[each]).exists()]
            paths = [visit.world.address(route, game_id=each) for each in requested]
        elif "dispute_id>" in route:
            paths = [visit.world.address(route, dispute_id=each) for each in disputes]
        elif name in LISTS and method == "get":
            paths = [visit.world.address(route, **of)]
        else:
            continue
        queries = line.queries if role == "auditor" else (*line.queries, *line.early)
        for path in paths:
            for query in queries:
                for number, sent in enumerate(_bodies(method, line, body)):
                    visit.undone(role, method, path + query, sent, key=f"{name}-{number}")


def _bodies(method: str, line: Line, usual: Any) -> list[Any]:
    if method == "get":
        return [None]
    return [*line.bodies, *([] if usual in line.bodies else [dict(usual)])]


def _follow(visit: Visit, role: str) -> None:
    for name, id in visit.ids.items():
        source = Source("dispute" if "dispute" in name else "game", id)
        try:
            visit.streamed(role, source)
        except NotFound as hidden:
            visit.received[f"{role} stream {source.kind} {id}"] = (hidden.code,)


def _browse(visit: Visit, role: str, thorough: bool) -> None:
    """Open the staff pages. Only `make soak` orders and filters lists."""
    world = visit.world
    games = [id for name, id in visit.ids.items() if "dispute" not in name]
    found = {f"/admin/games/gamerecord/{game}/{page}/" for game in games for page in ("change", "verify")}
    for dispute in Dispute.objects.filter(pk__in=visit.ids.values()):
        found |= {*pages({**world.ids, "dispute_id": dispute.pk}, world.ids["tournament_id"], games)}
    for page in sorted(found):
        if "?" in page and not thorough:
            continue
        # An auditor uses early access when opening a dispute or evidence.
        if OF_GAMES.match(page) and not (role == "auditor" and re.search("/evidence/|/disputes/.+/", page)):
            visit.browse(role, page)
