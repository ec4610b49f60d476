import type { Move } from "../../api/play";
import { faceDown, numbered, type Layout, type Pile, type Press, type Route } from "../../table/routes";

export interface View {
  stock: number;
  redeals_left: number;
  waste: string | null;
  waste_count: number;
  twos: string[][];
  kings: string[][];
  aces: string[];
}

export const waste = (view: View): Pile => ({
  id: "waste",
  cards: view.waste ? [view.waste] : [],
  beneath: Math.max(0, view.waste_count - 1),
});

/** Only the top of a pile is drawn; the others lie beneath it. */
export function piles(name: "twos" | "kings", all: readonly string[][]): Pile[] {
  return all.map((cards, index) => ({
    id: numbered(name, index),
    cards: cards.slice(-1),
    beneath: cards.length - 1,
    under: cards.at(-2),
  }));
}

const ACE_CELLS = 4;

/** Four cells, filled from the first; each holds one Ace. */
export const aces = (view: View): Pile[] =>
  Array.from({ length: ACE_CELLS }, (_, index) => ({
    id: numbered("aces", index),
    cards: view.aces.slice(index, index + 1),
  }));

export const stock = (view: View): Pile => faceDown("stock", view.stock);

export function layout(view: View, legal: readonly Move[]): Layout {
  const cells = aces(view);
  const isEmpty = ({ cards }: Pile) => cards.length === 0;
  // The rules have one pile of Aces; an Ace may be laid on any empty cell and comes to lie in the first.
  const targets = (to: string): string[] => (to === "aces" ? cells.filter(isEmpty).map(({ id }) => id) : [to]);
  const routes = legal.flatMap((move): Route[] =>
    move.type === "play"
      ? targets(String(move["to"])).map((to) => ({ from: String(move["from"]), at: 0, to, move }))
      : [],
  );
  const presses = legal.flatMap((move): Press[] =>
    move.type === "draw" || move.type === "redeal" ? [{ pile: "stock", ...(move.type === "draw" ? { to: "waste" } : {}), move }] : [],
  );
  const all = [stock(view), waste(view), ...cells, ...piles("twos", view.twos), ...piles("kings", view.kings)];
  const attempt = (from: string, _at: number, to: string): Move | null =>
    /^(twos|kings|aces):/.test(to) ? { type: "play", from, to: to.startsWith("aces") ? "aces" : to } : null;
  return { routes, presses, piles: all, attempt };
}
