import type { Game } from "../api/play";
import { details } from "../games/registry";
import { readableMove } from "../games/generic/labels";
import { i18n } from "../i18n/i18n.svelte";
import { seatName } from "../table/seats";
import { pileText } from "../table/moveText";

export type AnyMove = Readonly<Record<string, unknown>>;

interface Parts {
  type?: string;
  from?: string;
  to?: string;
  /** How many cards of a column go together. */
  count?: number;
  column?: number;
}

/** A move in words, legal or not, without the table that it was meant for. */
export function moveSaid(move: AnyMove, game: Game): string {
  const own = details(game.rules)?.move?.(move, game);
  if (own) return own;
  const { type = "", from, to, count = 1, column } = move as Parts;
  if (from && to) {
    const way = i18n.text("table.hintTo", { from: pileText(from), to: pileText(to) });
    return count > 1 ? i18n.text("replay.move.run", { move: way, count }) : way;
  }
  const key = `move.${type}`;
  if (!i18n.has(key)) return readableMove(move, (seat) => seatName(game, seat));
  const said = i18n.text(key);
  return typeof column === "number" ? `${said} (${pileText(`column:${column}`)})` : said;
}

/** Whether two moves are one, in whatever order their parts stand. */
export function alike(one: unknown, other: unknown): boolean {
  return ordered(one) === ordered(other);
}

const ordered = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) =>
    part && typeof part === "object" && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([left], [right]) => (left < right ? -1 : 1)))
      : part,
  );
