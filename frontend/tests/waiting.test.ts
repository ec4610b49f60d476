import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { WaitingHub, type WaitingGame } from "../src/live/waiting";

class Opened {
  readyState = 1;
  onerror: (() => void) | null = null;
  readonly #named = new Map<string, (message: { data: string }) => void>();
  addEventListener(name: string, listener: (message: { data: string }) => void): void {
    this.#named.set(name, listener);
  }
  tell(name: string, data: object = {}): void {
    this.#named.get(name)?.({ data: JSON.stringify(data) });
  }
  close(): void {
    this.readyState = 2;
  }
}

const game = (key: string, version = 1) => ({ key, version }) as WaitingGame;
const waiting = (games: WaitingGame[], challenges: string[] = [], unread = 0) => ({ games, challenges: challenges.map((key) => ({ key })), unread });

function place() {
  const opened: Opened[] = [];
  const hub = new WaitingHub(() => {
    opened.push(new Opened());
    return opened.at(-1)!;
  });
  const page = (reader = "ann") => {
    const heard: string[] = [];
    const key = {};
    hub.follow(key, reader, ({ games, challenges, unread }) => {
      const shown = games.map(({ key, version }) => `${key}@${version}`);
      heard.push([...shown, ...challenges.map(({ key }) => key), ...(unread ? [`${unread} unread`] : [])].join());
    });
    return { key, heard };
  };
  return { hub, opened, page };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("pages of one browser", () => {
  it("share one stream and hear the present state and its changes", () => {
    const { opened, page } = place();
    const first = page();
    opened[0]?.tell("waiting", waiting([game("game:a"), game("game:b")]));
    const second = page();
    opened[0]?.tell("changed", { ...waiting([game("game:a", 4), game("game:c")]), gone: ["game:b"] });
    expect(opened.length).toBe(1);
    expect(first.heard).toEqual(["game:a@1,game:b@1", "game:a@4,game:c@1"]);
    expect(second.heard).toEqual(first.heard);
  });

  it("hear of challenges and of the number of unread notifications", () => {
    const { opened, page } = place();
    const { heard } = page();
    opened[0]?.tell("waiting", waiting([game("game:a")], ["challenge:x"]));
    opened[0]?.tell("changed", { ...waiting([], ["challenge:y"], 2), gone: ["challenge:x"] });
    opened[0]?.tell("changed", { ...waiting([], [], 0), gone: ["challenge:y"] });
    expect(heard).toEqual(["game:a@1,challenge:x", "game:a@1,challenge:y,2 unread", "game:a@1"]);
  });

  it("are not shown what waits for the reader who was signed in before", () => {
    const { opened, page } = place();
    page("ann");
    opened[0]?.tell("waiting", waiting([game("game:a")], [], 3));
    const { heard } = page("bob");
    expect(heard).toEqual([]);
    expect(opened.map(({ readyState }) => readyState)).toEqual([2, 1]);
    opened[1]?.tell("waiting", waiting([game("game:b")]));
    expect(heard).toEqual(["game:b@1"]);
  });

  it("close the stream when the last of them leaves", () => {
    const { hub, opened, page } = place();
    const [first, second] = [page(), page()];
    hub.leave(first.key);
    expect(opened[0]?.readyState).toBe(1);
    hub.leave(second.key);
    expect(opened[0]?.readyState).toBe(2);
    page();
    expect(opened.length).toBe(2);
  });

  it("open a stream that the server has closed again after a while", () => {
    const { opened, page } = place();
    const { heard } = page();
    opened[0]?.tell("closed");
    expect(opened.length).toBe(1);
    vi.advanceTimersByTime(30_000);
    opened[1]?.tell("waiting", waiting([game("game:a")]));
    expect(heard).toEqual(["game:a@1"]);
  });

  it("do not open it again for nobody", () => {
    const { hub, opened, page } = place();
    const { key } = page();
    opened[0]?.tell("closed");
    hub.leave(key);
    vi.advanceTimersByTime(60_000);
    expect(opened.length).toBe(1);
  });
});
