import type { Client, FetchResponse } from "openapi-fetch";
import { fromAnswer } from "./problem.js";
import { retrying, type Fetch, type Patience } from "./retry.js";
import type { paths } from "./schema.js";

const REQUEST_ID = "X-Request-ID";
const CHANGES_NOTHING = new Set(["GET", "HEAD", "OPTIONS"]);

/** The REST API, typed by its own OpenAPI document as openapi-fetch does it. */
export type Api = Pick<Client<paths>, Method>;
type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Adds something to every request and response. */
export type Middleware = (next: Fetch) => Fetch;

interface Call {
  params?: { path?: Values; query?: Values; header?: Values };
  headers?: Values;
  body?: unknown;
  parseAs?: "json" | "text" | "stream";
  signal?: AbortSignal | null;
  fetch?: Fetch;
}
type Values = Readonly<Record<string, unknown>>;

/**
 * A client of the server at `origin` (empty: that of the page). The middlewares see a request in this order.
 *
 * Of openapi-fetch only the types are used: it is four times as large, for formats that this API does not have.
 */
export function createApi(origin: string, credentials: RequestCredentials, fetch: Fetch, ...middlewares: Middleware[]): Api {
  const caller = (method: Method) => async (path: string, call: Call = {}) => {
    const { params = {}, body, parseAs = "json", signal = null } = call;
    const address = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params.path?.[name])));
    const query = new URLSearchParams(given(params.query)).toString();
    const headers = new Headers(given({ ...call.headers, ...params.header }));
    const init: RequestInit = { method, credentials, headers, signal };
    if (body !== undefined) {
      headers.set("Content-Type", "application/json");
      init.body = JSON.stringify(body);
    }
    const send = middlewares.reduceRight((next, middleware) => middleware(next), call.fetch ?? fetch);
    const response = await send(new Request(origin + address + (query && `?${query}`), init));
    if (response.ok && parseAs === "stream") return { data: response.body, response };
    const text = await response.text();
    const content = response.ok && parseAs === "text" ? text : parsed(text, response.ok);
    return response.ok ? { data: content, response } : { error: content, response };
  };
  const api = { GET: caller("GET"), POST: caller("POST"), PUT: caller("PUT"), PATCH: caller("PATCH"), DELETE: caller("DELETE") };
  return api as unknown as Api;
}

/** The values that are given, as text. */
function given(values: Values = {}): [string, string][] {
  return Object.entries(values).flatMap(([name, value]) => (value == null ? [] : [[name, String(value)]]));
}

/** A refusal may come from a gateway, in any format. */
function parsed(text: string, isOk: boolean): unknown {
  try {
    return text ? JSON.parse(text) : undefined;
  } catch (fault) {
    if (isOk) throw fault;
    return text;
  }
}

/**
 * A client with a token, for Node and for pages of other origins: it never sends a cookie. Requests that are safe to
 * repeat are repeated until the server answers: those that change nothing, and those with an Idempotency-Key.
 */
export function connect(url: string, token?: string, patience?: Patience): Api {
  return createApi(new URL(url).origin, "omit", retrying(patience), ...(token ? [bearer(token)] : []));
}

const bearer =
  (token: string): Middleware =>
  (next) =>
  (request) => {
    request.headers.set("Authorization", `Bearer ${token}`);
    return next(request);
  };

/**
 * Authentication by the session's cookie, for pages of the server: what changes something carries the CSRF token and the
 * reader's time.
 */
export const session =
  (csrfToken: () => string): Middleware =>
  (next) =>
  (request) => {
    if (!CHANGES_NOTHING.has(request.method)) {
      request.headers.set("X-CSRFToken", csrfToken());
      request.headers.set("Client-Time", new Date().toISOString());
    }
    return next(request);
  };

/** A random version 4 UUID; `crypto.randomUUID` itself exists only where the page came over TLS. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

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
