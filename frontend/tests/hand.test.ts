import { describe, expect, it } from "vitest";
import type { Move } from "../src/api/play";
import { Hand } from "../src/table/hand.svelte";

const toFive = { type: "move", from: "column:0", to: "column:5", count: 1 };
const home = { type: "move", from: "column:0", to: "foundation" };
const LAYOUT = {
  routes: [
    { from: "column:0", at: 3, to: "column:5", move: toFive },
    { from: "column:0", at: 3, to: "foundation:H", move: home },
  ],
  presses: [{ pile: "stock", move: { type: "draw" } }],
};

function hand() {
  const sent: Move[] = [];
  const one = new Hand((move) => {
    sent.push(move);
    return Promise.resolve(true);
  });
  one.deal(() => LAYOUT);
  return { one, sent };
}

describe("a hand", () => {
  it("takes what can go somewhere, shows where, and lays it there", () => {
    const { one, sent } = hand();
    expect(one.touch({ pile: "column:0", at: 3 })).toBe(true);
    expect([...one.targets]).toEqual(["column:5", "foundation:H"]);
    expect(one.touch({ pile: "column:5", at: 0 })).toBe(true);
    expect([sent, one.taken]).toEqual([[toFive], null]);
  });

  it("does nothing with what cannot move, and lets go of what it held", () => {
    const { one, sent } = hand();
    one.touch({ pile: "column:0", at: 3 });
    expect(one.touch({ pile: "column:3", at: 1 })).toBe(false);
    expect([sent, one.taken]).toEqual([[], null]);
  });

  it("lets go of a card that is touched again", () => {
    const { one } = hand();
    one.touch({ pile: "column:0", at: 3 });
    one.touch({ pile: "column:0", at: 3 });
    expect(one.taken).toBeNull();
  });

  it("draws from a pile that is pressed, and sends a card home", () => {
    const { one, sent } = hand();
    one.touch({ pile: "stock", at: 0 });
    expect(one.send({ pile: "column:0", at: 3 }, "foundation")).toBe(true);
    expect(one.send({ pile: "column:0", at: 2 }, "foundation")).toBe(false);
    expect(sent).toEqual([{ type: "draw" }, home]);
  });

  it("keeps what it holds through a new state only while that can still go somewhere", () => {
    const { one } = hand();
    one.touch({ pile: "column:0", at: 3 });
    one.deal(() => LAYOUT);
    expect(one.taken).not.toBeNull();
    one.deal(() => ({ routes: [], presses: [] }));
    expect(one.taken).toBeNull();
  });

  it("asks the server why a card may not lie where it is let go, and keeps what it cannot send", () => {
    const sent: Move[] = [];
    let isBusy = true;
    const one = new Hand((move) => {
      if (isBusy) return null;
      sent.push(move);
      return Promise.resolve(false);
    });
    const attempt = (from: string, _at: number, to: string) => ({ type: "move", from, to });
    one.deal(() => ({ ...LAYOUT, attempt, piles: [{ id: "column:0", cards: ["??", "??", "??", "9S"] }] }));
    one.touch({ pile: "column:0", at: 3 });
    one.touch({ pile: "column:5", at: 0 });
    expect([sent, one.taken]).toEqual([[], { pile: "column:0", at: 3 }]);
    isBusy = false;
    one.touch({ pile: "column:6", at: 0 });
    expect([sent, one.taken, one.tried]).toEqual([
      [{ type: "move", from: "column:0", to: "column:6" }],
      null,
      { pile: "column:0", at: 3 },
    ]);
    expect([one.canLift({ pile: "column:0", at: 3 }), one.canLift({ pile: "column:0", at: 2 })]).toEqual([true, false]);
  });
});
