import type { GameEvent } from "../api/play";
import { cardName } from "../cards/names";
import { i18n } from "../i18n/i18n.svelte";
import type { Key } from "../i18n/message";

interface Data {
  seat?: unknown;
  move?: Record<string, unknown>;
  facts?: Record<string, unknown>;
}

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];

/** An event in words, for who listens; empty where there is nothing to say. */
export function told(event: GameEvent, name: (seat: number) => string): string {
  const { move = {}, facts = {}, seat } = event.data as unknown as Data;
  const acting = event.seat ?? (typeof seat === "number" ? seat : null);
  const shown = [...texts(facts["cards"]), ...texts([move["joker"]]), ...texts(move["cards"]), ...texts([facts["card"]])].filter(
    (card) => !card.startsWith("?"),
  );
  const key = `told.${event.type}` as Key;
  const what = i18n.has(key) ? i18n.text(key) : "";
  if (!what) return "";
  const bid = typeof move["cards"] === "number" ? i18n.number(move["cards"]) : "";
  const cards = bid || [...new Set(shown)].map(cardName).join(", ");
  const deed = acting === null ? what : i18n.text("told.who", { who: name(acting), what });
  return cards ? `${deed} ${cards}` : deed;
}
