import createClient, { type FetchResponse, type Middleware } from "openapi-fetch";
import { feed } from "../live/feed.svelte";
import { fromAnswer } from "./problem";
import type { paths } from "./schema";

const REQUEST_ID = "X-Request-ID";
const CHANGES_NOTHING = new Set(["GET", "HEAD", "OPTIONS"]);

/** Each request carries an id, which the server's log and error messages contain. */
const identify: Middleware = {
  onRequest({ request }) {
    request.headers.set(REQUEST_ID, newId());
    return request;
  },
  onResponse({ request, response }) {
    if (response.headers.has(REQUEST_ID)) return undefined;
    const headers = new Headers(response.headers);
    headers.set(REQUEST_ID, request.headers.get(REQUEST_ID) ?? "");
    const { status, statusText } = response;
    // A response without content must not have a body, not even an empty one.
    return new Response(status === 204 ? null : response.body, { status, statusText, headers });
  },
};

/** A request that changes something carries the CSRF token and the time by the reader's clock. */
const vouch: Middleware = {
  onRequest({ request }) {
    if (CHANGES_NOTHING.has(request.method)) return request;
    request.headers.set("X-CSRFToken", csrfToken());
    request.headers.set("Client-Time", new Date().toISOString());
    return request;
  },
};

const sent = new WeakMap<Request, number>();

/** Any response shows that the server is reachable, also on pages that watch nothing. */
const listen: Middleware = {
  onRequest({ request }) {
    sent.set(request, feed.losses);
    return undefined;
  },
  onResponse({ request, response }) {
    // A gateway may respond without the server.
    if (response.status < 502) feed.report("answered", sent.get(request));
    return undefined;
  },
};

/** The value that a request with a session repeats from its cookie, which no other site can read. */
export function csrfToken(): string {
  return /(?:^|; )csrftoken=([^;]*)/.exec(document.cookie)?.[1] ?? "";
}

/** A random version 4 UUID; `crypto.randomUUID` itself exists only where the page came over TLS. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** The REST API, typed by its own OpenAPI document. */
export const api = createClient<paths>({ baseUrl: "", credentials: "same-origin" });
api.use(identify);
api.use(vouch);
api.use(listen);

/** The body of a request without fields: the server requires an object, which the OpenAPI document does not describe. */
export const NOTHING = {} as never;

/** The header that makes a repeated request take effect once. */
export function once(key: string = newId()): { "Idempotency-Key": string } {
  return { "Idempotency-Key": key };
}

/** The body of a success; anything else is thrown as a Problem. */
export function unwrap<T extends Record<string | number, unknown>, O, M extends `${string}/${string}`>(
  answer: FetchResponse<T, O, M>,
): NonNullable<FetchResponse<T, O, M>["data"]> {
  if (answer.data !== undefined && answer.data !== null) return answer.data;
  throw refusal(answer);
}

/** For answers without a body: throws the Problem of anything but a success. */
export function succeed(answer: { response: Response; error?: unknown }): void {
  if (!answer.response.ok) throw refusal(answer);
}

function refusal(answer: { response: Response; error?: unknown }): Error {
  return fromAnswer(answer.response.status, answer.error, answer.response.headers.get(REQUEST_ID) ?? "");
}
