import type { Manifest } from "../manifest";

declare module "../../i18n/message" {
  interface Parts {
    "racing-aces/board": typeof import("./en/board").default;
    "racing-aces/about": typeof import("./en/about").default;
  }
}

export default {
  icon: "⚑",
  board: () => import("./Board.svelte"),
  start: () => import("./Start.svelte"),
  takesBets: true,
  details: () => import("./details"),
  isChosen: true,
} satisfies Manifest;
