import { mount } from "svelte";
import App from "./App.svelte";
import "./app.css";
import { i18n } from "./i18n/i18n.svelte";
import { find } from "./router/match";
import { routes } from "./routes";

const target = document.getElementById("app");
if (!target) throw new Error("index.html has no #app");
// The page's own part is fetched beside the texts and not behind them; whether it comes is seen when it is opened.
find(routes, location.pathname)?.route.page().catch(() => undefined);
// The catalogue comes first, so that nobody sees the page change its language.
i18n.start().then(
  () => mount(App, { target }),
  // There are no texts yet, in any language.
  () => {
    target.innerHTML = '<p role="alert">Racecard could not be loaded. <a href="">Try again</a></p>';
  },
);
