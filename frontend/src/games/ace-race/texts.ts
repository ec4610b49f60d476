import type { GameEvent, Move } from "../../api/play";
import { type Suit, cardName } from "../../cards/card";
import { i18n } from "../../i18n/i18n.svelte";
import type { Key } from "../../i18n/message";
import { eventText } from "../../table/eventText";
import { directionOf, giftsOf, ruleOf, type Rule, type View } from "./choices";

type Name = (seat: number) => string;

/** A rule in words: what it allows. */
export function ruleText(rule: Rule): string {
  const suit = rule.suit ? i18n.text(`suit.${rule.suit as Suit}`) : "";
  return i18n.text(`acerace.rule.${rule.name}` as Key, { suit });
}

/** A play on its button. Where the same cards go in several orders, it says which card comes to lie on top. */
export function playText(move: Move, plays: readonly Move[]): string {
  const direction = directionOf(move);
  if (direction) return i18n.text("acerace.playDirection", { direction: i18n.text(`acerace.${direction}`) });
  const { cards = [], joker } = move as Move & { cards?: string[]; joker?: string };
  if (plays.length > 1) return i18n.text("acerace.playTop", { card: cardName(cards.at(-1) ?? "??") });
  return i18n.text("acerace.play", { cards: [...(joker ? [joker] : []), ...cards].map(cardName).join(", ") });
}

export function biddingText(view: View, name: Name): string {
  const highest = view.bids.findLast(({ pass }) => !pass);
  if (!highest) return i18n.text("acerace.noBid");
  return i18n.text("acerace.highest", { count: highest.cards ?? 0, name: name(highest.seat) });
}

interface Data {
  move?: Move;
}

/** The last play; a gift to the user includes its cards. */
export function lastPlayText(event: GameEvent, name: Name, own: number | null): string {
  const action = eventText(event, name);
  const move = ((event.private ?? event.data) as unknown as Data).move;
  if (!action || !move) return action && `${action}.`;
  const rule = event.type === "play" && ruleOf(move);
  if (rule) return `${action}. ${i18n.text("acerace.newRule", { rule: ruleText(rule) })}`;
  const gifts = giftsOf(move).filter(({ card, to }) => to === own && !card.startsWith("?"));
  if (gifts.length === 0) return `${action}.`;
  return `${action}. ${i18n.text("acerace.given", { cards: gifts.map(({ card }) => cardName(card)).join(", ") })}`;
}
