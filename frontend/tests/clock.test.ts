import { describe, expect, it } from "vitest";
import type { Game } from "../src/api/play";
import { clock } from "../src/i18n/format";
import { isTold, remaining } from "../src/table/clock";

const NOW = Date.parse("2026-03-01T12:00:00Z");
const game = (act_by: string | null, ends_at: string | null, more: Partial<Game> = {}): Game =>
  ({ status: "active", suspension: null, clock: { act_by, ends_at }, ...more }) as unknown as Game;

describe("the clock of a table", () => {
  it("shows the limit that comes first", () => {
    const both = game("2026-03-01T12:00:20Z", "2026-03-01T12:30:00Z");
    expect(remaining(both, NOW)).toEqual({ kind: "move", seconds: 20 });
    expect(remaining(game(null, "2026-03-01T12:30:00Z"), NOW)).toEqual({ kind: "game", seconds: 1800 });
  });

  it("stands at nought when the time is over, and counts a begun second", () => {
    expect(remaining(game("2026-03-01T11:59:00Z", null), NOW)?.seconds).toBe(0);
    expect(remaining(game("2026-03-01T12:00:00.2Z", null), NOW)?.seconds).toBe(1);
  });

  it("is none in a suspended or finished game, nor for the server's idle limit", () => {
    const soon = "2026-03-01T12:00:20Z";
    expect(remaining(game(soon, null, { status: "finished" } as Partial<Game>), NOW)).toBeNull();
    expect(remaining(game(soon, null, { suspension: { since: soon } } as unknown as Partial<Game>), NOW)).toBeNull();
    expect(remaining(game("2026-03-02T12:00:00Z", null), NOW)).toBeNull();
  });

  it("is announced sparingly, once at each mark", () => {
    const seconds = [90, 61, 60, 59, 31, 29, 12, 9, 1, 0];
    const heard = seconds.filter((now, at) => isTold(at === 0 ? Infinity : (seconds[at - 1] ?? 0), now));
    expect(heard).toEqual([60, 29, 9]);
  });

  it("is written as clocks are", () => {
    expect([9, 75, 3909].map(clock)).toEqual(["0:09", "1:15", "1:05:09"]);
  });
});
