import type { CorrectionInput, CorrectionPreview } from "../../api/tournaments";

/** What the form of a correction has for one player: the score, a number for each measure, and whether they forfeit. */
export interface Row {
  entry: number;
  score: (number | null)[];
  isForfeit: boolean;
}

type Change = Pick<CorrectionInput, "way" | "scores" | "entries">;

/** The correction that a form asks for; null while it changes nothing, or a number is missing. */
export function asked(before: readonly Row[], now: readonly Row[], isVoid: boolean): Change | null {
  if (isVoid) return { way: "void", scores: [], entries: [] };
  const forfeits = now.filter(({ isForfeit }) => isForfeit).map(({ entry }) => entry);
  const hasOther = now.some(({ isForfeit }, index) => isForfeit !== before[index]?.isForfeit);
  if (hasOther && forfeits.length > 0) return { way: "forfeit", scores: [], entries: forfeits };
  const isComplete = now.every(({ score }) => score.every((one) => Number.isInteger(one)));
  const isSame = now.every(({ score }, index) => score.every((one, measure) => one === before[index]?.score[measure]));
  if (!isComplete || (isSame && !hasOther)) return null;
  return { way: "score", scores: now.map(({ entry, score }) => ({ entry, score: score as number[] })), entries: [] };
}

/** What changes for one player. */
export interface Effect {
  entry: number;
  place: readonly [was: number, will: number] | null;
  prize: readonly [was: number, will: number] | null;
}

/** The effects by player, on the prizes of a running tournament as if it ended now: those who gain a place first. */
export function effects({ standings, prizes, prizes_now }: Pick<CorrectionPreview, "standings" | "prizes" | "prizes_now">): Effect[] {
  const found = new Map<number, Effect>();
  for (const { entry, was, would_be } of standings) {
    found.set(entry, { entry, place: [was.place, would_be.place], prize: null });
  }
  for (const { entry, was, would_be } of [...prizes, ...prizes_now]) {
    found.set(entry, { entry, place: found.get(entry)?.place ?? null, prize: [was, would_be] });
  }
  const place = (one: Effect) => one.place?.[1] ?? Infinity;
  return [...found.values()].sort((one, other) => place(one) - place(other) || one.entry - other.entry);
}
