import type { Component } from "svelte";
import type { Game } from "../api/play";
import type { SeatChoice } from "../games/manifest";
import { board, loadDetails, withTexts } from "../games/registry";
import { i18n } from "../i18n/i18n.svelte";
import { lazy } from "../lazy";
import type Appearance from "./Appearance.svelte";
import type NextTable from "./NextTable.svelte";
import type Outcome from "./Outcome.svelte";
import type Settings from "./Settings.svelte";
import type Seats from "./Seats.svelte";

/** Optional parts of a table, each loaded with its texts when it is first shown. */

/** The seats of a table before the deal. */
export async function waiting(): Promise<typeof Seats> {
  const [loaded] = await Promise.all([lazy(() => import("./Seats.svelte")), i18n.need(["seats", "reasons"])]);
  return loaded.default;
}

/** The link to the next table of a tournament. */
export async function nextTable(): Promise<typeof NextTable> {
  const [loaded] = await Promise.all([lazy(() => import("./NextTable.svelte")), i18n.need(["next-table"])]);
  return loaded.default;
}

/** The outcome, shown after the board is loaded. */
export async function outcome(rules: string): Promise<typeof Outcome> {
  const texts = i18n.need(["outcome"]);
  const [loaded] = await Promise.all([lazy(() => import("./Outcome.svelte")), texts, board(rules), loadDetails(rules)]);
  return loaded.default;
}

/** The settings of the table, shown after the board is loaded. */
export async function tableSettings(rules: string): Promise<typeof Settings> {
  await board(rules).catch(() => undefined); // the table itself shows that its board cannot be loaded
  const [loaded] = await Promise.all([lazy(() => import("./Settings.svelte")), i18n.need(["settings"]), loadDetails(rules)]);
  return loaded.default;
}

/** The settings of appearance. */
export async function options(): Promise<typeof Appearance> {
  const [loaded] = await Promise.all([lazy(() => import("./Appearance.svelte")), i18n.need(["appearance", "backs"])]);
  return loaded.default;
}

/** The market panel of a game that can be bet on; null if this client has none. */
export async function marketPanel(rules: string): Promise<Component<{ game: Game; invite: string }> | null> {
  const load = (await loadDetails(rules)).market;
  return load ? withTexts(load, ["market"]) : null;
}

/** What each player chooses on sitting down; null if this client has no choice for the game. */
export async function choicePart(rules: string): Promise<SeatChoice | null> {
  const load = (await loadDetails(rules)).choice;
  return load ? withTexts(load, ["cards"]) : null;
}

type Page = Component<{ rules: string; close: () => void }>;

/** The dialogs that a table opens. */
export const extras = {
  howTo: async (rules: string): Promise<Page> => {
    const [loaded] = await Promise.all([lazy(() => import("./HowTo.svelte")), i18n.need(["howto"]), loadDetails(rules)]);
    return loaded.default;
  },
  history: async (rules: string): Promise<Page> => {
    const load = (await loadDetails(rules)).history;
    if (!load) throw new Error(`no history of ${rules}`);
    return withTexts(load, ["appearance", "howto"]);
  },
};
export type Extra = keyof typeof extras;
