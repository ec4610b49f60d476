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

export interface Gift {
  card: string;
  to: number;
}

export const giftsOf = (move: Move): Gift[] => (move as Move & { gifts?: Gift[] }).gifts ?? [];
