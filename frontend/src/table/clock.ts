import type { Game } from "../api/play";

type Deadline = "move" | "game";

interface Remaining {
  kind: Deadline;
  /** Whole seconds, rounded up: 0 is the end. */
  seconds: number;
}

/** Limits beyond this are the site's maximum and are not shown as a clock. */
const FAR = 2 * 60 * 60;
/** Seconds before the end at which the clock is announced. */
const ANNOUNCED_AT: readonly number[] = [60, 30, 10];

/** What is left on the clock that runs out first; null where none runs, or none that matters yet. */
export function remaining(game: Game, now: number): Remaining | null {
  if (game.status !== "active" || game.suspension) return null;
  const limits: [Deadline, string | null][] = [
    ["move", game.clock.act_by],
    ["game", game.clock.ends_at],
  ];
  const left = limits.flatMap(([kind, at]): Remaining[] =>
    at === null ? [] : [{ kind, seconds: Math.max(0, Math.ceil((Date.parse(at) - now) / 1000)) }],
  );
  const [first] = left.sort((one, other) => one.seconds - other.seconds);
  return first && first.seconds <= FAR ? first : null;
}

/** Whether to announce the remaining time now, after `before` seconds were announced last. */
export function isTold(before: number, now: number): boolean {
  return ANNOUNCED_AT.some((mark) => before > mark && now <= mark);
}
