"""The report of a finished tournament, and the verification of its games.

The report contains neither times nor database keys, so the same seed gives the same bytes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from games import state
from games.models import GameRecord
from games.rules import fairness
from games.rules.bundles import lineage
from games.rules.bundles.verification import verify
from games.selectors import bundle as bundle_of
from ledger.reconciliation.services import reconcile_all
from ledger.selectors import transfers_of, trial_balance
from tournaments import formats, record
from tournaments.betting import meetings
from tournaments.formats import corrected_results, meeting
from tournaments.formats.checker import check_all
from tournaments.formats.history import History, paired
from tournaments.formats.replay import Replayed
from tournaments.formats.scoring import game_scores
from tournaments.models import Score, Seat, TableGame, Tournament
from tournaments.prizes import money

PLAYED = ("finished", "expired")
"""How a game ends with a result of its own. Forfeits and voids come from the tournament."""


@dataclass(frozen=True, slots=True)
class Proof:
    """The verification of one game; `fault` is empty if it passed."""

    game: str
    round: int
    table: int
    fault: str


def proofs(tournament: Tournament) -> Iterator[Proof]:
    """Verify each game in the order of rounds and tables: bundle, deal, and scores."""
    games = TableGame.objects.filter(table__round__tournament=tournament, dealt_at__isnull=False)
    for one in games.select_related("table__round").order_by(
        "table__round__number", "table__number", "number"
    ):
        yield Proof(str(one.game), one.table.round.number, one.table.number, _fault(tournament, one))


def _fault(tournament: Tournament, one: TableGame) -> str:
    game = GameRecord.objects.get(pk=one.game)
    bundle = bundle_of(game, None)
    report = verify(bundle)
    if not report.ok:
        return report.why or "the bundle does not verify the game"
    seed = record.load(tournament.pk).seed
    if seed is None:
        return "the tournament has not revealed its seed"
    derived = fairness.tournament_server_seed(
        bytes.fromhex(seed), round=one.table.round.number, deal=one.deal
    )
    if fairness.commitment(derived) != game.commitment:
        return f"the deal is not deal {one.deal} of round {one.table.round.number}"
    return _before(game, bundle) or _worth(tournament, one)


def _before(game: GameRecord, bundle: dict[str, Any]) -> str:
    """Return the faults of the games that this one has replaced at its table."""
    while game.parent is not None:
        replaced = bundle_of(game.parent, None)
        if game.parent_version is not None:
            fault = lineage.compare(bundle, {replaced["game"]["id"]: replaced}).why
        else:
            fault = verify(replaced).why
        if fault:
            return f"game {game.parent_id}, which it replaced: {fault}"
        game, bundle = game.parent, replaced
    return ""


def _worth(tournament: Tournament, one: TableGame) -> str:
    """Return the differences between the recorded results and the scores of the outcome."""
    worth = _worth_by_entry(one)
    recorded = {score.entry_id: score.measures for score in Score.objects.filter(table_game=one)}
    known = record.load(tournament.pk).snapshot()
    first = known.original_results()
    # Corrections are the tournament's; the game explains the original result.
    original = (first.get(corrected_results.key(result), result) for result in known.results)
    own = {
        (result.table, result.deal, result.entry)
        for result in original
        if result.round == one.table.round.number and result.ended in PLAYED
    }
    for seat in Seat.objects.filter(table=one.table_id).select_related("entry"):
        if (one.table.number, one.deal, seat.entry.number) not in own:
            continue
        due = worth.get(seat.entry_id)
        if recorded.get(seat.entry_id) != due:
            return f"entry {seat.entry.number} has {recorded.get(seat.entry_id)}, but the game gives {due}"
    return ""


def _worth_by_entry(one: TableGame) -> dict[int, list[int]]:
    """Return the scores by the entry's key. Reconciliation checks what bets on a race returned."""
    _, table = state.load(one.game)
    counted = game_scores.get(table.game.slug)
    if counted.on_bets:
        return {entry.pk: list(score) for entry, score in meetings.scores(one)}
    return {
        seat.entry_id: list(counted.score(table.outcome, seat=seat.index, moves=table.moves))
        for seat in Seat.objects.filter(table=one.table_id)
    }


# --- report ------------------------------------------------------------------------------------------


Document = dict[str, Any]


def account(tournament: Tournament, replayed: Replayed, proofs: list[Proof] | None) -> Document:
    """Return the report. With `proofs` None, it says that the games were not verified."""
    state = record.load(tournament.pk)
    names = {
        entry.number: entry.player.get_full_name() for entry in tournament.entries.select_related("player")
    }
    form, field = formats.get(state.format), state.snapshot()
    cash = _money(tournament, state)
    return {
        "tournament": {
            "name": tournament.name,
            "format": tournament.format,
            "rules": tournament.rules,
            "rules_version": tournament.rules_version,
            "config": tournament.config,
            "rounds": tournament.rounds,
            "commitment": tournament.commitment,
            "entropy": tournament.entropy,
            "lot_key": state.lot_key,
            "seed": state.seed,
        },
        "entrants": [{"entry": one.entry, "name": names[one.entry]} for one in state.entrants],
        "rounds": _rounds(tournament, state),
        "measures": [column.name for column in form.columns(field)],
        "standings": [
            {**one.document(), "prize": state.awards.get(one.entry, 0)} for one in form.standings(field)
        ],
        "money": cash,
        "checks": _checks(tournament, state, cash, replayed, proofs),
    }


def _rounds(tournament: Tournament, state: History) -> list[Document]:
    deals: dict[int, list[Document]] = defaultdict(list)
    games = TableGame.objects.filter(table__round__tournament=tournament).select_related("table__round")
    for one in games.order_by("table__round__number", "table__number", "number"):
        deals[one.table.round.number].append(
            {"table": one.table.number, "number": one.number, "deal": one.deal, "game": str(one.game)}
        )
    results: dict[int, list[Document]] = defaultdict(list)
    for result in state.results:
        original = {"table": result.table, "deal": result.deal, "entry": result.entry}
        results[result.round].append({**original, "ended": result.ended, "score": list(result.score)})
    return [{**paired(one), "deals": deals[one.round], "results": results[one.round]} for one in state.played]


def _money(tournament: Tournament, state: History) -> Document:
    """Return the amounts of the transfers, in pence."""
    by_reason: dict[str, int] = defaultdict(int)
    for transfer in transfers_of(tournament.subject):
        by_reason[transfer["reason"]] += transfer["amount"]
    return {
        "currency": tournament.currency,
        "fees": by_reason["entry fee"],
        "overlay": by_reason["guarantee"],
        "prizes": by_reason["prize"],
        "rake": by_reason["rake"],
        "left": money.pool(tournament),
    }


def _checks(
    tournament: Tournament, state: History, cash: Document, replayed: Replayed, proofs: list[Proof] | None
) -> list[Document]:
    faults = check_all(formats.get(state.format), state.snapshot())
    balance = trial_balance(tournament.currency)
    differences = reconcile_all().differences
    fees = tournament.fee * len(state.entrants)
    checks = [
        _check("every round passes the checker and is paired again", [fault.why for fault in faults]),
        _check(
            "the events replay into the same pairings, deals, standings and prizes",
            [] if replayed.difference is None else [replayed.difference.what],
        ),
        _check("every fee is in the ledger", [] if cash["fees"] == fees else [f"{cash['fees']} of {fees}"]),
        _check(
            "fees and overlay equal prizes and rake to the penny, and nothing is left",
            []
            if cash["prizes"] + cash["rake"] == fees + cash["overlay"] and not cash["left"]
            else [
                f"{cash['prizes']} + {cash['rake']} of {fees} + {cash['overlay']}, {cash['left']} left",
            ],
        ),
        _check(
            "the prizes paid are the recorded prizes",
            [] if cash["prizes"] == sum(state.awards.values()) else [str(sum(state.awards.values()))],
        ),
        _check("the trial balance is zero", [] if not balance.total else [str(balance.total)]),
        _check("the ledger follows from the events", [str(one) for one in differences]),
    ]
    if state.bank:
        left = sum(meeting.banks(state.snapshot()).values())
        given = state.bank * len(state.entrants)
        wrong = [] if left == given else [f"{left} of {given}"]
        checks.append(_check("the final banks add up to the play money given out", wrong))
    if proofs is not None:
        wrong = [f"{one.game}: {one.fault}" for one in proofs if one.fault]
        checks.append(_check(f"{len(proofs)} games verify and have the recorded scores", wrong))
    return checks


def _check(what: str, wrong: list[str]) -> Document:
    return {"what": what, "ok": not wrong, "wrong": wrong}
