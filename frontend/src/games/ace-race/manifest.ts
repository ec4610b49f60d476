import type { Manifest } from "../manifest";

declare module "../../i18n/message" {
  interface Parts {
    "ace-race/board": typeof import("./en/board").default;
    "ace-race/about": typeof import("./en/about").default;
  }
}

export default {
  icon: "♥",
  board: () => import("./Board.svelte"),
  showsClock: true,
  details: () => import("./details"),
} satisfies Manifest;
