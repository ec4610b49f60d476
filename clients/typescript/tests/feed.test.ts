import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { changes, connect, feed, Problem, type Fed, type FeedSubject } from "../src/index.js";

const GAME: FeedSubject = "game:3f1c2a52-6a0c-4c9e-9a6b-0d4f6a9f7d10";
const CONTEST: FeedSubject = "tournament:8d0e7a1c-52cf-4c0b-8e59-0f7b6f6f3a21";
const event = (version: number) => ({ version, type: "moved" });
const message = (subject: FeedSubject, version: number) => {
  const [kind, id] = subject.split(":") as [string, string];
  return `data: ${JSON.stringify({ [kind]: id, event: event(version) })}\n\n`;
};
const closed = 'event: closed\ndata: {"status":401,"code":"not-authenticated","detail":"Revoked."}\n\n';

/** The stream of each connection, after which it is cut, and the lists of events. */
function server(streams: string[], lists: Record<string, unknown> = {}) {
  const asked: string[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    const { pathname, search } = new URL(request.url);
    const path = decodeURIComponent(pathname + search);
    asked.push(path);
    if (!path.includes("/feed/")) return Response.json(lists[path]);
    return new Response(streams.shift());
  });
  return asked;
}

/** What the feed yields until it is closed. */
async function heard(subjects: Record<FeedSubject, number>): Promise<string[]> {
  const found: string[] = [];
  const say = (one: Fed) => `${one.subject.split(":")[0]} ${one.kind === "event" ? one.event.version : one.suspended}`;
  const all = (async () => {
    for await (const one of feed(connect("http://server", "t-1"), subjects)) found.push(say(one));
  })();
  all.catch(() => undefined);
  await vi.advanceTimersByTimeAsync(100_000);
  await expect(all).rejects.toSatisfy((fault) => fault instanceof Problem && fault.code === "not-authenticated");
  return found;
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("a feed", () => {
  it("resumes each subject where its stream was cut", async () => {
    const asked = server([message(GAME, 4) + message(CONTEST, 1) + message(CONTEST, 2).slice(0, 20), message(CONTEST, 2) + closed]);
    expect(await heard({ [GAME]: 3, [CONTEST]: 0 })).toEqual(["game 4", "tournament 1", "tournament 2"]);
    const address = (game: number, contest: number) => `/api/v1/feed/?${GAME.replace(":", "=")}@${game}&${CONTEST.replace(":", "=")}@${contest}`;
    expect(asked).toEqual([address(3, 0), address(4, 1)]);
  });

  it("yields no event twice, and says when a game is suspended", async () => {
    const suspended = `event: suspension\ndata: {"game":"${GAME.slice(5)}","suspended":true}\n\n`;
    server([message(GAME, 1) + suspended, message(GAME, 1) + message(GAME, 2) + closed]);
    expect(await heard({ [GAME]: 0 })).toEqual(["game 1", "game true", "game 2"]);
  });

  it("reads missing events from the list of their subject", async () => {
    const list = (subject: FeedSubject, after: number) => `/api/v1/${subject.replace(":", "s/")}/events/?after=${after}`;
    const asked = server([message(CONTEST, 5) + message(GAME, 3) + closed], {
      [list(CONTEST, 1)]: { events: [event(2), event(3)], next: 3 },
      [list(CONTEST, 3)]: { events: [event(4), event(5)], next: null },
      [list(GAME, 0)]: { results: [event(2), event(3)], next: null },
    });
    expect(await heard({ [CONTEST]: 1, [GAME]: 0 })).toEqual([..."2345"].map((version) => `tournament ${version}`).concat("game 2", "game 3"));
    expect(asked.length).toBe(4);
  });
});

describe("the changes of a server", () => {
  const page = (next: string, more: boolean, ...versions: number[]) => ({
    results: versions.map((version) => ({ kind: "game", id: GAME.slice(5), event: event(version) })),
    next: `https://behind.proxy/api/v1/changes/?limit=200&after=${next}`,
    more,
  });
  const path = (after?: string) => `/api/v1/changes/?limit=200${after ? `&after=${after}` : ""}`;

  it("are read page by page, with pauses while there are none", async () => {
    const asked = server([], { [path()]: page("c-1", true, 1, 2), [path("c-1")]: page("c-2", false), [path("c-2")]: page("c-3", false, 3) });
    const found = changes(connect("http://server", "t-1"));
    expect((await found.next()).value).toMatchObject({ results: [{ event: event(1) }, { event: event(2) }] });
    const later = found.next();
    await vi.advanceTimersByTimeAsync(4_900);
    expect(asked).toEqual([path(), path("c-1")]);
    await vi.advanceTimersByTimeAsync(200);
    expect((await later).value.next).toContain("after=c-3");
  });

  it("continue after a stored page, and end with the signal", async () => {
    const asked = server([], { [path("c-2")]: page("c-2", false) });
    const stop = new AbortController();
    const next = changes(connect("http://server", "t-1"), { after: page("c-2", false).next, signal: stop.signal }).next();
    await vi.advanceTimersByTimeAsync(100);
    stop.abort();
    expect((await next).done).toBe(true);
    expect(asked).toEqual([path("c-2")]);
  });
});
