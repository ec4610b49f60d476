import { type Fetch, type Game, type GameEvent, type Move, NOTHING, once, type Played, type Schemas, succeed, unwrap } from "@racecard/client";
import { api } from "./client";

export type { Game, GameEvent, Move, Played };
export type Rules = Schemas["RulesOutput"];
type NewGame = Schemas["GameInputRequest"];
export type StakeTable = Schemas["StakeTableOutput"];

const at = (game_id: string) => ({ path: { game_id } });

export async function game(id: string, invite = "", signal?: AbortSignal): Promise<Game> {
  const query = invite ? { invite } : {};
  return unwrap(await api.GET("/api/v1/games/{game_id}/", { params: { ...at(id), query }, signal: signal ?? null })) as Game;
}

export async function rules(): Promise<Rules[]> {
  return unwrap(await api.GET("/api/v1/rules/"));
}

/** Join a public table on these terms, or open one; the reader has a seat there. */
export async function pair(body: Schemas["PairingInputRequest"], key: string): Promise<Game> {
  return unwrap(await api.POST("/api/v1/games/pairing/", { params: { header: once(key) }, body })) as Game;
}

export async function create(body: NewGame, key?: string): Promise<Game> {
  return unwrap(await api.POST("/api/v1/games/", { params: { header: once(key) }, body })) as Game;
}

/** `suit` where seats choose one. */
export async function sit(id: string, clientSeed: string, invite = "", suit: string | null = null): Promise<Game> {
  const body = { client_seed: clientSeed, invite, suit };
  const params = { ...at(id), header: once() };
  return unwrap(await api.POST("/api/v1/games/{game_id}/seats/", { params, body })) as Game;
}

/** Seat a bot in the lowest free seat. */
export async function addBot(id: string, bot: string): Promise<void> {
  const params = { ...at(id), header: once() };
  succeed(await api.POST("/api/v1/games/{game_id}/bots/", { params, body: { bot } }));
}

export async function stand(id: string): Promise<void> {
  succeed(await api.DELETE("/api/v1/games/{game_id}/seats/me/", { params: at(id) }));
}

/** Deal, at once or after a countdown in seconds. */
export async function start(id: string, countdown = 0): Promise<Game> {
  const params = { ...at(id), header: once() };
  return unwrap(await api.POST("/api/v1/games/{game_id}/start/", { params, body: { countdown } })) as Game;
}

/** With `version` the move is refused if the game has moved on since. `key` makes repeated requests idempotent. */
export async function move(
  id: string,
  move: Move,
  { key, version, fetch }: { key: string; version: number | null; fetch: Fetch },
): Promise<Played> {
  const header = { ...once(key), ...(version === null ? {} : { "If-Match": `"${version}"` }) };
  const params = { ...at(id), header };
  return unwrap(await api.POST("/api/v1/games/{game_id}/moves/", { params, body: { move }, fetch })) as Played;
}

/** What has happened after a version, as the reader may see it; at most fifty. */
export async function events(id: string, after: number, invite = ""): Promise<GameEvent[]> {
  const query = { after, limit: 50, ...(invite ? { invite } : {}) };
  return unwrap(await api.GET("/api/v1/games/{game_id}/events/", { params: { ...at(id), query } })).results;
}

export async function hint(id: string): Promise<Move> {
  return unwrap(await api.GET("/api/v1/games/{game_id}/hint/", { params: at(id) })).move as Move;
}

export async function stakeTables(): Promise<StakeTable[]> {
  return unwrap(await api.GET("/api/v1/stakes/")).results;
}

export async function cashOut(session_id: string): Promise<void> {
  const params = { path: { session_id }, header: once() };
  succeed(await api.POST("/api/v1/play-sessions/{session_id}/cash-out/", { params, body: NOTHING }));
}

/** Several deals at one table; the id of the first game. */
export async function openMatch(body: Schemas["MatchInputRequest"], key?: string): Promise<string> {
  const match = unwrap(await api.POST("/api/v1/matches/", { params: { header: once(key) }, body }));
  return match.game ?? "";
}
