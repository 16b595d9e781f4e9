// The colours of a language, line by line, and what is marked in a line.
"use strict";

const colour = (() => {
  const ENTITIES = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#x27;": "'", "&amp;": "&" };
  const PIECE = /<span class="([^"]*)">|<\/span>|\n|[^<\n]+/g;

  // The lines of a text as runs: [[[text, class], ...], ...].
  function runs(text, language) {
    const { value } = vendor.hljs.highlight(text, { language, ignoreIllegals: true });
    const open = [""];
    const lines = [[]];
    for (const [piece, opened] of value.matchAll(PIECE)) {
      if (piece === "\n") lines.push([]);
      else if (opened) open.push(opened);
      else if (piece === "</span>") open.pop();
      else {
        const shown = piece.replace(/&[#\w]+;/g, (name) => ENTITIES[name] || name);
        lines.at(-1).push([shown, open.at(-1)]);
      }
    }
    return lines;
  }

  // A line of a section.  An instruction has the colours of its own; a comment may have several lines.
  function ofLine(section, index) {
    section.runs ||= [];
    if ("frame" in section) {
      // An instruction must not stand in the first column: the grammar takes what does for a label.
      section.runs[index] ||= runs(` ${section.lines[index].text}`, section.language)[0];
      const [[text, kind], ...rest] = section.runs[index];
      return [[text.slice(1), kind], ...rest];
    }
    if (!section.runs.length) {
      const text = section.lines.map((line) => line.text).join("\n");
      section.runs = runs(text, section.language);
    }
    return section.runs[index];
  }

  // The elements of a line.  `marks` are [{from, to, name}]: letters inside an element of that name.
  function elements(section, index, marks = []) {
    const all = [...marks, ...dimmed(section, index)];
    const edges = all.flatMap(({ from, to }) => [from, to]);
    const found = [];
    let start = 0;
    for (const [text, kind] of ofLine(section, index)) {
      const end = start + text.length;
      const cuts = edges.filter((edge) => start < edge && edge < end);
      const places = [...new Set([start, ...cuts, end])].sort((x, y) => x - y);
      places.slice(1).forEach((to, i) => {
        const from = places[i];
        const names = all.filter((mark) => mark.from <= from && to <= mark.to);
        const piece = text.slice(from - start, to - start);
        found.push(element(piece, kind, names.map(({ name }) => name)));
      });
      start = end;
    }
    return found;
  }

  function element(text, kind, names) {
    const classes = names.includes("offset") ? `${kind} offset` : kind;
    const inner = classes ? make("span", classes, text) : text;
    const change = names.find((name) => name !== "offset");
    return change ? make(change, "", inner) : inner;
  }

  // The number that may move.
  function dimmed(section, index) {
    const { text } = section.lines[index];
    const found = "frame" in section ? moved.offset(text, section.frame) : null;
    return found ? [{ from: found.from, to: found.to, name: "offset" }] : [];
  }

  return { elements };
})();
