/** The arrow keys on a table: from one card or pile to the nearest one in that direction, wherever it was drawn. */
type Direction = "up" | "down" | "left" | "right";
type Box = Readonly<{ x: number; y: number }>;

const DIRECTIONS: Readonly<Record<string, Direction>> = {
  ArrowUp: "up",
  ArrowDown: "down",
  ArrowLeft: "left",
  ArrowRight: "right",
};

export const direction = (key: string): Direction | null => DIRECTIONS[key] ?? null;

/** Sideways distance counts more than distance along the direction, so that focus stays in its row or column. */
const ASIDE = 3;

/** What lies further to the side than this times as far along lies in another direction. */
const WIDEST = 4;

/** The index of the nearest of `boxes` from `here` in a direction; null if there is none. */
export function nearest(here: Box, boxes: readonly Box[], way: Direction): number | null {
  let best: number | null = null;
  let least = Infinity;
  for (const [index, box] of boxes.entries()) {
    const [dx, dy] = [box.x - here.x, box.y - here.y];
    const along = way === "left" ? -dx : way === "right" ? dx : way === "up" ? -dy : dy;
    const aside = way === "left" || way === "right" ? Math.abs(dy) : Math.abs(dx);
    if (along < 1 || aside > WIDEST * along) continue;
    const distance = along + ASIDE * aside;
    if (distance < least) [best, least] = [index, distance];
  }
  return best;
}

export function middle(element: Element): Box {
  const { x, y, width, height } = element.getBoundingClientRect();
  return { x: x + width / 2, y: y + height / 2 };
}
