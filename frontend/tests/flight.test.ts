import { describe, expect, it } from "vitest";
import { isDue, predict, predicted } from "../src/table/flight";
import { COMING, type Layout, type Pile } from "../src/table/routes";

const run = { type: "move", from: "column:0", to: "column:1", count: 2 };
const fromWaste = { type: "move", from: "waste", to: "column:1" };
const hidden = { type: "move", from: "column:2", to: "column:1" };
const draw = { type: "draw" };
const flip = { type: "flip", column: 2 };
const column: Pile = { id: "column:0", cards: ["??", "9S", "8H"] };
const target: Pile = { id: "column:1", cards: ["TD"] };
const covered: Pile = { id: "column:2", cards: ["??", "??"] };
const waste: Pile = { id: "waste", cards: ["9C"], beneath: 4 };
const stock: Pile = { id: "stock", cards: ["??"], beneath: 9 };
const LAYOUT: Layout = {
  routes: [
    { from: "column:0", at: 1, to: "column:1", move: run },
    { from: "waste", at: 0, to: "column:1", move: fromWaste },
    { from: "column:2", at: 1, to: "column:1", move: hidden },
  ],
  presses: [
    { pile: "stock", to: "waste", move: draw },
    { pile: "column:2", to: "column:2", move: flip },
  ],
  piles: [column, target, covered, waste, stock],
};

function flight(move: typeof run | typeof draw) {
  const found = predict(LAYOUT, move);
  if (!found) throw new Error("nothing is shown of it");
  return found;
}

describe("a move that is on its way", () => {
  it("shows its face-up cards at their new place at once", () => {
    expect(predicted(column, flight(run)).cards).toEqual(["??"]);
    expect(predicted(target, flight(run)).cards).toEqual(["TD", "9S", "8H"]);
    expect(predicted(covered, flight(run))).toBe(covered);
  });

  it("never shows a card that this seat has not seen", () => {
    expect(predict(LAYOUT, hidden)).toBeNull();
    expect(predicted(waste, flight(fromWaste))).toMatchObject({ cards: [COMING], beneath: 3 });
    expect(predicted(waste, flight(draw))).toMatchObject({ cards: [COMING], beneath: 5 });
    expect(predicted(covered, flight(flip)).cards).toEqual(["??", COMING]);
  });

  it("shows what comes to light where that is known", () => {
    const known = { ...waste, under: "4D" };
    expect(predicted(known, flight(fromWaste))).toMatchObject({ cards: ["4D"], beneath: 3 });
  });

  it("is over as soon as the table is another, so that no card is drawn twice", () => {
    const moved = [{ ...column, cards: ["??"] }, { ...target, cards: ["TD", "9S", "8H"] }];
    expect(isDue(flight(run), LAYOUT)).toBe(true);
    expect(isDue(flight(run), { ...LAYOUT, piles: moved })).toBe(false);
    expect(isDue(flight(draw), LAYOUT)).toBe(true);
    expect(isDue(flight(draw), { ...LAYOUT, piles: [{ ...stock, beneath: 8 }] })).toBe(false);
  });
});
