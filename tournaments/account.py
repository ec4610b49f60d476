"""What a finished tournament came to, as one document: who met whom with which deal, standings, prizes, money, checks.

Nothing in it tells when or under which keys of the database it was held: the same seed gives the same bytes.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from ledger.reconciliation.run import reconcile_all
from ledger.selectors import transfers_of, trial_balance
from tournaments import formats, money, record
from tournaments.formats import meeting
from tournaments.formats.checker import check_all
from tournaments.formats.history import History, paired
from tournaments.formats.replay import Replayed
from tournaments.models import TableGame, Tournament
from tournaments.proof import Proof

Document = dict[str, Any]


def account(tournament: Tournament, replayed: Replayed, proofs: list[Proof] | None) -> Document:
    """`proofs` None: the games have not been verified, and the document says so."""
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
        told = {"table": result.table, "deal": result.deal, "entry": result.entry}
        results[result.round].append({**told, "ended": result.ended, "score": list(result.score)})
    return [{**paired(one), "deals": deals[one.round], "results": results[one.round]} for one in state.played]


def _money(tournament: Tournament, state: History) -> Document:
    """In pence, all of it from the transfers."""
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
        _check("the checker accepts every round and pairs it again", [fault.what for fault in faults]),
        _check(
            "the events replay into the same pairings, deals, standings and prizes",
            [] if replayed.difference is None else [replayed.difference.what],
        ),
        _check("every fee is in the ledger", [] if cash["fees"] == fees else [f"{cash['fees']} of {fees}"]),
        _check(
            "fees and overlay are prizes and rake to the penny, and nothing is left",
            []
            if cash["prizes"] + cash["rake"] == fees + cash["overlay"] and not cash["left"]
            else [
                f"{cash['prizes']} + {cash['rake']} of {fees} + {cash['overlay']}, {cash['left']} left",
            ],
        ),
        _check(
            "the prizes paid are the prizes told",
            [] if cash["prizes"] == sum(state.awards.values()) else [str(sum(state.awards.values()))],
        ),
        _check("the trial balance is zero", [] if not balance.total else [str(balance.total)]),
        _check("the books follow from what happened", [str(one) for one in differences]),
    ]
    if state.bank:
        left = sum(meeting.banks(state.snapshot()).values())
        given = state.bank * len(state.entrants)
        wrong = [] if left == given else [f"{left} of {given}"]
        checks.append(_check("the banks at the end are the play money that was given out", wrong))
    if proofs is not None:
        wrong = [f"{one.game}: {one.fault}" for one in proofs if one.fault]
        checks.append(_check(f"{len(proofs)} games prove themselves and are worth what was scored", wrong))
    return checks


def _check(what: str, wrong: list[str]) -> Document:
    return {"what": what, "ok": not wrong, "wrong": wrong}
