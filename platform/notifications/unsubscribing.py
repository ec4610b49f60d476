"""Links that end the e-mails of a kind, without signing in. The token of a link is good for nothing else.

A GET only shows a page with a button, because mail programs and scanners follow links. A POST ends the e-mails; mail
providers send it by themselves (RFC 8058), so it needs no cookie.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core import signing
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import translation
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from notifications import kinds, preferences
from notifications.kinds import Channel

ALL = "all"
"""Names every kind."""

LONGEST_TOKEN = 300

_signer = signing.Signer(salt="notifications.unsubscribe")

PAGE = {
    "en": {
        "title": "Stop e-mails",
        "what": "E-mails about: {kind}",
        "all": "all notifications",
        "button": "Stop these e-mails",
        "done": "These e-mails are stopped. You can turn them on again in your account.",
    },
    "de": {
        "title": "E-Mails abbestellen",
        "what": "E-Mails zu: {kind}",
        "all": "allen Benachrichtigungen",
        "button": "Diese E-Mails abbestellen",
        "done": "Diese E-Mails sind abbestellt. Du kannst sie in deinem Konto wieder einschalten.",
    },
    "pl": {
        "title": "Wyłącz e-maile",
        "what": "E-maile: {kind}",
        "all": "wszystkie powiadomienia",
        "button": "Wyłącz te e-maile",
        "done": "Te e-maile są wyłączone. Możesz włączyć je ponownie na stronie swojego konta.",
    },
}


def link(player: UUID, kind: str) -> str:
    """Return the address that ends the e-mails of a kind (or `ALL`) to a player. It does not expire."""
    return f"{settings.RACECARD_SITE_URL}/unsubscribe/{_signer.sign_object([str(player), kind])}/"


def _read(token: str) -> tuple[UUID, str] | None:
    """Return the player and the kind of a token; None if it is not one."""
    if len(token) > LONGEST_TOKEN:
        return None
    try:
        player, kind = _signer.unsign_object(token)
    except signing.BadSignature:
        return None
    return UUID(player), kind


def unsubscribe(player: UUID, kind: str) -> None:
    """End the e-mails of a kind. A player who no longer exists has none."""
    people: Any = get_user_model()._default_manager
    if people.filter(pk=player, is_active=True).exists():
        ended = kinds.names() if kind == ALL else [kind]
        preferences.prefer(player, {(one, Channel.EMAIL): False for one in ended})


@csrf_exempt
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def page(request: HttpRequest, token: str) -> HttpResponse:
    known = _read(token)
    if known is None:
        raise Http404
    player, kind = known
    is_done = request.method == "POST"
    if is_done:
        unsubscribe(player, kind)
    language = kinds.known_language(translation.get_language_from_request(request))
    words, about = PAGE[language], kinds.find(kind)
    label = words["all"] if about is None else about.label[language]
    context = {**words, "language": language, "what": words["what"].format(kind=label), "is_done": is_done}
    return render(request, "notifications/unsubscribe.html", context)
