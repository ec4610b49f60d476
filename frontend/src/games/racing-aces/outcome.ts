import type { Game } from "../../api/play";
import { SUITS, type Suit } from "../../cards/card";
import { i18n } from "../../i18n/i18n.svelte";
import { seatName } from "../../table/seats";

interface Known {
  winner: Suit | null;
  suits?: Suit[];
  winners?: number[];
  /** Cards by suit, the aces included. */
  rows: Record<Suit, number>;
}

/** Who races with a suit, the reader first; `suits` are those of the seats. */
export function players(game: Game, suits: readonly (string | null)[], suit: Suit, name: (seat: number) => string): string {
  const seats = suits.flatMap((one, seat) => (one === suit ? [seat] : []));
  return i18n.list(seats.sort((one, other) => Number(other === game.seat) - Number(one === game.seat)).map(name));
}

/** The winners of a race with chosen suits, by name; empty where no suit has won, and where seats have none. */
export function winnersText(game: Game): string {
  const { winner, suits, winners = [] } = game.outcome as unknown as Known;
  if (!winner || !suits) return "";
  const suit = i18n.text(`suit.${winner}`);
  const names = i18n.list(winners.filter((seat) => seat !== game.seat).map((seat) => seatName(game, seat)));
  if (winners.length === 0) return i18n.text("race.winsNone", { suit });
  if (game.seat === null || !winners.includes(game.seat)) return i18n.text("race.wins", { count: winners.length, names, suit });
  return names ? i18n.text("race.winsYouAnd", { names, suit }) : i18n.text("race.winsYou", { suit });
}

/** The payouts of such a race, a line each; none without stakes. */
export function shares(game: Game): string[] {
  const { suits } = game.outcome as unknown as Known;
  const pot = game.pot;
  if (!suits || !pot?.paid) return [];
  if (pot.status === "void") return [i18n.text("race.stakesBack")];
  const paid = pot.paid.filter(({ amount }) => amount > 0);
  return paid.map(({ seat, amount }) =>
    i18n.text("race.share", { name: seatName(game, seat), amount: i18n.money(amount, pot.currency) }),
  );
}

/** The winning suit of a race without chosen suits. */
export function suitText(game: Game): string {
  const { winner } = game.outcome as unknown as Known;
  return winner
    ? i18n.text("outcome.racing-aces.suit", { suit: i18n.text(`suit.${winner}`) })
    : i18n.text("outcome.racing-aces.no-winner");
}

interface Finisher {
  suit: Suit;
  cards: number;
  /** Cards that it was short of the line. */
  behind: number;
  hasWon: boolean;
}

/** The suits in the order in which they finished. */
export function finish(game: Game): Finisher[] {
  const { winner, rows } = game.outcome as unknown as Known;
  const line = Number(game.config["finish_line"]);
  const came = SUITS.map((suit) => ({ suit, cards: rows[suit], behind: Math.max(0, line - rows[suit]), hasWon: suit === winner }));
  return came.sort((one, other) => Number(other.hasWon) - Number(one.hasWon) || other.cards - one.cards);
}
