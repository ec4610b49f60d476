"""A whole tournament over REST, for its organizer and its people."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.utils import timezone

from accounts.models import Player
from games import services as games
from games import state
from tests.due_jobs import run_due_soon
from tests.money import available, cash, fund
from tests.tournaments.playing import FEE, promotion
from tournaments import formats, record
from tournaments.formats.checker import check_all
from tournaments.models import Tournament

Api = Callable[[Player | None], Any]
Choose = Callable[[list[dict[str, Any]]], dict[str, Any]]

LIST = "/api/v1/tournaments/"
MOVES = 5
"""Of a person in one game over REST."""


class Desk:
    """An organizer and the people of one tournament, over REST alone."""

    def __init__(self, api: Api, organizer: Player, people: list[Player], **terms: Any) -> None:
        promotion()
        self._api, self._desk, self._people = api, api(organizer), people
        drafted = self._desk.post(LIST, {"name": "Whole", "fee": FEE, "prizes": [10_000], **terms})
        assert drafted.status_code == 201, drafted.json()
        self.path = f"{LIST}{drafted.json()['id']}/"
        assert self._desk.post(f"{self.path}publish/").status_code == 200
        for one in people:
            fund(cash(one.pk), FEE)
            assert api(one).post(f"{self.path}entries/", {"client_seed": "x"}).status_code == 201

    def get(self, *rest: Any) -> dict[str, Any]:
        answer = self._api(None).get(self.path + "".join(f"{part}/" for part in rest))
        assert answer.status_code == 200, answer.json()
        found: dict[str, Any] = answer.json()
        return found

    def run(self, choose: Choose, *, most: int = 5000) -> dict[str, Any]:
        """Play for every person by `choose` until the tournament is over, and return the tournament."""
        assert self._desk.post(f"{self.path}start/").status_code == 200
        run_due_soon()
        for _ in range(most):
            moved = [self._move(one, choose) for one in self._people]
            if not any(moved):
                run_due_soon()
                if self.get()["status"] == "finished":
                    break
        ended = self.get()
        assert (ended["status"], ended["pool"], ended["stalled"]) == ("finished", 0, None)
        self._assert_sound(ended)
        return ended

    def _move(self, person: Player, choose: Choose) -> bool:
        api, moved = self._api(person), 0
        for own in api.get(self.path).json()["entry"]["games"]:
            game = f"/api/v1/games/{own['game']}/"
            while own["ended"] is None and (legal := api.get(game).json()["legal_moves"]):
                answer = api.post(f"{game}moves/", {"move": choose(legal)})
                assert answer.status_code == 201, answer.json()
                run_due_soon()
                moved += 1
                if moved % MOVES == 0:
                    self._leave(UUID(own["game"]))
        return moved > 0

    @staticmethod
    def _leave(game: UUID) -> None:
        """Let the server play for the person until the game is over."""
        while not state.load(game)[1].ended:
            games.expire_game(game_id=game, now=timezone.now())
            run_due_soon()

    def _assert_sound(self, ended: dict[str, Any]) -> None:
        tournament = Tournament.objects.get(pk=ended["id"])
        played = record.load(tournament.pk).snapshot()
        assert check_all(formats.get(tournament.format), played) == ()
        assert available(tournament.subject, "escrow") == 0
        for row in self.get("standings")["standings"]:
            columns = self.get("standings", row["entry"])["columns"]
            assert [column["value"] for column in columns] == row["totals"]
