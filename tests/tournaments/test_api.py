"""Tournaments over REST: the life cycle, permissions, visibility, and errors."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import pytest

from accounts.models import Player
from accounts.roles import Role
from ledger.models import Transfer
from tests.conftest import person
from tests.due_jobs import run_due_soon
from tests.money import available, cash, fund
from tests.tournaments.conftest import Publish
from tests.tournaments.playing import (
    FEE,
    NOW,
    SEED,
    begin,
    enter,
    entrants,
    games_of,
    play_round,
    rich,
    terms,
)
from tournaments import roles, services
from tournaments.models import Entry, StaffRole, Status, Tournament

pytestmark = pytest.mark.django_db
Api = Callable[[Player | None], Any]

LIST = "/api/v1/tournaments/"
TERMS = {
    "name": "Sunday duplicate",
    "format": "duplicate",
    "rules": "vegas-solitaire",
    "config": {"draw": 3, "stake": 0},
    "rounds": 1,
}


def at(tournament: Any, *rest: Any) -> str:
    id = tournament["id"] if isinstance(tournament, dict) else tournament.pk
    return LIST + "".join(f"{part}/" for part in (id, *rest))


def refused(response: Any, status: int, code: str) -> dict[str, Any]:
    problem: dict[str, Any] = response.json()
    assert (response.status_code, problem["code"]) == (status, code), problem
    assert response["Content-Type"] == "application/problem+json"
    return problem


@pytest.mark.both_databases
def test_a_tournament_runs_from_draft_to_standings(
    api: Api, organizer: Player, player: Player, rival: Player
):
    for each in (player, rival):
        fund(cash(each.pk), FEE)
    staff_client = api(organizer)
    created = staff_client.post(LIST, {**TERMS, "fee": FEE, "prizes": [10_000]})
    assert created.status_code == 201
    draft = created.json()
    assert created["Location"] == at(draft)
    assert (draft["status"], draft["fairness"]["commitment"], draft["may_manage"]) == ("draft", None, True)
    assert [measure["name"] for measure in draft["measures"]] == ["points", "cards", "moves"]

    published = staff_client.post(at(draft, "publish")).json()
    assert published["status"] == "published"
    assert len(published["fairness"]["commitment"]) == 64

    for each in (player, rival):
        entered = api(each).post(at(draft, "entries"), {"client_seed": f"of {each.username}"})
        assert entered.status_code == 201
    entries = api(None).get(at(draft, "entries")).json()
    assert [(one["entry"], one["player"], one["name"]) for one in entries["results"]] == [
        (1, str(player.pk), None),
        (2, str(rival.pk), None),
    ]
    assert [one["name"] for one in api(player).get(at(draft, "entries")).json()["results"]] == ["ann", "bob"]

    running = staff_client.post(at(draft, "start")).json()
    assert running["status"] == "running"
    run_due_soon()
    for each in (player, rival):
        [own] = api(each).get(at(draft)).json()["entry"]["games"]
        seen = api(each).get(f"/api/v1/games/{own['game']}/").json()
        assert seen["legal_moves"]
        collected = api(each).post(f"/api/v1/games/{own['game']}/moves/", {"move": {"type": "collect"}})
        assert collected.status_code == 201
    run_due_soon()

    ended = api(player).get(at(draft)).json()
    assert ended["status"] == "finished"
    assert ended["pool"] == 0
    assert len(ended["fairness"]["seed"]) == 64
    standings = api(player).get(at(draft, "standings")).json()
    assert [(row["place"], row["prize"]) for row in standings["standings"]] == [(1, FEE), (1, FEE)]
    [round] = api(None).get(at(draft, "rounds")).json()["results"]
    assert (round["state"], round["games"], round["ended"]) == ("closed", 2, 2)
    tables = api(None).get(at(draft, "rounds", 1)).json()["tables"]
    assert [table["games"][0]["scores"] for table in tables] == [[[0, 0, 1]]] * 2
    events = api(None).get(at(draft, "events"), {"after": 2}).json()
    assert [event["version"] for event in events["events"]] == list(range(3, ended["version"] + 1))
    assert events["next"] is None
    listed = api(None).get(LIST, {"status": "finished"}).json()["results"]
    assert [(one["id"], one["entries"]) for one in listed] == [(draft["id"], 2)]


def test_a_draft_is_visible_to_its_organizer_and_staff(
    api: Api, organizer: Player, stranger: Player, auditor: Player, administrator: Player
):
    draft = services.create(organizer=organizer, terms=terms(), now=NOW)
    judge, helper = person("judy"), person("hal")
    for who, role in ((judge, StaffRole.JUDGE), (helper, StaffRole.HELPER)):
        roles.give(tournament_id=draft.pk, player_id=who.pk, role=role, actor=organizer, now=NOW)
    for who, role, may_rule in (
        (organizer, "organizer", True),
        (judge, "judge", True),
        (helper, "helper", False),
        (auditor, None, False),
        (administrator, None, True),
    ):
        shown = api(who).get(at(draft)).json()
        assert (shown["role"], shown["may_rule"]) == (role, may_rule)
        assert len(api(who).get(LIST).json()["results"]) == 1
    for who in (None, stranger, person("otto", Role.ORGANIZER)):
        refused(api(who).get(at(draft)), 404, "not-found")
        assert api(who).get(LIST).json()["results"] == []


def test_malformed_requests_are_refused(api: Api, organizer: Player, published: Publish):
    tournament, client = published(fee=0), api(organizer)
    assert refused(client.post(LIST, {**TERMS, "rounds": 51}), 400, "invalid-input")["detail"].startswith(
        "rounds"
    )
    assert refused(client.post(LIST, {**TERMS, "rounds": 0}), 400, "invalid-terms")["field"] == "rounds"
    for body, code in (
        ({"client_seed": 7}, "invalid-input"),
        ({"client_seed": None}, "invalid-input"),
        ({"client_seed": "x" * 65}, "invalid-input"),
        ({"client_seed": "a|b"}, "invalid-client-seed"),
        ({"player": str(uuid.uuid4())}, "invalid-input"),
    ):
        refused(client.post(at(tournament, "entries"), body), 400, code)
    for path in (LIST, at(tournament, "start"), at(tournament, "cancel"), at(tournament, "entries")):
        refused(client.post(path, [], format="json"), 400, "invalid-input")
    assert (Tournament.objects.get().status, Entry.objects.count()) == (Status.PUBLISHED, 0)


def test_each_conflict_has_its_code(api: Api, published: Publish, organizer: Player):
    tournament, client = published(capacity=2, prizes=(10_000,)), api(organizer)
    cid, dan, eva, poor = rich("cid"), rich("dan"), rich("eva"), rich("flo", FEE - 1)
    entries = at(tournament, "entries")
    refused(client.post(at(tournament, "start")), 409, "too-few-entrants")
    refused(api(poor).post(entries, {}), 409, "insufficient-funds")
    assert api(cid).post(entries, {}).status_code == 201
    refused(api(cid).post(entries, {}), 409, "already-entered")
    assert api(dan).post(entries, {}).status_code == 201
    refused(api(eva).post(entries, {}), 409, "tournament-full")
    refused(client.post(at(tournament, "publish")), 409, "wrong-status")
    refused(client.post(at(tournament, "resume")), 409, "not-stalled")
    assert client.post(at(tournament, "start")).status_code == 200
    refused(client.post(at(tournament, "start")), 409, "wrong-status")
    refused(api(eva).post(entries, {}), 409, "entries-closed")
    assert api(cid).delete(entries).status_code == 204
    refused(api(cid).delete(entries), 409, "not-entered")
    assert api(eva).get(at(tournament)).json()["entry"] is None
    assert client.post(at(tournament, "cancel"), {"reason": "no hall"}).json()["status"] == "cancelled"
    assert api(None).get(at(tournament)).json()["cancelled"] == "no hall"


def test_unknown_addresses_answer_not_found(api: Api, published: Publish, player: Player):
    tournament = published()
    refused(api(player).get(at({"id": uuid.uuid4()})), 404, "not-found")
    refused(api(player).get(at(tournament, "rounds", 1)), 404, "not-found")
    refused(api(player).get(at(tournament, "standings"), {"at": 99}), 404, "no-such-version")
    for text in ("-1", "0", "x", "1.5", "٣", "9" * 30):
        refused(api(player).get(at(tournament, "standings"), {"at": text}), 400, "invalid-input")
    refused(api(player).get(at(tournament, "events"), {"after": "x"}), 400, "invalid-input")
    refused(api(player).get(LIST, {"status": "wild"}), 400, "invalid-input")
    refused(api(player).get(LIST, {"cursor": "wild"}), 400, "bad-cursor")
    assert api(player).post(at(tournament), {}).status_code == 405


def test_a_repeated_entry_is_one_entry(api: Api, published: Publish):
    tournament, player = published(), rich("cid")
    entries = at(tournament, "entries")
    first = api(player).post(entries, {"client_seed": "s"}, key="k1")
    again = api(player).post(entries, {"client_seed": "s"}, key="k1")
    assert again.json() == first.json()
    assert again["Idempotent-Replay"] == "true"
    refused(api(player).post(entries, {"client_seed": "t"}, key="k1"), 409, "idempotency-key-reused")
    refused(api(player).post(entries, {"client_seed": "s"}, key=""), 400, "idempotency-key-required")
    assert available(f"player:{player.pk}") == 10_000 - FEE
    assert Transfer.objects.filter(subject=tournament.subject).count() == 1


def test_no_response_contains_the_seed_before_the_end(api: Api, published: Publish, administrator: Player):
    tournament = begin(published, "cid", "dan", rounds=1, fee=0)
    for who in (None, administrator):
        for rest in ((), ("entries",), ("rounds",), ("rounds", 1), ("standings",), ("events",)):
            answer = api(who).get(at(tournament, *rest))
            assert answer.status_code == 200
            assert SEED.hex() not in answer.content.decode()
    play_round(tournament, 1)
    assert api(None).get(at(tournament)).json()["fairness"]["seed"] == SEED.hex()


def test_a_game_of_another_entrant_is_hidden_while_the_deal_is_played(
    api: Api, published: Publish, stranger: Player
):
    tournament = begin(published, "cid", "dan", fee=0)
    cid, dan = entrants(tournament)
    mine, other = (one.game for one in games_of(tournament, 1))
    assert api(cid).get(f"/api/v1/games/{mine}/").status_code == 200
    for who in (stranger, dan, tournament.organizer):
        refused(api(who).get(f"/api/v1/games/{mine}/"), 404, "not-found")
        refused(api(who).get(f"/api/v1/games/{mine}/events/"), 404, "not-found")
    refused(api(cid).get(f"/api/v1/games/{mine}/bundle/"), 409, "game-in-play")
    refused(api(cid).get(f"/api/v1/games/{other}/"), 404, "not-found")


def test_signed_in_users_find_entrants_by_name_in_pages(api: Api, player: Player, published: Publish) -> None:
    tournament = published()
    shown = [rich(name) for name in ("anna", "Hanno", "bert", "zed")]
    Player.objects.filter(pk=shown[3].pk).update(display_name="Joanna the Late")
    Player.objects.filter(pk=shown[2].pk).update(display_name="not annoyed", username="bert")
    enter(tournament, *shown)
    address = f"/api/v1/tournaments/{tournament.pk}/entries/"

    def found(query: str) -> list[int]:
        return [one["entry"] for one in api(player).get(address + query).json()["results"]]

    assert found("?search=ANN") == [1, 2, 3, 4]
    assert found("?search=zed") == [], "a sign-in name does not match a different display name"
    assert found("?search=joanna") == [4]
    assert found("?search=%25") == []
    first = api(player).get(address + "?search=ann&limit=3").json()
    assert [one["entry"] for one in first["results"]] == [1, 2, 3]
    assert [one["entry"] for one in api(player).get(first["next"]).json()["results"]] == [4]
    assert refused(api(None).get(address + "?search=ann"), 401, "not-authenticated")
    assert len(api(None).get(address).json()["results"]) == 4
