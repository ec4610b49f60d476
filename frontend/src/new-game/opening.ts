import { newId } from "@racecard/client";
import { availableBalance } from "../api/availableBalance.svelte";
import * as play from "../api/play";
import { session } from "../api/session.svelte";
import { site } from "../api/site";
import { countdownOf, loadDetails } from "../games/registry";
import { router } from "../router.svelte";
import { defaults, filled, optionsOf } from "./options";

/** Sit down at a table that was opened, and deal if it is full, in a race after a countdown. */
export async function takeSeat(game: string, seed = "", suit: string | null = null): Promise<void> {
  const seated = await play.sit(game, seed, "", suit);
  if (seated.status === "open" && seated.seats.every(({ player }) => player !== null)) await play.start(game, countdownOf(seated));
}

/** Open a table and show it. Readers without a session become guests, whose pages are loaded again with their session. */
export async function enter(open: () => Promise<string>): Promise<void> {
  const isNew = !site.hasSession;
  if (isNew) await session.beGuest();
  const address = `/games/${await open()}/`;
  if (isNew) return location.assign(address);
  void availableBalance.refresh();
  router.go(address);
}

/** Deal a game for points with the usual settings, against bots where it is not played alone. */
export function playNow(slug: string): Promise<void> {
  return enter(async () => {
    const [games] = await Promise.all([play.rules(), loadDetails(slug)]);
    const rules = games.find((one) => one.slug === slug);
    if (!rules) throw new Error(slug);
    const seats = Math.min(...rules.seats);
    const config = filled(defaults(optionsOf(rules.config_schema, rules.options)));
    const bots = Array.from({ length: Math.max(0, seats - 1) }, (_, index) => index + 1);
    const { id } = await play.create({ rules: slug, config: { ...config, ...(rules.stakes === "bank" ? { stake: 0 } : {}) }, seats, bots }, newId());
    if (seats > 0) await takeSeat(id);
    return id;
  });
}
