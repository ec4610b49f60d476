import { unwrap } from "@racecard/client";
import type { Suit } from "../cards/card";
import { api } from "./client";

/** The current chance of each suit, from 0 to 1, at a version of the game. */
export interface Chances {
  suits: Record<Suit, number>;
  version: number;
}

/** An exact fraction of integers of any length, as a number for display. */
export function share(fraction: string): number {
  const [num = 0n, den = 1n] = fraction.split("/").map(BigInt);
  return Number((num * 1_000_000n) / den) / 1_000_000;
}

export async function chances(game_id: string, signal: AbortSignal): Promise<Chances> {
  const found = unwrap(await api.GET("/api/v1/games/{game_id}/odds/", { params: { path: { game_id } }, signal }));
  const { C, D, H, S } = found.suits;
  return { suits: { C: share(C.probability), D: share(D.probability), H: share(H.probability), S: share(S.probability) }, version: found.version };
}
