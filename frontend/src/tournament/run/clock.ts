import type { RoundLine, Tournament } from "../../api/tournaments";

/** What the clock of a tournament counts down to, in milliseconds, or why there is no countdown. */
export type RunClock =
  | { kind: "starts" | "checkIn" | "closes" | "opens"; until: number }
  | { kind: "none" | "startsByHand" | "dealing" | "closing" | "paused" | "stalled" | "finishing"; until: null };

type Terms = Pick<
  Tournament,
  "status" | "opens_at" | "check_in_at" | "paused" | "needs_organizer" | "rounds" | "gap_seconds" | "round_times"
>;

export function clockOf(terms: Terms, rounds: readonly RoundLine[], now: number): RunClock {
  if (terms.needs_organizer) return { kind: "stalled", until: null };
  if (terms.status === "published") return beforeStart(terms, now);
  if (terms.status !== "running") return { kind: "none", until: null };
  const last = rounds.at(-1);
  if (last?.state === "open" && last.closes_at) {
    const closes = Date.parse(last.closes_at);
    return closes > now ? { kind: "closes", until: closes } : { kind: "closing", until: null };
  }
  if (terms.paused) return { kind: "paused", until: null };
  if (!last || last.state === "opening" || !last.closed_at) return { kind: "dealing", until: null };
  if (terms.rounds > 0 && last.round >= terms.rounds) return { kind: "finishing", until: null };
  const fixed = terms.round_times.find(({ round }) => round === last.round + 1)?.opens_at;
  const closed = Date.parse(last.closed_at);
  const opens = fixed ? Math.max(closed, Date.parse(fixed)) : closed + terms.gap_seconds * 1000;
  return opens > now ? { kind: "opens", until: opens } : { kind: "dealing", until: null };
}

function beforeStart({ opens_at, check_in_at }: Terms, now: number): RunClock {
  if (!opens_at) return { kind: "startsByHand", until: null };
  if (check_in_at && now < Date.parse(check_in_at)) return { kind: "checkIn", until: Date.parse(check_in_at) };
  return { kind: "starts", until: Date.parse(opens_at) };
}
