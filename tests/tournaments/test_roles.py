"""Judges and helpers of a tournament: the organizer gives and removes roles; judges do not take part."""

from __future__ import annotations

from functools import partial

import pytest
from django.db import IntegrityError, transaction

from accounts.models import Player
from accounts.services import create_bot
from core.errors import NotFound
from eventstore import store
from ledger.betting.bets import cancel_bet
from ledger.betting.models import Bet
from ledger.errors import InterestedParty
from staff.models import ActionRecord
from tests.concurrency import at_once
from tests.conftest import person
from tests.ledger.betting.markets import bet
from tests.money import cash, fresh_key, fund
from tests.tournaments.conftest import Publish
from tests.tournaments.outrights import open_outright
from tests.tournaments.playing import NOW, enter, later, rich
from tests.tournaments.test_api import Api, at, refused
from tests.tournaments.test_check_in import TIMES
from tournaments import access, record, roles, services
from tournaments.entries import check_in, registration
from tournaments.errors import CheckInClosed, JudgeMayNotBet, JudgeMayNotPlay, RoleHeld, WrongStatus
from tournaments.models import StaffRole, Tournament, TournamentRole

pytestmark = pytest.mark.django_db


def give(tournament: Tournament, player: Player, role: StaffRole = StaffRole.JUDGE) -> TournamentRole:
    return roles.give(
        tournament_id=tournament.pk, player_id=player.pk, role=role, actor=tournament.organizer, now=NOW
    )


def take(tournament: Tournament, player: Player) -> None:
    roles.take(tournament_id=tournament.pk, player_id=player.pk, actor=tournament.organizer, now=NOW)


def recorded_roles(tournament: Tournament) -> list[tuple[str, str, str]]:
    events = [one for one in store.read(tournament.pk) if one.type.startswith("role-")]
    return [(one.type, one.data["player"], one.data["role"]) for one in events]


def test_roles_given_changed_and_removed_are_events(published: Publish, organizer: Player):
    tournament, hal = published(), person("hal")
    give(tournament, hal, StaffRole.HELPER)
    give(tournament, hal)
    assert access.role_of(hal, tournament) == StaffRole.JUDGE
    take(tournament, hal)
    assert access.role_of(hal, tournament) is None
    assert recorded_roles(tournament) == [
        ("role-given", str(hal.pk), "helper"),
        ("role-given", str(hal.pk), "judge"),
        ("role-taken", str(hal.pk), "judge"),
    ]
    assert store.read(tournament.pk)[-1].data["by"] == str(organizer.pk)
    assert record.load(tournament.pk).status == "published"


def test_impossible_changes_of_roles_are_refused(published: Publish, organizer: Player):
    tournament, hal = published(), person("hal")
    give(tournament, hal)
    for who in (hal, organizer):
        with pytest.raises(RoleHeld):
            give(tournament, who)
    gone = person("gone")
    gone.is_active = False
    gone.save()
    for who in (create_bot(name="robbie"), gone):
        with pytest.raises(NotFound):
            give(tournament, who)
    with pytest.raises(NotFound):
        take(tournament, organizer)
    services.cancel(tournament_id=tournament.pk, actor=organizer, reason="fog", now=NOW)
    with pytest.raises(WrongStatus):
        give(tournament, person("eva"))
    for player, role in ((hal, "helper"), (person("flo"), "king")):
        with pytest.raises(IntegrityError), transaction.atomic():
            TournamentRole.objects.create(tournament=tournament, player=player, role=role, given_at=NOW)
    take(tournament, hal)


def test_a_judge_cannot_enter_or_bet(published: Publish):
    tournament = published()
    cid, judy = rich("cid"), rich("judy")
    enter(tournament, cid)
    market = open_outright(tournament)
    give(tournament, judy)
    with pytest.raises(JudgeMayNotPlay):
        enter(tournament, judy)
    with pytest.raises(JudgeMayNotBet):
        bet(market, "entry 1", 100, judy.pk)
    take(tournament, judy)
    enter(tournament, judy)


def test_an_entrant_or_bettor_may_help_but_not_judge(published: Publish):
    tournament, cid = published(), rich("cid")
    enter(tournament, cid)
    market = open_outright(tournament)
    backer = rich("backer")
    placed = bet(market, "entry 1", 100, backer.pk)
    for who in (cid, backer):
        with pytest.raises(InterestedParty):
            give(tournament, who)
        give(tournament, who, StaffRole.HELPER)
    cancel_bet(bet=placed, player=backer.pk, key=fresh_key(), at=NOW)
    give(tournament, backer)
    services.withdraw(tournament_id=tournament.pk, player=cid, now=NOW)
    give(tournament, cid)


def test_an_entrant_cannot_rule_on_their_tournament(
    published: Publish, organizer: Player, administrator: Player
):
    tournament, judy = published(fee=0), person("judy")
    give(tournament, judy)
    enter(tournament, rich("cid"), rich("dan"), organizer)
    market = open_outright(tournament)
    fund(cash(administrator.pk), 100)
    bet(market, "entry 1", 100, administrator.pk)
    rule = partial(
        registration.disqualify, tournament_id=tournament.pk, number=1, reason="two accounts", now=NOW
    )
    for who in (organizer, administrator):
        with pytest.raises(InterestedParty):
            rule(actor=who)
    assert rule(actor=judy).disqualified_at == NOW


def test_a_helper_checks_entrants_in_and_the_event_names_the_helper(published: Publish):
    tournament, hal = published(**TIMES), person("hal")
    enter(tournament, rich("cid"), rich("dan"))
    come = partial(check_in.check_in_other, tournament_id=tournament.pk, actor=hal)
    with pytest.raises(CheckInClosed):
        come(number=1, now=later(2999))
    for _ in range(2):
        assert come(number=1, now=later(3000)).checked_in_at == later(3000)
    with pytest.raises(NotFound):
        come(number=9, now=later(3000))
    [event] = [one for one in store.read(tournament.pk) if one.type == "checked-in"]
    assert (event.data["entry"], event.data["by"]) == (1, str(hal.pk))


def test_roles_are_given_and_removed_over_rest(api: Api, published: Publish, organizer: Player):
    tournament, judy = published(), person("judy")
    client, body = api(organizer), {"player": str(judy.pk), "role": "judge"}
    for wrong in ({}, {**body, "role": "king"}, {**body, "player": 5}, {**body, "since": 1}):
        refused(client.post(at(tournament, "roles"), wrong), 400, "invalid-input")
    given = client.post(at(tournament, "roles"), body)
    assert (given.status_code, given["Location"]) == (201, at(tournament, "roles", judy.pk))
    assert (given.json()["player"], given.json()["name"], given.json()["role"]) == (
        str(judy.pk),
        "judy",
        "judge",
    )
    refused(client.post(at(tournament, "roles"), body), 409, "role-held")
    [listed] = api(None).get(at(tournament, "roles")).json()["results"]
    assert (listed["role"], listed["name"]) == ("judge", None)
    cid = rich("cid")
    enter(tournament, cid)
    refused(client.post(at(tournament, "roles"), {**body, "player": str(cid.pk)}), 403, "interested-party")
    refused(api(judy).post(at(tournament, "entries"), {}), 403, "judge-may-not-play")
    assert api(judy).post(at(tournament, "entries", 1, "disqualify"), {"reason": "x"}).status_code == 200
    assert client.delete(at(tournament, "roles", judy.pk)).status_code == 204
    refused(client.delete(at(tournament, "roles", judy.pk)), 404, "not-found")
    assert ActionRecord.objects.filter(action="take-role", subject=tournament.subject).count() == 1
    assert api(judy).get(at(tournament)).json()["role"] is None


@pytest.mark.django_db(transaction=True)
def test_a_player_made_judge_during_an_entry_or_bet_has_only_one_of_both(published: Publish):
    for number in range(3):
        tournament, judy = published(), rich(f"judy{number}")
        enter(tournament, rich(f"cid{number}"))
        market = open_outright(tournament)
        other = partial(bet, market, "entry 1", 100, judy.pk) if number else partial(enter, tournament, judy)
        given, done = at_once(partial(give, tournament, judy), other)
        refusals = [isinstance(given, InterestedParty), isinstance(done, JudgeMayNotPlay | JudgeMayNotBet)]
        assert refusals.count(True) == 1, (given, done)
        assert Bet.objects.filter(market=market, player=judy.pk).exists() == (number > 0 and refusals[0])
