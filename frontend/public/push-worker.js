// Shows push messages, and opens the page that a message is about. It handles no requests of pages.

self.addEventListener("install", () => self.skipWaiting());

self.addEventListener("push", (event) => {
  const { title, body, link, tag } = event.data.json();
  event.waitUntil(self.registration.showNotification(title, { body, tag, icon: "/static/icon.svg", data: { link } }));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const { href, origin } = new URL(event.notification.data.link, self.location.origin);
  if (origin === self.location.origin) event.waitUntil(open(href));
});

/** Show the page in the window that has it, else in a new one. */
async function open(href) {
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const there = windows.find((one) => one.url === href);
  await (there ? there.focus() : self.clients.openWindow(href));
}
