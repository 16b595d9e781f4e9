// The data of the page as texts that can be compared.
//
// A section is one thing with a name that stands on a side: a source file, or a function's code.
//   {name, language, frame, lines}
// A line is {text, mark, count, busiest, inner, places}: `mark` names it in the gutter, `count` is
// how many instructions were executed for it in all `n` operations (null: there is no code for it),
// `busiest` how often the busiest of these was, `inner` whether they are counted at another line,
// too, which uses the macro.  `places` are the line itself, or what an instruction comes from: its
// line, then the lines of macro bodies.
"use strict";

const model = (() => {
  const FILE_BITS = 3; // as in data.py
  const { facts, snapshots, texts, instructions, missing } = JSON.parse(
    document.getElementById("data").textContent,
  );
  const byLabel = new Map(snapshots.map((snapshot) => [snapshot.label, snapshot]));
  const steps = snapshots.filter((s) => byLabel.has(s.parent)).map((s) => [s.parent, s.label]);

  const cell = (label, level) => byLabel.get(label).levels[level];

  // For each function of a cell, for each word, its places.
  function places(cell) {
    const used = new Map();
    cell.places ||= cell.functions.map(([, , , , lines]) =>
      lines.map((place) => {
        const bodies = cell.macros[place];
        if (!bodies) return place ? [place] : [];
        const word = used.get(place) || 0;
        used.set(place, word + 1);
        return [place, ...bodies[word % bodies.length]];
      }),
    );
    return cell.places;
  }

  // Place -> {count, busiest, inner}, added up over the instructions of the line.
  function byLine(cell) {
    const table = new Map();
    for (const [f, [, , , counts]] of cell ? cell.functions.entries() : []) {
      counts.forEach((count, i) =>
        places(cell)[f][i].forEach((place, depth) => {
          const known = table.get(place) || { count: 0, busiest: 0, inner: depth > 0 };
          known.count += count;
          known.busiest = Math.max(known.busiest, count);
          table.set(place, known);
        }),
      );
    }
    return table;
  }

  const NO_CODE = { count: null, busiest: null, inner: false };

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
          return { text, mark: String(i + 1), places: [place], ...(table.get(place) || NO_CODE) };
        }),
    }));
  }

  // `mont.S:113`, and the text of that line.
  function where(label, place) {
    const file = facts.files[(place & ((1 << FILE_BITS) - 1)) - 1];
    const text = byLabel.get(label).files[file].split("\n")[(place >> FILE_BITS) - 1];
    return { name: `${file}:${place >> FILE_BITS}`, text: (text || "").trim() };
  }

  function assembly(label, level) {
    const functions = cell(label, level) ? cell(label, level).functions : [];
    return functions.map(([name, , words, counts], f) => ({
      name,
      language: "armasm",
      frame: words.some((word) => /^add +fp, sp, #/.test(texts[word])),
      lines: words.map((word, i) => ({
        text: texts[word],
        mark: `+${(4 * i).toString(16)}`,
        count: counts[i],
        busiest: counts[i],
        inner: false,
        places: places(cell(label, level))[f][i],
      })),
    }));
  }

  // mmm.constprop.0 is gcc's copy of mmm.
  const base = (name) => name.split(".")[0];

  // [first, last] of each function of a source file, its comment and the macros above it included.
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
      const macro = lines.findIndex((line) => /^\s*\.macro/.test(line));
      let first = macro >= 0 && macro < i ? macro : i;
      if (/\*\/$/.test(lines[first - 1] || "")) {
        do first--;
        while (first > 0 && !/^\/\*/.test(lines[first]));
      }
      found.set(name[1], [first, i + length]);
      i += length;
    }
    return found;
  }

  const made = new Map();

  function sections(label, level, view) {
    const key = [label, level, view].join();
    if (!made.has(key))
      made.set(key, view === "asm" ? assembly(label, level) : sources(label, level));
    return made.get(key);
  }

  const functionNames = (list, view) =>
    view === "asm"
      ? list.map((section) => base(section.name))
      : list.flatMap((section) => [...functionsOf(section).keys()]);

  // The sections, or the parts of them, that are one function.
  function only(list, view, name) {
    if (view === "asm") return list.filter((section) => base(section.name) === name);
    return list.flatMap((section) => {
      const range = functionsOf(section).get(name);
      return range ? [part(section, range)] : [];
    });
  }

  const part = (section, [first, last]) => ({
    ...section,
    lines: section.lines.slice(first, last + 1),
    runs: undefined,
  });

  // [left, right] by name, in the order of the right side; either may be undefined.
  function pairs(left, right) {
    const free = new Set(left);
    const take = (same) => {
      const found = [...free].find(same);
      free.delete(found);
      return found;
    };
    const exact = right.map((r) => take((l) => l.name === r.name));
    const matched = right.map((r, i) => [exact[i] || take((l) => base(l.name) === base(r.name)), r]);
    return [...matched, ...[...free].map((l) => [l, undefined])];
  }

  return {
    ...{ facts, snapshots, byLabel, steps, instructions, missing },
    ...{ cell, base, sections, functionsOf, functionNames, only, part, pairs, where },
  };
})();

// Numbers as texts.
const numbers = (() => {
  const format = new Intl.NumberFormat("en-GB");
  const whole = (value) => format.format(value);

  // Whether a total over n is a decimal of at most three places.
  const finite = (n) => 1000 % n === 0;

  // A mean to the instruction, “<1” for less than a half; the total where the mean has no end.
  function each(total, n) {
    if (!finite(n)) return whole(total);
    const mean = Math.round(total / n);
    return total && !mean ? "<1" : whole(mean);
  }

  const signed = (total, n) => (total ? (total < 0 ? "\u2212" : "+") + each(Math.abs(total), n) : "0");

  // Three digits at most: 1.23k, 45.6M.
  function short(value) {
    const power = ["", "k", "M", "G"].findLast((_, k) => value >= 1000 ** k) ?? "";
    const scaled = value / 1000 ** ["", "k", "M", "G"].indexOf(power);
    return `${scaled < 100 && scaled % 1 ? scaled.toPrecision(scaled < 1 ? 1 : 2) : Math.round(scaled)}${power}`;
  }

  const unit = (n) => (finite(n) ? "a round trip" : `in ${n} round trips`);
  const percent = (part, total) => `${(total ? (100 * part) / total : 0).toFixed(2)} %`;

  return { whole, each, signed, short, unit, percent };
})();
