import type { Verdict } from "./check";
import { hex, hmac, sha256, unhex, utf8 } from "./crypto";

/** What a tournament publishes for its proof: the commitment first, the rest when entries close, the seed at the end. */
export interface Fairness {
  commitment: string | null;
  entropy: string | null;
  client_seeds: readonly string[] | null;
  lot_key: string | null;
  seed: string | null;
}

const DRAW_CHECKS = ["commitment", "entropy", "client-seed", "lot-key"] as const;
type DrawCheck = (typeof DRAW_CHECKS)[number];

export interface DrawStep {
  check: DrawCheck;
  verdict: Verdict;
}

/**
 * Check a tournament's seed, entropy and lot key with nothing but the browser (RULEBOOK 1, Fairness).
 *
 * `ownSeed` is the client seed that the viewer entered with, null where none of theirs counts.
 */
export async function checkDraw(
  { commitment, entropy, client_seeds, lot_key, seed }: Fairness,
  ownSeed: string | null,
  subtle: SubtleCrypto,
): Promise<DrawStep[]> {
  const steps: DrawStep[] = [];
  const add = (check: DrawCheck, isRun: boolean, isRight: boolean) =>
    steps.push({ check, verdict: !isRun ? "not-run" : isRight ? "passed" : "failed" });

  const seedHash = seed === null ? null : await sha256(subtle, unhex(seed));
  add("commitment", seed !== null, seedHash === commitment);
  const joined = client_seeds === null ? null : await sha256(subtle, utf8(client_seeds.join("|")));
  add("entropy", joined !== null, joined === entropy);
  if (ownSeed !== null) add("client-seed", client_seeds !== null, client_seeds?.includes(ownSeed) ?? false);
  const key = seed === null || entropy === null ? null : hex(await (await hmac(subtle, unhex(seed)))(`lots|${entropy}`));
  add("lot-key", key !== null, key === lot_key);
  return steps;
}
