"""What webhooks refuse, each with its stable code."""

from __future__ import annotations

from api.errors import Conflict, InvalidInput


class BadTarget(InvalidInput):
    code = "bad-webhook-target"
    title = "Webhooks go to public https addresses alone"


class TooManyHooks(Conflict):
    code = "too-many-webhooks"
    title = "There are as many webhooks as one account may have; remove one first"


class HookDisabled(Conflict):
    code = "webhook-disabled"
    title = "The webhook is disabled; enable it first"


class StillWaiting(Conflict):
    code = "delivery-waiting"
    title = "The delivery is still being tried"


class NotDisabled(Conflict):
    code = "webhook-not-disabled"
    title = "The webhook is not disabled"
