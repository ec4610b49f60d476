"""Staked tables over REST, for every role, and the proof of their bundles."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest

from accounts.models import Player
from games import selectors
from games.models import GameRecord
from games.rules.bundles.verification import verify
from games.services import create_game, void_game
from ledger.stakes.models import Pot
from tests.games.staked import BUY_IN, NOON, dealt, in_escrow, money_of, play_out, provide, table_of
from tests.money import change
from tests.tampering import rehash

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
Api = Callable[[Player | None], Any]
V1 = "/api/v1"
TABLE = {"rules": "ace-race", "seats": 2, "stake_table": "ace-race-table", "buy_in": BUY_IN}


def opened(api: Api, creator: Player, **more: Any) -> str:
    answer = api(creator).post(f"{V1}/games/", {**TABLE, **more})
    assert answer.status_code == 201, answer.json()
    return f"{V1}/games/{answer.json()['id']}"


def test_a_staked_game_from_its_opening_to_the_payment(
    api: Api, player: Player, rival: Player, stranger: Player
) -> None:
    provide([player, rival])
    at = opened(api, player)
    game = api(None).get(f"{at}/").json()
    assert (game["buy_in"], game["currency"], game["stake_table"]) == (BUY_IN, "XTS", "ace-race-table")
    pot = {"status": "open", "amount": 0, "currency": "XTS", "rake": 0, "split": [10_000], "paid": None}
    assert game["pot"] == pot
    for who in (player, player, rival):
        seated = api(who).post(f"{at}/seats/", {"client_seed": who.username}, key=f"sit-{who.username}")
        assert seated.status_code == 201, "the repeated request of the first is paid once"
    assert seated.json()["pot"] == {**pot, "amount": 2 * BUY_IN}
    assert api(player).post(f"{at}/start/", {}).status_code == 200
    record = GameRecord.objects.get(pk=game["id"])
    play_out(record, [player, rival])
    ended = api(rival).get(f"{at}/").json()
    assert ended["pot"]["status"] == "settled"
    assert [480 + paid["amount"] for paid in ended["pot"]["paid"]] == money_of([player, rival])
    line = next(line for line in api(None).get(f"{V1}/games/").json()["results"] if line["id"] == game["id"])
    assert (line["buy_in"], line["currency"]) == (BUY_IN, "XTS")
    for who, got in zip((player, rival), ended["pot"]["paid"], strict=True):
        lines = api(who).get(f"{V1}/wallet/statement/").json()["results"]
        result = [(line["reason"], line["change"]) for line in lines if line["subject"].startswith("game:")]
        assert result == [("prize", got["amount"])] * bool(got["amount"]) + [("buy-in", -BUY_IN)]
        [own] = api(who).get(f"{V1}/buy-ins/").json()["results"]
        expected = (f"game:{game['id']}", "paid", got["amount"] - BUY_IN)
        assert (own["subject"], own["status"], own["net"]) == expected
        report = verify(api(who).get(f"{at}/bundle/").json())
        assert (report.faults, report.checks["money"]) == ((), "passed")
    assert api(stranger).get(f"{at}/bundle/").json()["transfers"] == "withheld"
    assert api(stranger).get(f"{V1}/buy-ins/").json()["results"] == []
    assert api(player).get(f"{at}/verification/").json()["ok"]


def test_invalid_staked_tables_are_refused(api: Api, player: Player, subtests: pytest.Subtests) -> None:
    client = api(player)
    for where in ["games", "matches"]:
        for wrong, status, code in [
            *(({"buy_in": amount}, 400, "stake-off-step") for amount in (525, 100_010)),
            *(({"buy_in": amount}, 400, "invalid-input") for amount in (0, -520, 520.0, "520", 10**12, True)),
            ({"buy_in": None}, 400, "invalid-table"),
            ({"stake_table": None}, 400, "invalid-table"),
            ({"stake_table": "nowhere"}, 404, "unknown-stake-table"),
            ({"stake_table": "vegas-classic"}, 409, "stake-not-offered"),
            ({"bots": [1]}, 400, "invalid-table"),
            ({"rules": "idle-aces", "seats": 1, "stake_table": None}, 400, "invalid-table"),
            ({"rules": "racing-aces", "seats": 0, "stake_table": None}, 400, "invalid-table"),
        ]:
            with subtests.test(where=where, wrong=wrong, status=status, code=code):
                deals = {"deals": 2} if where == "matches" else {}
                answer = client.post(f"{V1}/{where}/", {**TABLE, **deals, **wrong})
                assert (answer.status_code, answer.json()["code"]) == (status, code)
                assert not Pot.objects.exists()


def test_a_staked_match_over_rest(api: Api, player: Player, rival: Player) -> None:
    provide([player, rival])
    made = api(player).post(f"{V1}/matches/", {**TABLE, "deals": 2}).json()
    assert (made["buy_in"], made["stake_table"], made["pot"]["amount"]) == (BUY_IN, "ace-race-table", 0)
    at = f"{V1}/games/{made['game']}"
    for who in (player, rival):
        assert api(who).post(f"{at}/seats/", {}).status_code == 201
    game = api(None).get(f"{at}/").json()
    assert (game["buy_in"], game["pot"]["amount"], game["pot"]["status"]) == (BUY_IN, 2 * BUY_IN, "open")
    assert api(None).get(f"{V1}/matches/{made['id']}/").json()["pot"]["amount"] == 2 * BUY_IN
    [line] = api(None).get(f"{V1}/matches/").json()["results"]
    assert line["buy_in"] == BUY_IN


# --- pots ---------------------------------------------------------------------------------------------


@pytest.fixture
def ended(api: Api, player: Player, rival: Player) -> GameRecord:
    provide([player, rival])
    at = opened(api, player)
    for who in (player, rival):
        api(who).post(f"{at}/seats/", {})
    api(player).post(f"{at}/start/", {})
    return play_out(GameRecord.objects.get(), [player, rival])


def test_a_ruling_divides_the_pot_again_and_leaves_the_bundle_unchanged(
    api: Api, ended: GameRecord, player: Player, rival: Player, administrator: Player
) -> None:
    pot, client = Pot.objects.get(), api(administrator)
    at = f"{V1}/pots/{pot.pk}"
    [listed] = client.get(f"{V1}/pots/?subject=game:{ended.pk}").json()["results"]
    assert listed["id"] == str(pot.pk)
    before = api(player).get(f"{V1}/games/{ended.pk}/bundle/").json()
    places = [[str(player.pk), str(rival.pk)]]
    divided = client.post(f"{at}/resettle/", {"places": places, "reason": "dead heat"}).json()
    expected = [(1, "settled"), (2, "dead heat")]
    assert [(made["number"], made["reason"]) for made in divided["divisions"]] == expected
    assert divided["divisions"][1]["actor"] == f"player:{administrator.pk}"
    assert (money_of([player, rival]), in_escrow(ended)) == ([1000, 1000], 0)
    assert api(player).get(f"{V1}/games/{ended.pk}/bundle/").json() == before
    void = client.post(f"{at}/resettle/", {"places": None, "reason": "marked cards"}).json()
    assert (void["status"], void) == ("void", client.get(f"{at}/").json())
    for wrong in ([[str(player.pk)]], [[str(player.pk)], [str(player.pk)]], [[str(uuid4()), str(rival.pk)]]):
        answer = client.post(f"{at}/resettle/", {"places": wrong, "reason": "misread"})
        assert (answer.status_code, answer.json()["code"]) == (400, "bad-pot")
    assert client.post(f"{at}/resettle/", {"places": None, "reason": ""}).status_code == 400
    missing = client.post(f"{V1}/pots/{uuid4()}/resettle/", {"places": None, "reason": "misread"})
    assert missing.status_code == 404


def test_players_cannot_rule_on_their_own_pot(api: Api, administrator: Player, player: Player) -> None:
    provide([administrator])
    at = opened(api, player)
    api(administrator).post(f"{at}/seats/", {})
    pot = Pot.objects.get()
    answer = api(administrator).post(f"{V1}/pots/{pot.pk}/resettle/", {"places": None, "reason": "mine"})
    assert answer.status_code == 403


Bundle = dict[str, Any]


@pytest.fixture
def bundle(player: Player, rival: Player, stranger: Player) -> Bundle:
    change(table_of("racing-demons"), rake=1000, split=(7000, 3000))
    people = [player, rival, stranger]
    game = play_out(dealt("racing-demons", people, server_seed=bytes(range(32))), people, moves=90)
    assert game.outcome is not None
    assert game.outcome["places"] == [[1], [0, 2]]
    return selectors.bundle(game, player)


def chained(bundle: Bundle) -> Bundle:
    """Return the altered bundle with recomputed hashes."""
    rehash(bundle["game"]["id"], bundle["events"])
    return bundle


def terms(key: str, value: Any) -> Callable[[Bundle], None]:
    def alter(bundle: Bundle) -> None:
        bundle["events"][0]["data"]["buy_in"][key] = value

    return alter


def swap_the_prize(bundle: Bundle) -> None:
    first, second, _ = (each for each in bundle["transfers"] if each["reason"] == "prize")
    first["credit"], second["credit"] = second["credit"], first["credit"]


def take_more_rake(bundle: Bundle) -> None:
    [rake] = [each for each in bundle["transfers"] if each["reason"] == "rake"]
    rake["credit"] = "house/promotion"


def other_money(bundle: Bundle) -> None:
    for each in bundle["transfers"]:
        each["currency"] = "EUR"


def leave_out_a_buy_in(bundle: Bundle) -> None:
    del bundle["transfers"][0]


def hide_the_terms(bundle: Bundle) -> None:
    del bundle["events"][0]["data"]["buy_in"]


MONEY: dict[str, Callable[[Bundle], None]] = {
    "another prize winner": swap_the_prize,
    "a rake elsewhere": take_more_rake,
    "another currency": other_money,
    "a buy-in less": leave_out_a_buy_in,
    "no terms": hide_the_terms,
    "another rake": terms("rake", 0),
    "another split": terms("split", [10_000]),
    "another amount": terms("amount", 510),
}


def test_an_unaltered_bundle_verifies(bundle: Bundle) -> None:
    assert verify(chained(copy.deepcopy(bundle))).faults == verify(bundle).faults == ()
    assert [each["reason"] for each in bundle["transfers"]].count("rake") == 1


def test_money_that_differs_from_the_terms_is_found(bundle: Bundle, subtests: pytest.Subtests) -> None:
    sound = bundle
    for alter in MONEY.values():
        with subtests.test(alter=alter):
            bundle = copy.deepcopy(sound)
            alter(bundle)
            report = verify(chained(bundle))
            assert report.checks["money"] == "failed"


def test_malformed_terms_are_found(bundle: Bundle, subtests: pytest.Subtests) -> None:
    sound = bundle
    for key, value in [
        *(("amount", amount) for amount in (0, 520.0, True, 10**12)),
        *(("currency", currency) for currency in ("xts", None)),
        *(("rake", rake) for rake in (10_000, "0")),
        *(("split", split) for split in ([5000], "10000", [])),
        *(("stake_table", 7), ("tip", 5)),
    ]:
        with subtests.test(key=key, value=value):
            bundle = copy.deepcopy(sound)
            terms(key, value)(bundle)
            report = verify(chained(bundle))
            assert not report.ok
            assert report.checks["events"] == "failed"


def test_terms_in_a_game_that_has_none_are_found(player: Player) -> None:
    game = create_game(rules="idle-aces", config={}, seats=1, creator=player, now=NOON)
    void_game(game_id=game.pk, reason="x", now=NOON)
    document = selectors.bundle(GameRecord.objects.get(pk=game.pk), player)
    assert verify(document).ok
    document["events"][0]["data"]["buy_in"] = {
        "amount": 520, "currency": "XTS", "stake_table": "x", "rake": 0, "split": [10_000],
    }  # fmt: skip
    assert verify(chained(document)).checks["events"] == "failed"


def test_a_record_with_another_buy_in_is_found(player: Player, rival: Player) -> None:
    people = [player, rival]
    game = play_out(dealt("ace-race", people), people)
    assert selectors.verification(game)["ok"]
    GameRecord.objects.filter(pk=game.pk).update(buy_in=510)
    report = selectors.verification(game)
    assert report["checks"]["record"] == "failed"
