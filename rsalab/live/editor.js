// The editor: a text area, its letters drawn in colours behind it, and beside each line how often it runs.  Only the
// lines that are seen are drawn.
"use strict";

const LINE = 18; // pixels, as live.css has it
const MOST_LETTERS = 200_000; // of the text
const MOST_DRAWN = 2000; // of a line
const MORE = 3; // lines drawn above and below those that are seen

let lines = []; // of the text
let commented = []; // of each line: does it begin within a comment?
let names = { macros: new Set(), registers: new Set() }; // that the text defines
let faults = new Set(); // lines that the last answer complained of
let onPaper = false; // where all lines are seen

// ---- colours ----

// The tokens of a line, in the order in which they are tried.
const TOKENS = new RegExp(
  [
    String.raw`(?<comment>\/\*.*?(?:\*\/|$)|\/\/.*)`,
    String.raw`(?<argument>\\[\w@()]+)`,
    String.raw`(?<remark>@.*)`,
    String.raw`(?<string>"(?:\\.|[^"\\])*"?)`,
    String.raw`(?<label>^\s*[\w.$]+:)`,
    String.raw`(?<number>#?-?\b(?:0x[\da-f]+|\d+)\b)`,
    String.raw`(?<word>[.\w$]+)`,
    String.raw`(?<other>\s+|.)`,
  ].join("|"),
  "gi",
);
const REGISTER = /^([rsdq]\d+|[av]\d|sp|lr|pc|ip|fp|sl|sb)$/i;
const WITHOUT = { other: "", remark: "comment", argument: "string" }; // kinds with the class of another

// The pieces of a line: [[text, class], ...].
function coloured(text, within) {
  const end = within ? text.indexOf("*/") + 2 : 0;
  if (within && end === 1) return [[text, "comment"]];
  const pieces = within ? [[text.slice(0, end), "comment"]] : [];
  if (/^\s*#/.test(text)) return [...pieces, [text.slice(end), "directive"]];
  let first = !/^\S+\s+\.req\b/.test(text); // whether an instruction may come: x0 .req r4 has none
  for (const { groups } of text.slice(end).matchAll(TOKENS)) {
    const [kind, piece] = Object.entries(groups).find(([, found]) => found !== undefined);
    pieces.push([piece, kind === "word" ? ofWord(piece, first) : (WITHOUT[kind] ?? kind)]);
    if (kind === "word") first = false;
  }
  return pieces;
}

function ofWord(word, first) {
  if (word.startsWith(".")) return /^\.L/.test(word) ? "label" : "directive";
  if (first) return names.macros.has(word) ? "macro" : "keyword";
  return REGISTER.test(word) || names.registers.has(word) ? "register" : "";
}

// ---- the text ----

// To be called whenever the text is another one.
function readText() {
  const text = $("text").value;
  const all = (pattern) => new Set(Array.from(text.matchAll(pattern), ([, name]) => name));
  names = { macros: all(/^\s*\.macro\s+(\w+)/gm), registers: all(/^(\w+)\s+\.req\b/gm) };
  lines = text.split("\n");
  let within = false;
  commented = lines.map((line) => {
    const before = within;
    const opens = line.lastIndexOf("/*");
    const closes = line.lastIndexOf("*/");
    if (opens !== closes) within = opens > closes;
    return before;
  });
  draw();
}

// What would make the text too long is not taken in.
function refuseTooLong(event) {
  const { value, selectionStart, selectionEnd } = $("text");
  const letters = value.length - (selectionEnd - selectionStart) + (event.data?.length ?? 0);
  if (letters <= MOST_LETTERS) return;
  event.preventDefault();
  say("wrong", `${english(MOST_LETTERS)} letters are the most; with this there would be ${english(letters)}. Nothing was added.`);
}

function setText(text) {
  $("text").value = text;
  readText();
}

// ---- drawing ----

function draw() {
  const { scrollTop, scrollLeft, clientHeight } = $("text");
  const first = onPaper ? 0 : Math.max(0, Math.floor(scrollTop / LINE) - MORE);
  const seen = onPaper ? lines.length : Math.ceil(clientHeight / LINE) + 2 * MORE;
  const last = Math.min(lines.length, first + seen);
  const beside = [];
  const behind = [];
  for (let index = first; index < last; index++) {
    const mark = markOf(index + 1);
    beside.push(make("b", mark, make("i", "", index + 1), timesOf(index + 1) || "\u00a0"));
    const pieces = coloured(lines[index].slice(0, MOST_DRAWN), commented[index]);
    behind.push(make("b", mark, ...pieces.map(([text, kind]) => (kind ? make("span", kind, text) : text)), "\n"));
  }
  const down = first * LINE - scrollTop;
  place($("gutter"), beside, 0, down);
  place($("colours"), behind, -scrollLeft, down);
}

function place(box, rows, x, y) {
  box.replaceChildren(...rows);
  box.style.transform = `translate(${x}px, ${y}px)`;
}

function markOf(line) {
  if (faults.has(line)) return "fault";
  const here = state && [state.line, state.inner].includes(line);
  if (here) return state.invariant?.holds === false ? "fault" : "here";
  return "";
}

// How often a line runs in a call; "" of one that does not.
function timesOf(line) {
  const times = counts.lines?.[line];
  return times ? number(times) : "";
}

// What is wrong: the lines that an answer names.
function markFaults({ errors, fault }) {
  const texts = errors || [fault || ""];
  faults = new Set(texts.map((text) => Number(/line (\d+)/.exec(text)?.[1])));
  draw();
}

// Scrolls to a line, unless it is seen.
function show(line) {
  const box = $("text");
  const at = (line - 1) * LINE;
  const seen = at > box.scrollTop && at < box.scrollTop + box.clientHeight - 3 * LINE;
  if (!seen) box.scrollTop = Math.max(0, at - box.clientHeight / 3);
  draw();
}

// The line in which the caret stands, in words.
function tellLine() {
  if (document.activeElement !== $("text")) return;
  const line = $("text").value.slice(0, $("text").selectionStart).split("\n").length;
  const times = timesOf(line);
  const counted = times ? `Line ${line}: ${times} instruction${times === "1" ? "" : "s"} in a call` : `Line ${line}`;
  $("caret").textContent = [counted, meaningOf(line)].filter(Boolean).join("; ");
}

// ---- what an instruction does ----

const MEANINGS = {
  umull: "umull low, high, a, b: (high : low) := a b",
  umlal: "umlal low, high, a, b: (high : low) := (high : low) + a b",
  umaal: "umaal low, high, a, b: (high : low) := a b + low + high, which never overflows",
  mul: "mul d, a, b: d := a b mod 2^32",
  adds: "adds d, a, b: d := a + b; C becomes the carry",
  adc: "adc d, a, b: d := a + b + C",
  adcs: "adcs d, a, b: d := a + b + C; C becomes the carry",
  subs: "subs d, a, b: d := a - b; C becomes 0 where that borrows",
  sbcs: "sbcs d, a, b: d := a - b - (1 - C); C becomes 0 where that borrows",
  ldr: "ldr r, [address]: r := the word in memory",
  str: "str r, [address]: the word in memory := r",
  ldm: "ldm a, {...}: the registers := words in memory from address a on",
  stmcs: "stmcs a, {...}: words in memory from address a on := the registers, only if C is 1",
  stmcc: "stmcc a, {...}: words in memory from address a on := the registers, only if C is 0",
  push: "push {...}: puts the registers on the stack",
  pop: "pop {...}: takes the registers from the stack; pc among them returns",
};

// The meaning of a line's instruction; "" of another one.
function meaningOf(line) {
  const [, name] = /^\s+(\w+)/.exec(lines[line - 1] || "") || [];
  if (names.macros.has(name)) return `${name} is a macro: its body stands above, Next goes into it`;
  return Object.hasOwn(MEANINGS, name) ? MEANINGS[name] : "";
}

function explain({ offsetY }) {
  const line = Math.floor((offsetY + $("text").scrollTop) / LINE) + 1;
  $("text").title = meaningOf(line);
}

function print(now) {
  onPaper = now;
  draw();
}

addEventListener("beforeprint", () => print(true));
addEventListener("afterprint", () => print(false));

// ---- functions ----

// The labels that begin a function: [[name, line], ...].
function functionsOf(text) {
  const found = [];
  text.split("\n").forEach((line, index) => {
    const [, name] = /^([A-Za-z_][\w.$]*):/.exec(line) || [];
    if (name) found.push([name, index + 1]);
  });
  return found;
}

function hottest() {
  const [[line] = []] = Object.entries(counts.lines || {}).sort(([, a], [, b]) => b - a);
  if (line) show(Number(line));
}
