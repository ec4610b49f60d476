import type { BoardComponent } from "./board";

/** Each game's table, loaded when it is first played. */
export const boards: Readonly<Record<string, () => Promise<{ default: BoardComponent }>>> = {
  "vegas-solitaire": () => import("./vegas/Board.svelte"),
  "idle-aces": () => import("./idle/Board.svelte"),
  "racing-demons": () => import("./demons/Board.svelte"),
  "ace-race": () => import("./acerace/Board.svelte"),
  "racing-aces": () => import("./race/Board.svelte"),
};
