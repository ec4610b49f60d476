import { describe, expect, it } from "vitest";
import { choiceLabel, defaults, filled, firstStake, optionLabel, optionsOf, seatsWith, spans, stakeFault, stepped } from "../src/new-game/options";
import { address, asked } from "../src/address";

const SCHEMA = {
  properties: {
    draw: { enum: [1, 3], examples: [3] },
    pace: { enum: ["race", "turns"] },
    stake: { type: "integer", default: 520 },
    win_rate: { type: "string", default: "1/13" },
    dealer: { type: "integer", default: 0 },
    previous_winner: { anyOf: [{ type: "integer" }, { type: "null" }] },
    time_limit: { type: "integer", default: 1800 },
  },
};

describe("the options of a game", () => {
  it("are asked for with their defaults or suggestions, money and seats apart", () => {
    const options = optionsOf(SCHEMA);
    expect(options.usual.map(([key]) => key)).toEqual(["draw", "pace", "time_limit"]);
    expect(options.seats).toEqual(["dealer", "previous_winner"]);
    expect(defaults(options)).toEqual({ draw: 3, time_limit: 1800, dealer: 0, previous_winner: null });
  });

  it("of time offer usual spans within their bounds, and the present one", () => {
    expect(spans({ minimum: 10, maximum: 1800 }, 45)).toEqual([45, 60, 120, 300, 600, 900, 1800]);
    expect(spans({ minimum: 3600 }, null)).toEqual([3600, 7200]);
  });

  it("that are left empty are chosen by the server", () => {
    expect(filled({ time_limit: null, dealer: 0, draw: "" })).toEqual({ dealer: 0 });
  });

  it("of a game without texts are named by their keys, and explained by its rules", () => {
    const { usual, required } = optionsOf(
      { properties: { hand_size: { enum: [3, 5] }, jokers: { type: "boolean", description: "two" } }, required: ["hand_size"] },
      [{ key: "hand_size", text: "So many cards are dealt." }],
    );
    expect(required).toEqual(["hand_size"]);
    expect(usual.map(([, option]) => option.description)).toEqual(["So many cards are dealt.", "two"]);
    expect([
      optionLabel("sixth-game", "hand_size"),
      optionLabel("sixth-game", "hand_size", { title: "Cards in a hand" }),
      choiceLabel("sixth-game", "pace", "by_turns"),
      choiceLabel("sixth-game", "pace", "turns", { "x-labels": { turns: "One after another" } }),
    ]).toEqual(["Hand size", "Cards in a hand", "By turns", "One after another"]);
  });

  it("of a game without any are none", () => {
    expect(optionsOf(undefined)).toEqual({ usual: [], seats: [], required: [] });
  });
});

describe("the possible opponents", () => {
  const shown = (counts: number[], bots: string[]) => Object.fromEntries(seatsWith(counts, bots));

  it("are none at a solitaire, and bots first where there are any", () => {
    expect(shown([1], ["steady"])).toEqual({ alone: [1] });
    expect([...seatsWith([2, 4], ["steady"]).keys()]).toEqual(["bots", "anyone", "friends"]);
    expect(shown([0, 1, 2, 3], [])).toEqual({ alone: [0, 1], anyone: [2, 3], friends: [2, 3] });
  });
});

describe("a stake", () => {
  const table = { minimum: 104, maximum: 312, step: 104, default: 208 };

  it("begins with what the table proposes and keeps within its bounds", () => {
    expect(stepped(0, 1, table, 0)).toBe(208);
    expect(stepped(208, 1, table, 0)).toBe(312);
    expect(stepped(312, 1, table, 0)).toBe(312);
    expect(stepped(208, -1, table, 0)).toBe(104);
    expect(stepped(104, -1, table, 0)).toBe(0);
    expect(stepped(0, -1, table, 0)).toBe(0);
    expect(stepped(104, -1, table, 104)).toBe(104);
  });

  it("is the default at first, if there is enough for it", () => {
    expect([null, 208, 207].map((funds) => firstStake(table, funds))).toEqual([208, 208, 0]);
  });

  it("that is typed must be an amount that the table takes, or 0 for points", () => {
    const typed = [0, 104, 312, null, 103, 313, 150];
    expect(typed.map((amount) => stakeFault(amount, table))).toEqual([null, null, null, "None", "Least", "Most", "Step"]);
  });
});

describe("filters in the address", () => {
  it("are read by name, and what is not there is empty", () => {
    expect(asked(["rules", "free"], "?rules=ace-race&other=1")).toEqual({ rules: "ace-race", free: "" });
  });

  it("are written without what is empty", () => {
    expect(address({ rules: "ace-race", free: "", days: "7" })).toBe("?rules=ace-race&days=7");
    expect(address({ rules: "" })).toBe("");
  });
});
