import type { GameEvent, Move } from "../../api/play";
import { cardName } from "../../cards/card";
import { i18n } from "../../i18n/i18n.svelte";
import { pileText } from "../../table/moveText";
import type { View } from "./layout";

/** The arrow is shown while a legal move takes the top card of the play deck. */
export const hasArrow = (legal: readonly Move[]): boolean => legal.some((move) => move.type === "move" && move["from"] === "waste");

/** Collecting is the next action only when nothing else is left to do. */
export const isOnlyCollecting = (legal: readonly Move[]): boolean =>
  legal.some(({ type }) => type === "collect") && legal.every(({ type }) => type === "collect" || type === "undo");

/** The view counts the current pass; the user sees how many follow it. */
export function passesText(view: View, isOver: boolean): string {
  if (isOver || view.exhausted) return i18n.text("vegas.noPass");
  return view.passes_left > 1 ? i18n.text("vegas.passes", { count: view.passes_left - 1 }) : i18n.text("vegas.lastPass");
}

interface Data {
  move?: Move & { from?: string; to?: string };
  facts?: { cards?: string[]; auto?: string[] };
}

/** What undo would take back, or why it cannot, derived from the last event. */
export function undoText(view: View, last: GameEvent | undefined): string {
  const { move, facts } = (last?.data ?? {}) as unknown as Data;
  const cards = facts?.cards ?? [];
  if (view.undoable) {
    if (last?.type === "draw") return i18n.text("vegas.undoDraw", { count: cards.length });
    if (last?.type === "move") {
      const card = cardName(cards[0] ?? "??");
      return i18n.text("vegas.undoMove", { card, from: pileText(move?.from ?? ""), to: pileText(move?.to ?? "") });
    }
    return i18n.text("vegas.undoWhat");
  }
  if (facts?.auto) return i18n.text("vegas.undoComplete");
  if (last?.type === "undo") return i18n.text("vegas.undoOnce");
  if (last?.type === "flip") return i18n.text("vegas.undoFlip");
  if (last?.type === "recycle") return i18n.text("vegas.undoRecycle");
  if (last?.type === "move") return i18n.text("vegas.undoColumns");
  if (last?.type === "dealt") return i18n.text("vegas.undoNone");
  return i18n.text("vegas.undoNot");
}
