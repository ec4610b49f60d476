/* Parts of a page that update themselves: each element with an id and data-live (seconds) is requested again and
   replaced, so that the focus and the scroll position stay. Nothing is requested while the page is hidden. */

"use strict";

const PATIENCE = 30; // seconds between attempts at most, when the server does not answer

const parts = () => [...document.querySelectorAll("[data-live][id]")];
const pause = Math.min(...parts().map((part) => Number(part.dataset.live)));
const received = new Map(); // the text of each part: other scripts may have changed the part itself
let failures = 0;

function keepingFocus(part, change) {
  const focused = part.contains(document.activeElement) ? document.activeElement : null;
  const place = focused ? [...part.querySelectorAll("a, button")].indexOf(focused) : -1;
  change();
  if (place >= 0) part.querySelectorAll("a, button")[place]?.focus({ preventScroll: true });
}

async function look() {
  const answer = await fetch(location.href, { cache: "no-store", redirect: "error" });
  if (!answer.ok) throw new Error(answer.statusText);
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of parts()) {
    const now = fresh.getElementById(part.id);
    if (!now) part.removeAttribute("data-live");
    else if (now.innerHTML !== (received.get(part.id) ?? part.innerHTML)) {
      received.set(part.id, now.innerHTML);
      keepingFocus(part, () => part.replaceChildren(...now.childNodes));
    }
  }
  return fresh.querySelector("[data-live]") !== null;
}

async function go() {
  let goesOn = true;
  if (!document.hidden) {
    try {
      goesOn = await look();
      failures = 0;
    } catch {
      failures += 1;
    }
    const told = document.getElementById("live-state");
    const words = failures ? "Not connected: what stands here may be old." : "";
    if (told && told.textContent !== words) told.textContent = words;
  }
  if (goesOn) setTimeout(go, 1000 * Math.min(PATIENCE, pause * 2 ** failures));
}

document.addEventListener("visibilitychange", () => document.hidden || look().catch(() => {}));
setTimeout(go, 1000 * pause);
