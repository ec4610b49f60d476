import { expect, test } from "vitest";
import type { RoundLine } from "../src/api/tournaments";
import { clockOf } from "../src/tournament/run/clock";

const at = (minute: number) => new Date(Date.UTC(2026, 2, 1, 12, minute)).toISOString();
const time = (minute: number) => Date.UTC(2026, 2, 1, 12, minute);
const terms = (more: object = {}) =>
  ({ status: "running", opens_at: null, check_in_at: null, paused: null, needs_organizer: null, rounds: 3, gap_seconds: 300, round_times: [], ...more }) as Parameters<typeof clockOf>[0];
const round = (number: number, state: string, more: object = {}) => ({ round: number, state, closes_at: at(20), closed_at: null, ...more }) as RoundLine;

test("before the start the clock counts to the check-in, and then to the start", () => {
  const published = terms({ status: "published", opens_at: at(30), check_in_at: at(15) });
  expect(clockOf(published, [], time(0))).toEqual({ kind: "checkIn", until: time(15) });
  expect(clockOf(published, [], time(16))).toEqual({ kind: "starts", until: time(30) });
  expect(clockOf(terms({ status: "published" }), [], time(0)).kind).toBe("startsByHand");
});

test("an open round closes, and the next opens after the gap or at its time", () => {
  expect(clockOf(terms(), [round(1, "open")], time(0))).toEqual({ kind: "closes", until: time(20) });
  expect(clockOf(terms(), [round(1, "open")], time(20))).toEqual({ kind: "closing", until: null });
  const closed = round(1, "closed", { closed_at: at(10) });
  expect(clockOf(terms(), [closed], time(11))).toEqual({ kind: "opens", until: time(15) });
  expect(clockOf(terms({ round_times: [{ round: 2, opens_at: at(40) }] }), [closed], time(11)).until).toBe(time(40));
  expect(clockOf(terms(), [closed], time(16)).kind).toBe("dealing");
});

test("a pause, a stall, and the end have no countdown", () => {
  const closed = round(3, "closed", { closed_at: at(10) });
  expect(clockOf(terms({ paused: "lunch" }), [closed], time(11)).kind).toBe("paused");
  expect(clockOf(terms({ needs_organizer: {} }), [closed], time(11)).kind).toBe("stalled");
  expect(clockOf(terms(), [closed], time(11)).kind).toBe("finishing");
  expect(clockOf(terms({ status: "finished" }), [closed], time(11)).kind).toBe("none");
});
