"""The documented page of another origin reads the games of a token's owner with the TypeScript client."""

from __future__ import annotations

import contextlib
import functools
import re
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import opened
from tests.installation import ROOT
from tools import frontend

PAGE = ROOT / "docs" / "typescript-client.md"


class Files(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Write no log."""


@contextlib.contextmanager
def published(folder: Path) -> Iterator[str]:
    """The origin of a server of the files in the folder."""
    with ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Files, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.nightly
def test_a_page_of_another_origin_uses_a_token(chromium: Browser, tmp_path: Path) -> None:
    frontend.build_package()
    club = tmp_path / "club"
    packages = club / "node_modules" / "@racecard"
    packages.mkdir(parents=True)
    (packages / "client").symlink_to(frontend.SHARED)
    [example] = re.findall(r"^```html\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    with published(club) as origin, opened(tmp_path, RACECARD_CORS_ORIGINS=origin) as site:
        (club / "index.html").write_text(example.replace("https://racecard.example", site.address))
        owner = site.newcomer("ann")
        game = owner.post("games/", {"rules": "idle-aces", "config": {}})["id"]
        owner.post(f"games/{game}/seats/", {"client_seed": "ann was here"})
        page = chromium.new_page()
        page.goto(origin)
        token = page.get_by_label("Token")
        token.fill(owner.token)
        token.press("Enter")
        expect(page.get_by_role("listitem")).to_have_text(["idle-aces: open"])
        token.fill("no-such-token")
        token.press("Enter")
        expect(page.get_by_role("listitem")).to_have_text(["not-authenticated"])
        page.close()
