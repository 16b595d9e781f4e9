// Ways to a row: the next difference, the hottest line, a text, a range of lines.
"use strict";

const find = (() => {
  let rows = [];
  let cursor = null; // a row
  let ranked = [];

  const counted = (row) => [0, 1].filter((k) => row.lines[k] && row.lines[k].count !== null);
  const button = (row, k) => row.cells[k][0].querySelectorAll("button.count");
  const countOf = (row, k) => [...button(row, k)].find((count) => count.line === row.lines[k]);

  // New rows to look among.
  function use(compared) {
    rows = compared;
    cursor = null;
    ranked = [];
    const first = document.querySelector("#code button.count");
    if (first) first.tabIndex = 0;
  }

  // Goes to a row, and gives the count of a side the focus, or its number; `block` is where in the
  // window it comes to stand.
  function go(row, side = counted(row).pop() ?? (row.lines[1] ? 1 : 0), block = "center") {
    folds.open(row);
    for (const tr of document.querySelectorAll("tr.cursor")) tr.classList.remove("cursor");
    row.tr.classList.add("cursor");
    cursor = row;
    focus(countOf(row, side) || [...row.tr.querySelectorAll("a.mark")].pop());
    row.tr.scrollIntoView({ block });
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
    const here = rows.indexOf(cursor);
    const next =
      by > 0
        ? starts.find((row) => rows.indexOf(row) > here)
        : starts.findLast((row) => rows.indexOf(row) < here);
    const row = next || starts.at(by > 0 ? 0 : -1);
    if (row) go(row);
  }

  // Every line with a count, as [row, side], the highest first.
  function ranking(cells) {
    const places = rows.flatMap((row) => counted(row).map((k) => [row, k]));
    const worth = ([row, k]) => row.lines[k].count / cells[k].n;
    return places.sort((x, y) => worth(y) - worth(x));
  }

  // The line with the highest count on either side; again: the next one.
  function hottest(cells) {
    if (!ranked.length) ranked = ranking(cells);
    const next = ranked.shift();
    if (next) go(...next);
  }

  // From a count to the one above or below it.
  function step(count, by) {
    const here = rowOf(count.closest("tr"));
    const k = here.lines.indexOf(count.line);
    const column = rows.filter((row) => !row.fold && counted(row).includes(k));
    const next = column[column.indexOf(here) + by];
    if (next) go(next, k, "nearest");
  }

  // Whether a line of a row holds a text.
  const holds = (row, wanted) => row.lines.some((line) => has(line, wanted));
  const has = (line, wanted) => line && line.text.toLowerCase().includes(wanted.toLowerCase());

  // How many lines hold a text, and what their counts add up to, on either side.
  function sums(found, wanted, sides) {
    return sides.map(({ label, cell }, k) => {
      const lines = found.map((row) => row.lines[k]).filter((line) => has(line, wanted));
      const executed = lines.reduce((sum, line) => sum + (line.inner ? 0 : line.count || 0), 0);
      const what = `${lines.length} ${lines.length === 1 ? "line" : "lines"} with “${wanted}”`;
      const each = cell && `${numbers.each(executed, cell.n)} executed ${numbers.unit(cell.n)}`;
      return `${label}: ${what}${each ? `, ${each}` : ""}`;
    });
  }

  // Marks lines of the right side by number; the first of them, or null.
  function range(lines) {
    const [first, last] = lines.split("-").map(Number);
    const inside = rows.filter(({ lines: [, l] }) => l && l.mark >= first && l.mark <= last);
    for (const row of inside) {
      folds.open(row);
      row.tr.classList.add("place");
    }
    return inside[0] || null;
  }

  const rowOf = (tr) => rows.find((row) => row.tr === tr);

  return { use, rows: () => rows, rowOf, go, difference, ranking, hottest, step, holds, sums, range };
})();
