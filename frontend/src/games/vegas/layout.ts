import type { Move } from "../../api/play";
import { SUITS, RANKS, type Suit } from "../../cards/card";
import { numbered, type Layout, type Pile, type Press, type Route } from "../../table/routes";

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
    return { id: `foundation:${suit}`, cards: top, beneath: Math.max(0, height - 1) };
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
  const drawn = new Map([...columns(view), ...foundations(view), waste(view)].map((pile) => [pile.id, pile.cards]));
  const routes = legal.filter(isPlay).map((move): Route => {
    const cards = drawn.get(move.from) ?? [];
    const count = move.from.startsWith("column") ? (move.count ?? 1) : 1;
    const at = cards.length - count;
    return { from: move.from, at, to: target(move.to, cards[at]), move };
  });
  const presses = legal.flatMap((move): Press[] => {
    if (move.type === "draw" || move.type === "recycle") return [{ pile: "stock", move }];
    if (move.type === "flip") return [{ pile: numbered("column", Number(move["column"])), move }];
    return [];
  });
  return { routes, presses };
}

/** A card goes up to the foundation of its own suit; the rules need not say which. */
function target(to: string, card: string | undefined): string {
  return to === "foundation" && card ? `foundation:${card[1] ?? ""}` : to;
}
