import { api, unwrap } from "./client";
import type { components } from "./schema";
import { behind, slice, type Slice } from "./slice";

export type Recording = components["schemas"]["RecordingOutput"];
export type RecordedState = components["schemas"]["RecordedStateOutput"];
export type Evidence = components["schemas"]["EvidenceOutput"];
export type EvidenceLine = components["schemas"]["EvidenceLineOutput"];
export type EvidenceEvent = components["schemas"]["EvidenceEventOutput"];
export type Refused = components["schemas"]["RefusedCommandOutput"];
export type Verification = components["schemas"]["VerificationOutput"];

/** Whose eyes a game is seen with: of a seat, or (null) of the reader's own place; with every card or without. */
export interface Sight {
  seat: number | null;
  all: boolean;
}

const PAGE = 500;
const NOT_YET = "not-covered-yet";
const at = (game_id: string) => ({ path: { game_id } });

/** A game's events and how the table lay after each. One request up to 500 events. */
export async function recording(id: string, { seat, all }: Sight, invite: string): Promise<Recording> {
  const fixed = { ...(seat === null ? {} : { seat }), ...(all ? { all } : {}), ...(invite ? { invite } : {}) };
  let whole: Recording | null = null;
  do {
    const query: typeof fixed & { after?: number } = whole ? { ...fixed, after: whole.events.length } : fixed;
    const page: Recording = unwrap(await api.GET("/api/v1/games/{game_id}/recording/", { params: { ...at(id), query } }));
    whole = whole
      ? { ...page, events: [...whole.events, ...page.events], states: [...whole.states, ...page.states] }
      : page;
  } while (whole.next);
  return whole;
}

/** Every event with its verdict, where it came from and the money it moved. An auditor's reading before the end is recorded. */
export async function evidence(id: string): Promise<Evidence> {
  let whole: Evidence | null = null;
  do {
    const query = { after: whole?.results.length ?? 0, limit: PAGE };
    const page: Evidence = unwrap(await api.GET("/api/v1/games/{game_id}/evidence/", { params: { ...at(id), query } }));
    whole = whole ? { ...page, results: [...whole.results, ...page.results] } : page;
  } while (whole.next);
  return whole;
}

export async function evidenceOf(id: string, version: number): Promise<EvidenceEvent> {
  const params = { path: { game_id: id, version: String(version) } };
  return unwrap(await api.GET("/api/v1/games/{game_id}/evidence/{version}/", { params }));
}

export async function refused(id: string, cursor: string | null): Promise<Slice<Refused>> {
  // The description names the cursor of no list.
  const query = behind(cursor) as never;
  return slice(unwrap(await api.GET("/api/v1/games/{game_id}/evidence/refused/", { params: { ...at(id), query } })));
}

export async function verification(id: string): Promise<Verification> {
  return unwrap(await api.GET("/api/v1/games/{game_id}/verification/", { params: at(id) }));
}

/** The bundle to the letter. */
export async function bundle(id: string): Promise<string> {
  return unwrap(
    await api.GET("/api/v1/games/{game_id}/bundle/", { params: at(id), parseAs: "text" }),
  ) as unknown as string;
}

export interface Cover {
  number: number;
  /** The last event that it covers. */
  version: number;
}

/** The signed checkpoint that covers the game; null where none does yet. */
export async function cover(id: string): Promise<Cover | null> {
  const query = { proof: "1" } as const;
  const answer = await api.GET("/api/v1/games/{game_id}/bundle/", { params: { ...at(id), query } });
  if (answer.error?.code === NOT_YET) return null;
  return (unwrap(answer).checkpoint ?? null) as Cover | null;
}
