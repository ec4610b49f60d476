import { mount } from "svelte";
import App from "./App.svelte";
import "./app.css";
import { i18n } from "./i18n/i18n.svelte";
import { find } from "./address";
import { routes } from "./routes";

const target = document.getElementById("app");
if (!target) throw new Error("index.html has no #app");
// The page's module is fetched in parallel with the texts; a failure is handled when the page opens.
find(routes, location.pathname)?.route.page().catch(() => undefined);
// The catalogue is loaded first, so that the page does not change its language visibly.
i18n.start().then(
  () => mount(App, { target }),
  // There are no texts yet, in any language.
  () => {
    target.innerHTML = '<p role="alert">Racecard could not be loaded. <a href="">Try again</a></p>';
  },
);
