"""Every page: of the web client by its route, of the staff pages by the name of its address."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.browser.sample import SampleSite

ROUTES = Path(__file__).resolve().parents[2] / "frontend" / "src" / "routes.ts"


GUEST, PLAYER, AUDITOR, ORGANIZER = "guest", "player", "auditor", "organizer"


@dataclass(frozen=True, slots=True)
class ClientPage:
    """A page of the route: its address in the sample installation, and who opens it."""

    name: str
    route: str
    path: Callable[[SampleSite], str]
    who: str = PLAYER


def _game(name: str, rest: str = "") -> Callable[[SampleSite], str]:
    return lambda sample: f"/games/{sample.games[name]}/{rest}"


def _tournament(name: str, rest: str = "") -> Callable[[SampleSite], str]:
    return lambda sample: f"/tournaments/{sample.tournaments[name]}/{rest}"


def _at(path: str) -> Callable[[SampleSite], str]:
    return lambda sample: path


def _dispute(sample: SampleSite) -> str:
    return f"/disputes/{sample.dispute}/"


CLIENT = (
    ClientPage("lobby-guest", "/", _at("/"), who=GUEST),
    ClientPage("sign-in", "/sign-in", _at("/sign-in/"), who=GUEST),
    ClientPage("reset-password", "/reset-password", _at("/reset-password/?key=a-b"), who=GUEST),
    ClientPage("verify-email", "/verify-email", _at("/verify-email/?key=a"), who=GUEST),
    ClientPage("confirm-identity", "/confirm-identity", _at("/confirm-identity/?next=/account/")),
    ClientPage("missing", "", _at("/nowhere/"), who=GUEST),
    ClientPage("lobby", "/", _at("/")),
    ClientPage(
        "new-vegas-solitaire",
        "/new/:rules",
        _at("/new/vegas-solitaire/"),
    ),
    ClientPage(
        "new-ace-race",
        "/new/:rules",
        _at("/new/ace-race/"),
    ),
    ClientPage("vegas-solitaire", "/games/:id", _game("vegas-solitaire")),
    ClientPage(
        "vegas-solitaire-collected",
        "/games/:id",
        _game("collected"),
    ),
    ClientPage("idle-aces", "/games/:id", _game("idle-aces")),
    ClientPage("ace-race", "/games/:id", _game("ace-race")),
    ClientPage("racing-demons", "/games/:id", _game("racing-demons")),
    ClientPage("racing-aces", "/games/:id", _game("race")),
    ClientPage("waiting-table", "/games/:id", _game("waiting")),
    ClientPage("my-games", "/games", _at("/games/")),
    ClientPage("tournament-open", "/tournaments/:id", _tournament("open")),
    ClientPage("tournament-running", "/tournaments/:id", _tournament("duplicate")),
    ClientPage("tournament-over", "/tournaments/:id", _tournament("knockout")),
    ClientPage("tournaments", "/tournaments", _at("/tournaments/")),
    ClientPage(
        "bracket",
        "/tournaments/:id/bracket",
        _tournament("knockout", "bracket/"),
    ),
    ClientPage("pairings", "/tournaments/:id/pairings", _tournament("duplicate", "pairings/")),
    ClientPage("projector", "/tournaments/:id/projector", _tournament("duplicate", "projector/"), who=GUEST),
    ClientPage("run", "/tournaments/:id/run", _tournament("duplicate", "run/"), ORGANIZER),
    ClientPage("run-over", "/tournaments/:id/run", _tournament("knockout", "run/"), ORGANIZER),
    ClientPage("wallet", "/wallet", _at("/wallet/")),
    ClientPage("wallet-sessions", "/wallet/sessions", _at("/wallet/sessions/")),
    ClientPage("wallet-bets", "/wallet/bets", _at("/wallet/bets/")),
    ClientPage("wallet-payouts", "/wallet/payouts", _at("/wallet/payouts/")),
    ClientPage("wallet-limits", "/wallet/protection", _at("/wallet/protection/")),
    ClientPage("account", "/account", _at("/account/")),
    ClientPage("notifications", "/notifications", _at("/notifications/")),
    ClientPage("notification-settings", "/account/notifications", _at("/account/notifications/")),
    ClientPage("replay", "/games/:id/replay", _game("collected", "replay/")),
    ClientPage("event", "/games/:id/events/:version", _game("collected", "events/4/")),
    ClientPage("claim", "/games/:id/dispute", _game("vegas-solitaire", "dispute/")),
    ClientPage("report-player", "/games/:id/report", _game("ace-race", "report/")),
    ClientPage("disputes", "/disputes", _at("/disputes/")),
    ClientPage("dispute", "/disputes/:id", _dispute),
    ClientPage("audit", "/games/:id/audit", _game("collected", "audit/"), AUDITOR),
    ClientPage("disputes-queue", "/disputes", _at("/disputes/"), AUDITOR),
    ClientPage("dispute-ruling", "/disputes/:id", _dispute, AUDITOR),
    ClientPage("wizard", "/tournaments/new", _at("/tournaments/new/"), ORGANIZER),
    ClientPage("wizard-players", "/tournaments/:id/edit", _tournament("draft", "edit/?step=2"), ORGANIZER),
    ClientPage("wizard-schedule", "/tournaments/:id/edit", _tournament("draft", "edit/?step=3"), ORGANIZER),
    ClientPage("wizard-money", "/tournaments/:id/edit", _tournament("draft", "edit/?step=4"), ORGANIZER),
    ClientPage("wizard-summary", "/tournaments/:id/edit", _tournament("draft", "edit/?step=5"), ORGANIZER),
)


def routes() -> set[str]:
    """The patterns of the client's routes, as its source has them."""
    found = re.findall(r'\bpattern: "([^"]+)"', ROUTES.read_text())
    assert found, "routes.ts is written in another way than this expects"
    return set(found)


STAFF: dict[str, Callable[[SampleSite], str]] = {
    "dashboard": _at(""),
    "player-money": lambda sample: f"money/players/{sample.player.player}/",
    "player": lambda sample: f"accounts/player/{sample.player.player}/change/",
    **{
        f"player-{action}": lambda sample, action=action: (  # type: ignore[misc]
            f"accounts/player/{sample.player.player}/{action}/"
        )
        for action in ("roles", "rename", "suspend", "recover", "erase")
    },
    "player-reinstate": lambda sample: f"accounts/player/{sample.rows['suspended-player']}/reinstate/",
    "player-report": lambda sample: f"accounts/playerreport/{sample.rows['report']}/close/",
    "jobs-retry": _at("jobs/job/retry/"),
    "audit-ask": _at("audit/auditreport/ask/"),
    "banks": _at("money/banks/"),
    "players": _at("money/players/"),
    "reports": _at("money/reports/"),
    "reports-games": _at("money/reports/games/?rules=vegas-solitaire"),
    "reports-stake-tables": _at("money/reports/stake-tables/"),
    "reports-tournaments": _at("money/reports/tournaments/"),
    "payouts": _at("ledger/payout/"),
    "deposit": lambda sample: f"ledger/account/deposit/?player={sample.player.player}",
    "payout": lambda sample: f"ledger/payout/{sample.payouts['large']}/change/",
    "payout-held": lambda sample: f"ledger/payout/{sample.payouts['held']}/change/",
    "transfer-reverse": _at("ledger/transfer/4/reverse/"),
    **{
        f"payout-{decision}": lambda sample, decision=decision: (  # type: ignore[misc]
            f"ledger/payout/{sample.payouts['large']}/decide/{decision}/"
        )
        for decision in ("approve", "hold", "reject", "reinstate")
    },
    "payout-release": lambda sample: f"ledger/payout/{sample.payouts['held']}/decide/release/",
    "payout-pay": lambda sample: f"ledger/payout/{sample.rows['payable']}/decide/pay/",
    "payout-batch": _at("ledger/payoutbatch/make/"),
    "payout-batch-pay": lambda sample: f"ledger/payoutbatch/{sample.rows['batch']}/pay/",
    "market": lambda sample: f"ledger/market/{sample.market}/change/",
    "market-void": lambda sample: f"ledger/market/{sample.market}/void/",
    "market-settle": lambda sample: f"ledger/market/{sample.rows['closed-market']}/settle/",
    "market-resettle": lambda sample: f"ledger/market/{sample.rows['void-market']}/resettle/",
    "pot-resettle": lambda sample: f"ledger/pot/{sample.rows['pot']}/resettle/",
    "stake-table": _at("ledger/staketable/1/change/"),
    **{
        f"stake-table-{action}": _at(f"ledger/staketable/1/{action}/")
        for action in ("terms", "close", "fund")
    },
    "stake-table-defund": _at("ledger/staketable/2/defund/"),
    "stake-table-reopen": _at("ledger/staketable/6/reopen/"),
    "stake-table-open": _at("ledger/staketable/open/"),
    "freeze": lambda sample: f"ledger/freeze/make/?subject=market:{sample.rows['void-market']}",
    "freeze-release": lambda sample: f"ledger/freeze/{sample.rows['freeze']}/release/",
    "limit": _at("ledger/limitchange/protect/"),
    "stop": _at("ledger/playstop/protect/"),
    "game": lambda sample: f"games/gamerecord/{sample.games['collected']}/change/",
    "game-market": lambda sample: f"games/gamerecord/{sample.rows['race']}/market/",
    "game-verification": lambda sample: f"games/gamerecord/{sample.games['collected']}/verify/",
    "evidence": lambda sample: f"games/{sample.games['collected']}/evidence/",
    "evidence-event": lambda sample: f"games/{sample.games['collected']}/evidence/4/?seat=0",
    "evidence-rewritten": lambda sample: f"games/{sample.games['collected']}/evidence/4/?h=0123456789ab",
    "evidence-refused": lambda sample: f"games/{sample.games['collected']}/evidence/refused/",
    "dispute": lambda sample: f"disputes/{sample.dispute}/",
    "dispute-pin": lambda sample: f"disputes/dispute/{sample.dispute}/pin/?version=4",
    **{
        f"dispute-{remedy}": lambda sample, remedy=remedy: (  # type: ignore[misc]
            f"disputes/dispute/{sample.dispute}/rule/{remedy}/"
        )
        for remedy in ("dismissed", "corrected", "void", "replay")
    },
    "dispute-points": lambda sample: f"disputes/dispute/{sample.rows['tournament-dispute']}/rule/points/",
    "dispute-tournament": lambda sample: f"disputes/{sample.rows['tournament-dispute']}/",
    "dispute-suspend": lambda sample: f"disputes/dispute/{sample.rows['running-dispute']}/suspend/",
    "dispute-resume": lambda sample: f"disputes/dispute/{sample.rows['suspended-dispute']}/resume/",
    "dispute-appeal": lambda sample: f"disputes/dispute/{sample.dispute}/appeal/",
    "dispute-proposed": lambda sample: f"disputes/{sample.proposed}/",
    "ruling-approve": lambda sample: f"disputes/dispute/{sample.proposed}/approve/",
    "ruling-refuse": lambda sample: f"disputes/dispute/{sample.proposed}/refuse/",
    "tournament": lambda sample: f"tournaments/tournament/{sample.tournaments['swiss']}/change/",
    **{
        f"tournament-{action}": lambda sample, action=action, of=of: (  # type: ignore[misc]
            f"tournaments/tournament/{sample.tournaments[of]}/do/{action}/"
        )
        for action, of in (
            ("start", "open"),
            ("pause", "swiss"),
            ("resume", "paused"),
            ("cancel", "swiss"),
            ("open-round", "between"),
            ("close-round", "swiss"),
        )
    },
    "tournament-market": lambda sample: f"tournaments/tournament/{sample.tournaments['open']}/market/",
    "tournament-helpers": lambda sample: f"tournaments/{sample.tournaments['swiss']}/people/",
    "tournament-draft": _at("tournaments/tournament/add/"),
    "tournament-delete": lambda sample: f"tournaments/tournament/{sample.tournaments['draft']}/do/delete/",
    "tournament-publish": lambda sample: f"tournaments/tournament/{sample.tournaments['draft']}/do/publish/",
    "tournament-pair": lambda sample: f"tournaments/tournament/{sample.tournaments['swiss']}/pairs/",
    "tournament-disqualify": lambda sample: (
        f"tournaments/tournament/{sample.tournaments['swiss']}/entries/1/disqualify/"
    ),
    "tournament-role": lambda sample: f"tournaments/tournament/{sample.tournaments['swiss']}/people/give/",
    "tournament-role-take": lambda sample: (
        f"tournaments/tournament/{sample.tournaments['swiss']}/people/{sample.helper}/take/"
    ),
    "tournament-correct": lambda sample: (
        f"tournaments/tournament/{sample.tournaments['knockout']}/rounds/1/tables/1/games/1/correct/"
    ),
    "tournament-next-round": lambda sample: (
        f"tournaments/tournament/{sample.tournaments['between']}/rounds/next/"
    ),
    "tournament-drop-pairing": lambda sample: (
        f"tournaments/tournament/{sample.tournaments['swiss']}/rounds/next/give-back/"
    ),
    "tournament-pair-release": lambda sample: (
        f"tournaments/tournament/{sample.tournaments['swiss']}/pairs/release/?one=1&other=2&constraint=apart"
    ),
    "console": lambda sample: f"tournaments/{sample.tournaments['duplicate']}/",
    "console-round": lambda sample: f"tournaments/{sample.tournaments['knockout']}/rounds/1/",
    **{
        f"console-{tab}": lambda sample, tab=tab: (  # type: ignore[misc]
            f"tournaments/{sample.tournaments['knockout']}/{tab}/"
        )
        for tab in ("field", "rounds", "standings", "people", "log")
    },
}
"""Below `/admin/`; the lists that the first page links to are opened as well."""


def visited_by(name: str) -> str:
    """An administrator may not rule on disputes."""
    return "auditor" if name.startswith("dispute") else "administrator"
