import type { Manifest } from "../manifest";

declare module "../../i18n/message" {
  interface Parts {
    "vegas-solitaire/board": typeof import("./en/board").default;
    "vegas-solitaire/about": typeof import("./en/about").default;
  }
}

export default {
  icon: "♠",
  keys: { longer: "+", shorter: "-", stock: "s", waste: "w", foundation: "f", undo: "z", end: "e" },
  board: () => import("./Board.svelte"),
  details: () => import("./details"),
  flips: true,
  hasSession: true,
} satisfies Manifest;
