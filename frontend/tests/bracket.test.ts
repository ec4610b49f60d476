import { describe, expect, it } from "vitest";
import type { Match } from "../src/api/tournaments";
import { next, path, stops, trees } from "../src/tournament/bracket";

type Slot = Match["slots"][number];
type From = number | { won: number } | { lost: number } | null;

const slot = (from: From): Slot => ({
  entry: typeof from === "number" ? from : null,
  player: null,
  name: null,
  shown_as: null,
  seed: null,
  has_left: false,
  score: null,
  running_score: null,
  place: null,
  lives: null,
  source:
    from === null || typeof from === "number"
      ? null
      : "won" in from
        ? { match: from.won, won: true, round: null, place: null }
        : { match: from.lost, won: false, round: null, place: null },
});

function match(number: number, round: number, slots: readonly From[], side: Match["side"] = "winners"): Match {
  return {
    number,
    round,
    side,
    state: "waiting",
    table: null,
    winner: null,
    winner_to: null,
    loser_to: null,
    through: 1,
    advancing: [],
    slots: slots.map(slot),
    games: [],
  };
}

const FOUR = [
  match(1, 1, [1, 4]),
  match(2, 1, [2, 3]),
  match(3, 2, [{ won: 1 }, { won: 2 }]),
  match(4, 2, [{ lost: 1 }, { lost: 2 }], "third-place"),
];

describe("a bracket on the page", () => {
  it("puts a match between those from which its players come, and the third place below", () => {
    const [tree] = trees(FOUR);
    expect(tree?.columns.map(({ spots }) => spots.map(({ row }) => row))).toEqual([
      [0, 1],
      [0.5, 1.5],
    ]);
    expect(tree?.rows).toBe(2.5);
  });

  it("draws a line for each winner, and none for losers", () => {
    expect(trees(FOUR)[0]?.lines).toEqual([
      { from: 1, to: 3, slot: 0, at: [0, 0], until: [1, 0.5] },
      { from: 2, to: 3, slot: 1, at: [0, 1], until: [1, 0.5] },
    ]);
  });

  it("keeps a distance between the matches of a column", () => {
    for (const rounds of [1, 2, 3, 4]) {
      const size = 2 ** rounds;
      const all: Match[] = [];
      let before: number[] = [];
      for (let round = 1; round <= rounds; round += 1) {
        const here = Array.from({ length: size / 2 ** round }, (_, index) => {
          const slots: [From, From] =
            round === 1
              ? [index * 2 + 1, index * 2 + 2]
              : [{ won: before[index * 2] ?? 0 }, { won: before[index * 2 + 1] ?? 0 }];
          const made = match(all.length + 1, round, slots);
          all.push(made);
          return made.number;
        });
        before = here;
      }
      const [tree] = trees(all);
      for (const { spots } of tree?.columns ?? []) {
        const rows = spots.map(({ row }) => row);
        for (const [index, row] of rows.entries()) if (index) expect(row - (rows[index - 1] ?? 0)).toBeGreaterThanOrEqual(1);
      }
      expect(tree?.rows).toBe(size / 2);
      expect(tree?.columns.at(-1)?.spots[0]?.row).toBe((size / 2 - 1) / 2);
    }
  });

  it("has the losers of a double knockout in a tree of their own", () => {
    const double = [
      match(1, 1, [1, 4]),
      match(2, 1, [2, 3]),
      match(3, 2, [{ won: 1 }, { won: 2 }]),
      match(4, 2, [{ lost: 1 }, { lost: 2 }], "losers"),
      match(5, 3, [{ won: 4 }, { lost: 3 }], "losers"),
      match(6, 4, [{ won: 3 }, { won: 5 }], "final"),
    ];
    const [winners, losers] = trees(double);
    expect(winners?.columns.map(({ round }) => round)).toEqual([1, 2, 4]);
    expect(losers?.columns.map(({ round }) => round)).toEqual([2, 3]);
    expect(losers?.lines.map(({ from, to }) => [from, to])).toEqual([[4, 5]]);
    // The way from one tree to the other is described, not drawn.
    expect(winners?.lines.map(({ from, to }) => [from, to])).not.toContainEqual([5, 6]);
  });

  it("is nothing where nothing is drawn", () => expect(trees([])).toEqual([]));
});

describe("a player's way", () => {
  const played = [match(1, 1, [1, 4]), match(2, 1, [2, 3]), match(3, 2, [1, { won: 2 }]), match(4, 2, [4, { lost: 2 }], "third-place")];

  it("is every match that they have come to", () => {
    expect(path(played, 1)).toEqual([1, 3]);
    expect(path(played, 4)).toEqual([1, 4]);
    expect(path(played, 9)).toEqual([]);
  });

  it("is followed by the arrow keys, over filled slots", () => {
    expect(stops(played)).toEqual([[1, 0], [1, 1], [2, 0], [2, 1], [3, 0], [4, 0]]);
    expect(next(played, [1, 0], "ArrowRight")).toEqual([3, 0]);
    expect(next(played, [1, 1], "ArrowRight")).toEqual([4, 0]);
    expect(next(played, [4, 0], "ArrowLeft")).toEqual([1, 1]);
    expect(next(played, [1, 1], "ArrowDown")).toEqual([2, 0]);
    expect(next(played, [1, 0], "ArrowUp")).toEqual([1, 0]);
    expect(next(played, [2, 0], "ArrowRight")).toEqual([3, 0]);
    expect(next(played, [2, 1], "Home")).toEqual([1, 0]);
    expect(next(played, [1, 0], "End")).toEqual([4, 0]);
  });
});

describe("larger tables", () => {
  const tables = [
    match(1, 1, [1, 4, 5, 8]),
    match(2, 1, [2, 3, 6, 7]),
    match(3, 1, [9]),
    match(4, 2, [{ won: 3 }, { won: 1 }, { won: 2 }, { won: 1 }, { won: 2 }]),
  ];

  it("are joined by one line to a table, however many go on to it", () => {
    const [tree] = trees(tables);
    expect(tree?.lines.map(({ from, to }) => [from, to])).toEqual([[3, 4], [1, 4], [2, 4]]);
    expect(tree?.columns[1]?.spots[0]?.row).toBe(1);
  });

  it("have no line while the match before is unknown", () => {
    const open = match(5, 2, [null, null, null]);
    open.slots.forEach((one) => (one.source = { match: null, won: true, round: 1, place: 1 }));
    expect(trees([...tables.slice(0, 3), open])[0]?.lines).toEqual([]);
  });

  it("are walked by keys from player to player", () => {
    expect(next(tables, [1, 3], "ArrowDown")).toEqual([2, 0]);
    expect(stops(tables)).toHaveLength(9);
    expect(path(tables, 9)).toEqual([3]);
  });
});
