import { api, unwrap } from "./client";
import { house } from "./house";

class Session {
  /** Who is signed in on this browser; empty for nobody. */
  name = $state("");

  /** Ask who the reader is; without a session there is nothing to ask. */
  async load(): Promise<void> {
    if (!house.hasSession) return;
    try {
      const player = unwrap(await api.GET("/api/v1/players/me/"));
      this.name = player.display_name || player.username;
    } catch {
      this.name = "";
    }
  }
}

export const session = new Session();
