import { i18n } from "../i18n/i18n.svelte";
import type { Part } from "../i18n/message";
import { lazy } from "../lazy";
import type { MarketPanelComponent, BoardComponent } from "./board";

type Load = () => Promise<{ default: BoardComponent }>;

const boards: Readonly<Record<string, readonly [Part, Load]>> = {
  "vegas-solitaire": ["vegas", () => import("./vegas/Board.svelte")],
  "idle-aces": ["idle", () => import("./idle/Board.svelte")],
  "racing-demons": ["demons", () => import("./demons/Board.svelte")],
  "ace-race": ["acerace", () => import("./acerace/Board.svelte")],
  "racing-aces": ["race", () => import("./race/Board.svelte")],
};

/** Every game that this client has a table for. */
export const GAMES: readonly string[] = Object.keys(boards);

/** A game's table with its texts, loaded when it is first played. */
export async function board(rules: string): Promise<BoardComponent> {
  const known = boards[rules];
  if (!known) throw new Error(`this client has no table for ${rules}`);
  const [part, load] = known;
  const [loaded] = await Promise.all([lazy(load), i18n.need([part])]);
  return loaded.default;
}

/** The market panel of a race that can be bet on. */
export async function marketPanel(): Promise<MarketPanelComponent> {
  const [loaded] = await Promise.all([lazy(() => import("./race/MarketPanel.svelte")), i18n.need(["market"])]);
  return loaded.default;
}
