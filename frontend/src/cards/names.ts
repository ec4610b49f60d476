import { i18n } from "../i18n/i18n.svelte";
import type { Key } from "../i18n/message";
import { parse } from "./card";

/** A card in words: "seven of hearts". */
export function cardName(text: string): string {
  const card = parse(text);
  if (card.rank === "?") return i18n.text("card.hidden");
  if (!card.suit) return i18n.text("card.joker");
  return i18n.text("card.name", {
    rank: i18n.text(`rank.${card.rank}` as Key),
    suit: i18n.text(`suit.${card.suit}`),
  });
}
