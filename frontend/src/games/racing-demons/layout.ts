import type { Move } from "../../api/play";
import { i18n } from "../../i18n/i18n.svelte";
import { BACKS, type Back } from "../../table/appearance.svelte";
import { faceDown, numbered, type Layout, type Pile, type Press, type Route } from "../../table/routes";

export interface Area {
  demon: number;
  demon_top: string | null;
  work: string[][];
  stock: number;
  waste: string[];
  waste_count: number;
  stuck: boolean;
}

export interface View {
  you: Area | null;
  others: (Area & { seat: number })[];
  foundations: { suit: string; cards: string[] }[];
  scores: number[];
  to_act: number[];
}

const NEW_FOUNDATION = "foundation:new";

export const demon = (area: Area): Pile => ({
  id: "demon",
  cards: area.demon_top ? [area.demon_top] : [],
  beneath: Math.max(0, area.demon - 1),
});

export const waste = (area: Area): Pile => ({
  id: "waste",
  cards: area.waste,
  beneath: area.waste_count - area.waste.length,
});

export const work = (area: Area): Pile[] =>
  area.work.map((cards, index) => ({ id: numbered("work", index), cards }));

/** Those that have been started, and a place for the next one as long as an Ace is left: four of each seat's pack. */
export function foundations(view: View): Pile[] {
  const begun = view.foundations.map(({ cards }, index) => ({
    id: numbered("foundation", index),
    cards: cards.slice(-1),
    beneath: cards.length - 1,
  }));
  return [...begun, { id: NEW_FOUNDATION, cards: [] }].slice(0, 4 * view.scores.length);
}

export const stock = (area: Area): Pile => faceDown("stock", area.stock);

export function layout(view: View, legal: readonly Move[]): Layout {
  const area = view.you;
  if (!area) return { routes: [], presses: [] };
  const piles = [stock(area), demon(area), waste(area), ...work(area), ...foundations(view)];
  const drawn = new Map(piles.map((pile) => [pile.id, pile.cards]));
  const routes = legal.flatMap((move): Route[] => {
    if (move.type !== "move") return [];
    const from = String(move["from"]);
    const count = from.startsWith("work") ? Number(move["count"] ?? 1) : 1;
    return [{ from, at: (drawn.get(from)?.length ?? 0) - count, to: String(move["to"]), move }];
  });
  const presses = legal.flatMap((move): Press[] => (move.type === "turn" ? [{ pile: "stock", to: "waste", move }] : []));
  const attempt = (from: string, at: number, to: string): Move | null => {
    if (!/^(work|foundation):/.test(to) || from.startsWith("foundation")) return null;
    const count = (drawn.get(from)?.length ?? 0) - at;
    return { type: "move", from, to, ...(from.startsWith("work") && to.startsWith("work") ? { count } : {}) };
  };
  return { routes, presses, piles, attempt };
}

/** A back for every seat, all different: the reader's own as chosen, the others in the order of the list. */
export function backsOf(seats: number, own: number | null, chosen: Back): Back[] {
  const others = BACKS.filter((back) => own === null || back !== chosen);
  return Array.from({ length: seats }, (_, seat) => {
    if (seat === own) return chosen;
    const place = own !== null && seat > own ? seat - 1 : seat;
    return others[place % others.length] ?? chosen;
  });
}

/** A score, which may be negative, with a minus sign instead of a hyphen. */
export const scoreText = (score: number): string => i18n.number(score).replace("-", "−");
