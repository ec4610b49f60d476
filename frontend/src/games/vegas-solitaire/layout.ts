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

export const stock = (view: View): Pile => faceDown("stock", view.stock);

export function columns(view: View): Pile[] {
  return view.columns.map(({ down, up }, index) => ({
    id: numbered("column", index),
    cards: [...Array.from({ length: down }, () => HIDDEN), ...up],
  }));
}

export function foundations(view: View): Pile[] {
  return SUITS.map((suit) => {
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
export function layout(view: View, legal: readonly Move[]): Layout {
  const piles = [stock(view), waste(view), ...foundations(view), ...columns(view)];
  const drawn = new Map(piles.map((pile) => [pile.id, pile.cards]));
  const routes = legal.filter(isPlay).map((move): Route => {
    const cards = drawn.get(move.from) ?? [];
    const count = move.from.startsWith("column") ? (move.count ?? 1) : 1;
    const at = cards.length - count;
    return { from: move.from, at, to: target(move.to, cards[at]), move };
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

/** A card goes to the foundation of its suit. */
function target(to: string, card: string | undefined): string {
  return to === "foundation" && card ? `foundation:${card[1] ?? ""}` : to;
}
