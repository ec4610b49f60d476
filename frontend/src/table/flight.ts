import type { Move } from "../api/play";
import { isHidden } from "../cards/card";
import { COMING, type Layout, type Pile } from "./routes";

/**
 * A move that is on its way: where its cards lay, where they will lie, and the cards, if they are seen by this seat.
 * Of a draw and a turn, which bring what only the server knows, there are none, and `at` is how many the pile had.
 */
export interface Flight {
  move: Move;
  from: string;
  at: number;
  to: string;
  cards: readonly string[];
}

/** What can be shown of a move before it is answered, onto this pile if it could go to several; null where nothing can. Nothing here knows a rule of any game. */
export function predict(layout: Layout, move: Move, pile?: string): Flight | null {
  const route = layout.routes.find((one) => one.move === move && (!pile || one.to === pile));
  if (route) {
    const { from, at, to } = route;
    const cards = layout.piles?.find(({ id }) => id === from)?.cards.slice(at) ?? [];
    return cards.length > 0 && !cards.some(isHidden) ? { move, from, at, to, cards } : null;
  }
  const press = layout.presses.find((one) => one.move === move);
  return press?.to ? { move, from: press.pile, at: total(layout, press.pile), to: press.to, cards: [] } : null;
}

/** Whether the table still is as the move found it: its cards have not gone already, nor has their place. */
export function isDue(flight: Flight, layout: Layout): boolean {
  if (flight.cards.length === 0) {
    const isOffered = layout.presses.some((press) => alike(press.move, flight.move));
    return isOffered && total(layout, flight.from) === flight.at;
  }
  const pile = layout.piles?.find(({ id }) => id === flight.from);
  const isThere = flight.cards.every((card, index) => pile?.cards[flight.at + index] === card);
  return isThere && pile?.cards.length === flight.at + flight.cards.length;
}

/** A pile as it will be when the move has been accepted, as far as that is known. */
export function predicted(pile: Pile, flight: Flight): Pile {
  if (flight.cards.length === 0) return awaiting(pile, flight);
  if (pile.id === flight.from) return without(pile, flight.at);
  if (pile.id === flight.to) return { ...pile, cards: [...pile.cards, ...flight.cards] };
  return pile;
}

function awaiting(pile: Pile, { from, to }: Flight): Pile {
  if (pile.id !== to) return pile;
  if (from === to) return { ...pile, cards: [...pile.cards.slice(0, -1), COMING] };
  return { ...pile, cards: [COMING], beneath: pile.cards.length + (pile.beneath ?? 0) };
}

function without(pile: Pile, at: number): Pile {
  const beneath = pile.beneath ?? 0;
  if (at > 0 || beneath === 0) return { ...pile, cards: pile.cards.slice(0, at) };
  return { ...pile, cards: [pile.under ?? COMING], beneath: beneath - 1, under: undefined };
}

function total({ piles = [] }: Layout, id: string): number {
  const pile = piles.find((one) => one.id === id);
  return pile ? pile.cards.length + (pile.beneath ?? 0) : 0;
}

export const alike = (left: Move, right: Move): boolean => JSON.stringify(left) === JSON.stringify(right);
