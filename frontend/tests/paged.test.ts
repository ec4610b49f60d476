import { cursorOf, fromCursor, Problem, type Slice, slice } from "@racecard/client";
import { describe, expect, it } from "vitest";
import { Paged } from "../src/components/loaded.svelte";

type Page = Slice<number>;

/** A server that answers when the test says so, and the questions that it was asked. */
function server() {
  const asked: { cursor: string | null; answer: (page: Page) => void; fail: () => void }[] = [];
  const paged = new Paged<number>(
    (cursor) =>
      new Promise((answer, reject) => {
        asked.push({ cursor, answer, fail: () => reject(new Problem(500, "server-error", "", "")) });
      }),
  );
  return { asked, paged };
}

async function begun() {
  const { asked, paged } = server();
  const done = paged.load();
  asked[0]?.answer({ results: [1, 2], next: "a" });
  await done;
  return { asked, paged };
}

describe("a long list", () => {
  it("grows by the page that begins where the last one ended", async () => {
    const { asked, paged } = await begun();
    const done = paged.more();
    expect(asked[1]?.cursor).toBe("a");
    asked[1]?.answer({ results: [3], next: null });
    await done;
    expect([paged.rows, paged.hasMore, paged.value?.results]).toEqual([[1, 2, 3], false, [1, 2]]);
    await paged.more();
    expect(asked).toHaveLength(2);
  });

  it("asks once however often more is wanted", async () => {
    const { asked, paged } = await begun();
    const all = Promise.all([paged.more(), paged.more(), paged.more()]);
    expect(asked).toHaveLength(2);
    asked[1]?.answer({ results: [3], next: "b" });
    await all;
    expect(paged.rows).toEqual([1, 2, 3]);
  });

  it("drops a page that arrives after a reload", async () => {
    const { asked, paged } = await begun();
    const late = paged.more();
    const reload = paged.load();
    asked[2]?.answer({ results: [7], next: null });
    await reload;
    asked[1]?.answer({ results: [3], next: "b" });
    await late;
    expect([paged.rows, paged.hasMore, paged.busy]).toEqual([[7], false, false]);
  });

  it("keeps its rows after a problem, and requests the same page again", async () => {
    const { asked, paged } = await begun();
    const failed = paged.more();
    asked[1]?.fail();
    await failed;
    expect([paged.rows, paged.problem?.code]).toEqual([[1, 2], "server-error"]);
    const again = paged.again();
    expect(asked[2]?.cursor).toBe("a");
    asked[2]?.answer({ results: [3], next: null });
    await again;
    expect([paged.rows, paged.problem]).toEqual([[1, 2, 3], undefined]);
  });
});

describe("a page's cursor", () => {
  it("is taken out of the address of the following page", () => {
    expect(cursorOf("https://racecard.example/api/v1/disputes/?mine=true&cursor=cD0y%3D")).toBe("cD0y=");
    expect(cursorOf("/api/v1/tournaments/?cursor=x")).toBe("x");
    expect([cursorOf(null), cursorOf(undefined)]).toEqual([null, null]);
    expect(slice({ results: [1], next: "/?cursor=x", total: 9 })).toEqual({ results: [1], next: "x", total: 9 });
  });

  it("is asked for only where there is one", () => {
    expect([fromCursor("x"), fromCursor(null)]).toEqual([{ cursor: "x" }, {}]);
  });
});
