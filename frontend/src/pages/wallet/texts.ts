import { i18n } from "../../i18n/i18n.svelte";

/** The reason of a transfer: translated if it is one of the server's standard reasons, else as given. */
export function reason(text: string): string {
  return i18n.named(`reason.${text}`, text);
}

/** The link of a line: its game or tournament. */
export function leads(about: string): { href: string; kind: "game" | "tournament" } | null {
  const [kind, id = ""] = about.split(":");
  if (!/^[0-9a-f-]{36}$/.test(id)) return null;
  if (kind === "game") return { href: `/games/${id}/`, kind };
  return kind === "tournament" ? { href: `/tournaments/${id}/`, kind } : null;
}

/** An amount with its sign, including plus, so that it does not depend on colour. */
export function signed(pence: number, currency: string): string {
  return pence > 0 ? `+${i18n.money(pence, currency)}` : i18n.money(pence, currency).replace(/^-/, "−");
}
