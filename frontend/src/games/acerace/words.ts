import type { Suit } from "../../cards/card";
import { i18n } from "../../i18n/i18n.svelte";
import type { Key } from "../../i18n/message";
import type { Rule } from "./choices";

/** A rule in words: what it allows. */
export function ruleText(rule: Rule): string {
  const suit = rule.suit ? i18n.text(`suit.${rule.suit as Suit}`) : "";
  return i18n.text(`acerace.rule.${rule.name}` as Key, { suit });
}
