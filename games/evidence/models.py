"""Refused commands: the stream does not contain them, but disputes are often about them."""

from __future__ import annotations

import json
from typing import Any

from django.conf import settings
from django.db import models


class RefusedCommand(models.Model):
    """A refused move of a player of the game. `games.evidence.refused` stores the latest of them."""

    id = models.BigAutoField(primary_key=True)
    # No foreign keys in the database, so that storing a refusal never waits for a lock on the game.
    game = models.ForeignKey(
        "games.GameRecord",
        on_delete=models.PROTECT,
        related_name="refused",
        db_constraint=False,
        db_index=False,
    )
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        related_name="+",
        db_constraint=False,
        db_index=False,
    )
    at = models.DateTimeField()
    seat = models.PositiveSmallIntegerField(null=True)
    version = models.PositiveBigIntegerField(help_text="of the game, against which it was judged")
    code = models.CharField(max_length=64)
    rule = models.TextField(blank=True, help_text="the sentence of the rule that it breaks")
    fact = models.TextField(blank=True)
    move = models.TextField(null=True, help_text="as JSON; null where it is longer than is kept")
    command_id = models.CharField(max_length=64, null=True)
    token = models.CharField(max_length=25, null=True)
    client_at = models.CharField(max_length=27, null=True)

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(name="refused_of_player", fields=["game", "player", "-id"])]

    def __str__(self) -> str:
        return f"{self.code} at {self.version} of {self.game_id}"

    def parsed_move(self) -> Any:
        return None if self.move is None else json.loads(self.move)
