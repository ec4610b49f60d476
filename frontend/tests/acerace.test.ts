import { beforeAll, describe, expect, it } from "vitest";
import type { GameEvent, Move } from "../src/api/play";
import { biddingText, lastPlayText, playText } from "../src/games/ace-race/texts";
import type { View } from "../src/games/ace-race/choices";
import { i18n } from "../src/i18n/i18n.svelte";

const name = (seat: number) => ["You", "bea", "carl"][seat] ?? "";
const move = (type: string, more = {}): Move => ({ type, ...more });
const event = (type: string, seat: number, data: object, seen: object | null = null) =>
  ({ version: 9, type, seat, data, private: seen }) as unknown as GameEvent;

beforeAll(async () => {
  Object.defineProperty(globalThis, "document", { value: { documentElement: { lang: "" } }, configurable: true });
  await i18n.use("en");
  await i18n.need(["players", "table", "cards", "ace-race/board"]);
});

describe("a play on its button", () => {
  const up = move("play", { cards: ["3C", "4D", "5S"] });
  const down = move("play", { cards: ["5S", "4D", "3C"] });

  it("names its cards, the joker beneath", () => {
    expect(playText(up, [up])).toBe("Play three of clubs, four of diamonds, five of spades");
    const paired = move("play", { cards: ["9D"], joker: "X1" });
    expect(playText(paired, [paired])).toBe("Play joker, nine of diamonds");
  });

  it("says which card lies on top where the same cards go both ways", () =>
    expect([up, down].map((one) => playText(one, [up, down]))).toEqual([
      "Play, five of spades on top",
      "Play, three of clubs on top",
    ]));

  it("says what must follow where that is announced with it", () => {
    const [higher, lower] = ["higher", "lower"].map((direction) => move("play", { cards: ["9D"], direction }));
    expect(playText(higher as Move, [higher as Move, lower as Move])).toBe("Play, the next must be higher");
  });
});

describe("what was done last", () => {
  it("names the rule that an ace brings", () => {
    const played = move("play", { cards: ["AC"], rule: { name: "suits", suit: "H" } });
    expect(lastPlayText(event("play", 1, { move: played, facts: {} }), name, 0)).toBe(
      "bea played ace of clubs. New rule: cards of hearts.",
    );
  });

  it("names the joker of a pair, and the number of a bid", () => {
    const paired = move("play", { cards: ["9D"], joker: "X1" });
    expect(lastPlayText(event("play", 1, { move: paired, facts: {} }), name, 0)).toBe("bea played joker, nine of diamonds.");
    expect(lastPlayText(event("bid", 0, { move: move("bid", { cards: 2 }) }), name, 0)).toBe("You bid 2.");
  });

  it("names the cards of a gift to whom it was given alone", () => {
    const gifts = (card: string) => ({ move: move("give", { gifts: [{ card, to: 0 }, { card: "??", to: 2 }] }), facts: {} });
    const given = event("give", 1, gifts("??"), gifts("7H"));
    expect(lastPlayText(given, name, 0)).toBe("bea gave cards away. You received seven of hearts.");
    expect(lastPlayText(event("give", 1, gifts("??")), name, 2)).toBe("bea gave cards away.");
  });
});

describe("the bidding", () => {
  const bids = (...all: View["bids"]) => ({ bids: all }) as unknown as View;

  it("is the highest bid, also after others have passed", () => {
    expect(biddingText(bids(), name)).toBe("No bids yet.");
    expect(biddingText(bids({ seat: 2, pass: true }), name)).toBe("No bids yet.");
    expect(biddingText(bids({ seat: 1, cards: 1 }, { seat: 2, pass: true }), name)).toBe("The highest bid is 1 card: bea.");
  });
});
