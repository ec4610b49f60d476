import { i18n } from "../i18n/i18n.svelte";

/** Why money moved: in the reader's language where it is one of the house's own words, as it was given elsewhere. */
export function reason(text: string): string {
  const key = `reason.${text}`;
  return i18n.has(key) ? i18n.text(key) : text;
}

/** Where a line leads: the game or tournament that it is about. */
export function leads(about: string): { href: string; kind: "game" | "tournament" } | null {
  const [kind, id = ""] = about.split(":");
  if (!/^[0-9a-f-]{36}$/.test(id)) return null;
  if (kind === "game") return { href: `/games/${id}/`, kind };
  return kind === "tournament" ? { href: `/tournaments/${id}/`, kind } : null;
}

/** With its sign in front, a plus too, so that nobody has to go by colour. */
export function signed(pence: number, currency: string): string {
  return pence > 0 ? `+${i18n.money(pence, currency)}` : i18n.money(pence, currency).replace(/^-/, "−");
}
