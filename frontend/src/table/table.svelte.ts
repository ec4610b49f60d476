import { newId } from "../api/client";
import * as play from "../api/play";
import type { Game, GameEvent, Move, Played } from "../api/play";
import { fromFault, Problem } from "../api/problem";
import { feed } from "../live/page";
import { stream } from "../live/stream";

/** Milliseconds after which a move that is under way is shown as pending, as slow, and is asked about again. */
export const PENDING_AFTER = 150;
export const SLOW_AFTER = 1000;
export const ASK_AGAIN_AFTER = 5000;
const ATTEMPTS = 4;
const BETWEEN = 500;
const POLL = 3000;

export type Pace = "still" | "sent" | "pending" | "slow";
export type Tell = (events: readonly GameEvent[]) => void;

/** A table as this browser sees it: the server's last word, and the one move that is on its way. */
export class Table {
  game = $state.raw<Game>();
  /** Why the table could not be loaded or followed. */
  problem = $state.raw<Problem>();
  /** Why the last move was not accepted; nothing on the table has changed by it. */
  refused = $state.raw<Problem>();
  pace = $state<Pace>("still");
  readonly id: string;
  readonly invite: string;
  readonly #tell: Tell;
  #refreshing: Promise<void> | null = null;
  #again = false;

  constructor(id: string, invite: string, tell: Tell) {
    this.id = id;
    this.invite = invite;
    this.#tell = tell;
  }

  get version(): number {
    return this.game?.version ?? 0;
  }

  /** Load the table and keep it fresh until the answer is called. */
  start(): () => void {
    void this.refresh();
    const drop = stream.follow(
      `game:${this.id}`,
      () => this.version,
      (version, event) => {
        if (version <= this.version) return;
        if (event) this.#tell([event as GameEvent]);
        void this.refresh();
      },
    );
    const deaf = stream.onState((state) => {
      if (state === "reconnecting") feed.report("failed");
      if (state === "live") void this.refresh();
    });
    // Who is not signed in has no stream, and a stream may be cut: asking now and then finds what it did not tell.
    const timer = setInterval(() => {
      if (document.visibilityState === "visible" && !this.isOver) void this.refresh();
    }, POLL);
    return () => {
      clearInterval(timer);
      deaf();
      drop();
    };
  }

  get isOver(): boolean {
    return this.game?.status === "finished" || this.game?.status === "void";
  }

  /** The table as it is now. Calls that come while one is under way make one more, whoever asked. */
  refresh(): Promise<void> {
    if (this.#refreshing) {
      this.#again = true;
      return this.#refreshing;
    }
    this.#refreshing = this.#load().finally(() => {
      this.#refreshing = null;
      if (this.#again) {
        this.#again = false;
        void this.refresh();
      }
    });
    return this.#refreshing;
  }

  async #load(): Promise<void> {
    try {
      this.take(await play.game(this.id, this.invite));
      this.problem = undefined;
      feed.report("answered");
    } catch (fault) {
      this.problem = fromFault(fault);
      feed.report(this.problem.isConnection ? "failed" : "answered");
    }
  }

  /** An answer that is older than what is known changes nothing. */
  take(game: Game): void {
    if (!this.game || game.version >= this.game.version) this.game = game;
  }

  get canMove(): boolean {
    return this.pace === "still" && (this.game?.legal_moves.length ?? 0) > 0;
  }

  /** Send a move. One at a time: what is clicked while one is under way is not queued, since it was meant for another state. */
  async play(move: Move): Promise<boolean> {
    const game = this.game;
    if (!game || this.pace !== "still") return false;
    this.refused = undefined;
    this.pace = "sent";
    const pending = setTimeout(() => (this.pace = "pending"), PENDING_AFTER);
    const slow = setTimeout(() => (this.pace = "slow"), SLOW_AFTER);
    try {
      this.#accept(game, await this.#send(game, move));
      return true;
    } catch (fault) {
      this.refused = fromFault(fault);
      await this.refresh();
      return false;
    } finally {
      clearTimeout(pending);
      clearTimeout(slow);
      this.pace = "still";
    }
  }

  /** The same key each time: a move whose answer was lost is told again, and never made twice. */
  async #send(game: Game, move: Move): Promise<Played> {
    const key = newId();
    const version = raced(game) ? null : game.version;
    for (let attempt = 1; ; attempt += 1) {
      const signal = AbortSignal.timeout(ASK_AGAIN_AFTER);
      try {
        return await play.move(this.id, move, { key, version, signal });
      } catch (fault) {
        const problem = fromFault(fault);
        if (!problem.isConnection || attempt === ATTEMPTS) throw problem;
        await new Promise((resolve) => setTimeout(resolve, BETWEEN * attempt));
      }
    }
  }

  #accept(before: Game, { version, hash, view, legal_moves, events }: Played): void {
    if (version > this.version) this.game = { ...before, version, hash, view, legal_moves };
    this.#tell(events);
    // Whose turn it is, how it ended and the clocks are not in the answer to a move.
    if (before.seats.length > 1 || events.some(({ type }) => type === "finished")) void this.refresh();
  }
}

/** Where all play at once every move stands on the state in which it arrives (RULEBOOK 6 (5)). */
function raced(game: Game): boolean {
  return game.rules === "racing-demons" && game.config["pace"] !== "turns";
}
