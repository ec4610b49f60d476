import { describe, expect, it } from "vitest";
import type { RecordedState } from "../src/api/replay";
import { Playback, patched } from "../src/replay/playback";
import { command } from "../src/replay/player.svelte";
import { pairsOf, pilesOf } from "../src/replay/piles";
import { held, permalink } from "../src/replay/links";

const pressed = (key: string, more = {}) =>
  command({ key, shiftKey: false, altKey: false, ctrlKey: false, metaKey: false, ...more });

describe("a playback", () => {
  /** 60 states that count up: `view.piles[1]` holds the number, every 25th is whole. */
  const steps = Array.from({ length: 60 }, (_, index): RecordedState => {
    if (index % 25 > 0) return { changes: [{ at: ["view", "piles", 1], to: [index] }] };
    const view = { piles: [["AS"], [index]] };
    return { state: { status: "active", to_act: [0], view, cards: null, outcome: null } };
  });
  const at = (playback: Playback, index: number) => (playback.at(index).view?.["piles"] as number[][])[1]?.[0];

  it("shows the same in whatever order it is looked at", () => {
    const playback = new Playback(steps);
    for (const index of [0, 1, 2, 59, 24, 25, 26, 3, 49, 50, 48, 48, 0]) expect(at(playback, index)).toBe(index);
    expect(playback.length).toBe(60);
  });

  it("has nothing before its first and behind its last event", () => {
    const playback = new Playback(steps);
    expect(() => playback.at(-1)).toThrow(RangeError);
    expect(() => playback.at(60)).toThrow(RangeError);
  });

  it("leaves what did not change the same object, and what it came from unchanged", () => {
    const playback = new Playback(steps);
    const [before, after] = [playback.at(5), playback.at(6)];
    expect((after.view?.["piles"] as unknown[])[0]).toBe((before.view?.["piles"] as unknown[])[0]);
    expect((before.view?.["piles"] as unknown[])[1]).toEqual([5]);
  });
});

describe("patches", () => {
  it("set, add, take away, and change the whole", () => {
    const document = { a: { b: [1, 2] }, gone: 1 };
    const patches = [{ at: ["a", "b", 0], to: null }, { at: ["gone"] }, { at: ["new"], to: { c: 1 } }];
    expect(patched<unknown>(document, patches)).toEqual({ a: { b: [null, 2] }, new: { c: 1 } });
    expect(document).toEqual({ a: { b: [1, 2] }, gone: 1 });
    expect(patched<unknown>(document, [{ at: [], to: 7 }])).toBe(7);
  });
});

describe("keys", () => {
  it.each([
    ["ArrowLeft", -1],
    ["j", -1],
    ["ArrowRight", 1],
    ["k", 1],
    ["Home", "first"],
    ["End", "last"],
    [" ", "play"],
    ["[", "flag-before"],
    ["]", "flag-after"],
    ["c", "copy"],
    ["f", "flip"],
    ["x", null],
    ["Enter", null],
  ])("%s asks for %s", (key, wanted) => expect(pressed(key)).toBe(wanted));

  it("goes ten events with Shift, and leaves the browser's own keys alone", () => {
    expect(pressed("ArrowRight", { shiftKey: true })).toBe(10);
    expect(pressed("J", { shiftKey: true })).toBe(-10);
    expect(pressed("?", { shiftKey: true })).toBe("help");
    expect(pressed("c", { ctrlKey: true })).toBeNull();
    expect(pressed("ArrowLeft", { altKey: true })).toBeNull();
  });
});

describe("links", () => {
  const event = { version: 5, hash: "0123456789abcdef".repeat(4) };

  it("name the event and the first of its hash", () => {
    expect(permalink("g", event)).toBe("/games/g/events/5?h=0123456789ab");
  });

  it("tell when history no longer matches", () => {
    expect(held("0123456789ab", event)).toBe("same");
    expect(held("0123456789AB", event)).toBe("same");
    expect(held("0123456789ac", event)).toBe("changed");
    expect(held("", event)).toBe("unasked");
    expect(held("0123456789ab", undefined)).toBe("gone");
  });
});

describe("where every card pilesOf", () => {
  it("names each pile by the way to it", () => {
    const document = { stock: [], columns: [{ down: ["TS"], up: ["AH"] }], stake: 520, drawn: "X1", rule: { suit: "H" } };
    expect(pilesOf(document)).toEqual([
      { path: ["columns", 0, "down"], cards: ["TS"] },
      { path: ["columns", 0, "up"], cards: ["AH"] },
      { path: ["drawn"], cards: ["X1"] },
    ]);
    expect(pilesOf({ work: [["JD.0", "6C.0"]] })).toEqual([{ path: ["work", 0], cards: ["JD.0", "6C.0"] }]);
  });

  it("is paired with what it is after the event, piles that are new or gone included", () => {
    const before = { stock: ["2C", "3C"], hands: [["AS"], ["KD"]] };
    const after = { stock: ["2C"], waste: ["3C"], hands: [[], ["KD"]] };
    expect(pairsOf(before, after)).toEqual([
      { path: ["stock"], before: ["2C", "3C"], after: ["2C"], isChanged: true },
      { path: ["waste"], before: [], after: ["3C"], isChanged: true },
      { path: ["hands", 1], before: ["KD"], after: ["KD"], isChanged: false },
      { path: ["hands", 0], before: ["AS"], after: [], isChanged: true },
    ]);
  });
});
