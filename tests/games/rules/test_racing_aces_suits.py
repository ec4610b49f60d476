"""RULEBOOK 2, the option `suits`: each seat chooses a suit when it is taken."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games import bots
from games.bots.simulation import simulate
from games.rules import ConfigError, GameKey, Refused, get, snapshot
from games.rules import buy_in as buy_ins
from games.rules import table as tables
from games.rules.bundles.readings import CannotReread, outcome_under, reread
from games.rules.bundles.record import Recording, bundle
from games.rules.bundles.verification import verify
from games.rules.buy_in import BuyIn, NoBuyIn
from games.rules.cards import SUITS
from games.rules.fairness import commitment
from games.rules.table import Table, evolve
from ledger.stakes.terms import PotTerms
from tests.tampering import rehash

RACE = get("racing-aces")
CHOSEN = {"suits": "chosen"}
SEED = bytes(range(32))
AT = "2026-02-03T00:00:00.000001Z"
Bundle = dict[str, Any]


def opened(
    config: dict[str, Any], *suits: str | None, seats: int | None = None, slug: str = RACE.slug
) -> Recording:
    """Return a table of `seats` at which players with these suits are seated."""
    game, recording = get(slug), Recording("7d4d1a52-0000-4000-8000-000000000001")
    table = recording.append(
        tables.create(game, game.parse_config(config), commitment=commitment(SEED)), at=AT
    )
    for number, suit in enumerate(suits):
        fact = tables.seat(table, number, player=f"p{number}", seed="", suit=suit, seats=seats or len(suits))
        table = recording.append(fact, at=AT)
    return recording


def table_of(recording: Recording) -> Table:
    assert recording.table is not None
    return recording.table


def raced(*suits: str, server_seed: bytes = SEED, **config: Any) -> Recording:
    recording = opened({**CHOSEN, **config}, *suits)
    key = table_of(recording).key(server_seed)
    table = recording.append(tables.deal(table_of(recording), key), at=AT, key=key)
    while not table.ended:
        table = recording.append(*tables.decide(table, None, {"type": "draw"}, key), at=AT, key=key)
    return recording


def refusal(recording: Recording, suit: str | None, *, seats: int | None = None) -> Refused:
    with pytest.raises(Refused) as caught:
        tables.seat(table_of(recording), 7, player="late", seed="", suit=suit, seats=seats)
    return caught.value


def test_without_the_option_no_event_names_suits() -> None:
    assert RACE.config_json(RACE.parse_config({})) == {"finish_line": 10, "cards_per_draw": 1, "burn": 0}
    assert RACE.parse_config({"suits": "none"}) == RACE.parse_config({})
    played = simulate(RACE, RACE.parse_config({}), seats=3, bots=[bots.get(RACE.slug)], seed="s", number=1)
    assert "suit" not in json.dumps(played.bundle)
    assert "suits" not in played.table.view(0)
    assert "winners" not in played.table.view(None)


def test_the_option_is_in_the_config() -> None:
    assert RACE.config_json(RACE.parse_config(CHOSEN)) == {
        "finish_line": 10,
        "cards_per_draw": 1,
        "burn": 0,
        "suits": "chosen",
    }
    with pytest.raises(ConfigError) as caught:
        RACE.parse_config({"suits": "H"})
    assert caught.value.field == "suits"


def test_the_seat_event_and_the_bundle_contain_the_suit() -> None:
    recording = raced("H", "S")
    seated = [event["data"] for event in recording.events if event["type"] == "seated"]
    assert seated == [
        {"seat": 0, "player": "p0", "client_seed": "", "suit": "H"},
        {"seat": 1, "player": "p1", "client_seed": "", "suit": "S"},
    ]
    shown = bundle(
        game_id=recording.stream, table=table_of(recording), events=recording.events, server_seed=SEED
    )
    assert shown["game"]["seats"] == seated
    assert verify(shown).ok


def test_a_seat_without_a_suit_is_refused() -> None:
    refused = refusal(opened(CHOSEN, "H", seats=4), None, seats=4)
    assert (refused.code, refused.fact) == ("suit-needed", "`suit` is missing: the suits left are C D S")


@pytest.mark.parametrize("wrong", ["X", "h", "", "CD", "hearts"])
def test_a_wrong_letter_is_refused(wrong: str) -> None:
    assert refusal(opened(CHOSEN), wrong).code == "no-such-suit"


@pytest.mark.parametrize("slug", ["racing-aces", "racing-demons"])
def test_a_suit_without_the_option_is_refused(slug: str) -> None:
    assert refusal(opened({}, slug=slug), "H").code == "no-suits"


@pytest.mark.parametrize("seats", range(1, 9))
def test_a_suit_has_one_seat_at_tables_of_up_to_four_and_two_at_larger_ones(seats: int) -> None:
    most = 1 if seats <= 4 else 2
    suits = (list(SUITS) * 2)[:seats]
    recording = opened(CHOSEN, *["H"] * min(most, seats), seats=seats)
    assert table_of(recording).free_suits(seats) == ["C", "D", "S"]
    refused = refusal(recording, "H", seats=seats)
    assert (refused.code, refused.fact) == (
        "suit-taken",
        "hearts are taken; still free are clubs, diamonds, spades",
    )
    assert table_of(raced(*suits)).status == "finished"


def test_leaving_frees_the_suit() -> None:
    recording = opened(CHOSEN, "H", seats=2)
    recording.append(tables.leave(table_of(recording), 0), at=AT)
    recording.append(tables.seat(table_of(recording), 1, player="p1", seed="", suit="H", seats=2), at=AT)
    assert table_of(recording).seats[1].suit == "H"


def test_the_deal_refuses_what_the_size_of_the_table_forbids() -> None:
    """The stream does not contain the size of the table, so the deal checks the suits of the seated players."""
    recording = opened(CHOSEN, "H", "H", seats=8)
    with pytest.raises(Refused) as caught:
        tables.deal(table_of(recording), GameKey(SEED, ["", ""]))
    assert (caught.value.code, caught.value.fact) == ("suit-taken", "too many seats have hearts")


def test_view_and_outcome_contain_suits_and_the_seats_of_the_winning_suit() -> None:
    recording = raced("D", "C", "H", "D", "S", "H")
    table = table_of(recording)
    assert table.outcome is not None
    winner = table.outcome["winner"]
    winners = [seat for seat, suit in enumerate("DCHDSH") if suit == winner]
    assert winners
    for shown in (table.outcome, table.view(None), table.view(2)):
        assert (shown["suits"], shown["winners"]) == (list("DCHDSH"), winners)
    dealt = next(index for index, event in enumerate(recording.events) if event["type"] == "dealt")
    before: Table | None = None
    for event in recording.events[: dealt + 1]:
        before = evolve(before, event["type"], event["seat"], event["data"], event["private"])
    assert before is not None
    assert (before.view(None)["suits"], before.view(None)["winners"]) == (list("DCHDSH"), [])


def test_the_winning_suit_may_have_no_seat() -> None:
    outcomes = [table_of(raced(suit)).outcome for suit in SUITS]
    assert sorted(len(outcome["winners"]) for outcome in outcomes if outcome) == [0, 0, 0, 1]


def test_a_race_without_a_winner_has_no_winners() -> None:
    outcome = table_of(raced("C", "D", "H", "S", burn=39)).outcome
    assert outcome is not None
    assert (outcome["result"], outcome["winners"]) == ("no-winner", [])


def test_the_table_is_restored_from_its_snapshot_at_every_version() -> None:
    table: Table | None = None
    for event in raced("S", "C", "D").events:
        table = evolve(table, event["type"], event["seat"], event["data"], event["private"])
        again = snapshot.restored(json.loads(json.dumps(snapshot.document(table))))
        assert repr(again) == repr(table)


@settings(max_examples=24, deadline=None)
@given(st.integers(0, 8), st.integers(0, 10**6), st.integers(0, 39))
def test_simulated_races_at_every_size_of_table_verify(seats: int, number: int, burn: int) -> None:
    config = RACE.parse_config({**CHOSEN, "burn": burn})
    played = simulate(RACE, config, seats=seats, bots=[bots.get(RACE.slug)], seed="suits", number=number)
    report = verify(json.loads(json.dumps(played.bundle)))
    assert (report.faults, set(report.checks.values())) == ((), {"passed"})
    outcome = played.bundle["outcome"]
    assert outcome["winners"] == [
        seat for seat, suit in enumerate(outcome["suits"]) if suit == outcome["winner"]
    ]


# --- bundles -------------------------------------------------------------------------------------


def proven(*suits: str) -> Bundle:
    recording = raced(*suits)
    return bundle(
        game_id=recording.stream, table=table_of(recording), events=recording.events, server_seed=SEED
    )


def chained(document: Bundle) -> Bundle:
    """Recompute the hashes of the altered bundle."""
    rehash(document["game"]["id"], document["events"])
    return document


def set_suit(suit: str | None, *, event: bool = True, seats: bool = True) -> Callable[[Bundle], None]:
    def alter(document: Bundle) -> None:
        for holder in [document["events"][1]["data"]] * event + [document["game"]["seats"][0]] * seats:
            if suit is None:
                del holder["suit"]
            else:
                holder["suit"] = suit

    return alter


def set_outcome(key: str, value: Any) -> Callable[[Bundle], None]:
    def alter(document: Bundle) -> None:
        document["events"][-1]["data"]["outcome"][key] = value
        document["outcome"][key] = value

    return alter


def set_config(document: Bundle) -> None:
    del document["game"]["config"]["suits"]
    del document["events"][0]["data"]["config"]["suits"]


ALTERED: dict[str, tuple[Callable[[Bundle], None], str]] = {
    "a suit changed everywhere": (set_suit("D"), "outcome"),
    "a suit changed in its event": (set_suit("D", seats=False), "outcome"),
    "a suit changed in the seats": (set_suit("D", event=False), "client-seeds"),
    "a suit that another seat has": (set_suit("C"), "events"),
    "a suit left out": (set_suit(None), "events"),
    "a suit left out of the seats": (set_suit(None, event=False), "client-seeds"),
    "no suit": (set_suit("X"), "format"),
    "other winners": (set_outcome("winners", [1]), "outcome"),
    "other suits in the outcome": (set_outcome("suits", ["C", "H"]), "outcome"),
    "a config without suits": (set_config, "events"),
}


def test_altered_suits_and_winners_are_found(subtests: pytest.Subtests) -> None:
    sound = proven("H", "C")
    assert verify(chained(copy.deepcopy(sound))).ok
    for name, (alter, check) in ALTERED.items():
        with subtests.test(name):
            document = copy.deepcopy(sound)
            alter(document)
            report = verify(chained(document))
            failed = {name for name, verdict in report.checks.items() if verdict == "failed"}
            assert check in failed, report.faults


def test_a_stream_without_a_suit_does_not_fold() -> None:
    events = copy.deepcopy(raced("H").events)
    del events[1]["data"]["suit"]
    table: Table | None = None
    for event in events[:2]:
        table = evolve(table, event["type"], event["seat"], event["data"], event["private"])
    with pytest.raises(ValueError, match="not in list"):
        evolve(table, "dealt", None, events[2]["data"], events[2]["private"])


# --- other readings of the rules -----------------------------------------------------------------


def test_a_race_with_suits_can_be_read_without_them() -> None:
    document = proven("H", "C")
    reading = reread(document, {"suits": "none"})
    assert reading.otherwise is not None
    assert reading.otherwise.how == "outcome"
    outcome = outcome_under(document, reading)
    assert outcome is not None
    assert "winners" not in outcome
    assert buy_ins.places(outcome) is None


def test_a_race_without_suits_cannot_be_read_with_them() -> None:
    played = simulate(RACE, RACE.parse_config({}), seats=2, bots=[bots.get(RACE.slug)], seed="s", number=1)
    with pytest.raises(CannotReread, match="has a suit"):
        reread(played.bundle, CHOSEN)


# --- pot -----------------------------------------------------------------------------------------


def pot(amount: int = 101, rake: int = 0, split: tuple[int, ...] = (10_000,)) -> BuyIn:
    return BuyIn(amount, "XTS", PotTerms(stake_table="race-bets", rake=rake, split=split))


def outcome(suits: str, winner: str | None) -> dict[str, Any]:
    return {
        "winner": winner,
        "suits": list(suits),
        "winners": [seat for seat, suit in enumerate(suits) if suit == winner],
    }


def test_the_winners_share_the_pot_and_remaining_pence_go_in_seat_order() -> None:
    assert pot().shares(outcome("HCDS", "C"), 4).awards == {0: 0, 1: 404, 2: 0, 3: 0}
    assert pot().shares(outcome("HCDSC", "C"), 5).awards == {0: 0, 1: 253, 2: 0, 3: 0, 4: 252}


def test_stakes_are_refunded_if_no_seat_has_the_winning_suit_or_no_suit_wins() -> None:
    for winner in ("S", None):
        assert pot().shares(outcome("HC", winner), 2).awards == {0: 101, 1: 101}


@settings(max_examples=64, deadline=None)
@given(
    st.lists(st.sampled_from(SUITS), min_size=2, max_size=8),
    st.sampled_from([*SUITS, None]),
    st.integers(1, 10**9),
)
def test_the_pot_pays_out_what_was_paid_in(suits: list[str], winner: str | None, amount: int) -> None:
    ended = outcome("".join(suits), winner)
    shares = pot(amount).shares(ended, len(suits))
    assert (shares.rake, sum(shares.awards.values())) == (0, amount * len(suits))
    if ended["winners"]:
        won = [shares.awards[seat] for seat in ended["winners"]]
        assert won == sorted(won, reverse=True)
        assert max(won) - min(won) <= 1
        assert sum(won) == amount * len(suits)
    else:
        assert set(shares.awards.values()) == {amount}


def test_the_terms_of_a_race_have_no_rake_and_one_place() -> None:
    assert buy_ins.read(pot().document(), RACE, CHOSEN) == pot()
    for wrong in (pot(rake=1), pot(split=(7000, 3000))):
        with pytest.raises(NoBuyIn):
            buy_ins.read(wrong.document(), RACE, CHOSEN)
    with pytest.raises(NoBuyIn, match="chooses its suit"):
        buy_ins.read(pot().document(), RACE, {})
