import { Feed } from "./feed.svelte";

/** The one feed of this page: whatever is shown is watched by it. */
export const feed = new Feed();
