import { readable } from "../i18n/format";

/** A game of the installation; `players` is the number of seats of its largest table. */
interface GameName {
  slug: string;
  name: string;
  players: number;
}

/** Data that the server wrote into the document for this user. */
export const site = {
  /** Whether the reader plays here, with an account or as a guest. */
  get hasSession(): boolean {
    return Boolean(document.documentElement.dataset["session"]);
  },
  get hasAccount(): boolean {
    return document.documentElement.dataset["session"] === "open";
  },
  get isGuest(): boolean {
    return document.documentElement.dataset["session"] === "guest";
  },
  /** Whether readers without an account can play as guests. */
  get admitsGuests(): boolean {
    return Boolean(document.documentElement.dataset["guests"]);
  },
  get currency(): string {
    return document.documentElement.dataset["currency"] || "XTS";
  },
  /** Every game of the installation, those for one player first. */
  get games(): readonly GameName[] {
    const games = JSON.parse(document.documentElement.dataset["games"] || "[]") as GameName[];
    return games.sort((one, other) => one.players - other.players);
  },
  /** The name of a game, also of one that the installation no longer has. */
  gameName(slug: string): string {
    return this.games.find((game) => game.slug === slug)?.name ?? readable(slug);
  },
};
