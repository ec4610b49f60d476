import { describe, expect, it } from "vitest";
import { createApi, fromAnswer, fromFault, newId, once, Problem, session, succeed, unwrap } from "../src/index.js";

describe("a problem", () => {
  it("carries code, detail and request id of the answer", () => {
    const problem = fromAnswer(409, { code: "wrong-version", detail: "It moved on.", title: "t" }, "r-1");
    expect([problem.status, problem.code, problem.detail, problem.request]).toEqual([
      409,
      "wrong-version",
      "It moved on.",
      "r-1",
    ]);
    expect(problem.isConnection).toBe(false);
  });

  it("without a document is known by its status", () => {
    expect(fromAnswer(502, "<html>", "").code).toBe("http-502");
    expect(fromAnswer(502, "<html>", "").isConnection).toBe(true);
    expect(fromAnswer(500, null, "").isConnection).toBe(false);
  });

  it("that was no answer at all is one of the connection", () => {
    expect(fromFault(new TypeError("Failed to fetch")).isConnection).toBe(true);
  });
});

describe("a new id", () => {
  it("is a version 4 UUID, new each time", () => {
    const form = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
    const ids = Array.from({ length: 100 }, newId);
    expect(ids.filter((id) => !form.test(id))).toEqual([]);
    expect(new Set(ids).size).toBe(100);
  });
});

const NEW_GAME = { rules: "idle-aces", config: {} };

describe("a request", () => {
  const sent: Request[] = [];
  const answers = (body: string | null, status = 200, headers = {}) =>
    createApi("http://server", "omit", async (request) => {
      sent.push(request);
      return new Response(body, { status, headers });
    });
  const last = () => sent.at(-1) as Request;

  it("has its parameters where they belong, and leaves out those that are not given", async () => {
    const params = { path: { game_id: "a/b" }, query: { after: 3, limit: undefined as never } };
    await answers("{}").GET("/api/v1/games/{game_id}/events/", { params, headers: { "If-Match": '"3"' } });
    expect(last().url).toBe("http://server/api/v1/games/a%2Fb/events/?after=3");
    expect(last().headers.get("If-Match")).toBe('"3"');
    expect(last().headers.has("Content-Type")).toBe(false);
  });

  it("sends its body as JSON", async () => {
    await answers(null, 204).POST("/api/v1/games/", { params: { header: once("k") }, body: NEW_GAME });
    expect([last().method, last().headers.get("Content-Type"), last().headers.get("Idempotency-Key")]).toEqual(["POST", "application/json", "k"]);
    expect(await last().json()).toEqual(NEW_GAME);
  });

  it("gets its content, or its problem", async () => {
    expect(unwrap(await answers('["vegas"]').GET("/api/v1/rules/"))).toEqual(["vegas"]);
    const refused = await answers('{"code": "not-found", "detail": "None."}', 404, { "X-Request-ID": "r-1" }).GET("/api/v1/rules/");
    expect(() => unwrap(refused)).toThrow(expect.objectContaining({ status: 404, code: "not-found", message: "None.", request: "r-1" }));
    expect(() => succeed(refused)).toThrow(Problem);
    const gateway = await answers("<html>", 502).GET("/api/v1/rules/");
    expect(() => unwrap(gateway)).toThrow(expect.objectContaining({ status: 502, code: "http-502" }));
  });

  it("of a session vouches for what it changes", async () => {
    const api = createApi("http://server", "same-origin", async (request) => (sent.push(request), new Response("{}")), session(() => "csrf-1"));
    await api.POST("/api/v1/games/", { params: { header: once() }, body: NEW_GAME });
    expect(last().headers.get("X-CSRFToken")).toBe("csrf-1");
    expect(Date.parse(last().headers.get("Client-Time") ?? "")).toBeGreaterThan(0);
    await api.GET("/api/v1/rules/");
    expect(last().headers.has("X-CSRFToken")).toBe(false);
  });
});
