import type { Move } from "../../api/play";
import { SUITS, RANKS, type Suit } from "../../cards/card";
import { faceDown, numbered, type Layout, type Pile, type Press, type Route } from "../../table/routes";

export interface View {
  stock: number;
  passes_left: number;
  exhausted: boolean;
  waste: string[];
  waste_count: number;
  foundations: Record<Suit, number>;
  columns: { down: number; up: string[] }[];
  stake: number;
  win_rate: number;
  winnings: number;
  max_win: number;
  waste_playable: boolean;
  undoable: boolean;
}

const HIDDEN = "??";

/** The table without its cards. */
export const cleared = (view: View): View => ({
  ...view,
  stock: 0,
  waste: [],
  waste_count: 0,
  foundations: { C: 0, D: 0, H: 0, S: 0 },
  columns: view.columns.map(() => ({ down: 0, up: [] })),
});

export const stock = (view: View): Pile => faceDown("stock", view.stock);

export function columns(view: View): Pile[] {
  return view.columns.map(({ down, up }, index) => ({
    id: numbered("column", index),
    cards: [...Array.from({ length: down }, () => HIDDEN), ...up],
  }));
}

/** What lies in each of the four cells of the foundations; null where an Ace may be laid. */
export type Cells = readonly (Suit | null)[];

/** Each suit stays in its cell. One that is new is in the cell where its Ace was laid, if that is known, else in the first free one. */
export function arranged(before: Cells, view: View, laid: number): Cells {
  const cells = before.map((suit) => (suit && view.foundations[suit] > 0 ? suit : null));
  for (const suit of SUITS) {
    if (view.foundations[suit] === 0 || cells.includes(suit)) continue;
    cells[cells[laid] === null ? laid : cells.indexOf(null)] = suit;
  }
  return cells;
}

export const FREE: Cells = [null, null, null, null];
const NEW = "foundation:new";

/** The cell of a pile's id, if it is a free one; else -1. */
export const freeCell = (id: string): number => (id.startsWith(NEW) ? Number(id.slice(NEW.length)) : -1);

export function foundations(view: View, cells: Cells): Pile[] {
  return cells.map((suit, index) => {
    if (!suit) return { id: `${NEW}${index}`, cards: [] };
    const height = view.foundations[suit];
    const top = height > 0 ? [`${RANKS[height - 1] ?? "?"}${suit}`] : [];
    const under = height > 1 ? `${RANKS[height - 2] ?? "?"}${suit}` : undefined;
    return { id: `foundation:${suit}`, cards: top, beneath: Math.max(0, height - 1), under };
  });
}

export function waste(view: View): Pile {
  return { id: "waste", cards: view.waste, beneath: view.waste_count - view.waste.length };
}

interface Play {
  type: "move";
  from: string;
  to: string;
  count?: number;
}

const isPlay = (move: Move): move is Move & Play => move.type === "move";

/** Where the server's legal moves begin and end on the table. */
export function layout(view: View, legal: readonly Move[], cells: Cells = arranged(FREE, view, -1)): Layout {
  const home = foundations(view, cells);
  const piles = [stock(view), waste(view), ...home, ...columns(view)];
  const drawn = new Map(piles.map((pile) => [pile.id, pile.cards]));
  /** An Ace goes to any free cell, another card to the foundation of its suit. */
  const targets = (to: string, card: string | undefined): string[] => {
    if (to !== "foundation" || !card) return [to];
    return card.startsWith("A") ? home.map(({ id }) => id).filter((id) => id.startsWith(NEW)) : [`foundation:${card[1] ?? ""}`];
  };
  const routes = legal.filter(isPlay).flatMap((move): Route[] => {
    const cards = drawn.get(move.from) ?? [];
    const count = move.from.startsWith("column") ? (move.count ?? 1) : 1;
    const at = cards.length - count;
    return targets(move.to, cards[at]).map((to) => ({ from: move.from, at, to, move }));
  });
  const presses = legal.flatMap((move): Press[] => {
    if (move.type === "draw") return [{ pile: "stock", to: "waste", move }];
    if (move.type === "recycle") return [{ pile: "stock", move }];
    if (move.type !== "flip") return [];
    const pile = numbered("column", Number(move["column"]));
    return [{ pile, to: pile, move }];
  });
  const attempt = (from: string, at: number, to: string): Move | null => {
    if (!/^(column|foundation):/.test(to)) return null;
    const count = (drawn.get(from)?.length ?? 0) - at;
    // Several at once go between columns alone; a foundation is asked for by the last of them.
    if (to.startsWith("foundation")) return count === 1 ? { type: "move", from, to: "foundation" } : null;
    return { type: "move", from, to, ...(from.startsWith("column") ? { count } : {}) };
  };
  return { routes, presses, piles, attempt };
}
