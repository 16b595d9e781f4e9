// What the reader looks at, and the fragment of the address that says so:
//   #a=v2&b=v3&level=O1&view=asm&fn=mmm&lines=30-44&layout=line-by-line&all=1&spaces=1&find=umaal
//   &line=b:rsa.c:13, a line of side a or b: its file or function, and its number or offset
"use strict";

const state = (() => {
  const VIEWS = ["c", "asm"];
  const LAYOUTS = ["side-by-side", "line-by-line"];
  const PLACE = ["level", "view", "fn", "lines"];
  const FIRST = "v4"; // the step that the page opens with: much to see in a few lines
  const escape = (text) => encodeURIComponent(text).replace(/%(2F|3A)/g, decodeURIComponent);

  function fragment({ a, b, level, view, fn, lines, layout, all, spaces, find, line }) {
    const parts = { a, b, level, view, fn, lines, all: all && "1", find, line };
    if (spaces) parts.spaces = "1";
    if (layout !== LAYOUTS[0]) parts.layout = layout;
    const given = Object.entries(parts).filter(([, value]) => value);
    return `#${given.map(([key, value]) => `${key}=${escape(value)}`).join("&")}`;
  }

  // Where the step from a to b opens: the function that changes most of those whose code differs, and
  // the lines of it that its step.toml names.
  function opens(a, b, level, view) {
    const child = model.byLabel.get(b);
    const found = child.parent === a && child.reasons[level];
    if (!found) return { fn: "", lines: "" };
    const names = found.rows.slice(1, -1).map(([name]) => name);
    const fn = names.find((name) => differs([a, b], level, view, name)) || "";
    const { look } = child;
    return { fn, lines: fn && view === "c" && look.fn === fn ? look.lines : "" };
  }

  function differs(labels, level, view, name) {
    const [left, right] = labels.map((label) => {
      const parts = model.only(model.sections(label, level, view), view, name);
      const lines = parts.flatMap((part) => part.lines.map(({ text }) => text.replace(/\s+/g, "")));
      return lines.join("\n");
    });
    return left !== right;
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
      if (!["a", "b", ...PLACE, "layout", "all", "spaces", "find", "line"].includes(key)) {
        notes.push(`“${key}” in the address means nothing here.`);
      }
    }
    const known = (label) => model.byLabel.has(label);
    const { label } = model.snapshots[0];
    const [first, second] =
      model.steps.find(([, child]) => child === FIRST) || model.steps[0] || [label, label];
    const child = known(asked.get("a"))
      ? (model.steps.find(([parent]) => parent === asked.get("a")) || [0, asked.get("a")])[1]
      : second;
    const b = pick("b", known, child, "snapshot");
    const parent = model.byLabel.get(b).parent;
    const a = pick("a", known, known(parent) ? parent : first, "snapshot");
    const { levels } = model.facts;
    const level = pick("level", (l) => levels.includes(l), levels[1], "level");
    const view = pick("view", (v) => VIEWS.includes(v), VIEWS[0], "view");
    // An address that this page wrote names a view; one that a reader was sent may name a step alone.
    const place = ["view", "fn", "lines"].some((key) => asked.has(key)) ? {} : opens(a, b, level, view);
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

  // A step where it opens; level, view and layout stay.
  function at(now, [a, b]) {
    const { fn, lines } = opens(a, b, now.level, now.view);
    return { ...now, a, b, fn, lines, find: "", line: "", all: false };
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
