import type { Manifest } from "../manifest";

declare module "../../i18n/message" {
  interface Parts {
    "racing-demons/board": typeof import("./en/board").default;
    "racing-demons/about": typeof import("./en/about").default;
  }
}

export default {
  icon: "♆",
  keys: { demon: "d", stock: "s", waste: "w", foundation: "f" },
  board: () => import("./Board.svelte"),
  texts: ["backs"],
  details: () => import("./details"),
  isSimultaneous: ({ pace }) => pace !== "turns",
} satisfies Manifest;
