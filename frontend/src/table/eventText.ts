import type { GameEvent } from "../api/play";
import { cardName } from "../cards/card";
import { i18n } from "../i18n/i18n.svelte";

interface Data {
  seat?: unknown;
  move?: Record<string, unknown>;
  facts?: Record<string, unknown>;
}

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];

/** The text of an event, which leaves out a player without a name, with its cards in words or signs; empty if there is none. */
export function eventText(event: GameEvent, name: (seat: number) => string, inWords = cardName): string {
  const { move = {}, facts = {}, seat } = event.data as unknown as Data;
  const acting = event.seat ?? (typeof seat === "number" ? seat : null);
  const shown = [...texts(facts["cards"]), ...texts([move["joker"]]), ...texts(move["cards"]), ...texts([move["card"], facts["card"]])].filter(
    (card) => !card.startsWith("?"),
  );
  const what = i18n.named(`event.${event.type}`, "");
  if (!what) return "";
  const bid = typeof move["cards"] === "number" ? i18n.number(move["cards"]) : "";
  const cards = bid || [...new Set(shown)].map(inWords).join(", ");
  const who = acting === null ? "" : name(acting);
  const full = cards ? i18n.text("event.cards", { what, cards }) : what;
  return who ? i18n.text("event.who", { who, what: full }) : full;
}
