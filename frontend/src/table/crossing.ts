import { cubicOut } from "svelte/easing";
import { crossfade } from "svelte/transition";

const GLIDE = 180;
const still = matchMedia("(prefers-reduced-motion: reduce)");

/** A card that leaves one pile glides to the other; a card that comes from nowhere is simply there. */
export const crossing = crossfade({
  duration: () => (still.matches ? 0 : GLIDE),
  easing: cubicOut,
  fallback: () => ({ duration: 0 }),
});
