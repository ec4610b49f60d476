"""Tournaments over REST: the life cycle, permissions, visibility, and errors."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import pytest

from accounts.models import Player
from eventstore import store
from ledger.models import Transfer
from tests.conftest import person
from tests.due_jobs import run_due_soon
from tests.money import available, cash, fund
from tests.tournaments.conftest import Publish
from tests.tournaments.playing import FEE, NOW, SEED, enter, games_of, play_round, rich, start, terms
from tournaments import services
from tournaments.models import Entry, Status, Tournament

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


# --- permissions ---------------------------------------------------------------------------------------


def test_only_organizers_and_administrators_create_tournaments(
    api: Api, player: Player, auditor: Player, administrator: Player
):
    refused(api(None).post(LIST, TERMS), 401, "not-authenticated")
    refused(api(player).post(LIST, TERMS), 403, "forbidden")
    refused(api(auditor).post(LIST, TERMS), 403, "forbidden")
    assert api(administrator).post(LIST, TERMS).status_code == 201


def test_a_draft_is_visible_to_its_organizer_and_staff_only(
    api: Api, organizer: Player, player: Player, auditor: Player, administrator: Player
):
    from accounts.roles import Role

    draft = services.create(organizer=organizer, terms=terms(), now=NOW)
    for who in (None, player, person("otto", Role.ORGANIZER)):
        for path in (
            at(draft), at(draft, "entries"), at(draft, "rounds"), at(draft, "rounds", 1),
            at(draft, "standings"), at(draft, "events"),
        ):  # fmt: skip
            refused(api(who).get(path), 404, "not-found")
        assert api(who).get(LIST).json()["results"] == []
    for who in (organizer, auditor, administrator):
        assert api(who).get(at(draft)).status_code == 200
        assert len(api(who).get(LIST).json()["results"]) == 1
    refused(api(player).post(at(draft, "entries"), {}), 404, "not-found")
    refused(api(player).post(at(draft, "publish")), 404, "not-found")


@pytest.mark.parametrize("action", ["publish", "start", "cancel", "resume"])
def test_only_its_organizer_and_administrators_manage_a_tournament(
    api: Api, published: Publish, player: Player, auditor: Player, action: str
):
    from accounts.roles import Role

    tournament = published()
    body = {"reason": "x"} if action == "cancel" else {}
    before = store.head(tournament.pk)
    refused(api(None).post(at(tournament, action), body), 401, "not-authenticated")
    for who in (player, auditor, person("otto", Role.ORGANIZER)):
        refused(api(who).post(at(tournament, action), body), 403, "forbidden")
    assert store.head(tournament.pk) == before


def test_an_administrator_manages_every_tournament(api: Api, published: Publish, administrator: Player):
    tournament = published()
    answer = api(administrator).post(at(tournament, "cancel"), {"reason": "no hall"})
    assert (answer.status_code, answer.json()["status"]) == (200, "cancelled")
    assert api(None).get(at(tournament)).json()["cancelled"] == "no hall"


def test_staff_must_enrol_a_required_one_time_code_first(
    api: Api, organizer: Player, published: Publish, settings
):
    tournament = published()
    settings.REQUIRE_SECOND_FACTOR = True
    assert api(organizer).post(LIST, TERMS).json()["code"] == "second-factor-required"
    assert api(organizer).post(at(tournament, "start")).json()["code"] == "second-factor-required"


def test_players_enter_and_withdraw_only_themselves(api: Api, published: Publish, player: Player):
    tournament = published(fee=0)
    refused(api(None).post(at(tournament, "entries"), {}), 401, "not-authenticated")
    refused(api(None).delete(at(tournament, "entries")), 401, "not-authenticated")
    refused(api(player).post(at(tournament, "entries"), {"player": str(uuid.uuid4())}), 400, "invalid-input")
    refused(api(player).delete(at(tournament, "entries")), 409, "not-entered")
    assert api(player).post(at(tournament, "entries"), {}).status_code == 201
    assert api(player).delete(at(tournament, "entries")).status_code == 204
    assert api(player).get(at(tournament)).json()["entry"] is None


# --- refusals ------------------------------------------------------------------------------------------

BAD_TERMS: list[tuple[dict[str, Any], str, str]] = [
    ({"name": ""}, "invalid-input", "name"),
    ({"name": "   "}, "invalid-terms", "name"),
    ({"name": "a\nb"}, "invalid-terms", "name"),
    ({"name": "x" * 101}, "invalid-input", "name"),
    ({"format": "beauty-contest"}, "invalid-input", "format"),
    ({"rules": "racing-aces"}, "invalid-terms", "rules"),
    ({"rules": "patience"}, "invalid-terms", "rules"),
    ({"config": {}}, "invalid-terms", "config"),
    ({"config": {"draw": 3}}, "invalid-terms", "config"),
    ({"config": {"draw": 3, "stake": 520}}, "invalid-terms", "config"),
    ({"config": {"draw": 2, "stake": 0}}, "invalid-terms", "config"),
    ({"config": []}, "invalid-input", "config"),
    ({"rounds": 0}, "invalid-terms", "rounds"),
    ({"rounds": -1}, "invalid-input", "rounds"),
    ({"rounds": 51}, "invalid-input", "rounds"),
    ({"rounds": True}, "invalid-input", "rounds"),
    ({"rounds": "3"}, "invalid-input", "rounds"),
    ({"rounds": 1.5}, "invalid-input", "rounds"),
    ({"games": 21}, "invalid-input", "games"),
    ({"opens_at": "tomorrow"}, "invalid-input", "opens_at"),
    ({"opens_at": "2026-03-01"}, "invalid-input", "opens_at"),
    ({"opens_at": "9999-12-31T23:59:59-12:00"}, "invalid-input", "opens_at"),
    ({"time_zone": "Mars/Olympus"}, "invalid-terms", "time_zone"),
    ({"time_zone": "../../etc/passwd"}, "invalid-terms", "time_zone"),
    ({"check_in_at": "2026-03-01T12:00"}, "invalid-terms", "check_in_at"),
    ({"round_times": [{"round": 1, "opens_at": "2026-03-01T12:00"}]}, "invalid-input", "round_times"),
    ({"round_times": [{"round": 9, "opens_at": "2026-03-01T12:00"}]}, "invalid-terms", "round_times"),
    ({"opens_at": 5}, "invalid-input", "opens_at"),
    ({"round_seconds": 0}, "invalid-input", "round_seconds"),
    ({"gap_seconds": -1}, "invalid-input", "gap_seconds"),
    ({"capacity": 1}, "invalid-input", "capacity"),
    ({"capacity": 10_001}, "invalid-input", "capacity"),
    ({"capacity": 4, "fewest": 5}, "invalid-terms", "fewest"),
    ({"capacity": 4, "fill_to": 5}, "invalid-terms", "fill_to"),
    ({"fee": -1}, "invalid-input", "fee"),
    ({"fee": 5.0}, "invalid-input", "fee"),
    ({"fee": 10**9 + 1}, "invalid-input", "fee"),
    ({"currency": "EUR"}, "invalid-terms", "currency"),
    ({"prizes": []}, "invalid-input", "prizes"),
    ({"prizes": [5000, 4999]}, "invalid-terms", "prizes"),
    ({"prizes": [10_000, 0]}, "invalid-input", "prizes"),
    ({"prizes": "10000"}, "invalid-input", "prizes"),
    ({"capacity": 2, "prizes": [5000, 3000, 2000]}, "invalid-terms", "prizes"),
    ({"rake": 10_000}, "invalid-input", "rake"),
    ({"seed": "00"}, "invalid-input", "seed"),
    ({"status": "finished"}, "invalid-input", "status"),
]


def test_impossible_terms_are_refused(api: Api, organizer: Player, subtests: pytest.Subtests):
    client = api(organizer)
    for change, code, field in BAD_TERMS:
        with subtests.test(change=change, code=code, field=field):
            problem = refused(client.post(LIST, {**TERMS, **change}), 400, code)
            assert problem["detail"].startswith(field)
            assert not Tournament.objects.exists()


@pytest.mark.parametrize("missing", sorted({*TERMS} - {"rounds"}))
def test_incomplete_terms_are_refused(api: Api, organizer: Player, missing: str):
    sent = {name: value for name, value in TERMS.items() if name != missing}
    refused(api(organizer).post(LIST, sent), 400, "invalid-input")


@pytest.mark.parametrize("body", [[], "x", None, 7])
def test_a_body_that_is_not_an_object_is_refused(api: Api, organizer: Player, published: Publish, body: Any):
    tournament = published()
    for path in (LIST, at(tournament, "start"), at(tournament, "cancel"), at(tournament, "entries")):
        assert api(organizer).generic(
            "POST", path, str(body).lower() if body is None else "[]", "application/json",
            headers={"Idempotency-Key": str(uuid.uuid4())},
        ).status_code == 400  # fmt: skip
    tournament.refresh_from_db()
    assert tournament.status == Status.PUBLISHED


ENTRIES: list[tuple[Any, str]] = [
    ({"client_seed": 7}, "invalid-input"),
    ({"client_seed": None}, "invalid-input"),
    ({"client_seed": "x" * 65}, "invalid-input"),
    ({"client_seed": "a|b"}, "invalid-client-seed"),
    ({"seed": "x"}, "invalid-input"),
]


@pytest.mark.parametrize(("body", "code"), ENTRIES)
def test_malformed_entries_are_refused(api: Api, published: Publish, player: Player, body: Any, code: str):
    tournament = published(fee=0)
    refused(api(player).post(at(tournament, "entries"), body), 400, code)
    assert not Entry.objects.exists()


def test_each_conflict_has_its_code(api: Api, published: Publish, organizer: Player):
    tournament = published(capacity=2, prizes=(10_000,))
    cid, dan, eva, poor = rich("cid"), rich("dan"), rich("eva"), rich("flo", FEE - 1)
    entries = at(tournament, "entries")
    refused(api(organizer).post(at(tournament, "start")), 409, "too-few-entrants")
    refused(api(poor).post(entries, {}), 409, "insufficient-funds")
    assert api(cid).post(entries, {}).status_code == 201
    refused(api(cid).post(entries, {}), 409, "already-entered")
    assert api(dan).post(entries, {}).status_code == 201
    refused(api(eva).post(entries, {}), 409, "tournament-full")
    refused(api(organizer).post(at(tournament, "publish")), 409, "wrong-status")
    refused(api(organizer).post(at(tournament, "resume")), 409, "not-stalled")
    assert api(organizer).post(at(tournament, "start")).status_code == 200
    refused(api(organizer).post(at(tournament, "start")), 409, "wrong-status")
    refused(api(eva).post(entries, {}), 409, "entries-closed")
    assert api(cid).delete(entries).status_code == 204
    refused(api(cid).delete(entries), 409, "not-entered")


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


# --- repeated requests ---------------------------------------------------------------------------------


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


@pytest.mark.parametrize("action", ["publish", "start", "cancel"])
def test_a_repeated_command_has_the_first_response(
    api: Api, organizer: Player, published: Publish, action: str
):
    if action == "publish":
        tournament = services.create(organizer=organizer, terms=terms(), now=NOW)
    else:
        tournament = published()
        enter(tournament, rich("cid"), rich("dan"))
    body = {"reason": "rain"} if action == "cancel" else {}
    first = api(organizer).post(at(tournament, action), body, key="k")
    head = store.head(tournament.pk)
    again = api(organizer).post(at(tournament, action), body, key="k")
    assert (first.status_code, again.status_code) == (200, 200)
    assert again.json() == first.json()
    assert store.head(tournament.pk) == head


# --- pages and secrets ---------------------------------------------------------------------------------


def test_the_list_continues_after_the_last_row(api: Api, published: Publish, player: Player):
    made = [str(published().pk) for _ in range(5)]
    found, query = [], {"limit": 2}
    address = LIST
    while address:
        page = api(player).get(address, query).json()
        found += [one["id"] for one in page["results"]]
        address, query = page["next"], {}
    assert sorted(found) == sorted(made)
    assert len(found) == 5


def test_no_response_contains_the_seed_before_the_end(
    api: Api, published: Publish, organizer: Player, auditor: Player, administrator: Player
):
    tournament = published(rounds=1, fee=0)
    cid, dan = rich("cid"), rich("dan")
    enter(tournament, cid, dan)
    start(tournament)
    for who in (None, cid, organizer, auditor, administrator):
        for rest in ((), ("entries",), ("rounds",), ("rounds", 1), ("standings",), ("events",)):
            answer = api(who).get(at(tournament, *rest))
            assert answer.status_code == 200
            assert SEED.hex() not in answer.content.decode()
    play_round(tournament, 1)
    assert api(None).get(at(tournament)).json()["fairness"]["seed"] == SEED.hex()


def test_a_game_of_another_entrant_is_hidden_while_the_deal_is_played(
    api: Api, published: Publish, stranger: Player
):
    tournament = published(fee=0)
    cid, dan = rich("cid"), rich("dan")
    enter(tournament, cid, dan)
    start(tournament)
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
