import { once, type Schemas, succeed, unwrap } from "@racecard/client";
import { api } from "./client";
import { session } from "./session.svelte";
import { site } from "./site";

export type Challenge = Schemas["ChallengeOutput"];

/** Open challenges to the reader that wait for the reader's answer, oldest first. */
export async function received(signal: AbortSignal): Promise<Challenge[]> {
  if (!site.hasSession) return [];
  const found = unwrap(await api.GET("/api/v1/challenges/", { signal }));
  return found.filter(({ yours, opponents }) => !yours && opponents.some(({ id, accepted }) => id === session.id && !accepted));
}

const of = (challenge_id: string) => ({ path: { challenge_id }, header: once() });

/** Take a seat; the last of the opponents starts the game. */
export async function accept(id: string, suit: string | null): Promise<Challenge> {
  const body = { suit };
  return unwrap(await api.POST("/api/v1/challenges/{challenge_id}/accept/", { params: of(id), body }));
}

export async function decline(id: string): Promise<void> {
  succeed(await api.POST("/api/v1/challenges/{challenge_id}/decline/", { params: of(id), body: {} }));
}
