import { site } from "../api/site";
import type { TournamentLine } from "../api/tournaments";
import { i18n } from "../i18n/i18n.svelte";
import { readable } from "../i18n/format";
import type { Key } from "../i18n/message";

/** A text whose key is made from data, or `otherwise` if the catalogue has none. */
export function named(key: string, otherwise: string): string {
  return i18n.has(key) ? i18n.text(key as Key) : otherwise;
}

/** The name of a format; a plug-in's is made of its slug. */
export const formatName = (format: string): string => named(`format.${format}`, readable(format));

/** The facts of a tournament in a list, as names and values. */
export function facts(event: TournamentLine): [string, string][] {
  const starts = event.started_at ?? event.opens_at;
  return [
    [i18n.text("tournaments.game"), site.gameName(event.rules)],
    [i18n.text("tournaments.format"), formatName(event.format)],
    [
      i18n.text("tournaments.fee"),
      event.fee > 0 ? i18n.money(event.fee, event.currency) : i18n.text("tournaments.feeNone"),
    ],
    [
      i18n.text("tournaments.entrants"),
      i18n.text("tournaments.entrantsValue", { count: event.entries, limit: event.capacity }),
    ],
    ...(event.rounds > 0 ? [[i18n.text("tournaments.rounds"), i18n.number(event.rounds)] as [string, string]] : []),
    [i18n.text("tournaments.starts"), starts ? i18n.moment(starts) : i18n.text("tournaments.startsByHand")],
  ];
}
