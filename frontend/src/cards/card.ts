import { i18n } from "../i18n/i18n.svelte";
import type { Key } from "../i18n/message";

export type Suit = "C" | "D" | "H" | "S";
export const SUITS: readonly Suit[] = ["C", "D", "H", "S"];
export const RANKS = "A23456789TJQK";

/** A card as the server writes it: rank and suit, `X1` and `X2` the jokers, `??` hidden; the pack after a dot. */
export interface Card {
  readonly text: string;
  readonly rank: string;
  readonly suit: Suit | null;
  readonly pack: string;
}

export function parse(text: string): Card {
  const [face = "", pack = ""] = text.split(".");
  const rank = face[0] ?? "?";
  const suit = SUITS.find((one) => one === face[1]) ?? null;
  return { text, rank, suit: rank === "X" ? null : suit, pack };
}

/** A=1 … K=13; 0 of a joker and of a hidden card. */
export const value = (card: Card): number => RANKS.indexOf(card.rank) + 1;
export const isHidden = (text: string): boolean => text.startsWith("?");

/** What is printed in the corner. */
export function corner(card: Card): string {
  return card.rank === "T" ? "10" : card.rank === "X" ? "★" : card.rank;
}

/** A card in the signs of its corner, where words have no room: "7♥", as text where it could be an emoji. */
export const cardSigns = (text: string): string => `${corner(parse(text))}${"♣♦♥♠"[SUITS.indexOf(text[1] as Suit)] ?? ""}\uFE0E`;

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
