import { createApi, session, type Middleware } from "@racecard/client";
import { feed } from "../live/feed.svelte";

/** The value that a request with a session repeats from its cookie, which no other site can read. */
export function csrfToken(): string {
  return /(?:^|; )csrftoken=([^;]*)/.exec(document.cookie)?.[1] ?? "";
}

/** Any response shows that the server is reachable, also on pages that watch nothing. */
const listen: Middleware = (next) => async (request) => {
  const { losses } = feed;
  const response = await next(request);
  // A gateway may respond without the server.
  if (response.status < 502) feed.report("answered", losses);
  return response;
};

const listeners = new Set<() => void>();

/** Call back after each request of this page that has changed something; moves are many, and their table tells. */
export function onChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const tell: Middleware = (next) => async (request) => {
  const response = await next(request);
  if (request.method !== "GET" && response.ok && !request.url.includes("/moves/")) for (const listener of listeners) listener();
  return response;
};

/** The REST API for this page's session. */
export const api = createApi("", "same-origin", (request) => fetch(request), tell, listen, session(csrfToken));
