"""Sign-up, sign-in, tokens: who comes in, who is kept out, and what is kept of it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import override_settings
from django.utils import timezone

from accounts.models import Player, Token
from accounts.services import erase_player, export_player, issue_token, token_names
from tests.conftest import NOW, PASSWORD
from tests.signing_in import Browser, codes, signed_in

pytestmark = pytest.mark.django_db


def sign_in(client, username: str = "ann", password: str = PASSWORD, **more):
    return client.post("/api/v1/tokens/", {"username": username, "password": password, **more}, key="")


@pytest.mark.both_databases
def test_sign_up_then_sign_in_then_speak(api) -> None:
    client = api(None)
    made = client.post("/api/v1/players/", {"username": "ann", "password": PASSWORD}, key="")
    assert made.status_code == 201, made.content
    assert made["Location"] == "/api/v1/players/me/"
    assert PASSWORD not in made.content.decode()
    issued = sign_in(client, scopes=["account"])
    assert issued.status_code == 201, issued.content
    assert issued["Cache-Control"] == "no-store"
    client.credentials(HTTP_AUTHORIZATION="Bearer " + issued.json()["token"])
    me = client.get("/api/v1/players/me/")
    assert me.status_code == 200
    assert me.json()["id"] == made.json()["id"] == issued.json()["player"]


def test_a_sign_up_that_cannot_be(api, player: Player, subtests: pytest.Subtests) -> None:
    """Each with the codes of the API and of the web client; empty where the latter asks for less."""
    client, browser = api(None), Browser()
    invalid, similar = "invalid-input", {"username": "zoezoezoe", "password": "zoezoezoe"}
    for given, code, shown in [
        ({"username": "x y"}, invalid, "invalid_username"),
        ({"username": ""}, invalid, "required"),
        ({"username": "x" * 41}, invalid, "invalid_username"),
        ({"username": "ﬁsh"}, invalid, "invalid_username"),
        ({"username": "bot-one"}, invalid, "invalid_username"),
        ({"username": 5}, invalid, ""),
        ({"username": "ANN"}, "username-taken", "username_taken"),
        ({"password": ""}, invalid, "required"),
        ({"password": "12345678"}, "password-refused", "password_too_common"),
        (similar, "password-refused", "password_too_similar"),
        ({"password": "a" * 257}, invalid, ""),
        ({"email": "zoe@club.example"}, invalid, ""),
        ({"email": "zoe"}, invalid, "invalid"),
        ({"is_staff": True}, invalid, ""),
        ({"id": "0" * 32}, invalid, ""),
    ]:
        with subtests.test(given=given):
            form = {"username": "zoe", "password": PASSWORD, **given}
            answer = client.post("/api/v1/players/", form, key="")
            assert (answer.status_code, answer.json()["code"]) == (409 if "taken" in code else 400, code)
            if shown:
                answer = browser.ask("post", "auth/signup", form)
                assert (answer.status_code, shown in codes(answer)) == (400, True)
            assert Player.objects.count() == 1


@pytest.mark.parametrize(("username", "password"), [("ann", "wrong"), ("nobody", PASSWORD), ("ann", "x")])
def test_a_wrong_name_and_a_wrong_password_get_the_same_answer(api, player, username, password) -> None:
    answer = sign_in(api(None), username, password)
    assert (answer.status_code, answer.json()["code"]) == (401, "sign-in-refused")
    assert answer.json()["detail"] == "No account has this name and password"
    assert not Token.objects.exists()
    page = Browser().sign_in(username, password)
    assert (page.status_code, codes(page)) == (400, ["username_password_mismatch"])


def test_only_the_digest_of_a_token_is_stored(api, player) -> None:
    token = sign_in(api(None)).json()["token"]
    kept = Token.objects.values().get()
    assert token not in str(kept)
    assert len(kept["digest"]) == 128


def test_tokens_are_listed_end_one_by_one_and_lapse(api, player, rival) -> None:
    tokens, me = "/api/v1/tokens/", "/api/v1/players/me/"
    here, there = api(player), api(player)
    (phone, lost), (others, _) = issue_token(player=player, name="phone"), issue_token(player=rival)
    with_phone = {"Authorization": f"Bearer {lost}"}
    assert sorted(token["name"] for token in here.get(tokens).json()) == ["", "", "phone"]
    assert here.delete(f"{tokens}{others.token_key}/").status_code == 404
    assert api(None).get(me, headers=with_phone).status_code == 200
    assert [here.delete(f"{tokens}{phone.token_key}/").status_code for _ in range(2)] == [204, 404]
    assert api(None).get(me, headers=with_phone).status_code == 401
    assert there.delete(f"{tokens}current/").status_code == 204
    assert (there.get(me).status_code, here.get(me).status_code) == (401, 200)
    Token.objects.update(expires=timezone.now() - timedelta(seconds=1))
    assert here.get(me).status_code == 401


def test_all_tokens_can_be_revoked_at_once_and_only_ones_own(api, player, rival) -> None:
    one, two, other = api(player), api(player), api(rival)
    assert one.delete("/api/v1/tokens/").status_code == 204
    assert {client.get("/api/v1/players/me/").status_code for client in (one, two)} == {401}
    assert other.get("/api/v1/players/me/").status_code == 200


def test_a_new_password_ends_every_token_and_other_session(api, player) -> None:
    program, elsewhere, here = api(player), signed_in(player), signed_in(player)
    new = "another horse battery"

    def change(current: str, fresh: str) -> Any:
        given = {"current_password": current, "new_password": fresh}
        return here.ask("post", "account/password/change", given)

    assert codes(change("wrong", new)) == ["enter_current_password"]
    assert codes(change(PASSWORD, "12345678")) == ["password_too_common"]
    assert program.get("/api/v1/players/me/").status_code == 200
    assert change(PASSWORD, new).status_code == 200
    assert here.get("/api/v1/players/me/").status_code == 200
    assert {who.get("/api/v1/players/me/").status_code for who in (program, elsewhere)} == {401}
    assert sign_in(api(None)).status_code == 401
    assert sign_in(api(None), password=new).status_code == 201


def test_bots_and_the_inactive_cannot_come_in(api, player) -> None:
    from accounts.services import create_bot

    client = api(player)
    bot = create_bot(name="Steady")
    assert not bot.has_usable_password()
    get_user_model().objects.filter(pk=player.pk).update(is_active=False)
    assert client.get("/api/v1/players/me/").status_code == 401
    assert sign_in(api(None)).status_code == 401


@override_settings(
    ACCOUNT_RATE_LIMITS={"signup": "2/h/ip", "login": "2/h/ip"}, API_RATES={"requests": (3, 3600)}
)
def test_sign_up_sign_in_and_requests_are_throttled(api, player) -> None:
    client = api(None)
    for address in ("/api/v1/players/", "/api/v1/tokens/"):
        answers = [client.post(address, {}, key="") for _ in range(3)]
        assert [answer.status_code for answer in answers] == [400, 400, 429]
        assert answers[-1].json()["code"] == "too-many-requests"
        assert int(answers[-1]["Retry-After"]) > 0
    mine = api(player)
    assert [mine.get("/api/v1/players/me/").status_code for _ in range(4)] == [200, 200, 200, 429]


def test_a_profile_is_changed_by_its_own_and_only_in_its_names(api, player) -> None:
    client = api(player)
    answer = client.patch("/api/v1/players/me/", {"display_name": "Ann"})
    assert answer.json()["display_name"] == "Ann"
    assert client.patch("/api/v1/players/me/", {"email": "ann@club.example"}).status_code == 400
    assert client.patch("/api/v1/players/me/", {"username": "eve"}).status_code == 400
    assert client.patch("/api/v1/players/me/", {"roles": ["auditor"]}).status_code == 400


@pytest.mark.both_databases
def test_no_two_names_differ_by_case_alone_in_any_script(api) -> None:
    def sign_up(username: str) -> int:
        answer = api(None).post("/api/v1/players/", {"username": username, "password": PASSWORD}, key="")
        return int(answer.status_code)

    assert [sign_up(name) for name in ("Zoë", "zoë", "ZOË", "жук", "Жук")] == [201, 409, 400, 201, 400]


@pytest.mark.parametrize("name", ["a\u202eb", "a\nb", "\u200b", "   ", "Ann "])
def test_a_name_that_others_could_not_read_as_it_is(api, player: Player, name: str) -> None:
    result = {"username": "zoe", "password": PASSWORD, "display_name": name}
    assert api(None).post("/api/v1/players/", result, key="").status_code == 400
    assert api(player).patch("/api/v1/players/me/", {"display_name": name}).status_code == 400


def test_the_name_of_a_token_is_stored_permanently(api, player, administrator):
    requested = {"username": "ann", "password": PASSWORD}
    first = api(None).post("/api/v1/tokens/", requested | {"name": "Phone"}, key="")
    assert first.status_code == 201, first.json()
    client = api(player)
    document = {token["name"]: token["id"] for token in client.get("/api/v1/tokens/").json()}
    assert set(document) == {"", "Phone"}
    client.delete("/api/v1/tokens/")
    assert token_names(document.values()) == {document["Phone"]: "Phone"}, "it outlasts the token"
    assert export_player(player=player)["token_names"] == ["Phone"]
    erase_player(player=player, now=NOW)
    assert token_names(document.values()) == {}


@pytest.mark.parametrize("name", [" Phone", "a\u202eb", "x" * 61, 7])
def test_a_name_is_a_short_printable_text(api, player, name):
    requested = {"username": "ann", "password": PASSWORD, "name": name}
    assert api(None).post("/api/v1/tokens/", requested, key="").status_code == 400


@override_settings(RACECARD_REFUSED_NAMES=["moderator", "Nasty"])
@pytest.mark.parametrize("name", ["moderator", "The-Moderator", "m0d3rat0r", "N.a.s.t.y", "NASTY_one"])
def test_a_name_with_a_refused_word(api, player: Player, name: str) -> None:
    given = {"username": name, "password": PASSWORD}
    assert api(None).post("/api/v1/players/", given, key="").json()["code"] == "name-refused"
    assert codes(Browser().ask("post", "auth/signup", given)) == ["name_refused"]
    assert api(player).patch("/api/v1/players/me/", {"display_name": name}).json()["code"] == "name-refused"
    assert Player.objects.count() == 1
    given = {"username": "moderate", "password": PASSWORD}
    assert api(None).post("/api/v1/players/", given, key="").status_code == 201
