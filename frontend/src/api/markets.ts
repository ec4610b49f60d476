import { type Schemas, NOTHING, once, unwrap } from "@racecard/client";
import { api } from "./client";

export type Market = Schemas["MarketDetailOutput"];
export type RaceMarket = Schemas["RaceMarketOutput"];
export type Runner = Schemas["RunnerOutput"];
export type Settlement = Schemas["SettlementOutput"];
export type Bet = Schemas["BetOutput"];
export type BetInput = Schemas["BetInputRequest"];

const MOST = 200;
const at = (market_id: string) => ({ path: { market_id } });

/** The win market on a race; who sees the race sees it, signed in or not. */
export async function raceMarket(game_id: string, invite: string, signal: AbortSignal): Promise<RaceMarket> {
  const params = { path: { game_id }, query: invite ? { invite } : {} };
  return unwrap(await api.GET("/api/v1/games/{game_id}/market/", { params, signal }));
}

export async function market(id: string, signal: AbortSignal): Promise<Market> {
  return unwrap(await api.GET("/api/v1/markets/{market_id}/", { params: at(id), signal }));
}

/** The reader's own bets in a market, newest first. */
export async function ownBets(id: string, signal: AbortSignal): Promise<Bet[]> {
  const params = { ...at(id), query: { limit: MOST } };
  return unwrap(await api.GET("/api/v1/markets/{market_id}/bets/", { params, signal })).results;
}

/** The same `key` again never makes a second bet. */
export async function placeBet(id: string, body: BetInput, key: string, signal: AbortSignal): Promise<Bet> {
  const params = { ...at(id), header: once(key) };
  return unwrap(await api.POST("/api/v1/markets/{market_id}/bets/", { params, body, signal }));
}

/** Cancel the bet that was sent with `key`, or refuse it if it still arrives. */
export async function voidBet(id: string, key: string): Promise<void> {
  const params = { ...at(id), header: once() };
  unwrap(await api.POST("/api/v1/markets/{market_id}/bets/void/", { params, body: { key } }));
}

export async function cancelBet(bet_id: string): Promise<Bet> {
  const params = { path: { bet_id }, header: once() };
  return unwrap(await api.POST("/api/v1/bets/{bet_id}/cancel/", { params, body: NOTHING }));
}
