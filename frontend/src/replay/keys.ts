/** What the replay can be asked for; a number is so many events on, or back. */
export type Command = number | "first" | "last" | "play" | "flag-before" | "flag-after" | "copy" | "flip" | "help";

const COMMANDS: Readonly<Record<string, Command>> = {
  Home: "first",
  End: "last",
  " ": "play",
  "[": "flag-before",
  "]": "flag-after",
  c: "copy",
  f: "flip",
  "?": "help",
};
const BACK = ["ArrowLeft", "ArrowUp", "j"];
const ON = ["ArrowRight", "ArrowDown", "k"];
const FAR = 10;

export interface Pressed {
  key: string;
  shiftKey: boolean;
  altKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
}

/** What a key asks for, null for any other. */
export function command({ key, shiftKey, altKey, ctrlKey, metaKey }: Pressed): Command | null {
  if (altKey || ctrlKey || metaKey) return null;
  const letter = key.length === 1 ? key.toLowerCase() : key;
  const far = shiftKey ? FAR : 1;
  if (BACK.includes(letter)) return -far;
  if (ON.includes(letter)) return far;
  return COMMANDS[letter] ?? null;
}
