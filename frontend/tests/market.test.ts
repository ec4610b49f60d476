import { describe, expect, it } from "vitest";
import type { Market, Runner, Settlement } from "../src/api/markets";
import { commonStakes, factor, fixedReturn, matching, poolReturn, result, standingReturn } from "../src/market/arithmetic";
import { share } from "../src/api/odds";

const runner = (name: string, staked: number | null, withdrawn = false): Runner => ({
  runner: name,
  price: null,
  decimal: null,
  price_hundredths: null,
  staked,
  withdrawn_at: withdrawn ? "2026-01-01T00:00:00Z" : null,
});

const settlement = (some: Partial<Settlement>): Settlement => ({
  number: 1,
  void: false,
  winners: ["H"],
  reason: "",
  at: "2026-01-01T00:00:00Z",
  done_at: null,
  gross: 100,
  paid: 90,
  takeout: 10,
  breakage: 0,
  reversed_at: null,
  ...some,
});

const market = (kind: "fixed" | "pool", runners: Runner[], settlements: Settlement[]): Market =>
  ({ kind, priced: kind === "fixed", runners, settlements }) as unknown as Market;

describe("fixed odds", () => {
  it("returns the stake times the price, the stake with it, rounded down", () => {
    expect(fixedReturn(100, "5/2")).toBe(350);
    expect(fixedReturn(1, "5/2")).toBe(3);
    expect(fixedReturn(100, "14/5")).toBe(380);
    expect(factor("5/2")).toBe("7/2");
    expect(factor("3/1")).toBe("4");
  });

  it("divides where runners tie", () => {
    expect(fixedReturn(100, "5/2", 2)).toBe(175);
  });
});

describe("common stakes", () => {
  const stakes = (minimum: number, maximum: number, stake_step = 1) => commonStakes({ minimum, maximum, stake_step });

  it("are the first few that the terms allow", () => {
    expect(stakes(1, 1_000_000)).toEqual([100, 200, 500, 1000]);
    expect(stakes(25_000, 1_000_000)).toEqual([50_000, 100_000, 200_000, 500_000]);
    expect(stakes(1, 300)).toEqual([100, 200]);
    expect(stakes(1, 100_000_000_000, 500)).toEqual([500, 1000, 2000, 5000]);
  });

  it("are none where only less than a unit can be staked", () => {
    expect(stakes(1, 99)).toEqual([]);
  });
});

describe("who can be backed", () => {
  it("is found by parts of the name", () => {
    const names = new Map([["entry 1", "Anna Lena"], ["entry 2", "Lenard"]]);
    const found = (search: string) =>
      matching([runner("entry 1", 0), runner("entry 2", 0)], search, (one) => names.get(one) ?? one).map((one) => one.runner);
    expect(found("")).toEqual(["entry 1", "entry 2"]);
    expect(found(" LEN ")).toEqual(["entry 1", "entry 2"]);
    expect(found("len ann")).toEqual(["entry 1"]);
    expect(found("zed")).toEqual([]);
  });
});

describe("a pool", () => {
  it("returns for a bet what another bet like it is offered beforehand", () => {
    const terms = { takeout: 500, step: 0 };
    const before = poolReturn([runner("H", 70), runner("S", 20)], "S", 10, terms);
    expect(standingReturn([runner("H", 70), runner("S", 30)], "S", 10, terms)).toBe(before);
    expect(standingReturn([runner("H", 0), runner("S", 30)], "S", 10, terms)).toBe(10);
  });

  it("is divided by stakes after the takeout, as the ledger does it", () => {
    const all = [runner("H", 70), runner("S", 20)];
    expect(poolReturn(all, "S", 10, { takeout: 1000, step: 0 })).toBe(30);
    expect(poolReturn(all, "H", 10, { takeout: 4000, step: 0 })).toBe(10);
  });

  it("refunds the stakes if no other runner is backed", () => {
    expect(poolReturn([runner("H", 70), runner("S", 0)], "H", 30, { takeout: 1000, step: 0 })).toBe(30);
    expect(poolReturn([runner("H", 70), runner("S", 50, true)], "H", 30, { takeout: 1000, step: 0 })).toBe(30);
  });

  it("rounds its dividend down where the terms say so", () => {
    expect(poolReturn([runner("H", 60), runner("S", 30)], "H", 10, { takeout: 1000, step: 10 })).toBe(12);
  });
});

describe("a settlement", () => {
  it("is explained step by step", () => {
    const runners = [runner("H", 70), runner("S", 30)];
    const found = result(market("pool", runners, [settlement({})]));
    const division = { gross: 100, refunded: 0, takeout: 10, breakage: 0, net: 90, backed: 70, dividend: 128 };
    expect(found).toEqual({ kind: "pool", winners: ["H"], division });
  });

  it("counts no stake on who withdrew", () => {
    const runners = [runner("H", 70), runner("S", 30), runner("D", 50, true)];
    const found = result(market("pool", runners, [settlement({ gross: 150, paid: 140 })]));
    expect(found).toMatchObject({ division: { refunded: 50, net: 90 } });
  });

  it("says that the stakes were refunded if the winner is not backed", () => {
    const runners = [runner("H", 0), runner("S", 60), runner("C", 40)];
    expect(result(market("pool", runners, [settlement({ paid: 100, takeout: 0 })]))).toEqual({ kind: "refunded" });
  });

  it("is none while it is under way or has been reversed", () => {
    const runners = [runner("H", 70), runner("S", 30)];
    expect(result(market("pool", runners, []))).toBeUndefined();
    expect(result(market("pool", runners, [settlement({ gross: null })]))).toBeUndefined();
    expect(result(market("pool", runners, [settlement({ reversed_at: "2026-01-01T00:00:00Z" })]))).toBeUndefined();
  });
});

describe("exact chances", () => {
  it("become numbers to be shown, however long the fraction", () => {
    expect(share("1/4")).toBe(0.25);
    expect(share("0/1")).toBe(0);
    expect(share(`${10n ** 40n}/${3n * 10n ** 40n}`)).toBeCloseTo(0.333333, 6);
  });
});
