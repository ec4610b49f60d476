import { cubicOut } from "svelte/easing";
import { crossfade } from "svelte/transition";

const GLIDE = 180;
const still = matchMedia("(prefers-reduced-motion: reduce)");

/** Off while a replay is scrubbed: cards that are carried along by hand do not glide as well. */
export const gliding = { on: true };

/** A card that leaves one pile glides to the other; a card that comes from nowhere is simply there. */
export const crossing = crossfade({
  duration: () => (still.matches || !gliding.on ? 0 : GLIDE),
  easing: cubicOut,
  fallback: () => ({ duration: 0 }),
});
