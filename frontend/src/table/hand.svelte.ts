import type { Move } from "../api/play";
import { isHidden } from "../cards/card";
import { isDue, predict, predicted, type Flight } from "./flight";
import { NOTHING, type Layout, type Pile, type Route } from "./routes";

export type Spot = Readonly<{ pile: string; at: number }>;

/** False once the move is refused; null at once where nothing is sent. */
export type Send = (move: Move) => Promise<boolean> | null;

/** What is taken in hand, and where the server's legal moves let it go. It knows no rule of any game. */
export class Hand {
  #source = $state.raw<() => Layout>(() => NOTHING);
  #taken = $state.raw<Spot | null>(null);
  /** Taken by dragging, which may try what is not legal. */
  #isLifted = false;
  #sent = $state.raw<Flight | null>(null);
  readonly #send: Send;
  readonly #isLate: () => boolean;

  constructor(send: Send, isLate: () => boolean = () => false) {
    this.#send = send;
    this.#isLate = isLate;
  }

  /** The table as drawn, derived from each new view of the server. */
  deal(source: () => Layout): void {
    this.#source = source;
  }

  readonly layout = $derived(this.#source());

  /** The move that is on its way, as far as it can be shown before it is answered. */
  readonly flight = $derived(this.#sent && isDue(this.#sent, this.layout) ? this.#sent : null);

  /** What was taken stays so only while it can still go somewhere. */
  readonly taken = $derived(this.#taken && (this.#isLifted || this.canTake(this.#taken)) ? this.#taken : null);

  /** Whether the move under way takes noticeably long. */
  get isLate(): boolean {
    return this.#isLate();
  }

  /** What the last move took, so that a refusal can say where it may go instead. */
  tried = $state.raw<Spot | null>(null);

  /** Piles on which what is taken may be laid. */
  readonly targets = $derived.by(() => {
    const { taken } = this;
    return new Set(taken ? this.#from(taken).map(({ to }) => to) : []);
  });

  /** A pile as it is to be drawn now. */
  shown(pile: Pile): Pile {
    return this.flight ? predicted(pile, this.flight) : pile;
  }

  canTake(spot: Spot): boolean {
    return this.#from(spot).length > 0;
  }

  /** What may be lifted to try: the server says why it may not lie where it is let go. */
  canLift(spot: Spot): boolean {
    if (this.canTake(spot)) return true;
    const { attempt, piles = [] } = this.layout;
    const card = piles.find(({ id }) => id === spot.pile)?.cards[spot.at];
    return attempt !== undefined && card !== undefined && !isHidden(card);
  }

  canPress(pile: string): boolean {
    return this.layout.presses.some((press) => press.pile === pile);
  }

  isTaken(pile: string, at: number): boolean {
    return this.taken?.pile === pile && at >= this.taken.at;
  }

  take(spot: Spot | null): void {
    this.#isLifted = false;
    this.#taken = spot;
  }

  lift(spot: Spot): void {
    this.#isLifted = true;
    this.#taken = spot;
  }

  /** Lay down what is taken. False where it may not lie; the server is asked why, where it can be. */
  lay(pile: string): boolean {
    const { taken } = this;
    if (!taken || taken.pile === pile) return false;
    const route = this.#from(taken).find(({ to }) => to === pile);
    if (route) return this.#play(route.move, taken, pile);
    const move = this.layout.attempt?.(taken.pile, taken.at, pile);
    if (move) this.#play(move, taken);
    return false;
  }

  /** A click or a key on a pile or one of its cards. False where nothing can be done there. */
  touch({ pile, at }: Spot): boolean {
    const { taken } = this;
    if (taken && this.targets.has(pile)) return this.lay(pile);
    if (taken?.pile === pile && taken.at === at) {
      this.take(null);
      return true;
    }
    if (this.canTake({ pile, at })) {
      this.take({ pile, at });
      return true;
    }
    if (this.canPress(pile)) {
      this.take(null);
      return this.press(pile);
    }
    const isTried = taken !== null && this.layout.attempt?.(taken.pile, taken.at, pile) != null;
    this.lay(pile);
    this.take(null);
    return isTried;
  }

  /** Straight home: to a pile whose name begins so, if the card may go to one. */
  send(spot: Spot, home: string): boolean {
    const route = this.#from(spot).find(({ to }) => to.startsWith(home));
    return route !== undefined && this.#play(route.move, spot);
  }

  /** Straight home: what is taken, else the first top card of these piles that may go there. */
  sendFirst(piles: readonly Pile[], home: string): boolean {
    const spots = this.taken ? [this.taken] : piles.map(({ id, cards }) => ({ pile: id, at: cards.length - 1 }));
    return spots.some((spot) => this.send(spot, home));
  }

  press(pile: string): boolean {
    const press = this.layout.presses.find((one) => one.pile === pile);
    return press !== undefined && this.#play(press.move, null);
  }

  /** What is dropped because another move is under way stays in hand. */
  #play(move: Move, spot: Spot | null, pile?: string): true {
    const answer = this.#send(move);
    if (!answer) return true;
    this.tried = spot;
    this.take(null);
    this.#sent = predict(this.layout, move, pile);
    void answer.then(() => (this.#sent = null));
    return true;
  }

  #from({ pile, at }: Spot): Route[] {
    return this.layout.routes.filter((route) => route.from === pile && route.at === at);
  }
}
