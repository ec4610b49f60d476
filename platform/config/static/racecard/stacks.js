/* A table that is wider than a phone shows each row there as a block: its cells below each other, each with the
   heading of its column. Tables of the class "sheet", whose columns are compared, scroll instead. */

"use strict";

const PHONE = matchMedia("(max-width: 767px)");
const BLANK = /^[-–]?$/;

function labelled(table) {
  const heads = [...table.tHead.rows[0].cells];
  for (const row of [...table.tBodies, table.tFoot].flatMap((part) => [...(part?.rows ?? [])])) {
    let column = 0;
    for (const cell of row.cells) {
      const text = cell.textContent.trim();
      cell.classList.toggle("blank", BLANK.test(text) && !cell.querySelector("button, input, img, svg, meter, progress"));
      cell.classList.toggle("numbered", /^\d+$/.test(text));
      if (cell.colSpan === 1) cell.dataset.label = heads[column]?.textContent.trim() ?? "";
      column += cell.colSpan;
    }
  }
}

function fit(box) {
  const table = box.querySelector(":scope > table.figures:not(.piles, .sheet)");
  if (!table?.tHead) return;
  table.classList.remove("stacked");
  if (!PHONE.matches || table.scrollWidth <= box.clientWidth) return;
  labelled(table);
  table.classList.add("stacked");
}

const resized = new ResizeObserver((entries) => entries.forEach(({ target }) => fit(target)));
const observed = new WeakSet();

/* Parts of a page that update themselves bring new tables. */
function observe() {
  for (const box of document.querySelectorAll(".scrolls")) {
    if (observed.has(box)) continue;
    observed.add(box);
    resized.observe(box);
    fit(box);
  }
}

observe();
new MutationObserver(observe).observe(document.getElementById("content"), { childList: true, subtree: true });
