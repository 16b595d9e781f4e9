// What stands above the code: the step, the two sides, and whether their code is the same.
"use strict";

const heads = (() => {
  const { facts } = model;

  // An element; `content` is text or elements.
  function make(name, classes, ...content) {
    const element = document.createElement(name);
    element.className = classes;
    element.append(...content);
    return element;
  }

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
    const parts = text
      .split(", ")
      .map((part) => make("span", `verdict ${part.startsWith(level) ? "here" : ""}`, `-${part}`));
    return make("p", "verdicts", make("b", "", "Verdict "), ...parts);
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
    const texts = [
      ["Change.", right.change],
      ["Prediction.", right.why],
      ["What came of it.", right.came],
    ].filter(([, text]) => text);
    const words = make("div", "words", ...texts.map(([name, text]) => prose(name, text)));
    return [
      title,
      numbersLine,
      ...(right.verdict ? [verdict(right.verdict, now.level)] : []),
      words,
      ...reasons(right.reasons[now.level]),
    ];
  }

  // Why the step gains at this level: a sentence, the prediction, and the table of differences.
  function reasons(found) {
    if (!found) return [];
    const line = (kind, cells) => make("tr", "", ...cells.map((text) => make(kind, "", text)));
    const [head, ...rows] = found.rows;
    const table = make(
      "table",
      "",
      make("thead", "", line("th", head)),
      make("tbody", "", ...rows.map((row) => line("td", row))),
    );
    const title = `Why, by function: differences of ${numbers.whole(found.n)} round trips`;
    const predicted = found.predicted ? [prose("Predicted.", found.predicted)] : [];
    return [
      prose("Largest movers.", found.movers),
      ...predicted,
      make("details", "reasons", make("summary", "", title), make("p", "", facts.merged), table),
    ];
  }

  function side(label, level) {
    const snapshot = model.byLabel.get(label);
    const cell = model.cell(label, level);
    const { git_revision: revision, git_clean: clean } = facts;
    const commit = revision
      ? `, revision ${revision.slice(0, 8)}${clean ? "" : " with changes"}`
      : "";
    const rows = [
      ["instructions", cell ? `${round(label, level)} ${numbers.unit(cell.n)}` : "not measured"],
      ["code", cell ? `${numbers.whole(cell.bytes)} bytes` : "not measured"],
      ["compiler", facts.compiler],
      ["flags", `-${level} ${facts.flags} -DWIDTH=${snapshot.width}`],
      [
        "measured",
        `${facts.folder}, platform ${facts.platform}, ${facts.date.slice(0, 10)}${commit}`,
      ],
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

  return { make, step, side, identical };
})();
