import { i18n } from "../i18n/i18n.svelte";
import type { Draft } from "./draft.svelte";

/** What is wrong with a term, in the reader's language; empty if nothing is. */
export function faultText(draft: Draft, term: string): string {
  const said = draft.fault(term);
  return said && i18n.named(`wizard.fault.${term}`, said);
}

/** The step on which each term is asked for. */
const STEPS: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    ["capacity", "fewest", "waiting_list", "fill_to", "late_until", "check_in_seconds", "no_show_seconds"].map((term) => [term, 2]),
  ),
  ...Object.fromEntries(["opens_at", "time_zone", "round_seconds", "gap_seconds", "round_times"].map((term) => [term, 3])),
  ...Object.fromEntries(["fee", "rake", "prizes", "amounts", "guarantee", "entrants"].map((term) => [term, 4])),
};

/** The steps with a fault; those of the first are terms that no other step asks for. */
export function faultySteps(draft: Draft): ReadonlySet<number> {
  const found = new Set((draft.preview?.faults ?? []).map(({ field }) => STEPS[field] ?? 1));
  if (draft.preview && draft.lacksName) found.add(1);
  return found;
}
