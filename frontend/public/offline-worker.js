// Shows a page that says so when an installed app is opened without a connection. Each build has a worker of its own
// (its name is the query of the address), which keeps what that page needs.

const KEPT = `offline${self.location.search}`;
const PAGE = "/static/index.html";
const ENTRIES = [/^index\.html$/, /pages\/Offline\.svelte$/, /i18n\/\w+\/(index|offline)\.ts$/];

self.addEventListener("install", (event) => event.waitUntil(keep()));
self.addEventListener("activate", (event) => event.waitUntil(start()));

self.addEventListener("fetch", (event) => {
  const { method, mode, url } = event.request;
  if (mode === "navigate" && method === "GET") event.respondWith(opened(event));
  else if (url.startsWith(`${self.location.origin}/static/client/`)) event.respondWith(loaded(event.request));
});

async function keep() {
  const answer = await fetch("/static/client/manifest.json", { cache: "no-store" });
  const chunks = await answer.json();
  const wanted = new Set();
  const add = (name) => {
    const { file, css = [], assets = [], imports = [] } = chunks[name];
    if (wanted.has(file)) return;
    for (const one of [file, ...css, ...assets.filter((name) => name.includes("/drawings-"))]) wanted.add(one);
    imports.forEach(add);
  };
  Object.keys(chunks)
    .filter((name) => ENTRIES.some((entry) => entry.test(name)))
    .forEach(add);
  const cache = await caches.open(KEPT);
  await cache.addAll([PAGE, ...[...wanted].map((file) => `/static/${file}`)]);
  await self.skipWaiting();
}

async function start() {
  const old = (await caches.keys()).filter((name) => name.startsWith("offline") && name !== KEPT);
  await Promise.all(old.map((name) => caches.delete(name)));
  await self.registration.navigationPreload?.enable();
}

async function opened(event) {
  try {
    return (await event.preloadResponse) ?? (await fetch(event.request));
  } catch {
    const page = await (await caches.match(PAGE)).text();
    const headers = { "Content-Type": "text/html; charset=utf-8" };
    return new Response(page.replace("<html", "<html data-offline"), { headers });
  }
}

async function loaded(request) {
  return (await caches.match(request)) ?? fetch(request);
}
