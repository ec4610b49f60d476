import { fromAnswer } from "@racecard/client";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { changeText } from "../src/replay/changes";
import { i18n, loadTexts } from "../src/i18n/i18n.svelte";
import { problemText } from "../src/i18n/problemText";
import { groundOf, whoWasFirst } from "../src/table/ground";
import { groundText, reasonText, ruleText } from "../src/table/groundText";
import { withNames } from "../src/table/moveText";

beforeAll(() => {
  vi.stubGlobal("document", { documentElement: { dataset: {} }, cookie: "", querySelector: () => null });
  vi.stubGlobal("navigator", { languages: ["de-DE"] });
});

const textOf = (body: object, own?: string) => problemText(fromAnswer(409, body, "").document, own);
const name = (seat: number) => (seat === 0 ? "Anna" : "Bert");

const TRANSLATED = ["moves", "vegas-solitaire/rules", "vegas-solitaire/board"] as const;

describe("problem texts in English", () => {
  it("has no texts but a page's own, since it is said in English", async () => {
    await i18n.use("en");
    await i18n.need(["reasons"]);
    await loadTexts(() => Promise.resolve(), TRANSLATED);
    expect(textOf({ code: "session-open", detail: "A play session is open already." })).toBe("");
    expect(textOf({ code: "seats-taken" }, "why")).toBe("All seats are taken or reserved.");
  });
});

describe("what cannot be loaded", () => {
  it("is nothing to fail by", async () => {
    vi.useFakeTimers();
    const module = loadTexts(() => Promise.reject(new TypeError("Failed to fetch")));
    await vi.runAllTimersAsync();
    expect(await module).toBeNull();
    vi.useRealTimers();
  });
});

describe("problem texts in German", () => {
  beforeAll(async () => {
    await i18n.use("de");
    await i18n.need(["cards", "table", "dispute"]);
    await loadTexts(() => Promise.resolve(), TRANSLATED);
  });

  it("is found by its code", () => {
    expect(textOf({ code: "sign-in-refused", detail: "No account …" })).toMatch(/^Name oder/);
    expect(textOf({ code: "sign-in-refused", reason: "password" })).toBe("Das aktuelle Passwort stimmt nicht.");
  });

  it("formats money, times and counts for the reader", () => {
    const stake = { code: "stake-off-step", currency: "EUR", step: 520, minimum: 520, maximum: 52_000 };
    expect(textOf(stake)).toBe("Einsätze sind hier Vielfache von 5,20\u00a0€, von 5,20\u00a0€ bis 520,00\u00a0€.");
    expect(textOf({ code: "play-stopped", until: "2026-03-01T12:00:00.000000Z" })).toMatch(/^Du hast eine Auszeit bis .*2026/);
    expect(textOf({ code: "too-many-requests", retry_after: 90 })).toMatch(/2 Minuten/);
  });

  it("names a limit, and when it fits again where it ever does", () => {
    const reached = { code: "limit-reached", limit: "stake", period: "day", currency: "EUR", amount: 1000, remaining: 300 };
    expect(textOf({ ...reached, frees_at: null })).toBe(
      "Dein Limit für Einsätze in 24 Stunden ist 10,00\u00a0€; davon sind 3,00\u00a0€ übrig.",
    );
    expect(textOf({ ...reached, frees_at: "2026-03-01T12:00:00.000000Z" })).toMatch(/ passt es wieder\.$/);
  });

  it("says without a member what can be said without", () => {
    expect(textOf({ code: "insufficient-funds", account: "player/cash" })).toBe("Dein verfügbares Guthaben reicht nicht.");
    expect(textOf({ code: "play-stopped", until: null })).toBe("Du hast dich selbst gesperrt.");
  });

  it("gives each reason where there are several", () => {
    const reasons = [{ code: "password_too_short", min_length: 12 }, { code: "password_too_common" }];
    expect(textOf({ code: "password-refused", reasons })).toBe(
      "Das Passwort ist zu kurz: Es braucht mindestens 12 Zeichen. Dieses Passwort ist zu häufig.",
    );
  });

  it("names the fields that it knows, and else none", () => {
    expect(textOf({ code: "invalid-input", errors: { email: ["…"] } })).toMatch(/die E-Mail-Adresse\.$/);
    expect(textOf({ code: "invalid-input", errors: { odd: ["…"] } })).toMatch(/nicht die erwartete Form/);
    expect(textOf({ code: "invalid-input", errors: { username: ["…"] } })).toMatch(/: der Name\.$/);
    expect(textOf({ code: "invalid-input", field: "username" })).toMatch(/^Ein Name hat höchstens 40 Zeichen/);
  });

  it("lets a page's own words go before", () => {
    expect(textOf({ code: "not-your-game" }, "dispute.not")).toMatch(/^Anfechten können nur/);
    expect(textOf({ code: "game-over" }, "dispute.not")).toBe("Das Spiel ist zu Ende.");
  });

  it("is empty for a code that the catalogue does not have", () => {
    expect(textOf({ code: "brand-new", detail: "Something new." })).toBe("");
  });

  it("says on what ground a move is refused, with cards, piles and seats by their names", () => {
    expect(groundText({ key: "not-one-lower", values: { card: "9D", top: "QS" } }, name)).toBe(
      "Karo-Neun ist nicht um eins niedriger als Pik-Dame.",
    );
    expect(groundText({ key: "shows", values: { pile: "foundation:0", top: "AH.0", card: "4H.0" } }, name)).toBe(
      "Ablage 1: Oben liegt Herz-Ass; deine Karte ist Herz-Vier.",
    );
    expect(groundText({ key: "stock-left", values: { count: 1 } }, name)).toBe("Im Stapel liegt noch 1 Karte.");
    expect(groundText({ key: "turn-of", values: { seat: 1 } }, name)).toBe("Am Zug: Bert.");
    expect(groundText({ key: "brand-new", values: {} }, name)).toBe("");
  });

  it("explains a refusal by its code if the reason is secret", () => {
    const document = { code: "wrong-rank", ground: null };
    expect(reasonText(document, groundOf(document), name)).toBe("Diese Karte hat nicht den passenden Wert.");
  });

  it("says which rule that breaks", () => {
    expect(ruleText("vegas-solitaire", { ruling: "empty-column" })).toMatch(/leere Spalte/);
    expect(ruleText("vegas-solitaire", { ruling: "ended" })).toMatch(/zu Ende/);
    expect(ruleText("vegas-solitaire", { ruling: "brand-new" })).toBe("");
  });
});

describe("problem texts in Polish", () => {
  beforeAll(async () => {
    await i18n.use("pl");
    await loadTexts(() => Promise.resolve(), TRANSLATED);
  });

  it("have the plural of their count", () => {
    const left = (count: number) => groundText({ key: "stock-left", values: { count } }, name);
    expect([1, 3, 5, 22].map(left)).toEqual([
      "W talonie jest jeszcze 1 karta.",
      "W talonie są jeszcze 3 karty.",
      "W talonie jest jeszcze 5 kart.",
      "W talonie są jeszcze 22 karty.",
    ]);
    expect(textOf({ code: "too-many-requests", retry_after: 90 })).toBe("Za dużo żądań. Odczekaj 2 minuty i spróbuj ponownie.");
  });

  it("name cards in their basic form", () => {
    expect(groundText({ key: "not-one-lower", values: { card: "9D", top: "QS" } }, name)).toBe(
      "Dziewiątka karo nie jest o jeden niżej niż dama pik.",
    );
  });
});

describe("the loser of a race", () => {
  it("names who was first, and with which card", () => {
    const values = { pile: "foundation:0", top: "4H.2", seat: 2, other: "2H.2", card: "2H.1" };
    expect(whoWasFirst({ key: "shows-before", values })).toEqual({ seat: 2, card: "2H.2" });
    expect(whoWasFirst({ key: "shows", values })).toBeNull();
  });
});

describe("cards of the twelfth seat", () => {
  it("are named as those of the first", async () => {
    await i18n.use("en");
    await i18n.need(["cards"]);
    expect(withNames("7H.11 on 8S.0")).toBe(withNames("7H on 8S"));
    expect(withNames("7H")).not.toBe("7H");
  });
});

describe("what an event has changed", () => {
  const change = (path: string, before: unknown, after: unknown) => changeText({ path, before, after });
  beforeAll(async () => {
    await i18n.use("de");
    await i18n.need(["cards", "changes", "moves"]);
  });

  it("names a card by its place, counted from 1", () => {
    expect(change("table/columns/0/up", [], ["9D"])).toBe("Spalte 1, offen: bekommt Karo-Neun");
    expect(change("table/foundations/H", 0, 1)).toBe("Ablage Herz: 0 → 1");
    expect(change("table/rows/H", ["AH"], ["AH", "7H"])).toBe("Bahn Herz: bekommt Herz-Sieben");
    expect(change("table/rows/H", [], ["7H.11"])).toBe("Bahn Herz: bekommt Herz-Sieben");
  });

  it("tells cards that go, come, or lie in another order", () => {
    expect(change("table/waste", ["KC", "2D"], ["KC", "3S"])).toBe("Talon: verliert Karo-Zwei; bekommt Pik-Drei");
    expect(change("table/stock", ["KC", "2D"], ["2D", "KC"])).toBe(
      "Stapel: liegt in anderer Reihenfolge: Karo-Zwei, Kreuz-König",
    );
  });

  it("tells seats, yes and no, and what was not there before", () => {
    expect(change("table/to_act", null, 1)).toBe("Am Zug: nichts → Platz 2");
    expect(change("table/exhausted", false, true)).toBe("Stapel erschöpft: nein → ja");
    expect(change("table/bids/0", null, { seat: 1, cards: 1 })).toBe("Gebot 1: nichts → Platz 2, Karten 1");
    expect(change("table/rule", null, { name: "low" })).toBe("Regel: nichts → Name niedrig");
  });

  it("is said in English with the same numbers", async () => {
    await i18n.use("en");
    expect(change("table/columns/0/up", [], ["9D"])).toBe("Column 1, face up: gains nine of diamonds");
    expect(change("table/rows/H", ["AH"], ["AH", "7H"])).toBe("Row hearts: gains seven of hearts");
    expect(change("table/to_act", null, 1)).toBe("To move: nothing → seat 2");
  });

  it("is left in the server's words if a part has no name", () => {
    expect(change("table/brand_new", 0, 1)).toBe("");
  });
});
