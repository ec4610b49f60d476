import { beforeAll, describe, expect, it, vi } from "vitest";
import { i18n } from "../src/i18n/i18n.svelte";

vi.stubGlobal("localStorage", { getItem: () => null, setItem: () => undefined });
const { priceText } = await import("../src/market/price");
const { appearance } = await import("../src/table/appearance.svelte");

describe("a price", () => {
  beforeAll(async () => {
    Object.defineProperty(globalThis, "document", { value: { documentElement: { lang: "" } }, configurable: true });
    await i18n.use("en");
  });

  it("is decimal, with the stake and two digits", () => {
    expect(priceText({ price: "31/10", decimal: "4.10" })).toBe("4.10");
    expect(priceText({ price: "999/1", decimal: "1000.00" })).toBe("1,000.00");
    expect(priceText({ price: null, decimal: null })).toBe("");
  });

  it("is written as the language writes numbers", async () => {
    await i18n.use("de");
    expect(priceText({ price: "31/10", decimal: "4.10" })).toBe("4,10");
    await i18n.use("en");
  });

  it("is odds to one where fractions are wanted", () => {
    appearance.fractions = true;
    expect(priceText({ price: "31/10", decimal: "4.10" })).toBe("31/10");
    appearance.fractions = false;
  });
});
