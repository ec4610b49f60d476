import type { Component } from "svelte";
import { i18n } from "../i18n/i18n.svelte";

type NextTable = Component<{ tournament: string; game: string; isOver: boolean }>;

/** The way on to the next table of a tournament, loaded with its texts for who plays in one. */
export async function nextTable(): Promise<NextTable> {
  const [loaded] = await Promise.all([import("./NextTable.svelte"), i18n.need(["between"])]);
  return loaded.default;
}
