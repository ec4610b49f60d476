import type { Manifest } from "../src/games/manifest";
import { TABLE_KEYS } from "../src/games/registry";
import { places, type Catalogue } from "../src/i18n/message";
import { describe, expect, it } from "vitest";
import { fits, playsOf } from "../src/games/ace-race/choices";
import { backsOf, foundations as demonFoundations, layout as demons, type View as DemonsView } from "../src/games/racing-demons/layout";
import { layout as idle, type View as IdleView } from "../src/games/idle-aces/layout";
import { FREE, arranged, columns, foundations, layout as vegas, type View as VegasView } from "../src/games/vegas-solitaire/layout";
import { nearest } from "../src/table/focus";

const VEGAS = {
  stock: 21,
  waste: ["5H", "QS"],
  waste_count: 3,
  foundations: { C: 0, D: 2, H: 0, S: 0 },
  columns: [
    { down: 2, up: ["KS", "QH", "JS"] },
    { down: 0, up: [] },
    { down: 1, up: [] },
  ],
} as unknown as VegasView;

describe("the legal moves of Vegas Solitaire on the table", () => {
  it("begin at the card that is the head of what moves, and end on a pile", () => {
    const move = { type: "move", from: "column:0", to: "column:2", count: 2 };
    expect(vegas(VEGAS, [move]).routes).toEqual([{ from: "column:0", at: 3, to: "column:2", move }]);
  });

  it("go up to the foundation of the card's own suit", () => {
    const up = { type: "move", from: "waste", to: "foundation" };
    expect(vegas(VEGAS, [up]).routes[0]).toMatchObject({ from: "waste", at: 1, to: "foundation:S" });
    const down = { type: "move", from: "foundation:D", to: "column:0" };
    expect(vegas(VEGAS, [down]).routes[0]).toMatchObject({ from: "foundation:D", at: 0 });
  });

  it("take an Ace to any free cell of the foundations, where it then stays", () => {
    const view = { ...VEGAS, waste: ["5H", "AS"] };
    const up = { type: "move", from: "waste", to: "foundation" };
    const free = ["foundation:new1", "foundation:new2", "foundation:new3"];
    expect(vegas(view, [up]).routes.map(({ to }) => to)).toEqual(free);
    const cells = arranged(arranged(FREE, view, -1), { ...view, foundations: { C: 0, D: 2, H: 0, S: 1 } }, 3);
    expect(cells).toEqual(["D", null, null, "S"]);
    expect(foundations({ ...view, foundations: { C: 1, D: 2, H: 0, S: 1 } }, arranged(cells, { ...view, foundations: { C: 1, D: 2, H: 0, S: 1 } }, -1)).map(({ id }) => id)).toEqual([
      "foundation:D", "foundation:C", "foundation:new2", "foundation:S",
    ]);
    expect(arranged(cells, view, -1)).toEqual(["D", null, null, null]);
  });

  it("are tried with several cards between columns only", () => {
    const { attempt } = vegas(VEGAS, []);
    expect(attempt?.("column:0", 3, "column:2")).toEqual({ type: "move", from: "column:0", to: "column:2", count: 2 });
    expect(attempt?.("column:0", 3, "foundation:new1")).toBeNull();
    expect(attempt?.("column:0", 4, "foundation:new1")).toEqual({ type: "move", from: "column:0", to: "foundation" });
  });

  it("press the stock to draw, and a column to turn its card up", () => {
    const legal = [{ type: "draw" }, { type: "flip", column: 2 }, { type: "collect" }];
    expect(vegas(VEGAS, legal).presses.map(({ pile }) => pile)).toEqual(["stock", "column:2"]);
  });

  it("show nothing of a card that lies face down", () => {
    expect(columns(VEGAS)[0]?.cards).toEqual(["??", "??", "KS", "QH", "JS"]);
  });
});

const IDLE = { stock: 3, waste: null, waste_count: 0, twos: [], kings: [], aces: [] } as unknown as IdleView;

describe("the other games' moves", () => {
  it("go from pile to pile in Idle Aces", () => {
    const move = { type: "play", from: "kings:2", to: "aces" };
    const targets = idle({ ...IDLE, aces: ["AS.a", "AS.b"] }, [move]).routes;
    expect(targets).toEqual(["aces:2", "aces:3"].map((to) => ({ from: "kings:2", at: 0, to, move })));
  });

  it("have four cells for aces in Idle Aces, each with one ace, and try any of them", () => {
    const { piles = [], attempt } = idle({ ...IDLE, aces: ["AS.a", "AS.b"] }, []);
    const cells = piles.filter(({ id }) => id.startsWith("aces:")).map(({ cards }) => cards);
    expect(cells).toEqual([["AS.a"], ["AS.b"], [], []]);
    expect(attempt?.("waste", 0, "aces:3")).toEqual({ type: "play", from: "waste", to: "aces" });
  });

  it("take runs of a work pile in Racing Demons, and nothing for who watches", () => {
    const area = { demon: 9, demon_top: "4C.0", work: [["9S.0", "8D.0"], [], [], []], waste: [], waste_count: 0 };
    const move = { type: "move", from: "work:0", to: "work:1", count: 2 };
    expect(demons({ you: area, foundations: [], scores: [0, 0] } as unknown as DemonsView, [move]).routes[0]).toMatchObject({ at: 0, to: "work:1" });
    expect(demons({ you: null } as unknown as DemonsView, [move]).routes).toEqual([]);
  });

  it("have a place for another foundation of Racing Demons while an ace is left", () => {
    const places = (begun: number) => {
      const foundations = Array.from({ length: begun }, () => ({ suit: "H", cards: ["AH.0"] }));
      return demonFoundations({ foundations, scores: [0, 0] } as unknown as DemonsView).map(({ id }) => id);
    };
    expect(places(7).at(-1)).toBe("foundation:new");
    expect(places(8)).toHaveLength(8);
    expect(places(8).at(-1)).toBe("foundation:7");
  });

  it("give each of twelve seats of Racing Demons a different back, for every viewer", () => {
    for (const own of [null, ...Array(12).keys()]) {
      const backs = backsOf(12, own, "stars");
      expect(new Set(backs).size).toBe(12);
      if (own !== null) expect(backs[own]).toBe("stars");
    }
  });

  it("find the plays of the cards that are chosen in Ace Race, in any order and with a joker", () => {
    const pair = { type: "play", cards: ["7H", "7S"] };
    const joker = { type: "play", cards: ["9D"], joker: "X1" };
    const ace = ["high", "low"].map((name) => ({ type: "play", cards: ["AD"], rule: { name } }));
    const legal = [pair, joker, ...ace];
    expect(playsOf(legal, ["7S", "7H"])).toEqual([pair]);
    expect(playsOf(legal, ["X1", "9D"])).toEqual([joker]);
    expect(playsOf(legal, ["AD"])).toEqual(ace);
    expect(playsOf(legal, ["7S"])).toEqual([]);
    expect([fits(legal, ["7S"], "7H"), fits(legal, ["7S"], "9D")]).toEqual([true, false]);
  });
});

describe("the arrow keys", () => {
  const row = [
    { x: 0, y: 0 },
    { x: 100, y: 4 },
    { x: 60, y: 150 },
  ];

  it("keep to the row, and find the next row", () => {
    expect(nearest({ x: 0, y: 0 }, row.slice(1), "right")).toBe(0);
    expect(nearest({ x: 0, y: 0 }, row.slice(1), "down")).toBe(1);
    expect(nearest({ x: 0, y: 0 }, row.slice(1), "left")).toBeNull();
  });
});

describe("the manifests", () => {
  const manifests = import.meta.glob<Manifest>("../src/games/*/manifest.ts", { import: "default", eager: true });
  const help = import.meta.glob<Catalogue>("../src/games/*/en/about.ts", { import: "default", eager: true });
  const all = Object.entries(manifests).map(([path, manifest]) => ({ slug: path.split("/").at(-2) ?? "", manifest }));

  it("give each game its own icon", () => {
    expect(new Set(all.map(({ manifest }) => manifest.icon)).size).toBe(all.length);
    for (const { manifest } of all) expect([...manifest.icon]).toHaveLength(1);
  });

  it.each(all)("give each key of $slug one meaning, which the help names", ({ slug, manifest: { keys = {} } }) => {
    const taken = [...Object.values(keys), ...Object.values(TABLE_KEYS)];
    expect(new Set(taken).size).toBe(taken.length);
    const text = help[`../src/games/${slug}/en/about.ts`]?.[`howto.${slug}.keys`] ?? "";
    expect(places(text)).toEqual(Object.keys(keys).sort());
  });
});
