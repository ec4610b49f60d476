import type { Move } from "../api/play";
import { SUITS, cardName } from "../cards/card";
import { i18n } from "../i18n/i18n.svelte";
import { readable } from "../i18n/format";
import { alike } from "./flight";
import type { Layout } from "./routes";

/** The name of a pile: `column:2` is "column 3". */
export function pileText(id: string): string {
  const [kind = "", which = ""] = id.split(":");
  const suit = SUITS.find((one) => one === which);
  if (kind === "foundation" && suit) return i18n.text("pile.foundation", { suit: i18n.text(`suit.${suit}`) });
  return i18n.named(`hint.${kind}`, readable(id), { number: Number(which) + 1 || 0 });
}

const CARD = /\b(?:[A2-9TJQK][CDHS]|X[12])(?:\.\w+)?\b/g;
const PILE = /\b(?:column|work|foundation|twos|kings):\w+\b/g;

/** A text of the server with the codes of cards and piles replaced by their names. */
export const withNames = (text: string): string => text.replace(CARD, cardName).replace(PILE, pileText);

/** The text of a move: its source and target, or its name. */
export function moveText(move: Move, { routes, presses, said }: Layout): string {
  if (said) return said(move);
  const route = routes.find((one) => alike(one.move, move));
  if (route) return i18n.text("table.hintTo", { from: pileText(route.from), to: pileText(route.to) });
  const name = i18n.named(`move.${move.type}`, readable(move.type));
  const press = presses.find((one) => alike(one.move, move));
  return press?.to === press?.pile && press ? `${name} (${pileText(press.pile)})` : name;
}
