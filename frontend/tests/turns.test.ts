import { expect, test, vi } from "vitest";
import type { Waiting } from "../src/live/waiting";

const heard = vi.hoisted(() => ({ tell: (_: Waiting): void => undefined, refresh: vi.fn() }));
vi.mock("../src/live/stream", () => ({ stream: { wait: (_: string, tell: (waiting: Waiting) => void) => (heard.tell = tell) } }));
vi.mock("../src/api/availableBalance.svelte", () => ({ availableBalance: { refresh: heard.refresh } }));
vi.mock("../src/router.svelte", () => ({ router: { path: "/" } }));
vi.stubGlobal("document", { visibilityState: "visible", addEventListener: () => undefined });

const { turns } = await import("../src/components/turns.svelte");

test("the balance is read again at the stream's first answer, and when a game begins or ends", () => {
  const calls = (games: string[]) => {
    heard.refresh.mockClear();
    heard.tell({ games: games.map((key) => ({ key, kind: "deal" })), challenges: [], unread: 0 } as unknown as Waiting);
    return heard.refresh.mock.calls.length;
  };
  turns.start();
  expect([calls([]), calls([]), calls(["a"]), calls(["a"]), calls([])]).toEqual([1, 0, 1, 0, 1]);
});
