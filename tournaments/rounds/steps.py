"""The steps of a tournament as jobs. Each step has one key, so that requesting it twice creates one job.

The key contains the number of resumptions, so that a failed step becomes a new job after a resume.
"""

from __future__ import annotations

from datetime import datetime

from jobs import services as jobs
from tournaments.models import Round, Tournament

START = "tournaments.start"
OPEN_ROUND = "tournaments.open_round"
GAME_ENDED = "tournaments.game_ended"
BOTS_BET = "tournaments.bots_bet"
CLOSE_ROUND = "tournaments.close_round"
NO_SHOW = "tournaments.no_show"
FINISH = "tournaments.finish"
CLEAR = "tournaments.clear"


def start(tournament: Tournament, *, due: datetime) -> None:
    _schedule(START, tournament, "", due)


def open_round(tournament: Tournament, number: int, *, due: datetime) -> None:
    _schedule(OPEN_ROUND, tournament, f":{number}", due, round=number)


def close_round(tournament: Tournament, round: Round, *, due: datetime, why: str = "again") -> None:
    """Schedule the close. `why` separates the one at the time limit from the one after the last game."""
    _schedule(CLOSE_ROUND, tournament, f":{round.number}:{why}", due, round=round.number)


def let_bots_bet(tournament: Tournament, number: int, *, due: datetime) -> None:
    _schedule(BOTS_BET, tournament, f":{number}", due, round=number)


def watch(tournament: Tournament, round: Round, *, due: datetime) -> None:
    """Schedule a check of each table of a round for no-shows."""
    tables = round.tables.values_list("number", flat=True)
    jobs.schedule_all(
        _planned(NO_SHOW, tournament, f":{round.number}:{table}", due, round=round.number, table=table)
        for table in tables
    )


def finish(tournament: Tournament, *, due: datetime) -> None:
    _schedule(FINISH, tournament, "", due)


def clear(tournament: Tournament, *, due: datetime) -> None:
    _schedule(CLEAR, tournament, "", due)


def _schedule(kind: str, tournament: Tournament, which: str, due: datetime, **payload: int) -> None:
    jobs.schedule_all([_planned(kind, tournament, which, due, **payload)])


def _planned(kind: str, tournament: Tournament, which: str, due: datetime, **payload: int) -> jobs.Planned:
    return jobs.Planned(
        kind=kind,
        key=f"{kind}:{tournament.pk}{which}:{tournament.resumptions}",
        payload={"tournament": str(tournament.pk), **payload},
        due=due,
    )
