import type { Manifest } from "../manifest";

declare module "../../i18n/message" {
  interface Parts {
    "vegas-solitaire/board": typeof import("./en/board").default;
    "vegas-solitaire/about": typeof import("./en/about").default;
  }
}

export default {
  board: () => import("./Board.svelte"),
  details: () => import("./details"),
  hasSession: true,
} satisfies Manifest;
