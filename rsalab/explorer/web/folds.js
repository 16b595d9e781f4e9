// Rows that need not be seen at first: unchanged lines far from a difference, and the repetitions of
// unrolled code.  A row that says how many there are stands for them, and opens them.
"use strict";

const folds = (() => {
  const { make } = heads;
  const CONTEXT = 5; // unchanged lines around a difference
  const LONGEST = 64; // lines that are repeated
  const FEWEST = 24; // lines worth folding
  const COPIES = 4;

  // Hides rows[from..to) behind a row with a button.
  function fold(rows, from, to, text) {
    const hidden = rows.slice(from, to);
    const buttons = [];
    const stands = hidden[0].cells.map((tr, k) => {
      const button = make("button", "fold", k ? "⋯" : text);
      button.type = "button";
      button.setAttribute("aria-label", text);
      buttons.push(button);
      const cells = [
        make("td", "d2h-info d2h-code-side-linenumber"),
        make("td", "d2h-info", button),
      ];
      const row = make("tr", "folded", ...cells);
      tr.before(row);
      return row;
    });
    for (const row of hidden) row.fold = open;
    show(hidden, false);
    function open() {
      stands.forEach((row) => row.remove());
      for (const row of hidden) delete row.fold;
      show(hidden, true);
    }
    buttons.forEach((button) => button.addEventListener("click", open));
  }

  function show(rows, visible) {
    for (const { cells } of rows) cells.forEach((tr) => (tr.hidden = !visible));
  }

  // Unchanged rows with no difference near.
  function context(rows) {
    const near = new Uint8Array(rows.length);
    rows.forEach(({ changed }, i) => {
      if (changed) near.fill(1, Math.max(0, i - CONTEXT), i + CONTEXT + 1);
    });
    for (let i = 0; i < rows.length; i++) {
      if (near[i]) continue;
      let end = i;
      while (end < rows.length && !near[end]) end++;
      if (end - i > 1) fold(rows, i, end, `⋯ ${end - i} unchanged lines`);
      i = end;
    }
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
        if (room * period >= FEWEST) fold(rows, from, to, `⋯ ${many}`);
        from = Math.max(to, paired < 0 ? end : paired) + 1;
      }
      i = end - 1;
    }
  }

  return { context, repetitions };
})();
