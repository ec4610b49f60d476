/** The parts of each catalogue, to which the manifest of a game adds its own. A page names those that it needs. */
export interface Parts {
  account: typeof import("./en/account").default;
  amount: typeof import("./en/amount").default;
  audit: typeof import("./en/audit").default;
  backs: typeof import("./en/backs").default;
  cards: typeof import("./en/cards").default;
  changes: typeof import("./en/changes").default;
  core: typeof import("./en/core").default;
  dispute: typeof import("./en/dispute").default;
  "generic/board": typeof import("../games/generic/en/board").default;
  lobby: typeof import("./en/lobby").default;
  market: typeof import("./en/market").default;
  measures: typeof import("./en/measures").default;
  "my-games": typeof import("./en/my-games").default;
  "new-game": typeof import("./en/new-game").default;
  notifications: typeof import("./en/notifications").default;
  offline: typeof import("./en/offline").default;
  players: typeof import("./en/players").default;
  proof: typeof import("./en/proof").default;
  reasons: typeof import("./en/reasons").default;
  replay: typeof import("./en/replay").default;
  run: typeof import("./en/run").default;
  "sign-in": typeof import("./en/sign-in").default;
  "table-parts": typeof import("./en/table-parts").default;
  table: typeof import("./en/table").default;
  "top-up": typeof import("./en/top-up").default;
  tournament: typeof import("./en/tournament").default;
  tournaments: typeof import("./en/tournaments").default;
  wallet: typeof import("./en/wallet").default;
  wizard: typeof import("./en/wizard").default;
}
/** Parts that English does not have, since the server writes these texts in English. */
type ServerTexts = "refusals" | "moves" | `${string}/rules`;
/** A game that this client does not know has no texts: its parts are empty. */
type GameTexts = `${string}/${"board" | "about"}`;
export type Part = keyof Parts | ServerTexts | GameTexts;
export type Key = { [P in keyof Parts]: keyof Parts[P] }[keyof Parts] & string;

type Plural = Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>;
export type Text = string | Plural;
export type Catalogue = Readonly<Record<string, Text>>;
export type Values = Readonly<Record<string, string | number>>;

/** The text of a message with its `{places}` filled; a plural is chosen by the value named `count`. */
export function message(text: Text, locale: string, values: Values = {}): string {
  const chosen = typeof text === "string" ? text : plural(text, locale, Number(values["count"] ?? 0));
  return chosen.replace(/\{(\w+)\}/g, (place, name: string) => {
    const value = values[name];
    if (value === undefined) return place;
    return typeof value === "number" ? new Intl.NumberFormat(locale).format(value) : value;
  });
}

function plural(text: Plural, locale: string, count: number): string {
  return text[new Intl.PluralRules(locale).select(count)] ?? text.other;
}

/** The names in braces, sorted: a translation must use the same. */
export function places(text: Text): string[] {
  const all = typeof text === "string" ? text : Object.values(text).join(" ");
  return [...new Set([...all.matchAll(/\{(\w+)\}/g)].map((found) => found[1] ?? ""))].sort();
}
