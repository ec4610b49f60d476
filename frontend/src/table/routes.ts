import type { Move } from "../api/play";

/** A way that cards can go: those of a pile from position `at` on (the last one alone, mostly), onto another pile. */
export interface Route {
  from: string;
  at: number;
  to: string;
  move: Move;
}

/** What a pile does when it is pressed by itself: the stock is drawn from, a face-down card turned up. */
export interface Press {
  pile: string;
  move: Move;
}

/** A pile as it is drawn. `cards` from the bottom; `?` of the text is a card face down. */
export interface Pile {
  id: string;
  cards: readonly string[];
  /** More cards of the pile that are not drawn one by one. */
  beneath?: number;
}

export interface Layout {
  routes: readonly Route[];
  presses: readonly Press[];
}

export const NOTHING: Layout = { routes: [], presses: [] };

/** Piles by name and number, as the rules name them: `column:3`. */
export const numbered = (name: string, index: number): string => `${name}:${index}`;
