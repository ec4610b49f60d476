import { beforeEach, expect, it, vi } from "vitest";
import type { Format } from "../src/api/drafts";
import type { Rules } from "../src/api/play";
import { Draft } from "../src/wizard/draft.svelte";
import { emptyForm } from "../src/wizard/form";

const { create, preview } = vi.hoisted(() => ({ create: vi.fn(), preview: vi.fn() }));
vi.mock("../src/api/drafts", () => ({ create, preview, remove: () => Promise.resolve() }));

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

it("is not stored without a name, though one is entered while its terms are checked", async () => {
  const draft = new Draft();
  draft.formats = [{ slug: "swiss", counts: [], games: [{ rules: "ace-race", seats: [2] }] } as unknown as Format];
  draft.games = [{ slug: "ace-race" } as unknown as Rules];
  draft.form = { ...emptyForm(), format: "swiss", rules: "ace-race" };
  let answer: (preview: object) => void = () => undefined;
  preview.mockReturnValue(new Promise((resolve) => (answer = resolve)));
  const stored = draft.store();
  await vi.waitFor(() => expect(preview).toHaveBeenCalledOnce());
  draft.form.name = "Friday Swiss";
  answer({ faults: [] });
  expect([await stored, draft.state, create.mock.calls]).toEqual([false, "new", []]);
});
