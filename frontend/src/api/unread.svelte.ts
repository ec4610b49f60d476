/** The server counts up to this number. */
const MOST = 100;
/** What is put before the title of a page: a turn, and the number of unread notifications. */
const PREFIX = /^(● [^·]+ · )?(\(\d+\+?\) )?/;

/** The unread notifications, which the stream of what waits counts. */
class Unread {
  count = $state(0);
  /** Those that were opened in this page: a list that is loaded before the server has recorded it shows them as read. */
  opened = $state.raw<ReadonlySet<string>>(new Set());

  /** The number as it is shown; empty without unread notifications. */
  get text(): string {
    return this.count >= MOST ? `${MOST - 1}+` : this.count > 0 ? String(this.count) : "";
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
