import type { Component } from "svelte";
import type { Game, GameEvent, Move } from "../api/play";
import type { Hand } from "../table/hand.svelte";

/** What every game's table is given: the server's word, what is in hand, and a way to send a move. */
export interface BoardProps {
  game: Game;
  hand: Hand;
  play: (move: Move) => void;
  /** The last event of the state, if it is known. */
  last: GameEvent | undefined;
  /** Who sits where, by seat. */
  name: (seat: number) => string;
  say: (text: string) => void;
  /** Whether the state is a past one, for which nothing is requested from the server. */
  replayed?: boolean;
}

export type BoardComponent = Component<BoardProps>;

export type MarketPanelComponent = Component<{ game: Game; invite: string }>;
