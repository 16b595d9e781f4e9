// What a line became, or came from: the other view of the code in a pane of its own, and marks on
// both while a line has the mouse or the focus.
"use strict";

const links = (() => {
  const pane = document.getElementById("other");
  const titles = document.getElementById("whose");
  let listings = []; // of the left side and the right one: {label, element, items, side}
  let rows = []; // of the comparison
  let marked = null; // a line

  // The sections of the other view that have to do with these lines.
  function related(label, now, lists) {
    const shown = new Set(lists.flatMap((s) => s.lines.flatMap((line) => line.places)));
    const other = model.sections(label, now.level, now.view === "asm" ? "c" : "asm");
    const touches = (lines) => lines.some((line) => line.places.some((place) => shown.has(place)));
    if (now.view === "c") return other.filter((section) => touches(section.lines));
    return other.flatMap((section) => {
      const ranges = [...model.functionsOf(section).values()];
      const parts = ranges.map((range) => model.part(section, range));
      return parts.filter((part) => touches(part.lines));
    });
  }

  // The other view of a side: {label, element, items}, an item a line or the head of a file.
  function listing(side, now, lists) {
    const element = make("table", "listing");
    const items = [];
    let name = "";
    for (const section of related(side.label, now, lists)) {
      if (section.name !== name) items.push({ head: section.name });
      name = section.name;
      section.lines.forEach((line, index) => items.push({ section, line, index }));
    }
    return { label: side.label, element, items, side };
  }

  // The row of an item.
  function row(item, side) {
    const { head, section, line, index } = item;
    if (head) {
      const cell = make("th", "", head);
      cell.colSpan = 3;
      return make("tr", "", cell);
    }
    const count = make("td", "count", table.shown(line, side));
    if (line.count) count.classList.add(heat.shade(side.bounds, line.count / side.cell.n));
    const text = make("td", "text", ...colour.elements(section, index));
    item.tr = make("tr", "", make("td", "mark", line.mark), count, text);
    item.tr.line = line;
    item.tr.classList.toggle("linked", Boolean(marked) && linked(marked, line));
    return item.tr;
  }

  const wide = () => getComputedStyle(pane).display !== "none";

  // Shows the other view of the right side; drawn are the rows of the comparison.
  function use(drawn, now, sides, lists) {
    rows = drawn;
    listings = [];
    if (!wide()) return;
    listings = sides.map((side, k) => listing(side, now, lists[k]));
    titles.replaceChildren(
      ...listings.map(({ label }, k) => {
        const button = make("button", "", `${label}: ${now.view === "asm" ? "C" : "assembly"}`);
        button.type = "button";
        button.addEventListener("click", () => turn(k));
        return button;
      }),
    );
    turn(listings[1].items.length ? 1 : 0);
  }

  function turn(side) {
    [...titles.children].forEach((button, k) => button.setAttribute("aria-pressed", k === side));
    const { element, items, side: whose } = listings[side];
    if (!element.rows.length) lazy.fill(element, items, (item) => row(item, whose));
    if (pane.lastChild === element) return;
    pane.lastChild.replaceWith(element);
    pane.scrollTop = 0;
  }

  // Lines that share a place: a line of C and what it became.
  const linked = (line, other) => other.places.some((place) => line.places.includes(place));

  // Marks what a line of a side became or came from, in the pane and in the comparison.
  function mark(line, side, inPane) {
    for (const old of document.querySelectorAll(".linked")) old.classList.remove("linked");
    marked = line && line.places.length && listings.length ? line : null;
    if (!marked) return;
    if (!inPane) turn(side);
    const there = listings[side].items.filter((item) => item.line && linked(line, item.line));
    for (const item of there) if (item.tr) item.tr.classList.add("linked");
    for (const { lines, cells } of rows) {
      if (!cells || !lines[side] || !linked(line, lines[side])) continue;
      for (const cell of cells[side]) cell.classList.add("linked");
    }
    const most = Math.max(...there.map((item) => item.line.count || 0));
    const hottest = there.find((item) => (item.line.count || 0) === most);
    if (!hottest || inPane) return;
    lazy.near(hottest);
    pane.scrollTop = hottest.tr.offsetTop - pane.clientHeight / 3;
  }

  // What a line of C became, in words: `ldr 4, add 2`.
  function became(line, label, level) {
    const tally = new Map();
    for (const section of model.sections(label, level, "asm")) {
      for (const other of section.lines.filter((l) => l.count !== null && linked(line, l))) {
        const [name] = other.text.split(" ");
        tally.set(name, (tally.get(name) || 0) + 1);
      }
    }
    const sorted = [...tally].sort((x, y) => y[1] - x[1]);
    return sorted.map((pair) => pair.join(" ")).join(", ");
  }

  // What the reader points at in the pane is marked in the comparison; a click goes there.
  function look({ type, target }) {
    const tr = target.closest("tr");
    if (!tr || !tr.line) return;
    const side = listings.findIndex(({ element }) => element.contains(tr));
    mark(tr.line, side, true);
    const here = rows.find(({ lines }) => lines[side] && linked(tr.line, lines[side]));
    if (type === "click" && here) find.go(here, side);
  }

  for (const kind of ["mouseover", "click"]) pane.addEventListener(kind, look);

  return { use, mark, became };
})();
