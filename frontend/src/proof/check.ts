import { form, Malformed, type Bundle, type BundleEvent } from "./format";
import { canonical, NotCanonical, read, same, Unreadable, type Dictionary, type Json } from "./json";
import { loadDetails, manifest } from "../games/registry";
import { hex, hmac, keyMessage, sha256, shuffle, unhex, utf8, type Hmac } from "./crypto";

export type Verdict = "passed" | "failed" | "not-run";

/** What is checked here, in this order. `rules` is never run: the client holds no rules. */
const CHECKS = [
  "format",
  "chain",
  "order",
  "commitment",
  "tournament-seed",
  "client-seeds",
  "key",
  "deal",
  "seals",
  "rules",
] as const;
export type Check = (typeof CHECKS)[number];

/** Why a check failed or was not run: a code that the catalogues say in words, and what was found. */
export interface Reason {
  code: string;
  values: Readonly<Record<string, string | number>>;
}

export interface Step {
  check: Check;
  verdict: Verdict;
  /** The event that is wrong; null where it is not one event. */
  version: number | null;
  why: Reason | null;
  /** What went in and what came out, by name. */
  values: readonly (readonly [name: string, text: string])[];
}

export interface Report {
  steps: readonly Step[];
  /** The first event that is wrong. */
  version: number | null;
  /** Its recorded time. */
  at: string | null;
  failed: boolean;
}

const GENESIS = "0".repeat(64);
const CONTINUED = "continued";
const ENDS = ["finished", "voided"];

class Notes {
  readonly steps = new Map<Check, Step>(
    CHECKS.map((check) => [check, { check, verdict: "not-run", version: null, why: null, values: [] }]),
  );

  #set(check: Check, more: Partial<Step>): void {
    this.steps.set(check, { ...(this.steps.get(check) as Step), ...more });
  }

  show(check: Check, ...values: (readonly [string, string])[]): void {
    this.#set(check, { values });
  }

  pass(check: Check): void {
    if (!this.isFailed(check)) this.#set(check, { verdict: "passed", why: null });
  }

  fail(check: Check, code: string, values: Reason["values"] = {}, version: number | null = null): void {
    if (!this.isFailed(check)) this.#set(check, { verdict: "failed", why: { code, values }, version });
  }

  skip(code: string, ...checks: Check[]): void {
    for (const check of checks) {
      const { verdict, why } = this.steps.get(check) as Step;
      if (verdict === "not-run" && !why) this.#set(check, { why: { code, values: {} } });
    }
  }

  isFailed(check: Check): boolean {
    return this.steps.get(check)?.verdict === "failed";
  }

  report(bundle: Bundle | null): Report {
    const withTournament = bundle?.game.tournament != null;
    const steps = [...this.steps.values()].filter(({ check }) => withTournament || check !== "tournament-seed");
    const versions = steps.flatMap(({ verdict, version }) => (verdict === "failed" && version !== null ? [version] : []));
    const version = versions.length > 0 ? Math.min(...versions) : null;
    return {
      steps,
      version,
      at: (version !== null && bundle?.events[version - 1]?.at) || null,
      failed: steps.some(({ verdict }) => verdict === "failed"),
    };
  }
}

/**
 * Check a game's bundle with nothing but the browser (RULEBOOK 1 and 8): the chain of its events, the commitment, the key,
 * the deal and the seals. Whatever text comes in, a report comes out.
 *
 * `subtle` is missing where the page did not come over TLS or from this machine: then what needs it is not run.
 */
export async function check(text: string, subtle: SubtleCrypto | undefined): Promise<Report> {
  const notes = new Notes();
  notes.skip("rules", "rules");
  let bundle: Bundle;
  try {
    bundle = form(read(text));
  } catch (fault) {
    if (!(fault instanceof Unreadable || fault instanceof Malformed || fault instanceof RangeError)) throw fault;
    notes.fail("format", "format", { what: fault.message }, fault instanceof Malformed ? fault.version : null);
    notes.skip("before", ...CHECKS);
    return notes.report(null);
  }
  notes.pass("format");
  notes.show("format", ["game", bundle.game.id], ["events", String(bundle.events.length)]);
  checkOrder(bundle, notes);
  if (subtle) await checkSecrets(bundle, subtle, notes);
  else notes.skip("insecure", ...CHECKS);
  return notes.report(bundle);
}

function checkOrder({ events }: Bundle, notes: Notes): void {
  let before = "";
  for (const { at, version } of events) {
    if (at < before) {
      notes.fail("order", "earlier", { at, before }, version);
      return;
    }
    before = at;
  }
  notes.pass("order");
}

async function checkSecrets(bundle: Bundle, subtle: SubtleCrypto, notes: Notes): Promise<void> {
  const chained = await checkChain(bundle, subtle, notes);
  await checkCommitment(bundle, subtle, notes);
  await checkTournament(bundle, subtle, notes);
  const { events, game } = bundle;
  const dealtAt = events.findIndex(({ type }) => type === "dealt");
  const dealt = events[dealtAt];
  if (chained < (dealt ? dealtAt + 1 : events.length)) {
    notes.skip("before", "client-seeds", "key", "deal", "seals");
    return;
  }
  const seeds = checkClientSeeds(bundle, dealt, notes);
  if (!dealt) return notes.skip("undealt", "key", "deal", "seals");
  if (game.server_seed === null) return notes.skip("secret", "key", "deal", "seals");
  if (notes.isFailed("commitment")) return notes.skip("before", "key", "deal", "seals");
  const message = keyMessage(seeds);
  const digest = await (await hmac(subtle, unhex(game.server_seed)))(message);
  const key = await hmac(subtle, digest);
  notes.show("key", ["server_seed", game.server_seed], ["message", message], ["game_key", hex(digest)]);
  notes.pass("key");
  await checkDeal(bundle, dealt, key, notes);
  await checkSeals(game.id, events.slice(0, chained), key, notes);
}

/** How many events there are before the chain breaks. */
async function checkChain({ game, events }: Bundle, subtle: SubtleCrypto, notes: Notes): Promise<number> {
  let prev = GENESIS;
  for (const [index, event] of events.entries()) {
    const version = index + 1;
    const why = await linkFault(event, version, prev, game.id, subtle);
    if (why) {
      notes.fail("chain", why.code, why.values, version);
      return index;
    }
    prev = event.hash;
  }
  notes.show("chain", ["hashes", String(events.length)], ["last", prev]);
  notes.pass("chain");
  return events.length;
}

async function linkFault(
  event: BundleEvent,
  version: number,
  prev: string,
  stream: string,
  subtle: SubtleCrypto,
): Promise<Reason | null> {
  const { type, seat, data, seal, at } = event;
  let text: string;
  try {
    text = canonical({ stream, version, type, seat, data, seal, at, prev });
  } catch (fault) {
    if (!(fault instanceof NotCanonical || fault instanceof RangeError)) throw fault;
    return { code: "canonical", values: { what: fault.message } };
  }
  if (event.version !== version) return { code: "version", values: { found: event.version, expected: version } };
  if (event.prev !== prev) return { code: "prev", values: { found: event.prev, expected: prev } };
  const expected = await sha256(subtle, utf8(text));
  return expected === event.hash ? null : { code: "hash", values: { found: event.hash, expected } };
}

const hasEnded = ({ events }: Bundle): boolean => ENDS.includes(events.at(-1)?.type ?? "");

/** An auditor's early access to a game whose deal is still in play elsewhere. */
function sharesADealInPlay({ game, events, outcome }: Bundle): boolean {
  const isOn = game.tournament?.seed === null || events.at(-1)?.data["reason"] === CONTINUED;
  return isOn && game.server_seed === null && outcome === null;
}

async function checkCommitment(bundle: Bundle, subtle: SubtleCrypto, notes: Notes): Promise<void> {
  const { server_seed, commitment } = bundle.game;
  if (server_seed === null) {
    if (hasEnded(bundle) && !sharesADealInPlay(bundle)) notes.fail("commitment", "unrevealed");
    else notes.skip("secret", "commitment");
    return;
  }
  const computed = await sha256(subtle, unhex(server_seed));
  notes.show("commitment", ["server_seed", server_seed], ["computed", computed], ["published", commitment]);
  if (!hasEnded(bundle)) notes.fail("commitment", "revealed-early");
  else if (computed !== commitment) notes.fail("commitment", "commitment", { found: commitment, expected: computed });
  else notes.pass("commitment");
}

async function checkTournament({ game }: Bundle, subtle: SubtleCrypto, notes: Notes): Promise<void> {
  const { tournament, server_seed } = game;
  if (!tournament) return;
  const { seed, commitment, round, deal } = tournament;
  if (seed === null) return notes.skip("secret", "tournament-seed");
  const computed = await sha256(subtle, unhex(seed));
  if (computed !== commitment) {
    notes.fail("tournament-seed", "commitment", { found: commitment, expected: computed });
    return;
  }
  if (server_seed === null) return notes.skip("secret", "tournament-seed");
  const message = `round|${round}|deal|${deal}`;
  const derived = hex(await (await hmac(subtle, unhex(seed)))(message));
  notes.show("tournament-seed", ["seed", seed], ["message", message], ["computed", derived]);
  if (derived === server_seed) notes.pass("tournament-seed");
  else notes.fail("tournament-seed", "derived", { found: server_seed, expected: derived });
}

/** The client seeds that the key is made of: of the seats as the events seat them, then of the bets. */
function checkClientSeeds({ game, events }: Bundle, dealt: BundleEvent | undefined, notes: Notes): string[] {
  const taken = new Map<number, Dictionary>();
  for (const { type, data } of events) {
    const seat = data["seat"];
    if (typeof seat !== "number") continue;
    if (type === "seated") taken.set(seat, data);
    if (type === "left") taken.delete(seat);
  }
  const seats = [...taken.entries()]
    .sort(([one], [other]) => one - other)
    .map(([seat, data]) => ({
      seat,
      player: data["player"] ?? null,
      client_seed: data["client_seed"] ?? null,
      ...("suit" in data ? { suit: data["suit"] ?? null } : {}),
    }));
  const bets: Json = dealt?.data["bet_seeds"] ?? [];
  const seeds = seats.map(({ client_seed }) => String(client_seed));
  const betSeeds = Array.isArray(bets) ? bets.map(String) : [];
  notes.show("client-seeds", ["client_seeds", JSON.stringify([...seeds, ...betSeeds])]);
  if (!same(game.seats, seats)) notes.fail("client-seeds", "seats");
  if (!same(game.bet_seeds, bets)) notes.fail("client-seeds", "bets");
  const { tournament } = game;
  if (tournament && seeds.some((seed) => seed !== tournament.entropy)) notes.fail("client-seeds", "entropy");
  notes.pass("client-seeds");
  return [...seeds, ...betSeeds];
}

async function checkDeal({ game }: Bundle, dealt: BundleEvent, key: Hmac, notes: Notes): Promise<void> {
  const known = manifest(game.rules) && (await loadDetails(game.rules));
  const wanted = known?.packs?.(game.seats.length);
  if (!wanted) return notes.skip("unknown-game", "deal");
  const shown = dealt.private?.["packs"] ?? null;
  if (shown === null) return notes.skip("unopened", "deal");
  const values: [string, string][] = [];
  const computed: Dictionary = {};
  for (const [label, cards] of Object.entries(wanted)) {
    const pack = await shuffle(key, cards, label);
    computed[label] = pack;
    values.push([label, [...pack].reverse().join(" ")]);
  }
  notes.show("deal", ...values);
  if (same(dealt.private as Json, { packs: computed })) notes.pass("deal");
  else notes.fail("deal", "deal", {}, dealt.version);
}

async function checkSeals(stream: string, events: readonly BundleEvent[], key: Hmac, notes: Notes): Promise<void> {
  let opened = 0;
  for (const { version, seal, private: hidden } of events) {
    if (seal === null && hidden === null) continue;
    if (seal === null) return notes.fail("seals", "unsealed", {}, version);
    if (hidden === null) return notes.fail("seals", "unopened", {}, version);
    const text = canonicalOrNull(hidden);
    if (text === null) return notes.fail("seals", "canonical", { what: "private" }, version);
    const expected = hex(await key(`seal|${stream}|${version}|${text}`));
    if (expected !== seal) return notes.fail("seals", "seal", { found: seal, expected }, version);
    opened += 1;
  }
  notes.show("seals", ["opened", String(opened)]);
  notes.pass("seals");
}

function canonicalOrNull(value: Json): string | null {
  try {
    return canonical(value);
  } catch {
    return null;
  }
}
