/** The parts of a config's schema that the form needs. */
export interface Option {
  enum?: (string | number)[];
  type?: string;
  minimum?: number;
  maximum?: number;
  default?: string | number;
  /** Suggested values for a required option. */
  examples?: (string | number)[];
  description?: string;
}

export type Config = Record<string, string | number | null>;

/** Money has its own fields; the dealer and the previous winner are among the rarely changed options. */
const APART = new Set(["stake", "win_rate"]);
const SEATS = new Set(["dealer", "previous_winner"]);

export interface Options {
  usual: [key: string, option: Option][];
  /** Options whose value is a seat. */
  seats: string[];
}

export function optionsOf(schema: unknown): Options {
  const all = Object.entries((schema as { properties?: Record<string, Option> } | undefined)?.properties ?? {});
  return {
    usual: all.filter(([key]) => !APART.has(key) && !SEATS.has(key)),
    seats: all.map(([key]) => key).filter((key) => SEATS.has(key)),
  };
}

/** The initial values of the form. */
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

export interface Steps {
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
