import { beforeAll, describe, expect, it } from "vitest";
import type { Game } from "../src/api/play";
import { i18n } from "../src/i18n/i18n.svelte";
import { settings } from "../src/table/settings";

const table = (rules: string, config: Record<string, unknown>, limits: { move?: number; game?: number } = {}, drawEvery: number | null = null) =>
  ({
    rules,
    config,
    clock: { move_limit: limits.move ?? null, game_limit: limits.game ?? null },
    draw_every: drawEvery,
  }) as unknown as Game;

beforeAll(async () => {
  Object.defineProperty(globalThis, "document", { value: { documentElement: { lang: "" } }, configurable: true });
  await i18n.use("en");
  await i18n.need(["table-parts", "ace-race/about", "racing-aces/about", "racing-demons/about", "vegas-solitaire/about"]);
});

describe("the settings of a table", () => {
  it("of Ace Race are its continuation and its time limits, seats apart", () =>
    expect(settings(table("ace-race", { continuation: "chained", dealer: 1, previous_winner: null }, { move: 90, game: 7200 }))).toEqual([
      "After a multiple or series single cards may follow one after another (chained)",
      "Time per move: 90 seconds",
      "Time for the game: 2 hours",
    ]));

  it("of Racing Demons are the turn, the pace, what follows when all are stuck, and the time limit", () =>
    expect(settings(table("racing-demons", { turn: 3, pace: "race", stuck: "end", time_limit: 1800 }))).toEqual([
      "Stock turned three cards at a time",
      "Race: all players at once",
      "When all are stuck: the game ends",
      "Time limit of the game: 30 minutes",
    ]));

  it("of a race are its numbers, without what does not happen", () =>
    expect(settings(table("racing-aces", { finish_line: 10, cards_per_draw: 1, burn: 0, suits: "none" }, {}, 2))).toEqual([
      "Finish after 10 cards, the ace included",
      "1 card per draw",
      "Automatic draw every 2 seconds",
    ]));

  it("of Vegas Solitaire leave the money to the table itself", () =>
    expect(settings(table("vegas-solitaire", { draw: 3, stake: 520, win_rate: "1/13" }))).toEqual([
      "3 Draw: three cards at a time, three passes",
    ]));
});
