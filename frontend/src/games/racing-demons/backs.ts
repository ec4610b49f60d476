import { BACKS, type Back } from "../../table/appearance.svelte";

/** A back for every seat, all different: the reader's own as chosen, the others in the order of the list. */
export function backsOf(seats: number, own: number | null, chosen: Back): Back[] {
  const others = BACKS.filter((back) => own === null || back !== chosen);
  return Array.from({ length: seats }, (_, seat) => {
    if (seat === own) return chosen;
    const place = own !== null && seat > own ? seat - 1 : seat;
    return others[place % others.length] ?? chosen;
  });
}
