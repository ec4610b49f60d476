import { cardName } from "../../cards/card";
import { i18n } from "../../i18n/i18n.svelte";
import { capital, readable } from "../../i18n/format";

/** What a game shows and offers, in words made of its keys, for a game without texts of its own. */

type Name = (seat: number) => string;

const CARD = /^(?:10|[A2-9TJQK])[CDHS](?:\.\w+)?$|^X[12](?:\.\w+)?$|^\?+$/;
/** Keys whose value is a seat, or a list of seats. */
const SEATS = new Set(["by", "dealer", "ender", "leader", "player", "seat", "seats", "target", "to", "to_act", "turn", "winner", "winners"]);
/** Keys of lists with a value for each seat, and the label of a value. */
const BY_SEAT: Readonly<Record<string, string>> = {
  hand_counts: "Cards",
  hands: "Hand",
  points: "Points",
  scores: "Score",
  seats: "",
  tricks: "Tricks",
};
/** Keys whose empty list is an empty pile. */
const PILES = new Set(["deck", "discards", "draw_pile", "hand", "hands", "pile", "stock", "trick", "waste"]);
/** Values that a person does not read, such as a hash. */
const OPAQUE = /^[\w+/=|-]{20,}$/;

/** Of a seat, or of the whole table. */
interface Owned {
  seat: number | null;
  label: string;
}

export interface Pile extends Owned {
  cards: readonly string[];
}

export interface Fact extends Owned {
  text: string;
}

export interface Shown {
  piles: Pile[];
  facts: Fact[];
  /** What only few readers want, such as a hash. */
  technical: Fact[];
}

const isCard = (value: unknown): value is string => typeof value === "string" && CARD.test(value);
const isCards = (value: unknown): value is string[] => Array.isArray(value) && value.length > 0 && value.every(isCard);

/** A card as the cards are named here: ten as `T`, a hidden card as `??`. */
const card = (text: string): string => (text.startsWith("?") ? "??" : text.replace(/^10/, "T"));

/** The view of a game as piles and facts, in the order of its keys. */
export function shown(view: Readonly<Record<string, unknown>>, seats: number, name: Name): Shown {
  const found: Shown = { piles: [], facts: [], technical: [] };
  for (const [key, value] of Object.entries(view)) collect(found, { seat: null, label: readable(key) }, key, value, seats, name);
  return found;
}

function collect(found: Shown, of: Owned, key: string, value: unknown, seats: number, name: Name): void {
  if (value === null || value === undefined || value === "") return;
  if (isCard(value)) found.piles.push({ ...of, cards: [card(value)] });
  else if (isCards(value)) found.piles.push({ ...of, cards: value.map(card) });
  else if (Array.isArray(value) && value.length === 0 && PILES.has(key)) found.piles.push({ ...of, cards: [] });
  else if (Array.isArray(value) && isFlat(value, key, seats)) found.facts.push({ ...of, text: listText(value, key, name) });
  else if (typeof value === "object") {
    const ofSeat = !Array.isArray(value) || value.length === seats ? BY_SEAT[key] : undefined;
    for (const [step, item] of Object.entries(value)) {
      const index = /^\d+$/.test(step) ? Number(step) : null;
      if (index !== null && index < seats && ofSeat !== undefined) {
        collect(found, { seat: index, label: ofSeat }, key === "hands" ? "hand" : "", item, seats, name);
      } else {
        const label = index === null ? [of.label, stepText(step)].filter(Boolean).join(", ") : `${of.label} ${i18n.number(index + 1)}`;
        collect(found, { ...of, label }, index === null ? step : SEATS.has(key) ? "seat" : "", item, seats, name);
      }
    }
  } else if (typeof value === "string" && OPAQUE.test(value)) found.technical.push({ ...of, text: value });
  else found.facts.push({ ...of, text: valueText(value, key, name) });
}

/** A list that is one fact: plain values that are not one for each seat. */
const isFlat = (list: readonly unknown[], key: string, seats: number): boolean =>
  list.length === 0 || (list.every((item) => typeof item !== "object" && !isCard(item)) && !(key in BY_SEAT && !SEATS.has(key) && list.length === seats));

const listText = (list: readonly unknown[], key: string, name: Name): string =>
  list.length === 0 ? i18n.text("generic.none") : i18n.list(list.map((item) => valueText(item, key, name)));

const stepText = (step: string): string => suitText(step) || readable(step);

const suitText = (text: string): string => i18n.named(`suit.${text}`, "");

function valueText(value: unknown, key: string, name: Name): string {
  if (isCard(value)) return cardName(card(value));
  if (typeof value === "boolean") return i18n.text(value ? "generic.yes" : "generic.no");
  if (typeof value === "number") return SEATS.has(key) && Number.isInteger(value) && value >= 0 ? name(value) : i18n.number(value);
  if (Array.isArray(value)) return listText(value, key, name);
  if (typeof value === "object" && value !== null) return membersText(value, name);
  const text = String(value ?? "");
  return suitText(text) || (/^[\w-]+$/.test(text) ? readable(text).toLowerCase() : text);
}

/** The members of a move in words; cards stand for themselves. */
function membersText(members: object, name: Name): string {
  return Object.entries(members)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([key, value]) => {
      const text = valueText(value, key, name);
      return isCard(value) || isCards(value) ? text : `${readable(key).toLowerCase()} ${text}`;
    })
    .join(", ");
}

/** A move on its button: "Play seven of hearts", "Bid: amount 3". */
export function readableMove(move: Readonly<Record<string, unknown>>, name: Name): string {
  const { type, ...members } = move;
  const action = capital(i18n.named(`move.${String(type)}`, readable(String(type ?? ""))));
  const rest = membersText(members, name);
  if (!rest) return action;
  return Object.values(members).every((value) => isCard(value) || isCards(value)) ? `${action} ${rest}` : `${action}: ${rest}`;
}
