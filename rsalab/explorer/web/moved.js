// Assembly is compared without the numbers that change when code or variables only move: where a
// branch goes, where a literal or a variable on the stack lies.
//
// Such a number is no difference as long as the move is one and the same: a branch must go to the
// place that answers on the other side, and a variable must be the one that most lines exchange
// it for.  Otherwise the line is a change.
"use strict";

const moved = (() => {
  const BRANCH = /^b\w* +[\w.]*(\+[0-9a-f]+)$/d;
  const LITERAL = /\[(\+[0-9a-f]+)\]/d;
  const SLOT = /\[(sp|fp), (#-?\d+)\]/d;
  const ADDRESS = /^(?:add|sub)\w* +\w+, (sp|fp), (#\d+)$/d;
  const SIZE = /^(?:add|sub) +(?:sp|fp), (sp|fp), (#\d+)$/d;
  const CONSTANT = /^\.word .*\+(0x[0-9a-f]+)/d;

  // The number in a line that may move: {kind, from, to, value}, or null.
  function offset(text, frame) {
    for (const [kind, pattern, group] of [
      ["jump", BRANCH, 1],
      ["jump", LITERAL, 1],
      ["stack", SLOT, 2],
      ["frame", SIZE, 2],
      ["stack", ADDRESS, 2],
      ["data", CONSTANT, 1],
    ]) {
      const found = pattern.exec(text);
      if (!found || (found[1] === "fp" && !frame)) continue;
      const [from, to] = found.indices[group];
      return { kind, from, to, value: found[group], base: group === 2 ? found[1] : "" };
    }
    return null;
  }

  function key(text, frame) {
    const found = offset(text, frame);
    return found ? `${text.slice(0, found.from)}~${text.slice(found.to)}` : text;
  }

  // [i, j] of the lines that two lists of keys have in common.
  function aligned(left, right) {
    const found = [];
    let i = 0;
    let j = 0;
    for (const { added, removed, count } of vendor.diffArrays(left, right)) {
      for (let k = 0; k < count && !added && !removed; k++) found.push([i + k, j + k]);
      if (!added) i += count;
      if (!removed) j += count;
    }
    return found;
  }

  // For each index up to n: how many aligned lines stand before it.
  function ranks(indices, n) {
    const table = new Array(n + 1).fill(0);
    indices.forEach((index) => table[index + 1]++);
    for (let i = 1; i <= n; i++) table[i] += table[i - 1];
    return (index) => table[Math.min(index, n)];
  }

  const target = (value) => parseInt(value.slice(1), 16) / 4;

  const variable = ({ base, value }) => base + value.replace("-", "");

  // Votes for what a stack offset of one side is on the other.
  function votes(rows) {
    const tally = new Map();
    for (const [l, r] of rows) {
      const table = tally.get(l) || tally.set(l, new Map()).get(l);
      table.set(r, (table.get(r) || 0) + 1);
    }
    return (l) => [...tally.get(l)].reduce((best, vote) => (vote[1] > best[1] ? vote : best))[0];
  }

  // The keys of two sections, [left, right]; equal keys say the same but for what only moved.
  function keys(left, right) {
    const sides = [left, right];
    const offsets = sides.map((s) => s.lines.map(({ text }) => offset(text, s.frame)));
    const made = sides.map((s) => s.lines.map(({ text }) => key(text, s.frame)));
    const pairs = aligned(...made);
    const indices = (k) => pairs.map((pair) => pair[k]);
    const before = sides.map((s, k) => ranks(indices(k), s.lines.length));
    const stack = pairs
      .map(([i, j]) => [offsets[0][i], offsets[1][j]])
      .filter(([l]) => l && l.kind === "stack")
      .map((pair) => pair.map(variable));
    const there = votes(stack);
    const back = votes(stack.map(([l, r]) => [r, l]));
    for (const [i, j] of pairs) {
      const [l, r] = [offsets[0][i], offsets[1][j]];
      if (!l || l.value === r.value) continue;
      const same =
        l.kind === "jump"
          ? before[0](target(l.value)) === before[1](target(r.value))
          : l.kind !== "stack" ||
            (there(variable(l)) === variable(r) && back(variable(r)) === variable(l));
      if (!same) {
        made[0][i] = left.lines[i].text;
        made[1][j] = right.lines[j].text;
      }
    }
    return made;
  }

  return { offset, keys };
})();
