import { fromCursor, type Page, type paths, type Schemas, type Slice, slice, unwrap } from "@racecard/client";
import { api } from "./client";
import { site } from "./site";

export type GameLine = Schemas["GameLineOutput"];

export const FILTERS = ["rules", "free", "stake", "mine"] as const;
export type Filters = Readonly<Record<(typeof FILTERS)[number], string>>;

type Query = NonNullable<paths["/api/v1/games/"]["get"]["parameters"]["query"]>;

async function list(query: Query, signal: AbortSignal): Promise<Page<GameLine>> {
  const page = unwrap(await api.GET("/api/v1/games/", { params: { query }, signal }));
  return { results: page.results, hasMore: page.next !== null };
}

/** Tables that wait for their deal, newest first, with why the reader could not sit down there. */
export function openTables(filters: Filters, limit: number, signal: AbortSignal): Promise<Page<GameLine>> {
  const query: Query = { status: "open", limit, you: true };
  if (filters.rules) query.rules = filters.rules;
  if (filters.free) query.free = true;
  if (filters.mine) query.mine = true;
  if (filters.stake === "points" || filters.stake === "money") query.stake = filters.stake;
  return list(query, signal);
}

/** The reader's own games that are not over: those that wait for a move first. */
export async function ownTables(signal: AbortSignal): Promise<GameLine[]> {
  if (!site.hasSession) return [];
  const [active, open] = await Promise.all([
    list({ status: "active", mine: true, you: true, limit: 50 }, signal),
    list({ status: "open", mine: true, you: true, limit: 50 }, signal),
  ]);
  const waits = (game: GameLine) => Number(game.you?.to_act ?? false);
  return [...active.results.sort((one, other) => waits(other) - waits(one)), ...open.results];
}

/** Games that are played now and that the reader may watch, without the reader's own. */
export async function tablesToWatch(signal: AbortSignal): Promise<GameLine[]> {
  const page = await list({ status: "active", you: true, limit: 20 }, signal);
  return page.results.filter((game) => game.you?.seat == null);
}

export const OWN_FILTERS = ["rules", "result", "stake"] as const;
export type OwnFilters = Readonly<Record<(typeof OWN_FILTERS)[number], string>>;
export const RESULTS = ["running", "won", "lost", "drawn", "played", "void"] as const;
export type OwnGames = Slice<GameLine>;

/** The reader's games, newest first, those for points and those that are over too. */
export async function ownGames(filters: OwnFilters, cursor: string | null): Promise<OwnGames> {
  const query: Query = { mine: true, you: true, limit: 50, ...fromCursor(cursor) };
  if (filters.rules) query.rules = filters.rules;
  const result = RESULTS.find((one) => one === filters.result);
  if (result) query.result = result;
  if (filters.stake === "points" || filters.stake === "money") query.stake = filters.stake;
  return slice(unwrap(await api.GET("/api/v1/games/", { params: { query } })));
}
