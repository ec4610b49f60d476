import { describe, expect, it } from "vitest";
import en from "../src/i18n/en/lobby";
import de from "../src/i18n/de/lobby";
import pl from "../src/i18n/pl/lobby";
import { decimal, moment, money } from "../src/i18n/format";
import { languages, preferred } from "../src/i18n/i18n.svelte";
import { message, places, type Catalogue } from "../src/i18n/message";

const catalogues = import.meta.glob<Catalogue>(["../src/i18n/*/*.ts", "../src/games/*/[a-z][a-z]/*.ts", "!**/index.ts"], { import: "default", eager: true });
const of = (code: string) => Object.entries(catalogues).filter(([path]) => path.includes(`/${code}/`));
const pairs = languages.filter(({ code }) => code !== "en").flatMap(({ code }) =>
  of("en").map(([path, texts]) => ({
    code,
    part: path.replace(/.*\/(?=[\w-]+\/en\/)|\.ts$/g, ""),
    texts,
    translated: catalogues[path.replace("/en/", `/${code}/`)] ?? {},
  })),
);

describe("the catalogues", () => {
  it.each(pairs)("have the same messages of $part in $code", ({ texts, translated }) =>
    expect(Object.keys(translated).sort()).toEqual(Object.keys(texts).sort()),
  );

  it.each(languages)("name the account in the header no longer in $code than in English", ({ code }) => {
    const [text, english] = [code, "en"].map((one) => String(catalogues[`../src/i18n/${one}/core.ts`]?.["session.in"]).length);
    expect(text).toBeLessThanOrEqual(english ?? 0);
  });

  it("say nothing in two parts", () => {
    const keys = of("en").flatMap(([, texts]) => Object.keys(texts));
    expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([]);
  });

  it.each(pairs)("fill the same places in $part in $code, by a plural where English has one", ({ texts, translated }) => {
    for (const [key, text] of Object.entries(texts)) {
      expect(places(translated[key] ?? ""), key).toEqual(places(text));
      expect(typeof translated[key], key).toBe(typeof text);
    }
  });

  it.each(languages)("leave no message empty in $code, and have all forms of its plurals", ({ code }) => {
    const forms = new Intl.PluralRules(code).resolvedOptions().pluralCategories.sort();
    for (const [path, texts] of of(code)) {
      for (const [key, text] of Object.entries(texts)) {
        if (typeof text !== "string") expect(Object.keys(text).sort(), `${path} ${key}`).toEqual(forms);
        expect(Object.values(typeof text === "string" ? [text] : text).filter((form) => !form.trim()), `${path} ${key}`).toEqual([]);
      }
    }
  });
});

describe("a message", () => {
  it("fills its places, numbers in the reader's notation", () => {
    expect(message("{count} of {limit}", "de", { count: 12345, limit: "x" })).toBe("12.345 of x");
  });

  it("chooses the plural by its count", () => {
    expect(message(en["games.free"], "en", { count: 1 })).toBe("1 free seat");
    expect(message(en["games.free"], "en", { count: 0 })).toBe("0 free seats");
    expect(message(de["games.free"], "de", { count: 2 })).toBe("2 freie Plätze");
    const polish = [1, 2, 5, 12, 22, 1.5].map((count) => message(pl["games.free"], "pl", { count }));
    expect(polish).toEqual([
      "1 wolne",
      "2 wolne",
      "5 wolnych",
      "12 wolnych",
      "22 wolne",
      "1,5 wolnego",
    ]);
  });

  it("shows a placeholder without a value, rather than hiding it", () => {
    expect(message("Hello {name}", "en")).toBe("Hello {name}");
  });
});

describe("money", () => {
  it("is exact at any size", () => {
    expect(decimal(9007199254740991, 2)).toBe("90071992547409.91");
    expect(decimal(-5, 2)).toBe("-0.05");
    expect(decimal(1040, 0)).toBe("1040");
    expect(() => decimal(10.5, 2)).toThrow(RangeError);
  });

  it("follows currency and locale", () => {
    expect(money(520, "GBP", "en-GB")).toBe("£5.20");
    expect(money(123456, "EUR", "de-DE")).toBe("1.234,56\u00a0€");
    expect(money(520, "JPY", "en-GB")).toBe("JP¥520");
  });

  it("of play bears no sign", () => expect(money(104000, "XTS", "en-GB")).toBe("1,040.00"));
});

describe("a moment", () => {
  it("follows the reader's locale", () => {
    expect(moment("2026-11-21T18:05:00.123456Z", "en-GB", "UTC")).toBe("21 Nov 2026, 18:05");
    expect(moment("2026-11-21T18:05:00.123456Z", "de-DE", "UTC")).toBe("21.11.2026, 18:05");
  });

  it("that is none stays as it is", () => expect(moment("soon", "en")).toBe("soon"));
});

describe("the language", () => {
  it("is the first wanted one that there is a catalogue for", () => {
    expect(preferred(["fr-FR", "de-AT", "en"])).toBe("de");
    expect(preferred(["fr"])).toBe("en");
    expect(preferred([])).toBe("en");
  });
});
