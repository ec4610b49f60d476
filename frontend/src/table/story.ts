import type { GameEvent } from "../api/play";
import { capital, readable } from "../i18n/format";
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
  const seat = event.seat ?? (event.data as { seat?: unknown }).seat;
  const line = toPile(event, eventText(event, name)) || typeText(event, typeof seat === "number" ? name(seat) : "");
  // A line that begins with a player's name is left as it is.
  return typeof seat === "number" ? line : capital(line);
}

function typeText({ type }: GameEvent, who: string): string {
  const what = i18n.named(`log.${type}`, i18n.named(`replay.event.${type}`, readable(type).toLowerCase()));
  return who ? i18n.text("event.who", { who, what }) : what;
}

function toPile({ data }: GameEvent, what: string): string {
  const to = (data as { move?: Record<string, unknown> }).move?.["to"];
  return what && typeof to === "string" ? i18n.text("log.to", { what, pile: pileText(to) }) : what;
}
