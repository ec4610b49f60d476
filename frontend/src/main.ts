import { mount } from "svelte";
import App from "./App.svelte";
import "@fontsource-variable/figtree";
import "./app.css";
import { i18n, withTexts } from "./i18n/i18n.svelte";
import { find } from "./address";
import { routes } from "./routes";

const target = document.getElementById("app");
if (!target) throw new Error("index.html has no #app");
/** Set by the worker of an installed app (`offline-worker.js`) where the server cannot be reached. */
const isOffline = "offline" in document.documentElement.dataset;
// The page's module is fetched in parallel with the texts; a failure is handled when the page opens.
if (!isOffline) find(routes, location.pathname)?.route.page().catch(() => undefined);
// The catalogue is loaded first, so that the page does not change its language visibly.
i18n.start().then(
  async () => mount(isOffline ? await withTexts(() => import("./pages/Offline.svelte"), ["offline"]) : App, { target }),
  // There are no texts yet, in any language.
  () => {
    target.innerHTML = '<p role="alert">Racecard could not be loaded. <a href="">Try again</a></p>';
  },
);

// A browser says itself that there is no connection; an installed app is a window without a browser.
if (matchMedia("(display-mode: standalone)").matches)
  navigator.serviceWorker?.register(`/offline-worker.js?${encodeURIComponent(import.meta.url.split("/").pop() ?? "")}`).catch(() => undefined);
