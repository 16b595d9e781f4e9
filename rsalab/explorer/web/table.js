// A comparison as a table, side by side or line by line, with counts in the gutter.
//
// Drawn are rows: {cells, lines, keys, changed}: its <tr>s (one a pane), its line on either side (or
// undefined), what each says but for what only moved, and whether it is a difference.
"use strict";

const table = (() => {
  const { make } = heads;

  // The count of a line as it stands in the gutter.
  function shown(line, { cell, compact }) {
    if (!line || line.count === null || !cell) return "";
    return compact ? numbers.short(line.count / cell.n) : numbers.each(line.count, cell.n);
  }

  function count(line, side) {
    if (!shown(line, side)) return make("span", "count");
    const { n } = side.cell;
    const button = make("button", "count", shown(line, side));
    button.type = "button";
    button.tabIndex = -1;
    button.dataset.total = line.count;
    button.classList.add(line.count ? heat.shade(side.bounds, line.count / n) : "never");
    button.classList.toggle("inner", line.inner);
    button.setAttribute("aria-label", `${numbers.each(line.count, n)}, ${side.label} ${line.mark}`);
    button.line = line;
    button.side = side;
    return button;
  }

  // A line's number, a link to the line; `file` is the name of what it stands in.
  function mark(line, name, side, file) {
    if (!line) return make("span", `mark ${name}`);
    const link = make("a", `mark ${name}`, line.mark);
    link.href = side.link(`${file}:${line.mark}`);
    link.tabIndex = -1;
    return link;
  }

  // The right side's count less the left one's, where a line stands on both sides.
  function change([left, right], sides) {
    const cell = make("span", "change");
    const both = left && right && left.count !== null && right.count !== null;
    if (!both || sides[0].cell.n !== sides[1].cell.n) return cell;
    const total = right.count - left.count;
    cell.textContent = sides[0].compact ? "" : numbers.signed(total, sides[0].cell.n);
    if (total) cell.classList.add(total < 0 ? "fewer" : "more");
    return cell;
  }

  const index = (cell) => (cell ? parseInt(cell.textContent, 10) - 1 : NaN);
  const DIFFERS = ".d2h-ins, .d2h-del";

  // The rows of a side-by-side table: the panes have as many.
  function sideBySide(panes, { sides: sections, keys, file }, sides) {
    const [left, right] = panes.map((pane) => [...pane.querySelectorAll("tbody tr")]);
    return left.flatMap((row, r) => {
      const cells = [row, right[r]];
      const numbered = cells.map((tr) => tr.querySelector(".d2h-code-side-linenumber"));
      if (numbered.some((cell) => !cell || cell.classList.contains("d2h-info"))) {
        cells.forEach((tr) => tr.remove());
        return [];
      }
      const at = numbered.map(index);
      const lines = sections.map((section, k) => section.lines[at[k]]);
      const paired = numbered.every((cell) => cell.matches(".d2h-cntx, .d2h-change"));
      numbered.forEach((cell, k) => {
        cell.replaceChildren(mark(lines[k], "", sides[k], file.newName), count(lines[k], sides[k]));
        if (k) cell.append(paired ? change(lines, sides) : make("span", "change"));
        if (!lines[k]) return;
        const code = cells[k].querySelector(".d2h-code-line-ctn");
        // An unchanged row may say something else on the left: what only moved.
        if (code.textContent !== lines[k].text) code.textContent = lines[k].text;
        diff.colour(code, sections[k], at[k]);
      });
      const changed = numbered.some((cell) => cell.matches(DIFFERS));
      return [{ cells, lines, keys: keys.map((list, k) => list[at[k]]), changed }];
    });
  }

  const twoSided = (sections) => sections.every((section) => section.lines.length);

  // The rows of a line-by-line table: what stands on both sides is shown as on the right.
  function lineByLine(pane, { sides: sections, keys, file }, sides) {
    return [...pane.querySelectorAll("tbody tr")].flatMap((row) => {
      const numbered = row.querySelector(".d2h-code-linenumber");
      if (!numbered || numbered.classList.contains("d2h-info")) {
        row.remove();
        return [];
      }
      const at = [".line-num1", ".line-num2"].map((name) => index(numbered.querySelector(name)));
      const lines = sections.map((section, k) => section.lines[at[k]]);
      const k = lines[1] ? 1 : 0;
      const gutter = ["left", "right"].flatMap((name, side) =>
        (sides[side].compact && side !== k) || !sections[side].lines.length
          ? []
          : [mark(lines[side], name, sides[side], file.newName), count(lines[side], sides[side])],
      );
      if (!sides[0].compact && twoSided(sections)) gutter.push(change(lines, sides));
      numbered.replaceChildren(...gutter);
      diff.colour(row.querySelector(".d2h-code-line-ctn"), sections[k], at[k]);
      const changed = numbered.matches(DIFFERS);
      return [{ cells: [row], lines, keys: keys.map((list, side) => list[at[side]]), changed }];
    });
  }

  // The first row of a pane: what the gutter holds, and whose code this is.
  function head(pane, marks, title) {
    const cells = [make("th", "", ...marks), make("th", "", make("b", "", title))];
    for (const cell of cells) cell.scope = "col";
    pane.querySelector("table").prepend(make("thead", "", make("tr", "", ...cells)));
  }

  // A drawn comparison: {element, rows}.  `sides` are [{label, cell, bounds, compact}].
  function draw(compared, sides, layout) {
    const holder = document.createElement("div");
    holder.innerHTML = vendor.html([compared.file], {
      outputFormat: twoSided(compared.sides) ? layout : "line-by-line",
      drawFileList: false,
      matching: "lines",
      diffStyle: "word",
    });
    const element = holder.querySelector(".d2h-file-wrapper");
    element.querySelector(".d2h-file-header").remove();
    const panes = [...element.querySelectorAll(".d2h-file-side-diff, .d2h-file-diff")];
    const both = panes.length === 1; // sides in one pane
    const rows = both ? lineByLine(panes[0], compared, sides) : sideBySide(panes, compared, sides);
    panes.forEach((pane, k) => {
      const there = sides.filter((_, side) => compared.sides[side].lines.length);
      const whose = both ? there.map((side) => side.label) : [sides[k].label];
      label(pane, `${whose.join(" and ")}, ${compared.file.newName}`);
      const names = both ? whose.flatMap((name) => ["", name]) : ["", "count"];
      const kinds = names.map((name, i) => make("span", i % 2 ? "count" : "mark", name));
      const changes =
        twoSided(compared.sides) && (both || k) ? [make("span", "change", "change")] : [];
      if (both && sides[0].compact) head(pane, [], whose.join(" → "));
      else head(pane, [...kinds, ...changes], both ? "" : sides[k].label);
    });
    return { element, rows };
  }

  function label(pane, text) {
    pane.setAttribute("role", "region");
    pane.setAttribute("aria-label", text);
  }

  // Long lines wrap: the two rows of a line become as high as the higher one.
  function level(rows) {
    const pairs = rows.map(({ cells }) => cells).filter((cells) => cells.length > 1);
    for (const tr of pairs.flat()) tr.style.height = "";
    const heights = pairs.map((cells) => cells.map((tr) => tr.getBoundingClientRect().height));
    pairs.forEach((cells, i) => {
      const [least, most] = [Math.min(...heights[i]), Math.max(...heights[i])];
      if (least < most) for (const tr of cells) tr.style.height = `${most}px`;
    });
  }

  return { draw, level, shown };
})();
