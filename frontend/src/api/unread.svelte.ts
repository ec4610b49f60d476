import { unwrap } from "@racecard/client";
import { api } from "./client";
import { site } from "./site";

/** The server counts up to this number. */
const MOST = 100;
/** Milliseconds between two looks at a page that stays open. */
const EVERY = 30_000;
/** What is put before the title of a page: a turn, and the number of unread notifications. */
const PREFIX = /^(● [^·]+ · )?(\(\d+\+?\) )?/;

class Unread {
  count = $state(0);
  /** Those that were opened in this page: a list that is loaded before the server has recorded it shows them as read. */
  opened = $state.raw<ReadonlySet<string>>(new Set());

  /** The number as it is shown; empty without unread notifications. */
  get text(): string {
    return this.count >= MOST ? `${MOST - 1}+` : this.count > 0 ? String(this.count) : "";
  }

  /** Ask again. A failure leaves the number as it is. */
  async refresh(): Promise<void> {
    if (!site.hasSession) return;
    try {
      this.count = unwrap(await api.GET("/api/v1/notifications/", { params: { query: { limit: 1 } } })).unread;
    } catch {
      // The next look will tell.
    }
  }

  /** Look again from time to time while the page is seen, and at once when this browser receives a push message. */
  start(page: Document): () => void {
    const look = () => page.visibilityState === "visible" && void this.refresh();
    const timer = setInterval(look, EVERY);
    addEventListener("focus", look);
    const worker = navigator.serviceWorker as ServiceWorkerContainer | undefined;
    worker?.addEventListener("message", look);
    worker?.startMessages();
    return () => {
      clearInterval(timer);
      removeEventListener("focus", look);
      worker?.removeEventListener("message", look);
    };
  }

  /** Put a turn and the number before the title of the page, whatever page it is. */
  mark(page: Document, turn: string): () => void {
    const mark = () => {
      const wanted = turn + (this.text && `(${this.text}) `) + page.title.replace(PREFIX, "");
      if (page.title !== wanted) page.title = wanted;
    };
    mark();
    const changes = new MutationObserver(mark);
    changes.observe(page.head, { childList: true, characterData: true, subtree: true });
    return () => changes.disconnect();
  }
}

export const unread = new Unread();
