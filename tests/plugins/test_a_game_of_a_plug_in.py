"""A game that a distribution brings is played, proven, disputed, and paid like any other."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from accounts.models import Player
from games.models import GameRecord
from games.rules import plugins
from games.rules.bundles.verification import verify
from games.rules.cards import PACK, TEXT
from tests.due_jobs import run_due_soon
from tests.games.staked import BUY_IN, in_escrow, money_of, provide

pytestmark = pytest.mark.django_db
Api = Callable[[Player | None], Any]
V1 = "/api/v1"
RULES = "three-tricks"


def opened(api: Api, people: list[Player], **terms: Any) -> str:
    """Open a table of as many seats as people and bots, deal, and return its address."""
    seats = len(people) + len(terms.get("bots", ()))
    answer = api(people[0]).post(f"{V1}/games/", {"rules": RULES, "config": {}, "seats": seats, **terms})
    assert answer.status_code == 201, answer.json()
    at = f"{V1}/games/{answer.json()['id']}"
    for who in people:
        assert api(who).post(f"{at}/seats/", {"client_seed": who.username}).status_code == 201
    assert api(people[0]).post(f"{at}/start/", {}).status_code == 200
    run_due_soon()
    return at


def play(api: Api, at: str, people: list[Player], moves: int = 1000) -> dict[str, Any]:
    """Make the first legal move of each player in turn, and return the game as the first sees it."""
    for _ in range(moves):
        for who in people:
            legal = api(who).get(f"{at}/").json()["legal_moves"]
            if legal:
                answer = api(who).post(f"{at}/moves/", {"move": legal[0]})
                assert answer.status_code == 201, answer.json()
                run_due_soon()
                break
        else:
            break
    game: dict[str, Any] = api(people[0]).get(f"{at}/").json()
    return game


@pytest.fixture
def pot(api: Api, player: Player, rival: Player, migrated: None) -> str:
    """A dealt table with buy-ins."""
    provide([player, rival])
    return opened(api, [player, rival], stake_table="three-tricks-table", buy_in=BUY_IN)


def test_the_catalogue_describes_it(api: Api):
    [about] = [game for game in api(None).get(f"{V1}/rules/").json() if game["slug"] == RULES]
    expected = ("Three Tricks", ["steady", "random"], {"played": "Played"})
    assert (about["name"], about["bots"], about["results"]) == expected
    assert (about["stakes"], about["tournaments"]) == ("pot", True)
    assert about["config_schema"]["properties"]["cards"]["title"] == "Cards in a hand"


def test_a_person_plays_with_bots_to_the_end(api: Api, player: Player):
    at = opened(api, [player], bots=[1, {"seat": 2, "bot": "random"}])
    game = play(api, at, [player])
    assert (game["status"], sum(game["outcome"]["scores"])) == ("finished", 3)
    assert sorted(seat for place in game["outcome"]["places"] for seat in place) == [0, 1, 2]
    report = verify(api(player).get(f"{at}/bundle/").json())
    assert (report.faults, report.ended) == ((), True)


def test_an_illegal_move_is_refused_by_its_rule(api: Api, player: Player, rival: Player):
    at = opened(api, [player, rival])
    hand = api(player).get(f"{at}/").json()["view"]["hands"][0]
    missing = next(TEXT[card] for card in PACK if TEXT[card] not in hand)
    for who, move, expected in (
        (rival, {"type": "play", "card": missing}, (409, "not-your-turn")),
        (player, {"type": "play", "card": missing}, (409, "no-such-card")),
        (player, {"type": "play", "card": "1Z"}, (400, "malformed-move")),
        (player, {"type": "pass"}, (400, "unknown-move")),
        (player, None, (400, "malformed-move")),
    ):
        answer = api(who).post(f"{at}/moves/", {"move": move})
        assert (answer.status_code, answer.json()["code"]) == expected


def test_no_one_else_receives_a_card_of_a_hand(api: Api, player: Player, rival: Player, stranger: Player):
    at = opened(api, [player, rival], config={"cards": 5})
    hands = [api(who).get(f"{at}/").json()["view"]["hands"][seat] for seat, who in enumerate((player, rival))]
    assert "??" not in [*hands[0], *hands[1]]
    assert play(api, at, [player], moves=1)["status"] == "active"
    [played] = hands[0][:1]
    for who, own in ((player, hands[0]), (rival, hands[1]), (stranger, []), (None, [])):
        pages = ("", "events/", "replay/", "replay/?at=3", "bundle/", "legal-moves/", "verification/")
        received = b"".join(api(who).get(f"{at}/{page}").content for page in pages)
        refused = [{"type": "play", "card": card} for card in (hands[0][1], hands[1][1], "KS")]
        if who != rival:  # whose turn it is
            received += b"".join(api(who).post(f"{at}/moves/", {"move": move}).content for move in refused)
        assert b'"??"' in received
        for card in {TEXT[card] for card in PACK} - {played, *own}:
            assert f'"{card}"'.encode() not in received, (who, card)


def test_a_game_is_replayed_with_every_card_after_its_end(
    api: Api, player: Player, rival: Player, stranger: Player
):
    at = opened(api, [player, rival])
    game = play(api, at, [player, rival])
    shown = api(stranger).get(f"{at}/replay/?at=4").json()
    assert ["??" in hand for hand in shown["cards"]["hands"]] == [False] * 2
    assert len(shown["views"]) == 2
    assert api(stranger).get(f"{at}/replay/?at={game['version']}").json()["outcome"] == game["outcome"]
    assert api(stranger).get(f"{at}/verification/").json()["ok"]


@pytest.mark.processes
def test_its_bundle_is_verified_offline(
    api: Api, player: Player, rival: Player, with_plugin: Callable[..., Any], tmp_path: Path
):
    at = opened(api, [player, rival])
    play(api, at, [player, rival])
    bundle = tmp_path / "bundle.json"
    bundle.write_bytes(api(player).get(f"{at}/bundle/").content)
    done = with_plugin("-m", "config.cli.main", "verify", str(bundle))
    assert (done.returncode, "is valid" in done.stdout) == (0, True), done.stderr
    document = json.loads(bundle.read_bytes())
    document["outcome"]["scores"].reverse()
    bundle.write_text(json.dumps(document))
    assert with_plugin("-m", "config.cli.main", "verify", str(bundle)).returncode == 1


@pytest.mark.both_databases
def test_a_pot_is_divided_to_the_penny(api: Api, player: Player, rival: Player, pot: str):
    assert money_of([player, rival]) == [1000 - BUY_IN] * 2
    game = play(api, pot, [player, rival])
    [[winner], [loser]] = game["outcome"]["places"]
    money = money_of([player, rival])
    assert (money[winner], money[loser]) == (1000 + BUY_IN, 1000 - BUY_IN)
    assert in_escrow(GameRecord.objects.get(pk=game["id"])) == 0
    report = verify(api(player).get(f"{pot}/bundle/").json())
    assert (report.faults, report.checks["money"]) == ((), "passed")


def test_a_ruling_decides_another_outcome_and_moves_the_money(
    api: Api, player: Player, rival: Player, auditor: Player, pot: str
):
    game = play(api, pot, [player, rival])
    [[winner], [loser]] = game["outcome"]["places"]
    people = [player, rival]
    claim = {"version": 4, "claim": "my card was not seen"}
    opened = api(people[loser]).post(f"{pot}/disputes/", claim)
    assert opened.status_code == 201, opened.json()
    at, tricks = opened["Location"], [0, 0]
    ruling = {"finding": "upheld", "remedy": "corrected", "reason": "it is in event 4"}
    for impossible in ([1, 1], [4, -1], [3], "3", [3.0, 0], None):
        terms = {"outcome": {"scores": impossible}}
        refused = api(auditor).post(f"{at}ruling/preview/", {**ruling, "terms": terms}, key="")
        assert refused.status_code == 400, refused.json()
    tricks[loser] = 3
    ruling["terms"] = {"outcome": {"scores": tricks}}
    preview = api(auditor).post(f"{at}ruling/preview/", ruling, key="")
    assert preview.status_code == 200, preview.json()
    ruled = api(auditor).post(f"{at}ruling/", {**ruling, "token": preview.json()["token"]})
    assert ruled.status_code == 201, ruled.json()
    money = money_of(people)
    assert (money[loser], money[winner]) == (1000 + BUY_IN, 1000 - BUY_IN)


@pytest.mark.processes
def test_an_installation_knows_its_stake_table(with_plugin: Callable[..., Any]):
    code = "from ledger.hooks import initial_tables; print([table.slug for table in initial_tables()])"
    done = with_plugin("manage.py", "shell", "--no-imports", "-c", code)
    assert "three-tricks-table" in done.stdout, done.stderr


ROOT = Path(__file__).resolve().parents[2]


def test_no_line_outside_its_folder_names_it():
    own = set(plugins._checkout()[plugins.GAMES]) | set(plugins._checkout()[plugins.FORMATS])
    names = {
        point.name
        for group in (plugins.GAMES, plugins.FORMATS)
        for point in plugins._registered(group)
        if point.name not in own
    }
    assert len(names) == 2
    pattern = "|".join(re.sub("-", "[-_ ]?", name) for name in names)
    command = ["git", "grep", "-inE", pattern, "--", ".", ":!tests/plugins"]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout) == (1, "")
