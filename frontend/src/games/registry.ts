import type { Component } from "svelte";
import type { Game } from "../api/play";
import { withTexts } from "../i18n/i18n.svelte";
import type { BoardProps, Details, Load, Manifest } from "./manifest";

/** Every folder with a manifest is a game that this client knows; the server may have more. */
const manifests = import.meta.glob<Manifest>("./*/manifest.ts", { import: "default", eager: true });

export const manifest = (slug: string): Manifest | undefined => manifests[`./${slug}/manifest.ts`];

export const icon = (slug: string): string => manifest(slug)?.icon ?? "♦";

/** The keys of every table. */
export const TABLE_KEYS = { hint: "h", help: "?" } as const;

/** Whether all players move at once. */
export const isRace = ({ rules, config }: Game): boolean => manifest(rules)?.isSimultaneous?.(config) ?? false;

/** Seconds to the deal, where all players move at once. The first one is for their pages to hear of it. */
export const countdownOf = (game: Game): number => (isRace(game) ? 4 : 0);

const generic: Load<Component<BoardProps>> = () => import("./generic/Board.svelte");

/** A game's table with its texts, loaded when it is first played; the generic one of a game that has no manifest. */
export function board(slug: string): Promise<Component<BoardProps>> {
  const known = manifest(slug);
  return known ? withTexts(known.board, [`${slug}/board`, ...(known.texts ?? [])]) : withTexts(generic, ["generic/board"]);
}

const loaded = new Map<string, Details>();

/** Load the details of a game, with its texts; those of a game that has no manifest are the server's. */
export async function loadDetails(slug: string): Promise<Details> {
  const load = manifest(slug)?.details;
  const found = load
    ? await withTexts(load, [`${slug}/board`, `${slug}/about`])
    : (loaded.get(slug) ?? (await (await withTexts(() => import("./generic/details"), ["generic/board", "table-parts"]))(slug)));
  loaded.set(slug, found);
  return found;
}

/** The details of a game after `loadDetails`. */
export const details = (slug: string): Details | undefined => loaded.get(slug);
