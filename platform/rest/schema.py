"""The OpenAPI description: explicit operation ids, and common descriptions of problems and idempotency keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema

from rest.deprecation import Deprecation, announced
from rest.documents import described
from rest.scopes import Scope, Scopes

PROBLEM = {
    "type": "object",
    "description": "RFC 9457 problem; `code` is stable and listed in docs/errors.md.",
    "required": ["type", "title", "status", "code", "detail"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "code": {"type": "string"},
        "detail": {"type": "string"},
    },
    "additionalProperties": True,
}
IDEMPOTENCY_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": True,
    "description": "Names this command. Sent again with the same body it gets the first answer, "
    "with `Idempotent-Replay: true`; with another body it is refused.",
    "schema": {"type": "string", "pattern": "^[!-~]{1,128}$", "minLength": 1, "maxLength": 128},
}

View = Callable[..., Any]


def describe(
    operation_id: str,
    summary: str,
    *,
    scope: Scope | Scopes | None,
    request: Any = None,
    response: Any = None,
    status: int | tuple[int, str] = 200,
    also: Mapping[int, tuple[Any, str]] | None = None,
    idempotency: bool = False,
    deprecated: Deprecation | None = None,
    sensitive: bool = False,
    guests: bool = False,
    parameters: Iterable[OpenApiParameter | dict[str, Any]] = (),
    **more: Any,
) -> Callable[[View], View]:
    """Describe an operation: its id, a one-line summary, its scope, its input, and its output (`None`: no body).

    `scope`: what a token needs to call it. Of several scopes one is enough. None: no token may call it.

    `status` may also name the media type, if it is not JSON. `also`: other responses by status, each with the
    condition.

    `deprecated` announces the end of the operation.

    `idempotency` says that an Idempotency-Key is required. Views marked `@idempotent` say so themselves. `sensitive`
    says that a session must have confirmed its identity recently; operations of sensitive staff actions always do.
    `guests` opens an operation to the session of a guest, beyond those of the scopes in `GUEST_SCOPES`.
    """
    answer = OpenApiResponse(described(response), description=summary)
    others = {
        other: OpenApiResponse(described(shape), description=when)
        for other, (shape, when) in (also or {}).items()
    }
    inputs = [_parameter(one) if isinstance(one, dict) else one for one in parameters]

    def wrapped(view: View) -> View:
        view.scopes = (scope,) if isinstance(scope, Scope) else scope  # type: ignore[attr-defined]
        if idempotency:
            view.idempotent = True  # type: ignore[attr-defined]
        view.operation, view.sensitive = operation_id, sensitive  # type: ignore[attr-defined]
        view.guests = guests  # type: ignore[attr-defined]
        if deprecated:
            view.deprecation = deprecated  # type: ignore[attr-defined]
            view = announced(deprecated, view)
        return extend_schema(
            operation_id=operation_id,
            summary=summary,
            request=request,
            responses={status: answer, **others},
            parameters=inputs,
            deprecated=deprecated is not None or None,
            **more,
        )(view)

    return wrapped


def _parameter(given: dict[str, Any]) -> OpenApiParameter:
    """A parameter that a pagination class describes in OpenAPI form."""
    return OpenApiParameter(
        given["name"],
        type=given["schema"],
        location=given["in"],
        required=given["required"],
        description=given.get("description", ""),
    )


class Schema(AutoSchema):
    def get_operation(self, *args: Any, **kwargs: Any) -> dict[str, Any] | None:
        operation = super().get_operation(*args, **kwargs)
        if operation is None:
            return None
        operation["responses"]["default"] = {
            "description": "Refused; see `code`.",
            "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
        }
        if deprecation := getattr(self._handler, "deprecation", None):
            _describe(operation, deprecation.sentence())
        if scopes := self._scopes():
            _require(operation, scopes)
        elif scopes is None:
            operation["security"] = [one for one in operation["security"] if "bearer" not in one]
        if self._needs_key():
            operation.setdefault("parameters", []).append(IDEMPOTENCY_KEY)
        return operation

    def _is_list_view(self, serializer: Any = None) -> bool:
        """Return whether the response is a list, also where `describe` has wrapped it."""
        found: Any = self.get_response_serializers() if serializer is None else serializer
        if isinstance(found, dict) and found:
            found = found[min(found, key=str)]
        return super()._is_list_view(getattr(found, "response", found))

    def _needs_key(self) -> bool:
        return bool(getattr(self._handler, "idempotent", False))

    def _scopes(self) -> Scopes | None:
        scopes: Scopes | None = getattr(self._handler, "scopes", ())
        return scopes

    @property
    def _handler(self) -> Any:
        return getattr(self.view, self.method.lower(), None)


def _describe(operation: dict[str, Any], paragraph: str) -> None:
    """Add a paragraph to the description of an operation."""
    described = operation.get("description", "")
    operation["description"] = f"{described}\n\n{paragraph}".strip()


def _require(operation: dict[str, Any], scopes: Scopes) -> None:
    """Add the scopes to the description of an operation, and to its security requirement: one for each scope."""
    needed = " or ".join(f"`{scope}`" for scope in scopes)
    _describe(operation, f"A token needs the scope {needed}.")
    operation["security"] = [
        requirement
        for one in operation["security"]
        for requirement in ([{"bearer": [scope]} for scope in scopes] if "bearer" in one else [one])
    ]


def add_problem(result: dict[str, Any], generator: Any, request: Any, public: bool) -> dict[str, Any]:
    """Add the schema of problems, to which every operation's refusal refers. A postprocessing hook."""
    result.setdefault("components", {}).setdefault("schemas", {})["Problem"] = PROBLEM
    return result
