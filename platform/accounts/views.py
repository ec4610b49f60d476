from __future__ import annotations

from allauth.mfa.adapter import get_adapter
from allauth.mfa.totp.internal.auth import SECRET_SESSION_KEY
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe


@require_safe
@never_cache
def authenticator_image(request: HttpRequest) -> HttpResponse:
    """The QR code of the key that the session is setting up for an authenticator app."""
    secret = request.session.get(SECRET_SESSION_KEY)
    if not secret or not request.user.is_authenticated:
        raise Http404
    adapter = get_adapter()
    image = adapter.build_totp_svg(adapter.build_totp_url(request.user, secret))
    return HttpResponse(image, content_type="image/svg+xml")
