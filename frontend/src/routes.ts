import type { Component } from "svelte";
import Lobby from "./pages/Lobby.svelte";
import NewTable from "./pages/NewTable.svelte";
import SignIn from "./pages/SignIn.svelte";
import Table from "./pages/Table.svelte";
import Tournament from "./pages/Tournament.svelte";
import type { Params } from "./router/match";

export interface Route {
  pattern: string;
  /** Some pages have no parameters and take none. */
  page: Component<{ params: Params }> | Component;
}

/** Every page of the client; the server answers these paths with the same document. */
export const routes: readonly Route[] = [
  { pattern: "/", page: Lobby },
  { pattern: "/sign-in", page: SignIn },
  { pattern: "/new/:rules", page: NewTable },
  { pattern: "/games/:id", page: Table },
  { pattern: "/tournaments/:id", page: Tournament },
];
