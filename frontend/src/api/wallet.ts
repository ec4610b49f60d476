import { type Schemas, fromCursor, NOTHING, once, type Slice, slice, succeed, unwrap } from "@racecard/client";
import type { Wallet } from "./availableBalance.svelte";
import { api } from "./client";

export { spendable, type Wallet } from "./availableBalance.svelte";
export type Line = Schemas["LineOutput"];
export type Statement = Omit<Schemas["OwnStatementOutput"], "next"> & Slice<Line>;
export type Staked = Schemas["HistoryPageOutput"]["results"][number];
export type History = Omit<Schemas["HistoryPageOutput"], "next"> & Slice<Staked>;
export type Bet = Schemas["BetOutput"];
type Withdrawal = Schemas["WithdrawalOutput"];
export type Limit = Schemas["LimitOutput"];
export type Stop = Schemas["StopOutput"];
type Reality = Schemas["RealityOutput"];
export type Session = Schemas["PlaySessionOutput"];
export type SessionDetail = Schemas["PlaySessionDetailOutput"];
export type Offer = Schemas["StakeQuoteOutput"];

export const LINES = ["account", "kind", "currency", "days", "transfer"] as const;
export type LinesAsked = Readonly<Record<(typeof LINES)[number], string>>;
export const KINDS = ["outside", "game", "bet", "tournament", "own", "correction", "other"] as const;
export const STAKED = ["kind", "state", "days"] as const;
export type StakedAsked = Readonly<Record<(typeof STAKED)[number], string>>;

const DAY = 86_400_000;
const AT_ONCE = 50;

/** The query for the last days; empty for all time. */
function since(days: string): { from?: string } {
  const count = Number(days);
  return count > 0 ? { from: new Date(Date.now() - count * DAY).toISOString() } : {};
}

function lines(asked: LinesAsked) {
  return {
    account: (asked.account === "session" || asked.account === "cash" ? asked.account : "all") as "all" | "cash" | "session",
    ...(KINDS.some((kind) => kind === asked.kind) ? { kind: asked.kind as (typeof KINDS)[number] } : {}),
    ...(asked.currency ? { currency: asked.currency } : {}),
    ...since(asked.days),
  };
}

export async function statement(asked: LinesAsked, cursor: string | null): Promise<Statement> {
  const transfer = asked.transfer ? { transfer: asked.transfer } : {};
  const query = { ...lines(asked), ...transfer, ...fromCursor(cursor), limit: AT_ONCE };
  return slice(unwrap(await api.GET("/api/v1/wallet/statement/", { params: { query } })));
}

/** Where the same lines are as CSV. */
export function statementFile(asked: LinesAsked): string {
  const query = new URLSearchParams(lines(asked) as Record<string, string>).toString();
  return `/api/v1/wallet/statement.csv${query && `?${query}`}`;
}

function staked(asked: StakedAsked) {
  return {
    ...(asked.kind ? { kind: asked.kind as "bet" } : {}),
    ...(asked.state ? { state: asked.state as "open" } : {}),
    ...since(asked.days),
  };
}

export async function history(asked: StakedAsked, cursor: string | null): Promise<History> {
  const query = { ...staked(asked), ...fromCursor(cursor), limit: AT_ONCE };
  return slice(unwrap(await api.GET("/api/v1/wallet/history/", { params: { query } })));
}

export function historyFile(asked: StakedAsked): string {
  const query = new URLSearchParams(staked(asked) as Record<string, string>).toString();
  return `/api/v1/wallet/history.csv${query && `?${query}`}`;
}

/** Balances, with why money is held. */
export async function wallet(currency: string): Promise<Wallet> {
  const query = { holds: true, ...(currency ? { currency } : {}) };
  return unwrap(await api.GET("/api/v1/wallet/", { params: { query } }));
}

export async function bet(bet_id: string): Promise<Bet> {
  return unwrap(await api.GET("/api/v1/bets/{bet_id}/", { params: { path: { bet_id } } }));
}

export async function withdrawals(): Promise<Withdrawal[]> {
  return unwrap(await api.GET("/api/v1/withdrawals/")).results;
}

export async function withdraw(amount: number, destination: string): Promise<void> {
  const params = { header: once() };
  succeed(await api.POST("/api/v1/withdrawals/", { params, body: { amount, destination } }));
}

export async function cancelWithdrawal(payout_id: string): Promise<void> {
  const params = { path: { payout_id }, header: once() };
  succeed(await api.POST("/api/v1/withdrawals/{payout_id}/cancel/", { params, body: NOTHING }));
}

export async function limits(): Promise<Limit[]> {
  return unwrap(await api.GET("/api/v1/wallet/limits/")).limits;
}

/** `amount` null removes the limit. */
export async function setLimit(kind: string, period: string, amount: number | null): Promise<void> {
  const body = { kind, period, amount } as Schemas["LimitInputRequest"];
  succeed(await api.POST("/api/v1/wallet/limits/", { params: { header: once() }, body }));
}

export async function keepLimit(kind: string, period: string): Promise<void> {
  const path = { kind, period };
  succeed(await api.DELETE("/api/v1/wallet/limits/{kind}/{period}/pending/", { params: { path } }));
}

/** Time-outs and self-exclusions, newest first. */
export async function stops(): Promise<Stop[]> {
  const [timeOuts, exclusions] = await Promise.all([
    api.GET("/api/v1/wallet/time-outs/"),
    api.GET("/api/v1/wallet/self-exclusion/"),
  ]);
  const all = [...unwrap(timeOuts).results, ...unwrap(exclusions).results];
  return all.sort((one, other) => other.at.localeCompare(one.at));
}

export async function takeTimeOut(hours: number): Promise<void> {
  succeed(await api.POST("/api/v1/wallet/time-outs/", { params: { header: once() }, body: { hours } }));
}

/** Exclude the player from play, for good without `months`. The page asks for a confirmation in the reader's language. */
export async function excludeMe(months: number | null): Promise<void> {
  const body = { months, confirm: "exclude me" } as const;
  succeed(await api.POST("/api/v1/wallet/self-exclusion/", { params: { header: once() }, body }));
}

export async function reality(): Promise<Reality> {
  return unwrap(await api.GET("/api/v1/wallet/reality/"));
}

export async function sessions(): Promise<Session[]> {
  return unwrap(await api.GET("/api/v1/play-sessions/")).results;
}

export async function session(session_id: string): Promise<SessionDetail> {
  return unwrap(await api.GET("/api/v1/play-sessions/{session_id}/", { params: { path: { session_id } } }));
}

/** What a stake can return, and whether the reader could place it now. */
export async function offer(slug: string, amount: number, seats: number, signal: AbortSignal): Promise<Offer> {
  const params = { path: { slug }, query: { amount, seats } };
  return unwrap(await api.GET("/api/v1/stakes/{slug}/offer/", { params, signal }));
}
