const LONGEST = 2000;

/** Until the browser has nothing else to do, or two seconds at the most: what can wait does not delay what is seen first. */
export function rest(): Promise<void> {
  return new Promise((resolve) => {
    if ("requestIdleCallback" in window) requestIdleCallback(() => resolve(), { timeout: LONGEST });
    else setTimeout(resolve, LONGEST);
  });
}
