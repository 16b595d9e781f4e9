// Rows of tables that are made when they are near the window: a chunk of them is a <tbody>, empty and
// as high as its lines until then.
"use strict";

const lazy = (() => {
  const CHUNK = 32; // rows
  const LINE = 19; // pixels of a row
  const NEAR = "800px"; // of the window
  const watcher = new IntersectionObserver(
    (entries) => entries.filter((entry) => entry.isIntersecting).forEach(({ target }) => draw(target)),
    { rootMargin: `${NEAR} 0px` },
  );
  const waiting = new Map(); // <tbody> -> what makes its rows
  let first = 0; // rows that are still made at once

  // For another page: nothing waits, and so many rows are made at once.
  function start(rows) {
    watcher.disconnect();
    waiting.clear();
    first = rows;
  }

  // Adds a row for each item to a table; `make` makes its <tr>.
  function fill(table, items, row) {
    for (let from = 0; from < items.length; from += CHUNK) {
      const chunk = items.slice(from, from + CHUNK);
      const space = make("td", "space");
      space.style.height = `${LINE * chunk.length}px`;
      const body = make("tbody", "", make("tr", "", space));
      for (const item of chunk) item.body = body;
      waiting.set(body, () => body.replaceChildren(...chunk.map(row)));
      table.append(body);
      if (first > 0) draw(body);
      else watcher.observe(body);
      first -= chunk.length;
    }
  }

  function draw(body) {
    const rows = waiting.get(body);
    watcher.unobserve(body);
    waiting.delete(body);
    if (rows) rows();
  }

  // Makes the rows around an item, or all that wait.
  const near = (item) => draw(item.body);
  const all = () => [...waiting.keys()].forEach(draw);

  return { start, fill, near, all };
})();
