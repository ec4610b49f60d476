import type { Component } from "svelte";
import { board } from "../games/boards";
import { i18n } from "../i18n/i18n.svelte";
import type { Part } from "../i18n/message";
import { lazy } from "../lazy";
import type History from "./History.svelte";
import type Look from "./Look.svelte";
import type NextTable from "./NextTable.svelte";
import type Outcome from "./Outcome.svelte";
import type Settings from "./Settings.svelte";
import type Waiting from "./Waiting.svelte";

/** The parts of a table that not every table shows, each loaded with its texts when it is first shown. */

/** The seats of a table that waits for its deal. */
export async function waiting(): Promise<typeof Waiting> {
  const [loaded] = await Promise.all([lazy(() => import("./Waiting.svelte")), i18n.need(["seats", "why"])]);
  return loaded.default;
}

/** The link to the next table of a tournament. */
export async function nextTable(): Promise<typeof NextTable> {
  const [loaded] = await Promise.all([lazy(() => import("./NextTable.svelte")), i18n.need(["between"])]);
  return loaded.default;
}

/** How the game ended, shown once its board is there. */
export async function outcome(rules: string): Promise<typeof Outcome> {
  const [loaded] = await Promise.all([lazy(() => import("./Outcome.svelte")), i18n.need(["outcome"]), board(rules)]);
  return loaded.default;
}

/** What the table is set to, shown once its board is there. */
export async function tableSettings(rules: string): Promise<typeof Settings> {
  await board(rules).catch(() => undefined); // the table itself says that its board cannot be loaded
  const [loaded] = await Promise.all([lazy(() => import("./Settings.svelte")), i18n.need(["settings"])]);
  return loaded.default;
}

/** The choices of how tables look. */
export async function options(): Promise<typeof Look> {
  const [loaded] = await Promise.all([lazy(() => import("./Look.svelte")), i18n.need(["look", "demons"])]);
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
    const [loaded] = await Promise.all([lazy(() => import("./History.svelte")), i18n.need(["outcome", "look", "howto"])]);
    return loaded.default;
  },
};
export type Extra = keyof typeof extras;
