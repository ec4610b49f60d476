import { beforeAll, describe, expect, it } from "vitest";
import type { Game } from "../src/api/play";
import { i18n } from "../src/i18n/i18n.svelte";
import { alike, moveSaid } from "../src/replay/moves";

const game = { seat: null, tournament: null, seats: [{ seat: 0, name: "anna" }, { seat: 1, name: "bert" }] } as unknown as Game;

beforeAll(() => i18n.need(["replay", "table", "cards", "players", "acerace"]));

describe("a move in words, without its table", () => {
  it.each([
    [{ type: "draw" }, "draw"],
    [{ type: "flip", column: 2 }, "turn a card up (column 3)"],
    [{ type: "move", from: "waste", to: "column:0" }, "the play deck to column 1"],
    [{ type: "move", from: "column:1", to: "column:4", count: 3 }, "column 2 to column 5, 3 cards"],
    [{ type: "play", from: "stock", to: "twos:1" }, "the stock to pile 2 of the twos"],
    [{ type: "bid", cards: 1 }, "bid 1 card"],
    [{ type: "play", cards: ["7H", "8H"], joker: "X1" }, "play seven of hearts, eight of hearts and joker"],
    [{ type: "play", cards: ["AS"], rule: { name: "suits", suit: "H" } }, "play ace of spades (cards of hearts)"],
    [{ type: "rule", rule: { name: "low" } }, "name the rule (low cards: two to five)"],
    [{ type: "play", cards: ["9C"], direction: "lower" }, "play nine of clubs, the next lower"],
    [{ type: "give", gifts: [{ card: "2D", to: 1 }] }, "give away: two of diamonds to bert"],
    [{ type: "decline" }, "give nothing away"],
    [{ type: "fly" }, "fly"],
  ])("says %j", (move, said) => {
    expect(moveSaid(move, game)).toBe(said);
  });

  it("knows one move in whatever order its parts stand", () => {
    expect(alike({ type: "rule", rule: { name: "suits", suit: "H" } }, { rule: { suit: "H", name: "suits" }, type: "rule" })).toBe(true);
    expect(alike({ type: "draw" }, { type: "draw", count: 1 })).toBe(false);
    expect(alike({ cards: ["7H", "8H"] }, { cards: ["8H", "7H"] })).toBe(false);
  });
});
