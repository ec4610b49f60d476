"""Participants may give no command that changes the course or the money of their tournament; others may."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pytest
from django.db import transaction
from django.test import override_settings

from accounts.models import Player
from accounts.roles import Role
from core.errors import refusal_of
from games.suspensions.services import require_may_suspend
from ledger import services as ledger
from ledger.betting.models import Market
from ledger.errors import InterestedParty
from ledger.models import Transfer
from ledger.payouts.models import Payout
from ledger.services import Terms
from tests.conftest import person
from tests.due_jobs import run_due
from tests.ledger.betting.markets import bet
from tests.money import cash, fund
from tests.tournaments.conftest import Publish
from tests.tournaments.outrights import open_outright
from tests.tournaments.playing import FEE, NOW, enter, games_of, play_round, rich, start
from tests.tournaments.test_api import Api, at, refused
from tournaments import record, roles, services
from tournaments.actions.commands import TAKES_PART, offered
from tournaments.betting import outrights
from tournaments.corrections import services as corrections
from tournaments.corrections.services import CorrectionRequest
from tournaments.entries import check_in, registration
from tournaments.formats.corrections import Game, Scored
from tournaments.models import StaffRole, Tournament
from tournaments.rounds import manual_pairing, stalls

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
Command = Callable[[Player], Any]


def on_a_tournament(tournament: Tournament) -> Mapping[str, Command]:
    """Return every command of a tournament. Permissions are checked before its status."""
    about: dict[str, Any] = {"tournament_id": tournament.pk, "now": NOW}
    why = {**about, "reason": "because"}
    eva = person("eva")
    asked = CorrectionRequest(game=Game(1, 1, 1), way=Scored({1: (1, 0)}), reason="because")
    round = {"tournament_id": tournament.pk, "number": 1}
    layout = {**round, "tables": [[1]], "byes": []}
    return {
        "publish": lambda by: services.publish(**about, actor=by),
        "start": lambda by: services.start(**about, actor=by),
        "cancel": lambda by: services.cancel(**why, actor=by),
        "pause": lambda by: stalls.pause(**why, actor=by),
        "resume": lambda by: stalls.resume(**about, actor=by),
        "disqualify": lambda by: registration.disqualify(**why, number=1, actor=by),
        "check in another": lambda by: check_in.check_in_other(**about, number=1, actor=by),
        "give a role": lambda by: roles.give(**about, player_id=eva.pk, role=StaffRole.JUDGE, actor=by),
        "take a role": lambda by: roles.take(**about, player_id=eva.pk, actor=by),
        "keep apart": lambda by: manual_pairing.keep_apart(**why, entries=[1, 2], actor=by),
        "bring together": lambda by: manual_pairing.bring_together(**why, entries=[1, 2], actor=by),
        "release a pair": lambda by: manual_pairing.release(**why, what="apart", entries=[1, 2], actor=by),
        "preview a pairing": lambda by: manual_pairing.preview(**layout, actor=by),
        "pair": lambda by: manual_pairing.pair_manually(**layout, token="x", reason="x", actor=by, now=NOW),
        "drop a pairing": lambda by: manual_pairing.drop_pairing(**round, actor=by, now=NOW),
        "preview a correction": lambda by: corrections.preview(**about, asked=asked, actor=by),
        "correct": lambda by: corrections.correct(**about, asked=asked, token="1.x", actor=by),
        "open a market": lambda by: outrights.open_market(
            **about, terms=Terms(), opened_by=f"player:{by.pk}"
        ),
    }


def on_its_market(market: Market) -> Mapping[str, Command]:
    why = {"market": market, "reason": "because", "at": NOW}
    return {
        "settle the market": lambda by: ledger.settle_market(**why, winners=[], actor=f"player:{by.pk}"),
        "void the market": lambda by: ledger.void_market(**why, actor=f"player:{by.pk}"),
        "settle it again": lambda by: ledger.resettle_market(**why, winners=[], actor=f"player:{by.pk}"),
    }


def on_its_prizes(tournament: Tournament, winner: Player, prize: Payout) -> Mapping[str, Command]:
    """Return the commands on prizes. `prize` belongs to another player than `winner`, whose money is frozen."""
    why = {"payout": prize.pk, "reason": "because", "at": NOW}
    frozen = ledger.freeze(subject=tournament.subject, player=winner.pk, claim="c", actor="player:x", at=NOW)
    return {
        "approve a prize": lambda by: ledger.approve_payout(**why, actor=f"player:{by.pk}"),
        "hold a prize": lambda by: ledger.hold_payout(**why, actor=f"player:{by.pk}"),
        "reject a prize": lambda by: ledger.reject_payout(**why, actor=f"player:{by.pk}"),
        "freeze its money": lambda by: ledger.freeze(
            subject=tournament.subject, player=None, claim=f"of {by.pk}", actor=f"player:{by.pk}", at=NOW
        ),
        "release its money": lambda by: ledger.release_freeze(
            freeze=frozen.pk, reason="because", actor=f"player:{by.pk}", at=NOW
        ),
    }


def check(
    subtests: pytest.Subtests,
    tournament: Tournament,
    commands: Mapping[str, Command],
    participants: Mapping[str, Player],
    outsider: Player,
) -> None:
    before = record.head(tournament), Transfer.objects.count()
    for name, command in commands.items():
        for kind, participant in participants.items():
            with subtests.test(command=name, participant=kind), pytest.raises(InterestedParty):
                command(participant)
        with subtests.test(command=name, participant="none"), transaction.atomic():
            refusal = refusal_of(partial(command, outsider))
            assert refusal is None or refusal.code != InterestedParty.code
            transaction.set_rollback(True)
    assert (record.head(tournament), Transfer.objects.count()) == before


@override_settings(RACECARD_PRIZE_APPROVAL_ABOVE=0)
def test_each_command_is_refused_to_each_kind_of_participant(
    published: Publish, organizer: Player, subtests: pytest.Subtests
) -> None:
    tournament = published(rounds=1, capacity=2, waiting_list=2, prizes=(7000, 3000))
    waits, backs = person("waits", Role.ADMINISTRATOR), person("backs", Role.ADMINISTRATOR)
    outsider = person("outsider", Role.ORGANIZER, Role.ADMINISTRATOR)
    for each in (organizer, waits, backs):
        fund(cash(each.pk), FEE)
    enter(tournament, organizer, rich("cid"))
    services.enter_or_wait(tournament_id=tournament.pk, player=waits, client_seed="", now=NOW)
    market = open_outright(tournament)
    bet(market, "entry 2", 100, backs.pk)
    check(
        subtests,
        tournament,
        {**on_a_tournament(tournament), **on_its_market(market)},
        {"entered": organizer, "waiting": waits, "bet": backs},
        outsider,
    )

    services.start(tournament_id=tournament.pk, actor=outsider, now=NOW)
    run_due(NOW)
    game = games_of(tournament, 1)[0].game
    check(
        subtests,
        tournament,
        {"stop a game": lambda by: require_may_suspend(by, game)},
        {"entered": organizer, "bet": backs},
        outsider,
    )

    play_round(tournament, 1)
    prize = Payout.objects.exclude(payee=f"player:{organizer.pk}").get(subject=tournament.subject)
    check(
        subtests,
        tournament,
        {**on_its_prizes(tournament, organizer, prize), **on_its_market(market)},
        {"has won a prize": organizer, "bet": backs},
        outsider,
    )

    why = {"payout": prize.pk, "reason": "because", "at": NOW}
    ledger.reject_payout(**why, actor=f"player:{outsider.pk}")
    check(
        subtests,
        tournament,
        {"grant a rejected prize": lambda by: ledger.reinstate_prize(**why, actor=f"player:{by.pk}")},
        {"has won a prize": organizer, "bet": backs},
        outsider,
    )


def test_a_participant_of_a_tournament_is_a_participant_of_its_games(
    published: Publish, subtests: pytest.Subtests
) -> None:
    """The result of each table affects all places and the bets on the winner."""
    tournament = published(capacity=4)
    names = ("cid", "dan", "eva", "flo")
    enter(tournament, *map(rich, names))
    backs = rich("backs")
    bet(open_outright(tournament), "entry 2", 100, backs.pk)
    start(tournament)
    game = games_of(tournament, 1)[0]
    entrants = Player.objects.filter(username__in=names)
    other = entrants.exclude(pk__in=game.table.seats.values("entry__player"))[0]
    about: dict[str, Any] = {"subject": f"game:{game.game}", "player": None, "claim": "a claim", "at": NOW}
    for kind, participant in {"at another table": other, "bet": backs}.items():
        with subtests.test(kind), pytest.raises(InterestedParty):
            ledger.freeze(**about, actor=f"player:{participant.pk}")
    made = ledger.freeze(**about, actor=f"player:{person('adam').pk}")
    assert made.subject == about["subject"]


def test_another_organizer_can_manage_while_the_organizer_plays(
    api: Api, published: Publish, organizer: Player
) -> None:
    other = person("other", Role.ORGANIZER)
    tournament = published()
    refused(api(other).post(at(tournament, "start"), {}), 403, "forbidden")
    fund(cash(organizer.pk), FEE)
    enter(tournament, organizer, rich("cid"))
    assert api(other).post(at(tournament, "start"), {}).status_code == 200
    refused(api(organizer).post(at(tournament, "cancel"), {"reason": "I lose"}), 403, "interested-party")
    assert api(other).post(at(tournament, "pause"), {"reason": "fire alarm"}).status_code == 200


def test_the_console_explains_why_an_organizer_who_plays_cannot_cancel(
    published: Publish, organizer: Player
) -> None:
    tournament = published(fee=0)
    assert {one.why_not for one in offered(organizer, tournament) if one.label == "Cancel"} == {""}
    enter(tournament, organizer)
    assert {one.why_not for one in offered(organizer, tournament)} == {TAKES_PART}
