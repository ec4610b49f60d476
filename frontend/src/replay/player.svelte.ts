/** What the replay can be asked for; a number is so many events on, or back. */
export type Command = number | "first" | "last" | "play" | "flag-before" | "flag-after" | "copy" | "flip" | "help";

const COMMANDS: Readonly<Record<string, Command>> = {
  Home: "first",
  End: "last",
  " ": "play",
  "[": "flag-before",
  "]": "flag-after",
  c: "copy",
  f: "flip",
  "?": "help",
};
const BACK = ["ArrowLeft", "ArrowUp", "j"];
const ON = ["ArrowRight", "ArrowDown", "k"];
const FAR = 10;

export interface Pressed {
  key: string;
  shiftKey: boolean;
  altKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
}

/** What a key asks for, null for any other. */
export function command({ key, shiftKey, altKey, ctrlKey, metaKey }: Pressed): Command | null {
  if (altKey || ctrlKey || metaKey) return null;
  const letter = key.length === 1 ? key.toLowerCase() : key;
  const far = shiftKey ? FAR : 1;
  if (BACK.includes(letter)) return -far;
  if (ON.includes(letter)) return far;
  return COMMANDS[letter] ?? null;
}

/** Events a second. */
export const SPEEDS = [1, 2, 5, 10] as const;

/** The position in a replay, and whether it plays. Versions count from 1. */
export class Player {
  version = $state(1);
  total = $state(1);
  playing = $state(false);
  speed = $state<number>(2);
  /** Flagged versions, in order. */
  flags = $state.raw<readonly number[]>([]);
  /** Whether the last change was a step of one, which cards may glide along with. */
  glides = true;
  #timer: ReturnType<typeof setInterval> | undefined;

  go(version: number): void {
    const next = Math.min(Math.max(1, Math.trunc(version)), this.total);
    this.glides = Math.abs(next - this.version) === 1;
    this.version = next;
    if (next === this.total) this.stop();
  }

  /** True where the command was one of moving about. */
  obey(command: Command): boolean {
    if (typeof command === "number") this.#step(command);
    else if (command === "first") this.#jump(1);
    else if (command === "last") this.#jump(this.total);
    else if (command === "play") this.toggle();
    else if (command === "flag-before") this.#jump(this.flagBefore);
    else if (command === "flag-after") this.#jump(this.flagAfter);
    else return false;
    return true;
  }

  get flagBefore(): number | undefined {
    return this.flags.findLast((flag) => flag < this.version);
  }

  get flagAfter(): number | undefined {
    return this.flags.find((flag) => flag > this.version);
  }

  toggle(): void {
    if (this.playing) return this.stop();
    if (this.version === this.total) this.go(1);
    this.playing = this.total > 1;
    this.#run();
  }

  /** Events per second; a running replay continues at the new speed. */
  setSpeed(speed: number): void {
    this.speed = speed;
    if (this.playing) this.#run();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.playing = false;
  }

  #run(): void {
    clearInterval(this.#timer);
    if (this.playing) this.#timer = setInterval(() => this.go(this.version + 1), 1000 / this.speed);
  }

  #step(by: number): void {
    this.stop();
    this.go(this.version + by);
  }

  #jump(version: number | undefined): void {
    this.stop();
    if (version !== undefined) this.go(version);
  }
}
