import type { Component, Snippet } from "svelte";
import type { Game, GameEvent, Move } from "../api/play";
import type { Suit } from "../cards/card";
import type { Part } from "../i18n/message";
import type { Hand } from "../table/hand.svelte";

/** The properties of every game's board. */
export interface BoardProps {
  game: Game;
  hand: Hand;
  play: (move: Move) => void;
  /** The last event of the state, if it is known. */
  last: GameEvent | undefined;
  /** The last event of each seat, as far as it is recent. */
  acts?: ReadonlyMap<number, GameEvent>;
  /** Who sits where, by seat. */
  name: (seat: number) => string;
  /** That the player of a seat has lost the connection, and how long ago; empty for one who is here. */
  absence?: (seat: number) => string;
  say: (text: string) => void;
  /** Milliseconds that the server took to answer last, for a game in which they matter. */
  latency?: number;
  /** The clock of who is to move, for a board that shows it next to the player. */
  clock?: Snippet;
  /** Whether the state is a past one, for which nothing is requested from the server. */
  replayed?: boolean;
}

export type Load<Module> = () => Promise<{ default: Module }>;
type Config = Readonly<Record<string, unknown>>;

/**
 * A game of the client: `games/<slug>/manifest.ts`. Its texts are the catalogues `<language>/board.ts`, for the first
 * load of its table, `<language>/about.ts`, for everything around it, and, in languages other than English,
 * `<language>/rules.ts`, the sentences of its rules. The manifests are part of the first load of every page with a game,
 * so they contain nothing that can be loaded later.
 */
export interface Manifest {
  /** A sign of the game, one character. */
  icon: string;
  /** The keys of the board, by what they do: the board obeys them, and help names them in its texts. */
  keys?: Readonly<Record<string, string>>;
  board: Load<Component<BoardProps>>;
  /** Parts of the catalogue that the board needs as well. */
  texts?: readonly Part[];
  /** Shown above the seats before the deal. */
  start?: Load<Component<StartProps>>;
  details: Load<Details>;
  /** The board shows the clock next to the player who is to move. */
  showsClock?: true;
  /** Players turn cards up themselves, or have it done for them. */
  flips?: true;
  /** A market may open on it until the deal. */
  takesBets?: true;
  /** The stake is one of the options, and is paid from a play session. */
  hasSession?: true;
  /** Something is chosen before each game, so that none is dealt with the usual settings. */
  isChosen?: true;
  /** Whether all players move at once: then a move applies to the state in which it arrives. */
  isSimultaneous?: (config: Config) => boolean;
}

/** What is on the table before the deal. */
export interface StartProps {
  game: Game;
  name: (seat: number) => string;
}

export interface MarketProps {
  game: Game;
  invite: string;
  /** Milliseconds by which the server's clock is ahead. */
  ahead: number;
}

export type SeatChoice = Component<{ free: readonly Suit[]; suit: Suit | undefined }, object, "suit">;

/** What the pages around a table need of a game. */
export interface Details {
  /** The packs before they are shuffled, by the label of their shuffle; missing where this client does not know them. */
  packs?: (seats: number) => Readonly<Record<string, readonly string[]>>;
  /** The result in a sentence; empty for a result that all games have, such as one winner. */
  outcome?: (game: Game) => string;
  /** The winners with what they won by, for the last event of a replay; empty where they are not named. */
  winners?: (game: Game) => string;
  /** Shown below the result. */
  result?: Component<{ game: Game }>;
  /** Shown below the actions that follow the result. */
  receipt?: Component<{ game: Game }>;
  /** A move in words, legal or not, without the table that it was meant for; empty for a move that all games have. */
  move?: (move: Config, game: Game) => string;
  /** What each player chooses on sitting down, where the options ask for it. */
  choice?: Load<SeatChoice>;
  /** The market of a game that can be bet on. */
  market?: Load<Component<MarketProps>>;
  /** The games of the play session from which this game is played, as a dialog. */
  history?: Load<Component<{ rules: string; close: () => void }>>;
  /** Selectors of the parts of the board that the tips `tip.<slug>.1` and so on are about. */
  tips?: readonly string[];
  /** Cards that illustrate a chapter of the help, with the text `picture.<slug>.<name>`. */
  pictures?: readonly Picture[];
  setup?: Setup;
  /** The label of an option, where the catalogue of the game has no text for its value. */
  optionLabel?: (key: string) => string;
  /** The sentences of the rules in English, shown instead of help where there is none. */
  rules?: readonly string[];
}

export interface Picture {
  chapter: string;
  name: string;
  cards: readonly string[];
}

/** How a new table of a game differs from the form that its options give. */
export interface Setup {
  /** The game is drawn at intervals, and its players have no time limits. */
  isDrawn?: true;
  /** The initial values of the form, where they are not the server's defaults. */
  initial?: { seats: number; config: Readonly<Record<string, string>> };
  /** Options without a meaning at a table with so many seats, and the values that they have there. */
  fixed?: (seats: number) => Config;
  /** Whether players can buy in. A pot goes to places, or, with `isPool`, to the seats of the winning suit. */
  hasBuyIn?: (config: Config, seats: number) => boolean;
  isPool?: true;
  /** Whether each player makes the choice of `Details`. */
  hasChoice?: (config: Config, seats: number) => boolean;
}
