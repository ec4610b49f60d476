import { beforeAll, describe, expect, it } from "vitest";
import type { Game, GameEvent } from "../src/api/play";
import { i18n } from "../src/i18n/i18n.svelte";
import { lineText, newestFirst } from "../src/table/story";
import { Table } from "../src/table/table.svelte";

const event = (version: number, type = "draw", data: object = {}, seat: number | null = 0) =>
  ({ version, type, seat, data }) as unknown as GameEvent;
const versions = (events: readonly GameEvent[]) => newestFirst(events).map(({ version }) => version);
const name = (seat: number) => ["You", "Bea"][seat] ?? "";

beforeAll(async () => {
  Object.defineProperty(globalThis, "document", { value: { documentElement: { lang: "" } }, configurable: true });
  await i18n.use("en");
  await i18n.need(["table", "table-parts", "cards", "players", "vegas-solitaire/board", "vegas-solitaire/about"]);
});

describe("the events of a log", () => {
  it("are the newest first, each once", () => expect(versions([event(3), event(4), event(2), event(4)])).toEqual([4, 3, 2]));

  it("reach back only as far as none is missing", () => expect(versions([event(2), event(3), event(5), event(6)])).toEqual([6, 5]));

  it("are none where none is known", () => expect(versions([])).toEqual([]));
});

it.each([
  ["active", 0, true],
  ["active", null, false],
  ["open", 0, false],
  ["finished", 0, false],
] as const)("the table recalls the events of a game that is %s to seat %s: %s", (status, seat, recalls) => {
  const table = new Table("", "", () => undefined);
  table.take({ status, seat, version: 1 } as Game);
  expect(table.recalls).toBe(recalls);
});

describe("a line of a log", () => {
  it.each([
    [event(5, "draw", { move: { type: "draw" }, facts: { cards: ["7H"] } }), "You drew seven of hearts"],
    [event(5, "move", { move: { from: "waste", to: "column:2" }, facts: { card: "5S" } }, 1), "Bea moved five of spades → column 3"],
    [event(5, "draw", { move: { type: "draw" }, facts: { cards: ["??"] } }, 1), "Bea drew"],
    [event(6, "collect", { move: { type: "collect" } }), "You ended the game and collected"],
    [event(5, "swap", { move: { with: 3, to: 1 } }, 1), "Bea swap"],
    [event(1, "created", { rules: "vegas-solitaire" }, null), "Table opened"],
    [event(2, "left", { seat: 1 }, null), "Bea stood up"],
    [event(3, "market_opened", {}, null), "Market opened"],
    [event(4, "draw", { move: { type: "draw" }, facts: { card: "7H" } }, null), "Drew seven of hearts"],
    [event(9, "finished", { outcome: {} }, null), "Game over"],
  ])("of %j", (given, text) => expect(lineText(given, name)).toBe(text));
});
