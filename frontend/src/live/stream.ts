import type { StreamState, Subject } from "@racecard/client";
import { lazy } from "../lazy";
import type { HeardHere, Said } from "./streams";
import type { Waiting } from "./waiting";

/** Called with the version of the subject, and with the event unless it was missed. */
type Listener = (version: number, event: unknown) => void;

interface Line {
  say(said: Said): void;
}

/** The page's access to the event streams of the browser: through the shared worker, or its own stream where there is none. */
class Stream {
  readonly #listeners = new Map<Subject, { listener: Listener; version: () => number; changed: () => void }>();
  readonly #onState = new Set<(state: StreamState) => void>();
  #onWaiting: ((waiting: Waiting) => void) | undefined;
  #reader = "";
  #line: Line | null = null;

  /**
   * Follow one subject until the answer is called; `version` tells what the page has of it, `changed` hears of what is
   * no event of it.
   */
  follow(subject: Subject, version: () => number, listener: Listener, changed = () => {}): () => void {
    this.#listeners.set(subject, { listener, version, changed });
    this.#say();
    return () => {
      this.#listeners.delete(subject);
      this.#say();
    };
  }

  onState(listener: (state: StreamState) => void): () => void {
    this.#onState.add(listener);
    return () => this.#onState.delete(listener);
  }

  /** Hear what waits for the reader, now and whenever that changes. */
  wait(reader: string, listener: (waiting: Waiting) => void): void {
    this.#onWaiting = listener;
    this.#reader = reader;
    this.#line ??= this.#connect();
    this.#line.say({ kind: "wait", reader });
  }

  /** Follow again, after a pause in which the worker may have dropped this page. */
  again(): void {
    if (this.#listeners.size > 0) this.#say();
    if (this.#onWaiting) this.#line?.say({ kind: "wait", reader: this.#reader });
  }

  leave(): void {
    this.#line?.say({ kind: "leave" });
  }

  #say(): void {
    this.#line ??= this.#connect();
    const follows = [...this.#listeners].map(([subject, { version }]): [Subject, number] => [subject, version()]);
    this.#line.say({ kind: "follow", follows });
  }

  #connect(): Line {
    const hear = (heard: HeardHere) => this.#hear(heard);
    if (typeof SharedWorker !== "undefined") {
      const worker = new SharedWorker(new URL("./worker.ts", import.meta.url), { type: "module" });
      worker.port.onmessage = ({ data }: MessageEvent<HeardHere>) => hear(data);
      return { say: (said) => worker.port.postMessage(said) };
    }
    const streams = lazy(() => import("./streams"));
    return { say: (said) => void streams.then(({ take }) => take(this, said, hear)).catch(() => undefined) };
  }

  #hear(heard: HeardHere): void {
    if (heard.kind === "state") for (const listener of this.#onState) listener(heard.state);
    else if (heard.kind === "waiting") this.#onWaiting?.(heard.waiting);
    else if (heard.kind === "changed") this.#listeners.get(heard.subject)?.changed();
    else this.#listeners.get(heard.subject)?.listener(heard.version, heard.event);
  }
}

export const stream = new Stream();
