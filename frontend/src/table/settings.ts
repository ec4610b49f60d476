import type { Game } from "../api/play";
import { details } from "../games/registry";
import { i18n } from "../i18n/i18n.svelte";
import type { Key } from "../i18n/message";
import { readable } from "../i18n/format";

const TIMES: ReadonlySet<string> = new Set(["time_limit", "move_limit", "game_limit", "draw_every"]);

/**
 * What this table is set to, a line a setting. Options that the texts of a game leave out are not shown; those of a game
 * without texts are named by their keys.
 */
export function settings({ rules, config, clock, draw_every }: Game): string[] {
  const all = { ...config, move_limit: clock.move_limit, game_limit: clock.game_limit, draw_every };
  return Object.entries(all).flatMap(([key, value]): string[] => {
    if (value === null || value === undefined) return [];
    const name = key in config ? `${rules}.${key}` : key;
    const choice = `set.${name}.${String(value)}`;
    if (i18n.has(choice)) return [i18n.text(choice)];
    const text = `set.${name}`;
    const label = key in config && details(rules)?.optionLabel?.(key);
    if (label) return [`${label}: ${readable(String(value))}`];
    if (!i18n.has(text) || typeof value !== "number") return [];
    if (TIMES.has(key)) return [i18n.text(text, { time: i18n.duration(value) })];
    return key === "burn" && value === 0 ? [] : [i18n.text(text as Key, { count: value })];
  });
}
