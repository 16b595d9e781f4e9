// Flame graphs of round trips, the outermost function on top: a frame is as wide as what is executed in
// it, with all that it calls.  Of two programs the colours say what changed.
//
// A frame is {name, calls, own, whole, exact, callees}, totals of n round trips (harness/call_tree.py).
"use strict";

const flames = (() => {
  const HEIGHT = 24; // pixels of a frame
  const LETTER = 7.3; // pixels
  const LEAST = 0.0005; // of the width, that is drawn
  const format = new Intl.NumberFormat("en-GB");

  const mean = (total, n) => format.format(Math.round(total / n));
  const titleOf = ({ name, calls }) => (calls === null ? `${name} (inlined)` : name);
  const depth = (frame) => 1 + Math.max(0, ...frame.callees.map(depth));

  // Path of names -> frame, for every frame of a tree.
  function paths(frame, above = "", found = new Map()) {
    const path = `${above}/${titleOf(frame)}`;
    found.set(path, frame);
    for (const callee of frame.callees) paths(callee, path, found);
    return found;
  }

  // All that is known of a frame, and of the one in the same place of the other program.
  function described(frame, { tree, n }, other, same) {
    const percent = ((100 * frame.whole) / tree.whole).toFixed(1);
    const often = frame.calls === null ? "" : `, called ${times(frame.calls, n)} a round trip`;
    const share = frame.exact ? "" : " A share by numbers of calls: it is called in several places.";
    const text =
      `${titleOf(frame)}${often}: ${mean(frame.whole, n)} instructions with all that it calls` +
      ` (${percent} %), ${mean(frame.own, n)} its own.${share}`;
    if (!other) return text;
    const there = same
      ? `${mean(same.whole, other.n)}, its own ${mean(same.own, other.n)}`
      : "nothing in this place";
    return `${text} In ${other.label}: ${there}.`;
  }

  const times = (calls, n) => (calls === n ? "once" : `${mean(calls, n)} times`);

  // Draws the sides, [{label, tree, n}, ...], into an element.  `link` makes the address of a
  // function's code, or is missing.
  function draw(holder, sides, link) {
    const maps = sides.map(({ tree }) => paths(tree));
    const change = (k, path) => {
      if (sides.length < 2) return 0;
      const [before, after] = maps.map((map, side) => (map.get(path)?.own || 0) / sides[side].n);
      return after - before;
    };
    const every = [...new Set(maps.flatMap((map) => [...map.keys()]))];
    const most = Math.max(1, ...every.map((path) => Math.abs(change(0, path))));
    const about = make("p", "about-frame", "");
    about.setAttribute("role", "status");
    let zoomed = "";

    function frames(k) {
      const side = sides[k];
      const other = sides[1 - k];
      const top = maps[k].get(zoomed) || side.tree;
      const box = make("div", "frames");
      box.style.height = `${HEIGHT * depth(top)}px`;
      const add = (frame, path, left, level) => {
        const width = frame.whole / top.whole;
        if (width < LEAST) return;
        const same = other && maps[1 - k].get(path);
        const fits = width * holder.clientWidth > LETTER * (titleOf(frame).length + 1);
        const button = make("button", "frame", fits ? titleOf(frame) : "");
        button.type = "button";
        const text = described(frame, side, other, same);
        const by = change(k, path);
        button.setAttribute("aria-label", text);
        button.classList.toggle("share", !frame.exact);
        button.classList.add(by < 0 ? "fewer" : by > 0 ? "more" : "equal");
        button.style.left = `${100 * left}%`;
        button.style.width = `${100 * width}%`;
        button.style.top = `${HEIGHT * level}px`;
        button.style.setProperty("--by", `${Math.ceil((100 * Math.abs(by)) / most)}%`);
        const tell = () => say(frame, text);
        button.addEventListener("mouseenter", tell);
        button.addEventListener("focus", tell);
        button.addEventListener("click", () => zoom(path === zoomed ? "" : path, k));
        box.append(button);
        let x = left;
        for (const callee of frame.callees) {
          add(callee, `${path}/${titleOf(callee)}`, x, level + 1);
          x += callee.whole / top.whole;
        }
      };
      add(top, maps[k].has(zoomed) ? zoomed : `/${titleOf(top)}`, 0, 0);
      return box;
    }

    function say(frame, text) {
      const more = link ? [" ", Object.assign(make("a", "", "Its code"), { href: link(frame.name) })] : [];
      about.replaceChildren(text, ...more);
    }

    // The frame that was pressed becomes as wide as the page; pressed again, the whole is back.
    function zoom(path, k) {
      zoomed = path;
      show();
      holder.querySelectorAll(".frames")[k].querySelector("button").focus();
    }

    function show() {
      const parts = sides.flatMap(({ label, tree, n }, k) => {
        const largest = Math.max(...sides.map((side) => side.tree.whole / side.n));
        const bar = make("span", "bar-of-all", "");
        bar.style.setProperty("--share", `${(100 * tree.whole) / n / largest}%`);
        const total = ` ${mean(tree.whole, n)} instructions a round trip`;
        return [make("p", "whose-frames", make("b", "", label), total, bar), frames(k)];
      });
      holder.replaceChildren(...parts, about);
    }

    const first = sides.at(-1);
    show();
    about.textContent = described(first.tree, first, sides.at(-2), sides.at(-2)?.tree);
  }

  return { draw, mean, times, titleOf };
})();
