import type account from "./en/account";
import type appearance from "./en/appearance";
import type audit from "./en/audit";
import type backs from "./en/backs";
import type bracket from "./en/bracket";
import type cards from "./en/cards";
import type core from "./en/core";
import type dispute from "./en/dispute";
import type generic from "../games/generic/en/board";
import type howto from "./en/howto";
import type lobby from "./en/lobby";
import type market from "./en/market";
import type measures from "./en/measures";
import type newGame from "./en/new-game";
import type nextTable from "./en/next-table";
import type outcome from "./en/outcome";
import type players from "./en/players";
import type proof from "./en/proof";
import type reasons from "./en/reasons";
import type replay from "./en/replay";
import type seats from "./en/seats";
import type settings from "./en/settings";
import type signIn from "./en/sign-in";
import type table from "./en/table";
import type tournament from "./en/tournament";
import type tournaments from "./en/tournaments";
import type wallet from "./en/wallet";

/** The parts of each catalogue, to which the manifest of a game adds its own. A page names those that it needs. */
export interface Parts {
  account: typeof account;
  appearance: typeof appearance;
  audit: typeof audit;
  backs: typeof backs;
  bracket: typeof bracket;
  cards: typeof cards;
  core: typeof core;
  dispute: typeof dispute;
  "generic/board": typeof generic;
  howto: typeof howto;
  lobby: typeof lobby;
  market: typeof market;
  measures: typeof measures;
  "new-game": typeof newGame;
  "next-table": typeof nextTable;
  outcome: typeof outcome;
  players: typeof players;
  proof: typeof proof;
  reasons: typeof reasons;
  replay: typeof replay;
  seats: typeof seats;
  settings: typeof settings;
  "sign-in": typeof signIn;
  table: typeof table;
  tournament: typeof tournament;
  tournaments: typeof tournaments;
  wallet: typeof wallet;
}
/** Parts that English does not have, since the server writes these texts in English. */
export type ServerTexts = "refusals" | "moves" | "changes" | `${string}/rules`;
/** A game that this client does not know has no texts: its parts are empty. */
export type GameTexts = `${string}/${"board" | "about"}`;
export type Part = keyof Parts | ServerTexts | GameTexts;
export type Key = { [P in keyof Parts]: keyof Parts[P] }[keyof Parts] & string;

export type Plural = Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>;
export type Text = string | Plural;
export type Catalogue = Readonly<Record<string, Text>>;
/** The type of a translated part: a plural where English has one, a plain text elsewhere. */
export type Translation<English> = { readonly [K in keyof English]: English[K] extends string ? string : Plural };
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
