import { unwrap } from "@racecard/client";
import { api, csrfToken } from "./client";
import { site } from "./site";

class Session {
  /** The player who is signed in on this browser; empty without a session. */
  name = $state("");
  id = $state("");
  /** The user's roles: `auditor`, `organizer`, … */
  roles = $state.raw<readonly string[]>([]);

  get isAuditor(): boolean {
    return this.roles.includes("auditor");
  }

  /** Whether the user creates tournaments. */
  get isOrganizer(): boolean {
    return this.roles.includes("organizer") || this.roles.includes("administrator");
  }

  /** Whether the staff pages show disputes and evidence to the user. */
  get isStaff(): boolean {
    return this.isAuditor || this.roles.includes("administrator");
  }

  /** Ask who the reader is; without a session there is nothing to ask. */
  async load(): Promise<void> {
    if (!site.hasSession) return;
    try {
      const player = unwrap(await api.GET("/api/v1/players/me/"));
      this.name = player.display_name || player.username;
      this.id = player.id;
      this.roles = player.roles;
    } catch {
      this.name = this.id = "";
      this.roles = [];
    }
  }

  /** Begin to play as a guest. The page is loaded again for what follows. */
  async beGuest(): Promise<void> {
    unwrap(await api.POST("/api/v1/guests/session/"));
    document.documentElement.dataset["session"] = "guest";
  }

  async signOut(): Promise<void> {
    await fetch("/_allauth/browser/v1/auth/session", { method: "DELETE", headers: { "X-CSRFToken": csrfToken() } });
  }
}

export const session = new Session();
