"""A client of the REST API, as small as it can be: what a program of anybody's would need."""

from __future__ import annotations

import time
import uuid
from typing import Any

import httpx

TRIES = 6
PATIENCE = 30.0
TOO_MANY = 429


class Refused(Exception):
    """The server answered with a problem document."""

    def __init__(self, code: str, detail: str, status: int) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.status = status


class Rest:
    """A caller of the API. Every POST carries an Idempotency-Key, so one whose answer was lost is sent again."""

    def __init__(self, url: str, token: str | None = None) -> None:
        self.url = url.rstrip("/")
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._client = httpx.Client(base_url=f"{self.url}/api/v1/", headers=headers, timeout=PATIENCE)

    def sign_in(self, username: str, password: str) -> Rest:
        answer = self.post("tokens/", {"username": username, "password": password})
        return Rest(self.url, answer["token"])

    def get(self, path: str, **query: Any) -> Any:
        return self._send("GET", path, params=query)

    def post(self, path: str, body: dict[str, Any] | None = None) -> Any:
        headers = {"Idempotency-Key": str(uuid.uuid4())}
        return self._send("POST", path, json=body or {}, headers=headers)

    def all(self, path: str, **query: Any) -> list[Any]:
        """Every row of a list, page by page."""
        found: list[Any] = []
        query["limit"] = 200
        while True:
            page = self.get(path, **query)
            found += page["results"]
            if page["next"] is None:
                return found
            query["cursor"] = httpx.URL(page["next"]).params["cursor"]

    def _send(self, method: str, path: str, **what: Any) -> Any:
        for attempt in range(1, TRIES + 1):
            try:
                response = self._client.request(method, path, **what)
            except httpx.TransportError:
                if attempt == TRIES:
                    raise
                time.sleep(0.2 * attempt)
                continue
            if response.status_code == TOO_MANY and attempt < TRIES:
                time.sleep(float(response.headers.get("Retry-After", "1")))
                continue
            break
        return _answer(response)


def _answer(response: httpx.Response) -> Any:
    if response.is_success:
        return response.json() if response.content else None
    try:
        problem = response.json()
        raise Refused(problem["code"], problem["detail"], response.status_code)
    except (ValueError, KeyError, TypeError):
        raise Refused("no-problem-document", response.text[:200], response.status_code) from None
