import type { Game } from "../api/play";
import { i18n } from "../i18n/i18n.svelte";
import type { Key } from "../i18n/message";

/** A time in its largest whole unit. */
function time(seconds: number): string {
  if (seconds % 3600 === 0) return i18n.text("set.hours", { count: seconds / 3600 });
  if (seconds % 60 === 0) return i18n.text("set.minutes", { count: seconds / 60 });
  return i18n.text("set.seconds", { count: seconds });
}

const TIMES: ReadonlySet<string> = new Set(["time_limit", "move_limit", "game_limit", "draw_every"]);

/** What this table is set to, a line a setting; those that the catalogue has no text for are left out. */
export function settings({ config, clock, draw_every }: Game): string[] {
  const all = { ...config, move_limit: clock.move_limit, game_limit: clock.game_limit, draw_every };
  return Object.entries(all).flatMap(([key, value]): string[] => {
    if (value === null || value === undefined) return [];
    const choice = `set.${key}.${String(value)}`;
    if (i18n.has(choice)) return [i18n.text(choice)];
    const text = `set.${key}`;
    if (!i18n.has(text) || typeof value !== "number") return [];
    if (TIMES.has(key)) return [i18n.text(text, { time: time(value) })];
    return key === "burn" && value === 0 ? [] : [i18n.text(text as Key, { count: value })];
  });
}
