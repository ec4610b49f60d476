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

export const aces = (view: View): Pile => ({
  id: "aces",
  cards: view.aces.slice(-1),
  beneath: Math.max(0, view.aces.length - 1),
});

export const stock = (view: View): Pile => faceDown("stock", view.stock);

export function layout(view: View, legal: readonly Move[]): Layout {
  const routes = legal.flatMap((move): Route[] =>
    move.type === "play" ? [{ from: String(move["from"]), at: 0, to: String(move["to"]), move }] : [],
  );
  const presses = legal.flatMap((move): Press[] =>
    move.type === "draw" || move.type === "redeal" ? [{ pile: "stock", ...(move.type === "draw" ? { to: "waste" } : {}), move }] : [],
  );
  const all = [stock(view), waste(view), aces(view), ...piles("twos", view.twos), ...piles("kings", view.kings)];
  const attempt = (from: string, _at: number, to: string): Move | null =>
    /^(twos:|kings:|aces)/.test(to) ? { type: "play", from, to } : null;
  return { routes, presses, piles: all, attempt };
}
