// The page of call graphs: a program is picked, its graph drawn, and its flame graph below.
// A function of the graph is a button: it names its callers and what it calls.
"use strict";

(() => {
  const { programs } = JSON.parse(document.getElementById("data").textContent);
  const { mean, times, titleOf } = flames;
  const [WIDTH, HEIGHT, GAP, RISE] = [148, 62, 14, 46]; // pixels: a function, and between functions
  const SVG = "http://www.w3.org/2000/svg";
  const box = document.getElementById("calls");
  let selected = "";

  function drawn(name, attributes, ...content) {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...content);
    return element;
  }

  // The functions of a tree, {title, calls, own, whole, exact, rank}, and the edges between them.
  function graphOf(tree) {
    const nodes = new Map();
    const edges = new Map();
    const walk = (frame, caller, rank) => {
      const title = titleOf(frame);
      const node = nodes.get(title) || { title, calls: 0, own: 0, whole: 0, rank };
      node.calls = frame.calls === null ? null : node.calls + frame.calls;
      node.own += frame.own;
      node.whole += frame.whole;
      node.rank = Math.max(node.rank, rank);
      nodes.set(title, node);
      if (caller) {
        const key = `${caller} ${title}`;
        const edge = edges.get(key) || { from: caller, to: title, calls: 0, whole: 0, exact: true };
        edge.calls += frame.calls || 0;
        edge.whole += frame.whole;
        edge.exact &&= frame.exact;
        edges.set(key, edge);
      }
      for (const callee of frame.callees) walk(callee, title, rank + 1);
    };
    walk(tree, "", 0);
    return { nodes, edges: [...edges.values()] };
  }

  // Puts every function in a row below its callers; returns the height of all.
  function place(nodes, width) {
    const most = Math.max(2, Math.floor((width + GAP) / (WIDTH + GAP)));
    const ranks = [...new Set([...nodes.values()].map(({ rank }) => rank))].sort((x, y) => x - y);
    let y = 2;
    for (const rank of ranks) {
      const row = [...nodes.values()].filter((node) => node.rank === rank);
      row.sort((one, other) => other.whole - one.whole);
      for (let from = 0; from < row.length; from += most) {
        const part = row.slice(from, from + most);
        const left = (width - part.length * (WIDTH + GAP) + GAP) / 2;
        part.forEach((node, i) => Object.assign(node, { x: left + i * (WIDTH + GAP), y }));
        y += HEIGHT + RISE;
      }
    }
    return y - RISE + 2;
  }

  function lineOf({ from, to }, nodes) {
    const [a, b] = [nodes.get(from), nodes.get(to)];
    const [x, y, u, v] = [a.x + WIDTH / 2, a.y + HEIGHT, b.x + WIDTH / 2, b.y];
    const middle = (y + v) / 2;
    const path = drawn("path", { d: `M${x},${y} C${x},${middle} ${u},${middle} ${u},${v}` });
    return drawn("g", { class: "edge", "data-from": from, "data-to": to }, path);
  }

  // How often a function is called, above it, where one line leads there.
  function callsOf({ to, calls }, nodes, n) {
    const { x, y, callers } = nodes.get(to);
    const text = calls && callers === 1 ? `${mean(calls, n)} ×` : "";
    return drawn("text", { class: "calls", x: x + WIDTH / 2, y: y - 6 }, text);
  }

  function boxOf(node, { tree, n }) {
    const share = (100 * node.whole) / tree.whole;
    const line = (text, dy, name) => drawn("text", { x: WIDTH / 2, y: dy, class: name }, text);
    const group = drawn(
      "g",
      { class: "function", tabindex: 0, role: "button", transform: `translate(${node.x},${node.y})` },
      drawn("rect", { width: WIDTH, height: HEIGHT, rx: 5 }),
      line(node.title, 18, "name"),
      line(`${mean(node.whole, n)} (${share.toFixed(0)} %)`, 36, ""),
      line(`own ${mean(node.own, n)}`, 52, ""),
    );
    group.setAttribute("aria-label", `${node.title}: ${mean(node.whole, n)} instructions with all that it calls`);
    group.style.setProperty("--by", `${Math.ceil(share)}%`);
    group.dataset.title = node.title;
    return group;
  }

  function drawGraph(holder, about, program) {
    const { nodes, edges } = graphOf(program.tree);
    for (const { to } of edges) nodes.get(to).callers = edges.filter((edge) => edge.to === to).length;
    const width = Math.max(2 * WIDTH + GAP, holder.clientWidth);
    const height = place(nodes, width);
    const lines = edges.map((edge) => lineOf(edge, nodes));
    const numbers = edges.map((edge) => callsOf(edge, nodes, program.n));
    const boxes = [...nodes.values()].map((node) => boxOf(node, program));
    const size = { width, height, viewBox: `0 0 ${width} ${height}`, role: "group" };
    holder.replaceChildren(drawn("svg", { ...size, "aria-label": "Call graph" }, ...lines, ...numbers, ...boxes));
    const select = (title) => {
      selected = title;
      for (const group of boxes) group.classList.toggle("selected", group.dataset.title === title);
      for (const { dataset, classList } of lines) {
        classList.toggle("selected", [dataset.from, dataset.to].includes(title));
      }
      about.replaceChildren(...described(nodes.get(title), edges, program));
    };
    for (const group of boxes) {
      group.addEventListener("click", () => select(group.dataset.title));
      group.addEventListener("keydown", (event) => {
        if (!["Enter", " "].includes(event.key)) return;
        event.preventDefault();
        select(group.dataset.title);
      });
    }
    select(nodes.has(selected) ? selected : titleOf(program.tree));
  }

  // A function in words: its cost, its callers, what it calls.
  function described(node, edges, { tree, n }) {
    const percent = ((100 * node.whole) / tree.whole).toFixed(1);
    const often = node.calls === null ? "" : `, called ${times(node.calls, n)} a round trip`;
    const text =
      `${often}: ${mean(node.whole, n)} instructions with all that it calls (${percent} %),` +
      ` ${mean(node.own, n)} its own.`;
    const listed = (name, found, end) => {
      const items = found
        .sort((x, y) => y.whole - x.whole)
        .map((edge) => {
          const calls = edge.calls ? `${times(edge.calls, n)}, ` : "";
          const share = edge.exact ? "" : ", a share by numbers of calls";
          return make("li", "", make("code", "", edge[end]), `: ${calls}${mean(edge.whole, n)} instructions${share}`);
        });
      return items.length ? [make("p", "", name), make("ul", "", ...items)] : [];
    };
    return [
      make("p", "", make("b", "", node.title), text),
      ...listed("Called by", edges.filter(({ to }) => to === node.title), "from"),
      ...listed("Calls", edges.filter(({ from }) => from === node.title), "to"),
    ];
  }

  const picker = make("select", "", ...Object.keys(programs).map((label) => new Option(label)));
  const level = make("select", "");
  const graph = make("div", "graph");
  const about = make("div", "about-function");
  const flame = make("div", "");
  about.setAttribute("role", "status");

  function show() {
    const program = programs[picker.value][level.value];
    drawGraph(graph, about, program);
    flames.draw(flame, [{ label: `${picker.value} -${level.value}`, ...program }]);
  }

  // What an address names, v4-O1, or what it leaves open.
  function read() {
    const [, label, at] = /^#(.*)-(O\w)$/.exec(decodeURIComponent(location.hash)) || [];
    picker.value = programs[label] ? label : Object.keys(programs)[0];
    const levels = Object.keys(programs[picker.value]);
    level.replaceChildren(...levels.map((name) => new Option(`-${name}`, name)));
    level.value = levels.includes(at) ? at : levels[0];
    show();
  }

  for (const list of [picker, level]) {
    list.addEventListener("change", () => {
      location.hash = `${picker.value}-${level.value}`;
    });
  }
  box.append(
    make("p", "picker", make("label", "", "Program ", picker), " ", make("label", "", "Level ", level)),
    ...[graph, about, make("h2", "", "The same as a flame graph"), flame],
  );
  box.hidden = false;
  window.addEventListener("hashchange", read);
  window.addEventListener("resize", show);
  read();
})();
