import { describe, expect, it } from "vitest";
import { find, match } from "../src/address";

describe("a path", () => {
  it("fits a pattern with or without its trailing slash", () => {
    expect(match("/tournaments/:id", "/tournaments/7f/")).toEqual({ id: "7f" });
    expect(match("/tournaments/:id", "/tournaments/7f")).toEqual({ id: "7f" });
    expect(match("/", "/")).toEqual({});
  });

  it("of another length or word does not fit", () => {
    expect(match("/tournaments/:id", "/tournaments")).toBeNull();
    expect(match("/tournaments/:id", "/games/7f")).toBeNull();
    expect(match("/", "/games")).toBeNull();
  });

  it("is decoded segment by segment; a broken escape fits nothing", () => {
    expect(match("/players/:name", "/players/a%2Fb")).toEqual({ name: "a/b" });
    expect(match("/players/:name", "/players/%E0%A4%A")).toBeNull();
  });

  it("goes to the first route that fits", () => {
    const routes = [{ pattern: "/a/:x" }, { pattern: "/a/b" }];
    expect(find(routes, "/a/b")).toEqual({ route: routes[0], params: { x: "b" } });
    expect(find(routes, "/c")).toBeNull();
  });
});
