import { i18n } from "../../i18n/i18n.svelte";
import type { Effect } from "./correction";

/** "7th", in the reader's language. */
export function ordinal(place: number): string {
  const rule = new Intl.PluralRules(i18n.language, { type: "ordinal" }).select(place);
  return i18n.named(`ordinal.${rule}`, `${place}.`, { place });
}

/** "anna: 7th → 1st, prize 12.00 → 40.00". */
export function effectText({ place, prize }: Effect, name: string, currency: string): string {
  const parts = [
    ...(place && place[0] !== place[1] ? [`${ordinal(place[0])} → ${ordinal(place[1])}`] : []),
    ...(place && place[0] === place[1] ? [i18n.text("correct.samePlace", { place: ordinal(place[1]) })] : []),
    ...(prize ? [i18n.text("correct.prize", { was: i18n.amount(prize[0], currency), will: i18n.amount(prize[1], currency) })] : []),
  ];
  return `${name}: ${parts.join(", ")}`;
}
