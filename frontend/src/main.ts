import { mount } from "svelte";
import App from "./App.svelte";
import "./app.css";
import { i18n } from "./i18n/i18n.svelte";

const target = document.getElementById("app");
if (!target) throw new Error("index.html has no #app");
// The catalogue comes first, so that nobody sees the page change its language.
void i18n.start().then(() => mount(App, { target }));
