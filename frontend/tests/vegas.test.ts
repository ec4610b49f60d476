import { beforeAll, describe, expect, it } from "vitest";
import type { GameEvent, Move } from "../src/api/play";
import { hasArrow, isOnlyCollecting, passesText, undoText } from "../src/games/vegas-solitaire/indicators";
import type { View } from "../src/games/vegas-solitaire/layout";
import { i18n } from "../src/i18n/i18n.svelte";

beforeAll(async () => {
  Object.defineProperty(globalThis, "document", { value: { documentElement: { lang: "" } }, configurable: true });
  await i18n.use("en");
  await i18n.need(["table", "table-parts", "moves", "cards", "vegas-solitaire/board"]);
});

const view = (members: Partial<View>) => members as View;
const event = (type: string, data: object = {}) => ({ type, data }) as unknown as GameEvent;
const move = (from: string, to: string) => event("move", { move: { type: "move", from, to }, facts: { cards: ["7H"] } });

describe("what undo would take back", () => {
  it.each([
    [event("draw", { facts: { cards: ["7H", "8H", "9H"] } }), "Takes back the draw of 3 cards."],
    [move("waste", "column:2"), "Takes back: seven of hearts, the play deck to column 3."],
    [move("column:0", "foundation:H"), "Takes back: seven of hearts, column 1 to foundation of hearts."],
    [move("foundation:H", "column:0"), "Takes back: seven of hearts, foundation of hearts to column 1."],
  ])("after %j", (last, text) => expect(undoText(view({ undoable: true }), last)).toBe(text));
});

describe("why nothing can be undone", () => {
  it.each([
    [event("dealt"), "No move to undo."],
    [event("undo"), "You have just undone a move. Play another move first."],
    [event("flip"), "Turning up a card cannot be undone."],
    [event("recycle"), "Turning the play deck over cannot be undone."],
    [move("column:0", "column:1"), "A move between columns cannot be undone."],
    [event("draw", { facts: { auto: ["7H"] } }), "All cards are up. You can only collect."],
  ])("after %j", (last, text) => expect(undoText(view({ undoable: false }), last)).toBe(text));
});

it.each([
  [{ passes_left: 3, exhausted: false }, false, "2 passes left"],
  [{ passes_left: 2, exhausted: false }, false, "1 pass left"],
  [{ passes_left: 1, exhausted: false }, false, "Last pass"],
  [{ passes_left: 1, exhausted: true }, false, "No passes left"],
  [{ passes_left: 3, exhausted: false }, true, "No passes left"],
])("passes of %j, over: %s", (shown, isOver, text) => expect(passesText(view(shown), isOver)).toBe(text));

const DRAW: Move = { type: "draw" };
const COLLECT: Move = { type: "collect" };
const UNDO: Move = { type: "undo" };

it.each([
  [[DRAW, COLLECT], false],
  [[COLLECT, UNDO], true],
  [[COLLECT], true],
  [[], false],
] as const)("with %j collecting is the next action: %s", (legal, isNext) => expect(isOnlyCollecting(legal)).toBe(isNext));

it.each([
  ["waste", true],
  ["column:1", false],
])("a move from %s has an arrow: %s", (from, has) => expect(hasArrow([DRAW, { type: "move", from, to: "column:2" } as Move])).toBe(has));
