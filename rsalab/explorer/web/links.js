// What a line became, or came from: the other view of the code in a pane of its own, and marks on
// both while a line has the mouse or the focus.
"use strict";

const links = (() => {
  const { make } = heads;
  const pane = document.getElementById("other");
  const titles = document.getElementById("whose");
  let listings = []; // of the left side and the right one: {label, element, rows}
  let rows = []; // of the comparison

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

  function listing(side, now, lists) {
    const element = make("table", "listing");
    const found = [];
    let name = "";
    for (const section of related(side.label, now, lists)) {
      const head = make("th", "", section.name === name ? "" : section.name);
      head.colSpan = 3;
      element.append(make("tbody", "", make("tr", "", head)));
      name = section.name;
      const colours = diff.highlighted(section);
      section.lines.forEach((line, i) => {
        const code = make("td", "text");
        code.innerHTML = colours[i] || "";
        const count = make("td", "count", table.shown(line, side));
        if (line.count) count.classList.add(heat.shade(side.bounds, line.count / side.cell.n));
        const row = make("tr", "", make("td", "mark", line.mark), count, code);
        row.line = line;
        found.push(row);
        element.lastChild.append(row);
      });
    }
    return { label: side.label, element, rows: found };
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
    turn(1);
  }

  function turn(side) {
    [...titles.children].forEach((button, k) => button.setAttribute("aria-pressed", k === side));
    if (pane.lastChild !== listings[side].element) {
      pane.lastChild.replaceWith(listings[side].element);
      pane.scrollTop = 0;
    }
  }

  // Lines that share a place: a line of C and what it became.
  const linked = (line, other) => other.places.some((place) => line.places.includes(place));

  // Marks what a line of a side became or came from, in the pane and in the comparison.
  function mark(line, side, inPane) {
    for (const tr of document.querySelectorAll("tr.linked")) tr.classList.remove("linked");
    if (!line || !line.places.length || !listings.length) return;
    if (!inPane) turn(side);
    const there = listings[side].rows.filter((row) => linked(line, row.line));
    const here = rows.filter(({ lines }) => lines[side] && linked(line, lines[side]));
    for (const row of [...there, ...here.map(({ cells }) => cells[cells.length > 1 ? side : 0])])
      row.classList.add("linked");
    const [first] = there;
    if (first && !inPane) pane.scrollTop = first.offsetTop - pane.clientHeight / 3;
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
    const row = target.closest("tr");
    if (!row || !row.line) return;
    const side = listings.findIndex(({ element }) => element.contains(row));
    mark(row.line, side, true);
    const here = rows.find(({ lines }) => lines[side] && linked(row.line, lines[side]));
    const tr = here && here.cells[here.cells.length > 1 ? side : 0];
    if (type === "click" && here) find.go(here, tr.querySelector("button.count") || undefined);
  }

  for (const kind of ["mouseover", "click"]) pane.addEventListener(kind, look);

  return { use, mark, became };
})();
