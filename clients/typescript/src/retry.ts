const LONGEST_WAIT = 15_000;
const GATEWAY = new Set([502, 503, 504]);
const SAFE = new Set(["GET", "HEAD"]);

export type Fetch = (request: Request) => Promise<Response>;

/** Milliseconds that one attempt may take, and after which no further one is begun. */
export interface Patience {
  each: number;
  total: number;
}

/**
 * Milliseconds until the next try, doubling from a second after failures, spread by `chance` (0…1) so that a room of
 * clients does not come back at the same instant.
 */
export function backoff(failures: number, chance: number): number {
  const ceiling = Math.min(1000 * 2 ** (failures - 1), LONGEST_WAIT);
  return ceiling / 2 + (ceiling / 2) * chance;
}

/**
 * A `fetch` that repeats a request which can take effect only once: one that changes nothing, or has an
 * Idempotency-Key. It repeats after a lost connection, after 429 with Retry-After, and when a gateway answers without
 * the server. The answer is read to its end, since it may be lost half-way; so this is not for event streams.
 */
export function retrying({ each, total }: Patience = { each: 30_000, total: 120_000 }): Fetch {
  return async (request) => {
    const canRepeat = SAFE.has(request.method) || request.headers.has("Idempotency-Key");
    const until = performance.now() + total;
    for (let failures = 1; ; failures += 1) {
      let answer: Response | undefined;
      let fault: unknown;
      try {
        answer = await whole(await fetch(request.clone(), { signal: AbortSignal.any([request.signal, AbortSignal.timeout(each)]) }));
      } catch (thrown) {
        fault = thrown;
      }
      const delay = answer ? delayAfter(answer, failures) : backoff(failures, Math.random());
      const isLast = !canRepeat || request.signal.aborted || delay === null || performance.now() + delay > until;
      if (!isLast) await pause(delay);
      else if (answer) return answer;
      else throw fault;
    }
  };
}

/** Milliseconds until the request is repeated; null if the answer is final. */
function delayAfter({ status, headers }: Response, failures: number): number | null {
  const seconds = Number(headers.get("Retry-After")) || 0;
  if (GATEWAY.has(status)) return Math.max(1000 * seconds, backoff(failures, Math.random()));
  return status === 429 && seconds > 0 ? 1000 * seconds : null;
}

async function whole(answer: Response): Promise<Response> {
  const body = await answer.arrayBuffer();
  // A response without content must not have a body, not even an empty one.
  return new Response(body.byteLength > 0 ? body : null, answer);
}

/** Resolves after so many milliseconds, or when the signal ends the pause. */
export const pause = (time: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, time);
    signal?.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
