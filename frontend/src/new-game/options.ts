import type { Game } from "../api/play";
import { i18n } from "../i18n/i18n.svelte";
import { readable } from "../i18n/format";

/** The parts of a config's schema that the form needs. */
export interface Option {
  enum?: (string | number)[];
  type?: string;
  minimum?: number;
  maximum?: number;
  default?: string | number | boolean;
  /** Suggested values for a required option. */
  examples?: (string | number)[];
  title?: string;
  /** The labels of values. */
  "x-labels"?: Readonly<Record<string, string>>;
  description?: string;
}

export type BotPace = Game["bot_pace"];
export type Config = Record<string, string | number | boolean | null>;

/** Seconds for a move, for a game, and between draws of the server; null for the installation's own. */
export interface Limits {
  move: number | null;
  game: number | null;
  drawEvery: number | null;
  hints: boolean;
  /** Of bots in a race. */
  botPace: BotPace;
}

/** With whom a game is played: alone, against bots, with anyone who looks for opponents, or with those who have the link. */
export type Opponents = "alone" | "bots" | "anyone" | "friends";

/** The possible opponents, the usual ones first, each with the numbers of seats. */
export function seatsWith(counts: readonly number[], bots: readonly string[]): ReadonlyMap<Opponents, readonly number[]> {
  const several = counts.filter((count) => count > 1);
  const ways: [Opponents, readonly number[]][] = [
    ["bots", bots.length > 0 ? several : []],
    ["alone", counts.filter((count) => count < 2)],
    ["anyone", several],
    ["friends", several],
  ];
  return new Map(ways.filter(([, seats]) => seats.length > 0));
}

/** Money has its own fields; the dealer and the previous winner are among the rarely changed options. */
const APART = new Set(["stake", "win_rate"]);
const SEATS = new Set(["dealer", "previous_winner"]);

export interface Options {
  usual: [key: string, option: Option][];
  /** Options whose value is a seat. */
  seats: string[];
  /** Options without which the server deals no game. */
  required: string[];
}

interface Schema {
  properties?: Record<string, Option>;
  required?: string[];
}

/** `rulings` are sentences of the rules about options, for options without a description. */
export function optionsOf(schema: unknown, rulings: readonly { key: string; text: string }[] = []): Options {
  const { properties = {}, required = [] } = (schema ?? {}) as Schema;
  const said = (key: string) => rulings.find((ruling) => ruling.key === key)?.text ?? "";
  const all = Object.entries(properties).map(([key, option]): [string, Option] => [key, { description: said(key), ...option }]);
  return {
    usual: all.filter(([key]) => !APART.has(key) && !SEATS.has(key)),
    seats: all.map(([key]) => key).filter((key) => SEATS.has(key)),
    required: required.filter((key) => !APART.has(key)),
  };
}

const SPANS = [60, 120, 300, 600, 900, 1800, 3600, 7200];

/** The seconds that an option of time offers: usual ones, and the present value. */
export function spans({ minimum = 1, maximum = Infinity }: Option, present: Config[string] | undefined): number[] {
  const usual = SPANS.filter((seconds) => seconds >= minimum && seconds <= maximum);
  return [...new Set([...usual, ...(typeof present === "number" ? [present] : [])])].sort((one, other) => one - other);
}

/** The label of an option from the texts of the game; else the server's, or made of the key. */
export function optionLabel(game: string, key: string, { title }: Option = {}): string {
  return i18n.named(`option.${game}.${key}`, title ?? readable(key));
}

export function choiceLabel(game: string, key: string, value: string | number, option: Option = {}): string {
  return i18n.named(`option.${game}.${key}.${value}`, option["x-labels"]?.[value] ?? readable(String(value)));
}

export function defaults({ usual, seats }: Options): Config {
  const config: Config = {};
  for (const [key, option] of usual) {
    const value = option.default ?? option.examples?.[0];
    if (value !== undefined) config[key] = value;
  }
  for (const key of seats) config[key] = key === "dealer" ? 0 : null;
  return config;
}

/** The config that is sent: without empty values, for which the server has defaults. */
export function filled(config: Config): Config {
  return Object.fromEntries(Object.entries(config).filter(([, value]) => value !== null && value !== ""));
}

interface Steps {
  minimum: number;
  maximum: number;
  step: number;
  default: number;
}

/** The initial stake in pence: the default, or 0 (points) if the player's funds are lower. */
export const firstStake = (table: Steps, funds: number | null): number =>
  funds === null || funds >= table.default ? table.default : 0;

/** Why an entered amount cannot be staked, as the end of a text's key; null if it can. 0 is a game for points. */
export function stakeFault(amount: number | null, table: Steps): "None" | "Least" | "Most" | "Step" | null {
  if (amount === null) return "None";
  if (amount === 0) return null;
  if (amount < table.minimum) return "Least";
  if (amount > table.maximum) return "Most";
  return amount % table.step === 0 ? null : "Step";
}

/** The next amount that a stake table accepts, up or down; `least` is the result below the minimum. */
export function stepped(
  amount: number,
  by: 1 | -1,
  table: Steps,
  least: number,
): number {
  if (amount < table.minimum) return by > 0 ? table.default : amount;
  const wanted = amount + by * table.step;
  return wanted < table.minimum ? least : Math.min(table.maximum, wanted);
}
