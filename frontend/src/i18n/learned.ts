import { lazy } from "../lazy";
import { i18n } from "./i18n.svelte";
import type { Part } from "./message";

/**
 * A module that says what the house says in the reader's language, with its texts: loaded only once there is something to
 * say. Null where neither can be had (the connection is gone, say): then it is told in the house's own words.
 */
export async function learned<Module>(load: () => Promise<Module>, parts: readonly Part[] = []): Promise<Module | null> {
  const all: readonly Part[] = i18n.language === "en" ? [] : ["refusals", "why", ...parts];
  try {
    const [loaded] = await Promise.all([lazy(load), i18n.need(all)]);
    return loaded;
  } catch {
    return null;
  }
}
