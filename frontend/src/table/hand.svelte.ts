import { untrack } from "svelte";
import type { Move } from "../api/play";
import { NOTHING, type Layout, type Route } from "./routes";

export type Spot = Readonly<{ pile: string; at: number }>;

/** What is taken in hand, and where the server's legal moves let it go. It knows no rule of any game. */
export class Hand {
  layout = $state.raw<Layout>(NOTHING);
  taken = $state.raw<Spot | null>(null);
  readonly #play: (move: Move) => void;

  constructor(play: (move: Move) => void) {
    this.#play = play;
  }

  /** Piles on which what is taken may be laid. */
  readonly targets = $derived.by(() => {
    const { taken } = this;
    return new Set(taken ? this.#from(taken).map(({ to }) => to) : []);
  });

  canTake(spot: Spot): boolean {
    return this.#from(spot).length > 0;
  }

  canPress(pile: string): boolean {
    return this.layout.presses.some((press) => press.pile === pile);
  }

  isTaken(pile: string, at: number): boolean {
    return this.taken?.pile === pile && at >= this.taken.at;
  }

  /** A new state of the table: what was taken stays so only if it can still go somewhere. */
  deal(layout: Layout): void {
    untrack(() => {
      this.layout = layout;
      if (this.taken && !this.canTake(this.taken)) this.taken = null;
    });
  }

  take(spot: Spot | null): void {
    this.taken = spot;
  }

  /** Lay down what is taken; false where it may not lie. */
  lay(pile: string): boolean {
    const route = this.taken ? this.#from(this.taken).find(({ to }) => to === pile) : undefined;
    if (!route) return false;
    this.taken = null;
    this.#play(route.move);
    return true;
  }

  /** A click or a key on a pile or one of its cards. False where nothing can be done there. */
  touch({ pile, at }: Spot): boolean {
    if (this.taken && this.lay(pile)) return true;
    if (this.taken?.pile === pile && this.taken.at === at) {
      this.taken = null;
      return true;
    }
    if (this.canTake({ pile, at })) {
      this.taken = { pile, at };
      return true;
    }
    this.taken = null;
    const press = this.layout.presses.find((one) => one.pile === pile);
    if (press) this.#play(press.move);
    return press !== undefined;
  }

  /** Straight home: to a pile whose name begins so, if the card may go to one. */
  send(spot: Spot, home: string): boolean {
    const route = this.#from(spot).find(({ to }) => to.startsWith(home));
    if (!route) return false;
    this.taken = null;
    this.#play(route.move);
    return true;
  }

  press(pile: string): boolean {
    const press = this.layout.presses.find((one) => one.pile === pile);
    if (press) this.#play(press.move);
    return press !== undefined;
  }

  #from({ pile, at }: Spot): Route[] {
    return this.layout.routes.filter((route) => route.from === pile && route.at === at);
  }
}
