// What the reader looks at, and the fragment of the address that says so:
//   #a=v2&b=v3&level=O1&view=asm&fn=mmm&lines=30-44&layout=line-by-line&all=1&spaces=1&find=umaal
//   &line=b:rsa.c:13, a line of side a or b: its file or function, and its number or offset
"use strict";

const state = (() => {
  const VIEWS = ["c", "asm"];
  const LAYOUTS = ["side-by-side", "line-by-line"];
  const PLACE = ["level", "view", "fn", "lines"]; // what a step's place says
  const escape = (text) => encodeURIComponent(text).replace(/%(2F|3A)/g, decodeURIComponent);

  function fragment({ a, b, level, view, fn, lines, layout, all, spaces, find, line }) {
    const parts = { a, b, level, view, fn, lines, all: all && "1", find, line };
    if (spaces) parts.spaces = "1";
    if (layout !== LAYOUTS[0]) parts.layout = layout;
    const given = Object.entries(parts).filter(([, value]) => value);
    return `#${given.map(([key, value]) => `${key}=${escape(value)}`).join("&")}`;
  }

  // The place of the step from a to b; {} where it is no step or has none.
  const opens = (a, b) => (model.byLabel.get(b).parent === a ? model.byLabel.get(b).look : {});

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
      if (!["a", "b", ...PLACE, "layout", "all", "spaces", "find", "line"].includes(key)) {
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
    const place = ["view", "fn", "lines"].some((key) => asked.has(key)) ? {} : opens(a, b);
    const { levels } = model.facts;
    const level = pick("level", (l) => levels.includes(l), place.level || levels[1], "level");
    const view = pick("view", (v) => VIEWS.includes(v), place.view || "c", "view");
    const layout = pick("layout", (l) => LAYOUTS.includes(l), LAYOUTS[0], "layout");
    return {
      ...{ a, b, level, view, layout, notes },
      fn: asked.get("fn") || place.fn || "",
      lines: pick("lines", (text) => /^\d+-\d+$/.test(text), place.lines || "", "range of lines"),
      all: asked.get("all") === "1",
      spaces: asked.get("spaces") === "1",
      find: asked.get("find") || "",
      line: asked.get("line") || "",
    };
  }

  // Where this pair stands in the walk; -1 where it is no step.
  const place = ({ a, b }) => model.steps.findIndex(([x, y]) => x === a && y === b);

  // A step at its place; layout, level and view stay, and assembly has the place at its level only.
  function at(now, [a, b]) {
    const { level, view, fn, lines } = opens(a, b);
    const there = view === now.view && (view === "c" || level === now.level);
    const place = there ? { fn, lines } : { fn: "", lines: "" };
    return { ...now, ...place, find: "", line: "", all: false, a, b };
  }

  // The state one step on (or back); at an end, or from a pair that is no step, the nearest one.
  function walk(now, by) {
    const here = place(now);
    const near = model.steps.findIndex(([, y]) => y === now.b);
    const next = here < 0 ? Math.max(near, 0) : here + by;
    const step = model.steps[Math.min(Math.max(next, 0), model.steps.length - 1)];
    return step ? at(now, step) : now;
  }

  return { fragment, read, place, at, walk };
})();
