"""What the back office shows of a player beside the money: games, and the tokens that act in their name.

And what is good to know of them before they are erased, of packages that accounts know nothing of.
"""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from django.urls import reverse
from django.utils import timezone
from knox.models import AuthToken

from accounts.models import Player
from accounts.office import before_erasing
from accounts.services import token_labels
from games.models import GameRecord
from ledger.formats import money
from ledger.office import players
from ledger.office.parts import LATEST, Part, player_part
from ledger.office.subjects import Link

WHEN = "%d %b %Y %H:%M"


@player_part("games.view_gamerecord")
def games(player: UUID) -> Part:
    """The newest; of each no more than that it is there and how it stands."""
    found = GameRecord.objects.filter(seatings__player=player).order_by("-created_at", "-pk")[:LATEST]
    rows = [
        [
            Link(f"{game.created_at:{WHEN}}"),
            Link(str(game.pk)[:8], reverse("admin:games_gamerecord_change", args=[game.pk])),
            Link(game.rules),
            Link(game.status),
            Link(f"{game.ended_at:{WHEN}}" if game.ended_at else "–"),
        ]
        for game in found
    ]
    return Part("Latest games", ["Opened", "Game", "Rules", "State", "Ended"], rows, "No game yet.")


@player_part("accounts.view_player")
def tokens(player: UUID) -> Part:
    """Those that still open something, by the id that their owner sees; nothing of what opens with them."""
    live = AuthToken.objects.filter(user=player, expiry__gt=timezone.now()).order_by("-created")[:LATEST]
    labels = token_labels(token.token_key for token in live)
    rows = [
        [
            Link(token.token_key[:8]),
            Link(labels.get(token.token_key, "–")),
            Link(f"{token.created:{WHEN}}"),
            Link(f"{token.expiry:{WHEN}}"),
        ]
        for token in live
    ]
    return Part("Tokens in force", ["Id", "Label", "Made", "Good until"], rows, "No program acts for them.")


@before_erasing
def what_stands_open(player: Player) -> Iterable[tuple[str, str]]:
    """Money that nobody could ask for any more, and games that would stand still."""
    wallets = players.wallets([player.pk]).get(player.pk, ())
    had = [money(wallet.total, wallet.currency) for wallet in wallets if wallet.total]
    yield "Money of theirs", f"{', '.join(had)}: pay it out first" if had else "none"
    open_games = GameRecord.objects.filter(seatings__player=player, status__in=["open", "active"]).count()
    yield "Games under way", f"{open_games}: they stand still, or time runs out" if open_games else "none"
