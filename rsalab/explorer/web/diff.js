// What differs between two sections, as rows:
//   {lines, at, sections, keys, changed, paired, moved}
// Its line on either side (or undefined), where it stands in its section, what it says but for what
// only moved, whether it is a difference, whether its two lines answer each other, and which of them
// stand elsewhere on the other side.
"use strict";

const diff = (() => {
  const EMPTY = { name: "", lines: [] };
  const ALIKE = 0.5; // of what two lines say, so that the one became the other
  const MOST_PAIRS = 2500; // that are tried in a block

  // {name, same, moved, sections, rows, removed, added, assembly} of a pair of sections.
  // Lines that differ in white space alone are the same, but for `spaces`.
  function compare(left = EMPTY, right = EMPTY, spaces = false) {
    const sections = [left, right];
    const assembly = sections.some((section) => "frame" in section);
    const texts = assembly ? moved.keys(left, right) : sections.map(lineTexts);
    const bare = (text) => (spaces ? text : text.replace(/\s+/g, ""));
    const keys = texts.map((lines) => lines.map(bare));
    const row = ([l, r], changed, paired) => ({
      ...{ at: [l, r], sections, changed, paired, moved: [false, false] },
      lines: [left.lines[l], right.lines[r]],
      keys: [keys[0][l], keys[1][r]],
    });
    const rows = blocks(...keys).flatMap(({ equal, removed, added }) =>
      equal
        ? removed.map((l, i) => row([l, added[i]], false, true))
        : beside(removed, added, texts).map(({ at, paired }) => row(at, true, paired)),
    );
    const number = (k) => rows.filter((one) => one.changed && one.lines[k]).length;
    const same = rows.every((one) => !one.changed);
    return {
      ...{ sections, rows, assembly, same, removed: number(0), added: number(1) },
      name: right.name || left.name,
      moved: same && lineTexts(left).join("\n") !== lineTexts(right).join("\n"),
    };
  }

  const lineTexts = (section) => section.lines.map((line) => line.text);

  // [{equal, removed, added}]: numbers of lines that are the same, or that stand for one another.
  function blocks(left, right) {
    const found = [];
    const next = [0, 0];
    const take = (k, count) => Array.from({ length: count }, () => next[k]++);
    let open = null;
    for (const { added, removed, count } of vendor.diffArrays(left, right)) {
      if (!added && !removed) {
        open = null;
        found.push({ equal: true, removed: take(0, count), added: take(1, count) });
        continue;
      }
      if (!open) {
        open = { equal: false, removed: [], added: [] };
        found.push(open);
      }
      if (removed) open.removed.push(...take(0, count));
      if (added) open.added.push(...take(1, count));
    }
    return found;
  }

  // The lines of a block as {at, paired}: what answers each other, and between them the rest.
  function beside(removed, added, texts) {
    const rows = [];
    const rest = (lefts, rights) => {
      for (let i = 0; i < Math.max(lefts.length, rights.length); i++) {
        rows.push({ at: [lefts[i], rights[i]], paired: false });
      }
    };
    let [l, r] = [0, 0];
    for (const [i, j] of answers(removed, added, texts)) {
      rest(removed.slice(l, i), added.slice(r, j));
      rows.push({ at: [removed[i], added[j]], paired: true });
      [l, r] = [i + 1, j + 1];
    }
    rest(removed.slice(l), added.slice(r));
    return rows;
  }

  // [i, j] of the lines of a block that answer each other: in their order, and as alike as can be.
  function answers(removed, added, texts) {
    if (removed.length * added.length > MOST_PAIRS) return [];
    const lefts = removed.map((l) => words(texts[0][l]));
    const rights = added.map((r) => words(texts[1][r]));
    const best = Array.from({ length: lefts.length + 1 }, () =>
      new Array(rights.length + 1).fill(0),
    );
    const worth = lefts.map((left) => rights.map((right) => alike(left, right)));
    for (let i = lefts.length - 1; i >= 0; i--) {
      for (let j = rights.length - 1; j >= 0; j--) {
        const together = worth[i][j] + best[i + 1][j + 1];
        best[i][j] = Math.max(together, best[i + 1][j], best[i][j + 1]);
      }
    }
    const found = [];
    let [i, j] = [0, 0];
    while (i < lefts.length && j < rights.length) {
      if (best[i][j] === best[i + 1][j]) i++;
      else if (best[i][j] === best[i][j + 1]) j++;
      else found.push([i++, j++]);
    }
    return found;
  }

  const words = (text) => text.match(/\w+/g) || [];

  // The share of words that two lines have in common; 0 up to ALIKE.
  function alike(left, right) {
    const free = [...right];
    let common = 0;
    for (const word of left) {
      const at = free.indexOf(word);
      if (at < 0) continue;
      free.splice(at, 1);
      common++;
    }
    const share = (2 * common) / (left.length + right.length || 1);
    return share > ALIKE ? share : 0;
  }

  // The words in which the lines of a row differ, for either side: [{from, to}].
  function changes({ lines: [left, right], changed, paired }) {
    const found = [[], []];
    if (!changed || !paired) return found;
    const next = [0, 0];
    for (const { added, removed, value } of vendor.diffWordsWithSpace(left.text, right.text)) {
      const inside = [0, 1].filter((k) => (k ? !removed : !added));
      for (const k of inside) {
        if ((added || removed) && value.trim()) {
          found[k].push({ from: next[k], to: next[k] + value.length });
        }
        next[k] += value.length;
      }
    }
    return found;
  }

  // Marks the lines that stand elsewhere on the other side: they have moved.  A line with fewer
  // letters and digits is too common to be known again.
  const LEAST = 20;

  function relocated(rows) {
    const bare = (line) => line.text.replace(/\W+/g, "");
    const alone = (row, k) => row.changed && row.lines[k] && bare(row.lines[k]).length >= LEAST;
    const texts = [0, 1].map((k) => {
      const found = rows.filter((row) => alone(row, k)).map((row) => bare(row.lines[k]));
      return new Set(found);
    });
    for (const row of rows) {
      row.moved = [0, 1].map((k) => Boolean(alone(row, k)) && texts[1 - k].has(bare(row.lines[k])));
    }
  }

  return { compare, changes, relocated };
})();
