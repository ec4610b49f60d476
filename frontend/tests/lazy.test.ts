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

  it("is imported again with the style sheets that could not be fetched", async () => {
    class Link {
      replacement: Link | undefined;
      onload: (() => void) | undefined;
      readonly cloneNode = () => new Link();
      replaceWith(other: Link) {
        this.replacement = other;
        other.onload?.();
      }
    }
    let onError = (_: { target: Link }) => undefined as unknown;
    vi.stubGlobal("HTMLLinkElement", Link);
    vi.stubGlobal("addEventListener", (_: string, listener: typeof onError) => (onError = listener));
    vi.resetModules();
    const fresh = await import("../src/lazy");
    const link = new Link();
    const load = after(1);
    const loaded = fresh.lazy(() => {
      if (load.mock.calls.length === 0) onError({ target: link });
      return load();
    });
    await vi.runAllTimersAsync();
    expect(await loaded).toBe("module");
    expect(link.replacement).toBeInstanceOf(Link);
    vi.unstubAllGlobals();
  });
});

describe("the sources", () => {
  /** The tables of loaders; `App.svelte` and the registry of games pass what they name to `lazy`. */
  const isLoader = (path: string) => /\/(routes|games\/registry|games\/[\w-]+\/(manifest|details))\.ts$/.test(path);

  it("import nothing later but by a helper that tries again", () => {
    const direct = Object.entries(sources)
      .filter(([path]) => !isLoader(path) && !path.endsWith(".d.ts"))
      .flatMap(([path, text]) => [...text.matchAll(/.*\bimport\(/g)].map(([line]) => `${path}: ${line.trim()}`))
      .filter((line) => !/typeof import\(|\b(lazy|loadTexts|withTexts)\(\(\) => import\(/.test(line));
    expect(direct).toEqual([]);
  });
});
