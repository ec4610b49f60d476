import type { Bet, Market, Runner, Settlement } from "../api/markets";

/** What a bet comes to, in whole pence: as an estimate before, and step by step after a settlement. */

/** Of 10,000 basis points. */
const WHOLE = 10_000n;
/** The amount in pence for which a dividend is shown. */
const UNIT = 100n;

const big = (pence: number | null) => BigInt(pence ?? 0);

/** What a stake returns at a price of odds to one, such as `5/2`, where `winners` runners tie. */
export function fixedReturn(stake: number, price: string, winners = 1): number {
  const [num = 0n, den = 1n] = price.split("/").map(BigInt);
  return Number((big(stake) * (num + den)) / (den * BigInt(winners)));
}

/** The factor of odds, the stake with it: `7/2` of `5/2`. */
export function factor(price: string): string {
  const [num = 0n, den = 1n] = price.split("/").map(BigInt);
  return den === 1n ? String(num + den) : `${num + den}/${den}`;
}

interface Limits {
  minimum: number;
  maximum: number;
  stake_step: number;
}

/** Stakes that the terms allow and that are often wanted, in pence: the first few of 1, 2, 5, 10, … units. */
export function commonStakes({ minimum, maximum, stake_step }: Limits, most = 4): number[] {
  const found: number[] = [];
  for (let unit = 100; unit <= maximum; unit *= 10) found.push(unit, 2 * unit, 5 * unit);
  const allowed = (stake: number) => stake >= minimum && stake <= maximum && stake % stake_step === 0;
  return found.filter(allowed).slice(0, most);
}

const running = (runners: readonly Runner[]) => runners.filter((one) => one.withdrawn_at === null);
const sum = (runners: readonly Runner[]) => runners.reduce((total, { staked }) => total + big(staked), 0n);

interface PoolTerms {
  takeout: number;
  step: number;
}

/**
 * What a further stake on a runner would return if betting closed with it: stakes come back where nobody backs
 * another runner, and the takeout never leaves a winner with less than was staked.
 */
export function poolReturn(runners: readonly Runner[], runner: string, stake: number, terms: PoolTerms): number {
  const all = running(runners);
  const gross = sum(all) + big(stake);
  const backed = backing(all, runner) + big(stake);
  return divided(gross, backed, stake, terms);
}

/** What a bet that is in the pool already would return if betting closed now and its runner won. */
export function standingReturn(runners: readonly Runner[], runner: string, stake: number, terms: PoolTerms): number {
  const all = running(runners);
  return divided(sum(all), backing(all, runner), stake, terms);
}

const backing = (runners: readonly Runner[], runner: string) =>
  big(runners.find((one) => one.runner === runner)?.staked ?? 0);

function divided(gross: bigint, backed: bigint, stake: number, terms: PoolTerms): number {
  if (backed === 0n || gross === backed) return stake;
  const taken = least((gross * BigInt(terms.takeout)) / WHOLE, gross - backed);
  const net = gross - taken;
  if (terms.step === 0) return Number((net * big(stake)) / backed);
  const step = BigInt(terms.step);
  return Number((big(stake) * (((net * UNIT) / (backed * step)) * step)) / UNIT);
}

const least = (left: bigint, right: bigint) => (left < right ? left : right);

/** How a pool was divided, in pence; `dividend` is what a unit of 100 returned, rounded down. */
interface Division {
  gross: number;
  /** What went back before anything was divided: stakes on runners that withdrew. */
  refunded: number;
  takeout: number;
  breakage: number;
  net: number;
  backed: number;
  dividend: number;
}

export type Result =
  | { kind: "void"; reason: string }
  | { kind: "refunded" }
  | { kind: "fixed"; winners: string[] }
  | { kind: "pool"; winners: string[]; division: Division };

/** The settlement in force; undefined if there is none with known sums. */
export function standing(market: Market): Settlement | undefined {
  const last = market.settlements.at(-1);
  return last && last.reversed_at === null && last.gross !== null ? last : undefined;
}

/** How the settlement in force divided the stakes. */
export function result(market: Market): Result | undefined {
  const made = standing(market);
  if (!made) return undefined;
  const { winners } = made;
  if (made.void) return { kind: "void", reason: made.reason };
  if (market.priced) return { kind: "fixed", winners };
  const refunded = Number(sum(market.runners) - sum(running(market.runners)));
  const backed = Number(sum(running(market.runners).filter(({ runner }) => winners.includes(runner))));
  const [gross, takeout, breakage] = [made.gross ?? 0, made.takeout ?? 0, made.breakage ?? 0];
  if (gross - takeout === made.paid && takeout === 0 && breakage === 0 && isRefund(market, backed)) {
    return { kind: "refunded" };
  }
  const net = gross - refunded - takeout - breakage;
  const dividend = backed > 0 ? Number((big(net) * UNIT) / big(backed)) : 0;
  return { kind: "pool", winners, division: { gross, refunded, takeout, breakage, net, backed, dividend } };
}

/** Fewer than two selections were backed, or there was no bet on a winner. */
function isRefund(market: Market, backed: number): boolean {
  return backed === 0 || running(market.runners).filter(({ staked }) => (staked ?? 0) > 0).length < 2;
}

/** Whether a bet can be taken back: while the betting that it was made in is open, where the terms allow it. */
export function canTakeBack(market: Market, bet: Bet): boolean {
  if (bet.status !== "open" || market.status !== "open" || bet.round !== market.round) return false;
  const withdrawn = market.runners.some(({ runner, withdrawn_at }) => runner === bet.runner && withdrawn_at !== null);
  return market.terms.cancellable || withdrawn;
}

/** The runners of whose names each word of a search is a part. */
export function matching(runners: readonly Runner[], search: string, named: (runner: string) => string): Runner[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return runners.filter(({ runner }) => words.every((word) => named(runner).toLowerCase().includes(word)));
}
