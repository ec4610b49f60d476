import { describe, expect, it } from "vitest";
import type { Round, Tournament } from "../src/api/tournaments";
import { clock } from "../src/i18n/format";
import { checkIn, entering, nextTable } from "../src/tournament/entry";

const TERMS = {
  status: "published",
  capacity: 4,
  entries: 3,
  waiting_list: 0,
  late_until: 0,
  round: 0,
  role: null,
  entry: null,
  waiting: null,
  check_in_seconds: 600,
  check_in_at: "2026-03-01T11:50:00Z",
  opens_at: "2026-03-01T12:00:00Z",
} as unknown as Tournament;
const ENTRY = { entry: 2, games: [], retired_after: null, disqualified: false };
const terms = (changes: object): Tournament => ({ ...TERMS, ...changes }) as Tournament;

describe("whether one can enter", () => {
  it.each([
    [{}, true, { can: "enter" }],
    [{}, false, { can: null, why: "sign-in" }],
    [{ entries: 4 }, true, { can: null, why: "full" }],
    [{ entries: 4 }, false, { can: null, why: "full" }],
    [{ entries: 4, waiting_list: 2 }, false, { can: null, why: "sign-in" }],
    [{ entries: 4, waiting_list: 2 }, true, { can: "wait" }],
    [{ status: "running", round: 1 }, true, { can: null, why: "started" }],
    [{ status: "running", round: 1, late_until: 2 }, true, { can: "late" }],
    [{ status: "running", round: 2, late_until: 2 }, true, { can: null, why: "started" }],
    [{ status: "running", round: 1, late_until: 2, entries: 4, waiting_list: 9 }, true, { can: null, why: "full" }],
    [{ status: "finished" }, true, { can: null, why: "over" }],
    [{ status: "draft" }, true, { can: null, why: "draft" }],
    [{ role: "judge" }, true, { can: null, why: "judge" }],
    [{ entry: ENTRY }, true, { can: null, why: "entered" }],
    [{ waiting: { ended: null, place: 1 } }, true, { can: null, why: "waiting" }],
    [{ waiting: { ended: "left" } }, true, { can: "enter" }],
  ])("%j, signed in: %s", (changes, isSignedIn, expected) => {
    expect(entering(terms(changes), isSignedIn)).toEqual(expected);
  });
});

describe("the check-in", () => {
  const at = (text: string) => Date.parse(`2026-03-01T${text}Z`);

  it("opens in its time and lasts until the start, also where that comes late", () => {
    expect(checkIn(TERMS, at("11:49:59"))).toEqual({ state: "before", until: at("11:50:00") });
    expect(checkIn(TERMS, at("11:50:00"))).toEqual({ state: "open", until: at("12:00:00") });
    expect(checkIn(TERMS, at("12:05:00"))).toEqual({ state: "open", until: at("12:00:00") });
    expect(checkIn(terms({ status: "running" }), at("12:05:00"))).toEqual({ state: "over" });
  });

  it("is not where none is asked for", () => {
    expect(checkIn(terms({ check_in_seconds: 0 }), at("11:55:00"))).toEqual({ state: "none" });
  });
});

describe("the next table", () => {
  const open = { round: 2, table: 3, number: 1, game: "g2", ended: null };
  const over = { round: 1, table: 1, number: 1, game: "g1", ended: "finished" };
  const entry = (changes: object) => ({ entry: { ...ENTRY, ...changes } });
  const round = (changes: object) => ({ state: "open", byes: [], tables: [], ...changes }) as unknown as Round;

  it.each([
    [{}, undefined, null],
    [entry({}), undefined, { kind: "start" }],
    [{ status: "running", round: 2, ...entry({ games: [over, open] }) }, undefined, { kind: "table", ...open }],
    [{ status: "running", round: 2, ...entry({ games: [over] }) }, round({ byes: [2] }), { kind: "bye" }],
    [{ status: "running", round: 1, ...entry({ games: [over] }) }, round({ tables: [{ seats: [{ entry: 2 }] }] }), { kind: "done" }],
    [{ status: "running", round: 1, ...entry({ games: [over] }) }, round({ state: "closed" }), { kind: "between" }],
    [{ status: "running", round: 2, ...entry({ games: [over], retired_after: 1 }) }, round({}), { kind: "out" }],
    [{ status: "finished", round: 2, ...entry({ games: [over] }) }, undefined, { kind: "over" }],
  ])("%j", (changes, current, expected) => expect(nextTable(terms(changes), current)).toEqual(expected));
});

it("a clock shows hours only where there are some, and never less than nothing", () => {
  expect([clock(61), clock(3_723), clock(-5), clock(0.4)]).toEqual(["1:01", "1:02:03", "0:00", "0:01"]);
});
