// Two sections as one table, side by side or line by line, with counts in the gutter.
"use strict";

const diff = (() => {
  const CONTEXT = 5; // unchanged lines around a change
  const HEATS = 5;
  const EMPTY = { name: "", lines: [] };

  // What the libraries make of a pair: {file, same, moved}; file is diff2html's.
  function compare(left = EMPTY, right = EMPTY, whole) {
    const assembly = [left, right].some((section) => "frame" in section);
    const keys = assembly ? moved.keys(left, right) : [left, right].map(lineTexts);
    const name = right.name || left.name;
    const texts = keys.map((lines) => lines.map((line) => `${line}\n`).join(""));
    const context = whole ? Math.max(...keys.map((k) => k.length)) : CONTEXT;
    const patch = vendor.structuredPatch(name, name, ...texts, "", "", { context });
    const same = patch.hunks.length === 0;
    const text = vendor.formatPatch(patch).replace(/^(---|\+\+\+) (.*?)\t.*$/gm, "$1 $2");
    const file = same ? unchanged(name, keys[0].length) : vendor.parse(text)[0];
    Object.assign(file, { oldName: name, newName: name, language: "plaintext" });
    for (const line of file.blocks.flatMap((block) => block.lines)) {
      const side = line.newNumber ? right : left;
      line.content = line.content[0] + side.lines[(line.newNumber || line.oldNumber) - 1].text;
    }
    const differs = lineTexts(left).join("\n") !== lineTexts(right).join("\n");
    return { file, same, moved: same && differs, sides: [left, right], assembly };
  }

  const lineTexts = (section) => section.lines.map((line) => line.text);

  function unchanged(name, n) {
    const lines = Array.from({ length: n }, (_, i) => ({
      type: "context",
      content: " ",
      oldNumber: i + 1,
      newNumber: i + 1,
    }));
    return {
      addedLines: 0,
      deletedLines: 0,
      isCombined: false,
      isGitDiff: false,
      blocks: [{ header: "", oldStartLine: 1, newStartLine: 1, lines }],
    };
  }

  // A section's lines as HTML, elements that go over a line's end closed and opened again.
  function highlighted(section) {
    if (section.html) return section.html;
    // An instruction must not stand in the first column: the grammar takes what does for a label.
    const indent = "frame" in section ? " " : "";
    const text = section.lines.map((line) => indent + line.text).join("\n");
    const open = [];
    const lines = [""];
    const html = vendor.hljs.highlight(text, { language: section.language, ignoreIllegals: true });
    for (const [piece] of html.value.matchAll(/<span[^>]*>|<\/span>|\n|[^<\n]+/g)) {
      if (piece === "\n") {
        lines[lines.length - 1] += "</span>".repeat(open.length);
        lines.push(open.join(""));
        continue;
      }
      if (piece.startsWith("<span")) open.push(piece);
      if (piece === "</span>") open.pop();
      lines[lines.length - 1] += piece;
    }
    section.html = lines.map((line) => (indent ? line.replace(/^((?:<[^>]*>)*) /, "$1") : line));
    return section.html;
  }

  // One line's colours, marks of changed words and dimmed number, laid over one another.
  function colour(element, section, index) {
    const { text } = section.lines[index];
    const layers = [vendor.nodeStream(element), dimmed(section, text)];
    element.innerHTML = highlighted(section)[index];
    for (const layer of layers.filter((stream) => stream.length)) {
      element.innerHTML = vendor.mergeStreams(layer, vendor.nodeStream(element), text);
    }
  }

  // The number that may move, as a stream of one element.
  function dimmed(section, text) {
    const found = "frame" in section ? moved.offset(text, section.frame) : null;
    if (!found) return [];
    const node = document.createElement("span");
    node.className = "offset";
    return [
      { event: "start", offset: found.from, node },
      { event: "stop", offset: found.to, node },
    ];
  }

  // The count of a line as it stands in the gutter.
  const shown = ({ count }, { cell }) =>
    count === null || !cell ? "" : numbers.each(count, cell.n);

  function count(line, side) {
    const cell = document.createElement("span");
    cell.className = "count";
    if (line && line.count !== null && side.cell) {
      const { n, total } = side.cell;
      const share = side.hottest ? Math.round(HEATS * Math.sqrt(line.count / side.hottest)) : 0;
      cell.classList.add(line.count ? `heat-${share}` : "never");
      cell.dataset.total = line.count;
      cell.textContent = shown(line, side);
      const busiest =
        line.busiest === line.count
          ? ""
          : `; its busiest instruction ${numbers.each(line.busiest, n)} times`;
      const from = line.where ? `, for ${line.where}` : "";
      cell.title =
        `${side.label} ${line.mark}${from}: ${numbers.whole(line.count)} instructions in ${n} round` +
        ` trips, ${numbers.percent(line.count, total)} of all${busiest}`;
    }
    return cell;
  }

  function mark(line, name) {
    const cell = document.createElement("span");
    cell.className = `mark ${name}`;
    cell.textContent = line ? line.mark : "";
    return cell;
  }

  // Rows of one pane of the side-by-side table.
  function decorate(pane, section, side) {
    for (const row of pane.querySelectorAll("tr")) {
      const number = row.querySelector(".d2h-code-side-linenumber");
      const index = number ? parseInt(number.textContent, 10) - 1 : NaN;
      if (!number || number.classList.contains("d2h-info")) continue;
      const line = section.lines[index];
      number.replaceChildren(mark(line, ""), count(line, side));
      if (!line) continue;
      const code = row.querySelector(".d2h-code-line-ctn");
      // An unchanged row may say something else on the left: what only moved.
      if (code.textContent !== line.text) code.textContent = line.text;
      colour(code, section, index);
    }
  }

  // Rows of the line-by-line table: what stands on both sides is shown as on the right.
  function decorateBoth(pane, sections, sides) {
    for (const row of pane.querySelectorAll("tr")) {
      const number = row.querySelector(".d2h-code-linenumber");
      if (!number || number.classList.contains("d2h-info")) continue;
      const indices = [".line-num1", ".line-num2"].map(
        (name) => parseInt(number.querySelector(name).textContent, 10) - 1,
      );
      const lines = sections.map((section, k) => section.lines[indices[k]]);
      number.replaceChildren(
        mark(lines[0], "left"),
        count(lines[0], sides[0]),
        mark(lines[1], "right"),
        count(lines[1], sides[1]),
      );
      const shown = lines[1] ? 1 : 0;
      colour(row.querySelector(".d2h-code-line-ctn"), sections[shown], indices[shown]);
    }
  }

  // A row stands for the lines left out before a block; there is none where none is left out.
  function gaps(table, blocks) {
    const rows = [...table.querySelectorAll("tr")].filter((row) => row.querySelector(".d2h-info"));
    rows.forEach((row, k) => {
      const { oldStartLine, newStartLine } = blocks[k];
      if (Math.max(oldStartLine, newStartLine) <= 1) row.remove();
      else [...row.cells].forEach((cell, i) => (cell.textContent = i ? "" : "⋯"));
    });
  }

  // The first row of a pane: what the gutter holds, and whose code this is.
  function head(pane, marks, title) {
    const gutter = document.createElement("th");
    gutter.append(...marks);
    const code = document.createElement("th");
    const name = document.createElement("b");
    name.textContent = title;
    code.append(name);
    for (const cell of [gutter, code]) cell.scope = "col";
    const row = document.createElement("tr");
    row.append(gutter, code);
    const top = document.createElement("thead");
    top.append(row);
    pane.querySelector("table").prepend(top);
  }

  function heading(name, text) {
    const cell = document.createElement("span");
    cell.className = name;
    cell.textContent = text;
    return cell;
  }

  // A drawn comparison.  `sides` are [{label, cell, hottest}].
  function draw(compared, sides, format) {
    const holder = document.createElement("div");
    holder.innerHTML = vendor.html([compared.file], {
      outputFormat: format,
      drawFileList: false,
      matching: "lines",
      diffStyle: "word",
    });
    const section = holder.querySelector(".d2h-file-wrapper");
    section.querySelector(".d2h-file-header").remove();
    const panes = [...section.querySelectorAll(".d2h-file-side-diff")];
    for (const pane of section.querySelectorAll("table")) gaps(pane, compared.file.blocks);
    panes.forEach((pane, k) => {
      decorate(pane, compared.sides[k], sides[k]);
      label(pane, `${sides[k].label}, ${compared.file.newName}`);
      head(
        pane,
        [heading("gutter", compared.assembly ? "executed" : "instructions")],
        sides[k].label,
      );
      pane.addEventListener("scroll", () => {
        panes[1 - k].scrollLeft = pane.scrollLeft;
      });
    });
    for (const pane of section.querySelectorAll(".d2h-file-diff")) {
      decorateBoth(pane, compared.sides, sides);
      label(pane, `${sides[0].label} and ${sides[1].label}, ${compared.file.newName}`);
      const names = sides.map((side) => [heading("mark", ""), heading("count", side.label)]);
      head(pane, names.flat(), "");
    }
    return section;
  }

  // A pane scrolls sideways, so it can have the focus.
  function label(pane, text) {
    pane.tabIndex = 0;
    pane.setAttribute("role", "region");
    pane.setAttribute("aria-label", text);
  }

  return { compare, draw, shown };
})();
