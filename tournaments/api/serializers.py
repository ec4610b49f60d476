"""Input serializers that several endpoints share."""

from __future__ import annotations

from accounts.models import NameShown
from games.rules.fairness import CLIENT_SEED_LENGTH
from rest.fields import StrictChoiceField, StrictSerializer, StrictTextField


class ReasonInput(StrictSerializer):
    reason = StrictTextField(max_length=200)


class StartInput(StrictSerializer):
    hold = StrictTextField(
        max_length=200,
        required=False,
        help_text="the reason to pause the tournament before the first round",
    )


class EntryInput(StrictSerializer):
    client_seed = StrictTextField(max_length=CLIENT_SEED_LENGTH, allow_blank=True, required=False, default="")
    shown_as = StrictChoiceField(
        choices=NameShown.choices,
        required=False,
        default=NameShown.MEMBERS,
        help_text="to whom the entrant's name is shown; `anonymous`: to organizers and auditors only",
    )
