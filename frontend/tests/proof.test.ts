import { describe, expect, it } from "vitest";
import { check, type Check, type Report } from "../src/proof/check";
import { canonical, Inexact, NotCanonical, read, Unreadable } from "../src/proof/json";
import { PACK } from "../src/proof/packs";
import { hex, hmac, keyMessage, sha256, shuffle } from "../src/proof/crypto";

const golden = import.meta.glob<string>("../../tests/golden/*.json", { query: "?raw", import: "default", eager: true });
const tampered = import.meta.glob<string>("../../tests/golden/tampered/*.json", {
  query: "?raw",
  import: "default",
  eager: true,
});
const subtle = crypto.subtle;

interface Expected {
  bundles: Record<string, { check: string; version: number | null; kept: boolean }>;
}
const expected = JSON.parse(tampered["../../tests/golden/tampered/expected.json"] ?? "") as Expected;
/** Faults that need the rules, the ledger or a checkpoint are found by the server and the verifier only. */
const HERE: readonly string[] = ["format", "chain", "order", "commitment", "tournament-seed", "client-seeds", "deal", "seals"];

const verdicts = (report: Report) => Object.fromEntries(report.steps.map(({ check, verdict }) => [check, verdict]));
const step = (report: Report, name: Check) => report.steps.find(({ check }) => check === name);
const sample = (name: string): string => golden[`../../tests/golden/${name}.json`] ?? "";

describe("the check values of the rulebook", () => {
  const seed = Uint8Array.from({ length: 32 }, (_, byte) => byte);

  it("gives commitment, key and shuffle", async () => {
    expect(await sha256(subtle, seed)).toBe("630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd");
    const digest = await (await hmac(subtle, seed))(keyMessage(["ann", ""]));
    expect(hex(digest)).toBe("bae1e47537840f8db325be40beb6bc8e2969a574b5cdf09fd902bf23935a2567");
    const shuffled = await shuffle(await hmac(subtle, digest), PACK, "deck");
    expect(shuffled.slice(0, 8).join(" ")).toBe("QH AS 6S 5C QD 2S AC 6D");
    expect(shuffled.slice(-4).join(" ")).toBe("TC 7S 3D 8H");
  });

  it("joins the client seeds as UTF-8, and none for a free seat", async () => {
    const key = await hmac(subtle, seed);
    expect(hex(await key(keyMessage([])))).toBe("560e4bc2227a3af87b40a3eee85f68814edd63cc8d26dda7afa3ff83b7c96b62");
    expect(hex(await key(keyMessage(["é牌", ""])))).toBe(
      "6dd2d0e0b2bb1487e4cefff30179eddea7085b536691dce8ca1a847435bbaaeb",
    );
  });
});

describe("every honest game", () => {
  it.each(Object.keys(golden))("%s passes", async (path) => {
    const report = await check(golden[path] ?? "", subtle);
    expect(report.failed).toBe(false);
    const undealt = path.includes("void-before-the-deal");
    for (const [name, verdict] of Object.entries(verdicts(report))) {
      const isRun = name !== "rules" && !(undealt && ["key", "deal", "seals"].includes(name));
      expect([name, verdict]).toEqual([name, isRun ? "passed" : "not-run"]);
    }
  });
});

describe("every forged game", () => {
  it.each(Object.entries(expected.bundles))("%s", async (name, { check: wanted, version }) => {
    const report = await check(tampered[`../../tests/golden/tampered/${name}.json`] ?? "", subtle);
    const failed = report.steps.find(({ verdict }) => verdict === "failed");
    if (HERE.includes(wanted)) {
      expect(failed).toMatchObject({ check: wanted, version });
      expect(report.version).toBe(version);
      const events = wanted === "format" ? [] : (JSON.parse(tampered[`../../tests/golden/tampered/${name}.json`] ?? "") as { events: { at: string }[] }).events;
      expect(report.at).toBe((version !== null && events[version - 1]?.at) || null);
    } else {
      // Found by the rules, the money or a checkpoint: not here, and said to be not run.
      expect(failed).toBeUndefined();
      expect(step(report, "rules")?.verdict).toBe("not-run");
    }
  });
});

describe("what was not run", () => {
  it("is never passed where the browser gives no cryptography", async () => {
    const report = await check(sample("vegas-draw-3-complete"), undefined);
    expect(report.failed).toBe(false);
    const { format, order, ...rest } = verdicts(report);
    expect([format, order]).toEqual(["passed", "passed"]);
    expect(new Set(Object.values(rest))).toEqual(new Set(["not-run"]));
    expect(step(report, "deal")?.why?.code).toBe("insecure");
  });

  it("stands behind what is wrong", async () => {
    const report = await check(tampered["../../tests/golden/tampered/another-server-seed.json"] ?? "", subtle);
    expect(step(report, "deal")).toMatchObject({ verdict: "not-run", why: { code: "before" } });
  });

  it("is the seed's part while the seed is secret", async () => {
    const bundle = JSON.parse(sample("ace-race-two-won-by-a-gift")) as { game: object; events: object[]; outcome: unknown };
    const on = { ...bundle, game: { ...bundle.game, server_seed: null }, events: bundle.events.slice(0, 9), outcome: null };
    const report = await check(JSON.stringify(on), subtle);
    expect(report.failed).toBe(false);
    expect(step(report, "chain")?.verdict).toBe("passed");
    expect(step(report, "deal")).toMatchObject({ verdict: "not-run", why: { code: "secret" } });
  });
});

describe("what is no bundle", () => {
  it.each(["", "{", "null", "[]", "{}", '{"format":1,"format":1}', "[".repeat(100_000)])("is refused: %.20s", async (text) => {
    const report = await check(text, subtle);
    expect(step(report, "format")?.verdict).toBe("failed");
    expect(report.steps.filter(({ verdict }) => verdict === "passed")).toEqual([]);
  });

  it("finds a number that only looks the same", async () => {
    const text = sample("vegas-draw-3-complete").replace(/"version":\s*1,/, '"version": 1.0,');
    expect((await check(text, subtle)).failed).toBe(true);
  });
});

describe("canonical JSON", () => {
  it("sorts keys, keeps text as it is and escapes as RFC 8785 does", () => {
    expect(canonical(read('{"b": [1, -0, true], "a": "\u00e9\\u0007\\n/\u2028"}'))).toBe(
      '{"a":"é\\u0007\\n/\u2028","b":[1,0,true]}',
    );
  });

  it.each(["1.0", "1e3", "9007199254740992", "0.5"])("has no form for %s", (text) => {
    expect(read(text)).toBeInstanceOf(Inexact);
    expect(() => canonical(read(text))).toThrow(NotCanonical);
  });

  it.each(['{"é":1}', '"\\ud800"'])("has no form for %s", (text) => {
    expect(() => canonical(read(text))).toThrow(NotCanonical);
  });

  it.each(["01", "+1", "NaN", '"a\tb"', "[1,]", "{,}", "1 2", "nul", '{"a" 1}', '"\\x"'])("does not read %s", (text) => {
    expect(() => read(text)).toThrow(Unreadable);
  });

  it("takes a key of any name as a mere key", () => {
    expect(canonical(read('{"__proto__": {"a": 1}}'))).toBe('{"__proto__":{"a":1}}');
  });
});
