import { fromFault, newId, type Problem } from "@racecard/client";
import * as drafts from "../api/drafts";
import type { Format, Preview } from "../api/drafts";
import * as play from "../api/play";
import type { Rules } from "../api/play";
import { type Tournament, terms as fetchTournament } from "../api/tournaments";
import type { Setup } from "../games/manifest";
import { loadDetails } from "../games/registry";
import { type Config, defaults, optionsOf } from "../new-game/options";
import { emptyForm, type Form, formOf, seatsIn, termsOf } from "./form";
import type { PRESETS } from "./presets";

/** Milliseconds without a change after which the draft is checked and stored. */
const RESTS = 600;
const CHANGED_ELSEWHERE = 412;

type State = "new" | "saving" | "saved" | "faulty" | "conflict" | "failed";

/** Where this tab keeps what the server does not have yet. */
const KEPT = "racecard.terms.";

/**
 * The draft that the organizer edits. A change is previewed by the server and stored a moment later. What has faults
 * cannot be stored there; the tab keeps it, so that no link loses it. A draft that was changed elsewhere meanwhile is
 * not overwritten without asking.
 */
export class Draft {
  id = $state("");
  form = $state<Form>(emptyForm());
  preview = $state.raw<Preview>();
  state = $state<State>("new");
  /** Whether this tab has what the server does not. */
  isKept = $state(false);
  problem = $state.raw<Problem>();
  formats = $state.raw<Format[]>([]);
  games = $state.raw<Rules[]>([]);
  /** A tournament that is published already, and therefore not edited. */
  published = $state.raw<Tournament>();
  #setup = $state.raw<Setup>({});
  #version = 0;
  #stored = "";
  #waits: ReturnType<typeof setTimeout> | undefined;
  #work: Promise<void> = Promise.resolve();
  /** The terms and the key of the first storing: a repetition after a lost answer makes no second draft. */
  #first = { terms: "", key: "" };
  /** Whether the organizer has left the first step. A missing name is no fault before. */
  isBegun = $state(false);
  /** Whether it was published or deleted from here. */
  #isOver = false;

  readonly format = $derived(this.formats.find(({ slug }) => slug === this.form.format));
  readonly game = $derived(this.games.find(({ slug }) => slug === this.form.rules));
  readonly options = $derived(optionsOf(this.game?.config_schema, this.game?.options));
  /** The options that a tournament fixes are not offered. */
  readonly fixed = $derived({
    ...this.#setup.fixed?.(this.format?.on_bets ? 0 : this.form.seats),
    ...(hasStake(this.game) ? { stake: 0 } : {}),
  });
  readonly terms = $derived(this.format && this.game ? termsOf(this.form, this.format, this.fixed) : undefined);
  /** What is stored and previewed, as text: a change of it is a change of the draft. */
  readonly asText = $derived(JSON.stringify([this.terms, this.form.expected]));

  /** Load the choices and, with an id, the draft. */
  async load(id: string): Promise<void> {
    const [formats, games, found] = await Promise.all([
      drafts.formats(),
      play.rules(),
      id ? fetchTournament(id) : Promise.resolve(undefined),
    ]);
    this.formats = formats.filter((format) => format.games.length > 0);
    this.games = games;
    if (found) await this.#take(found.terms);
    else await this.choose(this.form.format);
    if (!this.published) await this.#restore();
  }

  /** Continue with what this tab has kept. If the draft was changed elsewhere since, storing it is a conflict. */
  async #restore(): Promise<void> {
    const kept = sessionStorage.getItem(KEPT + this.id);
    if (!kept) return;
    const { form, version } = JSON.parse(kept) as { form: Form; version: number };
    this.#setup = (await loadDetails(form.rules)).setup ?? {};
    this.form = form;
    this.#version = version;
    this.isKept = true;
    this.state = "saving";
  }

  #keep(): void {
    try {
      sessionStorage.setItem(KEPT + this.id, JSON.stringify({ form: this.form, version: this.#version }));
      this.isKept = true;
    } catch {
      // Without room, leaving the page loses it, as the browser warns.
    }
  }

  #forget(): void {
    sessionStorage.removeItem(KEPT + this.id);
    this.isKept = false;
  }

  async #take(tournament: Tournament): Promise<void> {
    if (tournament.status !== "draft") {
      this.published = tournament;
      return;
    }
    this.#setup = (await loadDetails(tournament.rules)).setup ?? {};
    this.form = formOf(tournament);
    this.#remember(tournament);
  }

  #remember(tournament: Tournament): void {
    this.id = tournament.id;
    this.#version = tournament.version;
    this.#stored = JSON.stringify(this.terms);
    this.state = "saved";
    this.problem = undefined;
  }

  // --- choices that change others

  /** Choose a format, with a game that can be played in it. */
  async choose(slug: string, rules = this.form.rules): Promise<void> {
    const format = this.formats.find((one) => one.slug === slug) ?? this.formats[0];
    if (!format) return;
    const game = format.games.find((one) => one.rules === rules) ?? format.games[0]!;
    const isSame = game.rules === this.form.rules;
    const setup = (await loadDetails(game.rules)).setup ?? {};
    this.form.format = format.slug;
    this.form.rules = game.rules;
    this.form.kept = {};
    this.#setup = setup;
    if (!game.seats.includes(this.form.seats)) this.seat(game.seats.includes(4) ? 4 : game.seats[0]!);
    if (!isSame) this.form.config = this.#usual();
  }

  /** The options as a new table has them, with the first choice where the game has no usual one. */
  #usual(): Config {
    const config: Config = { ...defaults({ ...this.options, seats: [] }), ...this.#setup.initial?.config };
    for (const [key, option] of this.options.usual) config[key] ??= option.enum?.[0] ?? null;
    return config;
  }

  seat(seats: number): void {
    this.form.seats = seats;
    this.form.through = Math.max(1, Math.floor(seats / 2));
    this.form.kept = {};
  }

  /** Begin with a preset. A name that the organizer has entered stays. */
  async follow(preset: (typeof PRESETS)[number], name: string, earlier: readonly string[]): Promise<void> {
    await this.choose(preset.key, preset.rules);
    const { seats, ...values } = preset.values;
    Object.assign(this.form, values);
    if (seats && this.format && seatsIn(this.format, this.form.rules).includes(seats)) this.seat(seats);
    if (!this.form.name.trim() || earlier.includes(this.form.name)) this.form.name = name;
  }

  // --- checking and storing

  get lacksName(): boolean {
    return (this.isBegun || this.id !== "") && !this.form.name.trim();
  }

  /** Why a field is wrong: by the last preview, the message of the server. */
  fault(field: string): string {
    if (field === "name" && this.lacksName) return "The name is missing.";
    return this.preview?.faults.find((one) => one.field === field)?.message ?? "";
  }

  get hasFaults(): boolean {
    return !this.form.name.trim() || (this.preview?.faults.length ?? 0) > 0;
  }

  /** After a change: store it when the organizer rests. */
  changed(): void {
    clearTimeout(this.#waits);
    if (JSON.stringify(this.terms) !== this.#stored) {
      if (this.state === "saved") this.state = "saving";
      this.#keep();
    }
    this.#waits = setTimeout(() => void this.store(), RESTS);
  }

  /** Store at once what is still waiting, since the page goes. */
  leave(): void {
    if (this.state === "saving") void this.store();
    clearTimeout(this.#waits);
  }

  /** Check and store the present state, after what is on its way. Whether it is stored now. */
  async store(): Promise<boolean> {
    clearTimeout(this.#waits);
    this.#work = this.#work.then(() => this.#store());
    await this.#work;
    return this.state === "saved";
  }

  async #store(): Promise<void> {
    const { terms } = this;
    if (!terms || this.published || this.#isOver) return;
    const now = JSON.stringify(terms);
    try {
      const entrants = this.form.expected ?? undefined;
      this.preview = await drafts.preview({ ...terms, name: terms.name || "-", ...(entrants ? { entrants } : {}) });
      if (this.state === "conflict") return;
      const isFaulty = !terms.name || this.preview.faults.length > 0; // of these terms, whatever the form says by now
      if (isFaulty) this.state = this.id || terms.name ? "faulty" : "new";
      else if (now !== this.#stored) await this.#send(now);
      else this.#saved();
    } catch (fault) {
      this.problem = fromFault(fault);
      this.state = this.problem.status === CHANGED_ELSEWHERE ? "conflict" : "failed";
    }
  }

  async #send(now: string): Promise<void> {
    this.state = "saving";
    const terms = JSON.parse(now) as drafts.Terms;
    if (this.#first.terms !== now) this.#first = { terms: now, key: newId() };
    const saved = await (this.id ? drafts.change(this.id, terms, this.#version) : drafts.create(terms, this.#first.key));
    this.#forget(); // of a new draft, what was kept without an id
    this.id = saved.id;
    this.#version = saved.version;
    this.#stored = now;
    this.problem = undefined;
    if (JSON.stringify(this.terms) === now) this.#saved();
    else this.changed();
  }

  #saved(): void {
    this.state = "saved";
    this.#forget();
  }

  /** After a conflict: take what was stored elsewhere. */
  async takeTheirs(): Promise<void> {
    this.state = "saving";
    this.#forget();
    await this.#take((await fetchTournament(this.id)).terms);
  }

  /** After a conflict: store this state over it. */
  async keepMine(): Promise<void> {
    this.#version = (await fetchTournament(this.id)).terms.version;
    this.#stored = "";
    this.state = "saving";
    await this.store();
  }

  /** Publish what is stored. Whether it was published. */
  async publish(): Promise<boolean> {
    if (!(await this.store())) return false;
    await drafts.publish(this.id);
    this.#isOver = true;
    this.#forget();
    return true;
  }

  async remove(): Promise<void> {
    this.#isOver = true;
    try {
      if (this.id) await drafts.remove(this.id);
      this.#forget();
    } catch (fault) {
      this.#isOver = false;
      throw fault;
    }
  }
}

function hasStake(game: Rules | undefined): boolean {
  const { properties } = (game?.config_schema ?? {}) as { properties?: Record<string, unknown> };
  return properties !== undefined && "stake" in properties;
}
