import { describe, expect, it } from "vitest";
import { type Heard, Hub, type Source, type Subject } from "../src/index.js";

class Opened implements Source {
  readyState = 1;
  onopen: (() => void) | null = null;
  onerror: (() => void) | null = null;
  onmessage: ((message: { data: string }) => void) | null = null;
  constructor(readonly address: string) {}
  readonly #named = new Map<string, (message: { data: string }) => void>();
  addEventListener(name: string, listener: (message: { data: string }) => void): void {
    this.#named.set(name, listener);
  }
  tell(name: string, data: object): void {
    this.#named.get(name)?.({ data: JSON.stringify(data) });
  }
  close(): void {
    this.readyState = 2;
  }
  say(game: string, version: number): void {
    this.onmessage?.({ data: JSON.stringify({ game, event: { version } }) });
  }
}

function place() {
  const opened: Opened[] = [];
  const hub = new Hub((address) => {
    const source = new Opened(address);
    opened.push(source);
    return source;
  });
  const page = (...follows: [Subject, number][]) => {
    const heard: Heard[] = [];
    const key = {};
    hub.follow(key, (one) => heard.push(one), new Map(follows));
    const versions = () => heard.flatMap((one) => (one.kind === "event" ? [one.version] : []));
    return { key, heard, versions };
  };
  return { hub, opened, page };
}

describe("pages of one browser", () => {
  it("share one stream of all that they follow", () => {
    const { opened, page } = place();
    page(["game:a", 3]);
    page(["game:b", 0], ["tournament:t", 7]);
    expect(opened.map((one) => one.readyState)).toEqual([2, 1]);
    expect(opened[1]?.address).toBe("/api/v1/feed/?game=a@3&game=b@0&tournament=t@7");
  });

  it("hear only of what they follow", () => {
    const { opened, page } = place();
    const first = page(["game:a", 0]);
    const second = page(["game:b", 0]);
    opened[1]?.say("a", 1);
    opened[1]?.say("b", 4);
    expect([first.versions(), second.versions()]).toEqual([[1], [4]]);
  });

  it("open no second stream for what is followed already, and tell who comes late what went by", () => {
    const { opened, page } = place();
    page(["game:a", 0]);
    opened[0]?.say("a", 5);
    const late = page(["game:a", 2]);
    expect(opened).toHaveLength(1);
    expect(late.versions()).toEqual([5]);
  });

  it("continue after the last event seen when the stream is opened again", () => {
    const { opened, page } = place();
    page(["game:a", 0]);
    opened[0]?.say("a", 5);
    page(["game:b", 0]);
    expect(opened[1]?.address).toBe("/api/v1/feed/?game=a@5&game=b@0");
  });

  it("close it when the last of them has left", () => {
    const { hub, opened, page } = place();
    const one = page(["game:a", 0]);
    hub.leave(one.key);
    expect(opened.map((source) => source.readyState)).toEqual([2]);
  });

  it("get the state of the stream", () => {
    const { opened, page } = place();
    const one = page(["game:a", 0]);
    opened[0]?.onopen?.();
    opened[0]?.onerror?.();
    const states = one.heard.flatMap((heard) => (heard.kind === "state" ? [heard.state] : []));
    expect(states.slice(-2)).toEqual(["live", "reconnecting"]);
  });

  it("hear that a game of theirs stands still, which is no event of it", () => {
    const { opened, page } = place();
    const one = page(["game:a", 3]);
    const other = page(["game:b", 0]);
    opened.at(-1)?.tell("suspension", { game: "a", suspended: true });
    expect(one.heard).toContainEqual({ kind: "changed", subject: "game:a" });
    expect(other.heard.map(({ kind }) => kind)).not.toContain("changed");
  });
});
