import { untrack } from "svelte";
import * as tournaments from "../api/tournaments";
import type { Bracket, Meeting, Outright, RatingMoved, Round, RoundLine, Standings, Tournament } from "../api/tournaments";
import { house } from "../api/house";
import { fromFault, type Problem } from "../api/problem";
import { coalesced } from "../live/coalesce";
import { feed } from "../live/page";
import { stream } from "../live/stream";

const POLL = 3000;

/** All that hangs on the tournament's events, loaded together so that its parts agree. */
export interface Course {
  version: number;
  standings: Standings;
  rounds: readonly RoundLine[];
  bracket: Bracket | null;
  meeting: Meeting | null;
  outright: Outright | null;
  visible: ReadonlySet<string>;
  /** By player. */
  ratings: ReadonlyMap<string, RatingMoved>;
}

/** A tournament as this browser sees it, kept fresh by the event stream and by asking now and then. */
export class Contest {
  terms = $state.raw<Tournament>();
  course = $state.raw<Course>();
  /** The round that is played, or was last. */
  current = $state.raw<Round>();
  /** The round that the reader looks at, if it is another. */
  chosen = $state.raw<Round>();
  problem = $state.raw<Problem>();
  /** The server's clock less the reader's, in milliseconds. */
  ahead = $state(0);
  readonly id: string;
  #wanted = 0;
  #known = "";

  constructor(id: string) {
    this.id = id;
  }

  readonly #names = $derived(
    new Map(this.course?.standings.standings.map((row) => [row.entry, row.name ?? row.player.slice(0, 8)])),
  );

  /** Who an entry is; to who has not signed in, by the beginning of their id. */
  name(entry: number): string {
    return this.#names.get(entry) ?? `#${entry}`;
  }

  get own(): number | null {
    return this.terms?.entry?.entry ?? null;
  }

  /** Whether the reader may see a game that is not known to be over everywhere. */
  canSee(game: string): boolean {
    return (this.course?.visible.has(game) ?? false) || (this.terms?.entry?.games.some((own) => own.game === game) ?? false);
  }

  get isOver(): boolean {
    return this.terms?.status === "finished" || this.terms?.status === "cancelled";
  }

  /** Load it and keep it fresh until the answer is called. */
  start(): () => void {
    void this.refresh();
    const drop = house.hasSession ? this.#listen() : () => undefined;
    // The end of a game is no event of the tournament, and who is not signed in has no stream.
    const timer = setInterval(() => {
      if (document.visibilityState === "visible" && !this.isOver) void this.refresh();
    }, POLL);
    return () => {
      clearInterval(timer);
      drop();
    };
  }

  #listen(): () => void {
    const drop = stream.follow(
      `tournament:${this.id}`,
      // Asked for at once too, and the effect that starts this is not to begin anew with each version.
      () => untrack(() => this.terms?.version ?? 0),
      (version) => version > (this.terms?.version ?? 0) && void this.refresh(),
    );
    const deaf = stream.onState((state) => {
      if (state === "reconnecting") feed.report("failed");
      if (state === "live") void this.refresh();
    });
    return () => {
      deaf();
      drop();
    };
  }

  /** Look at another round; 0 is the present one, whichever that is. */
  async look(round: number): Promise<void> {
    this.#wanted = round;
    if (round === 0) this.chosen = undefined;
    else await this.#guarded(async () => void (await this.#loadChosen()));
  }

  /** Everything as it is now. */
  readonly refresh = coalesced(() => this.#guarded(() => this.#load()));

  async #guarded(load: () => Promise<void>): Promise<void> {
    try {
      await load();
      this.problem = undefined;
    } catch (fault) {
      this.problem = fromFault(fault);
      if (this.problem.isConnection) feed.report("failed");
    }
  }

  async #load(): Promise<void> {
    const { terms, ahead } = await tournaments.terms(this.id);
    const { progress, version } = terms;
    const known = [version, progress?.dealt, progress?.ended, terms.entries].join();
    if (known !== this.#known || terms.format === "meeting") await this.#follow(terms);
    this.#known = known;
    this.terms = terms;
    this.ahead = ahead;
  }

  async #follow(terms: Tournament): Promise<void> {
    const { id } = this;
    const isRunning = terms.status === "running";
    const knocksOut = ["knockout", "double-knockout", "stages"].includes(terms.format);
    const isRated = terms.rated && terms.round > 0;
    const [standings, rounds, bracket, meeting, outright, visible, ratings, current] = await Promise.all([
      tournaments.standings(id),
      tournaments.rounds(id),
      knocksOut ? tournaments.bracket(id) : null,
      terms.format === "meeting" ? tournaments.meeting(id) : null,
      tournaments.outright(id),
      isRunning ? tournaments.visible(id) : [],
      isRated ? tournaments.ratings(id) : [],
      terms.round > 0 ? tournaments.round(id, terms.round) : undefined,
    ]);
    this.current = current;
    this.course = {
      version: terms.version,
      standings,
      rounds,
      bracket,
      meeting,
      outright,
      visible: new Set(visible),
      ratings: new Map(ratings.map((one) => [one.player, one])),
    };
    if (this.#wanted) await this.#loadChosen();
  }

  async #loadChosen(): Promise<void> {
    const wanted = this.#wanted;
    const found = await tournaments.round(this.id, wanted);
    if (wanted === this.#wanted) this.chosen = found;
  }
}
