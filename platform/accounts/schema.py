"""How the OpenAPI document names the ways to authenticate."""

from __future__ import annotations

from typing import Any

from drf_spectacular.authentication import SessionScheme
from drf_spectacular.extensions import OpenApiAuthenticationExtension


class BearerScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "accounts.authentication.BearerAuthentication"
    name = "bearer"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer", "description": "A token from POST tokens/."}


class WebSessionScheme(SessionScheme):  # type: ignore[no-untyped-call]
    target_class = "accounts.authentication.WebSession"
    name = "session"
