import { beforeAll, describe, expect, it } from "vitest";
import { money } from "../src/i18n/format";
import { i18n } from "../src/i18n/i18n.svelte";
import { amountFault, pence, readings, typed } from "../src/kit/amount";

const LOCALES = ["en-GB", "en-US", "de-DE", "de-AT", "de-CH", "pl-PL"];
const AMOUNTS = [0, 1, 5, 10, 99, 100, 520, 1000, 99_999, 100_000, 123_456, 1_000_000, 12_345_678, 99_999_999_999];

describe("an amount that is typed", () => {
  it.each([
    ["5.20", 520],
    ["5,20", 520],
    ["5,2", 520],
    [" 12 ", 1200],
    ["0.05", 5],
    ["1000", 100_000],
    ["1.000,00", 100_000],
    ["1,000.00", 100_000],
    ["1.234.567,8", 123_456_780],
    ["10 000", 1_000_000],
    ["10\u00a0000,50", 1_000_050],
    ["1’000.50", 100_050],
    ["", undefined],
    ["  ", undefined],
  ])("%j is %j pence", (text, wanted) => {
    expect(pence(text)).toBe(wanted);
  });

  it.each([
    "1.000", "1,000", "12.345", "1.000.000", "1,00,000.00", "1.00,00", "1.0000,00", "1.000.00", "1 00", "0.000,50", "5.", ",5",
    "-1", "+1", "1e3", "5 €", "£5", "much", "1234567890", "9.999.999.999,00",
  ])("%j is refused", (text) => {
    expect(pence(text)).toBeNull();
  });

  it.each([
    ["1.000", [100_000, 100]],
    ["12,345", [1_234_500, 1234]],
    ["1.000,00", undefined],
    ["0.050", undefined],
    ["1.000.000", undefined],
  ])("%j could be %j", (text, wanted) => {
    expect(readings(text)).toEqual(wanted);
  });
});

describe("the fault of an amount", () => {
  beforeAll(async () => {
    Object.defineProperty(globalThis, "document", { value: { documentElement: { lang: "" } }, configurable: true });
    await i18n.use("en");
    await i18n.need(["amount"]);
  });

  it.each([
    ["20", false, ""],
    ["0", false, ""],
    ["", false, ""],
    ["20", true, ""],
    ["0", true, "Enter an amount, such as 20.00."],
    ["", true, "Enter an amount, such as 20.00."],
    ["much", false, "Enter an amount, such as 20.00."],
    ["1.000", false, "1.000 could mean 1000.00 or 1.00. Enter one of these."],
  ])("of %j, needed: %j, is %j", (text, isNeeded, fault) => {
    expect(amountFault(text, 2000, isNeeded)).toBe(fault);
  });
});

describe.each(LOCALES)("an amount in %s", (locale) => {
  it.each(AMOUNTS)("of %i pence is read as it is written in a field", (amount) => {
    expect(pence(typed(amount, locale))).toBe(amount);
  });

  it.each(AMOUNTS)("of %i pence is read as a page writes it", (amount) => {
    expect(pence(money(amount, "XTS", locale))).toBe(amount);
  });

  it("is read the same at every hundredth", () => {
    for (let amount = 100; amount < 200; amount++) expect(pence(typed(amount, locale))).toBe(amount);
  });
});
