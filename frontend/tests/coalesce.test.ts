import { describe, expect, it } from "vitest";
import { coalesced } from "../src/live/coalesce";

function loading() {
  const ends: (() => void)[] = [];
  const refresh = coalesced(() => new Promise((end) => void ends.push(end)));
  return { ends, refresh };
}
const settle = () => new Promise((done) => setTimeout(done));

describe("loading again", () => {
  it("is never under way twice", () => {
    const { ends, refresh } = loading();
    expect(refresh()).toBe(refresh());
    expect(ends).toHaveLength(1);
  });

  it("happens once more for all who asked meanwhile, and then no more", async () => {
    const { ends, refresh } = loading();
    const first = refresh();
    void refresh();
    void refresh();
    ends[0]?.();
    await first;
    await settle();
    expect(ends).toHaveLength(2);
    ends[1]?.();
    await settle();
    expect(ends).toHaveLength(2);
  });

  it("begins when it is asked for after the end", async () => {
    const { ends, refresh } = loading();
    const first = refresh();
    ends[0]?.();
    await first;
    void refresh();
    expect(ends).toHaveLength(2);
  });

  it("continues after a failure", async () => {
    let loads = 0;
    const refresh = coalesced(() => (++loads === 1 ? Promise.reject(new Error("no answer")) : Promise.resolve()));
    await expect(refresh()).rejects.toThrow("no answer");
    await refresh();
    expect(loads).toBe(2);
  });
});
