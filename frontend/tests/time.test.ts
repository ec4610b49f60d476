import { describe, expect, it } from "vitest";
import { relative } from "../src/kit/time";

const NOW = Date.parse("2026-03-01T12:00:00Z");

describe("a moment relative to now", () => {
  it.each([
    ["2026-03-01T12:00:00Z", "now"],
    ["2026-03-01T11:59:31Z", "now"],
    ["2026-03-01T11:58:01Z", "1 minute ago"],
    ["2026-03-01T09:00:00Z", "3 hours ago"],
    ["2026-02-28T12:00:00Z", "yesterday"],
    ["2026-03-03T12:00:00Z", "in 2 days"],
    ["2025-02-01T00:00:00Z", "last year"],
  ])("%s is %s", (iso, text) => expect(relative(iso, NOW, "en")).toBe(text));

  it("is in the language of the page", () => {
    expect(relative("2026-03-01T09:00:00Z", NOW, "de")).toBe("vor 3 Stunden");
  });
});
