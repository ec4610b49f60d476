/** Wrap `load` so that it never runs twice at a time: calls during a run are merged into one more run. */
export function coalesced(load: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  let again = false;
  return function run() {
    if (running) {
      again = true;
      return running;
    }
    running = load().finally(() => {
      running = null;
      if (!again) return;
      again = false;
      void run();
    });
    return running;
  };
}
