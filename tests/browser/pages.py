"""Every page there is: of the web client by its route, of the back office by the name of its address."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.browser.evening import Evening

ROUTES = Path(__file__).resolve().parents[2] / "frontend" / "src" / "routes.ts"


GUEST, PLAYER, AUDITOR = "guest", "player", "auditor"


@dataclass(frozen=True, slots=True)
class ClientPage:
    """`path` is where a page of the route can be looked at, and `who` looks at it."""

    name: str
    told: str
    route: str
    path: Callable[[Evening], str]
    who: str = PLAYER


def _game(name: str, rest: str = "") -> Callable[[Evening], str]:
    return lambda evening: f"/games/{evening.games[name]}/{rest}"


def _tournament(name: str, rest: str = "") -> Callable[[Evening], str]:
    return lambda evening: f"/tournaments/{evening.tournaments[name]}/{rest}"


def _at(path: str) -> Callable[[Evening], str]:
    return lambda evening: path


def _dispute(evening: Evening) -> str:
    return f"/disputes/{evening.dispute}/"


CLIENT = (
    ClientPage("lobby-guest", "The lobby, before signing in", "/", _at("/"), who=GUEST),
    ClientPage("sign-in", "Signing in", "/sign-in", _at("/sign-in/"), who=GUEST),
    ClientPage("missing", "An address that is none", "", _at("/nowhere/"), who=GUEST),
    ClientPage("lobby", "The lobby: open tables and tournaments", "/", _at("/")),
    ClientPage(
        "new-vegas-solitaire",
        "Opening a game of Vegas Solitaire: version, stake, what may be won",
        "/new/:rules",
        _at("/new/vegas-solitaire/"),
    ),
    ClientPage(
        "new-ace-race",
        "Opening a table of Ace Race: options, seats, bots",
        "/new/:rules",
        _at("/new/ace-race/"),
    ),
    ClientPage("vegas-solitaire", "Vegas Solitaire in play", "/games/:id", _game("vegas-solitaire")),
    ClientPage(
        "vegas-solitaire-collected",
        "Vegas Solitaire, collected: what it came to",
        "/games/:id",
        _game("collected"),
    ),
    ClientPage("idle-aces", "Idle Aces: the cross", "/games/:id", _game("idle-aces")),
    ClientPage("ace-race", "Ace Race among four", "/games/:id", _game("ace-race")),
    ClientPage("racing-demons", "Racing Demons among four", "/games/:id", _game("racing-demons")),
    ClientPage("racing-aces", "Racing Aces with its market", "/games/:id", _game("race")),
    ClientPage("waiting-table", "A table that waits for players", "/games/:id", _game("waiting")),
    ClientPage("tournament-open", "A tournament that takes entries", "/tournaments/:id", _tournament("open")),
    ClientPage("tournament-running", "A tournament under way", "/tournaments/:id", _tournament("duplicate")),
    ClientPage("tournament-over", "A knockout that is over", "/tournaments/:id", _tournament("knockout")),
    ClientPage(
        "tournaments", "The list of tournaments, with its filters", "/tournaments", _at("/tournaments/")
    ),
    ClientPage(
        "bracket",
        "A bracket, alone on its page",
        "/tournaments/:id/bracket",
        _tournament("knockout", "bracket/"),
    ),
    ClientPage("wallet", "The wallet: balances and the statement", "/wallet", _at("/wallet/")),
    ClientPage("wallet-sessions", "Play sessions", "/wallet/sessions", _at("/wallet/sessions/")),
    ClientPage("wallet-bets", "Bets", "/wallet/bets", _at("/wallet/bets/")),
    ClientPage("wallet-payouts", "Paying in and out", "/wallet/payouts", _at("/wallet/payouts/")),
    ClientPage("wallet-limits", "Limits and time-outs", "/wallet/protection", _at("/wallet/protection/")),
    ClientPage("account", "One's account", "/account", _at("/account/")),
    ClientPage("replay", "A game replayed", "/games/:id/replay", _game("collected", "replay/")),
    ClientPage("event", "One of its events", "/games/:id/events/:version", _game("collected", "events/4/")),
    ClientPage("claim", "Disputing a game", "/games/:id/dispute", _game("vegas-solitaire", "dispute/")),
    ClientPage("disputes", "Disputes that concern one", "/disputes", _at("/disputes/")),
    ClientPage("dispute", "A dispute, for who claims", "/disputes/:id", _dispute),
    ClientPage("audit", "A game audited", "/games/:id/audit", _game("collected", "audit/"), AUDITOR),
    ClientPage("disputes-queue", "The auditor's queue", "/disputes", _at("/disputes/"), AUDITOR),
    ClientPage("dispute-ruling", "A dispute, for who rules", "/disputes/:id", _dispute, AUDITOR),
)


def routes() -> set[str]:
    """The patterns of the client's routes, as its source has them."""
    found = re.findall(r'\bpattern: "([^"]+)"', ROUTES.read_text())
    assert found, "routes.ts is written in another way than this expects"
    return set(found)


OFFICE: dict[str, Callable[[Evening], str]] = {
    "dashboard": _at(""),
    "player-money": lambda evening: f"money/players/{evening.player.player}/",
    "player": lambda evening: f"accounts/player/{evening.player.player}/change/",
    **{
        f"player-{deed}": lambda evening, deed=deed: (  # type: ignore[misc]
            f"accounts/player/{evening.player.player}/{deed}/"
        )
        for deed in ("roles", "recover", "erase")
    },
    "audit-ask": _at("audit/auditreport/ask/"),
    "banks": _at("money/banks/"),
    "players": _at("money/players/"),
    "reports": _at("money/reports/"),
    "reports-games": _at("money/reports/games/?rules=vegas-solitaire"),
    "reports-stake-tables": _at("money/reports/stake-tables/"),
    "reports-tournaments": _at("money/reports/tournaments/"),
    "payouts": _at("ledger/payout/"),
    "deposit": lambda evening: f"ledger/account/deposit/?player={evening.player.player}",
    "payout": lambda evening: f"ledger/payout/{evening.payouts['large']}/change/",
    "payout-held": lambda evening: f"ledger/payout/{evening.payouts['held']}/change/",
    "payout-approve": lambda evening: f"ledger/payout/{evening.payouts['large']}/decide/approve/",
    "payout-batch": _at("ledger/payoutbatch/make/"),
    "market": lambda evening: f"ledger/market/{evening.market}/change/",
    "market-void": lambda evening: f"ledger/market/{evening.market}/void/",
    "stake-table": _at("ledger/staketable/1/change/"),
    "stake-table-terms": _at("ledger/staketable/1/terms/"),
    "stake-table-open": _at("ledger/staketable/open/"),
    "freeze": _at("ledger/freeze/make/"),
    "limit": _at("ledger/limitchange/protect/"),
    "stop": _at("ledger/playstop/protect/"),
    "game": lambda evening: f"games/gamerecord/{evening.games['collected']}/change/",
    "game-verification": lambda evening: f"games/gamerecord/{evening.games['collected']}/verify/",
    "evidence": lambda evening: f"games/{evening.games['collected']}/evidence/",
    "evidence-event": lambda evening: f"games/{evening.games['collected']}/evidence/4/?seat=0",
    "evidence-rewritten": lambda evening: f"games/{evening.games['collected']}/evidence/4/?h=0123456789ab",
    "evidence-refused": lambda evening: f"games/{evening.games['collected']}/evidence/refused/",
    "dispute": lambda evening: f"disputes/{evening.dispute}/",
    "dispute-pin": lambda evening: f"disputes/dispute/{evening.dispute}/pin/?version=4",
    **{
        f"dispute-{remedy}": lambda evening, remedy=remedy: (  # type: ignore[misc]
            f"disputes/dispute/{evening.dispute}/rule/{remedy}/"
        )
        for remedy in ("dismissed", "corrected", "void", "points", "replay")
    },
    "tournament": lambda evening: f"tournaments/tournament/{evening.tournaments['swiss']}/change/",
    "tournament-cancel": lambda evening: f"tournaments/tournament/{evening.tournaments['swiss']}/do/cancel/",
    "tournament-market": lambda evening: f"tournaments/tournament/{evening.tournaments['swiss']}/market/",
    "tournament-helpers": lambda evening: f"tournaments/{evening.tournaments['swiss']}/people/",
    "tournament-draft": _at("tournaments/tournament/add/"),
    "tournament-publish": lambda evening: (
        f"tournaments/tournament/{evening.tournaments['draft']}/do/publish/"
    ),
    "tournament-pair": lambda evening: f"tournaments/tournament/{evening.tournaments['swiss']}/pairs/",
    "tournament-disqualify": lambda evening: (
        f"tournaments/tournament/{evening.tournaments['swiss']}/entries/1/disqualify/"
    ),
    "tournament-role": lambda evening: f"tournaments/tournament/{evening.tournaments['swiss']}/people/give/",
    "console": lambda evening: f"tournaments/{evening.tournaments['duplicate']}/",
    "console-round": lambda evening: f"tournaments/{evening.tournaments['knockout']}/rounds/1/",
    **{
        f"console-{tab}": lambda evening, tab=tab: (  # type: ignore[misc]
            f"tournaments/{evening.tournaments['knockout']}/{tab}/"
        )
        for tab in ("field", "rounds", "standings", "people", "log")
    },
}
"""Below `/admin/`; the lists that the first page links to come beside these."""

PICTURED = {
    "dashboard": "The house today: what needs somebody, and how much is going on",
    "banks": "Banks and markets: what the house has, holds and may lose",
    "players": "Players and their money",
    "player-money": "One player: balances, statement, limits, games",
    "reports": "Reports by day, with charts",
    "payouts": "The payouts that wait",
    "payout": "A payout that two persons must approve",
    "payout-approve": "Approving it, with a reason",
    "stake-table": "A stake table and its terms",
    "market": "A market",
    "console": "The console of a tournament",
    "console-standings": "Standings of a tournament",
    "game": "A game, event by event",
    "game-verification": "Its verification",
    "evidence": "Its evidence: the verdict on each event",
    "dispute": "A dispute, for the auditor who is to rule",
    "dispute-void": "Ruling on it, with a preview",
}
"""The pages of the back office that the documentation shows."""


def looked_at_by(name: str) -> str:
    """An administrator may not rule on disputes."""
    return "auditor" if name.startswith("dispute") else "administrator"
