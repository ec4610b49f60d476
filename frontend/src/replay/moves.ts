import type { Game } from "../api/play";
import type { Suit } from "../cards/card";
import { cardName } from "../cards/names";
import { ruleText } from "../games/acerace/texts";
import type { Rule } from "../games/acerace/choices";
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
  cards?: number | string[];
  joker?: string;
  rule?: Rule;
  direction?: "higher" | "lower";
  gifts?: { card: string; to: number }[];
  suit?: Suit;
}

/** A move in words, legal or not, without the table that it was meant for. */
export function moveSaid(move: AnyMove, game: Game): string {
  const { type = "", from, to, count = 1, column, cards, joker, rule, direction, gifts } = move as Parts;
  const key = `move.${type}`;
  let said = i18n.has(key) ? i18n.text(key) : type;
  if (from && to) {
    said = i18n.text("table.hintTo", { from: pileText(from), to: pileText(to) });
    if (count > 1) said = i18n.text("replay.move.run", { move: said, count });
  } else if (typeof column === "number") {
    said += ` (${pileText(`column:${column}`)})`;
  } else if (typeof cards === "number") {
    said = i18n.text("replay.move.bid", { count: cards });
  } else if (Array.isArray(cards)) {
    const all = [...cards, ...(joker ? [joker] : [])].map(cardName);
    said = i18n.text("replay.move.play", { cards: i18n.list(all) });
  } else if (gifts) {
    const each = gifts.map((one) => i18n.text("replay.move.gift", { card: cardName(one.card), to: seatName(game, one.to) }));
    said = i18n.text("replay.move.give", { gifts: i18n.list(each) });
  } else if (type === "rule" || type === "decline") {
    said = i18n.text(`replay.move.${type}`);
  }
  if (rule) said = i18n.text("replay.move.ruled", { move: said, rule: ruleText(rule) });
  if (direction) said = i18n.text("replay.move.directed", { move: said, direction: i18n.text(`acerace.${direction}`) });
  return said;
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
