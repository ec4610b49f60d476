import { type ProblemDocument, textOf } from "@racecard/client";
import { SUITS, cardName } from "../cards/card";
import { capital } from "../i18n/format";
import { i18n } from "../i18n/i18n.svelte";
import { filled, problemText } from "../i18n/problemText";
import type { Ground } from "./ground";
import { pileText } from "./moveText";

const CARDS = new Set(["card", "top", "other", "joker"]);

/** The ground in the user's language; empty if the catalogue has no text for it. */
export function groundText({ key, values }: Ground, name: (seat: number) => string): string {
  const named: Record<string, string | number> = {};
  for (const [place, value] of Object.entries(values)) named[place] = valueText(place, value, name);
  return capital(filled(`ground.${key}`, named));
}

function valueText(place: string, value: unknown, name: (seat: number) => string): string | number {
  if (place === "seat") return name(Number(value));
  if (typeof value === "number") return value;
  const text = String(value);
  if (CARDS.has(place)) return cardName(text);
  if (place === "cards") return text.split(" ").map(cardName).join(", ");
  if (place === "pile") return pileName(text);
  const suit = SUITS.find((one) => one === text);
  if (place === "suit" && suit) return i18n.text(`suit.${suit}`);
  return (place === "rule" && filled(`rule.${text}`, {})) || text;
}

/** The name of a pile by itself; the table's text for it names a destination. */
function pileName(id: string): string {
  const [kind = "", which = ""] = id.split(":");
  const isShared = kind === "aces" || /^\d+$/.test(which);
  return (isShared && filled(`ground.pile.${kind}`, { number: Number(which) + 1 })) || pileText(id);
}

/** Why a move was refused: the text of its ground, or of its code. */
export function reasonText(document: ProblemDocument, ground: Ground | null, name: (seat: number) => string): string {
  return (ground && groundText(ground, name)) || problemText(document);
}

/** The rule that a move breaks, in the user's language; empty if the catalogue has none. */
export function ruleText(rules: string, document: ProblemDocument): string {
  const ruling = textOf(document, "ruling");
  return filled(`ruling.${rules}.${ruling}`, {}) || filled(`ruling.${ruling}`, {});
}
