import { Problem } from "@racecard/client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Feed } from "../src/live/feed.svelte";

class Page extends EventTarget {
  visibilityState: DocumentVisibilityState = "visible";
}

const start = (feed: Feed, page = new Page(), network = new EventTarget()) => {
  const stop = feed.start(page as unknown as Document, network as Window);
  return { page, network, stop };
};
const settle = () => vi.advanceTimersByTimeAsync(0);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("a watched thing", () => {
  it("is loaded at once and again at every beat", async () => {
    const feed = new Feed(1000);
    let loads = 0;
    const watch = feed.watch(() => Promise.resolve(++loads));
    const { stop } = start(feed);
    await settle();
    expect([watch.value, feed.connection]).toEqual([1, "live"]);
    await vi.advanceTimersByTimeAsync(2000);
    expect(watch.value).toBe(3);
    stop();
    await vi.advanceTimersByTimeAsync(5000);
    expect(loads).toBe(3);
  });

  it("keeps its last good value with the problem", async () => {
    const feed = new Feed(1000);
    const answers = [() => Promise.resolve("good"), () => Promise.reject(new TypeError("Failed to fetch"))];
    const watch = feed.watch(() => (answers.shift() ?? answers[0])!());
    const { stop } = start(feed);
    await vi.advanceTimersByTimeAsync(1000);
    expect([watch.value, watch.problem?.code, feed.connection]).toEqual(["good", "no-answer", "reconnecting"]);
    stop();
  });

  it("that is refused is a problem of its own, not of the connection", async () => {
    const feed = new Feed(1000);
    const watch = feed.watch(() => Promise.reject(new Problem(403, "forbidden", "Staff only.", "r1")));
    const { stop } = start(feed);
    await settle();
    expect([watch.problem?.request, feed.connection]).toEqual(["r1", "live"]);
    stop();
  });

  it("is never overtaken by an answer to an older question", async () => {
    const feed = new Feed(10_000);
    const waits = [500, 10];
    let asked = 0;
    const watch = feed.watch(() => {
      const number = ++asked;
      return new Promise<number>((resolve) => setTimeout(() => resolve(number), waits[number - 1]));
    });
    const { stop } = start(feed);
    await settle();
    void feed.refresh();
    await vi.advanceTimersByTimeAsync(1000);
    expect(watch.value).toBe(2);
    stop();
  });
});

describe("the page", () => {
  it("rests while it is hidden and refreshes when it is shown", async () => {
    const feed = new Feed(1000);
    let loads = 0;
    feed.watch(() => Promise.resolve(++loads));
    const { page, stop } = start(feed);
    await settle();
    page.visibilityState = "hidden";
    await vi.advanceTimersByTimeAsync(10_000);
    expect(loads).toBe(1);
    page.visibilityState = "visible";
    page.dispatchEvent(new Event("visibilitychange"));
    await settle();
    expect(loads).toBe(2);
    stop();
  });

  it("stays offline when an answer arrives to a request from before", async () => {
    const feed = new Feed(1000);
    const answers: (() => void)[] = [];
    feed.watch(() => new Promise<void>((resolve) => answers.push(resolve)));
    const { network, stop } = start(feed);
    const { losses } = feed;
    network.dispatchEvent(new Event("offline"));
    answers[0]?.();
    await settle();
    feed.report("answered", losses);
    expect(feed.connection).toBe("offline");
    feed.report("answered");
    expect(feed.connection).toBe("live");
    stop();
  });

  it("is idle while the page shows nothing that is kept fresh", async () => {
    const feed = new Feed(1000);
    const { stop } = start(feed);
    await settle();
    expect([feed.connection, feed.isIdle]).toEqual(["connecting", true]);
    const slow = feed.watch(() => new Promise<string>(() => undefined));
    await settle();
    expect([feed.connection, feed.isIdle]).toEqual(["connecting", false]);
    feed.drop(slow);
    feed.watch(() => Promise.resolve("x"));
    await settle();
    expect([feed.connection, feed.isIdle]).toEqual(["live", false]);
    stop();
  });

  it("says offline when the network goes, and comes back by itself", async () => {
    const feed = new Feed(1000);
    feed.watch(() => Promise.resolve("x"));
    const { network, stop } = start(feed);
    await settle();
    network.dispatchEvent(new Event("offline"));
    expect(feed.connection).toBe("offline");
    network.dispatchEvent(new Event("online"));
    expect(feed.connection).toBe("reconnecting");
    await settle();
    expect(feed.connection).toBe("live");
    stop();
  });
});
