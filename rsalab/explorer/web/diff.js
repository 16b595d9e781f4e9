// What differs between two sections, and the colours of their lines.
"use strict";

const diff = (() => {
  const EMPTY = { name: "", lines: [] };

  // What the libraries make of a pair: {file, same, moved}; file is diff2html's.
  // Lines that differ in white space alone are the same, but for `spaces`.
  function compare(left = EMPTY, right = EMPTY, spaces = false) {
    const assembly = [left, right].some((section) => "frame" in section);
    const bare = (line) => (spaces ? line : line.replace(/\s+/g, ""));
    const keys = (assembly ? moved.keys(left, right) : [left, right].map(lineTexts)).map((lines) =>
      lines.map(bare),
    );
    const name = right.name || left.name;
    const texts = keys.map((lines) => lines.map((line) => `${line}\n`).join(""));
    const context = Math.max(...keys.map((k) => k.length));
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
    return { file, same, moved: same && differs, sides: [left, right], keys, assembly };
  }

  const lineTexts = (section) => section.lines.map((line) => line.text);

  function unchanged(name, n) {
    const line = (i) => ({ type: "context", content: " ", oldNumber: i, newNumber: i });
    const lines = Array.from({ length: n }, (_, i) => line(i + 1));
    const blocks = [{ header: "", oldStartLine: 1, newStartLine: 1, lines }];
    return { addedLines: 0, deletedLines: 0, isCombined: false, isGitDiff: false, blocks };
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

  // Marks the lines that stand elsewhere on the other side: they have moved.  A line with fewer
  // letters and digits is too common to be known again.
  const LEAST = 20;

  function relocated(rows) {
    const bare = (line) => line.text.replace(/\W+/g, "");
    const alone = (row, k) => row.changed && row.lines[k] && bare(row.lines[k]).length >= LEAST;
    const texts = [0, 1].map((k) => {
      const found = rows.filter((row) => alone(row, k)).map((row) => bare(row.lines[k]));
      return new Set(found);
    });
    for (const row of rows) {
      for (const k of [0, 1]) {
        if (!alone(row, k) || !texts[1 - k].has(bare(row.lines[k]))) continue;
        row.cells[row.cells.length > 1 ? k : 0].classList.add("moved");
      }
    }
  }

  return { compare, colour, highlighted, relocated };
})();
