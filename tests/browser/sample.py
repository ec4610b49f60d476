"""A sample installation, made over REST: games and tournaments in progress, and pending payouts.

For tests that open every page, and for the pictures of the documentation.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import httpx

from tests.installation import until

if TYPE_CHECKING:  # `tests/docs` reads the list of pages without a browser
    from tests.browser.conftest import Caller, Site

NAMES = ("mara", "piet", "joan", "luca", "edda", "owen")
WELCOME = 250_000
SOLITAIRE = {"rules": "vegas-solitaire", "config": {"draw": 3, "stake": 0}}
STAKED = {"rules": "vegas-solitaire", "config": {"draw": 3, "stake": 520}, "stake_table": "vegas-classic"}
DESTINATION = "DE02 1203 0000 0000 2020 51"


@dataclass(frozen=True, slots=True)
class SampleSite:
    """What there is, by its id. `player`, called `name`, has a part in nearly all `games`, and claims in `dispute`.

    The ruling on the dispute `proposed` waits for a second person. Of the other `rows` there is one each: a pot of a
    table with buy-ins, a batch of payouts, an approved payout outside it, a freeze, a player's report of another, a
    market that waits for its settlement and one that is void, disputes of a running game and of a suspended one, and a
    suspended player.
    """

    name: str
    player: Caller
    helper: str
    games: dict[str, str]
    tournaments: dict[str, str]
    market: str
    dispute: str
    proposed: str
    rows: dict[str, str]
    payouts: dict[str, str]


def sample(site: Site, guarantee: int = 0) -> SampleSite:
    """Needs a ticker and a worker, who play the bots and the rounds. `guarantee` is that of the club cup, in pence."""
    people = [site.newcomer(name) for name in NAMES]
    administrator = site.staff("administrator")
    for one in people:
        body = {"player": one.player, "amount": WELCOME, "currency": "XTS", "reason": "welcome"}
        administrator.post("deposits/", body)
    tournaments = _tournaments(site, people, guarantee)
    games = _games(people)
    market = _market(site, people)
    made = SampleSite(
        name=NAMES[0],
        player=people[0],
        helper=people[5].player,
        games={**games, "race": market[0]},
        tournaments=tournaments,
        market=market[1],
        dispute=str(people[0].post(f"games/{games['collected']}/disputes/", CLAIM)["id"]),
        proposed=_proposed(site, people[5]),
        payouts=_payouts(site, people),
        rows=_rows(site, people),
    )
    _protect(site, people[0])
    made.rows.update(_disputes_in_play(site, people[4]))
    until(lambda: _has_ended(people[0], tournaments["knockout"]), "the bots play the knockout to its end")
    until(lambda: _has_closed_a_round(people[0], tournaments["between"]), "the bots play a round")
    until(lambda: _is_to_move(people[0], games["ace-race"]), "the bots at the table of Ace Race have moved")
    made.rows["tournament-dispute"] = _of_a_tournament(site, tournaments["knockout"])
    return made


MOST = 100_000_000_000
"""The largest amount, in pence."""


def with_largest_amounts(site: Site, made: SampleSite) -> SampleSite:
    """The sample with the largest amounts: a balance, a payout, and a limit of the player."""
    administrator, player = site.staff("administrator"), made.player
    for _ in range(2):
        body = {"player": player.player, "amount": MOST, "currency": "XTS", "reason": "the largest deposit"}
        administrator.post("deposits/", body)
    large = _ask(player, MOST - 1)
    limit = {"kind": "stake", "period": "month", "amount": MOST, "reason": "the largest limit"}
    administrator.post(f"players/{player.player}/limits/", limit)
    return replace(made, payouts={**made.payouts, "large": large})


CLAIM = {"version": 4, "claim": "The seven of hearts was mine to play, and the table did not take it."}


def _proposed(site: Site, player: Caller) -> str:
    """A dispute about a staked game, whose ruling is a proposal until a second person approves it."""
    session = player.post("play-sessions/", {"amount": 1_040, "currency": "XTS"})["id"]
    game = _dealt(player, {**STAKED, "play_session": session})
    _moves(player, game, "draw", "collect")
    dispute = str(player.post(f"games/{game}/disputes/", CLAIM)["id"])
    ruling = {"finding": "upheld", "remedy": "void", "reason": "the table misread the move"}
    auditor = site.staff("auditor")
    token = auditor.post(f"disputes/{dispute}/ruling/preview/", ruling)["token"]
    auditor.post(f"disputes/{dispute}/ruling/", {**ruling, "token": token})
    return dispute


def _disputes_in_play(site: Site, player: Caller) -> dict[str, str]:
    found = {}
    for name in ("running", "suspended"):
        game = _dealt(player, SOLITAIRE)
        _moves(player, game, "draw", "draw", "draw")
        found[f"{name}-dispute"] = str(player.post(f"games/{game}/disputes/", CLAIM)["id"])
    suspended = f"disputes/{found['suspended-dispute']}/suspension/"
    site.staff("auditor").post(suspended, {"reason": "the table is looked at"})
    return found


def _of_a_tournament(site: Site, tournament: str) -> str:
    """A dispute of the organizer about a game of an ended tournament."""
    organizer = site.staff("organizer")
    first = organizer.get(f"tournaments/{tournament}/rounds/1/")["tables"][0]["games"][0]["game"]
    claim = {"version": 2, "claim": "The bots were dealt each other's cards."}
    return str(organizer.post(f"games/{first}/disputes/", claim)["id"])


# --- games --------------------------------------------------------------------------------------------


def _games(people: Sequence[Caller]) -> dict[str, str]:
    player, other = people[0], people[1]
    session = player.post("play-sessions/", {"amount": 20_000, "currency": "XTS"})["id"]
    staked = {**STAKED, "play_session": session}
    collected = _dealt(player, staked)
    _moves(player, collected, "draw", "draw")
    refused = {"Authorization": f"Bearer {player.token}", "Idempotency-Key": secrets.token_hex(8)}
    httpx.post(
        f"{player.address}/api/v1/games/{collected}/moves/",
        json={"move": {"type": "recycle"}},
        headers=refused,
    )
    _moves(player, collected, "collect")
    vegas = _dealt(player, staked)
    _moves(player, vegas, "draw", "draw", "draw")
    idle = _dealt(player, {"rules": "idle-aces", "config": {}})
    race = {"rules": "ace-race", "config": {}, "seats": 4, "bots": [1, 2, {"seat": 3, "bot": "strong"}]}
    demons = {"rules": "racing-demons", "config": {"pace": "turns"}, "seats": 4, "bots": [2, 3]}
    waiting = str(other.post("games/", {"rules": "ace-race", "config": {}, "seats": 4, "bots": [3]})["id"])
    other.post(f"games/{waiting}/seats/", {"client_seed": "a tune on the stairs"})
    other.post("games/", {"rules": "racing-aces", "config": {"finish_line": 9}, "seats": 3})
    return {
        "collected": collected,
        "vegas-solitaire": vegas,
        "idle-aces": idle,
        "ace-race": _dealt(player, race),
        "racing-demons": _dealt(player, demons, other),
        "waiting": waiting,
    }


def _dealt(player: Caller, body: dict[str, Any], *others: Caller) -> str:
    game = str(player.post("games/", body)["id"])
    for number, one in enumerate((player, *others)):
        one.post(f"games/{game}/seats/", {"client_seed": f"the hand of {number}"})
    player.post(f"games/{game}/start/", {})
    return game


def _moves(player: Caller, game: str, *types: str) -> None:
    for move in types:
        player.post(f"games/{game}/moves/", {"move": {"type": move}})


def _market(site: Site, people: Sequence[Caller]) -> tuple[str, str]:
    """A race that takes bets, and its market."""
    organizer, administrator = site.staff("organizer"), site.staff("administrator")
    race = _race(organizer)
    market = administrator.post(f"games/{race}/market/", {"kind": "pool", "takeout": 1500})
    for one, runner, stake in zip(people, "HSCHDH", (500, 1200, 300, 2000, 800, 100), strict=True):
        body = {"runner": runner, "stake": stake, "currency": "XTS", "client_seed": f"{runner} wins"}
        one.post(f"markets/{market['id']}/bets/", body)
    return race, str(market["id"])


def _race(organizer: Caller) -> str:
    return str(organizer.post("games/", {"rules": "racing-aces", "config": {}, "seats": 0})["id"])


def _markets_without_winners(site: Site, player: Caller) -> dict[str, str]:
    """A market whose race runs, and one that is void."""
    organizer, administrator = site.staff("organizer"), site.staff("administrator")
    found = {}
    for name in ("closed", "void"):
        race = _race(organizer)
        market = str(administrator.post(f"games/{race}/market/", {"kind": "pool", "takeout": 0})["id"])
        body = {"runner": "S", "stake": 400, "currency": "XTS", "client_seed": name}
        player.post(f"markets/{market}/bets/", body)
        found[f"{name}-market"] = market
        if name == "closed":
            organizer.post(f"games/{race}/start/", {})
            _moves(organizer, race, organizer.get(f"games/{race}/")["legal_moves"][0]["type"])
    administrator.post(f"markets/{found['void-market']}/void/", {"reason": "the wrong race"})
    return found


def _is_to_move(player: Caller, game: str) -> bool:
    return bool(player.get(f"games/{game}/")["legal_moves"])


# --- tournaments --------------------------------------------------------------------------------------


def _tournaments(site: Site, people: Sequence[Caller], guarantee: int) -> dict[str, str]:
    organizer = site.staff("organizer")
    prized = {"fee": 500, "prizes": [5000, 3000, 2000], "currency": "XTS", "round_seconds": 3600}

    def entered(by: Sequence[Caller], **terms: Any) -> str:
        made = str(organizer.post("tournaments/", terms)["id"])
        organizer.post(f"tournaments/{made}/publish/", {})
        for one in by:
            one.post(f"tournaments/{made}/entries/", {"client_seed": f"{one.player[:8]} was here"})
        return made

    duplicate = entered(
        people, name="Sunday duplicate", format="duplicate", rounds=3, fill_to=10, **SOLITAIRE, **prized
    )
    ace = {"rules": "ace-race", "config": {}, "seats": 2}
    cup = {"format": "knockout", "rounds": 0, "fill_to": 8, "capacity": 8, "guarantee": guarantee}
    knockout = entered([], name="The club cup", **cup, **ace, **prized)
    swiss = entered(people[:5], name="Long Swiss night", format="swiss", rounds=5, fill_to=8, **ace, **prized)
    organizer.post(f"tournaments/{swiss}/roles/", {"player": people[5].player, "role": "helper"})
    pair = {"constraint": "apart", "entries": [1, 2], "reason": "one household"}
    organizer.post(f"tournaments/{swiss}/pairs/", pair)
    for each in (duplicate, knockout, swiss):
        organizer.post(f"tournaments/{each}/start/", {})
    between = entered(
        [], name="Between two rounds", format="swiss", rounds=3, fill_to=4, gap_seconds=86_400, **ace
    )
    paused = entered(people[:2], name="Quiet hour", format="duplicate", rounds=2, **SOLITAIRE)
    for each in (between, paused):
        organizer.post(f"tournaments/{each}/start/", {})
    organizer.post(f"tournaments/{paused}/pause/", {"reason": "the lights are out"})
    later = entered(
        people[2:5], name="Late show", format="duplicate", rounds=2, capacity=16, **SOLITAIRE, **prized
    )
    draft = {"name": "Spring open", "format": "swiss", "rounds": 4, **ace, **prized}
    return {
        "duplicate": duplicate,
        "knockout": knockout,
        "swiss": swiss,
        "open": later,
        "between": between,
        "paused": paused,
        "draft": str(organizer.post("tournaments/", draft)["id"]),
    }


def _has_closed_a_round(player: Caller, tournament: str) -> bool:
    rounds = player.get(f"tournaments/{tournament}/rounds/")["results"]
    return bool(rounds) and rounds[0]["closed_at"] is not None


def _has_ended(player: Caller, tournament: str) -> bool:
    return bool(player.get(f"tournaments/{tournament}/")["status"] == "finished")


# --- money --------------------------------------------------------------------------------------------


def _payouts(site: Site, people: Sequence[Caller]) -> dict[str, str]:
    administrator = site.staff("administrator")
    requested = {
        "small": _ask(people[1], 4_000),
        "large": _ask(people[2], 150_000),
        "approved": _ask(people[3], 6_500),
        "held": _ask(people[4], 120_000),
        "own": _ask(people[0], 2_500),
    }
    administrator.post(f"payouts/{requested['approved']}/approve/", {"reason": "name and account agree"})
    administrator.post(f"payouts/{requested['held']}/hold/", {"reason": "whose account is it?"})
    return requested


def _ask(player: Caller, amount: int) -> str:
    body = {"amount": amount, "currency": "XTS", "destination": DESTINATION}
    return str(player.post("withdrawals/", body)["id"])


def _rows(site: Site, people: Sequence[Caller]) -> dict[str, str]:
    administrator = site.staff("administrator")
    administrator.post("stakes/", BUY_INS)
    game = {"rules": "ace-race", "config": {}, "seats": 2, "stake_table": BUY_INS["slug"], "buy_in": 500}
    _dealt(people[0], game, people[1])
    report = {"reason": "name", "text": "It is the name of somebody else."}
    people[1].post(f"players/{people[2].player}/reports/", report)
    batch = str(administrator.post("payout-batches/", {})["id"])
    payable = _ask(people[3], 3_000)
    administrator.post(f"payouts/{payable}/approve/", {"reason": "name and account agree"})
    administrator.post("stakes/", {**BUY_INS, "slug": "ace-race-matinee", "open": False})
    suspended = site.newcomer("edgar").player
    administrator.put(f"players/{suspended}/suspension/", {"reason": "several accounts"})
    return {
        "suspended-player": suspended,
        **_markets_without_winners(site, people[0]),
        "payable": payable,
        "race": _race(site.staff("organizer")),
        "pot": str(administrator.get("pots/")["results"][0]["id"]),
        "batch": batch,
        "freeze": str(administrator.get("freezes/")["results"][0]["id"]),
        "report": str(administrator.get("player-reports/")["results"][0]["id"]),
    }


BUY_INS = {
    "slug": "ace-race-evening", "rules": "ace-race", "minimum": 100, "maximum": 1_000, "step": 100,
    "default": 500, "rake": 250, "reason": "the tables of Friday",
}  # fmt: skip


def _protect(site: Site, player: Caller) -> None:
    limit = {"kind": "loss", "period": "week", "amount": 50_000, "reason": "as asked for"}
    site.staff("administrator").post(f"players/{player.player}/limits/", limit)
