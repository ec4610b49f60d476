import type { Game } from "../api/play";
import { clock } from "../i18n/format";
import { i18n } from "../i18n/i18n.svelte";

/** Milliseconds after which a lost connection is shown: a page that is loaded again is back by then. */
const GRACE = 4000;

/** That the player of a seat has lost the connection, and how long ago; empty for a player who is here. */
export function away({ presence, seat: own }: Game, seat: number, now: number): string {
  const since = presence.find((one) => one.seat === seat)?.away_since;
  const time = since && seat !== own ? now - Date.parse(since) : 0;
  return time > GRACE ? i18n.text("seat.away", { time: clock(time / 1000) }) : "";
}
