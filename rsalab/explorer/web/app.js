// The page: what the reader picks, the keys, and the drawing of it all.
"use strict";

(() => {
  const NARROW = window.matchMedia("screen and (max-width: 800px)");
  const WIDTHS = [1200, 1400].map((px) => window.matchMedia(`(min-width: ${px}px)`)); // as in code.css
  const FIRST_ROWS = 64; // made at once; the others when they are near the window
  const at = (id) => document.getElementById(id);
  let now = null;
  let mouse = ""; // where it was
  let cells = []; // of the two sides
  let waiting = 0; // for the next key of a text

  function go(change) {
    location.hash = state.fragment({ ...now, ...change });
  }

  // Another thing is compared: lines are no longer of it.
  const pick = (change) => go({ lines: "", line: "", ...change });

  // <option>s in groups: [[group, [[value, text], ...]], ...].
  function fill(select, groups, value) {
    const options = ([value, text]) => Object.assign(make("option", "", text), { value });
    select.replaceChildren(
      ...groups.flatMap(([name, rows]) => {
        if (!name) return rows.map(options);
        const group = make("optgroup", "", ...rows.map(options));
        group.label = name;
        return [group];
      }),
    );
    select.value = value;
  }

  function grouped(snapshots, row) {
    const groups = new Map();
    for (const snapshot of snapshots) {
      if (!groups.has(snapshot.study)) groups.set(snapshot.study, []);
      groups.get(snapshot.study).push(row(snapshot));
    }
    return [...groups];
  }

  function choose(name, value) {
    const radio = document.querySelector(`input[name=${name}][value="${value}"]`);
    if (radio) radio.checked = true;
  }

  // The sections of both sides, and the names of the functions in either.
  function sections() {
    const lists = [now.a, now.b].map((label) => model.sections(label, now.level, now.view));
    const names = [...new Set(lists.flatMap((list) => model.functionNames(list, now.view)))];
    if (!now.fn) return { lists, names };
    if (!names.includes(now.fn)) {
      const inlined = now.view === "asm" ? " of its own (it may be inlined)" : "";
      now.notes.push(`“${now.fn}” has no code${inlined} in ${now.a} or ${now.b}; all is shown.`);
      return { lists, names };
    }
    return { lists: lists.map((list) => model.only(list, now.view, now.fn)), names };
  }

  function showPicker(names) {
    const options = grouped(model.snapshots, (s) => [s.label, `${s.label} · ${s.idea}`]);
    fill(at("a"), options, now.a);
    fill(at("b"), options, now.b);
    const fn = names.includes(now.fn) ? now.fn : "";
    fill(at("fn"), [["", [["", "all functions"], ...names.map((name) => [name, name])]]], fn);
    choose("level", now.level);
    choose("view", now.view);
    choose("format", now.layout);
    at("whole").checked = now.all;
    at("spaces").checked = now.spaces;
    if (at("find") !== document.activeElement) at("find").value = now.find;
    const walk = model.steps.map(([, label]) => model.byLabel.get(label));
    const title = (s) => [s.label, `${s.parent} → ${s.label} · ${s.idea}`];
    const place = state.place(now);
    const groups = grouped(walk, title);
    if (place < 0) groups.unshift(["", [["", `${now.a} → ${now.b} (no step)`]]]);
    fill(at("steps"), groups, place < 0 ? "" : now.b);
    at("previous").disabled = place === 0;
    at("next").disabled = place === model.steps.length - 1;
  }

  function showHeads() {
    at("step").replaceChildren(...heads.step(now));
    at("left").replaceChildren(...heads.side(now.a, now.level));
    at("right").replaceChildren(...heads.side(now.b, now.level));
    at("identical").textContent = heads.identical(now);
    for (const label of new Set([now.a, now.b])) {
      if (!model.cell(label, now.level)) {
        now.notes.push(`${label} at -${now.level}: no counts and no assembly; the foot says why.`);
      }
    }
    at("notes").textContent = now.notes.join(" ");
    document.title = `${now.a} → ${now.b} -${now.level} · Diff explorer`;
    const live = document.getElementById("live"); // on the site alone
    if (live) live.href = `live.html#${[now.b, now.level, now.fn].filter(Boolean).join("-")}`;
  }

  // What the numbers in the gutter are, and the scale of their colours.
  function showLegend({ cell, bounds }) {
    const unit = cell ? numbers.unit(cell.n) : "";
    const mean = cell && unit.startsWith("a") ? `, the mean of ${cell.n}` : "";
    const what = now.view === "asm" ? "Executions" : "Instructions executed for a line";
    const moved = now.view === "asm" ? "; pale: only moved" : "; blue: a line that moved";
    const scale = make("span", "scale", ...heat.legend(bounds));
    at("legend").replaceChildren(
      make("span", "", `${what}, ${unit}${mean}: `),
      scale,
      make("span", "changes", ` change: right − left${moved}`),
    );
  }

  function total(section, side) {
    if (!section || !side.cell) return "–";
    const sum = section.lines.reduce((all, line) => all + (line.inner ? 0 : line.count || 0), 0);
    return `${numbers.each(sum, side.cell.n)} (${numbers.percent(sum, side.cell.total)})`;
  }

  // In words how two texts differ; "" where the numbers of changed lines say it.
  function likeness(compared, left, right) {
    if (!left) return `only in ${now.b}`;
    if (!right) return `only in ${now.a}`;
    if (compared.moved) return compared.assembly ? "only offsets differ" : "only white space differs";
    return compared.same ? "no difference" : "";
  }

  function title(compared, [left, right], sides) {
    const heading = make("h2", "file", make("span", "name", compared.name));
    const word = likeness(compared, left, right);
    if (word) heading.append(make("span", "word", word));
    else {
      heading.append(make("span", "removed", `−${compared.removed}`));
      heading.append(make("span", "added", `+${compared.added}`));
    }
    heading.append(make("span", "sum", `${total(left, sides[0])} → ${total(right, sides[1])}`));
    return heading;
  }

  // Both sides, with the one scale of their counts.
  function sidesOf(lists) {
    cells = [now.a, now.b].map((label) => model.cell(label, now.level));
    const means = lists.flatMap((list, k) =>
      cells[k] ? list.flatMap((s) => s.lines.map((line) => (line.count || 0) / cells[k].n)) : [],
    );
    const bounds = heat.scale(means.reduce((x, y) => Math.max(x, y), 0));
    const compact = NARROW.matches;
    return [now.a, now.b].map((label, k) => {
      const link = (line) => state.fragment({ ...now, line: `${"ab"[k]}:${line}` });
      return { label, cell: cells[k], bounds, compact, link };
    });
  }

  // What of a comparison is shown: the lines with a text, or all but what is folded.
  function items(compared, rows, whole) {
    if (now.find) return rows.filter((row) => find.holds(row, now.find));
    const ranges = whole ? [] : folds.context(rows);
    if (!now.all && compared.assembly) ranges.push(...folds.repetitions(rows, [now.a, now.b]));
    return folds.items(rows, ranges);
  }

  // Every pair of sections as {pair, compared, rows, shown}: what is not shown needs no row.
  function comparisons(lists, layout, whole) {
    return model.pairs(...lists).map((pair) => {
      const compared = diff.compare(pair[0], pair[1], now.spaces);
      if (compared.same && !whole && !now.find) return { pair, compared, rows: [], shown: [] };
      const one = table.isOne(compared, layout);
      const rows = one ? table.unified(compared.rows) : compared.rows;
      return { pair, compared, rows, shown: items(compared, rows, whole) };
    });
  }

  function showCode(lists) {
    const layout = NARROW.matches ? "line-by-line" : now.layout;
    const whole = now.all || Boolean(at("fn").value);
    const sides = sidesOf(lists);
    const all = comparisons(lists, layout, whole);
    const rows = all.flatMap((one) => (now.find ? one.shown : one.rows));
    diff.relocated(rows);
    lazy.start(FIRST_ROWS);
    setWidths(rows, sides);
    const drawn = all
      .filter(({ shown }) => shown.length)
      .map(({ pair, compared, shown }) => {
        const code = table.draw(compared, sides, layout, shown);
        return make("section", "text", title(compared, pair, sides), code);
      });
    const quiet = all.filter(({ compared, shown }) => compared.same && !shown.length);
    const names = quiet.flatMap(({ compared: { name } }, i) => [i ? ", " : "", make("code", "", name)]);
    const rest = ["No difference in ", ...names, "; “unchanged lines” shows them."];
    if (quiet.length && !now.find) drawn.push(make("p", "quiet", ...rest));
    showLegend(sides[1].cell ? sides[1] : sides[0]);
    at("code").className = `${layout} ${now.view}`;
    at("code").replaceChildren(...drawn);
    find.use(rows);
    at("found").textContent = now.find ? `${find.sums(rows, now.find, sides).join("; ")}.` : "";
    links.use(rows, now, sides, lists);
  }

  // The gutter is as wide as its longest numbers.
  function setWidths(rows, sides) {
    const widest = (least, texts) => `${Math.max(least, ...texts.map((text) => text.length))}ch`;
    const shown = rows.flatMap(({ lines }) => lines.map((line, k) => table.shown(line, sides[k])));
    const changes = rows.map((row) => table.changed(row, sides));
    at("code").style.setProperty("--count", widest(NARROW.matches ? 3 : 5, shown));
    at("code").style.setProperty("--change", widest(6, changes));
  }

  // Both sides' flame graphs, while they are open.
  function showFlames() {
    if (!at("flames").open) return;
    const labels = now.a === now.b ? [now.b] : [now.a, now.b];
    const sides = labels.map((label) => ({ label, ...model.cell(label, now.level) }));
    if (sides.some(({ tree }) => !tree)) {
      at("frames").replaceChildren("Not available here: not measured, or a function calls itself.");
      return;
    }
    const link = (name) => state.fragment({ ...now, fn: model.base(name), lines: "", find: "", line: "" });
    flames.draw(at("frames"), sides, link);
  }

  // The top of the page, where the step's heading is; only a link to a line leads further down.
  function showPlace() {
    const row = now.lines && find.range(now.lines);
    window.scrollTo(0, 0);
    if (now.line) showLine();
    else if (row) links.mark(row.lines[1], 1);
    else if (at("fn").value) showHottest();
  }

  // What the hottest line of the function became stands beside it, wherever it was inlined: of the
  // right side, where that has the function.
  function showHottest() {
    const ranked = find.ranking(cells);
    const [row, side] = ranked.find(([, k]) => k === 1) || ranked[0] || [];
    if (row) links.mark(row.lines[side], side);
  }

  // The line that the address names, `b:rsa.c:13`: its number is a link to just this.
  function showLine() {
    const [, name, file, mark] = /^([ab]):(.*):([^:]*)$/.exec(now.line) || [];
    const side = name === "b" ? 1 : 0;
    const row = find.rows().find(({ lines, sections }) =>
      lines[side]?.mark === mark && [0, 1].some((k) => sections[k].name === file));
    if (row) find.go(row, side);
    else at("notes").textContent += ` There is no line “${now.line}” here.`;
  }

  function show() {
    const before = now;
    now = state.read(location.hash);
    const { lists, names } = sections();
    showPicker(names);
    showHeads();
    showCode(lists);
    showFlames();
    detail.show();
    const same = (key) => before && before[key] === now[key];
    if (!["a", "b", "fn", "lines", "view", "level", "line"].every(same)) showPlace();
  }

  const KEYS = {
    j: () => go(state.walk(now, 1)),
    k: () => go(state.walk(now, -1)),
    n: () => find.difference(1),
    N: () => find.difference(-1),
    f: () => {
      at("flames").open = !at("flames").open;
      at("flames").scrollIntoView({ block: "nearest" });
    },
    h: () => find.hottest(cells),
    "/": () => at("find").select(),
    "?": () => at("keys").showModal(),
    Escape: () => go({ find: "" }),
  };
  KEYS.ArrowRight = KEYS.j;
  KEYS.ArrowLeft = KEYS.k;

  function onKey(event) {
    if ((event.ctrlKey || event.metaKey) && event.key === "f") lazy.all(); // the browser looks in all
    if (at("keys").open || event.ctrlKey || event.metaKey || event.altKey) return;
    const { target, key } = event;
    const count = target.closest("button.count");
    const by = { ArrowUp: -1, ArrowDown: 1 }[key];
    if (count && by) find.step(count, by);
    const typing = target.closest("input[type=search]");
    if (typing && key === "Escape") typing.blur();
    else if (typing || target.closest("select")) return;
    if (key.length > 1 && key !== "Escape" && target.closest("input, #other, .reasons") && !by) return;
    if (KEYS[key]) KEYS[key]();
    if (KEYS[key] || (count && by)) event.preventDefault();
  }

  // What the reader points at: its count below, and its links.
  function look({ type, target, screenX, screenY }) {
    const still = type === "mouseover" && `${screenX} ${screenY}` === mouse; // the page moved
    if (type === "mouseover") mouse = `${screenX} ${screenY}`;
    const tr = still ? null : target.closest("tr");
    const row = tr && find.rowOf(tr);
    if (!row) return;
    const pointed = row.cells.findLastIndex((side) => side.includes(target.closest("td")));
    const side = row.lines[pointed] ? pointed : row.lines[1] ? 1 : 0;
    const line = row.lines[side];
    links.mark(line, side);
    const beside = [...row.cells[side][0].querySelectorAll("button.count")];
    const count = target.closest("button.count") || beside.find((one) => one.line === line);
    detail.show(count, now, line && `${[now.a, now.b][side]} ${line.mark}`);
  }

  function listen() {
    for (const id of ["a", "b", "fn", "level", "view"]) {
      at(id).addEventListener("change", (event) => pick({ [id]: event.target.value }));
    }
    at("format").addEventListener("change", ({ target }) => go({ layout: target.value }));
    at("whole").addEventListener("change", ({ target }) => go({ all: target.checked }));
    at("spaces").addEventListener("change", ({ target }) => go({ spaces: target.checked }));
    at("find").addEventListener("change", ({ target }) => go({ find: target.value }));
    at("find").addEventListener("input", ({ target }) => {
      clearTimeout(waiting);
      waiting = setTimeout(() => go({ find: target.value }), 250); // ms without another key
    });
    for (const query of [NARROW, ...WIDTHS]) query.addEventListener("change", show);
    at("steps").addEventListener("change", ({ target: { value } }) => {
      if (value) go(state.at(now, [model.byLabel.get(value).parent, value]));
    });
    at("previous").addEventListener("click", KEYS.k);
    at("next").addEventListener("click", KEYS.j);
    at("picker").addEventListener("submit", (event) => {
      event.preventDefault();
      at("find").blur();
    });
    for (const kind of ["mouseover", "focusin", "click"]) at("code").addEventListener(kind, look);
    at("flames").addEventListener("toggle", showFlames);
    at("help").addEventListener("click", KEYS["?"]);
    window.addEventListener("beforeprint", lazy.all);
    window.addEventListener("hashchange", show);
    document.addEventListener("keydown", onKey);
  }

  for (const value of model.facts.levels) {
    const radio = Object.assign(make("input", ""), { type: "radio", name: "level", value });
    at("level").append(make("label", "", radio, `-${value}`));
  }
  at("missing").textContent = model.missing.length ? `Not shown: ${model.missing.join("; ")}.` : "";
  switchTheme(at("theme"));
  listen();
  show();
})();
