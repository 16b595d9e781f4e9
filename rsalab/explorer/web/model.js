// The data of the page as texts that can be compared.
//
// A section is one thing with a name that stands on a side: a source file, or a function's code.
//   {name, language, frame, lines}
// A line is {text, mark, count, busiest, where}: `mark` names it in the gutter, `count` is how many
// instructions were executed for it in all `n` operations (null: there is no code for it),
// `busiest` how often the busiest of these was, `where` the source line of an instruction.
"use strict";

const model = (() => {
  const FILE_BITS = 3; // as in data.py
  const { facts, snapshots, texts, missing } = JSON.parse(
    document.getElementById("data").textContent,
  );
  const byLabel = new Map(snapshots.map((snapshot) => [snapshot.label, snapshot]));
  const steps = snapshots.filter((s) => byLabel.has(s.parent)).map((s) => [s.parent, s.label]);

  const cell = (label, level) => byLabel.get(label).levels[level];

  // (file index, line) -> {count, busiest}, added up over the instructions of the line.
  function byLine(cell) {
    const table = new Map();
    for (const [, , , counts, places] of cell ? cell.functions : []) {
      counts.forEach((count, i) => {
        if (!places[i]) return;
        const known = table.get(places[i]) || { count: 0, busiest: 0 };
        known.count += count;
        known.busiest = Math.max(known.busiest, count);
        table.set(places[i], known);
      });
    }
    return table;
  }

  function sources(label, level) {
    const table = byLine(cell(label, level));
    return Object.entries(byLabel.get(label).files).map(([name, text]) => ({
      name,
      language: name.endsWith(".S") ? "armasm" : "c",
      lines: text
        .trimEnd()
        .split("\n")
        .map((text, i) => {
          const place = ((i + 1) << FILE_BITS) | (1 + facts.files.indexOf(name));
          const { count, busiest } = table.get(place) || { count: null, busiest: null };
          return { text, mark: String(i + 1), count, busiest, where: "" };
        }),
    }));
  }

  function where(place) {
    const file = facts.files[(place & ((1 << FILE_BITS) - 1)) - 1];
    return file ? `${file}:${place >> FILE_BITS}` : "";
  }

  function assembly(label, level) {
    const functions = cell(label, level) ? cell(label, level).functions : [];
    return functions.map(([name, , words, counts, places]) => ({
      name,
      language: "armasm",
      frame: words.some((word) => /^add +fp, sp, #/.test(texts[word])),
      lines: words.map((word, i) => ({
        text: texts[word],
        mark: `+${(4 * i).toString(16)}`,
        count: counts[i],
        busiest: counts[i],
        where: where(places[i]),
      })),
    }));
  }

  // mmm.constprop.0 is gcc's copy of mmm.
  const base = (name) => name.split(".")[0];

  // [first, last] of each function of a source file, its comment included.
  function functionsOf(section) {
    const found = new Map();
    const lines = section.lines.map((line) => line.text);
    const head = section.name.endsWith(".S") ? /^(\w+):/ : /^[a-z][^;=]*?(\w+)\(/;
    const tail = section.name.endsWith(".S") ? /^\s*\.size/ : /^}/;
    for (let i = 0; i < lines.length; i++) {
      const name = head.exec(lines[i]);
      if (!name) continue;
      const length = lines.slice(i).findIndex((line) => tail.test(line));
      if (length < 0 || lines.slice(i, i + length).some((line) => /^[^ ].*;$/.test(line))) continue;
      let first = i;
      if (/\*\/$/.test(lines[first - 1] || "")) {
        do first--;
        while (first > 0 && !/^\/\*/.test(lines[first]));
      }
      found.set(name[1], [first, i + length]);
      i += length;
    }
    return found;
  }

  const sections = (label, level, view) =>
    view === "asm" ? assembly(label, level) : sources(label, level);

  const functionNames = (list, view) =>
    view === "asm"
      ? list.map((section) => base(section.name))
      : list.flatMap((section) => [...functionsOf(section).keys()]);

  // The sections, or the parts of them, that are one function.
  function only(list, view, name) {
    if (view === "asm") return list.filter((section) => base(section.name) === name);
    return list.flatMap((section) => {
      const range = functionsOf(section).get(name);
      return range ? [{ ...section, lines: section.lines.slice(range[0], range[1] + 1) }] : [];
    });
  }

  // [left, right] by name, in the order of the right side; either may be undefined.
  function pairs(left, right) {
    const free = new Set(left);
    const take = (same) => {
      const found = [...free].find(same);
      free.delete(found);
      return found;
    };
    const exact = right.map((r) => take((l) => l.name === r.name));
    const matched = right.map((r, i) => [
      exact[i] || take((l) => base(l.name) === base(r.name)),
      r,
    ]);
    return [...matched, ...[...free].map((l) => [l, undefined])];
  }

  return { facts, snapshots, byLabel, steps, missing, cell, sections, functionNames, only, pairs };
})();

// Numbers as texts.
const numbers = (() => {
  const whole = (value) => value.toLocaleString("en-GB");

  // Whether a total over n is a decimal of at most three places.
  const finite = (n) => 1000 % n === 0;

  // The exact mean, or the total where the mean has no end.
  function each(total, n) {
    if (!finite(n)) return whole(total);
    const rest = String(((total % n) * 1000) / n)
      .padStart(3, "0")
      .replace(/0+$/, "");
    return whole(Math.floor(total / n)) + (rest ? `.${rest}` : "");
  }

  const unit = (n) => (finite(n) ? "a round trip" : `in ${n} round trips`);
  const percent = (part, total) => `${(total ? (100 * part) / total : 0).toFixed(2)} %`;

  return { whole, each, unit, percent };
})();
