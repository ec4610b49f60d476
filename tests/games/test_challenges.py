"""Challenges: a private table for invited players, dealt when all of them have accepted."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from accounts import bots
from accounts.models import Player
from accounts.services import create_bot, issue_token, suspend
from config.waiting import waiting
from games.challenges import services as challenges
from games.challenges.services import EXPIRE
from games.models import Challenge, GameRecord, Invitation, Status
from games.services import void_game
from jobs.models import Job
from tests.conftest import NOW, Client, person
from tests.due_jobs import run_due

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

API = "/api/v1/"
CHALLENGES = f"{API}challenges/"
Api = Callable[[Player | None], Client]


def to(*players: Player, **more: Any) -> dict[str, Any]:
    return {"opponents": [str(one.pk) for one in players], "rules": "ace-race", "config": {}, **more}


def made(client: Client, *players: Player, **more: Any) -> Any:
    answer = client.post(CHALLENGES, to(*players, **more))
    assert answer.status_code == 201, answer.content
    return answer.json()


def code(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def a_bot(owner: Player, *, owner_only: bool = False) -> Player:
    return bots.create(owner=owner, name="Deep Ace", owner_only=owner_only, now=NOW)


def program(bot: Player) -> Client:
    client = Client()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {issue_token(player=bot)[1]}")
    return client


def test_an_accepted_challenge_deals_the_game(player: Player, rival: Player, api: Api) -> None:
    shown = made(api(player), rival, client_seed="mine", move_limit=60)
    assert (shown["status"], shown["seats"], shown["yours"], shown["move_limit"]) == ("open", 2, True, 60)
    assert [one["accepted"] for one in shown["opponents"]] == [False]
    table = GameRecord.objects.get(pk=shown["game"])
    assert (table.private, table.status, len(table.commitment)) == (True, Status.OPEN, 64)
    path = f"{CHALLENGES}{shown['id']}/"
    theirs = api(rival).get(path).json()
    assert theirs == shown | {"yours": False}
    accepted = api(rival).post(f"{path}accept/", {"client_seed": "theirs"})
    assert accepted.status_code == 200, accepted.content
    assert accepted.json()["status"] == "accepted"
    game = api(rival).get(f"{API}games/{shown['game']}/").json()
    assert (game["status"], game["fairness"]["client_seeds"]) == ("active", ["mine", "theirs"])
    assert api(player).get(CHALLENGES).json() == api(rival).get(CHALLENGES).json() == []
    assert not Invitation.objects.filter(is_open=True).exists()


def test_players_are_named_by_username_too(player: Player, rival: Player, api: Api) -> None:
    shown = made(api(player), opponents=[rival.username.upper()])
    assert shown["opponents"][0]["id"] == str(rival.pk)
    for names, expected in (
        (["nobody"], 404),
        ([str(uuid4())], 404),
        ([player.username], 400),
        ([rival.username, str(rival.pk)], 400),
        ([], 400),
    ):
        assert api(player).post(CHALLENGES, to(opponents=names)).status_code == expected, names


def test_the_last_of_several_starts_the_game(
    player: Player, rival: Player, stranger: Player, api: Api
) -> None:
    shown = made(api(player), rival, stranger, bots=[3])
    accept = f"{CHALLENGES}{shown['id']}/accept/"
    first = api(rival).post(accept, {}).json()
    assert (first["status"], [one["accepted"] for one in first["opponents"]]) == ("open", [True, False])
    assert api(rival).post(accept, {}).json()["status"] == "open"  # accepting again changes nothing
    assert api(stranger).post(accept, {}).json()["status"] == "accepted"
    game = api(stranger).get(f"{API}games/{shown['game']}/").json()
    assert (game["status"], len(game["seats"])) == ("active", 4)


def test_suits_are_chosen_when_accepting(player: Player, rival: Player, api: Api) -> None:
    terms = {"rules": "racing-aces", "config": {"suits": "chosen"}, "draw_every": 5}
    shown = made(api(player), rival, suit="H", **terms)
    assert shown["free_suits"] == ["C", "D", "S"]
    accept = f"{CHALLENGES}{shown['id']}/accept/"
    assert api(rival).post(accept, {"suit": "H"}).status_code in (400, 409)
    assert api(rival).post(accept, {"suit": "S"}).json()["status"] == "accepted"


def test_a_declined_challenge_is_over_for_all(
    player: Player, rival: Player, stranger: Player, api: Api
) -> None:
    shown = made(api(player), rival, stranger)
    path = f"{CHALLENGES}{shown['id']}/"
    assert api(rival).post(f"{path}decline/", {"reason": "rude"}).status_code == 400
    declined = api(rival).post(f"{path}decline/", {"reason": "later"}).json()
    assert (declined["status"], declined["reason"]) == ("declined", "later")
    assert api(player).get(path).json()["reason"] == "later"
    assert GameRecord.objects.get().status == Status.VOID
    for client, end in ((api(stranger), "accept"), (api(rival), "decline"), (api(player), "withdraw")):
        refused = client.post(f"{path}{end}/", {})
        assert code(refused) == (409, "challenge-over")
        assert (refused.json()["status"], refused.json()["challenge_status"]) == (409, "declined")


def test_only_the_challenger_withdraws(player: Player, rival: Player, api: Api) -> None:
    shown = made(api(player), rival)
    path = f"{CHALLENGES}{shown['id']}/"
    for client, end in ((api(rival), "withdraw"), (api(player), "accept"), (api(player), "decline")):
        assert client.post(f"{path}{end}/", {}).status_code == 404
    assert api(player).post(f"{path}withdraw/", {}).json()["status"] == "withdrawn"
    assert api(rival).get(CHALLENGES).json() == []


def test_a_challenge_expires_by_its_job(player: Player, rival: Player, api: Api) -> None:
    shown = made(api(player), rival)
    row = Challenge.objects.get()
    late = row.expires_at + timedelta(seconds=1)
    with pytest.raises(challenges.ChallengeOver):
        challenges.accept(challenge_id=row.pk, player=rival, now=late)
    assert Job.objects.get(kind=EXPIRE).due == row.expires_at
    run_due(late)
    assert api(player).get(f"{CHALLENGES}{shown['id']}/").json()["status"] == "expired"
    assert GameRecord.objects.get().status == Status.VOID
    challenges.expire(challenge_id=row.pk, now=late)  # nothing is left to do


def test_a_table_that_is_voided_ends_its_challenge(player: Player, rival: Player, api: Api) -> None:
    made(api(player), rival)
    void_game(game_id=GameRecord.objects.get().pk, reason="test", now=NOW)
    assert api(rival).get(CHALLENGES).json() == []
    assert Challenge.objects.get().status == "expired"


def test_others_see_no_challenge_and_take_no_seat(
    player: Player, rival: Player, stranger: Player, auditor: Player, api: Api
) -> None:
    shown = made(api(player), rival)
    path = f"{CHALLENGES}{shown['id']}/"
    for who in (stranger, auditor):
        assert api(who).get(path).status_code == 404
        assert api(who).get(CHALLENGES).json() == []
        for end in ("accept", "decline", "withdraw"):
            assert api(who).post(f"{path}{end}/", {}).status_code == 404
    seats = f"{API}games/{shown['game']}/seats/"
    invite = GameRecord.objects.get().invite
    assert code(api(stranger).post(seats, {"invite": invite})) == (409, "challenge-table")
    obstacle = api(stranger).get(f"{API}games/{shown['game']}/?invite={invite}").json()["obstacle"]
    assert obstacle["code"] == "challenge-table"
    assert code(api(rival).post(seats, {"invite": invite})) == (409, "challenge-table")
    assert code(api(player).delete(f"{seats}me/")) == (409, "challenge-table")
    assert code(api(player).post(f"{API}games/{shown['game']}/start/", {})) == (409, "challenge-table")


@pytest.mark.parametrize("by", ["opponent", "challenger", "owner of the bot", "of the owner"])
def test_blocks_refuse_without_saying_so(player: Player, rival: Player, api: Api, by: str) -> None:
    bot = a_bot(rival)
    opponent = bot if by in ("owner of the bot", "of the owner") else rival
    blocker, blocked = (player, rival) if by in ("challenger", "of the owner") else (rival, player)
    assert api(blocker).put(f"{API}players/me/blocks/{blocked.pk}/").status_code == 204
    refused = api(player).post(CHALLENGES, to(opponent))
    assert code(refused) == (409, "challenge-refused")
    assert not GameRecord.objects.exists()
    suspend(player=person("zed"), reason="rude")
    other = api(player).post(CHALLENGES, to(opponents=["zed"]))
    assert other.json() == refused.json()


def test_who_blocks_later_does_not_meet(player: Player, rival: Player, api: Api) -> None:
    shown = made(api(player), rival)
    api(player).put(f"{API}players/me/blocks/{rival.pk}/")
    assert code(api(rival).post(f"{CHALLENGES}{shown['id']}/accept/", {})) == (403, "seat-refused")


def test_a_bot_accepts_from_strangers_or_from_its_owner_only(
    player: Player, stranger: Player, api: Api
) -> None:
    bot = a_bot(player)
    shown = made(api(stranger), bot)
    assert shown["opponents"][0]["owner"] == {"id": str(player.pk), "name": player.get_full_name()}
    accepted = program(bot).post(f"{CHALLENGES}{shown['id']}/accept/", {})
    assert accepted.json()["status"] == "accepted"
    changed = api(player).patch(f"{API}players/me/bots/{bot.pk}/", {"accepts": "owner"}, format="json")
    assert changed.json()["accepts"] == "owner"
    assert code(api(stranger).post(CHALLENGES, to(bot))) == (409, "challenge-refused")
    assert code(program(a_bot(stranger)).post(CHALLENGES, to(bot))) == (409, "challenge-refused")
    assert made(api(player), bot)["status"] == "open"


def test_a_bot_challenges_people_and_bots(player: Player, rival: Player) -> None:
    bot, other = a_bot(player), a_bot(rival)
    assert made(program(bot), rival)["challenger"]["kind"] == "bot"
    shown = made(program(bot), other)
    assert program(other).post(f"{CHALLENGES}{shown['id']}/accept/", {}).json()["status"] == "accepted"


@pytest.mark.parametrize("who", ["suspended", "of a suspended owner", "of the server", "retired"])
def test_who_cannot_answer_is_not_challenged(player: Player, rival: Player, api: Api, who: str) -> None:
    opponent = create_bot(name="steady 0") if who == "of the server" else a_bot(rival)
    if who == "suspended":
        suspend(player=opponent, reason="stalls")
    elif who == "of a suspended owner":
        suspend(player=rival, reason="rude")
    elif who == "retired":
        bots.retire(bot=opponent, now=NOW)
    expected = 404 if who == "retired" else 409
    assert api(player).post(CHALLENGES, to(opponent)).status_code == expected


@pytest.mark.parametrize("which", ["challenger", "owner"])
def test_a_challenge_of_a_suspended_player_is_over(
    player: Player, rival: Player, api: Api, which: str
) -> None:
    client = api(player) if which == "challenger" else program(a_bot(player))
    shown = made(client, rival)
    suspend(player=player, reason="rude")
    assert code(api(rival).post(f"{CHALLENGES}{shown['id']}/accept/", {})) == (409, "challenge-over")


def test_money_has_no_place_in_a_challenge(player: Player, rival: Player, api: Api) -> None:
    for terms in ({"stake_table": "ace-race", "buy_in": 100}, {"play_session": str(uuid4())}):
        assert api(player).post(CHALLENGES, to(rival, **terms)).status_code == 400
    for rules, config in (("vegas-solitaire", {"draw": 3, "stake": 520}), ("idle-aces", {})):
        refused = api(player).post(CHALLENGES, to(rival, rules=rules, config=config))
        assert code(refused) == (400, "invalid-table")


def test_open_challenges_are_bounded(player: Player, rival: Player, api: Api, settings: Any) -> None:
    settings.OPEN_CHALLENGES_PER_PLAYER, settings.OPEN_CHALLENGES_TO_PLAYER = 2, 3
    for _ in range(2):
        made(api(player), rival)
    full = api(player).post(CHALLENGES, to(rival))
    assert (code(full), full.json()["most"]) == ((409, "too-many-challenges"), 2)
    made(api(person("zoe")), rival)
    assert code(api(person("yan")).post(CHALLENGES, to(rival))) == (409, "challenge-refused")


def test_challenges_are_throttled(player: Player, rival: Player, api: Api, settings: Any) -> None:
    settings.API_RATES = settings.API_RATES | {"challenges": (1, 600)}
    made(api(player), rival)
    assert api(player).post(CHALLENGES, to(rival)).status_code == 429
    assert api(player).get(CHALLENGES).status_code == 200


def test_a_repeated_request_makes_one_challenge(player: Player, rival: Player, api: Api) -> None:
    sent = [
        api(player).post(CHALLENGES, to(rival), format="json", headers={"Idempotency-Key": "one"})
        for _ in range(2)
    ]
    assert sent[0].json() == sent[1].json()
    assert Challenge.objects.count() == 1


def test_challenges_wait_for_those_who_are_challenged_and_who_challenge(
    player: Player, rival: Player, stranger: Player, api: Api
) -> None:
    shown = made(api(player), rival)

    def waits(who: Player) -> Any:
        return waiting([who.pk], now=NOW)[who.pk].document()["challenges"]

    before = waiting([rival.pk], now=NOW)[rival.pk].mark()
    assert (waits(player), waits(stranger)) == ([shown], [])
    assert waits(rival) == [shown | {"yours": False}]
    api(rival).post(f"{CHALLENGES}{shown['id']}/accept/", {})
    found = waiting([rival.pk], now=NOW)[rival.pk]
    assert found.mark() != before
    assert found.document()["challenges"] == []
