// What stands above the code: the step, the two sides, and whether their code is the same.
"use strict";

const heads = (() => {
  const { facts } = model;

  // A paragraph with its `code` set as such.
  function prose(title, text) {
    const parts = text.split("`").map((part, i) => (i % 2 ? make("code", "", part) : part));
    return make("p", "", make("b", "", `${title} `), ...parts);
  }

  const round = (label, level) => {
    const cell = model.cell(label, level);
    return cell ? numbers.each(cell.total, cell.n) : "not measured";
  };

  function verdict(text, level) {
    const here = (part) => `verdict ${part.startsWith(level) ? "here" : ""}`;
    return make("p", "verdicts", ...text.split(", ").map((s) => make("span", here(s), `-${s}`)));
  }

  function gain({ a, b, level }) {
    const [before, after] = [a, b].map((label) => model.cell(label, level));
    if (!before || !after) return "";
    const factor = (before.total * after.n) / (after.total * before.n);
    const unit = numbers.unit(after.n);
    return (
      `-${level}, ${facts.platform}: ${round(a, level)} → ${round(b, level)} instructions` +
      ` ${unit}, ${a}/${b} x${factor.toFixed(2)}`
    );
  }

  // The step's idea, what was predicted, and what came of it.
  function step(now) {
    const [left, right] = [now.a, now.b].map((label) => model.byLabel.get(label));
    const title = make("h1", "", `${now.a} → ${now.b}`, make("span", "idea", right.idea));
    const numbersLine = make("p", "gain", gain(now));
    if (state.place(now) < 0) {
      const why = right.parent
        ? `the parent of ${now.b} is ${right.parent}`
        : `${now.b} has no parent`;
      const note = now.a === now.b ? "The same snapshot twice." : `Not a step of the walk: ${why}.`;
      return [title, numbersLine, make("p", "", note), prose(`${now.a}:`, left.idea + ".")];
    }
    const found = right.reasons[now.level];
    const verdicts = right.verdict ? [verdict(right.verdict, now.level)] : [];
    return [
      make("div", "head", title, numbersLine, ...verdicts),
      ...(found ? [movers(found, now)] : []),
      story(right, found),
    ];
  }

  // What changes, in the open; the prediction, what came of it and why, behind it.
  function story(right, found) {
    const texts = { "Prediction.": right.why, "What came of it.": right.came };
    const given = Object.entries(texts).filter(([, text]) => text);
    const words = make("div", "words", ...given.map(([name, text]) => prose(name, text)));
    const change = make("summary", "", ...prose("Change.", right.change).childNodes);
    return make("details", "story", change, words, ...reasons(found));
  }

  // Functions by what the step changes in them, the most first, each a link to its code.
  function movers({ n, rows }, now) {
    const changes = rows
      .slice(1, -1)
      .map((row) => [row[0], Number(row.at(-1).replaceAll(",", ""))])
      .filter(([, change]) => change);
    const most = Math.max(...changes.map(([, change]) => Math.abs(change)));
    const items = changes.map(([name, change]) => {
      const text = numbers.signed(change, n);
      const item = make("a", change < 0 ? "fewer" : "more", make("code", "", name), ` ${text}`);
      item.style.setProperty("--share", `${(100 * Math.abs(change)) / most}%`);
      const views = [now.view, now.view === "c" ? "asm" : "c"];
      const view = views.find((view) =>
        [now.a, now.b].some((label) =>
          model.functionNames(model.sections(label, now.level, view), view).includes(name),
        ),
      );
      if (view) item.href = state.fragment({ ...now, view, fn: name, lines: "", find: "", line: "" });
      if (view && name === now.fn) item.setAttribute("aria-current", "true");
      return make("li", "", item);
    });
    const nothing = items.length ? [] : [make("li", "", "nothing changes")];
    const list = make("ul", "", ...items, ...nothing);
    const panel = make("nav", "movers", make("b", "", "Changed most "), list);
    panel.setAttribute("aria-label", "Functions by change");
    return panel;
  }

  // Why the step gains at this level: a sentence, the prediction, and the table of differences.
  function reasons(found) {
    if (!found) return [];
    const line = (kind, cells) => make("tr", "", ...cells.map((text) => make(kind, "", text)));
    const [head, ...rows] = found.rows;
    const body = make("tbody", "", ...rows.map((row) => line("td", row)));
    const table = make("table", "", make("thead", "", line("th", head)), body);
    const title = `Why, by function: differences of ${numbers.whole(found.n)} round trips. `;
    const predicted = found.predicted ? [prose("Predicted.", found.predicted)] : [];
    const scroll = make("div", "reasons", table);
    scroll.tabIndex = 0;
    scroll.setAttribute("role", "region");
    scroll.setAttribute("aria-label", "Why, by function");
    return [
      prose("Largest movers.", found.movers),
      ...predicted,
      make("p", "", make("b", "", title), facts.merged),
      scroll,
    ];
  }

  function side(label, level) {
    const snapshot = model.byLabel.get(label);
    const cell = model.cell(label, level);
    const { git_revision: revision, git_clean: clean } = facts;
    const state = clean ? "" : " with changes";
    const commit = revision ? `, revision ${revision.slice(0, 8)}${state}` : "";
    const day = facts.date.slice(0, 10);
    const rows = [
      ["instructions", cell ? `${round(label, level)} ${numbers.unit(cell.n)}` : "not measured"],
      ["code", cell ? `${numbers.whole(cell.bytes)} bytes` : "not measured"],
      ["compiler", facts.compiler],
      ["flags", `-${level} ${facts.flags} -DWIDTH=${snapshot.width}`],
      ["measured", `${facts.folder}, platform ${facts.platform}, ${day}${commit}`],
    ];
    const list = rows.map(([name, text]) =>
      make("div", `fact ${name}`, make("dt", "", name), make("dd", "", text)),
    );
    const title = make("h2", "", label, make("span", "idea", snapshot.idea));
    return [title, make("dl", "", ...list)];
  }

  // In so many words where the object code is equal; nothing where it is not.
  function identical({ a, b, level }) {
    const [left, right] = [a, b].map((label) => model.cell(label, level));
    if (!left || !right || left.digest !== right.digest) return "";
    return (
      `Identical code: at -${level} ${a} and ${b} are the same ${numbers.whole(right.bytes)} bytes of` +
      ` object code, relocations and constants included (SHA-256 ${right.digest.slice(0, 16)}…).`
    );
  }

  return { step, side, identical };
})();
