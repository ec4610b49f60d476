"""The OpenAPI description of `feed/`, which is answered in front of Django, where drf-spectacular does not look."""

from __future__ import annotations

from typing import Any

from rest.scopes import Scope

SUMMARY = "Many games, tournaments, and disputes in one event stream"
_SUBJECT = "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(@[0-9]{1,16})?$"


def _subjects(kind: str) -> dict[str, Any]:
    return {
        "in": "query",
        "name": kind,
        "schema": {"type": "array", "items": {"type": "string", "pattern": _SUBJECT}},
        "description": f"The id of a {kind}, or the id and the version seen last: `{{id}}@12`. All three parameters "
        "together name 1 to 100 subjects.",
    }


def add_feed(result: dict[str, Any], generator: Any, request: Any, public: bool) -> dict[str, Any]:
    """Add the operation. A postprocessing hook."""
    result["paths"]["/api/v1/feed/"] = {
        "get": {
            "operationId": "feed",
            "summary": SUMMARY,
            "description": "Server-sent events. The data of a message is the subject and its event; the id is the set "
            "of the cursors, with which `Last-Event-ID` resumes the stream. `suspension` messages say that a game was "
            "suspended or resumed, and `presence` messages that a player of a game of the caller has come or left."
            f"\n\nA token needs the scope `{Scope.READ}`.",
            "parameters": [
                *map(_subjects, ("game", "tournament", "dispute")),
                {
                    "in": "header",
                    "name": "Last-Event-ID",
                    "schema": {"type": "string"},
                    "description": "The id of the last message received.",
                },
            ],
            "tags": ["feed"],
            "security": [{"bearer": [str(Scope.READ)]}, {"session": []}],
            "responses": {
                "200": {
                    "content": {"text/event-stream": {"schema": {"type": "string"}}},
                    "description": SUMMARY,
                },
                "default": {
                    "description": "Refused; see `code`.",
                    "content": {
                        "application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}
                    },
                },
            },
        }
    }
    return result
