import type { ProblemDocument } from "@racecard/client";

/** Why a move is illegal: a key and its values (RULEBOOK 1, `games/rules/refusals.py`). */
export interface Ground {
  key: string;
  values: Readonly<Record<string, unknown>>;
}

export function groundOf(document: ProblemDocument): Ground | null {
  const ground = document["ground"];
  return typeof ground === "object" && ground !== null ? (ground as Ground) : null;
}

/** The seat that reached a foundation first, and its card; null if a move was refused for another reason. */
export function whoWasFirst({ key, values }: Ground): { seat: number; card: string } | null {
  const card = { "shows-before": "other", "complete-before": "top", "complete-put": "top" }[key];
  return card ? { seat: Number(values["seat"]), card: String(values[card]) } : null;
}
