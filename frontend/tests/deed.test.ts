import { describe, expect, it } from "vitest";
import { Problem } from "../src/api/problem";
import { Deed } from "../src/components/deed.svelte";

const refusal = new Problem(409, "session-open", "A play session is open already.", "");
const refuse = () => Promise.reject(refusal);

describe("a deed", () => {
  it("is done once however often it is pressed", async () => {
    const deed = new Deed();
    let end = () => {};
    let times = 0;
    const press = () => deed.do(() => ((times += 1), new Promise<void>((done) => (end = done))));
    const all = Promise.all([press(), press()]);
    expect([times, deed.busy, deed.done()]).toEqual([1, true, false]);
    end();
    await all;
    expect([deed.busy, deed.done(), deed.refused()]).toEqual([false, true, undefined]);
  });

  it("says why it was refused until the next one", async () => {
    const deed = new Deed();
    await deed.do(refuse);
    expect([deed.refused(), deed.done(), deed.busy]).toEqual([refusal, false, false]);
    await deed.do(() => Promise.resolve());
    expect([deed.refused(), deed.done()]).toEqual([undefined, true]);
  });

  it("says so only where it was done", async () => {
    const deed = new Deed();
    await deed.do(refuse, "limit");
    expect([deed.refused("limit"), deed.refused("time-out"), deed.refused()]).toEqual([refusal, undefined, undefined]);
    await deed.do(() => Promise.resolve(), "time-out");
    expect([deed.done("limit"), deed.done("time-out")]).toEqual([false, true]);
    deed.forget();
    expect(deed.done("time-out")).toBe(false);
  });

  it("stays busy until what is shown is up to date, also after a refusal", async () => {
    const was: boolean[] = [];
    const deed: Deed = new Deed(() => Promise.resolve(was.push(deed.busy)));
    await deed.do(refuse);
    await deed.do(() => Promise.resolve());
    expect([was, deed.busy]).toEqual([[true, true], false]);
  });
});
