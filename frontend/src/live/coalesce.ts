/** `load`, never twice at a time: calls that come while it is under way make one more, whoever asked. */
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
