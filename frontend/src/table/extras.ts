import type { Component } from "svelte";
import { i18n } from "../i18n/i18n.svelte";
import type { Part } from "../i18n/message";

export type Page = Component<{ rules: string; close: () => void }>;

/** The pages over a table, each loaded with its texts when it is first opened. */
export const extras = {
  howTo: async (rules: string): Promise<Page> => {
    const [loaded] = await Promise.all([import("./HowTo.svelte"), i18n.need(["howto", `howto-${rules}` as Part])]);
    return loaded.default;
  },
  history: async (): Promise<Page> => (await import("./History.svelte")).default,
};
export type Extra = keyof typeof extras;
