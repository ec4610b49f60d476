import type { DisputeLine } from "../../api/disputes";
import { i18n } from "../../i18n/i18n.svelte";

/** The state of a dispute, with the ruling in force if there is one. */
export function standing({ status, finding, remedy }: DisputeLine): string {
  const state = i18n.text(`dispute.state.${status}`);
  if (!finding || !remedy) return state;
  return `${state}: ${i18n.text(`dispute.finding.${finding}`)}, ${i18n.text(`dispute.remedy.${remedy}`)}`;
}
