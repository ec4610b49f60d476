import { once, succeed, unwrap } from "@racecard/client";
import type { Challenge } from "../live/waiting";
import { api } from "./client";
import { session } from "./session.svelte";

export type { Challenge };

/** The open challenges by and to the reader, which the stream of what waits sends. */
class Challenges {
  open = $state.raw<readonly Challenge[]>([]);

  /** Those that wait for the reader's answer, oldest first. */
  readonly received = $derived(
    this.open
      .filter(({ yours, opponents }) => !yours && opponents.some(({ id, accepted }) => id === session.id && !accepted))
      .toSorted((one, other) => one.created.localeCompare(other.created)),
  );
}

export const challenges = new Challenges();

const of = (challenge_id: string) => ({ path: { challenge_id }, header: once() });

/** Take a seat; the last of the opponents starts the game. */
export async function accept(id: string, suit: string | null): Promise<Challenge> {
  const body = { suit };
  return unwrap(await api.POST("/api/v1/challenges/{challenge_id}/accept/", { params: of(id), body }));
}

export async function decline(id: string): Promise<void> {
  succeed(await api.POST("/api/v1/challenges/{challenge_id}/decline/", { params: of(id), body: {} }));
}
