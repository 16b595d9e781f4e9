// What the reader looks at, and the fragment of the address that says so:
//   #a=v2&b=v3&level=O1&view=asm&fn=mmm
"use strict";

const state = (() => {
  const VIEWS = ["c", "asm"];
  const escape = (text) => encodeURIComponent(text).replaceAll("%2F", "/");

  function fragment({ a, b, level, view, fn }) {
    const parts = { a, b, level, view, ...(fn ? { fn } : {}) };
    return (
      "#" +
      Object.entries(parts)
        .map(([key, value]) => `${key}=${escape(value)}`)
        .join("&")
    );
  }

  // The state that a fragment asks for, as near as there is, and a sentence for each departure.
  function read(hash) {
    const asked = new URLSearchParams(hash.replace(/^#/, ""));
    const notes = [];
    const pick = (key, known, otherwise, what) => {
      const value = asked.get(key);
      if (value === null || known(value)) return value === null ? otherwise : value;
      notes.push(`There is no ${what} “${value}” here; this is ${otherwise}.`);
      return otherwise;
    };
    for (const key of new Set(asked.keys())) {
      if (!["a", "b", "level", "view", "fn"].includes(key)) {
        notes.push(`“${key}” in the address means nothing here.`);
      }
    }
    const known = (label) => model.byLabel.has(label);
    const [first, second] = model.steps[0] || [model.snapshots[0].label, model.snapshots[0].label];
    const child = known(asked.get("a"))
      ? (model.steps.find(([parent]) => parent === asked.get("a")) || [0, asked.get("a")])[1]
      : second;
    const b = pick("b", known, child, "snapshot");
    const parent = model.byLabel.get(b).parent;
    const a = pick("a", known, known(parent) ? parent : first, "snapshot");
    const { levels } = model.facts;
    const level = pick("level", (l) => levels.includes(l), levels[1], "level");
    const view = pick("view", (v) => VIEWS.includes(v), "c", "view");
    return { a, b, level, view, fn: asked.get("fn") || "", notes };
  }

  // Where this pair stands in the walk; -1 where it is no step.
  const place = ({ a, b }) => model.steps.findIndex(([x, y]) => x === a && y === b);

  // The state one step on (or back); at an end, or from a pair that is no step, the nearest one.
  function walk(now, by) {
    const at = place(now);
    const near = model.steps.findIndex(([, y]) => y === now.b);
    const next = at < 0 ? Math.max(near, 0) : at + by;
    const step = model.steps[Math.min(Math.max(next, 0), model.steps.length - 1)];
    return step ? { ...now, a: step[0], b: step[1] } : now;
  }

  return { fragment, read, place, walk };
})();
