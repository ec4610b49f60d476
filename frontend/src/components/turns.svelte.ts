import { availableBalance } from "../api/availableBalance.svelte";
import { challenges } from "../api/challenges.svelte";
import { WORKER } from "../api/push";
import { session } from "../api/session.svelte";
import { site } from "../api/site";
import { unread } from "../api/unread.svelte";
import { i18n } from "../i18n/i18n.svelte";
import { lazy } from "../lazy";
import { router } from "../router.svelte";
import { stream } from "../live/stream";
import type { Waiting, WaitingGame } from "../live/waiting";

/** Milliseconds for which one page of the browser sounds for all. */
const SOUNDS = 1000;

/** In a solitaire it is always the reader's turn, and where all play at once it is everybody's. */
const isTurn = ({ kind, rules }: WaitingGame): boolean =>
  kind === "move" && (site.games.find(({ slug }) => slug === rules)?.players ?? 2) > 1;

/** Whether the reader has the game in sight. */
const isSeen = (path: string, { game }: WaitingGame): boolean =>
  document.visibilityState === "visible" && path.startsWith(`/games/${game}/`);

/** The name, with its path, of a lock that each visible page of the browser holds. */
const VISIBLE = "racecard.visible:";

/** The paths of the pages of this browser that the reader has in sight. */
async function visiblePaths(): Promise<string[]> {
  const { held = [] } = (await navigator.locks?.query()) ?? {};
  return held.flatMap(({ name = "" }) => (name.startsWith(VISIBLE) ? [name.slice(VISIBLE.length)] : []));
}

/** The games in which it is the reader's turn, wherever the reader is. */
class Turns {
  all = $state.raw<readonly WaitingGame[]>([]);
  #isVisible = $state(true);
  #before: readonly WaitingGame[] | undefined;

  /** Those that the reader does not have in sight. */
  readonly elsewhere = $derived.by(() => {
    void this.#isVisible;
    return this.all.filter((one) => !isSeen(router.path, one));
  });

  start(): () => void {
    stream.wait(session.id, (waiting) => this.#take(waiting));
    const look = () => (this.#isVisible = document.visibilityState === "visible");
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }

  /** Tell the other pages where this one is while it is visible; for an effect. */
  show(): (() => void) | undefined {
    if (!this.#isVisible) return undefined;
    let release = () => {};
    const gone = new Promise<void>((resolve) => (release = resolve));
    navigator.locks?.request(VISIBLE + router.path, { mode: "shared" }, () => gone).catch(() => undefined);
    return () => release();
  }

  #take({ games, challenges: open, unread: count }: Waiting): void {
    challenges.open = open;
    unread.count = count;
    const before = this.#before;
    const known = new Map(this.all.map(({ key, version }) => [key, version]));
    this.#before = games;
    this.all = games.filter(isTurn);
    const keys = (some?: readonly WaitingGame[]) => some?.map(({ key, kind }) => `${key} ${kind}`).sort().join();
    // A game that has begun or ended has moved money, perhaps between the first load of the balance and this.
    if (keys(before) !== keys(games)) void availableBalance.refresh();
    if (!before) return;
    for (const one of this.all) {
      // One event later it is the same turn, after a move of the reader's own.
      const isNew = one.version > (known.get(one.key) ?? -1) + 1;
      if (isNew && !isSeen(router.path, one)) void signal(one);
    }
  }
}

async function signal(turn: WaitingGame): Promise<void> {
  const visible = await visiblePaths().catch(() => []);
  if (visible.some((path) => path.startsWith(`/games/${turn.game}/`))) return;
  // Of several pages one sounds.
  navigator.locks
    ?.request("racecard.turn", { ifAvailable: true }, async (lock) => {
      if (!lock) return;
      const { chime } = await lazy(() => import("../table/sound"));
      chime("turn");
      await new Promise((resolve) => setTimeout(resolve, SOUNDS));
    })
    .catch(() => undefined);
  if (document.visibilityState === "hidden" && visible.length === 0) void notify(turn).catch(() => undefined);
}

/** With the reader's leave, as the push message about the same turn, which takes its place. */
async function notify({ game, rules }: WaitingGame): Promise<void> {
  if (!("Notification" in window) || Notification.permission !== "granted") return;
  const title = i18n.text("turn.game", { game: site.gameName(rules) });
  const shown = { tag: `turn:${game}`, icon: "/static/icon.svg", data: { link: `/games/${game}/` } };
  const worker = await (navigator.serviceWorker as ServiceWorkerContainer | undefined)?.getRegistration(WORKER);
  if (worker?.active) return worker.showNotification(title, shown);
  new Notification(title, shown).onclick = () => {
    focus();
    router.go(shown.data.link);
  };
}

export const turns = new Turns();
