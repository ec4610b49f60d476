/* The step keys of a board: arrow left or j follows the link one step back, arrow right or k the link one step on. */

"use strict";

const STEPS = { ArrowLeft: "back", j: "back", ArrowRight: "on", k: "on" };

document.addEventListener("keydown", (pressed) => {
  const isTyping = pressed.target.closest("input, select, textarea, [contenteditable]");
  const scrolls = pressed.key.startsWith("Arrow") && pressed.target.closest(".scrolls");
  if (isTyping || scrolls || pressed.altKey || pressed.ctrlKey || pressed.metaKey) return;
  const link = document.querySelector(`[data-step="${STEPS[pressed.key]}"]`);
  if (!link) return;
  pressed.preventDefault();
  link.click();
});
