import type { Game } from "../api/play";
import { i18n } from "../i18n/i18n.svelte";
import type { Key } from "../i18n/message";

/** A table as far as it tells who sits there; in a tournament the house's players have names of their own. */
interface Seated {
  seat: number | null;
  seats: Game["seats"];
  tournament: unknown;
}

/** What a seat is called: "You", who sits there, the house's bot, or the seat by its number where no name is told. */
export function seatName(game: Seated, seat: number): string {
  if (seat === game.seat) return i18n.text("seat.you");
  const own = called(game, seat);
  const isShared = game.seats.some((other) => other.seat !== seat && called(game, other.seat) === own);
  return isShared || own === i18n.text("seat.you") ? i18n.text("seat.one", { name: own, seat: seat + 1 }) : own;
}

function called({ seats, tournament }: Seated, seat: number): string {
  const taken = seats[seat];
  if (taken?.kind === "bot") {
    if (tournament) return i18n.text("seat.bot", { name: taken.name ?? "" });
    const bot = `bot.${taken.bot ?? ""}` as Key;
    return i18n.text("seat.house", { seat: seat + 1, bot: i18n.has(bot) ? i18n.text(bot) : (taken.bot ?? "") });
  }
  return taken?.name ?? i18n.text("seat.number", { seat: seat + 1 });
}

/** Several of them in one sentence. */
export function seatNames(game: Seated, seats: readonly number[]): string {
  const names = seats.map((seat) => (seat === game.seat ? i18n.text("seat.youToo") : seatName(game, seat)));
  return i18n.list(names);
}
