import { type Schemas, fromCursor, NOTHING, once, type Slice, slice, unwrap } from "@racecard/client";
import { api } from "./client";

export type DisputeLine = Schemas["DisputeLineOutput"];
export type Dispute = Schemas["DisputeOutput"];
type OwnDispute = Schemas["OwnDisputeOutput"];
export type Entry = Schemas["DisputeEventOutput"];

const of = (dispute_id: string) => ({ path: { dispute_id } });

export type Status = DisputeLine["status"];

/** The reader's own, or (`mine` false) all that concern them: for auditors the queue. */
export async function disputes(mine: boolean, status: Status | "", cursor: string | null): Promise<Slice<DisputeLine>> {
  const query = { ...(mine ? { mine: true } : {}), ...(status ? { status } : {}), ...fromCursor(cursor) };
  return slice(unwrap(await api.GET("/api/v1/disputes/", { params: { query } })));
}

export async function ofGame(game_id: string): Promise<Slice<DisputeLine>> {
  return slice(unwrap(await api.GET("/api/v1/games/{game_id}/disputes/", { params: { path: { game_id } } })));
}

/** Whether the reader may dispute the game now, until when, and why not. */
export async function mine(game_id: string): Promise<OwnDispute> {
  return unwrap(await api.GET("/api/v1/games/{game_id}/disputes/mine/", { params: { path: { game_id } } }));
}

export async function dispute(id: string): Promise<Dispute> {
  return unwrap(await api.GET("/api/v1/disputes/{dispute_id}/", { params: of(id) }));
}

export async function log(id: string): Promise<Entry[]> {
  return unwrap(await api.GET("/api/v1/disputes/{dispute_id}/events/", { params: of(id) }));
}

export async function open(game_id: string, body: { version: number; claim: string }, key: string): Promise<Dispute> {
  const params = { path: { game_id }, header: once(key) };
  return unwrap(await api.POST("/api/v1/games/{game_id}/disputes/", { params, body }));
}

export async function withdraw(id: string): Promise<Dispute> {
  const params = { ...of(id), header: once() };
  return unwrap(await api.POST("/api/v1/disputes/{dispute_id}/withdrawal/", { params, body: NOTHING }));
}

export async function appeal(id: string, reason: string): Promise<Dispute> {
  const params = { ...of(id), header: once() };
  return unwrap(await api.POST("/api/v1/disputes/{dispute_id}/appeal/", { params, body: { reason } }));
}
