import type { Component } from "svelte";
import { board } from "../games/boards";
import { i18n } from "../i18n/i18n.svelte";
import type { Part } from "../i18n/message";
import { lazy } from "../lazy";
import type History from "./History.svelte";
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
  const [loaded] = await Promise.all([lazy(() => import("./Outcome.svelte")), i18n.need(["outcome"]), board(rules)]);
  return loaded.default;
}

/** The settings of the table, shown after the board is loaded. */
export async function tableSettings(rules: string): Promise<typeof Settings> {
  await board(rules).catch(() => undefined); // the table itself shows that its board cannot be loaded
  const [loaded] = await Promise.all([lazy(() => import("./Settings.svelte")), i18n.need(["settings"])]);
  return loaded.default;
}

/** The settings of appearance. */
export async function options(): Promise<typeof Appearance> {
  const [loaded] = await Promise.all([lazy(() => import("./Appearance.svelte")), i18n.need(["appearance", "demons"])]);
  return loaded.default;
}

type Page = Component<{ rules: string; close: () => void }>;

/** The dialogs that a table opens. */
export const extras = {
  howTo: async (rules: string): Promise<Page> => {
    const texts = i18n.need(["howto", `howto-${rules}` as Part]);
    const [loaded] = await Promise.all([lazy(() => import("./HowTo.svelte")), texts]);
    return loaded.default;
  },
  history: async (): Promise<typeof History> => {
    const [loaded] = await Promise.all([lazy(() => import("./History.svelte")), i18n.need(["outcome", "appearance", "howto"])]);
    return loaded.default;
  },
};
export type Extra = keyof typeof extras;
