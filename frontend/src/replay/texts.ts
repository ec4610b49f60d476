import type { Game, GameEvent } from "../api/play";
import { type Suit, cardName } from "../cards/card";
import { details } from "../games/registry";
import { i18n } from "../i18n/i18n.svelte";
import { readable } from "../i18n/format";
import { seatName } from "../table/seats";

interface Data {
  move?: Record<string, unknown>;
  facts?: Record<string, unknown>;
  seat?: unknown;
  suit?: unknown;
}

const texts = (...values: unknown[]): string[] =>
  values.flat().filter((one): one is string => typeof one === "string" && !one.startsWith("?"));

/** The seat that an event belongs to, including moves by the server for an absent seat; null at a table without seats. */
export function mover({ seat, data }: GameEvent): number | null {
  const { seat: played } = data as unknown as Data;
  return seat ?? (typeof played === "number" ? played : null);
}

/** Whose account it is, of which transfers have the name: a player at the table, the site, or the pot. */
export function accountOwner(game: Game, account: string): string {
  const [owner = ""] = account.split("/");
  const taken = game.seats.find(({ player }) => owner === `player:${player}`);
  if (taken) return seatName(game, taken.seat);
  return i18n.text(owner.startsWith("house") ? "replay.site" : owner.startsWith("game:") ? "replay.pot" : "replay.otherAccount");
}

/** A short description of an event for a list. */
export function sentence(game: Game, event: GameEvent): string {
  const { move = {}, facts = {}, suit } = event.data as unknown as Data;
  const acting = mover(event);
  const chosen = i18n.has(`suit.${String(suit)}`) ? [i18n.text(`suit.${suit as Suit}`)] : [];
  const known = i18n.named(`event.${event.type}`, readable(event.type).toLowerCase());
  const what = i18n.named(`replay.event.${event.type}`, known);
  const cards = [...new Set(texts(move["joker"], move["cards"], move["card"], facts["cards"], facts["card"], facts["auto"]))].map(cardName);
  const who = acting !== null ? seatName(game, acting) : "move" in event.data ? i18n.text("replay.operator") : "";
  const winners = (event.type === "finished" && game.outcome && details(game.rules)?.winners?.(game).replace(/\.$/, "")) || "";
  const more = [...cards, ...chosen, winners].filter(Boolean).join(", ");
  return `${who ? i18n.text("event.who", { who, what }) : what}${more ? `: ${more}` : ""}`;
}
