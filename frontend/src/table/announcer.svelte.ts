/** Milliseconds between two announcements, so that who listens can follow. */
const APART = 1000;
/** What happens together is said together. */
const GATHER = 150;
const MOST = 3;

/** What a polite live region says: at most once a second, the latest of what there was to say. */
export class Announcer {
  said = $state("");
  #waiting: string[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #last = -Infinity;

  say(text: string): void {
    if (!text) return;
    this.#waiting.push(text);
    this.#timer ??= setTimeout(() => this.#speak(), Math.max(GATHER, this.#last + APART - performance.now()));
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #speak(): void {
    const text = this.#waiting.slice(-MOST).join(". ");
    // The same words again would be no change, and not be spoken.
    this.said = text === this.said ? `${text}\u00a0` : text;
    this.#waiting = [];
    this.#timer = undefined;
    this.#last = performance.now();
  }
}
