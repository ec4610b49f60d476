"""The speed of the web client in Chromium on loopback, compared with targets for what a player waits for.

At a table of Vegas Solitaire, draws and undos alternate. Measured are the times from a key press to the next paint, to
the confirmation by the server, and to the paint in a second browser of the same player. The first load is measured with
the processor throttled to a quarter by the debugging protocol, and with an empty cache. Bytes are those of the build.

Each ratio is the target divided by the measurement, so 1 and above meets it. The browser is driven from the development
environment (`.venv`), which has Playwright, and not from that of the benchmarks.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench._common import size

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ROOT = Path(__file__).resolve().parent.parent
DEVELOPMENT = ROOT / ".venv" / "bin" / "python"

MOST_MS = {"input_to_paint": 32.0, "move_confirmed": 120.0, "second_browser": 200.0, "first_load": 1500.0}
"""Milliseconds: 95 of 100 moves, and the median of the loads' largest contentful paint."""
TARGETS = {f"{name}_ratio": 1.0 for name in (*MOST_MS, "js", "css", "cards")}

MOVES = size(80, 4)
LOADS = size(5, 1)
THROTTLE = 4
SETTLED = 1500
"""Milliseconds after which nothing larger is painted at a table without input."""
PATIENCE = 30_000
OPTIONS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]

WATCH = """() => {
  const times = (window.times = { painted: [], confirmed: [], seen: [] });
  const wall = () => performance.timeOrigin + performance.now();
  const painted = (then) => requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = then;
    channel.port2.postMessage(null);
  });
  let began = 0;
  document.addEventListener("keydown", (event) => {
    began = event.timeStamp;
    window.keyed = performance.timeOrigin + began;
    painted(() => times.painted.push(performance.now() - began));
  }, true);
  new MutationObserver(([{ target }]) => {
    if (target.dataset.pace === "still") painted(() => times.confirmed.push(performance.now() - began));
  }).observe(document.querySelector(".pace"), { attributeFilter: ["data-pace"] });
  let stock = document.querySelector(".count").textContent;
  new MutationObserver(() => {
    const now = document.querySelector(".count").textContent;
    if (now !== stock) painted(() => times.seen.push(wall()));
    stock = now;
  }).observe(document.querySelector(".count"), { characterData: true, childList: true, subtree: true });
}"""
"""Runs in the page. A paint is the message after the next animation frame; the two clocks are one machine's."""

LARGEST = """() => new Promise((resolve) => {
  new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime))
    .observe({ type: "largest-contentful-paint", buffered: true });
})"""


def measure() -> dict[str, Any]:
    """Serve a fresh installation in the benchmarks' environment, and drive a browser from the other one."""
    from accounts.models import Player
    from bench.http import serving

    subprocess.run([DEVELOPMENT, "-m", "tools.frontend", "build"], cwd=ROOT, check=True)
    password = uuid.uuid4().hex
    name = f"bench-{uuid.uuid4().hex[:8]}"
    Player.objects.create_user(username=name, password=password)
    with serving("config.asgi:application", "bench._unlimited") as server:
        arguments = {
            "address": f"http://127.0.0.1:{server.port}",
            "name": name,
            "password": password,
        }
        driven = subprocess.run(
            [DEVELOPMENT, "-m", "bench.web"],
            cwd=ROOT,
            input=json.dumps(arguments),
            capture_output=True,
            text=True,
            check=False,
        )
    if driven.returncode:
        raise RuntimeError(driven.stderr)
    found: dict[str, float] = json.loads(driven.stdout.splitlines()[-1])
    return _figures(found)


def _figures(found: dict[str, float]) -> dict[str, Any]:
    from tools.weight import BUDGET

    targets = {**MOST_MS, **BUDGET}
    print(f"the web client at a table, {MOVES} moves, {LOADS} loads at {THROTTLE} times the processor's work")
    for name, value in found.items():
        unit = "ms" if name in MOST_MS else "bytes"
        print(f"  {name.replace('_', ' '):15} {value:>9,.1f} {unit:5} (target: {targets[name]:,.0f})")
    return {
        **{name: round(value, 1) for name, value in found.items()},
        **{f"{name}_ratio": round(targets[name] / value, 2) for name, value in found.items()},
    }


def drive(address: str, name: str, password: str) -> dict[str, float]:
    """Drive the browser in the development environment, and return milliseconds and bytes."""
    from playwright.sync_api import sync_playwright

    from tools import browser as browsers
    from tools.weight import first_load

    chromium = os.environ.get("RACECARD_CHROMIUM") or browsers.find()
    if chromium is None:
        raise SystemExit("no Chromium on PATH: make browser installs one")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=OPTIONS)
        found = {
            **_moves(browser, address, name, password),
            "first_load": _first_load(browser, address, name, password),
        }
        browser.close()
    weight = first_load("vegas-solitaire", "en")
    return {**found, "js": weight.js, "css": weight.css, "cards": weight.cards}


def _sign_in(browser: Browser, address: str, name: str, password: str) -> Page:
    from tools.frontend import TIPS_SEEN

    context = browser.new_context(locale="en-GB")
    context.add_init_script(TIPS_SEEN)  # they take the focus
    page = context.new_page()
    page.goto(f"{address}/sign-in/")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.get_by_text(f"Signed in as {name}").wait_for()
    return page


def _deal(page: Page, address: str) -> str:
    """Deal a game, and return its address."""
    page.goto(f"{address}/new/vegas-solitaire/")
    page.locator('input[name="draw"][value="3"]').check()
    page.get_by_role("button", name="Play", exact=True).click()
    page.locator(".board [data-card]").first.wait_for()
    return page.url


def _moves(browser: Browser, address: str, name: str, password: str) -> dict[str, float]:
    page, second = (_sign_in(browser, address, name, password) for _ in range(2))
    table = _deal(page, address)
    second.goto(table)
    for each in (page, second):
        each.locator('.connection[data-state="live"]').wait_for()
        each.locator(".board [data-card]").first.wait_for()
        each.evaluate(WATCH)
    page.locator('[data-pile="stock"][data-at]').focus()
    seen: list[float] = []
    for made in range(1, MOVES + 1):
        page.keyboard.press("s" if made % 2 else "z")
        _reached(page, "confirmed", made)
        _reached(second, "seen", made)
        seen.append(second.evaluate("window.times.seen.at(-1)") - page.evaluate("window.keyed"))
    times: dict[str, list[float]] = page.evaluate("window.times")
    warm = MOVES // 10
    return {
        "input_to_paint": _p95(times["painted"][warm:]),
        "move_confirmed": _p95(times["confirmed"][warm:]),
        "second_browser": _p95(seen[warm:]),
    }


def _reached(page: Page, times: str, count: int) -> None:
    reached = "([times, count]) => window.times[times].length >= count"
    page.wait_for_function(reached, arg=[times, count], timeout=PATIENCE)


def _first_load(browser: Browser, address: str, name: str, password: str) -> float:
    """Return the median of the largest contentful paint, in milliseconds after the navigation."""
    from tools.frontend import TIPS_SEEN

    found = []
    signed_in = _sign_in(browser, address, name, password)
    table = _deal(signed_in, address)
    cookies: Any = signed_in.context.cookies()
    for _ in range(LOADS):
        context = browser.new_context(locale="en-GB")
        context.add_init_script(TIPS_SEEN)
        context.add_cookies(cookies)
        page = context.new_page()
        context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": THROTTLE})
        page.goto(table)
        page.locator(".board [data-card]").first.wait_for()
        page.wait_for_timeout(SETTLED)
        found.append(float(page.evaluate(LARGEST)))
        context.close()
    return sorted(found)[len(found) // 2]


def _p95(times: list[float]) -> float:
    return sorted(times)[round(0.95 * (len(times) - 1))]


if __name__ == "__main__":
    print(json.dumps(drive(**json.load(sys.stdin))))
