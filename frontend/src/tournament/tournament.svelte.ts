import { fromFault, type Problem } from "@racecard/client";
import { untrack } from "svelte";
import * as tournaments from "../api/tournaments";
import type { Bracket, Meeting, Outright, TournamentRatingChange, Round, RoundLine, Standings, Tournament } from "../api/tournaments";
import { site } from "../api/site";
import { coalesced } from "../live/coalesce";
import { feed } from "../live/feed.svelte";
import { stream } from "../live/stream";
import { drawsBracket } from "./bracket";
import { sharedBracket, sharedStandings } from "./shared";
import { unnamed } from "./texts";

const POLL = 3000;

/** All data that follows from the tournament's events, loaded together so that its parts are consistent. */
export interface Course {
  version: number;
  standings: Standings;
  rounds: readonly RoundLine[];
  bracket: Bracket | null;
  meeting: Meeting | null;
  outright: Outright | null;
  visible: ReadonlySet<string>;
  /** By player. */
  ratings: ReadonlyMap<string, TournamentRatingChange>;
}

/** A tournament, updated by the event stream and by polling. */
export class LiveTournament {
  terms = $state.raw<Tournament>();
  course = $state.raw<Course>();
  /** The current round, or the last one. */
  current = $state.raw<Round>();
  /** The round that the user has chosen, if it is another. */
  chosen = $state.raw<Round>();
  problem = $state.raw<Problem>();
  /** The server's clock minus the browser's, in milliseconds. */
  ahead = $state(0);
  readonly id: string;
  readonly #isShared: boolean;
  #wanted = 0;
  #known = "";

  /** `isShared`: for a screen or a sheet that others see too, which names no anonymous entrant. */
  constructor(id: string, isShared = false) {
    this.id = id;
    this.#isShared = isShared;
  }

  /** Both at once; undefined until both are loaded. */
  readonly value = $derived(this.terms && this.course && { terms: this.terms, course: this.course });

  readonly #names = $derived(
    new Map(this.course?.standings.standings.map((row) => [row.entry, row.name ?? unnamed(row.entry)])),
  );

  /** The name of an entry, or its number if the reader may not see the name. */
  name(entry: number): string {
    return this.#names.get(entry) ?? unnamed(entry);
  }

  get own(): number | null {
    return this.terms?.entry?.entry ?? null;
  }

  /** Whether the user may see a game whose deal may still be in play elsewhere. */
  canSee(game: string): boolean {
    return (this.course?.visible.has(game) ?? false) || (this.terms?.entry?.games.some((own) => own.game === game) ?? false);
  }

  get isOver(): boolean {
    return this.terms?.status === "finished" || this.terms?.status === "cancelled";
  }

  /** Load it and keep it fresh until the returned function is called. */
  start(): () => void {
    void this.refresh();
    const drop = site.hasSession ? this.#listen() : () => undefined;
    // The end of a game is not an event of the tournament, and there is no stream without a session.
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
      // Untracked, so that the effect that calls this does not run again with each version.
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

  /** Show another round; 0 is the current one. */
  async look(round: number): Promise<void> {
    this.#wanted = round;
    if (round === 0) this.chosen = undefined;
    else await this.#guarded(async () => void (await this.#loadChosen()));
  }

  /** Everything as it is now. */
  readonly refresh = coalesced(() => this.#guarded(() => this.#load()));

  again(): Promise<void> {
    return this.refresh();
  }

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
    const { progress, version, status, round } = terms;
    // The status is read apart from the events, and may be older than their version.
    const known = [version, status, round, progress?.dealt, progress?.ended, terms.entries].join();
    if (known !== this.#known || terms.format === "meeting") await this.#follow(terms);
    this.#known = known;
    this.terms = terms;
    this.ahead = ahead;
  }

  async #follow(terms: Tournament): Promise<void> {
    const { id } = this;
    const isRunning = terms.status === "running";
    const knocksOut = drawsBracket(terms.format);
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
      standings: this.#isShared ? sharedStandings(standings) : standings,
      rounds,
      bracket: bracket && this.#isShared ? sharedBracket(bracket) : bracket,
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
