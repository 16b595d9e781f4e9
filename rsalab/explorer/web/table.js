// A comparison as a table, side by side or line by line, with counts in the gutter.
//
// A row of it (see diff.js) gets `tr`, and `cells`, those of either side, when it is drawn.
"use strict";

const table = (() => {
  const SIDE_BY_SIDE = "side-by-side";
  const PREFIX = { del: "−", ins: "+", same: " ", none: "" };

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
  function mark(line, side, file) {
    if (!line) return make("span", "mark");
    const link = make("a", "mark", line.mark);
    link.href = side.link(`${file}:${line.mark}`);
    link.tabIndex = -1;
    return link;
  }

  // The right side's count less the left one's, where the lines of a row answer each other.
  function difference({ lines: [left, right], paired }, sides) {
    const counted = paired && left.count !== null && right.count !== null;
    return counted && sides[0].cell.n === sides[1].cell.n ? right.count - left.count : null;
  }

  function changed(row, sides) {
    const total = difference(row, sides);
    return total === null || sides[0].compact ? "" : numbers.signed(total, sides[0].cell.n);
  }

  function change(row, sides) {
    const cell = make("span", "change", changed(row, sides));
    const total = difference(row, sides);
    if (total) cell.classList.add(total < 0 ? "fewer" : "more");
    return cell;
  }

  // What a side of a row is: del, ins, same, or none where it has no line.
  const kind = ({ lines, changed }, k) => (!lines[k] ? "none" : changed ? ["del", "ins"][k] : "same");

  // The cell with a line's text, with what differs from `answer` marked.
  function code(row, k) {
    const name = kind(row, k);
    const cell = make("td", `line ${name}`, make("span", "prefix", PREFIX[name]));
    cell.classList.toggle("moved", row.moved[k]);
    if (!row.lines[k]) return cell;
    const marks = diff.changes(row.whole || row)[k].map((at) => ({ ...at, name: ["del", "ins"][k] }));
    const text = colour.elements(row.sections[k], row.at[k], marks);
    cell.append(make("span", "code", ...text));
    return cell;
  }

  // A row's <tr>, two cells a side.
  function sideBySide(row, name, sides) {
    row.cells = [0, 1].map((k) => {
      const gutter = [mark(row.lines[k], sides[k], name), count(row.lines[k], sides[k])];
      if (k) gutter.push(change(row, sides));
      return [make("td", "gutter", ...gutter), code(row, k)];
    });
    row.tr = make("tr", "", ...row.cells.flat());
    return row.tr;
  }

  // A row's <tr>, both sides in one: what stands on both is shown as on the right.
  function lineByLine(row, name, sides, whose) {
    const k = row.lines[1] ? 1 : 0;
    const shownSides = sides[0].compact ? [k] : whose;
    const gutter = shownSides.flatMap((side) => [
      mark(row.lines[side], sides[side], name),
      count(row.lines[side], sides[side]),
    ]);
    if (!sides[0].compact && whose.length > 1) gutter.push(change(row, sides));
    const cells = [make("td", "gutter", ...gutter), code(row, k)];
    row.cells = [cells, cells];
    row.tr = make("tr", "", ...cells);
    return row.tr;
  }

  // Rows for one column: the left lines of a block of differences, then the right ones.
  function unified(rows) {
    const found = [];
    let block = [];
    const half = (whole, k) => {
      const only = (pair) => pair.map((of, side) => (side === k ? of : undefined));
      const [lines, keys] = [only(whole.lines), only(whole.keys)];
      return { ...whole, whole, lines, keys, paired: false };
    };
    const close = () => {
      for (const k of [0, 1]) {
        found.push(...block.filter((row) => row.lines[k]).map((row) => half(row, k)));
      }
      block = [];
    };
    for (const row of rows) {
      if (row.changed) {
        block.push(row);
        continue;
      }
      close();
      found.push(row);
    }
    close();
    return found;
  }

  // The head: what the gutter holds, and whose code this is.
  function head(labels, { both, compact, changes }) {
    const gutter = (name) => [make("span", "mark"), make("span", "count", name)];
    const more = changes ? [make("span", "change", "change")] : [];
    const cells = both
      ? [compact ? [] : [...labels.flatMap(gutter), ...more], [labels.join(" → ")]]
      : labels.flatMap((label, k) => [[...gutter("count"), ...(k ? more : [])], [label]]);
    const th = (content, i) => {
      const cell = make("th", i % 2 ? "whose" : "gutter", ...content);
      cell.scope = "col";
      return cell;
    };
    return make("thead", "", make("tr", "", ...cells.map(th)));
  }

  const columns = (both) =>
    make("colgroup", "", ...(both ? ["both", ""] : ["left", "", "right", ""]).map((c) => make("col", c)));

  // A comparison as an element; `items` are its rows, and folds that stand for some of them.
  // `sides` are [{label, cell, bounds, compact, link}].
  function draw(compared, sides, layout, items) {
    const whose = [0, 1].filter((k) => compared.sections[k].lines.length);
    const both = layout !== SIDE_BY_SIDE || whose.length < 2;
    const { compact } = sides[0];
    const drawn = (row) =>
      both ? lineByLine(row, compared.name, sides, whose) : sideBySide(row, compared.name, sides);
    const labels = whose.map((k) => sides[k].label);
    const element = make("table", `lines ${both ? "one" : "two"}`, columns(both));
    element.style.setProperty("--sides", compact ? 1 : whose.length);
    element.append(head(labels, { both, compact, changes: whose.length > 1 }));
    lazy.fill(element, items, (item) =>
      item.hidden ? folds.row(item, both ? 2 : 4, drawn) : drawn(item),
    );
    const region = make("div", "pane", element);
    region.setAttribute("role", "region");
    region.setAttribute("aria-label", `${labels.join(" and ")}, ${compared.name}`);
    return region;
  }

  const isOne = (compared, layout) =>
    layout !== SIDE_BY_SIDE || compared.sections.some((section) => !section.lines.length);

  return { draw, shown, changed, unified, isOne };
})();
