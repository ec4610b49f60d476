import { canonical, isDictionary, isWhole, NotCanonical, type Dictionary, type Json } from "./json";

/** The parts of a bundle that chain and fairness stand on (RULEBOOK 8), once their form is known to be good. */
export interface Bundle {
  game: {
    id: string;
    rules: string;
    seats: { seat: number; player: string; client_seed: string; suit?: string }[];
    bet_seeds: string[];
    commitment: string;
    server_seed: string | null;
    tournament: Tournament | null;
  };
  events: BundleEvent[];
  outcome: Dictionary | null;
}

export interface Tournament {
  id: string;
  round: number;
  deal: number;
  commitment: string;
  seed: string | null;
  entropy: string;
}

export interface BundleEvent {
  version: number;
  type: string;
  seat: number | null;
  data: Dictionary;
  private: Dictionary | null;
  seal: string | null;
  at: string;
  prev: string;
  hash: string;
}

export class Malformed extends Error {
  constructor(
    why: string,
    readonly version: number | null = null,
  ) {
    super(why);
  }
}

type Holds = (value: Json | undefined) => boolean;
/** The keys of an object, all of them, with what each value must be. */
type Form = Readonly<Record<string, Holds>>;

const SEED_LENGTH = 64;
const AT = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)\.\d{6}Z$/;

const text =
  (form: RegExp): Holds =>
  (value) =>
    typeof value === "string" && form.test(value);
const number =
  (least: number): Holds =>
  (value) =>
    typeof value === "number" && value >= least;
const orNull =
  (holds: Holds): Holds =>
  (value) =>
    value === null || holds(value);
const isText: Holds = (value) => typeof value === "string";
const isList: Holds = (value) => Array.isArray(value);
const isSeed: Holds = (value) =>
  typeof value === "string" && [...value].length <= SEED_LENGTH && !/[|\0]/.test(value) && isWhole(value);
const isMoment: Holds = (value) => typeof value === "string" && isTime(AT.exec(value));
const isHash = text(/^[0-9a-f]{64}$/);
const isId = text(/^[0-9A-Za-z][0-9A-Za-z._-]{0,63}$/);

const BUNDLE: Form = {
  format: (value) => value === "racecard-bundle/1",
  game: isDictionary,
  events: (value) => Array.isArray(value) && value.length > 0,
  outcome: orNull(isDictionary),
  rulings: isList,
  transfers: (value) => value === "withheld" || isList(value),
};
const GAME: Form = {
  id: isId,
  rules: isText,
  rules_version: number(1),
  config: isDictionary,
  seats: isList,
  bet_seeds: (value) => Array.isArray(value) && value.every(isSeed),
  commitment: isHash,
  server_seed: orNull(isHash),
  tournament: orNull(isDictionary),
};
const SEAT: Form = { seat: number(0), player: isId, client_seed: isSeed };
const TOURNAMENT: Form = {
  id: isId,
  round: number(1),
  deal: number(1),
  commitment: isHash,
  seed: orNull(isHash),
  entropy: isHash,
};
const EVENT: Form = {
  version: number(-Infinity),
  type: text(/^[a-z][a-z-]{0,39}$/),
  seat: orNull(number(0)),
  data: isDictionary,
  private: orNull(isDictionary),
  seal: orNull(isHash),
  at: isMoment,
  prev: isText,
  hash: isText,
};

function demand(value: Json | undefined, form: Form, what: string, version: number | null = null): asserts value is Dictionary {
  if (!isDictionary(value)) throw new Malformed(`${what} is not an object`, version);
  const [wanted, has] = [Object.keys(form), Object.keys(value)];
  const isComplete = has.length === wanted.length && wanted.every((key) => key in value);
  if (!isComplete) throw new Malformed(`${what}: keys ${has.join(", ")}`, version);
  const wrong = wanted.find((key) => !form[key]?.(value[key]));
  if (wrong) throw new Malformed(`${what}.${wrong}`, version);
}

/** Throws Malformed unless the document has the format of a bundle. Money is not checked here. */
export function form(document: Json): Bundle {
  const isProven = isDictionary(document) && "checkpoint" in document;
  demand(document, isProven ? { ...BUNDLE, checkpoint: () => true } : BUNDLE, "bundle");
  requireCanonical(document);
  const { game, events } = document;
  demand(game, GAME, "game");
  for (const seat of game["seats"] as Json[]) {
    demand(seat, isDictionary(seat) && "suit" in seat ? { ...SEAT, suit: text(/^[CDHS]$/) } : SEAT, "seat");
  }
  if (game["tournament"] !== null) demand(game["tournament"], TOURNAMENT, "tournament");
  for (const [index, event] of (events as Json[]).entries()) demand(event, EVENT, "event", index + 1);
  return document as unknown as Bundle;
}

function requireCanonical(bundle: Dictionary): void {
  try {
    for (const [key, value] of Object.entries(bundle)) if (key !== "events") canonical(value);
  } catch (fault) {
    if (fault instanceof NotCanonical) throw new Malformed(fault.message);
    throw fault;
  }
}

function isTime(found: RegExpExecArray | null): boolean {
  if (!found) return false;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found.slice(1).map(Number);
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const isDay = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return year > 0 && isDay && hour < 24 && minute < 60 && second < 60;
}
