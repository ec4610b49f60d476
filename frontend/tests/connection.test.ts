import { describe, expect, it } from "vitest";
import { FAILURES_UNTIL_OFFLINE, START, step, wait, type Link, type Signal } from "../src/live/connection";

const after = (...signals: Signal[]): Link => signals.reduce(step, START);

describe("how the connection stands", () => {
  it("is live after an answer", () => expect(after("answered").connection).toBe("live"));

  it("is being restored after a failure, and live again after the next answer", () => {
    expect(after("answered", "failed").connection).toBe("reconnecting");
    expect(after("answered", "failed", "answered")).toEqual({ connection: "live", failures: 0 });
  });

  it("is offline after several failures in a row", () => {
    const failures = Array<Signal>(FAILURES_UNTIL_OFFLINE).fill("failed");
    expect(after(...failures.slice(1)).connection).toBe("reconnecting");
    expect(after(...failures).connection).toBe("offline");
  });

  it("stays offline while the network is away, whatever fails meanwhile", () => {
    expect(after("answered", "went-offline", "failed").connection).toBe("offline");
    expect(after("answered", "went-offline", "went-online")).toEqual({ connection: "reconnecting", failures: 0 });
  });
});

describe("the wait until the next try", () => {
  it("is the ordinary pace while all is well", () => expect(wait(after("answered"), 3000, 0.9)).toBe(3000));

  it("doubles with every failure, up to fifteen seconds", () => {
    const waits = [1, 2, 3, 4, 5, 20].map((failures) => wait({ connection: "reconnecting", failures }, 3000, 1));
    expect(waits).toEqual([1000, 2000, 4000, 8000, 15000, 15000]);
  });

  it("is spread over half of its length", () => {
    const link: Link = { connection: "reconnecting", failures: 2 };
    expect([wait(link, 3000, 0), wait(link, 3000, 0.5), wait(link, 3000, 1)]).toEqual([1000, 1500, 2000]);
  });
});
