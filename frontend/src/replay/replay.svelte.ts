import { fromFault, type Problem } from "@racecard/client";
import { ofGame, type DisputeLine } from "../api/disputes";
import * as play from "../api/play";
import type { Game } from "../api/play";
import { allRefused, cover, evidence, legalAfter, recording, type Cover, type Evidence, type Recording, type Refused, type Viewpoint } from "../api/replay";
import { loadDetails } from "../games/registry";
import { i18n } from "../i18n/i18n.svelte";
import type { Report } from "../proof/check";
import { held } from "./links";
import { Playback } from "./playback";
import { Player } from "./player.svelte";
import { mover } from "./texts";

/** A recorded game: what is shown of it, from which seat, and what was found about it. */
export class Replay {
  readonly player = new Player();
  game = $state.raw<Game>();
  recording = $state.raw<Recording>();
  viewpoint = $state.raw<Viewpoint>({ seat: null, all: false });
  /** Why the game could not be loaded. */
  problem = $state.raw<Problem>();
  /** Why something further was refused. */
  refused = $state.raw<Problem>();
  serverCheck = $state.raw<Evidence>();
  disputes = $state.raw<readonly DisputeLine[]>([]);
  /** What the browser found when it verified the proof. */
  report = $state.raw<Report>();
  /** Null if no signed checkpoint covers the game yet; undefined before it is looked up. */
  checkpoint = $state.raw<Cover | null>();
  /** An auditor's reason for early access. */
  reason = $state("");
  refusedMoves = $state.raw<readonly Refused[]>([]);
  #playback = $state.raw(new Playback([]));
  readonly #known = new Map<string, Recording>();

  /** `named` is the version in the address, or 0; `linked` the beginning of its hash, if the address contains it. */
  constructor(
    readonly id: string,
    readonly invite: string,
    readonly named: number,
    readonly linked: string,
  ) {}

  /** Everything may be shown: the game is over, and so is every game with its deal. */
  readonly isOpen = $derived(this.game?.fairness.server_seed != null);
  readonly event = $derived(this.recording?.events[this.player.version - 1]);
  readonly frame = $derived.by(() => {
    const { length } = this.#playback;
    return length > 0 ? this.#playback.at(Math.min(this.player.version, length) - 1) : null;
  });
  readonly lines = $derived(new Map(this.serverCheck?.results.map((line) => [line.version, line])));
  readonly undone = $derived(new Set(this.recording?.undone));

  /** The game as it was at this version, for its board. */
  readonly drawn = $derived.by((): Game | null => {
    const { game, frame, player, viewpoint } = this;
    if (!game || !frame?.view || !frame.status) return null;
    const { view, status, outcome } = frame;
    const changes = { view, status, outcome, seat: viewpoint.seat, version: player.version, to_act: [...(frame.to_act ?? [])] };
    return { ...game, ...changes, legal_moves: [], hints: false, suspension: null } as Game;
  });

  /** The texts of flags, by version. */
  readonly marks = $derived.by(() => {
    const found = new Map<number, string[]>();
    const mark = (version: number, text: string) => found.set(version, [...(found.get(version) ?? []), text]);
    const { serverCheck, report, disputes, recording } = this;
    if (serverCheck?.divergence) mark(serverCheck.divergence.version, i18n.text("replay.markHouse"));
    if (report?.version != null) mark(report.version, i18n.text("replay.markBrowser"));
    for (const { version, status } of disputes) {
      if (version !== null && status !== "withdrawn") mark(version, i18n.text("replay.markDispute"));
    }
    for (const { type, version } of recording?.events ?? []) {
      if (type === "expired") mark(version, i18n.text("replay.markExpired"));
    }
    return new Map([...found].map(([version, texts]) => [version, texts.join(" · ")]));
  });

  /** The first event at which the server or the browser found a fault. */
  readonly wrong = $derived(
    this.serverCheck?.divergence ?? (this.report?.version != null ? { version: this.report.version } : null),
  );
  /** Whether the history still is what the address names. */
  readonly link = $derived.by(() => {
    const { recording, named, linked } = this;
    return recording && named > 0 ? held(linked, recording.events[named - 1]) : "unasked";
  });

  /** Legal moves are visible like the table before the event: of another seat when the game is over, or with early access. */
  readonly mayAskLegal = $derived.by(() => {
    const { game, event } = this;
    if (!game || !event) return false;
    const seat = mover(event);
    return this.isOpen || this.viewpoint.all || seat === null || seat === game.seat;
  });

  readonly legal = (version: number, seat: number | null) => {
    const { id, invite, isOpen, game, reason } = this;
    return legalAfter(id, version, seat === game?.seat && !isOpen ? null : seat, invite, isOpen ? "" : reason);
  };

  /** Load the game and show it from a seat: by default the reader's own or, of a game that is open to all, the first. */
  async load(seat: number | null): Promise<void> {
    this.problem = undefined;
    try {
      const found = await play.game(this.id, this.invite);
      await loadDetails(found.rules);
      const isFree = found.fairness.server_seed !== null && found.seats.length > 0;
      this.game = found;
      await this.see({ seat: seat ?? found.seat ?? (isFree ? 0 : null), all: false });
      const { player, named } = this;
      player.version = Math.min(Math.max(1, named || player.total), player.total);
    } catch (fault) {
      this.problem = fromFault(fault);
    }
  }

  /** Load what is known about the game. An auditor's access to a game in play is recorded, so it needs a request. */
  async loadEvidence(): Promise<void> {
    this.disputes = await ofGame(this.id).then(({ results }) => results, () => []);
    if (this.isOpen) await this.#check();
    if (!this.named && this.serverCheck?.divergence) this.player.go(this.serverCheck.divergence.version);
  }

  async #check(): Promise<void> {
    this.serverCheck = await evidence(this.id, this.reason).catch(() => undefined);
    if (this.serverCheck?.refused) this.refusedMoves = await allRefused(this.id).catch(() => []);
  }

  async see(wanted: Viewpoint): Promise<void> {
    const key = JSON.stringify(wanted);
    this.refused = undefined;
    let found = this.#known.get(key);
    try {
      found ??= await recording(this.id, wanted, this.invite, this.reason);
    } catch (fault) {
      if (!this.recording) throw fault;
      this.refused = fromFault(fault);
      return;
    }
    this.#known.set(key, found);
    this.viewpoint = wanted;
    this.recording = found;
    this.#playback = new Playback(found.states);
    this.player.total = found.events.length;
  }

  /** Show all cards of a game in play, which is recorded. */
  async seeEarly(): Promise<void> {
    await this.see({ ...this.viewpoint, all: true });
    if (!this.refused) await this.#check();
  }

  /** Show the game from the next seat. */
  flip(): void {
    const { game, viewpoint } = this;
    const seats = game?.seats.length ?? 0;
    if (seats > 1) void this.see({ ...viewpoint, seat: ((viewpoint.seat ?? -1) + 1) % seats });
  }

  async findCheckpoint(): Promise<void> {
    this.refused = undefined;
    try {
      this.checkpoint = await cover(this.id, this.invite);
    } catch (fault) {
      this.refused = fromFault(fault);
    }
  }
}
