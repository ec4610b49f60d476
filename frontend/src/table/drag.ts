import type { Hand } from "./hand.svelte";

/** Less than so many pixels is a click by an unsteady hand. */
const THRESHOLD = 6;

interface Held {
  pointer: number;
  from: { x: number; y: number };
  pile: string;
  at: number;
  ghosts: HTMLElement[] | null;
}

/** Dragging with mouse, pen or finger: what can be taken follows, and is laid where it is let go, or goes back. */
export function draggable(board: HTMLElement, hand: () => Hand): { destroy(): void } {
  let held: Held | null = null;
  let dragged = false;

  function down(event: PointerEvent): void {
    dragged = false;
    const card = (event.target as Element).closest<HTMLElement>("[data-at]");
    if (!card || event.button !== 0 || !event.isPrimary) return;
    const spot = { pile: card.dataset["pile"] ?? "", at: Number(card.dataset["at"]) };
    if (!hand().canLift(spot)) return;
    held = { pointer: event.pointerId, from: { x: event.clientX, y: event.clientY }, ...spot, ghosts: null };
  }

  function move(event: PointerEvent): void {
    if (!held || event.pointerId !== held.pointer) return;
    const [dx, dy] = [event.clientX - held.from.x, event.clientY - held.from.y];
    if (!held.ghosts) {
      if (Math.hypot(dx, dy) < THRESHOLD) return;
      hand().lift({ pile: held.pile, at: held.at });
      held.ghosts = lift(board, held);
      board.setPointerCapture(held.pointer);
      dragged = true;
    }
    for (const ghost of held.ghosts) ghost.style.transform = `translate(${dx}px, ${dy}px)`;
    event.preventDefault();
  }

  function up(event: PointerEvent): void {
    if (!held || event.pointerId !== held.pointer) return;
    const { ghosts } = held;
    held = null;
    if (!ghosts) return;
    for (const ghost of ghosts) ghost.remove();
    const pile = event.type === "pointerup" ? pileAt(event) : null;
    if (!pile || !hand().lay(pile)) hand().take(null);
  }

  function click(event: MouseEvent): void {
    if (!dragged) return;
    dragged = false;
    event.stopPropagation();
    event.preventDefault();
  }

  board.addEventListener("pointerdown", down);
  board.addEventListener("pointermove", move);
  board.addEventListener("pointerup", up);
  board.addEventListener("pointercancel", up);
  board.addEventListener("click", click, true);
  return {
    destroy() {
      for (const ghost of held?.ghosts ?? []) ghost.remove();
      board.removeEventListener("pointerdown", down);
      board.removeEventListener("pointermove", move);
      board.removeEventListener("pointerup", up);
      board.removeEventListener("pointercancel", up);
      board.removeEventListener("click", click, true);
    },
  };
}

/** Pictures of the cards that were taken, over everything else. */
function lift(board: HTMLElement, { pile, at }: Held): HTMLElement[] {
  const cards = [...board.querySelectorAll<HTMLElement>(`[data-pile="${CSS.escape(pile)}"][data-at]`)];
  return cards
    .filter((card) => Number(card.dataset["at"]) >= at)
    .map((card) => {
      const { x, y, width, height } = card.getBoundingClientRect();
      const ghost = card.cloneNode(true) as HTMLElement;
      ghost.removeAttribute("data-at");
      ghost.removeAttribute("data-pile");
      ghost.inert = true;
      ghost.classList.add("ghost");
      Object.assign(ghost.style, { left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` });
      board.append(ghost);
      return ghost;
    });
}

function pileAt({ clientX, clientY }: PointerEvent): string | null {
  for (const element of document.elementsFromPoint(clientX, clientY)) {
    const pile = element.closest<HTMLElement>("[data-pile]")?.dataset["pile"];
    if (pile) return pile;
  }
  return null;
}
