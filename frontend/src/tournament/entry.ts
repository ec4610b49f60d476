import type { Round, Tournament } from "../api/tournaments";

/** What the reader can do about being in it; `why` names the reason where nothing can be done. */
export type Entering = { can: "enter" | "late" | "wait"; why?: undefined } | { can: null; why: Why };
export type Why = "entered" | "waiting" | "sign-in" | "draft" | "over" | "judge" | "full" | "started";

export function entering(terms: Tournament, isSignedIn: boolean): Entering {
  if (terms.entry) return { can: null, why: "entered" };
  if (terms.waiting?.ended === null) return { can: null, why: "waiting" };
  if (terms.status === "finished" || terms.status === "cancelled") return { can: null, why: "over" };
  if (terms.status === "draft") return { can: null, why: "draft" };
  const isLate = terms.status === "running";
  if (isLate && terms.round >= terms.late_until) return { can: null, why: "started" };
  const isFull = terms.entries >= terms.capacity;
  if (isFull && (isLate || terms.waiting_list === 0)) return { can: null, why: "full" };
  if (!isSignedIn) return { can: null, why: "sign-in" };
  if (terms.role === "judge") return { can: null, why: "judge" };
  return { can: isFull ? "wait" : isLate ? "late" : "enter" };
}

/** The state of the check-in; `now` and `until` in milliseconds. */
type CheckIn = { state: "none" | "over" } | { state: "before" | "open"; until: number };

export function checkIn(terms: Tournament, now: number): CheckIn {
  if (!terms.check_in_seconds || !terms.check_in_at || !terms.opens_at) return { state: "none" };
  if (terms.status !== "published") return { state: "over" };
  const begins = Date.parse(terms.check_in_at);
  if (now < begins) return { state: "before", until: begins };
  return { state: "open", until: Date.parse(terms.opens_at) };
}

/** The user's next game, or the reason why there is none. */
export type Next =
  | { kind: "table"; round: number; table: number; game: string; number: number }
  | { kind: "bye" | "done" | "between" | "out" | "start" | "over" };

export function nextTable(terms: Tournament, current: Round | undefined): Next | null {
  const { entry } = terms;
  if (!entry) return null;
  if (terms.status === "finished" || terms.status === "cancelled") return { kind: "over" };
  const open = entry.games.find((game) => game.ended === null);
  if (open && terms.status === "running") return { kind: "table", ...open };
  if (entry.disqualified || (entry.retired_after !== null && entry.retired_after < terms.round)) return { kind: "out" };
  if (terms.status !== "running" || terms.round === 0) return { kind: "start" };
  if (!current || current.state === "closed") return { kind: "between" };
  if (current.byes.includes(entry.entry)) return { kind: "bye" };
  const isSeated = current.tables.some((table) => table.seats.some((seat) => seat.entry === entry.entry));
  return { kind: isSeated ? "done" : "between" };
}
