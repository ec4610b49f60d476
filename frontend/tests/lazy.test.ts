import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { lazy } from "../src/lazy";

const sources = import.meta.glob<string>("../src/**/*.{ts,svelte}", { query: "?raw", import: "default", eager: true });
const LOST = new TypeError("Failed to fetch dynamically imported module");

/** Fails as often as this and then answers. */
const after = (failures: number) => vi.fn(() => (failures-- > 0 ? Promise.reject(LOST) : Promise.resolve("module")));

describe("a part of the client", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("is imported once where that succeeds, without a pause", async () => {
    const load = after(0);
    expect(await lazy(load)).toBe("module");
    expect(load).toHaveBeenCalledTimes(1);
  });

  it("is imported again after a failure", async () => {
    const loaded = lazy(after(2));
    await vi.runAllTimersAsync();
    expect(await loaded).toBe("module");
  });

  it("fails with the last failure once all attempts have failed", async () => {
    const load = after(Infinity);
    const loaded = expect(lazy(load)).rejects.toBe(LOST);
    await vi.runAllTimersAsync();
    await loaded;
    expect(load).toHaveBeenCalledTimes(3);
  });
});

describe("the sources", () => {
  /** The tables of loaders; `App.svelte` and `board` pass what they name to `lazy`. */
  const LOADERS = ["../src/routes.ts", "../src/games/boards.ts"];

  it("import nothing later but by a helper that tries again", () => {
    const direct = Object.entries(sources)
      .filter(([path]) => !LOADERS.includes(path) && !path.endsWith(".d.ts"))
      .flatMap(([path, text]) => [...text.matchAll(/.*\bimport\(/g)].map(([line]) => `${path}: ${line.trim()}`))
      .filter((line) => !/\b(lazy|learned)\(\(\) => import\(/.test(line));
    expect(direct).toEqual([]);
  });
});
