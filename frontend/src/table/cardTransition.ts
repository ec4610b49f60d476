import { cubicOut } from "svelte/easing";
import { crossfade } from "svelte/transition";

const GLIDE = 180;
const still = matchMedia("(prefers-reduced-motion: reduce)");

/** Off while a replay is scrubbed or a card is dragged. */
export const gliding = { on: true };

const [send, receive] = crossfade({ duration: GLIDE, easing: cubicOut, fallback: () => ({ duration: 0 }) });

/** Without a transition nothing is measured: measuring many cards at once would force a layout for each. */
const gated =
  (cross: typeof send): typeof send =>
  (node, params) =>
    gliding.on && !still.matches ? cross(node, params) : () => ({ duration: 0 });

/** A card that leaves a pile glides to the next one; a new card appears without a transition. */
export const cardTransition = [gated(send), gated(receive)] as const;
