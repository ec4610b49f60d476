import type { Game, GameEvent } from "../api/play";
import { cardName } from "../cards/names";
import { i18n } from "../i18n/i18n.svelte";
import { seatName } from "../table/seats";

interface Data {
  move?: Record<string, unknown>;
  facts?: Record<string, unknown>;
  seat?: unknown;
}

const texts = (...values: unknown[]): string[] =>
  values.flat().filter((one): one is string => typeof one === "string" && !one.startsWith("?"));

/** Whose move an event is, the house's for a seat whose time was up among them; null at a table without seats. */
export function mover({ seat, data }: GameEvent): number | null {
  const { seat: played } = data as unknown as Data;
  return seat ?? (typeof played === "number" ? played : null);
}

/** An event in a few words, for a list. */
export function sentence(game: Game, event: GameEvent): string {
  const { move = {}, facts = {} } = event.data as unknown as Data;
  const acting = mover(event);
  const key = i18n.has(`replay.event.${event.type}`) ? `replay.event.${event.type}` : `told.${event.type}`;
  const what = i18n.has(key) ? i18n.text(key) : event.type;
  const cards = [...new Set(texts(move["joker"], move["cards"], facts["cards"], facts["card"], facts["auto"]))].map(cardName);
  const who = acting !== null ? seatName(game, acting) : "move" in event.data ? i18n.text("replay.operator") : "";
  return `${who ? i18n.text("told.who", { who, what }) : what}${cards.length > 0 ? `: ${cards.join(", ")}` : ""}`;
}
