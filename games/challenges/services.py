"""Challenge players, and accept, decline, or withdraw a challenge.

A challenge opens a private table, so that the commitment to the deal is published before any client seed. Its seats are
taken by accepting only. The lock of the table's stream orders everything that ends a challenge.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet

from accounts.models import Block, Player
from core.commands import Command
from core.errors import InvalidInput, NotFound
from games import rules as all_rules
from games import state
from games.challenges import records
from games.errors import ChallengeOver, ChallengeRefused, InvalidTable, TooManyChallenges
from games.models import Challenge, ChallengeStatus, DeclineReason, Invitation
from games.play import clocks
from games.play.server import void_game
from games.tables.services import create_game, start_game, take_seat
from games.tables.terms import BotSeat
from jobs import services as jobs

EXPIRE = "games.challenge"
WITHDRAWN, DECLINED, EXPIRED = "challenge-withdrawn", "challenge-declined", "challenge-expired"
"""The reasons for which the table of a challenge is voided."""


def challenge(
    *,
    challenger: Player,
    opponents: Sequence[str],
    rules: str,
    config: Mapping[str, Any],
    bots: Sequence[BotSeat] = (),
    client_seed: str = "",
    suit: str | None = None,
    command: Command | None = None,
    now: datetime,
    **terms: Any,
) -> Challenge:
    """Challenge players, by id or username, to a game for points with as many seats as players and bots.

    `terms` are further terms of the table as in `create_game`. Raises NotFound, InvalidInput, InvalidTable,
    TooManyChallenges, ChallengeRefused, and what opening a table and taking a seat raise.
    """
    found = [_named(name) for name in opponents]
    players = [challenger, *found]
    if len({player.pk for player in players}) < len(players):
        raise InvalidInput("opponents: each once, and not yourself.", field="opponents")
    seats = len(players) + len(bots)
    if seats not in all_rules.get(rules).seats:
        raise InvalidTable(f"It is not played with {seats} seats.", field="opponents")
    with transaction.atomic():
        _check_room(challenger, found)
        for opponent in found:
            _check_taken(challenger, opponent)
        game = create_game(
            rules=rules,
            config=config,
            seats=seats,
            creator=challenger,
            private=True,
            bots=bots,
            most_open=settings.OPEN_TABLES_PER_PLAYER,
            command=command,
            now=now,
            **terms,
        )
        take_seat(game=game, player=challenger, client_seed=client_seed, suit=suit, now=now)
        lasting = min(
            timedelta(seconds=settings.RACECARD_CHALLENGE_SECONDS), clocks.UNSTARTED, clocks.idle(rules)
        )
        made = Challenge.objects.create(
            game=game, challenger=challenger, created_at=now, expires_at=now + lasting
        )
        Invitation.objects.bulk_create(Invitation(challenge=made, player=player) for player in found)
        jobs.schedule(
            kind=EXPIRE, key=f"{EXPIRE}:{made.pk}", payload={"challenge": str(made.pk)}, due=made.expires_at
        )
    return made


def _named(name: str) -> Player:
    """Raises NotFound."""
    try:
        wanted = Q(pk=UUID(name))
    except ValueError:
        wanted = Q(username__iexact=name)
    found = Player.objects.select_related("owner").filter(wanted, erased_at=None).first()
    if found is None:
        raise NotFound(f"opponents: there is no player {name[:40]}.")
    return found


def _check_room(challenger: Player, opponents: Sequence[Player]) -> None:
    """Lock the players, and check how many challenges they have open. Raises TooManyChallenges, ChallengeRefused."""
    ids = [challenger.pk, *(player.pk for player in opponents)]
    list(Player.objects.select_for_update(no_key=True).filter(pk__in=ids).order_by("pk").values_list("pk"))
    made = Challenge.objects.filter(challenger=challenger, status=ChallengeStatus.OPEN)
    most: int = settings.OPEN_CHALLENGES_PER_PLAYER
    if made[:most].count() >= most:
        raise TooManyChallenges(f"At most {most} at once.", most=most)
    for opponent in opponents:
        received = Invitation.objects.filter(player=opponent, is_open=True)
        if received[: settings.OPEN_CHALLENGES_TO_PLAYER].count() >= settings.OPEN_CHALLENGES_TO_PLAYER:
            raise ChallengeRefused


def _check_taken(challenger: Player, opponent: Player) -> None:
    """Raise ChallengeRefused, which does not say why, unless the opponent takes challenges of the challenger."""
    owner = opponent.owner
    if (
        not opponent.is_active
        or (opponent.is_bot and owner is None)
        or (owner is not None and not owner.is_active)
        or (opponent.owner_only and challenger.person_id != opponent.owner_id)
        or _is_blocked(challenger, opponent)
    ):
        raise ChallengeRefused


def _is_blocked(one: Player, other: Player) -> bool:
    """Return whether one of the two, or the owner of one, has blocked the other."""
    mine, others = (one.pk, one.person_id), (other.pk, other.person_id)
    blocks = Q(player__in=mine, blocked__in=others) | Q(player__in=others, blocked__in=mine)
    return Block.objects.filter(blocks).exists()


def accept(
    *,
    challenge_id: UUID,
    player: Player,
    client_seed: str = "",
    suit: str | None = None,
    command: Command | None = None,
    now: datetime,
) -> Challenge:
    """Take a seat at the table of a challenge; the last player to accept starts the game.

    Raises NotFound, ChallengeOver, and what taking a seat raises.
    """
    with _locked(challenge_id, player) as found:
        invitation = found.invitations.filter(player=player).first()
        if invitation is None:
            raise NotFound
        _check_open(found, now)
        if invitation.accepted_at is None:
            if not _others_may_play(found):
                raise ChallengeOver
            take_seat(
                game=found.game, player=player, client_seed=client_seed, suit=suit, command=command, now=now
            )
            invitation.accepted_at = now
            invitation.save(update_fields=["accepted_at"])
            if not found.invitations.filter(accepted_at=None).exists():
                start_game(game=found.game, actor=None, now=now)
                records.close(found.game_id, ChallengeStatus.ACCEPTED, now=now)
    return visible(player, challenge_id)


def _others_may_play(found: Challenge) -> bool:
    """Return whether those who are seated already have not been suspended, retired, or erased."""
    return not found.game.seatings.filter(
        Q(player__is_active=False) | Q(player__owner__is_active=False)
    ).exists()


def decline(*, challenge_id: UUID, player: Player, reason: DeclineReason, now: datetime) -> Challenge:
    """End a challenge as one of the challenged players. Raises NotFound, ChallengeOver."""
    with _locked(challenge_id, player) as found:
        if not found.invitations.filter(player=player).exists():
            raise NotFound
        _check_open(found, now)
        records.close(found.game_id, ChallengeStatus.DECLINED, reason=reason, now=now)
        void_game(game_id=found.game_id, reason=DECLINED, now=now)
    return visible(player, challenge_id)


def withdraw(*, challenge_id: UUID, player: Player, now: datetime) -> Challenge:
    """End a challenge as the challenger. Raises NotFound, ChallengeOver."""
    with _locked(challenge_id, player) as found:
        if found.challenger_id != player.pk:
            raise NotFound
        _check_open(found, now)
        records.close(found.game_id, ChallengeStatus.WITHDRAWN, now=now)
        void_game(game_id=found.game_id, reason=WITHDRAWN, now=now)
    return visible(player, challenge_id)


def expire(*, challenge_id: UUID, now: datetime) -> None:
    """Void the table of a challenge that is still open, which ends the challenge."""
    game = Challenge.objects.values_list("game", flat=True).get(pk=challenge_id)
    with state.locked(game):
        if records.is_challenged(game):
            void_game(game_id=game, reason=EXPIRED, now=now)


@contextmanager
def _locked(challenge_id: UUID, player: Player) -> Iterator[Challenge]:
    """Return the challenge with the stream of its table locked. Raises NotFound."""
    game = visible(player, challenge_id).game_id
    with state.locked(game):
        yield Challenge.objects.select_related("game").get(pk=challenge_id)


def _check_open(found: Challenge, now: datetime) -> None:
    """Raises ChallengeOver."""
    if found.status != ChallengeStatus.OPEN:
        raise ChallengeOver(f"It was {found.status}.", challenge_status=found.status)
    if now >= found.expires_at:
        raise ChallengeOver("It has expired.", challenge_status=ChallengeStatus.EXPIRED)


# --- what a player sees ----------------------------------------------------------------------------------


def _shown() -> QuerySet[Challenge]:
    return Challenge.objects.select_related("game", "challenger__owner").prefetch_related(
        "invitations__player__owner"
    )


def visible(player: Player, challenge_id: UUID) -> Challenge:
    """Return a challenge by or to the player. Raises NotFound."""
    found = _shown().filter(pk=challenge_id).first()
    if found is None or not concerns(found, player.pk):
        raise NotFound
    return found


def concerns(found: Challenge, player: UUID) -> bool:
    return found.challenger_id == player or any(one.player_id == player for one in found.invitations.all())


def open_challenges(players: Collection[UUID]) -> dict[UUID, list[Challenge]]:
    """Return the open challenges by and to the players, oldest first. Few are open at once."""
    received = Invitation.objects.filter(is_open=True, player__in=players).values_list("player", "challenge")
    made = Challenge.objects.filter(challenger__in=players, status=ChallengeStatus.OPEN)
    of_player = {*received, *made.values_list("challenger", "pk")}
    found = _shown().in_bulk({challenge for _, challenge in of_player}) if of_player else {}
    shown: dict[UUID, list[Challenge]] = {player: [] for player in players}
    for player, challenge in of_player:
        shown[player].append(found[challenge])
    for some in shown.values():
        some.sort(key=lambda one: (one.created_at, one.pk))
    return shown
