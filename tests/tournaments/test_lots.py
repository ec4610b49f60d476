"""Lots are drawn by a key of the committed seed and the entropy (RULEBOOK 1), so no entrant can choose the draw."""

from __future__ import annotations

import json
from itertools import count

import pytest

from accounts.models import Player
from audit.services import audit_tournament
from config.cli.tournament import read
from eventstore import store
from games.rules import fairness
from tests.tournaments.conftest import Publish
from tests.tournaments.playing import NOW, SEED, enter, rich
from tests.tournaments.test_api import Api
from tournaments import formats, record, selectors, services
from tournaments.formats.protocol import Entrant, Snapshot
from tournaments.formats.replay import Difference, replay
from tournaments.formats.scoring.tiebreaks import lot
from tournaments.models import Tournament
from tournaments.simulation import hold

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

KNOCKOUT = {"format": "knockout", "rules": "ace-race", "config": {}, "rounds": 0, "seats": 2, "fee": 0}
CLUB = """
seed = "club night"
[tournament]
name = "Club night"
format = "swiss"
rules = "ace-race"
rounds = 1
seeding = "lot"
[[bots]]
count = 4
"""


def opponent(entry: int, snapshot: Snapshot) -> int:
    """Return the opponent of the entry in the first round."""
    tables = formats.get("knockout").pair(snapshot, 1).tables
    [other] = [one for table in tables if entry in table.seats for one in table.seats if one != entry]
    return other


def drawn_from(key: str, entries: int) -> Snapshot:
    """Return a knockout seeded by lots that are drawn from `key`."""
    order = sorted(range(1, entries + 1), key=lambda entry: lot(key, "seeding", entry))
    field = tuple(Entrant(entry, order.index(entry) + 1) for entry in range(1, entries + 1))
    return Snapshot(field, 2, 1, (), sizes=(2,), preferred=2, lot=key)


def test_the_last_entrant_cannot_choose_an_opponent() -> None:
    """The pairing depends on the committed seed even for an entrant who knows all other client seeds."""
    others = ["one", "two", "three"]
    ground = next(
        str(tried)
        for tried in count()
        if opponent(4, drawn_from(fairness.entropy([*others, str(tried)]), 4)) == 1
    )
    entropy = fairness.entropy([*others, ground])
    keys = [fairness.lot_key(bytes([number]) * 32, entropy) for number in range(12)]
    assert {opponent(4, drawn_from(key, 4)) for key in keys} == {1, 2, 3}


@pytest.mark.parametrize("seeding", ["lot", "entry"])
def test_every_lot_is_drawn_by_the_lot_key(published: Publish, seeding: str) -> None:
    tournament = published(**KNOCKOUT, prizes=(), seeding=seeding)
    names = ["cid", "dan", "eva", "flo"]
    enter(tournament, *map(rich, names))
    services.start(tournament_id=tournament.pk, actor=tournament.organizer, now=NOW)
    [closed] = [event.data for event in store.read(tournament.pk) if event.type == "entries-closed"]
    key = fairness.lot_key(SEED, fairness.entropy([f"seed of {name}" for name in names]))
    assert closed["lot_key"] == key
    assert record.load(tournament.pk).snapshot().lot == key
    by_lot = sorted([1, 2, 3, 4], key=lambda entry: lot(key, "seeding", entry))
    assert by_lot != [1, 2, 3, 4]
    assert closed["seeding"] == (by_lot if seeding == "lot" else [1, 2, 3, 4])


def shown(api: Api, tournament: Tournament, viewer: Player | None) -> str:
    """Return all that a viewer can read of the entrants, as one text."""
    client, base = api(viewer), f"/api/v1/tournaments/{tournament.pk}"
    paths = ["/", "/entries/", "/entries.csv", "/events/", "/standings/", "/waiting/"]
    return "".join(client.get(base + path).getvalue().decode() for path in paths)


def test_client_seeds_and_lot_key_are_published_when_entries_close(
    api: Api, published: Publish, organizer: Player, administrator: Player
) -> None:
    tournament = published(fee=0, prizes=(), capacity=2, waiting_list=1)
    cid, dan, eva = map(rich, ("cid", "dan", "eva"))
    enter(tournament, cid, dan)
    services.enter_or_wait(tournament_id=tournament.pk, player=eva, client_seed="seed of eva", now=NOW)
    viewers = [None, cid, administrator]
    for viewer in viewers:
        text = shown(api, tournament, viewer)
        assert ("seed of cid" in text, "seed of dan" in text, "seed of eva" in text) == (
            viewer == cid,
            False,
            False,
        )
        assert selectors.document(tournament, viewer, now=NOW)["fairness"] == {
            "commitment": tournament.commitment,
            "entropy": None,
            "client_seeds": None,
            "lot_key": None,
            "seed": None,
        }
    services.start(tournament_id=tournament.pk, actor=organizer, now=NOW)
    tournament.refresh_from_db()
    seeds = ["seed of cid", "seed of dan"]
    for viewer in viewers:
        assert "seed of eva" not in shown(api, tournament, viewer), "it counts in nothing"
        entropy = fairness.entropy(seeds)
        assert selectors.document(tournament, viewer, now=NOW)["fairness"] == {
            "commitment": tournament.commitment,
            "entropy": entropy,
            "client_seeds": seeds,
            "lot_key": fairness.lot_key(SEED, entropy),
            "seed": None,
        }
        entries = api(viewer).get(f"/api/v1/tournaments/{tournament.pk}/entries/").json()["results"]
        assert [one["client_seed"] for one in entries] == seeds


def test_a_tournament_cancelled_before_the_start_publishes_no_client_seed(
    api: Api, published: Publish, organizer: Player
) -> None:
    tournament = published(fee=0)
    enter(tournament, rich("cid"))
    services.cancel(tournament_id=tournament.pk, actor=organizer, reason="rain", now=NOW)
    assert "seed of cid" not in shown(api, tournament, organizer)


def faults(tournament: Tournament) -> list[tuple[str, str]]:
    return [(fault.check, fault.why) for fault in audit_tournament(tournament.pk).faults]


def replayed(tournament: Tournament) -> Difference | None:
    events = [event.public() for event in store.read(tournament.pk)]
    return replay(str(tournament.pk), json.loads(json.dumps(events))).difference


def test_a_wrong_lot_key_is_found_when_the_seed_is_revealed(
    organizer: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as cheating:
        cheating.setattr(fairness, "lot_key", lambda seed, entropy: "ab" * 32)
        tournament = hold(read(CLUB), organizer=organizer, now=NOW)
    difference = replayed(tournament)
    [last] = [event for event in store.read(tournament.pk) if event.type == "finished"]
    assert difference is not None
    assert (difference.version, difference.what) == (last.version, "the key that the lots were drawn from")
    assert {check for check, _ in faults(tournament)} == {"seed"}


def test_an_audit_finds_a_wrong_lot_key_before_the_end(
    published: Publish, monkeypatch: pytest.MonkeyPatch
) -> None:
    tournament = published(fee=0)
    enter(tournament, rich("cid"), rich("dan"))
    with monkeypatch.context() as cheating:
        cheating.setattr(fairness, "lot_key", lambda seed, entropy: "ab" * 32)
        services.start(tournament_id=tournament.pk, actor=tournament.organizer, now=NOW)
    assert replayed(tournament) is None, "it cannot be checked from the events yet"
    [(check, why)] = faults(tournament)
    assert (check, why) == ("seed", "the lot key is not derived from the seed and the entropy")
