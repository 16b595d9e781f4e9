// The page: what the reader picks, the keys, and the drawing of it all.
"use strict";

(() => {
  const NARROW = window.matchMedia("(max-width: 800px)");
  const at = (id) => document.getElementById(id);
  const { make } = heads;
  let now = null;

  function go(change) {
    location.hash = state.fragment({ ...now, ...change });
  }

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
    const cell = model.cell(now.b, now.level) || model.cell(now.a, now.level);
    const unit = cell ? numbers.unit(cell.n) : "";
    const exact = cell && unit.startsWith("a") ? `, the exact mean of ${cell.n}` : "";
    at("legend").textContent =
      now.view === "asm"
        ? `Beside each instruction: how often it was executed ${unit}${exact}; the darker, the more.` +
          " A pale number is an offset: where nothing else differs, code or a variable has moved."
        : `Beside each line: instructions executed for it ${unit}${exact}; the darker, the more.` +
          " No number: there is no code for this line.";
  }

  function total(section, side) {
    if (!section || !side.cell) return "–";
    const sum = section.lines.reduce((all, line) => all + (line.count || 0), 0);
    return `${numbers.each(sum, side.cell.n)} (${numbers.percent(sum, side.cell.total)})`;
  }

  function title(compared, [left, right], sides) {
    const heading = make("h3", "", make("span", "name", compared.file.newName));
    const word = !left
      ? `only in ${now.b}`
      : !right
        ? `only in ${now.a}`
        : compared.moved
          ? "only offsets differ"
          : compared.same
            ? "no difference"
            : "";
    if (word) heading.append(make("span", "word", word));
    else {
      heading.append(make("span", "removed", `−${compared.file.deletedLines}`));
      heading.append(make("span", "added", `+${compared.file.addedLines}`));
    }
    heading.append(make("span", "sum", `${total(left, sides[0])} → ${total(right, sides[1])}`));
    return heading;
  }

  function showCode(lists) {
    const format = NARROW.matches
      ? "line-by-line"
      : document.querySelector("input[name=format]:checked").value;
    const whole = at("whole").checked || Boolean(at("fn").value);
    const sides = [now.a, now.b].map((label, k) => ({
      label,
      cell: model.cell(label, now.level),
      hottest: Math.max(0, ...lists[k].flatMap((s) => s.lines.map((line) => line.count || 0))),
    }));
    const quiet = [];
    const drawn = [];
    for (const pair of model.pairs(...lists)) {
      const compared = diff.compare(...pair, whole);
      if (compared.same && !whole) {
        quiet.push(pair[1].name);
        continue;
      }
      const code = diff.draw(compared, sides, format);
      drawn.push(make("section", "text", title(compared, pair, sides), code));
    }
    if (quiet.length) {
      const names = quiet.flatMap((name, i) => [i ? ", " : "", make("code", "", name)]);
      drawn.push(
        make("p", "quiet", "No difference in ", ...names, "; “unchanged lines” shows them."),
      );
    }
    const counts = lists.flatMap((list, k) =>
      list.flatMap((section) => section.lines.map((line) => diff.shown(line, sides[k]).length)),
    );
    at("code").style.setProperty("--count", `${Math.max(5, ...counts)}ch`);
    at("code").className = `${format} ${now.view}`;
    at("code").replaceChildren(...drawn);
  }

  function show() {
    now = state.read(location.hash);
    const { lists, names } = sections();
    showPicker(names);
    showHeads();
    showCode(lists);
    at("detail").textContent = "";
  }

  function onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("select, input, textarea, [role=region]") && event.key.length > 1)
      return;
    if (event.target.closest("select, textarea")) return;
    const by = { j: 1, ArrowRight: 1, k: -1, ArrowLeft: -1 }[event.key];
    if (by) go(state.walk(now, by));
  }

  function listen() {
    for (const id of ["a", "b", "fn"]) {
      at(id).addEventListener("change", (event) => go({ [id]: event.target.value }));
    }
    for (const id of ["level", "view"]) {
      at(id).addEventListener("change", (event) => go({ [id]: event.target.value }));
    }
    for (const source of [at("format"), at("whole"), NARROW])
      source.addEventListener("change", show);
    at("steps").addEventListener("change", ({ target: { value } }) => {
      if (value) go({ a: model.byLabel.get(value).parent, b: value });
    });
    at("previous").addEventListener("click", () => go(state.walk(now, -1)));
    at("next").addEventListener("click", () => go(state.walk(now, 1)));
    at("picker").addEventListener("submit", (event) => event.preventDefault());
    at("code").addEventListener("click", ({ target }) => {
      const count = target.closest(".count");
      at("detail").textContent = count ? count.title : "";
    });
    at("theme").addEventListener("click", () => {
      const dark = getComputedStyle(document.documentElement).colorScheme === "dark";
      document.documentElement.dataset.theme = dark ? "light" : "dark";
    });
    window.addEventListener("hashchange", show);
    document.addEventListener("keydown", onKey);
  }

  for (const value of model.facts.levels) {
    const radio = Object.assign(make("input", ""), { type: "radio", name: "level", value });
    at("level").append(make("label", "", radio, `-${value}`));
  }
  at("missing").textContent = model.missing.length ? `Not shown: ${model.missing.join("; ")}.` : "";
  listen();
  show();
})();
