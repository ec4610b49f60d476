import { NOTHING, once, type Schemas, succeed, unwrap } from "@racecard/client";
import { api } from "./client";
import type { Tournament } from "./tournaments";

export type Format = Schemas["FormatOutput"];
export type Terms = Schemas["TermsInputRequest"];
export type Preview = Schemas["TermsPreviewOutput"];

const at = (tournament_id: string) => ({ path: { tournament_id } });

/** Every format of the installation, with the games that can be played in it. */
export async function formats(): Promise<Format[]> {
  return unwrap(await api.GET("/api/v1/tournaments/formats/")).results;
}

/** The faults of terms, the timetable, and the prizes for a field of `entrants`. Nothing is stored. */
export async function preview(body: Schemas["TermsPreviewInputRequest"]): Promise<Preview> {
  return unwrap(await api.POST("/api/v1/tournaments/preview/", { body }));
}

export async function create(body: Terms, key: string): Promise<Tournament> {
  return unwrap(await api.POST("/api/v1/tournaments/", { params: { header: once(key) }, body }));
}

/** Replace the terms, unless the draft has another version than this: then the problem has status 412. */
export async function change(id: string, body: Terms, version: number): Promise<Tournament> {
  const params = { ...at(id), header: { "If-Match": `"${version}"` } };
  return unwrap(await api.PUT("/api/v1/tournaments/{tournament_id}/", { params, body }));
}

export async function remove(id: string): Promise<void> {
  succeed(await api.DELETE("/api/v1/tournaments/{tournament_id}/", { params: at(id) }));
}

/** A new draft with the terms of another tournament. */
export async function duplicate(id: string): Promise<Tournament> {
  const params = { ...at(id), header: once() };
  return unwrap(await api.POST("/api/v1/tournaments/{tournament_id}/duplicate/", { params, body: NOTHING }));
}

export async function publish(id: string): Promise<void> {
  const params = { ...at(id), header: once() };
  succeed(await api.POST("/api/v1/tournaments/{tournament_id}/publish/", { params, body: NOTHING }));
}
