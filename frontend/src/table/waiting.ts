import { i18n } from "../i18n/i18n.svelte";
import type Waiting from "./Waiting.svelte";

/** The seats of a table that waits for its deal, with their texts; a table in play does without. */
export async function waiting(): Promise<typeof Waiting> {
  const [loaded] = await Promise.all([import("./Waiting.svelte"), i18n.need(["seats", "why"])]);
  return loaded.default;
}
