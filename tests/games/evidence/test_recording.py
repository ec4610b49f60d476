"""The changes of a recording lead to the states that the replay shows, and reveal no more."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounts.models import Player
from games import state
from games.evidence import recording
from games.models import EarlyAccess
from tests.conftest import NOW
from tests.games.evidence.test_evidence_api import played
from tests.games.tables import CONFIGS, dealt

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
Api = Callable[[Player | None], Any]
SHOWN = ("status", "to_act", "view", "outcome")


def changed(document: dict[str, Any], changes: list[dict[str, Any]]) -> dict[str, Any]:
    root = {"": copy.deepcopy(document)}
    for change in changes:
        place: Any = root
        *way, last = ["", *change["at"]]
        for step in way:
            place = place[step]
        if "to" in change:
            place[last] = change["to"]
        else:
            del place[last]
    return root[""]


def states(recording: dict[str, Any]) -> list[dict[str, Any]]:
    shown: list[dict[str, Any]] = []
    for step in recording["states"]:
        shown.append(step["state"] if "state" in step else changed(shown[-1], step["changes"]))
    return shown


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.sampled_from(["AS", "??"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=12,
)
DOCUMENTS = st.dictionaries(st.sampled_from("abc"), VALUES, max_size=3)


@given(st.lists(DOCUMENTS, max_size=60))
def test_any_series_of_documents_is_restored_from_its_changes(documents: list[dict[str, Any]]) -> None:
    result = list(recording.as_changes(documents))
    assert [index for index, step in enumerate(result) if "state" in step] == [
        *range(0, len(documents), recording.EVERY)
    ]
    again = states({"states": result})
    assert [repr(one) for one in map(_sorted, again)] == [repr(one) for one in map(_sorted, documents)]


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("rules", CONFIGS)
def test_every_state_equals_that_of_the_replay(api: Api, player: Player, rival: Player, rules: str) -> None:
    people = [player] if "solitaire" in rules or "idle" in rules else [player, rival]
    game = played(rules, people, moves=30 if "idle" in rules else 6)
    client, base = api(player), f"/api/v1/games/{game.pk}/"
    for place in ("?", "?seat=0&"):
        result = client.get(f"{base}recording/{place}all=true").json()
        assert result["next"] is None
        for event, shown in zip(result["events"], states(result), strict=True):
            replay = client.get(f"{base}replay/{place}all=true&at={event['version']}").json()
            assert {name: shown[name] for name in SHOWN} == {name: replay[name] for name in SHOWN}
            assert shown["cards"] == replay["cards"]


def test_pages_continue_after_the_previous_one(api: Api, player: Player) -> None:
    game = played("idle-aces", [player], moves=12)
    client, base = api(player), f"/api/v1/games/{game.pk}/recording/"
    whole = client.get(base).json()
    first = client.get(f"{base}?limit=10").json()
    second = client.get(first["next"]).json()
    assert first["events"] + second["events"] == whole["events"]
    assert states(first) + states(second) == states(whole)
    assert second["next"] is None
    assert client.get(f"{base}?after={whole['version']}").json()["code"] == "no-such-version"


def test_an_undone_move_is_named(api: Api, player: Player) -> None:
    game = dealt("vegas-solitaire", [player], now=NOW)
    client, base = api(player), f"/api/v1/games/{game.pk}/"
    drawn = client.post(f"{base}moves/", {"move": {"type": "draw"}}).json()["version"]
    client.post(f"{base}moves/", {"move": {"type": "undo"}})
    assert client.get(f"{base}recording/").json()["undone"] == [drawn]


def test_during_the_game_a_seat_replays_what_it_saw_and_an_auditor_is_recorded(
    api: Api, player: Player, rival: Player, auditor: Player
) -> None:
    game = dealt("ace-race", [player, rival], now=NOW)
    base = f"/api/v1/games/{game.pk}/recording/"
    own = api(player).get(base).json()
    assert own["seat"] == 0
    assert states(own)[-1]["cards"] is None
    assert all(event["private"] is None for event in own["events"])
    assert api(player).get(f"{base}?seat=0").status_code == 200
    for more in ("?seat=1", "?all=true", "?seat=0&all=true"):
        assert api(player).get(base + more).json()["code"] == "game-in-play"
    assert not EarlyAccess.objects.exists()
    assert states(api(auditor).get(f"{base}?all=true").json())[-1]["cards"]
    assert EarlyAccess.objects.get().what == "replay"


@pytest.mark.both_databases
def test_a_damaged_history_is_shown_up_to_the_fault(
    api: Api, player: Player, tampered: Callable[..., None]
) -> None:
    game = played("vegas-solitaire", [player])
    tampered("UPDATE eventstore_event SET data = %s WHERE version = 5 AND stream_id = %s", b"{}", game)
    state.cache.clear()
    result = api(player).get(f"/api/v1/games/{game.pk}/recording/")
    assert result.status_code == 200, result.content
    shown = states(result.json())
    assert shown[3]["view"] is not None
    assert [one["status"] for one in shown[4:]] == [None] * (len(shown) - 4)
