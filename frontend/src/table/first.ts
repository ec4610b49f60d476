import type { ProblemDocument } from "../api/problem";

/** What makes a move illegal, by its key and what it is about; RULEBOOK 1, `games/rules/grounds.py`. */
export interface Ground {
  key: string;
  values: Readonly<Record<string, unknown>>;
}

export function groundOf(document: ProblemDocument): Ground | null {
  const ground = document["ground"];
  return typeof ground === "object" && ground !== null ? (ground as Ground) : null;
}

/** Who was first at a foundation, and with which card; null where a move was refused for another reason. */
export function whoWasFirst({ key, values }: Ground): { seat: number; card: string } | null {
  const card = { "shows-before": "other", "complete-before": "top", "complete-put": "top" }[key];
  return card ? { seat: Number(values["seat"]), card: String(values[card]) } : null;
}
