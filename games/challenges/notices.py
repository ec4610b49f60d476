"""Notifications of challenges: the challenged people hear of them until they answer, or the challenge ends."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from uuid import UUID

from eventstore.store import StoredEvent
from games import rules
from games.models import Invitation
from notifications import follower, kinds
from notifications.kinds import Channel, Kind, Values, texts
from notifications.services import Announcement

CHALLENGE = "challenge"


def note(events: Sequence[StoredEvent], now: datetime) -> Iterable[Announcement]:
    """Announce new challenges to those people who have not answered."""
    tables = {event.stream for event in events}
    invited = Invitation.objects.filter(challenge__game__in=tables, is_open=True, player__is_bot=False)
    for one in invited.select_related("challenge__game").order_by("pk"):
        game, key = one.challenge.game, str(one.challenge_id)
        values = {"challenge": key, "rules": game.rules, "name": rules.title(game.rules)}
        yield Announcement(CHALLENGE, one.player_id, f"challenge:{key}", key, values)


def _is_unanswered(player: UUID, values: Values) -> bool:
    invited = Invitation.objects.filter(challenge=values["challenge"], player=player, is_open=True)
    return invited.filter(accepted_at=None).exists()


KIND = Kind(
    name=CHALLENGE,
    label={
        "en": "A player challenges you",
        "de": "Du wirst herausgefordert",
        "pl": "Ktoś rzuca ci wyzwanie",
    },
    title=texts(en="Challenge: {name}", de="Herausforderung: {name}", pl="Wyzwanie: {name}"),
    text=texts(
        en="A player wants to play with you. Accept or decline in the lobby.",
        de="Jemand möchte mit dir spielen. Nimm in der Lobby an oder lehne ab.",
        pl="Ktoś chce z tobą zagrać. Przyjmij lub odrzuć wyzwanie w poczekalni.",
    ),
    path=kinds.always("/"),
    tag="challenge:{challenge}",
    channels=(Channel.PAGE, Channel.PUSH, Channel.WEBHOOK),
    is_current=_is_unanswered,
    urgent=True,
)


def register() -> None:
    kinds.register(KIND)
    follower.on_events({"created"}, note)
