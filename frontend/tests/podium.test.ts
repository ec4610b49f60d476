import { expect, test } from "vitest";
import type { Bracket, Round, Standings } from "../src/api/tournaments";
import { podium } from "../src/tournament/podium";

const row = (entry: number, place: number, more = {}) => ({ entry, place, games: 3, disqualified: false, totals: [9 - place], ...more });
const standings = (...rows: object[]) => ({ standings: rows }) as unknown as Standings;
const match = (game: string, ...entries: number[]) => ({ games: [{ game }], slots: entries.map((entry) => ({ entry })) });

test("the podium has the first three places, with the last match of each", () => {
  const bracket = { matches: [match("semi", 1, 2), match("final", 1, 3), match("third", 2, 4)] } as unknown as Bracket;
  const found = podium(standings(row(1, 1), row(3, 2), row(2, 3), row(4, 4)), bracket, undefined);
  expect(found.map(({ row, game }) => [row.entry, game])).toEqual([
    [1, "final"],
    [3, "final"],
    [2, "third"],
  ]);
});

test("without a bracket the last dealt game at the table of the last round decided", () => {
  const last = { tables: [{ seats: [{ entry: 1 }, { entry: 2 }], games: [{ game: "one" }, { game: "two" }, { game: null }] }] };
  const found = podium(standings(row(1, 1), row(2, 1), row(3, 3)), null, last as unknown as Round);
  expect(found.map(({ game }) => game)).toEqual(["two", "two", null]);
});

test("who never played or was disqualified is not on the podium", () => {
  expect(podium(standings(row(1, 1, { games: 0 }), row(2, 2, { disqualified: true })), null, undefined)).toEqual([]);
});
