import type { Move } from "../api/play";

/** A way that cards can go: those of a pile from position `at` on (the last one alone, mostly), onto another pile. */
export interface Route {
  from: string;
  at: number;
  to: string;
  move: Move;
}

/** The move of pressing a pile: drawing from the stock, or turning up a face-down card. */
export interface Press {
  pile: string;
  /** The pile where a hidden card is placed; the same pile if its last card is turned up. */
  to?: string;
  move: Move;
}

/** A pile as it is drawn. `cards` from the bottom; `?` of the text is a card face down. */
export interface Pile {
  id: string;
  cards: readonly string[];
  /** More cards of the pile that are not drawn one by one. */
  beneath?: number;
  /** What comes to light when those that are drawn have gone, where that is known. */
  under?: string | undefined;
}

export interface Layout {
  routes: readonly Route[];
  presses: readonly Press[];
  /** The piles that cards go between, as they are drawn. */
  piles?: readonly Pile[];
  /** The move that a card let go over a pile would be, legal or not: the server says what is wrong with it. */
  attempt?: (from: string, at: number, to: string) => Move | null;
  /** The text of a move at a table that has no piles of its own. */
  said?: (move: Move) => string;
}

export const NOTHING: Layout = { routes: [], presses: [] };

/** A card that is on its way and that only the server knows. It is drawn face down, and marked. */
export const COMING = "?…";

/** A pile that lies face down and is drawn as its top card: a stock. */
export const faceDown = (id: string, count: number): Pile => ({
  id,
  cards: count > 0 ? ["??"] : [],
  beneath: Math.max(0, count - 1),
});

/** Piles by name and number, as the rules name them: `column:3`. */
export const numbered = (name: string, index: number): string => `${name}:${index}`;
