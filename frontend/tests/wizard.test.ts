import { describe, expect, it } from "vitest";
import type { Format } from "../src/api/drafts";
import { emptyForm, type Form, matters, nextFriday, termsOf } from "../src/wizard/form";

const format = (values: Partial<Format>): Format => ({
  slug: "swiss",
  name: "Swiss",
  fewest_entrants: 2,
  needs_rounds: true,
  knocks_out: false,
  on_bets: false,
  counts_points: true,
  counts: ["total"],
  games: [{ rules: "ace-race", seats: [2, 3, 4] }],
  ...values,
});
const form = (values: Partial<Form>): Form => ({ ...emptyForm(), name: " Club night ", rules: "ace-race", ...values });

describe("the form of a tournament", () => {
  it("sends money in pence, shares in basis points, and times in seconds", () => {
    const terms = termsOf(form({ fee: 550, rake: 2.5, shares: [70, 30], length: 40, gap: 5, checkIn: 15 }), format({}), { stake: 0 });
    expect(terms).toMatchObject({
      name: "Club night",
      fee: 550,
      rake: 250,
      prizes: [7000, 3000],
      amounts: [],
      round_seconds: 2400,
      gap_seconds: 300,
      check_in_seconds: 900,
      config: { stake: 0 },
    });
  });

  it("sends only what matters to the format", () => {
    const entered = form({ rounds: 7, late: 3, seats: 4, through: 2, bank: 5000, checkIn: 10, isTimed: false });
    const knockout = format({ slug: "knockout", needs_rounds: false, knocks_out: true });
    expect(termsOf(entered, knockout, {})).toMatchObject({ rounds: 0, late_until: 0, through: 2, bank: 0, stages: [] });
    expect(termsOf(entered, knockout, {})).toMatchObject({ opens_at: null, check_in_seconds: 0 });
    const meeting = format({ slug: "meeting", on_bets: true, games: [{ rules: "racing-aces", seats: [0] }] });
    const races = termsOf({ ...entered, rules: "racing-aces", games: 3, fill: 8, noShow: 5 }, meeting, {});
    expect(races).toMatchObject({ rounds: 7, bank: 5000, games: 1, seats: 0, fill_to: 0, no_show_seconds: 0 });
  });

  it("sends both stages, with groups of a round robin only", () => {
    const stages = format({ slug: "stages", needs_rounds: false, knocks_out: true });
    expect(termsOf(form({ first: "swiss" }), stages, {}).stages).toEqual([
      { format: "swiss", rounds: 3, qualify: 4 },
      { format: "knockout" },
    ]);
    expect(termsOf(form({ first: "round-robin" }), stages, {}).stages?.[0]).toMatchObject({ groups: 2 });
    expect(matters(form({ first: "round-robin" }), stages).late).toBe(false);
  });

  it("sends what cannot be read as null, which the server names", () => {
    const terms = termsOf(form({ fee: null, rounds: null }), format({}), {});
    expect([terms.fee, terms.rounds]).toEqual([null, null]);
  });

  it("has no prizes without money", () => {
    expect(termsOf(form({}), format({}), {})).not.toHaveProperty("prizes");
    expect(termsOf(form({ hasAmounts: true, amounts: [2000], guarantee: 2000 }), format({}), {})).toMatchObject({
      amounts: [2000],
      guarantee: 2000,
    });
  });
});

describe("the next Friday", () => {
  it("is at 19:00 and leaves time to enter", () => {
    expect(nextFriday(new Date(2027, 2, 24, 10))).toBe("2027-03-26T19:00");
    expect(nextFriday(new Date(2027, 2, 26, 16))).toBe("2027-03-26T19:00");
    expect(nextFriday(new Date(2027, 2, 26, 18))).toBe("2027-04-02T19:00");
  });
});
