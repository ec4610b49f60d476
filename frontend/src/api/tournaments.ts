import { type Schemas, cursorOf, fromCursor, NOTHING, once, type Page, type paths, type Slice, slice, succeed, unwrap } from "@racecard/client";
import { api } from "./client";

export type TournamentLine = Schemas["TournamentLine"];
export type Tournament = Schemas["TournamentOutput"];
export type Standings = Schemas["StandingsOutput"];
export type Entrant = Schemas["EntryOutput"];
export type RoundLine = Schemas["RoundLine"];
export type Round = Schemas["RoundOutput"];
export type RoundTable = Schemas["TableOutput"];
export type Match = Schemas["BracketMatch"];
export type Bracket = Schemas["BracketOutput"];
export type StandingBreakdown = Schemas["StandingBreakdownOutput"];
export type Meeting = Schemas["MeetingOutput"];
export type Outright = Schemas["OutrightOutput"];
export type TournamentRatingChange = Schemas["TournamentRatingChange"];

type Found = { results: TournamentLine[]; next?: string | null };

/** Filters of the list, also used as query parameters of the page. */
export interface Filters {
  status: string;
  rules: string;
  free: boolean;
  mine: boolean;
  search: string;
}

const at = (tournament_id: string) => ({ path: { tournament_id } });

/** The newest tournaments, as many pages as wanted. */
export async function list(wanted: Partial<Filters>, pages: number, signal: AbortSignal): Promise<Page<TournamentLine>> {
  const results: TournamentLine[] = [];
  let cursor: string | null = null;
  let hasMore = true;
  for (let page = 0; page < pages && hasMore; page += 1) {
    const query: NonNullable<paths["/api/v1/tournaments/"]["get"]["parameters"]["query"]> = {
      limit: 20,
      ...(wanted.status ? { status: wanted.status as "published" } : {}),
      ...(wanted.rules ? { rules: wanted.rules } : {}),
      ...(wanted.free ? { free: true } : {}),
      ...(wanted.mine ? { mine: true } : {}),
      ...(wanted.search ? { search: wanted.search } : {}),
      ...fromCursor(cursor),
    };
    const answer: Found = unwrap(await api.GET("/api/v1/tournaments/", { params: { query }, signal }));
    results.push(...answer.results);
    cursor = cursorOf(answer.next);
    hasMore = cursor !== null;
  }
  return { results, hasMore };
}

/** The tournament, and by how many milliseconds the server's clock is ahead of the reader's. */
export async function terms(id: string): Promise<{ terms: Tournament; ahead: number }> {
  const answer = await api.GET("/api/v1/tournaments/{tournament_id}/", { params: at(id) });
  const said = Date.parse(answer.response.headers.get("Date") ?? "");
  return { terms: unwrap(answer), ahead: Number.isNaN(said) ? 0 : said - Date.now() };
}

export async function standings(id: string): Promise<Standings> {
  return unwrap(await api.GET("/api/v1/tournaments/{tournament_id}/standings/", { params: at(id) }));
}

export async function standingBreakdown(tournament_id: string, entry: number): Promise<StandingBreakdown> {
  const params = { path: { tournament_id, entry } };
  return unwrap(await api.GET("/api/v1/tournaments/{tournament_id}/standings/{entry}/", { params }));
}

/** The entrants, one page at a time; `called` filters by part of the name and needs a session. */
export async function entrants(id: string, called: string, cursor: string | null): Promise<Slice<Entrant>> {
  const query = { limit: 100, ...(called ? { search: called } : {}), ...fromCursor(cursor) };
  const path = "/api/v1/tournaments/{tournament_id}/entries/";
  return slice(unwrap(await api.GET(path, { params: { ...at(id), query } })));
}

export async function rounds(id: string): Promise<RoundLine[]> {
  return unwrap(await api.GET("/api/v1/tournaments/{tournament_id}/rounds/", { params: at(id) })).results;
}

export async function round(tournament_id: string, number: number): Promise<Round> {
  const params = { path: { tournament_id, number } };
  return unwrap(await api.GET("/api/v1/tournaments/{tournament_id}/rounds/{number}/", { params }));
}

export async function bracket(id: string): Promise<Bracket> {
  return unwrap(await api.GET("/api/v1/tournaments/{tournament_id}/bracket/", { params: at(id) }));
}

export async function meeting(id: string): Promise<Meeting> {
  return unwrap(await api.GET("/api/v1/tournaments/{tournament_id}/meeting/", { params: at(id) }));
}

export async function outright(id: string): Promise<Outright | null> {
  const found = unwrap(await api.GET("/api/v1/tournaments/{tournament_id}/markets/", { params: at(id) }));
  return found.results[0] ?? null;
}

/** The tournament's latest games that the reader may see. Games of others whose deal is still in play are not among them. */
export async function visible(tournament: string): Promise<string[]> {
  const query = { tournament, limit: 200 } as const;
  const found = unwrap(await api.GET("/api/v1/games/", { params: { query } }));
  return found.results.map((game) => game.id);
}

/** The rating changes of all players in the tournament so far. */
export async function ratings(id: string): Promise<TournamentRatingChange[]> {
  return unwrap(await api.GET("/api/v1/tournaments/{tournament_id}/ratings/", { params: at(id) })).results;
}

/** To whom the name of an entrant is shown. */
export type NameShown = Schemas["EntryOutput"]["shown_as"];

/** Enter, or join the waiting list if the tournament is full. The key makes repeated requests idempotent. */
export async function enter(id: string, clientSeed: string, shownAs: NameShown, key: string): Promise<void> {
  const params = { ...at(id), header: once(key) };
  const body = { client_seed: clientSeed, shown_as: shownAs };
  succeed(await api.POST("/api/v1/tournaments/{tournament_id}/entries/", { params, body }));
}

export async function leave(id: string): Promise<void> {
  succeed(await api.DELETE("/api/v1/tournaments/{tournament_id}/entries/", { params: at(id) }));
}

export async function checkIn(id: string): Promise<void> {
  const params = { ...at(id), header: once() };
  succeed(await api.POST("/api/v1/tournaments/{tournament_id}/check-in/", { params, body: NOTHING }));
}

export async function leaveLine(id: string): Promise<void> {
  succeed(await api.DELETE("/api/v1/tournaments/{tournament_id}/waiting/", { params: at(id) }));
}

export async function checkInWaiting(id: string): Promise<void> {
  const params = { ...at(id), header: once() };
  succeed(await api.POST("/api/v1/tournaments/{tournament_id}/waiting/check-in/", { params, body: NOTHING }));
}

// --- running a tournament -----------------------------------------------------------------------------

export type Attention = Schemas["AttentionOutput"];
export type CorrectionInput = Schemas["PreviewInputRequest"];
export type CorrectionPreview = Schemas["TournamentCorrectionPreview"];

/** What needs those who run the tournament. */
export async function attention(id: string): Promise<Attention> {
  return unwrap(await api.GET("/api/v1/tournaments/{tournament_id}/attention/", { params: at(id) }));
}

const keyed = (id: string) => ({ ...at(id), header: once() });

export async function publish(id: string): Promise<void> {
  succeed(await api.POST("/api/v1/tournaments/{tournament_id}/publish/", { params: keyed(id), body: NOTHING }));
}

/** Close the entries and open the first round. */
export async function start(id: string): Promise<void> {
  succeed(await api.POST("/api/v1/tournaments/{tournament_id}/start/", { params: keyed(id), body: {} }));
}

export async function pause(id: string, reason: string): Promise<void> {
  succeed(await api.POST("/api/v1/tournaments/{tournament_id}/pause/", { params: keyed(id), body: { reason } }));
}

/** End a pause, or retry a step that has failed. */
export async function resume(id: string): Promise<void> {
  succeed(await api.POST("/api/v1/tournaments/{tournament_id}/resume/", { params: keyed(id), body: NOTHING }));
}

const roundOf = (tournament_id: string, number: number) => ({ path: { tournament_id, number }, header: once() });

/** Open the next round now instead of at its time. */
export async function openRound(id: string, round: number, reason: string): Promise<void> {
  const params = roundOf(id, round);
  succeed(await api.POST("/api/v1/tournaments/{tournament_id}/rounds/{number}/open/", { params, body: { reason } }));
}

/** End the time of an open round now. */
export async function closeRound(id: string, round: number, reason: string): Promise<void> {
  const params = roundOf(id, round);
  succeed(await api.POST("/api/v1/tournaments/{tournament_id}/rounds/{number}/close/", { params, body: { reason } }));
}

export async function cancel(id: string, reason: string): Promise<void> {
  succeed(await api.POST("/api/v1/tournaments/{tournament_id}/cancel/", { params: keyed(id), body: { reason } }));
}

export async function checkInOther(tournament_id: string, entry: number): Promise<void> {
  const params = { path: { tournament_id, entry }, header: once() };
  succeed(await api.POST("/api/v1/tournaments/{tournament_id}/entries/{entry}/check-in/", { params, body: NOTHING }));
}

export async function previewCorrection(id: string, body: CorrectionInput): Promise<CorrectionPreview> {
  const path = "/api/v1/tournaments/{tournament_id}/corrections/preview/";
  return unwrap(await api.POST(path, { params: at(id), body }));
}

/** Apply a correction exactly as its preview showed it. */
export async function correct(id: string, body: CorrectionInput, token: string): Promise<void> {
  const path = "/api/v1/tournaments/{tournament_id}/corrections/";
  succeed(await api.POST(path, { params: keyed(id), body: { ...body, token } }));
}
