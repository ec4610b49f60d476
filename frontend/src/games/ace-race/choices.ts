import { SUITS, parse, value } from "../../cards/card";
import type { Move } from "../../api/play";

export interface Rule {
  name: "multiples" | "series" | "high" | "medium" | "low" | "suits" | "prime" | "above-below";
  suit?: string;
}

export interface View {
  phase: "bidding" | "rule" | "giveaway" | "playing" | "over";
  dealer: number;
  hand: string[] | null;
  hands: number[];
  draw_pile: number;
  discards: string[];
  rule: Rule | null;
  rule_maker: number | null;
  direction: "higher" | "lower" | null;
  bids: { seat: number; cards?: number; pass?: boolean }[];
  to_act: number | null;
  drawn: string | null;
}

interface Play {
  cards: string[];
  joker?: string;
}

const cardsOf = (move: Move): string[] => {
  const { cards, joker } = move as Move & Partial<Play>;
  return [...(cards ?? []), ...(joker ? [joker] : [])];
};

const alike = (left: readonly string[], right: readonly string[]) =>
  left.length === right.length && [...left].sort().join() === [...right].sort().join();

/** The legal plays of exactly these cards: several, where a rule or a direction is to be chosen with them. */
export function playsOf(legal: readonly Move[], chosen: readonly string[]): Move[] {
  return legal.filter((move) => move.type === "play" && alike(cardsOf(move), chosen));
}

/** Whether a card is part of some legal play together with those that are chosen already. */
export function fits(legal: readonly Move[], chosen: readonly string[], card: string): boolean {
  const wanted = chosen.includes(card) ? chosen : [...chosen, card];
  return legal.some((move) => move.type === "play" && wanted.every((one) => cardsOf(move).includes(one)));
}

/** Whether a card may be given away together with those that are chosen already. */
export function givable(legal: readonly Move[]): boolean {
  return legal.some((move) => move.type === "give");
}

interface Gift {
  card: string;
  to: number;
}

export const giftsOf = (move: Move): Gift[] => (move as Move & { gifts?: Gift[] }).gifts ?? [];

/** Cards that may be played together without a joker, each set once, the longest last; Aces are not among them. */
export function together(legal: readonly Move[]): string[][] {
  const found = new Map<string, string[]>();
  for (const move of legal) {
    const { cards = [], joker } = move as Move & Partial<Play>;
    if (move.type !== "play" || joker || ruleOf(move)) continue;
    const key = [...cards].sort().join();
    if (!found.has(key)) found.set(key, cards);
  }
  return [...found.values()].sort((left, right) => left.length - right.length);
}

export const ruleOf = (move: Move): Rule | undefined => (move as Move & { rule?: Rule }).rule;
export const directionOf = (move: Move) => (move as Move & { direction?: "higher" | "lower" }).direction;

export const takesJoker = (legal: readonly Move[]): boolean => legal.some((move) => "joker" in move);

export const takesAce = (legal: readonly Move[]): boolean =>
  legal.some((move) => move.type === "play" && ruleOf(move) !== undefined);

/** The legal bids by how many cards they are for, fewest first. */
export function bidsOf(legal: readonly Move[]): { cards: number; move: Move }[] {
  return legal
    .filter(({ type }) => type === "bid")
    .map((move) => ({ cards: Number(move["cards"]), move }))
    .sort((left, right) => left.cards - right.cards);
}

export type Order = "arrival" | "value" | "suit";

/** The hand in another order than it arrived in; Aces and jokers at the end, since they go with any rule. */
export function inOrder(hand: readonly string[], order: Order): string[] {
  if (order === "arrival") return [...hand];
  const place = (text: string) => {
    const card = parse(text);
    const special = card.suit === null ? 200 : value(card) === 1 ? 100 : 0;
    const suit = card.suit ? SUITS.indexOf(card.suit) : 0;
    return special + (order === "value" ? value(card) * 4 + suit : suit * 14 + value(card));
  };
  return [...hand].sort((left, right) => place(left) - place(right));
}
