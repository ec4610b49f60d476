import { fromFault, newId, Problem, retrying, type StreamState } from "@racecard/client";
import * as play from "../api/play";
import type { Game, GameEvent, Move, Played } from "../api/play";
import { isRace, manifest } from "../games/registry";
import { coalesced } from "../live/coalesce";
import { feed } from "../live/feed.svelte";
import { stream } from "../live/stream";
import { site } from "../api/site";

/** Milliseconds after which a move that is under way is marked, is shown as slow, and is asked about again. */
const PENDING_AFTER = 150;
const SLOW_AFTER = 1000;
const ASK_AGAIN_AFTER = 5000;
/** After so long without any answer a move is given up; the table as it is then tells whether it was made. */
const GIVEN_UP_AFTER = 60_000;
const POLL = 3000;
/** Of so many events before the present one it is shown who did what. */
const RECENT = 12;
const STALE = 412;

export type Pace = "still" | "sent" | "pending" | "slow";
type Tell = (events: readonly GameEvent[]) => void;

/** A table as this browser knows it: the server's last state, and the one move that is under way. */
export class Table {
  game = $state.raw<Game>();
  /** Why the table could not be loaded or followed. */
  problem = $state.raw<Problem>();
  /** Why the last move was not accepted; nothing on the table has changed by it. */
  refused = $state.raw<Problem>();
  /** Events of others, or of the server, that made the last move too late. */
  missed = $state.raw<readonly GameEvent[]>([]);
  /** The last event of the current state, if it is known. */
  last = $state.raw<GameEvent>();
  /** The last event of each seat, as far as it is recent. */
  acts = $state.raw<ReadonlyMap<number, GameEvent>>(new Map());
  /** What was heard or recalled, for the log, which orders it. */
  heard = $state.raw<readonly GameEvent[]>([]);
  pace = $state<Pace>("still");
  /** Milliseconds by which the server's clock is ahead of the reader's. */
  ahead = 0;
  /** Milliseconds to the answer to the last move or request. */
  latency = $state(0);
  readonly id: string;
  readonly invite: string;
  readonly #tell: Tell;
  #announced = 0;
  #stream = $state<StreamState>("connecting");

  constructor(id: string, invite: string, tell: Tell) {
    this.id = id;
    this.invite = invite;
    this.#tell = tell;
  }

  get version(): number {
    return this.game?.version ?? 0;
  }

  /** Load the table and keep it fresh until the returned function is called. Earlier events are not announced. */
  start(): () => void {
    let isGone = false;
    let drop = () => {};
    void this.refresh().then(() => {
      if (!isGone && site.hasSession) drop = this.#follow();
    });
    // Without a session there is no stream, a stream may be cut, and some changes are no events; then the table is polled.
    const timer = setInterval(() => {
      const isAlone = !site.hasSession || this.#stream !== "live" || this.#awaitsMarket;
      if (!isAlone || document.visibilityState !== "visible" || this.isOver) return;
      if (this.#stream === "closed") stream.again();
      void this.refresh();
    }, POLL);
    const onOnline = () => void this.refresh();
    addEventListener("online", onOnline);
    return () => {
      isGone = true;
      removeEventListener("online", onOnline);
      clearInterval(timer);
      drop();
    };
  }

  #follow(): () => void {
    const deaf = stream.onState((state) => {
      const wasCut = this.#stream === "reconnecting" || this.#stream === "closed";
      this.#stream = state;
      if (state === "reconnecting") feed.report("failed");
      if (state === "live" && wasCut) void this.refresh();
    });
    const drop = stream.follow(
      `game:${this.id}`,
      () => this.version,
      (version, event) => {
        if (event) this.#hear([event as GameEvent]);
        // The response to a move that is under way contains this event.
        if (version > this.version && this.pace === "still") void this.refresh();
      },
      () => void this.refresh(),
    );
    return () => {
      deaf();
      drop();
    };
  }

  /** The opening of a market is no event of the game. */
  get #awaitsMarket(): boolean {
    const { game } = this;
    return game?.status === "open" && !game.market && !game.private && (manifest(game.rules)?.takesBets ?? false);
  }

  /** Whether the move under way takes noticeably long. */
  get isLate(): boolean {
    return this.pace === "pending" || this.pace === "slow";
  }

  get isOver(): boolean {
    return this.game?.status === "finished" || this.game?.status === "void";
  }

  /** The table as it is now. */
  readonly refresh = coalesced(() => this.#load());

  async #load(): Promise<void> {
    const isFirst = !this.game;
    const began = performance.now();
    try {
      const game = await play.game(this.id, this.invite);
      this.latency = performance.now() - began;
      this.ahead = Date.parse(game.clock.now) - Date.now();
      this.take(game);
      if (isFirst) this.#announced = game.version;
      this.problem = undefined;
    } catch (fault) {
      this.problem = fromFault(fault);
      if (this.problem.isConnection) feed.report("failed");
    }
  }

  /** An answer that is older than what is known changes nothing. */
  take(game: Game): void {
    if (!this.game || game.version >= this.game.version) this.game = game;
  }

  /** Whether the last events are loaded when the table is opened: for a player of an active game. */
  get recalls(): boolean {
    return this.game?.status === "active" && this.game.seat !== null;
  }

  /** Load the last event if it is not known, such as after the page was opened. */
  async recall(): Promise<void> {
    const { version } = this;
    // An event that was heard is ahead of its state for a moment.
    if ((this.last?.version ?? 0) >= version || version === 0) return;
    try {
      const recent = await play.events(this.id, Math.max(0, version - RECENT), this.invite);
      const event = recent.at(-1);
      if (!event || event.version !== this.version) return;
      this.last = event;
      this.#attribute(recent);
    } catch {
      // Nothing depends on this event.
    }
  }

  /**
   * Send a move; false once it is refused. One at a time: what comes while one is under way, or without a connection,
   * is not queued, since it was meant for another state. Then the answer is null, at once.
   */
  play(move: Move): Promise<boolean> | null {
    const { game } = this;
    if (!game || this.pace !== "still" || feed.connection === "offline") return null;
    this.refused = undefined;
    this.missed = [];
    return this.#play(game, move);
  }

  async #play(game: Game, move: Move): Promise<boolean> {
    this.pace = "sent";
    const pending = setTimeout(() => (this.pace = "pending"), PENDING_AFTER);
    const slow = setTimeout(() => (this.pace = "slow"), SLOW_AFTER);
    const began = performance.now();
    try {
      const played = await this.#send(game, move);
      this.latency = performance.now() - began;
      this.#accept(game, played);
      return true;
    } catch (fault) {
      this.refused = fromFault(fault);
      void this.#settle(game, this.refused);
      return false;
    } finally {
      clearTimeout(pending);
      clearTimeout(slow);
      this.pace = "still";
    }
  }

  /** The key is the same for each attempt: a move whose answer was lost is never made twice. */
  #send(game: Game, move: Move): Promise<Played> {
    // When all players move at once, a move applies to the state in which it arrives (RULEBOOK 6 (5)).
    const version = isRace(game) ? null : game.version;
    return play.move(this.id, move, { key: newId(), version, fetch: patient });
  }

  /** After a refusal: the table as it is now, and what has changed it if the move was meant for an earlier one. */
  async #settle(before: Game, refusal: Problem): Promise<void> {
    await this.refresh();
    if (refusal.status !== STALE || this.version === before.version) return;
    try {
      this.missed = await play.events(this.id, before.version, this.invite);
    } catch {
      // The table itself shows the current state.
    }
  }

  #accept(before: Game, { version, hash, view, legal_moves, events }: Played): void {
    if (version > this.version) this.game = { ...before, version, hash, view, legal_moves };
    this.#hear(events);
    // Whose turn it is, how it ended and the clocks are not in the answer to a move.
    const isAlone = before.seats.length <= 1 && before.clock.move_limit === null;
    if (!isAlone || version < this.version || events.some(({ type }) => type === "finished")) void this.refresh();
  }

  /** The answer to a move and the stream tell the same events; each is news once. */
  #hear(events: readonly GameEvent[]): void {
    const news = events.filter(({ version }) => version > this.#announced);
    const last = news.at(-1);
    if (!last) return;
    this.#announced = last.version;
    this.last = last;
    this.#attribute(news);
    this.#tell(news);
  }

  #attribute(events: readonly GameEvent[]): void {
    this.heard = [...this.heard, ...events];
    const own = events.filter(({ seat }) => seat !== null).map((event) => [event.seat ?? 0, event] as const);
    this.acts = new Map([...this.acts, ...own]);
  }
}

const patient = retrying({ each: ASK_AGAIN_AFTER, total: GIVEN_UP_AFTER });
