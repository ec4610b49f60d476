import { beforeEach, expect, it, vi } from "vitest";
import { Draft } from "../src/wizard/draft.svelte";

vi.mock("../src/api/drafts", () => ({ remove: () => Promise.resolve() }));

const kept = new Map<string, string>();
vi.stubGlobal("sessionStorage", { getItem: (key: string) => kept.get(key) ?? null, removeItem: (key: string) => kept.delete(key) });

beforeEach(() => {
  for (const id of ["", "stored"]) kept.set(`racecard.terms.${id}`, "{}");
});

it("is forgotten without the edits of a new draft that this tab keeps", async () => {
  const draft = new Draft();
  draft.id = "stored";
  await draft.remove();
  expect([...kept.keys()]).toEqual(["racecard.terms."]);
});

it("is forgotten while it has no id", async () => {
  await new Draft().remove();
  expect([...kept.keys()]).toEqual(["racecard.terms.stored"]);
});
