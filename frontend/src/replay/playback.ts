import type { RecordedState } from "../api/replay";

/** The table after an event; all null if the events can no longer be folded. */
interface State {
  status: "open" | "active" | "finished" | "void" | null;
  to_act: readonly number[] | null;
  view: Readonly<Record<string, unknown>> | null;
  cards: Readonly<Record<string, unknown>> | null;
  outcome: Readonly<Record<string, unknown>> | null;
}

type Path = readonly (string | number)[];
interface Patch {
  at: Path;
  /** Missing: the key is gone. */
  to?: unknown;
}

/** The states of a recording. Each is a few small patches away from a complete one. */
export class Playback {
  readonly #steps: readonly RecordedState[];
  /** The last state returned: the next one is usually adjacent. */
  #last: { index: number; state: State } | null = null;

  constructor(steps: readonly RecordedState[]) {
    this.#steps = steps;
  }

  get length(): number {
    return this.#steps.length;
  }

  /** The state after the event at `index` from 0. Throws RangeError outside the recording. */
  at(index: number): State {
    if (!(index in this.#steps)) throw new RangeError(`the recording has no event ${index + 1}`);
    let from = index;
    while (!this.#steps[from]?.state && this.#last?.index !== from) from -= 1;
    let state = this.#last?.index === from ? this.#last.state : (this.#steps[from]?.state as State);
    for (let step = from + 1; step <= index; step += 1) {
      state = patched(state, (this.#steps[step]?.changes ?? []) as readonly Patch[]);
    }
    this.#last = { index, state };
    return state;
  }
}

/** The document after the patches; what none of them touches is the same object as before. */
export function patched<T>(document: T, patches: readonly Patch[]): T {
  return patches.reduce<unknown>((whole, { at, ...rest }) => set(whole, at, rest), document) as T;
}

function set(part: unknown, [step, ...way]: Path, change: { to?: unknown }): unknown {
  if (step === undefined) return change.to;
  if (Array.isArray(part)) {
    const copy: unknown[] = [...part];
    copy[Number(step)] = set(part[Number(step)], way, change);
    return copy;
  }
  const members = part as Record<string, unknown>;
  if (way.length === 0 && !("to" in change)) {
    const { [step]: _gone, ...kept } = members;
    return kept;
  }
  return { ...members, [step]: set(members[step], way, change) };
}
