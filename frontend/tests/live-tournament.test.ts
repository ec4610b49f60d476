import { expect, test, vi } from "vitest";
import * as tournaments from "../src/api/tournaments";
import { LiveTournament } from "../src/tournament/tournament.svelte";

vi.mock("../src/api/tournaments", () => ({
  terms: vi.fn(),
  standings: vi.fn(() => Promise.resolve({ standings: [] })),
  rounds: vi.fn(() => Promise.resolve([])),
  outright: vi.fn(() => Promise.resolve(null)),
  visible: vi.fn(() => Promise.resolve(["game"])),
  round: vi.fn((_id: string, round: number) => Promise.resolve({ round })),
}));

const answer = (more: object) =>
  vi.mocked(tournaments.terms).mockResolvedValueOnce({
    terms: { version: 4, format: "duplicate", status: "open", round: 0, entries: 2, progress: null, rated: false, ...more },
    ahead: 0,
  } as unknown as Awaited<ReturnType<typeof tournaments.terms>>);

test("a round that is seen at a version already known is loaded with what is visible", async () => {
  const live = new LiveTournament("cup");
  answer({});
  await live.refresh();
  expect(live.current).toBeUndefined();
  answer({ round: 1 });
  await live.refresh();
  expect(live.current).toEqual({ round: 1 });
  expect(live.canSee("game")).toBe(false);
  answer({ round: 1, status: "running" });
  await live.refresh();
  expect(live.canSee("game")).toBe(true);
});
