import { beforeAll, describe, expect, it } from "vitest";
import type { Game } from "../src/api/play";
import { cardSigns } from "../src/cards/card";
import { i18n } from "../src/i18n/i18n.svelte";
import { seatName, seatNames } from "../src/table/seats";
import { eventText } from "../src/table/eventText";

type Seat = Game["seats"][number];
const person = (seat: number, name: string | null): Seat => ({ seat, name, player: `p${seat}`, kind: "human", bot: null, owner: null, suit: null });
const bot = (seat: number, name: string, bot: string): Seat => ({ seat, name, player: `b${seat}`, kind: "bot", bot, owner: null, suit: null });
const free = (seat: number): Seat => ({ seat, name: null, player: null, kind: null, bot: null, owner: null, suit: null });
const table = (seats: Seat[], own: number | null = null, tournament: Game["tournament"] = null) => ({
  seats,
  seat: own,
  tournament,
});
const names = (game: ReturnType<typeof table>) => game.seats.map(({ seat }) => seatName(game, seat));

beforeAll(async () => {
  Object.defineProperty(globalThis, "document", { value: { documentElement: { lang: "" } }, configurable: true });
  await i18n.use("en");
  await i18n.need(["players", "table", "cards"]);
});

describe("a seat", () => {
  it("is called by who sits there, and one's own is You", () =>
    expect(names(table([person(0, "ann"), person(1, "Bea the Brave"), free(2)], 0))).toEqual([
      "You",
      "Bea the Brave",
      "Seat 3",
    ]));

  it("keeps its number before who may read no names", () =>
    expect(names(table([person(0, null), person(1, null)]))).toEqual(["Seat 1", "Seat 2"]));

  it("of a bot says so, at an ordinary table and in a tournament", () => {
    expect(names(table([bot(0, "steady 0", "steady"), bot(1, "steady 1", "steady")]))).toEqual([
      "Bot 1 (steady)",
      "Bot 2 (steady)",
    ]);
    const place = { id: "t", round: 1, deal: 1 };
    expect(names(table([bot(0, "Bot 7", "steady"), bot(1, "steady 2", "steady")], null, place))).toEqual(["Bot 7", "steady 2 (bot)"]);
  });

  it("of a player's bot names its owner", () => {
    const owned = { ...bot(0, "Deep Ace", ""), bot: null, owner: { id: "p7", name: "ann" } };
    expect(names(table([owned]))).toEqual(["Deep Ace (bot of ann)"]);
  });

  it("differs from another seat with the same name, and from the reader's own", () =>
    expect(names(table([person(0, "Sam"), person(1, "Sam"), person(2, "You"), person(3, "eve")], 3))).toEqual([
      "Sam (seat 1)",
      "Sam (seat 2)",
      "You (seat 3)",
      "You",
    ]));

  it("is one of several in a sentence", () =>
    expect(seatNames(table([person(0, "ann"), person(1, "bea")], 0), [0, 1])).toBe("you and bea"));
});

describe("an event in words", () => {
  const event = (type: string, seat: number | null, data: object) =>
    ({ type, seat, data, version: 1 }) as unknown as Parameters<typeof eventText>[0];
  const name = (seat: number) => `<${seat}>`;

  it("says who did it, also where the event names the seat within", () => {
    expect(eventText(event("pass", 1, {}), name)).toBe("<1> passed");
    expect(eventText(event("seated", null, { seat: 2 }), name)).toBe("<2> sat down");
    expect(eventText(event("dealt", null, {}), name)).toBe("Cards dealt");
  });

  it("leaves out a player who is named beside it", () => {
    expect(eventText(event("pass", 1, {}), () => "")).toBe("passed");
  });

  it("writes cards in signs where words have no room", () => {
    const played = event("play", 1, { move: { cards: ["TH", "KC.1"], joker: "X1" } });
    expect(eventText(played, () => "")).toBe("played joker, ten of hearts, king of clubs");
    expect(eventText(played, () => "", cardSigns).replaceAll("\uFE0E", "")).toBe("played ★, 10♥, K♣");
  });
});
