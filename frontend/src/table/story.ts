import type { GameEvent } from "../api/play";
import { readable } from "../i18n/format";
import { i18n } from "../i18n/i18n.svelte";
import { eventText } from "./eventText";
import { pileText } from "./moveText";

/** The events that are known, newest first, without repetitions, and only as far back as none is missing. */
export function newestFirst(known: readonly GameEvent[]): GameEvent[] {
  const byVersion = new Map(known.map((event) => [event.version, event]));
  const run: GameEvent[] = [];
  let version = known.reduce((last, event) => Math.max(last, event.version), 0);
  for (let event = byVersion.get(version); event; event = byVersion.get(--version)) run.push(event);
  return run;
}

/** An event as a line of the log: who did what, with which cards, and onto which pile. */
export function lineText(event: GameEvent, name: (seat: number) => string): string {
  const what = eventText(event, name);
  if (!what) {
    const type = i18n.named(`log.${event.type}`, readable(event.type).toLowerCase());
    const seat = event.seat ?? (event.data as { seat?: unknown }).seat;
    return typeof seat === "number" ? i18n.text("event.who", { who: name(seat), what: type }) : type;
  }
  const to = (event.data as { move?: Record<string, unknown> }).move?.["to"];
  return typeof to === "string" ? i18n.text("log.to", { what, pile: pileText(to) }) : what;
}
