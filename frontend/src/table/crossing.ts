import { cubicOut } from "svelte/easing";
import { crossfade } from "svelte/transition";

const GLIDE = 180;
const still = matchMedia("(prefers-reduced-motion: reduce)");

/** Off while a replay is scrubbed: cards that are carried along by hand do not glide as well. */
export const gliding = { on: true };

const [send, receive] = crossfade({ duration: GLIDE, easing: cubicOut, fallback: () => ({ duration: 0 }) });

/** Without a glide nothing is measured: of many cards that change at once each would have the page laid out anew. */
const gated =
  (cross: typeof send): typeof send =>
  (node, params) =>
    gliding.on && !still.matches ? cross(node, params) : () => ({ duration: 0 });

/** A card that leaves one pile glides to the other; a card that comes from nowhere is simply there. */
export const crossing = [gated(send), gated(receive)] as const;
