import * as play from "../../api/play";
import type { Game } from "../../api/play";
import { i18n } from "../../i18n/i18n.svelte";
import { readable } from "../../i18n/format";
import { seatNames } from "../../table/seats";
import type { Details } from "../manifest";

interface Outcome {
  result?: string;
  winners?: number[];
  /** Lists of seats, the best place first. */
  places?: number[][];
}

/** The details of a game that this client does not know, from the server's catalogue, in English. */
export default async function details(slug: string): Promise<Details> {
  const rules = (await play.rules()).find((one) => one.slug === slug);

  /** The result in the game's words, then the winners. */
  function outcome({ outcome: ended, ...game }: Game): string {
    const { result = "", places = [], winners = places[0] ?? [] } = ended as unknown as Outcome;
    const words = rules?.results[result] ?? readable(result);
    const names = winners.length > 0 ? i18n.text("outcome.winners", { count: winners.length, names: seatNames(game, winners) }) : "";
    return [words && `${words}.`, names].filter(Boolean).join(" ");
  }

  const { properties = {} } = (rules?.config_schema ?? {}) as { properties?: Record<string, { title?: string }> };
  const optionLabel = (key: string) => properties[key]?.title ?? readable(key);

  return { outcome, optionLabel, rules: rules?.rulings.map(({ text }) => text.replace(/`([^`]*)`/g, "“$1”")) ?? [] };
}
