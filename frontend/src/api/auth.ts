import { fromAnswer, Problem } from "@racecard/client";
import { i18n } from "../i18n/i18n.svelte";
import { csrfToken } from "./client";

/** Signing in and the ways in of an account: the API of django-allauth for browsers, which has its own format. */
const BASE = "/_allauth/browser/v1/";

/** Whether accounts of this site have e-mail: `required`, `optional`, or empty if it sends none. */
export const mail = (): string => document.documentElement.dataset["email"] ?? "";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

interface Flow {
  id: string;
  is_pending?: boolean;
  types?: readonly string[];
}

interface Answer<Data> {
  status: number;
  data: Data;
  meta?: Readonly<Record<string, unknown>>;
}

interface Refused {
  errors?: readonly { code: string; message: string; param?: string }[];
}

/** Throws the Problem of a refusal. 401 is none while nobody is signed in: it lists the ways to continue. */
async function ask<Data>(method: Method, path: string, body?: unknown, fine: readonly number[] = []): Promise<Answer<Data>> {
  const headers: Record<string, string> = { Accept: "application/json", "Accept-Language": i18n.language };
  if (method !== "GET") headers["X-CSRFToken"] = csrfToken();
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const init: RequestInit = { method, headers };
  if (body !== undefined) init.body = JSON.stringify(body);
  const response = await fetch(BASE + path, init);
  const answer = (await response.json().catch(() => ({}))) as Answer<Data> & Refused;
  const { status } = response;
  if (response.ok || fine.includes(status)) return { ...answer, status };
  if (status === 401) {
    if (answer.meta?.["is_authenticated"] !== true) return { ...answer, status };
    throw new Problem(401, RECENT, "", "", { code: RECENT, flows: (answer.data as { flows?: unknown })?.flows });
  }
  const [first] = answer.errors ?? [];
  if (first) throw new Problem(status, first.code, first.message, "", { code: first.code, why: first.message });
  throw status === 429 ? new Problem(status, "too_many_login_attempts", "", "") : fromAnswer(status, answer, "");
}

/** The code of a refusal until the reader confirms who they are. */
export const RECENT = "recent-sign-in-required";

// --- signing in -------------------------------------------------------------------------------------------

/** What is left to do: nothing, a code or a passkey, a look into the mail, or the choice of a name. */
export type Step = { left: "nothing" | "mail" | "name" } | { left: "factor"; types: readonly string[] };

function stepOf({ status, data }: Answer<{ flows?: readonly Flow[] }>): Step {
  if (status === 200) return { left: "nothing" };
  const pending = data.flows?.find((flow) => flow.is_pending);
  if (pending?.id === "mfa_authenticate") return { left: "factor", types: pending.types ?? [] };
  if (pending?.id === "verify_email") return { left: "mail" };
  if (pending?.id === "provider_signup") return { left: "name" };
  throw new Problem(status, "account_inactive", "This account cannot sign in.", "");
}

export const signIn = async (username: string, password: string): Promise<Step> =>
  stepOf(await ask("POST", "auth/login", { username, password }));

export const signUp = async (username: string, password: string, email: string): Promise<Step> =>
  stepOf(await ask("POST", "auth/signup", { username, password, ...(email ? { email } : {}) }));

export const sendCode = async (code: string): Promise<Step> => stepOf(await ask("POST", "auth/2fa/authenticate", { code }));

export async function signInByPasskey(): Promise<Step> {
  return stepOf(await withPasskey("auth/webauthn/login"));
}

export async function sendPasskey(): Promise<Step> {
  return stepOf(await withPasskey("auth/webauthn/authenticate"));
}

/** What is left to do after the way back from a provider of OpenID Connect. */
export const comeBack = async (): Promise<Step> => stepOf(await ask("GET", "auth/session"));

/** The name and address that the provider suggests for a new player. */
export async function suggested(): Promise<{ username: string; email: string }> {
  const { data } = await ask<{ user?: { username?: string }; email?: readonly { email: string }[] }>("GET", "auth/provider/signup");
  return { username: data.user?.username ?? "", email: data.email?.[0]?.email ?? "" };
}

export const signUpLinked = async (username: string, email: string): Promise<Step> =>
  stepOf(await ask("POST", "auth/provider/signup", { username, ...(email ? { email } : {}) }));

export async function requestReset(email: string): Promise<void> {
  await ask("POST", "auth/password/request", { email });
}

/** 401 says that it is done: the reader signs in with the new password. */
export async function resetPassword(key: string, password: string): Promise<void> {
  await ask("POST", "auth/password/reset", { key, password });
}

export async function verifyEmail(key: string): Promise<void> {
  await ask("POST", "auth/email/verify", { key });
}

export interface Provider {
  id: string;
  name: string;
}

export async function providers(): Promise<readonly Provider[]> {
  const { data } = await ask<{ socialaccount?: { providers: readonly Provider[] } }>("GET", "config");
  return data.socialaccount?.providers ?? [];
}

/** Leave for a provider of OpenID Connect, which comes back to `next`. */
export function leaveFor(provider: string, next: string, process: "login" | "connect" = "login"): void {
  const form = document.createElement("form");
  form.method = "post";
  form.action = `${BASE}auth/provider/redirect`;
  const fields = { provider, callback_url: next, process, csrfmiddlewaretoken: csrfToken() };
  for (const [name, value] of Object.entries(fields)) {
    const input = document.createElement("input");
    Object.assign(input, { type: "hidden", name, value });
    form.append(input);
  }
  document.body.append(form);
  form.submit();
}

// --- confirming who one is --------------------------------------------------------------------------------

/** How the reader can confirm who they are. */
export async function confirmations(): Promise<{ hasPassword: boolean; types: readonly string[] }> {
  const [{ data: session }, factors] = await Promise.all([
    ask<{ user: { has_usable_password: boolean } }>("GET", "auth/session"),
    authenticators(),
  ]);
  return { hasPassword: session.user.has_usable_password, types: factors.map(({ type }) => type) };
}

export async function confirmByPassword(password: string): Promise<void> {
  await ask("POST", "auth/reauthenticate", { password });
}

export async function confirmByCode(code: string): Promise<void> {
  await ask("POST", "auth/2fa/reauthenticate", { code });
}

export async function confirmByPasskey(): Promise<void> {
  await withPasskey("auth/webauthn/reauthenticate");
}

// --- the account ------------------------------------------------------------------------------------------

export interface EmailAddress {
  email: string;
  verified: boolean;
  primary: boolean;
}

export const emails = async (): Promise<readonly EmailAddress[]> => (await ask<EmailAddress[]>("GET", "account/email")).data;

export async function addEmail(email: string): Promise<void> {
  await ask("POST", "account/email", { email });
}

export async function verifyAgain(email: string): Promise<void> {
  await ask("PUT", "account/email", { email });
}

export async function preferEmail(email: string): Promise<void> {
  await ask("PATCH", "account/email", { email, primary: true });
}

export async function removeEmail(email: string): Promise<void> {
  await ask("DELETE", "account/email", { email });
}

export async function changePassword(current_password: string, new_password: string): Promise<void> {
  const current = current_password ? { current_password } : {};
  await ask("POST", "account/password/change", { ...current, new_password });
}

export interface Authenticator {
  type: "totp" | "webauthn" | "recovery_codes";
  /** Seconds since 1970. */
  created_at: number;
  last_used_at: number | null;
  id?: number;
  name?: string;
  unused_code_count?: number;
}

export const authenticators = async (): Promise<readonly Authenticator[]> =>
  (await ask<Authenticator[]>("GET", "account/authenticators")).data;

/**
 * The new key of an authenticator app; 404 says that there is none yet. The offer of a passkey is asked for first, since
 * allauth asks there who the reader is: a code of the app would have lapsed by the time they had answered.
 */
export async function newKey(): Promise<{ secret: string; url: string }> {
  await ask("GET", "account/authenticators/webauthn");
  const { meta } = await ask("GET", "account/authenticators/totp", undefined, [404]);
  return { secret: String(meta?.["secret"] ?? ""), url: String(meta?.["totp_url"] ?? "") };
}

export async function confirmKey(code: string): Promise<void> {
  await ask("POST", "account/authenticators/totp", { code });
}

export async function removeKey(): Promise<void> {
  await ask("DELETE", "account/authenticators/totp");
}

export async function recoveryCodes(): Promise<readonly string[]> {
  const { data } = await ask<{ unused_codes?: string[] }>("GET", "account/authenticators/recovery-codes");
  return data.unused_codes ?? [];
}

export async function newRecoveryCodes(): Promise<readonly string[]> {
  const { data } = await ask<{ unused_codes?: string[] }>("POST", "account/authenticators/recovery-codes", {});
  return data.unused_codes ?? [];
}

export async function addPasskey(name: string): Promise<void> {
  const path = "account/authenticators/webauthn";
  const { data } = await ask<{ creation_options: { publicKey: PublicKeyCredentialCreationOptionsJSON } }>("GET", `${path}?passwordless`);
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(data.creation_options.publicKey);
  const made = await passkeyOf(navigator.credentials.create({ publicKey }));
  await ask("POST", path, { name, credential: made.toJSON() });
}

export async function removePasskey(id: number): Promise<void> {
  await ask("DELETE", "account/authenticators/webauthn", { authenticators: [id] });
}

async function withPasskey(path: string): Promise<Answer<{ flows?: readonly Flow[] }>> {
  const { data } = await ask<{ request_options: { publicKey: PublicKeyCredentialRequestOptionsJSON } }>("GET", path);
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(data.request_options.publicKey);
  const shown = await passkeyOf(navigator.credentials.get({ publicKey }));
  return ask("POST", path, { credential: shown.toJSON() });
}

/** The passkey that the browser makes or finds. Throws a Problem if the user cancels the request, or the browser has none. */
async function passkeyOf(requested: Promise<Credential | null>): Promise<PublicKeyCredential> {
  const found = await requested.catch(() => null);
  if (found instanceof PublicKeyCredential) return found;
  throw new Problem(400, "no-passkey", "", "");
}

/** Whether this browser has passkeys here; they need TLS, or this machine. */
export const hasPasskeys = (): boolean =>
  typeof PublicKeyCredential === "function" && "parseRequestOptionsFromJSON" in PublicKeyCredential;

export interface BrowserSession {
  id: number;
  ip: string;
  user_agent: string;
  created_at: number;
  is_current: boolean;
}

export const sessions = async (): Promise<readonly BrowserSession[]> => (await ask<BrowserSession[]>("GET", "auth/sessions")).data;

export async function endSessions(ids: readonly number[]): Promise<void> {
  await ask("DELETE", "auth/sessions", { sessions: ids });
}

export interface LinkedAccount {
  uid: string;
  display: string;
  provider: Provider;
}

export const linked = async (): Promise<readonly LinkedAccount[]> => (await ask<LinkedAccount[]>("GET", "account/providers")).data;

export async function unlink({ uid, provider }: LinkedAccount): Promise<void> {
  await ask("DELETE", "account/providers", { provider: provider.id, account: uid });
}

/** The page of this site that the address names, or the start page. */
export function nextPage(): string {
  const asked = new URLSearchParams(location.search).get("next") ?? "/";
  const url = new URL(asked, location.origin);
  return url.origin === location.origin ? url.pathname + url.search : "/";
}
