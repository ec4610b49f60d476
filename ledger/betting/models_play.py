"""Play money: whose it is. It is bet in the markets of one event and is worth nothing outside of it."""

from __future__ import annotations

from django.db import models


class PlayBank(models.Model):
    """The account from which a player bets in an event's markets, and `number` the player's in that event.

    Never changed: a trigger takes bets from it for its own player and event alone.
    """

    account = models.OneToOneField(
        "ledger.Account", on_delete=models.PROTECT, primary_key=True, related_name="play_bank"
    )
    event = models.CharField(max_length=80, help_text="such as play:…")
    number = models.PositiveIntegerField()
    player = models.UUIDField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["event", "number"], name="play_bank_number_once"),
            models.UniqueConstraint(fields=["event", "player"], name="play_bank_player_once"),
        ]

    def __str__(self) -> str:
        return f"{self.event} {self.number}"
