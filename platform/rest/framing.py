"""Pages that other sites may show in a frame. Every other page refuses it."""

from __future__ import annotations

from csp.constants import HEADER
from csp.utils import build_policy
from django.http import HttpResponse

FRAMED = "/embed/"
"""The addresses of these pages. They have no session and see no cookie."""


def frameable(response: HttpResponse) -> HttpResponse:
    """Let any site show the response in a frame. The rest of the content policy is the site's."""
    response.headers[HEADER] = build_policy(replace={"frame-ancestors": "*"})
    response.xframe_options_exempt = True  # read by XFrameOptionsMiddleware
    return response
