import { Problem } from "@racecard/client";
import { describe, expect, it } from "vitest";
import { Action } from "../src/components/action.svelte";

const refusal = new Problem(409, "session-open", "A play session is open already.", "");
const refuse = () => Promise.reject(refusal);

describe("a action", () => {
  it("is done once however often it is pressed", async () => {
    const action = new Action();
    let end = () => {};
    let times = 0;
    const press = () => action.do(() => ((times += 1), new Promise<void>((done) => (end = done))));
    const all = Promise.all([press(), press()]);
    expect([times, action.busy, action.done()]).toEqual([1, true, false]);
    end();
    await all;
    expect([action.busy, action.done(), action.refused()]).toEqual([false, true, undefined]);
  });

  it("says why it was refused until the next one", async () => {
    const action = new Action();
    await action.do(refuse);
    expect([action.refused(), action.done(), action.busy]).toEqual([refusal, false, false]);
    await action.do(() => Promise.resolve());
    expect([action.refused(), action.done()]).toEqual([undefined, true]);
  });

  it("says so only where it was done", async () => {
    const action = new Action();
    await action.do(refuse, "limit");
    expect([action.refused("limit"), action.refused("time-out"), action.refused()]).toEqual([refusal, undefined, undefined]);
    await action.do(() => Promise.resolve(), "time-out");
    expect([action.done("limit"), action.done("time-out")]).toEqual([false, true]);
    action.forget();
    expect(action.done("time-out")).toBe(false);
  });

  it("stays busy until what is shown is up to date, also after a refusal", async () => {
    const was: boolean[] = [];
    const action: Action = new Action(() => Promise.resolve(was.push(action.busy)));
    await action.do(refuse);
    await action.do(() => Promise.resolve());
    expect([was, action.busy]).toEqual([[true, true], false]);
  });
});
