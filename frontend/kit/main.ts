import { mount } from "svelte";
import "../src/app.css";
import { i18n } from "../src/i18n/i18n.svelte";
import Kit from "./Kit.svelte";

const target = document.getElementById("kit");
if (!target) throw new Error("index.html has no #kit");
await i18n.start();
await i18n.need(["wallet", "amount"]);
mount(Kit, { target });
