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

const BUNDLE = ["format", "game", "events", "outcome", "rulings", "transfers"];
const SEAT = ["seat", "player", "client_seed"];
const SUIT = /^[CDHS]$/;
const GAME = "id rules rules_version config seats bet_seeds commitment server_seed tournament".split(" ");
const TOURNAMENT = ["id", "round", "deal", "commitment", "seed", "entropy"];
const EVENT = "version type seat data private seal at prev hash".split(" ");
const HEX64 = /^[0-9a-f]{64}$/;
const TYPE = /^[a-z][a-z-]{0,39}$/;
const ID = /^[0-9A-Za-z][0-9A-Za-z._-]{0,63}$/;
const AT = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)\.\d{6}Z$/;
const SEED_LENGTH = 64;

const isText = (value: Json | undefined, form: RegExp): boolean => typeof value === "string" && form.test(value);
const isWholeNumber = (value: Json | undefined, least: number): boolean => typeof value === "number" && value >= least;
const orNull = (value: Json | undefined, form: RegExp): boolean => value === null || isText(value, form);

function demand(holds: boolean, why: string, version: number | null = null): asserts holds {
  if (!holds) throw new Malformed(why, version);
}

function keys(value: Json | undefined, wanted: readonly string[], what: string): Dictionary {
  demand(isDictionary(value), `${what} is not an object`);
  const has = Object.keys(value);
  demand(has.length === wanted.length && wanted.every((key) => key in value), `${what}: keys ${has.join(", ")}`);
  return value;
}

function list(value: Json | undefined, what: string): Json[] {
  demand(Array.isArray(value), `${what} is not a list`);
  return value;
}

/** Throws Malformed unless the document has the format of a bundle. Money is not checked here. */
export function form(document: Json): Bundle {
  const proven = isDictionary(document) && "checkpoint" in document;
  const bundle = keys(document, proven ? [...BUNDLE, "checkpoint"] : BUNDLE, "bundle");
  demand(bundle["format"] === "racecard-bundle/1", "format");
  requireCanonical(bundle);
  requireGame(keys(bundle["game"], GAME, "game"));
  const events = list(bundle["events"], "events");
  demand(events.length > 0, "events");
  events.forEach((event, index) => requireEvent(event, index + 1));
  demand(bundle["outcome"] === null || isDictionary(bundle["outcome"]), "outcome");
  list(bundle["rulings"], "rulings");
  if (bundle["transfers"] !== "withheld") list(bundle["transfers"], "transfers");
  return bundle as unknown as Bundle;
}

function requireCanonical(bundle: Dictionary): void {
  try {
    for (const [key, value] of Object.entries(bundle)) if (key !== "events") canonical(value);
  } catch (fault) {
    if (fault instanceof NotCanonical) throw new Malformed(fault.message);
    throw fault;
  }
}

function requireGame(game: Dictionary): void {
  demand(isText(game["id"], ID), "game.id");
  demand(typeof game["rules"] === "string", "game.rules");
  demand(isWholeNumber(game["rules_version"], 1), "game.rules_version");
  demand(isDictionary(game["config"]), "game.config");
  for (const each of list(game["seats"], "game.seats")) {
    const isSuited = isDictionary(each) && "suit" in each;
    const seat = keys(each, isSuited ? [...SEAT, "suit"] : SEAT, "seat");
    demand(!isSuited || isText(seat["suit"], SUIT), "suit");
    demand(isWholeNumber(seat["seat"], 0) && isText(seat["player"], ID), "seat");
    requireSeed(seat["client_seed"]);
  }
  list(game["bet_seeds"], "game.bet_seeds").forEach(requireSeed);
  demand(isText(game["commitment"], HEX64), "game.commitment");
  demand(orNull(game["server_seed"], HEX64), "game.server_seed");
  if (game["tournament"] === null) return;
  const tournament = keys(game["tournament"], TOURNAMENT, "tournament");
  demand(isText(tournament["id"], ID), "tournament.id");
  demand(isWholeNumber(tournament["round"], 1) && isWholeNumber(tournament["deal"], 1), "tournament.round");
  demand(isText(tournament["commitment"], HEX64) && isText(tournament["entropy"], HEX64), "tournament.commitment");
  demand(orNull(tournament["seed"], HEX64), "tournament.seed");
}

function requireSeed(value: Json | undefined): void {
  const good = typeof value === "string" && [...value].length <= SEED_LENGTH && !/[|\0]/.test(value) && isWhole(value);
  demand(good, "client_seed");
}

function requireEvent(value: Json, version: number): void {
  demand(isDictionary(value), "event", version);
  const has = Object.keys(value);
  demand(has.length === EVENT.length && EVENT.every((key) => key in value), `event: keys ${has.join(", ")}`, version);
  const seat = value["seat"];
  demand(typeof value["version"] === "number", "version", version);
  demand(isText(value["type"], TYPE), "type", version);
  demand(seat === null || isWholeNumber(seat, 0), "seat", version);
  demand(isDictionary(value["data"]), "data", version);
  demand(value["private"] === null || isDictionary(value["private"]), "private", version);
  demand(typeof value["prev"] === "string" && typeof value["hash"] === "string", "hash", version);
  demand(orNull(value["seal"], HEX64), "seal", version);
  demand(typeof value["at"] === "string" && isMoment(value["at"]), "at", version);
}

function isMoment(text: string): boolean {
  const found = AT.exec(text);
  if (!found) return false;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found.slice(1).map(Number);
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const isDay = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return year > 0 && isDay && hour < 24 && minute < 60 && second < 60;
}
