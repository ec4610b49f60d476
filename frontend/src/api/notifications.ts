import { fromCursor, once, type Schemas, type Slice, slice, succeed, unwrap } from "@racecard/client";
import { i18n } from "../i18n/i18n.svelte";
import { api } from "./client";
import { WORKER } from "./push";

export type Line = Schemas["NotificationOutput"];
export type Page = Slice<Line> & { unread: number };
export type Preferences = Schemas["NotificationPreferencesOutput"];
export type Changes = Schemas["PatchedNotificationPreferencesInputRequest"];
export type Channel = Preferences["channels"][number]["channel"];
export type Webhook = NonNullable<Schemas["NotificationWebhookOutput"]["webhook"]>;
export type Browsers = Schemas["PushOutput"];

/** A page of the reader's notifications in their language, newest first, with the number of unread ones. */
export async function notifications(cursor: string | null): Promise<Page> {
  const headers = { "Accept-Language": i18n.language };
  return slice(unwrap(await api.GET("/api/v1/notifications/", { params: { query: fromCursor(cursor) }, headers })));
}

/** Mark some notifications as read, or all; returns how many are unread then. */
export async function markRead(ids: readonly string[] | null): Promise<number> {
  return unwrap(await api.POST("/api/v1/notifications/read/", { body: { ids: ids && [...ids] } })).unread;
}

export async function preferences(): Promise<Preferences> {
  return unwrap(await api.GET("/api/v1/notifications/preferences/"));
}

export async function change(body: Changes): Promise<Preferences> {
  return unwrap(await api.PATCH("/api/v1/notifications/preferences/", { body }));
}

export async function webhook(): Promise<Webhook | null> {
  return unwrap(await api.GET("/api/v1/notifications/webhook/")).webhook;
}

/** Send notifications to an address; returns the secret that signs them, which is shown once. */
export async function setWebhook(url: string): Promise<string> {
  return unwrap(await api.PUT("/api/v1/notifications/webhook/", { body: { url } })).secret;
}

export async function removeWebhook(): Promise<void> {
  succeed(await api.DELETE("/api/v1/notifications/webhook/"));
}

// --- push messages ---

export async function browsers(): Promise<Browsers> {
  return unwrap(await api.GET("/api/v1/push-subscriptions/"));
}

export async function removeBrowser(subscription_id: string): Promise<void> {
  succeed(await api.DELETE("/api/v1/push-subscriptions/{subscription_id}/", { params: { path: { subscription_id } } }));
}

/** Whether this browser can receive push messages, and if not, why. */
export function pushState(): "possible" | "denied" | "unsupported" {
  if (!("serviceWorker" in navigator) || !("PushManager" in window)) return "unsupported";
  return Notification.permission === "denied" ? "denied" : "possible";
}

/** The subscription of this browser. */
export async function subscription(): Promise<PushSubscription | null> {
  if (pushState() === "unsupported") return null;
  const registration = await navigator.serviceWorker.getRegistration(WORKER);
  return (await registration?.pushManager.getSubscription()) ?? null;
}

/** Ask for permission, and subscribe this browser. */
export async function subscribe(key: string, name: string): Promise<void> {
  await Notification.requestPermission();
  const registration = await active(await navigator.serviceWorker.register(WORKER));
  const options = { userVisibleOnly: true, applicationServerKey: key };
  const made = await registration.pushManager.subscribe(options).catch(async (fault: unknown) => {
    // The browser is subscribed for another key: the installation has a new one.
    const old = await registration.pushManager.getSubscription();
    if (!old) throw fault;
    await old.unsubscribe();
    return registration.pushManager.subscribe(options);
  });
  const { endpoint, keys } = made.toJSON();
  const body = { endpoint: endpoint ?? "", p256dh: keys?.["p256dh"] ?? "", auth: keys?.["auth"] ?? "", name };
  unwrap(await api.POST("/api/v1/push-subscriptions/", { params: { header: once() }, body }));
}

/** A worker that is being installed cannot subscribe yet. */
async function active(registration: ServiceWorkerRegistration): Promise<ServiceWorkerRegistration> {
  const worker = registration.installing ?? registration.waiting;
  if (registration.active || !worker) return registration;
  return new Promise((resolve) => {
    worker.addEventListener("statechange", () => worker.state === "activated" && resolve(registration));
  });
}
