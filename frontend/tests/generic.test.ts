import { beforeAll, describe, expect, it } from "vitest";
import { readableMove, shown } from "../src/games/generic/labels";
import { i18n } from "../src/i18n/i18n.svelte";
import { readable } from "../src/i18n/format";

const name = (seat: number) => ["You", "Bea"][seat] ?? "";
const of = (seat: number | null) => (seat === null ? "" : `${name(seat)}, `);
const fact = (view: object) =>
  shown(view as Record<string, unknown>, 2, name).facts.map(({ seat, label, text }) => `${of(seat)}${label}: ${text}`);
const piles = (view: object) =>
  shown(view as Record<string, unknown>, 2, name).piles.map(({ seat, label, cards }) => `${of(seat)}${label}: ${cards.join(" ")}`);

beforeAll(async () => {
  Object.defineProperty(globalThis, "document", { value: { documentElement: { lang: "" } }, configurable: true });
  await i18n.use("en");
  await i18n.need(["cards", "table", "generic/board"]);
});

describe("a key", () => {
  it.each([
    ["stock_count", "Stock count"],
    ["handSize", "Hand size"],
    ["by-turns", "By turns"],
    ["hand:0", "Hand 0"],
    ["", ""],
  ])("%j is read as %j", (key, text) => expect(readable(key)).toBe(text));
});

describe("the view of an unknown game", () => {
  it("has its lists of cards as piles, hidden cards face down, tens in either form", () =>
    expect(piles({ waste: ["AS", "10H", "TD.1", "X1"], top: "??", face_down: ["?", "?"] })).toEqual([
      "Waste: AS TH TD.1 X1",
      "Top: ??",
      "Face down: ?? ??",
    ]));

  it("has the hands of the seats, and other piles by number", () =>
    expect(piles({ hands: [["7H"], ["??", "??"]], columns: [["2C"], ["3C"], ["4C"]], rows: { H: ["5H"] } })).toEqual([
      "You, Hand: 7H",
      "Bea, Hand: ?? ??",
      "Columns 1: 2C",
      "Columns 2: 3C",
      "Columns 3: 4C",
      "Rows, hearts: 5H",
    ]));

  it("has an empty place for an empty pile, and the members of a seat with it", () => {
    expect(piles({ hands: [["7H"], []], trick: [] })).toEqual(["You, Hand: 7H", "Bea, Hand: ", "Trick: "]);
    expect(fact({ seats: [{ tricks_won: 1 }, { tricks_won: 2 }] })).toEqual(["You, Tricks won: 1", "Bea, Tricks won: 2"]);
  });

  it("has everything else as facts, seats by name", () =>
    expect(
      fact({ stock: 3, phase: "last_round", turn: 1, scores: [4, 0], winners: [0, 1], is_open: false, dealer: null, marks: [], by: { seat: 0 } }),
    ).toEqual([
      "Stock: 3",
      "Phase: last round",
      "Turn: Bea",
      "You, Score: 4",
      "Bea, Score: 0",
      "Winners: You and Bea",
      "Is open: no",
      "Marks: none",
      "By, Seat: You",
    ]));

  it("names no seat where a list may be of something else", () =>
    expect(fact({ bids: [2, 3], laps: [1, 2, 3] })).toEqual(["Bids: 2 and 3", "Laps: 1, 2, and 3"]));

  it("keeps hashes among the technical details", () => {
    const { facts, technical } = shown({ commitment: "ab".repeat(32), note: "A long sentence of the rules, with spaces." }, 2, name);
    expect(technical.map(({ label }) => label)).toEqual(["Commitment"]);
    expect(facts.map(({ text }) => text)).toEqual(["A long sentence of the rules, with spaces."]);
  });
});

describe("a move of an unknown game", () => {
  it.each([
    [{ type: "pass" }, "Pass"],
    [{ type: "call_bluff" }, "Call bluff"],
    [{ type: "play", card: "7H" }, "Play seven of hearts"],
    [{ type: "play", cards: ["7H", "10S"], suit: "D" }, "Play: seven of hearts and ten of spades, suit diamonds"],
    [{ type: "bid", amount: 3, to: 1, blind: true }, "Bid: amount 3, to Bea, blind yes"],
    [{ type: "draw", count: 2, note: null }, "Draw: count 2"],
    [{ type: "offer", gift: { card: "2D", to: 0 } }, "Offer: gift two of diamonds, to You"],
  ])("%j is %j", (move, text) => expect(readableMove(move, name)).toBe(text));
});
