import { Feed } from "./feed.svelte";

/** The feed of this page, which watches all values that it shows. */
export const feed = new Feed();
