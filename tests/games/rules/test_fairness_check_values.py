"""RULEBOOK 7: the check values."""

import hashlib
import hmac

import pytest

from eventstore.chain import canonical
from games.rules import BadSeed, GameKey, get
from games.rules.cards import PACK, texts
from games.rules.fairness import (
    client_seed,
    commitment,
    deal_number,
    entropy,
    lot_key,
    tournament_server_seed,
    uniform,
)
from games.rules.racing_aces.game import STOCK

SERVER_SEED = bytes(range(32))
WHOLE_PACK = (
    "QH AS 6S 5C QD 2S AC 6D KC 8S KS TH KD AH 9H 2C QC TS 5H 5S KH 4S JC 6H 2D 8D 9C JS 4C 3S TD 5D 6C QS JH 9S AD 7C "
    "3H 7H 8C 9D JD 4D 4H 7D 3C 2H TC 7S 3D 8H"
)
WITHOUT_ACES = (
    "TH 8D 4S 4H JD 5D 9S TS 2H QC TD 8S 9H 3S 5S KH 4C 7C 3D 6S KS QH 8C 9C 8H 7H 5H 3C 4D JC 2D 9D 6C TC 6H 2C 7S 5C "
    "QD 6D 3H QS 2S KC KD JS 7D JH"
)
IDLE_ACES_TOP = "7C.b 6D.a 8H.a 7D.a 5C.b 8H.b 9C.a 6H.b KC.b JC.a 2S.b AS.a"
DEMON = "QD.0 TD.0 AH.0 KH.0 2C.0 9C.0 7C.0 AC.0 5H.0 6H.0 5D.0 8H.0 4D.0"
ACE_RACE_HANDS = (
    "JH KH 4S 7C KD AH 3D 5C 9D 5D 3H 9H",
    "AS 6H 4H JD KC 9S 8S 9C 6S X1 5S TH",
)


def test_commitment():
    assert commitment(SERVER_SEED) == "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd"


@pytest.mark.parametrize(
    ("seeds", "digest"),
    [
        (["ann", ""], "bae1e47537840f8db325be40beb6bc8e2969a574b5cdf09fd902bf23935a2567"),
        ([], "560e4bc2227a3af87b40a3eee85f68814edd63cc8d26dda7afa3ff83b7c96b62"),
        (["é牌", ""], "6dd2d0e0b2bb1487e4cefff30179eddea7085b536691dce8ca1a847435bbaaeb"),
    ],
)
def test_game_key(seeds, digest):
    assert GameKey(SERVER_SEED, seeds).digest.hex() == digest


def test_bet_seeds_follow_the_seats():
    assert GameKey(SERVER_SEED, ["ann"], [""]).digest == GameKey(SERVER_SEED, ["ann", ""]).digest


def test_shuffle_of_the_whole_pack(key):
    assert " ".join(texts(key.shuffle(PACK, "deck"))) == WHOLE_PACK


def test_shuffle_without_aces(key):
    assert " ".join(texts(key.shuffle(STOCK, "deck"))) == WITHOUT_ACES


def test_deal_of_vegas_solitaire(key, vegas):
    fact = vegas.deal(vegas.parse_config({"draw": 3}), 1, key)
    assert (fact.type, fact.seat, fact.data) == ("dealt", None, {})
    assert fact.private == {"packs": {"deck": WHOLE_PACK.split()}}


def test_deal_of_racing_aces(key):
    race = get("racing-aces")
    fact = race.deal(race.parse_config({}), 2, key)
    assert fact == ("dealt", None, {}, {"packs": {"deck": WITHOUT_ACES.split()}})


def test_stock_of_idle_aces(key):
    canonical_pack = texts(PACK)
    bases = {f"{rank}{suit}" for rank in "2K" for suit in "CDHS"}
    packs = [f"{card}.a" for card in canonical_pack if card not in bases] + [
        f"{card}.b" for card in canonical_pack
    ]
    assert " ".join(key.shuffle(packs, "deck")[-12:]) == IDLE_ACES_TOP


def test_hands_of_ace_race(key):
    pack = key.shuffle(texts(range(54)), "deck")
    hands: tuple[list[str], list[str]] = ([], [])
    for dealt in range(24):
        hands[(dealt + 1) % 2].append(pack.pop())  # from the dealer's left, seat 1 first
    assert tuple(" ".join(hand) for hand in hands) == ACE_RACE_HANDS


def test_demon_and_work_piles_of_racing_demons(key):
    pack = key.shuffle([f"{card}.0" for card in texts(PACK)], "deck|0")
    assert " ".join(pack.pop() for _ in range(13)) == DEMON
    assert " ".join(pack.pop() for _ in range(4)) == "JD.0 6C.0 TS.0 JH.0"


def test_tournament_server_seed():
    derived = tournament_server_seed(SERVER_SEED, round=2, deal=1)
    assert derived.hex() == "ff29ab6b8eb6f247ccd89c617f66fe857bb1592bc6607a901a303743ad0feaf4"


def test_deal_number_counts_tables_then_games():
    assert [deal_number(tables=3, game=1, table=table) for table in (1, 2, 3)] == [1, 2, 3]
    assert deal_number(tables=3, game=2, table=1) == 4


def test_entropy_joins_the_client_seeds_in_entry_order():
    assert entropy(["ann", "", "é"]) == hashlib.sha256("ann||é".encode()).hexdigest()


def test_lot_key_signs_the_entropy_with_the_tournament_seed():
    """The value is that of `openssl dgst -sha256 -mac HMAC`."""
    key = "f3f50d8893e158c71f98c5d645b4bce269730ff23cccb0ab919e32c8318c702f"
    assert lot_key(SERVER_SEED, entropy(["ann", ""])) == key


def test_seal_covers_stream_version_and_private(key):
    private = {"packs": {"deck": ["AS"]}}
    expected = hmac.new(key.digest, b"seal|game-1|7|" + canonical(private), hashlib.sha256).hexdigest()
    assert key.seal("game-1", 7, private) == expected


def test_uniform_rejects_values_beyond_the_last_whole_multiple():
    limit = 2**32 - 2**32 % 52
    assert uniform(52, iter([limit, 2**32 - 1, limit - 1])) == 51


@pytest.mark.parametrize("seed", ["a|b", "a\0b", "\ud800", "x" * 65, 5, None, b"ann"])
def test_invalid_client_seeds_are_refused(seed):
    with pytest.raises(BadSeed):
        client_seed(seed)


@pytest.mark.parametrize("seed", ["", "x" * 64, "牌" * 64, "e\u0301", "🂡" * 64])
def test_client_seeds_are_counted_in_code_points_and_not_normalised(seed):
    assert client_seed(seed) == seed


def test_a_server_seed_is_32_bytes():
    with pytest.raises(BadSeed):
        GameKey(bytes(31), [])


def test_a_key_shows_no_seed():
    key = GameKey(SERVER_SEED, ["ann"])
    assert SERVER_SEED.hex() not in repr(key)
    assert "ann" not in repr(key)
    assert key.digest.hex() not in repr(key)
