import { type Schemas, fromCursor, type Slice, slice, unwrap } from "@racecard/client";
import { api } from "./client";

export type Recording = Schemas["RecordingOutput"];
export type RecordedState = Schemas["RecordedStateOutput"];
export type Evidence = Schemas["EvidenceOutput"];
export type EvidenceLine = Schemas["EvidenceLineOutput"];
type EvidenceEvent = Schemas["EvidenceEventOutput"];
export type Refused = Schemas["RefusedCommandOutput"];
type Verification = Schemas["VerificationOutput"];

/** The view of a game: that of a seat, or (null) of the reader's own seat; with every card or without. */
export interface Viewpoint {
  seat: number | null;
  all: boolean;
}

const PAGE = 500;
const MOST_PAGES = 10;
const PENDING = 202;
const PENDING_SECONDS = 3;
const NOT_YET = "not-covered-yet";
const at = (game_id: string) => ({ path: { game_id } });

/** The reason for early access to a game in play, which is recorded. Not needed for a game that is over. */
const why = (reason: string): { reason?: string } => (reason ? { reason } : {});

/** A game's events and the table after each, read page by page. */
export async function recording(id: string, { seat, all }: Viewpoint, invite: string, reason = ""): Promise<Recording> {
  const fixed = { ...(seat === null ? {} : { seat }), ...(all ? { all } : {}), ...(invite ? { invite } : {}), ...why(reason) };
  let whole: Recording | null = null;
  do {
    const query: typeof fixed & { after?: number } = whole ? { ...fixed, after: whole.events.length } : fixed;
    const page: Recording = unwrap(await api.GET("/api/v1/games/{game_id}/recording/", { params: { ...at(id), query } }));
    whole = whole
      ? {
          ...page,
          events: [...whole.events, ...page.events],
          states: [...whole.states, ...page.states],
          undone: [...whole.undone, ...page.undone],
        }
      : page;
  } while (whole.next);
  return whole;
}

/** Every event with its verdict, its origin, and its transfers. An auditor's access before the end is recorded. */
export async function evidence(id: string, reason = ""): Promise<Evidence> {
  let whole: Evidence | null = null;
  do {
    const query = { after: whole?.results.length ?? 0, limit: PAGE, ...why(reason) };
    const page: Evidence = unwrap(await api.GET("/api/v1/games/{game_id}/evidence/", { params: { ...at(id), query } }));
    whole = whole ? { ...page, results: [...whole.results, ...page.results] } : page;
  } while (whole.next);
  return whole;
}

/** What a seat, or who moves at a game without any, could have done after a version. */
export async function legalAfter(
  game_id: string,
  version: number,
  seat: number | null,
  invite: string,
  reason = "",
): Promise<readonly Record<string, unknown>[]> {
  const query = { at: version, ...(seat === null ? {} : { seat }), ...(invite ? { invite } : {}), ...why(reason) };
  return unwrap(await api.GET("/api/v1/games/{game_id}/replay/", { params: { ...at(game_id), query } })).legal_moves;
}

export async function evidenceOf(id: string, version: number, reason = ""): Promise<EvidenceEvent> {
  const params = { path: { game_id: id, version: String(version) }, query: why(reason) };
  return unwrap(await api.GET("/api/v1/games/{game_id}/evidence/{version}/", { params }));
}

export async function refused(id: string, cursor: string | null): Promise<Slice<Refused>> {
  // The OpenAPI document does not describe cursors.
  const query = fromCursor(cursor) as never;
  return slice(unwrap(await api.GET("/api/v1/games/{game_id}/evidence/refused/", { params: { ...at(id), query } })));
}

/** The report of every check. Of a long game a job makes it; it is asked for until it is there. */
export async function verification(id: string): Promise<Verification> {
  for (;;) {
    const answer = await api.GET("/api/v1/games/{game_id}/verification/", { params: at(id) });
    const found = unwrap(answer);
    if (answer.response.status !== PENDING) return found as Verification;
    const seconds = Number(answer.response.headers.get("Retry-After")) || PENDING_SECONDS;
    await new Promise((resume) => setTimeout(resume, 1000 * seconds));
  }
}

/** The refused moves, up to a limit. */
export async function allRefused(id: string): Promise<readonly Refused[]> {
  const rows: Refused[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < MOST_PAGES && (page === 0 || cursor !== null); page += 1) {
    const found: Slice<Refused> = await refused(id, cursor);
    rows.push(...found.results);
    cursor = found.next;
  }
  return rows;
}

/** The bundle as text, byte for byte. */
export async function bundle(id: string, invite: string, reason = ""): Promise<string> {
  const params = { ...at(id), query: { ...(invite ? { invite } : {}), ...why(reason) } };
  return unwrap(
    await api.GET("/api/v1/games/{game_id}/bundle/", { params, parseAs: "text" }),
  ) as unknown as string;
}

export interface Cover {
  number: number;
  /** The last event that it covers. */
  version: number;
}

/** The signed checkpoint that covers the game; null where none does yet. */
export async function cover(id: string, invite: string): Promise<Cover | null> {
  const query = { proof: "1", ...(invite ? { invite } : {}) } as const;
  const answer = await api.GET("/api/v1/games/{game_id}/bundle/", { params: { ...at(id), query } });
  if (answer.error?.code === NOT_YET) return null;
  return (unwrap(answer).checkpoint ?? null) as Cover | null;
}
