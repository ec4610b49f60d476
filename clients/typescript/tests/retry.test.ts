import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { retrying } from "../src/index.js";

const PATIENCE = { each: 1000, total: 60_000 };
const answer = (status: number, headers: Record<string, string> = {}) => () => Promise.resolve(new Response("{}", { status, headers }));
const lost = () => Promise.reject(new TypeError("fetch failed"));

function move(key = "k-1"): Request {
  return new Request("http://server/moves/", { method: "POST", headers: key ? { "Idempotency-Key": key } : {}, body: '{"move": 1}' });
}

/** Answers in this order; what was sent, and after how many milliseconds each time. */
function server(...answers: (() => Promise<Response>)[]) {
  const sent: { key: string | null; body: string; at: number }[] = [];
  const start = performance.now();
  vi.stubGlobal("fetch", async (request: Request) => {
    sent.push({ key: request.headers.get("Idempotency-Key"), body: await request.text(), at: performance.now() - start });
    const next = answers[Math.min(sent.length, answers.length) - 1];
    return next?.();
  });
  return sent;
}

async function played(request: Request): Promise<Response> {
  const answer = retrying(PATIENCE)(request);
  answer.catch(() => undefined);
  await vi.advanceTimersByTimeAsync(200_000);
  return answer;
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe("a request with a key", () => {
  it("is repeated as it was after lost connections and gateways without the server", async () => {
    const sent = server(lost, answer(503), answer(502), answer(200));
    expect((await played(move())).status).toBe(200);
    expect(sent.map(({ key, body }) => [key, body])).toEqual(Array(4).fill(["k-1", '{"move": 1}']));
  });

  it("waits as long as the server says", async () => {
    const sent = server(answer(429, { "Retry-After": "7" }), answer(503, { "Retry-After": "20" }), answer(201));
    expect((await played(move())).status).toBe(201);
    expect(sent.map(({ at }) => at)).toEqual([0, 7000, 27_000]);
  });

  it("is not repeated after a decision of the server", async () => {
    for (const status of [200, 400, 409, 412, 429, 500]) {
      const sent = server(answer(status));
      expect((await played(move())).status).toBe(status);
      expect(sent).toHaveLength(1);
    }
  });

  it("is given up in the end", async () => {
    const sent = server(lost);
    await expect(played(move())).rejects.toThrow("fetch failed");
    expect(sent.length).toBeGreaterThan(4);
    expect(sent.at(-1)?.at).toBeLessThanOrEqual(PATIENCE.total);
  });
});

describe("a request that could take effect twice", () => {
  it("is sent once", async () => {
    const sent = server(lost, answer(200));
    await expect(played(move(""))).rejects.toThrow("fetch failed");
    expect(sent).toHaveLength(1);
  });
});

it("a request that changes nothing needs no key", async () => {
  const sent = server(answer(504), answer(200));
  expect((await played(new Request("http://server/rules/"))).status).toBe(200);
  expect(sent).toHaveLength(2);
});

it("an aborted request is not repeated", async () => {
  const gone = new AbortController();
  const sent = server(() => {
    gone.abort();
    return lost();
  });
  await expect(played(new Request("http://server/rules/", { signal: gone.signal }))).rejects.toThrow("fetch failed");
  expect(sent).toHaveLength(1);
});
