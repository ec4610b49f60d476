import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { connect, follow, Problem, rows, type Followed } from "../src/index.js";

const GAME = "3f1c2a52-6a0c-4c9e-9a6b-0d4f6a9f7d10";
const event = (version: number, type = "moved") => `id: ${version}\ndata: {"version":${version},"type":"${type}"}\n\n`;

/** The stream of each connection as chunks, after which it is cut; `version` is that of the game when it is loaded. */
function server(version: number, ...streams: string[][]) {
  const asked: (string | null)[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    expect(request.headers.get("Authorization")).toBe("Bearer t-1");
    if (!request.url.includes("/events/")) return Response.json({ version, status: "active" });
    asked.push(new URL(request.url).searchParams.get("after"));
    const chunks = streams[asked.length - 1] ?? [];
    if (chunks[0]?.startsWith("{")) return new Response(chunks[0], { status: 403 });
    return new Response(
      new ReadableStream({
        start(controller) {
          for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
          controller.close();
        },
      }),
    );
  });
  return asked;
}

async function heard(after?: number): Promise<string[]> {
  const found: string[] = [];
  const say = (one: Followed) => (one.kind === "event" ? `${one.event.type} ${one.event.version}` : `game ${one.game.version}`);
  const all = (async () => {
    const api = connect("http://server", "t-1");
    for await (const one of follow(api, GAME, after === undefined ? {} : { after })) found.push(say(one));
  })();
  all.catch(() => undefined);
  await vi.advanceTimersByTimeAsync(100_000);
  await all;
  return found;
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("a followed game", () => {
  it("begins with its state and ends with its end", async () => {
    const asked = server(2, [event(3), event(4, "finished"), event(5)]);
    expect(await heard()).toEqual(["game 2", "moved 3", "finished 4"]);
    expect(asked).toEqual(["2"]);
  });

  it("resumes where its stream was cut, also within a message", async () => {
    const asked = server(0, [event(1), event(2).slice(0, 12)], [event(2).slice(0, 5), `${event(2).slice(5)}: heartbeat\n`, "\n"], [event(3, "finished")]);
    expect(await heard(0)).toEqual(["moved 1", "moved 2", "finished 3"]);
    expect(asked).toEqual(["0", "1", "2"]);
  });

  it("yields no event twice", async () => {
    server(0, [event(1), event(1)], [event(1), event(2, "finished")]);
    expect(await heard(0)).toEqual(["moved 1", "finished 2"]);
  });

  it("is loaded again where an event is missing", async () => {
    server(7, [event(1), event(5), event(6), event(7), event(8, "finished")]);
    expect(await heard(0)).toEqual(["moved 1", "game 7", "finished 8"]);
  });

  it("is loaded again when it was suspended", async () => {
    server(1, [event(1), 'event: suspension\r\ndata: {"suspended":true}\r\n\r\n', event(2, "finished")]);
    expect(await heard(0)).toEqual(["moved 1", "game 1", "finished 2"]);
  });

  it("throws why the server closes the stream", async () => {
    server(0, [event(1), 'event: closed\ndata: {"status":401,"code":"not-authenticated","detail":"Revoked."}\n\n']);
    await expect(heard(0)).rejects.toMatchObject({ status: 401, code: "not-authenticated", detail: "Revoked." });
  });

  it("throws why the server refuses it", async () => {
    server(0, ['{"code":"scope-required"}']);
    await expect(heard(0)).rejects.toSatisfy((fault) => fault instanceof Problem && fault.code === "scope-required");
  });
});

it("the rows of a list are read page by page, when they are wanted", async () => {
  const asked: string[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    asked.push(request.url);
    return Response.json({ results: [3], next: null });
  });
  const first = { results: [1, 2], next: "http://behind.proxy/api/v1/games/?limit=2&cursor=c-1" };
  const found = rows(connect("http://server", "t-1"), first);
  expect([(await found.next()).value, (await found.next()).value, asked.length]).toEqual([1, 2, 0]);
  expect([(await found.next()).value, (await found.next()).done]).toEqual([3, true]);
  expect(asked).toEqual(["http://server/api/v1/games/?limit=2&cursor=c-1"]);
});
