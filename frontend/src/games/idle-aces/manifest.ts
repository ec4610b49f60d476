import type { Manifest } from "../manifest";

declare module "../../i18n/message" {
  interface Parts {
    "idle-aces/board": typeof import("./en/board").default;
    "idle-aces/about": typeof import("./en/about").default;
  }
}

export default {
  icon: "✚",
  keys: { stock: "s", waste: "w", foundation: "f", end: "e" },
  board: () => import("./Board.svelte"),
  details: () => import("./details"),
} satisfies Manifest;
