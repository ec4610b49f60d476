import { beforeAll, describe, expect, it } from "vitest";
import type { Game } from "../src/api/play";
import { loadDetails } from "../src/games/registry";
import { i18n } from "../src/i18n/i18n.svelte";
import { alike, moveSaid } from "../src/replay/moves";

const seats = [{ seat: 0, name: "anna" }, { seat: 1, name: "bert" }];
const game = (rules: string) => ({ rules, seat: null, tournament: null, seats }) as unknown as Game;
const GAMES = ["ace-race", "idle-aces", "vegas-solitaire"];

beforeAll(async () => {
  await i18n.need(["replay", "table", "cards", "players"]);
  for (const rules of GAMES) await loadDetails(rules);
});

describe("a move in words, without its table", () => {
  it.each([
    ["vegas-solitaire", { type: "draw" }, "draw"],
    ["vegas-solitaire", { type: "flip", column: 2 }, "turn a card up (column 3)"],
    ["vegas-solitaire", { type: "move", from: "waste", to: "column:0" }, "the play deck to column 1"],
    ["vegas-solitaire", { type: "move", from: "column:1", to: "column:4", count: 3 }, "column 2 to column 5, 3 cards"],
    ["idle-aces", { type: "play", from: "stock", to: "twos:1" }, "the stock to pile 2 of the twos"],
    ["ace-race", { type: "bid", cards: 1 }, "bid 1 card"],
    ["ace-race", { type: "play", cards: ["7H", "8H"], joker: "X1" }, "play seven of hearts, eight of hearts and joker"],
    ["ace-race", { type: "play", cards: ["AS"], rule: { name: "suits", suit: "H" } }, "play ace of spades (cards of hearts)"],
    ["ace-race", { type: "rule", rule: { name: "low" } }, "name the rule (low cards: two to five)"],
    ["ace-race", { type: "play", cards: ["9C"], direction: "lower" }, "play nine of clubs, the next lower"],
    ["ace-race", { type: "give", gifts: [{ card: "2D", to: 1 }] }, "give away: two of diamonds to bert"],
    ["ace-race", { type: "decline" }, "give nothing away"],
    ["sixth-game", { type: "fly" }, "Fly"],
    ["sixth-game", { type: "swap", cards: ["7H"], with: 3, to: 1 }, "Swap: seven of hearts, with 3, to bert"],
  ])("of %s says %j", (rules, move, said) => {
    expect(moveSaid(move, game(rules))).toBe(said);
  });

  it("knows one move in whatever order its parts stand", () => {
    expect(alike({ type: "rule", rule: { name: "suits", suit: "H" } }, { rule: { suit: "H", name: "suits" }, type: "rule" })).toBe(true);
    expect(alike({ type: "draw" }, { type: "draw", count: 1 })).toBe(false);
    expect(alike({ cards: ["7H", "8H"] }, { cards: ["8H", "7H"] })).toBe(false);
  });
});
