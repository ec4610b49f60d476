import type { Component } from "svelte";
import type { Game, GameEvent, Move } from "../api/play";
import type { Hand } from "../table/hand.svelte";

/** What every game's table is given: the server's word, what is in hand, and a way to send a move. */
export interface BoardProps {
  game: Game;
  hand: Hand;
  play: (move: Move) => void;
  /** The event that the table stands on, where it is known. */
  last: GameEvent | undefined;
  /** Who sits where, by seat. */
  name: (seat: number) => string;
  say: (text: string) => void;
  /** The state is one of the past: nothing is asked of the house about it. */
  replayed?: boolean;
}

export type BoardComponent = Component<BoardProps>;

export type BesideComponent = Component<{ game: Game; invite: string }>;
