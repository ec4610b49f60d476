"""Every deal follows from the committed seed, is equal for all entrants, and is not revealed early."""

from __future__ import annotations

import json

import pytest

from accounts.models import Player
from eventstore import store
from games import early_access
from games.access import visible_games
from games.errors import DealInPlay
from games.evidence.proof import bundle
from games.models import GameRecord
from games.rules.bundles.verification import verify
from games.rules.fairness import commitment, entropy, tournament_server_seed
from ledger.errors import InterestedParty
from tests.due_jobs import run_due
from tests.tournaments.conftest import Publish
from tests.tournaments.playing import (
    NOW,
    SEED,
    begin,
    enter,
    entrants,
    games_of,
    later,
    play,
    play_round,
    rich,
    start,
    status_of,
)
from tournaments import record, selectors, services
from tournaments.models import SecretSeed, Status
from tournaments.rounds import selectors as round_selectors

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


def records(tournament, round: int) -> list[GameRecord]:
    return [GameRecord.objects.get(pk=one.game) for one in games_of(tournament, round)]


def deals(tournament, round: int) -> dict[int, list[dict]]:
    """Return what was dealt in each game of a round, by the number of the deal."""
    found: dict[int, list[dict]] = {}
    for one in games_of(tournament, round):
        [dealt] = [event for event in store.read(one.game) if event.type == "dealt"]
        found.setdefault(one.deal, []).append(dealt.private)
    return found


def test_the_deal_matches_the_check_value_of_the_rulebook():
    seed = tournament_server_seed(SEED, round=2, deal=1)
    assert seed.hex() == "ff29ab6b8eb6f247ccd89c617f66fe857bb1592bc6607a901a303743ad0feaf4"


def test_all_entrants_get_the_same_deals_and_rounds_and_games_differ(published: Publish):
    tournament = begin(published, "cid", "dan", "eva", fee=0, rounds=2, games=2)
    run_due(later(600))
    dealt = [deals(tournament, round) for round in (1, 2)]
    assert [sorted(each) for each in dealt] == [[1, 2], [1, 2]]
    packs = set()
    for each in dealt:
        for same in each.values():
            assert len(same) == 3
            assert all(private == same[0] for private in same)
            packs.add(json.dumps(same[0]))
    assert len(packs) == 4


def test_games_have_derived_seeds_and_one_entropy(published: Publish):
    tournament = begin(published, "cid", "dan", rounds=2)
    play_round(tournament, 1)
    tournament.refresh_from_db()
    assert tournament.commitment == commitment(SEED)
    assert tournament.entropy == entropy(["seed of cid", "seed of dan"])
    for round in (1, 2):
        expected = tournament_server_seed(SEED, round=round, deal=1)
        for one in games_of(tournament, round):
            created, seated, *_ = store.read(one.game)
            assert created.data["commitment"] == commitment(expected)
            assert seated.data["client_seed"] == tournament.entropy


def test_the_entropy_covers_the_entrants_at_the_close_in_entry_order(published: Publish):
    tournament = published(fee=0)
    cid, dan, eva = rich("cid"), rich("dan"), rich("eva")
    enter(tournament, cid, dan, eva)
    services.withdraw(tournament_id=tournament.pk, player=dan, now=NOW)
    services.withdraw(tournament_id=tournament.pk, player=cid, now=NOW)
    enter(tournament, cid)
    start(tournament)
    closed = next(event for event in store.read(tournament.pk) if event.type == "entries-closed")
    assert closed.data["entries"] == [3, 4]
    assert closed.data["client_seeds"] == ["seed of eva", "seed of cid"]
    assert closed.data["entropy"] == entropy(["seed of eva", "seed of cid"])


def test_every_tournament_has_another_seed(published: Publish, organizer: Player):
    from tests.tournaments.playing import terms

    seeds = set()
    for _ in range(2):
        draft = services.create(organizer=organizer, terms=terms(), now=NOW)
        services.publish(tournament_id=draft.pk, actor=organizer, now=NOW)
        seeds.add(bytes(SecretSeed.objects.get(tournament=draft).seed))
    assert {len(seed) for seed in seeds} == {32}
    assert len(seeds) == 2


def test_a_finished_game_reveals_nothing_while_others_play_its_deal(published: Publish):
    tournament = begin(published, "cid", "dan", fee=0)
    cid, dan = entrants(tournament)
    mine, other = games_of(tournament, 1)
    play(mine, cid)
    run_due(NOW)
    game = GameRecord.objects.get(pk=mine.game)
    with pytest.raises(DealInPlay):
        bundle(game, cid)
    assert not visible_games(cid).filter(pk=other.game).exists()
    assert not visible_games(dan).filter(pk=mine.game).exists()
    play(other, dan)
    run_due(NOW)
    assert bundle(game, dan)["game"]["server_seed"] == tournament_server_seed(SEED, round=1, deal=1).hex()


def test_bundles_verify_without_the_seed_before_the_end_and_with_it_afterwards(published: Publish):
    tournament = begin(published, "cid", "dan")
    [cid, _] = entrants(tournament)
    play_round(tournament, 1)
    [early, _] = [bundle(game, cid) for game in records(tournament, 1)]
    assert early["game"]["tournament"]["seed"] is None
    report = verify(early)
    assert report.ok
    assert report.checks["tournament-seed"] == "not-run"

    play_round(tournament, 2)
    for round in (1, 2):
        for game in records(tournament, round):
            document = bundle(game, cid)
            assert document["game"]["tournament"]["seed"] == SEED.hex()
            report = verify(document)
            assert report.ok, report.why
            assert report.checks["tournament-seed"] == "passed"


def test_a_bundle_with_another_seed_does_not_verify(published: Publish):
    tournament = published(fee=0, fill_to=2, rounds=1)
    start(tournament)
    [game, _] = records(tournament, 1)
    document = bundle(game, None)
    document["game"]["tournament"]["seed"] = bytes(32).hex()
    assert verify(document).checks["tournament-seed"] == "failed"


def test_the_seed_is_nowhere_before_the_end(published: Publish):
    tournament = begin(published, "cid", "dan", fee=0)
    [cid, _] = entrants(tournament)
    shown = [
        selectors.document(tournament, cid, now=NOW),
        selectors.events_for(cid, tournament.pk),
        round_selectors.rounds(tournament),
        round_selectors.round_document(tournament, 1, None, now=NOW),
        round_selectors.standings(tournament, None),
    ]
    assert SEED.hex() not in json.dumps(shown, default=str)
    assert repr(SecretSeed.objects.get(tournament=tournament)) == "<SecretSeed: (secret)>"

    run_due(later(600))
    run_due(later(1200))
    assert status_of(tournament) == Status.FINISHED
    assert selectors.document(tournament, cid, now=NOW)["fairness"]["seed"] == SEED.hex()
    assert record.load(tournament.pk).seed == SEED.hex()


def test_an_entrant_who_is_an_auditor_has_no_early_access(published: Publish, auditor: Player):
    tournament = published(fee=0)
    enter(tournament, auditor, rich("cid"))
    start(tournament)
    _, other = records(tournament, 1)
    with pytest.raises(InterestedParty):
        early_access.record(viewer=auditor, game=other, what="bundle", version=None, now=NOW)
