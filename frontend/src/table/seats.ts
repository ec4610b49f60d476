import type { Game } from "../api/play";
import { readable } from "../i18n/format";
import { i18n } from "../i18n/i18n.svelte";

/** The seats of a table; in a tournament bots have names. */
interface Seated {
  seat: number | null;
  seats: Game["seats"];
  tournament: unknown;
}

/** The name of a seat: "You", the player, the bot, or the seat's number if there is no name. */
export function seatName(game: Seated, seat: number): string {
  if (seat === game.seat) return i18n.text("seat.you");
  const own = called(game, seat);
  const isShared = game.seats.some((other) => other.seat !== seat && called(game, other.seat) === own);
  return isShared || own === i18n.text("seat.you") ? i18n.text("seat.one", { name: own, seat: seat + 1 }) : own;
}

function called({ seats, tournament }: Seated, seat: number): string {
  const taken = seats[seat];
  if (taken?.kind === "bot") {
    if (taken.owner) return i18n.text("seat.owned", { name: taken.name ?? "", owner: taken.owner.name ?? "" });
    if (tournament) return /^Bot \d+$/.test(taken.name ?? "") ? (taken.name ?? "") : i18n.text("seat.bot", { name: taken.name ?? "" });
    const { bot } = taken;
    return i18n.text("seat.house", { seat: seat + 1, bot: i18n.named(`bot.${bot}`, readable(bot ?? "").toLowerCase()) });
  }
  return taken?.name ?? i18n.text("seat.number", { seat: seat + 1 });
}

/** A name, and what is added to it in parentheses, such as the strength of a bot, for which there is not always room. */
export function nameParts(name: string): readonly [name: string, addition: string] {
  const end = name.indexOf(" (");
  return end > 0 ? [name.slice(0, end), name.slice(end)] : [name, ""];
}

/** Several of them in one sentence. */
export function seatNames(game: Seated, seats: readonly number[]): string {
  const names = seats.map((seat) => (seat === game.seat ? i18n.text("seat.youToo") : seatName(game, seat)));
  return i18n.list(names);
}
