// Ways to a row: the next difference, the hottest line, a text, a range of lines.
"use strict";

const find = (() => {
  let rows = [];
  let cursor = -1;
  let ranked = [];

  const visible = (row) => !row.cells[0].hidden;
  const all = (row, what) => row.cells.flatMap((tr) => [...tr.querySelectorAll(what)]);
  const button = (row) => all(row, "button.count").pop();

  // New rows to look among.
  function use(drawn) {
    rows = drawn;
    cursor = -1;
    ranked = [];
    const first = rows.map(button).find(Boolean);
    if (first) first.tabIndex = 0;
  }

  // Goes to a row: opens what hides it, and gives its count the focus, or its number.
  function go(row, count = button(row) || all(row, "a.mark").pop()) {
    if (row.fold) row.fold();
    for (const tr of document.querySelectorAll("tr.cursor")) tr.classList.remove("cursor");
    for (const tr of row.cells) tr.classList.add("cursor");
    cursor = rows.indexOf(row);
    focus(count);
    row.cells[0].scrollIntoView({ block: "center" });
  }

  // One count at a time is in the order of the Tab key.
  function focus(count) {
    for (const other of document.querySelectorAll("#code td [tabindex='0']")) other.tabIndex = -1;
    count.tabIndex = 0;
    count.focus({ preventScroll: true });
  }

  // The first row of the next block of differences (or, by -1, the previous one).
  function difference(by) {
    const starts = rows.filter((row, i) => row.changed && !(rows[i - 1] || {}).changed);
    const next =
      by > 0
        ? starts.find((row) => rows.indexOf(row) > cursor)
        : starts.findLast((row) => rows.indexOf(row) < cursor);
    const row = next || starts.at(by > 0 ? 0 : -1);
    if (row) go(row);
  }

  // The line with the highest count on either side; again: the next one.
  function hottest() {
    if (!ranked.length) {
      const counts = rows.flatMap((row) => all(row, "button.count").map((count) => [row, count]));
      const worth = ([, count]) => count.line.count / count.side.cell.n;
      ranked = counts.sort((x, y) => worth(y) - worth(x));
    }
    const next = ranked.shift();
    if (next) go(...next);
  }

  // From a count to the one above or below it.
  function step(count, by) {
    const shown = count.closest("table").querySelectorAll("tr:not([hidden]) button.count");
    const column = [...shown].filter((other) => other.side === count.side);
    const next = column[column.indexOf(count) + by];
    if (!next) return;
    focus(next);
    next.scrollIntoView({ block: "nearest" });
  }

  // Shows only lines that hold a text; what their counts add up to, on either side.
  function text(wanted, sides) {
    const low = wanted.toLowerCase();
    const sums = [0, 0];
    const found = [0, 0];
    for (const row of rows) {
      const holds = row.lines.map((line) => line && line.text.toLowerCase().includes(low));
      for (const tr of row.cells) tr.hidden = !holds.some(Boolean);
      holds.forEach((held, k) => {
        if (!held) return;
        found[k]++;
        if (!row.lines[k].inner) sums[k] += row.lines[k].count || 0;
      });
    }
    for (const section of document.querySelectorAll("section.text"))
      section.hidden = !section.querySelector("tbody tr:not([hidden])");
    return sides.map(({ label, cell }, k) => {
      const lines = `${found[k]} ${found[k] === 1 ? "line" : "lines"} with “${wanted}”`;
      const each = cell && `${numbers.rounded(sums[k], cell.n)} executed ${numbers.unit(cell.n)}`;
      return `${label}: ${lines}${each ? `, ${each}` : ""}`;
    });
  }

  // Marks lines of the right side by number; the first of them, or null.
  function range(lines) {
    const [first, last] = lines.split("-").map(Number);
    const inside = rows.filter(({ lines: [, l] }) => l && l.mark >= first && l.mark <= last);
    for (const row of inside) {
      if (row.fold) row.fold();
      for (const tr of row.cells) tr.classList.add("place");
    }
    return inside[0] || null;
  }

  const rowOf = (tr) => rows.find(({ cells }) => cells.includes(tr));

  return { use, rows: () => rows, rowOf, go, difference, hottest, step, text, range };
})();
