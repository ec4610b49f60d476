import type { Round, TournamentRatingChange, Tournament } from "../api/tournaments";
import { i18n } from "../i18n/i18n.svelte";
import { PLAY_MONEY, readable } from "../i18n/format";

/** What an entrant is called whose name the reader may not see. */
export const unnamed = (entry: number | string): string => i18n.text("entrants.unnamed", { number: entry });

/** When tables of a round that are in play can be watched: each after its end, or all together if they share deals. */
export function hiddenText({ tables }: Round): string {
  const deals = tables.flatMap(({ games }) => games.map(({ deal }) => deal));
  return i18n.text(new Set(deals).size < deals.length ? "featured.shared" : "featured.own");
}

/** The name of a format; a plug-in's is made of its slug. */
export const formatName = (format: string): string => i18n.named(`format.${format}`, readable(format));

type Terms = Pick<Tournament, "format" | "seats" | "through" | "count" | "stages">;

/** The description of a format by its terms; empty for a format that this client does not know. */
export function words(terms: Terms): string {
  const { format, seats, through } = terms;
  switch (format) {
    case "duplicate":
      return i18n.text(terms.count === "matchpoints" ? "words.matchpoints" : "words.duplicate");
    case "swiss":
      return i18n.text("words.swiss", { seats });
    case "round-robin":
      return i18n.text("words.round-robin", { seats });
    case "knockout":
      return seats === 2 ? i18n.text("words.knockout") : i18n.text("words.knockoutTables", { seats, through });
    case "double-knockout":
      return seats === 2 ? i18n.text("words.double-knockout") : i18n.text("words.doubleTables", { seats, through });
    case "stages":
      return ofStages(terms);
    case "meeting":
      return i18n.text("words.meeting");
    default:
      return "";
  }
}

function ofStages({ stages }: Terms): string {
  const [first, second] = stages;
  if (!first) return "";
  const values = { qualify: first.qualify, groups: first.groups, count: first.groups };
  const text = i18n.text(first.format === "swiss" ? "words.stages.swiss" : "words.stages.round-robin", values);
  return second?.format === "double-knockout" ? `${text} ${i18n.text("words.stages.double")}` : text;
}

const IN_KNOCKOUT = "knockout-";

/** The name of a column of the standings. */
export function measureName(name: string): string {
  if (!name.startsWith(IN_KNOCKOUT)) return i18n.named(`measure.${name}`, readable(name));
  return i18n.text("measure.inKnockout", { name: measureName(name.slice(IN_KNOCKOUT.length)) });
}

/** The meaning of a column of the standings; the server's text if the catalogue has none. */
export function meaningOf(name: string, format: string, otherwise: string): string {
  if (name.startsWith(IN_KNOCKOUT)) return meaningOf(name.slice(IN_KNOCKOUT.length), format, otherwise);
  return i18n.named(`meaning.${format}.${name}`, i18n.named(`meaning.${name}`, otherwise));
}

const IN_PLAY_MONEY = new Set(["bank", "best", "returned", "staked"]);

const REACHED = new Set(["group-place", "place", "round"]);

/** Whether a column of the standings says how far an entrant has come: nothing before a round is closed. */
export const isReached = (name: string): boolean => REACHED.has(name);

/** A value of the standings in the user's locale. */
export function measured(name: string, value: number): string {
  return IN_PLAY_MONEY.has(name) ? i18n.money(value, PLAY_MONEY) : i18n.number(value);
}

/** The same in a column, whose width is for the number alone. */
export function figure(name: string, value: number): string {
  return IN_PLAY_MONEY.has(name) ? i18n.amount(value, PLAY_MONEY) : i18n.number(value);
}

/** The change of a rating, with its sign. */
export function gained({ before, after }: TournamentRatingChange): string {
  const change = after.rating - before.rating;
  return `${change < 0 ? "−" : change > 0 ? "+" : "±"}${i18n.number(Math.abs(change))}`;
}
