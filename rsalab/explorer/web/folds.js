// Rows that need not be seen at first: unchanged lines far from a difference, and the repetitions of
// unrolled code.  A fold, {hidden, text}, stands for them, and opens them.
"use strict";

const folds = (() => {
  const CONTEXT = 5; // unchanged lines around a difference
  const LONGEST = 64; // lines that are repeated
  const FEWEST = 24; // lines worth folding
  const COPIES = 4;

  // The row of a fold; `draw` makes those behind it when it opens.
  function row(fold, columns, draw) {
    const button = make("button", "fold", fold.text);
    button.type = "button";
    const cell = make("td", "", button);
    cell.colSpan = columns;
    const tr = make("tr", "folded", cell);
    fold.open = () => {
      tr.replaceWith(...fold.hidden.map(draw));
      for (const one of fold.hidden) delete one.fold;
    };
    button.addEventListener("click", fold.open);
    return tr;
  }

  // Makes what a row stands behind, whether it was near the window or not.
  function open(one) {
    lazy.near(one.fold || one);
    if (one.fold) one.fold.open();
  }

  // Rows with folds, [from, to, text], in place of those that they stand for.
  function items(rows, ranges) {
    const found = [];
    let next = 0;
    for (const [from, to, text] of ranges.sort((x, y) => x[0] - y[0])) {
      if (from < next) continue; // behind another fold
      const fold = { hidden: rows.slice(from, to), text };
      for (const one of fold.hidden) one.fold = fold;
      found.push(...rows.slice(next, from), fold);
      next = to;
    }
    return [...found, ...rows.slice(next)];
  }

  // Unchanged rows with no difference near.
  function context(rows) {
    const near = new Uint8Array(rows.length);
    rows.forEach(({ changed }, i) => {
      if (changed) near.fill(1, Math.max(0, i - CONTEXT), i + CONTEXT + 1);
    });
    const ranges = [];
    for (let i = 0; i < rows.length; i++) {
      if (near[i]) continue;
      let end = i;
      while (end < rows.length && !near[end]) end++;
      if (end - i > 1) ranges.push([i, end, `⋯ ${end - i} unchanged lines`]);
      i = end;
    }
    return ranges;
  }

  // How often the rows from `at` on are repeated with this period.
  function copies(keys, at, period) {
    let n = at;
    while (n + period < keys.length && keys[n] === keys[n + period]) n++;
    return 1 + Math.floor((n - at) / period);
  }

  // What the rows of one copy are called: the macro that makes them, or their number.
  function name(rows, labels) {
    const of = rows.map(({ lines }) => {
      const k = lines[1] ? 1 : 0;
      return lines[k].places.length ? model.where(labels[k], lines[k].places[0]).text : "";
    });
    const macro = of.every((text) => text === of[0]) && /^\w+/.exec(of[0]);
    const many = rows.length > 1 ? `${rows.length} instructions` : "instruction";
    return macro ? `${macro[0]} (${many})` : many;
  }

  // Assembly that says the same again and again; the first copy stays, and so does what has a
  // counterpart on the other side.
  function repetitions(rows, labels) {
    const ranges = [];
    const alone = rows.map(({ keys: [left, right] }) => left === undefined || right === undefined);
    const keys = rows.map(({ keys: [left, right] }) => (right === undefined ? `−${left}` : right));
    for (let i = 0; i < rows.length; i++) {
      let best = [0, 0];
      for (let period = 1; period <= LONGEST; period++) {
        const found = copies(keys, i, period);
        if (found >= COPIES && found * period > best[0] * best[1]) best = [found, period];
      }
      const [found, period] = best;
      const end = i + found * period;
      if (found * period < FEWEST) continue;
      const what = name(rows.slice(i, i + period), labels);
      for (let from = i + period; from < end;) {
        const paired = alone.indexOf(false, from);
        const room = Math.floor(((paired < 0 ? end : Math.min(paired, end)) - from) / period);
        const to = from + room * period;
        const all = from === i + period && to === end;
        const many = all ? `${found} × ${what}, the first above` : `${room} more × ${what}`;
        if (room * period >= FEWEST) ranges.push([from, to, `⋯ ${many}`]);
        from = Math.max(to, paired < 0 ? end : paired) + 1;
      }
      i = end - 1;
    }
    return ranges;
  }

  return { row, open, items, context, repetitions };
})();
