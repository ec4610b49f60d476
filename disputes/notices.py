"""Notifications of the parties of a dispute about its ruling.

They say neither what was found nor why: the game may still be in play, and the page shows each reader what they may
see.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from uuid import UUID

from disputes.models import Dispute, Party
from eventstore.store import StoredEvent
from games import rules
from notifications import follower, kinds
from notifications.kinds import Channel, Kind, Values, texts
from notifications.services import Announcement

RULED = "ruled"
DISPUTE = "dispute"


def _ruled(events: Sequence[StoredEvent], now: datetime) -> Iterable[Announcement]:
    disputes = Dispute.objects.select_related("game").in_bulk({event.stream for event in events})
    for event in events:
        dispute = disputes.get(event.stream)
        if dispute is None:  # a game of a plug-in may have a move of this name
            continue
        game = dispute.game
        values = {"dispute": str(dispute.pk), "name": rules.get(game.rules, game.rules_version).name}
        for player in Party.objects.filter(dispute=dispute).values_list("player", flat=True):
            yield Announcement(DISPUTE, player, f"dispute:{dispute.pk}", str(event.version), values)


def _is_party(player: UUID, values: Values) -> bool:
    return Party.objects.filter(dispute=values["dispute"], player=player).exists()


KIND = Kind(
    name=DISPUTE,
    label={
        "en": "A dispute is ruled on",
        "de": "Über eine Anfechtung ist entschieden",
        "pl": "Spór zostaje rozstrzygnięty",
    },
    title=texts(
        en="Ruling on a dispute: {name}",
        de="Entscheidung über eine Anfechtung: {name}",
        pl="Rozstrzygnięcie sporu: {name}",
    ),
    text=texts(
        en="A dispute about one of your games has been ruled on.",
        de="Über eine Anfechtung zu einem deiner Spiele ist entschieden.",
        pl="Spór o jedną z twoich partii został rozstrzygnięty.",
    ),
    path=kinds.always("/disputes/{dispute}/"),
    tag="dispute:{dispute}",
    channels=tuple(Channel),
    is_current=_is_party,
)


def register() -> None:
    kinds.register(KIND)
    follower.on_events([RULED], _ruled)
