import { expect, test } from "vitest";
import { asked, effects, type Row } from "../src/tournament/run/correction";

const rows = (...more: Partial<Row>[]): Row[] =>
  [{ entry: 1, score: [3, 20], isForfeit: false }, { entry: 2, score: [0, 12], isForfeit: false }].map((row, index) => ({ ...row, ...more[index] }));

test("a form that changes nothing, or lacks a number, asks for nothing", () => {
  expect(asked(rows(), rows(), false)).toBeNull();
  expect(asked(rows(), rows({ score: [null, 20] }), false)).toBeNull();
  expect(asked(rows(), rows({ score: [2.5, 20] }), false)).toBeNull();
});

test("a changed number asks for the scores of all", () => {
  expect(asked(rows(), rows({ score: [0, 20] }, { score: [3, 12] }), false)).toEqual({
    way: "score",
    scores: [{ entry: 1, score: [0, 20] }, { entry: 2, score: [3, 12] }],
    entries: [],
  });
});

test("a tick asks for a forfeit, and a tick taken away for the scores", () => {
  expect(asked(rows(), rows({}, { isForfeit: true }), false)).toEqual({ way: "forfeit", scores: [], entries: [2] });
  expect(asked(rows({}, { isForfeit: true }), rows(), false)?.way).toBe("score");
  expect(asked(rows({}, { isForfeit: true }), rows({}, { isForfeit: true }), false)).toBeNull();
});

test("a void game has no scores", () => {
  expect(asked(rows(), rows({ score: [9, 9] }), true)).toEqual({ way: "void", scores: [], entries: [] });
});

test("the effects of a player are together, the best place first", () => {
  const placed = (place: number) => ({ place, totals: [] });
  const standings = [
    { entry: 1, was: placed(1), would_be: placed(2) },
    { entry: 7, was: placed(7), would_be: placed(1) },
  ];
  const prizes = [{ entry: 7, was: 1200, would_be: 4000 }, { entry: 9, was: 100, would_be: 0 }];
  for (const paid of [{ prizes, prizes_now: [] }, { prizes: [], prizes_now: prizes }]) expect(effects({ standings, ...paid })).toEqual([
    { entry: 7, place: [7, 1], prize: [1200, 4000] },
    { entry: 1, place: [1, 2], prize: null },
    { entry: 9, place: null, prize: [100, 0] },
  ]);
});
