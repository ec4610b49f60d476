"""Corrections of results: the preview matches the effects on standings, prizes, and bets."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db import transaction
from django.test import override_settings

from accounts.models import Player
from accounts.roles import Role
from eventstore import store
from ledger import services as ledger
from ledger.errors import InterestedParty
from ledger.models import Account
from ledger.payouts.models import Payout
from ledger.reconciliation.services import reconcile_all
from ledger.selectors import transfers_of
from tests.concurrency import at_once
from tests.conftest import known, person
from tests.databases import shared
from tests.due_jobs import run_due
from tests.ledger.betting.markets import bet
from tests.ledger.locks import in_order, taken_too_early
from tests.money import CURRENCY, available, cash
from tests.tournaments.conftest import Publish, publish
from tests.tournaments.outrights import gained, open_outright
from tests.tournaments.playing import (
    FEE,
    NOW,
    close_round,
    enter,
    later,
    promotion,
    rich,
    settle,
    standings,
    start,
    status_of,
    types,
)
from tests.tournaments.test_api import Api, at, refused
from tournaments import formats, ratings, record, roles
from tournaments.corrections import repayment
from tournaments.corrections import services as corrections
from tournaments.corrections.services import CorrectionRequest, Evidence
from tournaments.errors import (
    BadEvidence,
    CorrectionAffectsPairings,
    CorrectionTooLate,
    MoneyFrozen,
    PreviewStale,
    RoundNotClosed,
    WrongStatus,
)
from tournaments.formats.checker import check_all
from tournaments.formats.corrections import Forfeited, Game, Scored, Void, Way
from tournaments.formats.replay import replay
from tournaments.models import StaffRole, Status, TableGame, Tournament
from tournaments.prizes import settlement
from tournaments.report import proofs
from tournaments.rounds import stalls

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
SWISS = {"format": "swiss", "rules": "ace-race", "config": {}, "gap_seconds": 3600, "prizes": (10_000,)}


@pytest.fixture
def judge(db: None) -> Player:
    return known("judy")


Held = Callable[..., Tournament]


@pytest.fixture
def held(published: Publish, judge: Player) -> Held:
    """`held(closed, *names, **terms)`: a tournament with a judge, of which `closed` rounds are closed."""
    return partial(hold, published, judge)


def hold(published: Publish, judge: Player, closed: int, *names: str, **terms: Any) -> Tournament:
    tournament = published(**{**SWISS, "rounds": closed, **terms})
    enter(tournament, *(rich(name) for name in names))
    give_judge(tournament, judge)
    start(tournament)
    for number in range(1, closed + 1):
        run_due(later(4200 * number - 3600))
        if number < closed:
            run_due(later(4200 * number))
    tournament.refresh_from_db()
    return tournament


@shared
def decided() -> Tournament:
    """An ended tournament of one table of two."""
    return hold(partial(publish, known("olga", Role.ORGANIZER)), known("judy"), 1, "cid", "dan")


@shared
def decided_for_a_large_prize() -> Tournament:
    """An ended tournament of one table of two, whose prize waits for approval."""
    with override_settings(RACECARD_PRIZE_APPROVAL_ABOVE=100):
        return hold(partial(publish, known("olga", Role.ORGANIZER)), known("judy"), 1, "cid", "dan")


def correction(way: Way, *, round: int = 1, table: int = 1, number: int = 1) -> CorrectionRequest:
    return CorrectionRequest(Game(round, table, number), way, "the wrong seat was written down")


def correct(
    tournament: Tournament, judge: Player, said: CorrectionRequest, *, now: Any = None
) -> corrections.Preview:
    """Preview a correction, apply it, and compare both."""
    now = now or later(20_000)
    ruling: dict[str, Any] = {"tournament_id": tournament.pk, "asked": said, "actor": judge, "now": now}
    shown = corrections.preview(**ruling)
    done = corrections.correct(**ruling, token=shown.token)
    assert done == shown
    tournament.refresh_from_db()
    return shown


def first_prize_to(tournament: Tournament, entry: int) -> CorrectionRequest:
    """Return results of the last round at tables of two in which `entry` wins by the most cards."""
    last = record.load(tournament.pk).played[-1]
    [table] = [one for one in last.tables if entry in one.seats]
    scores = {one: (1, 0) if one == entry else (0, 54) for one in table.seats}
    return correction(Scored(scores), round=last.round, table=table.number)


def replayed(tournament: Tournament) -> None:
    """Verify the record (chain, pairings, deals, standings, prizes), and pair all rounds again."""
    found = replay(str(tournament.pk), [event.public() for event in store.read(tournament.pk)])
    assert found.difference is None, found.difference
    state = record.load(tournament.pk)
    assert check_all(formats.get(state.format), state.snapshot()) == ()


def winners(tournament: Tournament) -> list[int]:
    rows = standings(tournament)
    return [row["entry"] for row in rows if row["place"] == 1]


def prizes(tournament: Tournament) -> dict[int, int]:
    rows = standings(tournament)
    kept = {entry: (won.place, won.amount) for entry, won in repayment.of(tournament.pk).items()}
    assert {row["entry"]: (row["place"], row["prize"]) for row in rows} == kept
    return {row["entry"]: row["prize"] for row in rows if row["prize"]}


def by_entry(standings: Any, member: str) -> dict[int, Any]:
    return {row["entry"]: row[member] for row in sorted(standings["standings"], key=lambda row: row["entry"])}


# --- while it runs -------------------------------------------------------------------------------------


def test_a_correction_after_round_two_of_three_over_rest(
    api: Api, published: Publish, organizer: Player, judge: Player
):
    promotion()
    tournament = published(**{**SWISS, "rounds": 3, "fill_to": 4, "prizes": (4000, 3000, 2000, 1000)})
    enter(tournament, rich("cid"))
    api(organizer).post(at(tournament, "roles"), {"player": str(judge.pk), "role": "judge"})
    start(tournament)
    for seconds in (600, 4200, 4800):
        run_due(later(seconds))
    client = api(judge)
    was = client.get(at(tournament, "standings")).json()
    document = client.get(at(tournament, "rounds", 2)).json()
    [one, other] = [seat["entry"] for seat in document["tables"][0]["seats"]]
    rows = [{"entry": one, "score": [1, 0]}, {"entry": other, "score": [0, 30]}]
    [had, _] = document["tables"][0]["games"][0]["scores"]
    if had == [1, 0]:
        rows[0]["score"], rows[1]["score"] = [0, 30], [1, 0]
    game = TableGame.objects.get(game=document["tables"][0]["games"][0]["game"])
    event = store.read(game.game)[-1]
    body = {
        "round": 2,
        "table": 1,
        "way": "score",
        "scores": rows,
        "reason": "the cards were counted wrong",
        "evidence": {"version": event.version, "hash": event.hash},
    }
    shown = client.post(at(tournament, "corrections", "preview"), body, key="")
    assert shown.status_code == 200, shown.json()
    assert client.get(at(tournament, "standings")).json() == was, "nothing has happened"
    done = client.post(at(tournament, "corrections"), {**body, "token": shown.json()["token"]})
    assert (done.status_code, done.json()) == (201, shown.json())
    now = client.get(at(tournament, "standings")).json()
    moved = {row["entry"]: row for row in shown.json()["standings"]}
    assert {one, other} <= moved.keys()
    for before, after in (("was", was), ("would_be", now)):
        places = {row["entry"]: (row["place"], row["totals"]) for row in after["standings"]}
        for entry, row in moved.items():
            assert (row[before]["place"], row[before]["totals"]) == places[entry]
    won = zip(by_entry(was, "prize_now").items(), by_entry(now, "prize_now").values(), strict=True)
    assert [(row["entry"], row["was"], row["would_be"]) for row in shown.json()["prizes_now"]] == [
        (entry, before, after) for (entry, before), after in won if before != after
    ]
    [listed] = api(None).get(at(tournament, "corrections")).json()["results"]
    assert (listed["number"], listed["by"], listed["reason"], listed["evidence"]) == (
        1,
        str(judge.pk),
        body["reason"],
        body["evidence"],
    )
    assert [(row["entry"], row["is"]["score"]) for row in listed["results"]] == [
        (row["entry"], row["score"]) for row in rows
    ]
    earlier = client.get(at(tournament, "standings"), {"at": listed["version"] - 1}).json()
    assert earlier["standings"] == was["standings"], "as of before"
    scores = client.get(at(tournament, "rounds", 2)).json()["tables"][0]["games"][0]
    assert (scores["scores"], scores["correction"]) == ([row["score"] for row in rows], 1)
    for seconds in (8400, 9000):
        run_due(later(seconds))
    assert status_of(tournament) == Status.FINISHED
    replayed(tournament)
    assert [one.fault for one in proofs(tournament) if one.fault] == []


def test_a_paired_round_and_the_ratings_stay_and_the_next_round_uses_the_correction(
    held: Held, judge: Player
):
    tournament = held(1, "cid", "dan", "eva", "flo", rounds=3)
    run_due(later(4200))
    next_round = record.load(tournament.pk).played[1]
    table = record.load(tournament.pk).played[0].tables[0]
    assert correct(tournament, judge, correction(Forfeited(table.seats[:1]))).rated
    assert list(ratings.differences()) == []
    assert record.load(tournament.pk).played[1] == next_round
    with pytest.raises(RoundNotClosed):
        correct(tournament, judge, correction(Void(), round=2))
    for seconds in (4800, 8400, 9000):
        run_due(later(seconds))
    assert status_of(tournament) == Status.FINISHED
    replayed(tournament)


def test_a_knockout_correction_must_not_change_who_advances(held: Held, judge: Player):
    tournament = held(2, "cid", "dan", "eva", "flo", format="knockout", rounds=0)
    assert tournament.status == Status.FINISHED
    first, last = record.load(tournament.pk).played
    [through] = set(first.tables[0].seats) & set(last.tables[0].seats)
    with pytest.raises(CorrectionAffectsPairings):
        correct(tournament, judge, correction(Forfeited([through])))
    correct(
        tournament,
        judge,
        correction(Scored({one: (int(one == through), 7) for one in first.tables[0].seats})),
    )
    [other] = set(last.tables[0].seats) - {*winners(tournament)}
    correct(tournament, judge, correction(Forfeited(winners(tournament)), round=2))
    assert winners(tournament) == [other]
    replayed(tournament)


def test_a_correction_can_undo_the_end_of_a_tournament_or_cause_it(
    held: Held, judge: Player, organizer: Player
):
    """A double knockout of two: a second final follows if the finalist with a loss wins the first."""
    tournament = held(1, "cid", "dan", format="double-knockout", rounds=0)
    run_due(later(4200))
    stalls.pause(tournament_id=tournament.pk, actor=organizer, reason="fog", now=later(4200))
    run_due(later(4800))
    assert record.is_played_out(tournament)
    [best] = winners(tournament)
    [other] = {1, 2} - {best}
    for winner in (other, best, other):
        scores = {one: (int(one == winner), 9) for one in (1, 2)}
        correct(tournament, judge, correction(Scored(scores), round=2))
        assert record.is_played_out(tournament) == (winner == best)
    stalls.resume(tournament_id=tournament.pk, actor=organizer, now=later(20_000))
    with transaction.atomic():
        settlement.finish(tournament_id=tournament.pk, now=later(20_000))
    run_due(later(20_000))
    assert len(record.load(tournament.pk).played) == 3
    run_due(later(20_600))
    assert status_of(tournament) == Status.FINISHED
    replayed(tournament)


# --- after the end -------------------------------------------------------------------------------------


def test_the_first_prize_goes_to_the_corrected_winner(held: Held, judge: Player):
    tournament = held(1, "cid", "dan", "eva", "flo", prizes=(7000, 3000))
    for entry in (1, 3):
        shown = correct(tournament, judge, first_prize_to(tournament, entry))
        assert shown.effects.prizes
        replayed(tournament)
    assert reconcile_all(replay=True).ok
    total = sum(prizes(tournament).values())
    assert total == 4 * FEE
    for number, player in enumerate(
        Player.objects.filter(username__in=["cid", "dan", "eva", "flo"]).order_by("username"), start=1
    ):
        assert available(f"player:{player.pk}") == 10_000 - FEE + prizes(tournament).get(number, 0)
    assert available(tournament.subject, "escrow") == 0
    events = types(tournament)[-3:]
    assert events == ["result-corrected", "standings", "prizes"]
    paid = [row for row in transfers_of(tournament.subject) if row["reason"] == "prize"]
    assert sum(row["amount"] for row in paid) == total, "as it was settled first; rulings stand by themselves"


def test_a_winner_owes_a_reversed_prize_that_is_spent(decided: Tournament, judge: Player):
    tournament = decided
    correct(tournament, judge, first_prize_to(tournament, 1))
    cid = Player.objects.get(username="cid")
    everything = available(f"player:{cid.pk}")
    spend(cid, everything)
    correct(tournament, judge, first_prize_to(tournament, 2))
    assert (available(f"player:{cid.pk}"), available(f"player:{cid.pk}", "receivable")) == (0, -2 * FEE)
    assert prizes(tournament) == {2: 2 * FEE}


def spend(player: Player, amount: int) -> None:
    outside = ledger.account(owner="house", purpose="external", currency=CURRENCY)
    ledger.post(
        key=f"spent:{player.pk}",
        legs=[ledger.Leg(cash(player.pk), outside, amount, "spent")],
        actor="test",
        at=NOW,
    )


def test_the_reversed_prize_of_a_bot_returns_to_the_site(held: Held, judge: Player):
    promotion()
    tournament = held(1, "cid", fill_to=2)
    for entry in (1, 2):
        correct(tournament, judge, first_prize_to(tournament, entry))
        assert prizes(tournament) == {entry: 2 * FEE}


@pytest.mark.parametrize("became", ["waiting", "approved", "rejected", "reinstated"])
@override_settings(RACECARD_PRIZE_APPROVAL_ABOVE=100)
def test_a_large_prize_is_reversed_in_every_state(
    decided_for_a_large_prize: Tournament, judge: Player, became: str
):
    tournament = decided_for_a_large_prize
    correct(tournament, judge, first_prize_to(tournament, 1))
    [first] = Payout.objects.filter(payee=owner("cid"), state="requested")
    ruling = {"payout": first.pk, "at": NOW}
    if became == "approved":
        ledger.approve_payout(actor="player:adam", **ruling)
    elif became != "waiting":
        ledger.reject_payout(actor="player:adam", reason="collusion", **ruling)
        if became == "reinstated":
            ledger.reinstate_prize(actor="player:adam", reason="proven innocent", **ruling)
    correct(tournament, judge, first_prize_to(tournament, 2))
    assert available(owner("cid")) == 10_000 - FEE
    assert (available(owner("cid"), "payable"), available("house", "payable")) == (0, 0)
    [waiting] = Payout.objects.filter(state="requested")
    assert (waiting.payee, waiting.amount, waiting.requested_by) == (
        owner("dan"),
        2 * FEE,
        f"player:{judge.pk}",
    )
    replayed(tournament)


@override_settings(RACECARD_PRIZE_APPROVAL_ABOVE=900)
def test_an_unapproved_prize_is_replaced_by_another_that_waits_for_approval(held: Held, judge: Player):
    tournament = held(1, "cid", "dan", prizes=(10_000,))
    correct(tournament, judge, first_prize_to(tournament, 1))
    table = record.load(tournament.pk).played[0].tables[0]
    correct(tournament, judge, correction(Scored(dict.fromkeys(table.seats, (0, 9)))))
    assert prizes(tournament) == {1: FEE, 2: FEE}
    assert [(one.payee, one.amount) for one in Payout.objects.filter(state="requested")] == [
        (owner("cid"), FEE)
    ]
    assert available(owner("dan")) == 10_000


def owner(name: str) -> str:
    return f"player:{Player.objects.get(username=name).pk}"


def test_bets_on_the_corrected_winner_are_paid(published: Publish, judge: Player):
    tournament = published(**{**SWISS, "rounds": 1})
    enter(tournament, rich("cid"), rich("dan"))
    give_judge(tournament, judge)
    market = open_outright(tournament)
    bets = {number: bet(market, f"entry {number}", 300) for number in (1, 2)}
    start(tournament)
    run_due(later(600))
    for number, other in ((2, 1), (1, 2)):
        shown = correct(tournament, judge, first_prize_to(tournament, number))
        assert shown.outright is not None
        assert {one.bet: one.now for one in shown.outright}.get(bets[number].pk) == 600
        assert (gained(bets[number]), gained(bets[other])) == (300, -300)
        assert status_of(market) == "settled"
    ledger.resettle_market(market=market, winners=None, reason="fog", actor="player:adam", at=NOW)
    assert correct(tournament, judge, first_prize_to(tournament, 2)).outright is None
    assert status_of(market) == "void", "an administrator's ruling stays"


def give_judge(tournament: Tournament, judge: Player) -> None:
    roles.give(
        tournament_id=tournament.pk,
        player_id=judge.pk,
        role=StaffRole.JUDGE,
        actor=tournament.organizer,
        now=NOW,
    )


def test_a_frozen_prize_is_not_reversed(decided: Tournament, judge: Player):
    tournament = decided
    correct(tournament, judge, first_prize_to(tournament, 1))
    claim = ledger.freeze(
        subject=tournament.subject, player=None, claim="claim:1", actor="player:audrey", at=NOW
    )
    with pytest.raises(MoneyFrozen):
        correct(tournament, judge, first_prize_to(tournament, 2))
    ledger.release_freeze(freeze=claim.pk, actor="player:audrey", reason="answered", at=NOW)
    correct(tournament, judge, first_prize_to(tournament, 2))
    assert prizes(tournament) == {2: 2 * FEE}


def test_a_prize_frozen_while_a_correction_waits_for_the_accounts_is_not_reversed(
    decided: Tournament, judge: Player, monkeypatch: pytest.MonkeyPatch
):
    tournament = decided
    correct(tournament, judge, first_prize_to(tournament, 1))
    lock = ledger.lock

    def overtaken(accounts: Iterable[Account]) -> dict[int, Account]:
        monkeypatch.setattr(ledger, "lock", lock)
        ledger.freeze(subject=tournament.subject, player=None, claim="claim:1", actor="player:audrey", at=NOW)
        return lock(accounts)

    monkeypatch.setattr(ledger, "lock", overtaken)
    with pytest.raises(MoneyFrozen):
        correct(tournament, judge, first_prize_to(tournament, 2))


# --- refusals -------------------------------------------------------------------------------------------


def test_a_correction_that_differs_from_its_preview_is_refused(decided: Tournament, judge: Player):
    tournament = decided
    said = first_prize_to(tournament, 1)
    ruling = {"tournament_id": tournament.pk, "actor": judge, "now": later(700)}
    token = corrections.preview(asked=said, **ruling).token
    before = store.head(tournament.pk)
    for other, wrong in (
        (said, "0" * 64),
        (correction(Void()), token),
        (CorrectionRequest(said.game, said.way, "x"), token),
    ):
        with pytest.raises(PreviewStale):
            corrections.correct(asked=other, token=wrong, **ruling)
    roles.give(
        tournament_id=tournament.pk, player_id=person("hal").pk, role=StaffRole.HELPER, actor=judge, now=NOW
    )
    with pytest.raises(PreviewStale) as stale:
        corrections.correct(asked=said, token=token, **ruling)
    assert stale.value.extra == {"version": before.version + 1}


def test_a_correction_requires_a_played_round_and_is_possible_for_a_limited_time(
    decided: Tournament, published: Publish, judge: Player, organizer: Player
):
    tournament = decided
    said = first_prize_to(tournament, 1)
    assert tournament.ended_at is not None
    last = tournament.ended_at + timedelta(days=30)
    with pytest.raises(CorrectionTooLate):
        correct(tournament, judge, said, now=last + timedelta(seconds=1))
    correct(tournament, judge, said, now=last)
    with pytest.raises(WrongStatus):
        correct(published(), organizer, correction(Void()))


def test_a_correction_requires_existing_evidence(decided: Tournament, judge: Player):
    tournament = decided
    event = store.read(TableGame.objects.get().game)[2]
    said = first_prize_to(tournament, 1)
    for version, hash in ((event.version, "0" * 64), (event.version + 1, event.hash), (10**6, event.hash)):
        with pytest.raises(BadEvidence):
            correct(
                tournament,
                judge,
                CorrectionRequest(said.game, said.way, said.reason, Evidence(version, hash)),
            )
    correct(
        tournament,
        judge,
        CorrectionRequest(said.game, said.way, said.reason, Evidence(event.version, event.hash)),
    )


def test_an_entrant_may_not_correct(decided: Tournament, organizer: Player):
    tournament = decided
    with pytest.raises(InterestedParty):
        correct(tournament, Player.objects.get(username="cid"), first_prize_to(tournament, 1))
    correct(tournament, organizer, first_prize_to(tournament, 1))


def test_invalid_requests_are_explained(api: Api, held: Held, judge: Player):
    tournament = held(1, "cid", "dan", "eva", rounds=2)
    [bye] = record.load(tournament.pk).played[0].byes
    one, other = record.load(tournament.pk).played[0].tables[0].seats
    client, path = api(judge), at(tournament, "corrections", "preview")
    body: dict[str, Any] = {"round": 1, "table": 1, "way": "void", "reason": "fog"}
    scored = {**body, "way": "score"}
    for wrong in (
        {},
        {**body, "way": "guess"},
        {**body, "entries": [one]},
        {**body, "reason": ""},
        {**body, "way": "swap"},
        {**scored, "scores": [{"entry": one, "score": ["1", 0]}]},
        {**body, "evidence": {"version": 1}},
        {**body, "token": "x"},
    ):
        refused(client.post(path, wrong), 400, "invalid-input")
    for wrong, status, code in (
        ({**body, "round": 2}, 404, "no-such-result"),
        ({**body, "table": 2}, 404, "no-such-result"),
        ({**body, "way": "forfeit", "entries": [bye]}, 400, "not-at-table"),
        ({**scored, "scores": [{"entry": one, "score": [1, 0]}] * 2}, 400, "not-at-table"),
        (
            {**scored, "scores": [{"entry": one, "score": [1, 0]}, {"entry": other, "score": [0, 99]}]},
            400,
            "impossible-result",
        ),
        ({**body, "evidence": {"version": 1, "hash": "0" * 64}}, 400, "bad-evidence"),
    ):
        refused(client.post(path, wrong), status, code)
    refused(client.post(at(tournament, "corrections"), {**body, "token": "x"}), 409, "preview-stale")
    token = client.post(path, body).json()["token"]
    assert client.post(at(tournament, "corrections"), {**body, "token": token}).status_code == 201
    refused(client.post(path, body), 409, "nothing-corrected")


# --- concurrency ---------------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_the_second_of_two_concurrent_corrections_is_stale(decided: Tournament, judge: Player):
    tournament = decided
    ruling = {"tournament_id": tournament.pk, "actor": judge, "now": later(700)}
    said = [first_prize_to(tournament, 1), first_prize_to(tournament, 2)]
    correct(tournament, judge, correction(Void()))
    tokens = [corrections.preview(asked=one, **ruling).token for one in said]
    answers = at_once(
        *[
            partial(corrections.correct, asked=one, token=token, **ruling)
            for one, token in zip(said * 2, tokens * 2, strict=True)
        ]
    )
    assert [isinstance(answer, PreviewStale) for answer in answers].count(True) == 3, answers
    assert record.load(tournament.pk).corrections == 2
    replayed(tournament)


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
@override_settings(RACECARD_PRIZE_APPROVAL_ABOVE=0)
def test_accounts_are_locked_in_order(published: Publish, judge: Player):
    tournament = published(**{**SWISS, "rounds": 1, "rake": 500})
    enter(tournament, rich("cid"), rich("dan"))
    give_judge(tournament, judge)
    market = open_outright(tournament)
    for number in (1, 2):
        bet(market, f"entry {number}", 300)
    start(tournament)
    close_round(tournament)
    settle(tournament)
    correct(tournament, judge, first_prize_to(tournament, 1))
    said = first_prize_to(tournament, 2)
    ruling = {"tournament_id": tournament.pk, "actor": judge, "now": later(700)}
    token = corrections.preview(asked=said, **ruling).token
    waited, early = taken_too_early(
        lambda: corrections.correct(asked=said, token=token, **ruling),
        in_order(Account.objects.all()),
    )
    assert waited >= 3
    assert early == []
