import type { Component } from "svelte";
import type { Part } from "./i18n/message";

export interface Route {
  pattern: string;
  /** Loaded when it is first opened, so that a table weighs what a table needs. */
  page: () => Promise<{ default: Component }>;
  texts: readonly Part[];
}

const REPLAY: readonly Part[] = ["replay", "table", "cards", "players"];
const SIGN_IN = ["sign-in"] as const;
const signingIn = () => import("./pages/SigningIn.svelte");
const WALLET = ["wallet", "amount", "top-up", "reasons", "cards"] as const;
const RUN = ["tournament", "run", "measures", "tournaments", "reasons"] as const;
const WIZARD = ["wizard", "amount", "tournament", "tournaments", "new-game"] as const;
const wizard = () => import("./pages/Wizard.svelte");

/** Every page of the client. The build lists the patterns for the server, which answers other addresses with 404. */
export const routes: readonly Route[] = [
  { pattern: "/", page: () => import("./pages/Lobby.svelte"), texts: ["lobby", "players", "tournaments", "reasons"] },
  { pattern: "/sign-in", page: signingIn, texts: SIGN_IN },
  { pattern: "/reset-password", page: signingIn, texts: SIGN_IN },
  { pattern: "/verify-email", page: signingIn, texts: SIGN_IN },
  { pattern: "/confirm-identity", page: signingIn, texts: SIGN_IN },
  { pattern: "/new/:rules", page: () => import("./pages/NewTable.svelte"), texts: ["new-game", "amount", "top-up", "players", "reasons"] },
  { pattern: "/games", page: () => import("./pages/MyGames.svelte"), texts: ["my-games", "players"] },
  { pattern: "/games/:id", page: () => import("./pages/Table.svelte"), texts: ["table", "cards", "players"] },
  { pattern: "/games/:id/replay", page: () => import("./pages/Replay.svelte"), texts: REPLAY },
  { pattern: "/games/:id/events/:version", page: () => import("./pages/Replay.svelte"), texts: REPLAY },
  { pattern: "/games/:id/audit", page: () => import("./pages/Audit.svelte"), texts: ["audit", ...REPLAY] },
  { pattern: "/games/:id/dispute", page: () => import("./pages/disputes/DisputeForm.svelte"), texts: ["dispute"] },
  { pattern: "/games/:id/report", page: () => import("./pages/disputes/ReportPlayer.svelte"), texts: ["dispute", "players"] },
  { pattern: "/disputes", page: () => import("./pages/disputes/Disputes.svelte"), texts: ["dispute"] },
  { pattern: "/disputes/:id", page: () => import("./pages/disputes/Dispute.svelte"), texts: ["dispute"] },
  { pattern: "/tournaments", page: () => import("./pages/Tournaments.svelte"), texts: ["tournaments"] },
  { pattern: "/tournaments/new", page: wizard, texts: WIZARD },
  { pattern: "/tournaments/:id/edit", page: wizard, texts: WIZARD },
  {
    pattern: "/tournaments/:id",
    page: () => import("./pages/Tournament.svelte"),
    texts: ["tournament", "amount", "market", "measures", "tournaments", "reasons"],
  },
  { pattern: "/tournaments/:id/bracket", page: () => import("./pages/Bracket.svelte"), texts: ["tournament"] },
  { pattern: "/tournaments/:id/pairings", page: () => import("./pages/Pairings.svelte"), texts: ["tournament"] },
  { pattern: "/tournaments/:id/run", page: () => import("./pages/Run.svelte"), texts: RUN },
  { pattern: "/tournaments/:id/projector", page: () => import("./pages/Projector.svelte"), texts: RUN },
  { pattern: "/wallet", page: () => import("./pages/wallet/Statement.svelte"), texts: WALLET },
  { pattern: "/wallet/bets", page: () => import("./pages/wallet/Bets.svelte"), texts: WALLET },
  { pattern: "/wallet/payouts", page: () => import("./pages/wallet/Payouts.svelte"), texts: WALLET },
  { pattern: "/wallet/protection", page: () => import("./pages/wallet/Protection.svelte"), texts: WALLET },
  { pattern: "/wallet/sessions", page: () => import("./pages/wallet/Sessions.svelte"), texts: WALLET },
  { pattern: "/notifications", page: () => import("./pages/Notifications.svelte"), texts: ["notifications"] },
  { pattern: "/account/notifications", page: () => import("./pages/account/Notifications.svelte"), texts: ["notifications", "account"] },
  { pattern: "/account", page: () => import("./pages/Account.svelte"), texts: ["account", "sign-in"] },
];
