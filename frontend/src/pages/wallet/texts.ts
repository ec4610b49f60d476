import type { Line, Wallet } from "../../api/wallet";
import { site } from "../../api/site";
import { i18n } from "../../i18n/i18n.svelte";

type Named = Line["name"];

/** What a line or a hold is about: the title of the tournament, or the name of the game. */
export const title = (name: Named): string => name?.title ?? (name?.rules ? site.gameName(name.rules) : "");

/** The reason of a transfer: translated if it is one of the server's standard reasons, else as given. */
export function reason(text: string): string {
  return i18n.named(`reason.${text}`, text);
}

/** What a line of the statement was for, in words. */
export function words({ purpose, reason, reference, name }: Line): string {
  const { cards = null, place = null } = name ?? {};
  const values = { name: title(name) || i18n.text("line.unnamed"), reason, reference: reference ?? "" };
  if (purpose === "winnings" && cards !== null) return i18n.text("line.won", { ...values, count: cards });
  if (purpose === "prize" && place !== null) return i18n.text("line.placed", { ...values, place });
  return i18n.named(`line.${purpose}`, reason, values);
}

/** Why an amount is held, in words. */
export const heldWhy = ({ reason, name, subject }: NonNullable<Wallet["holds"]>[number]): string =>
  i18n.named(title(name) ? `held.${reason}.of` : `held.${reason}`, subject, { name: title(name) });

/** The page of what a line is about: a game, a tournament, or the payouts. */
export function leads(about: string): string | null {
  const [kind, id = ""] = about.split(":");
  if (!/^[0-9a-f-]{36}$/.test(id)) return null;
  if (kind === "game") return `/games/${id}/`;
  if (kind === "tournament") return `/tournaments/${id}/`;
  return kind === "payout" || kind === "payout-batch" ? "/wallet/payouts/" : null;
}
