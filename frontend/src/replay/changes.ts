import { parse, cardName } from "../cards/card";
import { i18n } from "../i18n/i18n.svelte";
import { capital, readable } from "../i18n/format";
import { filled } from "../i18n/problemText";

/** What an event has changed: a part of the table, by the keys and places that lead to it. */
export interface Change {
  path: string;
  before: unknown;
  after: unknown;
}

/** What is a seat, or several: they are counted from 0. */
const SEATS = new Set(["dealer", "ender", "rule_maker", "seat", "seats", "to_act", "turn", "winners"]);

/** What is in pence where a game is played for money. */
const AMOUNTS = new Set(["stake", "winnings", "win_rate", "max_win"]);

/** A change in the reader's language; empty where the catalogue has no name for the part. `currency` is that of a game for money. */
export function changeText({ path, before, after }: Change, currency = ""): string {
  const where = placeText(path.split("/"));
  const key = path.split("/").pop() ?? "";
  const shown = (value: unknown) => (currency && AMOUNTS.has(key) && typeof value === "number" ? i18n.money(value, currency) : value);
  return where && `${capital(where)}: ${whatText(shown(before), shown(after), key)}`;
}

/** `table/columns/0/up` is "column 1, face up". */
function placeText(steps: readonly string[]): string {
  const words: string[] = [];
  for (const step of steps) {
    if (step === "table" && steps.length > 1) continue;
    const name = /^\d+$/.test(step) ? i18n.number(Number(step) + 1) : suitText(step) || filled(`change.${step}`, {});
    if (!name) return "";
    // A number or a suit says which one of what is named before it.
    if (words.length > 0 && (/^\d+$/.test(step) || suitText(step))) words[words.length - 1] += ` ${name}`;
    else words.push(name);
  }
  return words.join(", ");
}

const suitText = (text: string): string => (/^[CDHS]$/.test(text) ? filled(`suit.${text}`, {}) : "");

function whatText(before: unknown, after: unknown, key: string): string {
  if (!isCards(before) || !isCards(after)) {
    return filled("change.from", { before: valueText(before, key), after: valueText(after, key) });
  }
  const common = before.findIndex((card, at) => card !== after[at]);
  const from = common < 0 ? before.length : common;
  const [gone, come] = [before.slice(from), after.slice(from)];
  if (gone.length > 0 && [...gone].sort().join() === [...come].sort().join()) {
    return filled("change.order", { cards: valueText(after) });
  }
  const parts = [
    ...(gone.length > 0 ? [filled("change.loses", { cards: valueText(gone) })] : []),
    ...(come.length > 0 ? [filled("change.gains", { cards: valueText(come) })] : []),
  ];
  return parts.join("; ");
}

const isCards = (value: unknown): value is string[] => Array.isArray(value) && value.every(isCard);

function isCard(value: unknown): value is string {
  return typeof value === "string" && value.length > 1 && parse(value).rank !== "?" && /^[A-Z0-9]{2}(\.\w+)?$/.test(value);
}

const named = (key: string): string => suitText(key) || filled(`change.${key}`, {}) || readable(key);

function valueText(value: unknown, key = ""): string {
  if (value === null || value === undefined) return filled("change.none", {});
  if (typeof value === "boolean") return filled(value ? "change.yes" : "change.no", {});
  if (typeof value === "number") return SEATS.has(key) ? filled("change.seatOf", { number: value + 1 }) : i18n.number(value);
  if (Array.isArray(value)) return value.length > 0 ? value.map((item) => valueText(item, key)).join(", ") : filled("change.none", {});
  if (typeof value === "object") {
    return Object.entries(value)
      // A seat says itself that it is one.
      .map(([name, item]) => `${name === "seat" ? "" : `${named(name)} `}${valueText(item, name)}`)
      .join(", ");
  }
  const text = String(value);
  return (isCard(text) && cardName(text)) || suitText(text) || filled(`change.${text}`, {}) || filled(`rule.${text}`, {}) || text;
}
