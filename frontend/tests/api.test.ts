import { fromAnswer, fromFault, newId } from "@racecard/client";
import { describe, expect, it } from "vitest";

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

describe("a request id", () => {
  it("is a version 4 UUID, new each time", () => {
    const form = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
    const ids = Array.from({ length: 100 }, newId);
    expect(ids.filter((id) => !form.test(id))).toEqual([]);
    expect(new Set(ids).size).toBe(100);
  });
});
