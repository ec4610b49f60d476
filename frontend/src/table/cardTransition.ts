import { cubicOut } from "svelte/easing";
import type { TransitionConfig } from "svelte/transition";

const GLIDE = 160; // milliseconds
const still = matchMedia("(prefers-reduced-motion: reduce)");

/** Off while a replay is scrubbed or a card is dragged. */
export const gliding = { on: true };

/** Where the cards lay that leave their piles with this redraw, by card: on the screen, also in the middle of a flight. */
const left = new Map<string, DOMRect>();
const AT_ONCE: TransitionConfig = { duration: 0 };

/** Without a transition nothing is measured: measuring many cards at once would force a layout for each. */
function send(node: Element, { key }: { key: string }): TransitionConfig {
  if (gliding.on && !still.matches) {
    left.set(key, node.getBoundingClientRect());
    queueMicrotask(() => setTimeout(() => left.delete(key)));
  }
  return AT_ONCE;
}

/** The place that a card comes from is known only when all piles are redrawn. */
function receive(node: Element, { key }: { key: string }): () => TransitionConfig {
  return () => {
    const from = left.get(key);
    if (!from) return AT_ONCE;
    left.delete(key);
    const to = node.getBoundingClientRect();
    const [dx, dy, scale] = [from.left - to.left, from.top - to.top, from.width / to.width];
    return {
      duration: GLIDE,
      easing: cubicOut,
      css: (_, u) =>
        `z-index: 3; transform-origin: 0 0; transform: translate(${u * dx}px, ${u * dy}px) scale(${1 + u * (scale - 1)})`,
    };
  };
}

/** A card that leaves a pile glides to the next one; a new card appears without a transition. */
export const cardTransition = [send, receive] as const;
