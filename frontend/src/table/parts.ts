import type { Component } from "svelte";
import type { MarketProps, SeatChoice, StartProps } from "../games/manifest";
import { board, loadDetails, manifest } from "../games/registry";
import { withTexts } from "../i18n/i18n.svelte";

/** Optional parts of a table, each loaded with its texts when it is first shown. */
const TEXTS = ["table-parts"] as const;

export const waiting = () => withTexts(() => import("./Seats.svelte"), [...TEXTS, "reasons"]);

/** A link as a QR code. */
export const qrCode = () => withTexts(() => import("../components/QrCode.svelte"), []);

/** The seconds to the deal of a race. */
export const countdown = () => withTexts(() => import("./Countdown.svelte"), TEXTS);

export const nextTable = () => withTexts(() => import("./NextTable.svelte"), TEXTS);

export const options = () => withTexts(() => import("./Appearance.svelte"), [...TEXTS, "backs"]);

/** The outcome, shown after the board is loaded. */
export async function outcome(rules: string) {
  const [loaded] = await Promise.all([withTexts(() => import("./Outcome.svelte"), TEXTS), board(rules), loadDetails(rules)]);
  return loaded;
}

/** What is below the board comes after it, with the texts of the game. */
async function boardAndDetails(rules: string): Promise<void> {
  await board(rules).catch(() => undefined); // the table itself shows that its board cannot be loaded
  await loadDetails(rules);
}

export async function tableSettings(rules: string) {
  await boardAndDetails(rules);
  return withTexts(() => import("./Settings.svelte"), TEXTS);
}

export async function tableLog(rules: string) {
  await boardAndDetails(rules);
  return withTexts(() => import("./Log.svelte"), TEXTS);
}

/** What is on the table before the deal; null where the game shows nothing. */
export async function start(rules: string): Promise<Component<StartProps> | null> {
  const load = manifest(rules)?.start;
  return load ? withTexts(load, [`${rules}/board`]) : null;
}

/** The market panel of a game that can be bet on; null if this client has none. */
export async function marketPanel(rules: string): Promise<Component<MarketProps> | null> {
  const load = (await loadDetails(rules)).market;
  return load ? withTexts(load, ["market", "amount"]) : null;
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
    const [loaded] = await Promise.all([withTexts(() => import("./HowTo.svelte"), [...TEXTS, "cards"]), loadDetails(rules)]);
    return loaded;
  },
  /** The bubbles about the board, which must be there. */
  tips: async (rules: string): Promise<Page> => {
    const [loaded] = await Promise.all([withTexts(() => import("./Tips.svelte"), TEXTS), loadDetails(rules), board(rules)]);
    return loaded;
  },
  history: async (rules: string): Promise<Page> => {
    const load = (await loadDetails(rules)).history;
    if (!load) throw new Error(`no history of ${rules}`);
    return withTexts(load, TEXTS);
  },
};
export type Extra = keyof typeof extras;
