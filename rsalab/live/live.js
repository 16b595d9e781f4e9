// The live page: an editor, what the worker says of its text, and the state at a step.
"use strict";

const $ = (id) => document.getElementById(id);
const held = JSON.parse($("data").textContent);
const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
const PAUSE = 500; // milliseconds after the last key
const FLAGS = "nzcv";
const REGISTERS = [..."0123456789"].map((i) => `r${i}`).concat("r10", "r11", "r12", "sp", "lr", "pc");

const worker = new Worker(URL.createObjectURL(new Blob([held.worker], { type: "text/javascript" })));
let rungs; // what the page holds
let shown; // {rung, level, cell}
let counts = {}; // of the last run: by line of the text, and by line of C
let state = null; // at a step
let before = null; // the state that was shown before it
let ticket = 0; // of the last question: older answers are dropped
let waiting = 0; // the timer of the pause
let asked = false; // whether the worker owes an answer
let next = null; // the question that waits for it

async function unpack(text) {
  const stream = new Blob([bytes(text)]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

const make = (name, className, ...children) => {
  const element = document.createElement(name);
  if (className) element.className = className;
  element.append(...children);
  return element;
};

// 62, 24.5, 0.003: a mean of whole counts
const number = (mean) => (Number.isInteger(mean) ? mean : Number(mean.toPrecision(mean < 100 ? 3 : 6))).toLocaleString("en");

// ---- which rung ----

// What is written by hand is one text at all levels.
const key = () => `rsalab-live-${shown.rung.name}-${shown.cell.file === "mont.S" ? "mont.S" : shown.level}`;

function choose(name, level) {
  const rung = rungs.find((one) => one.name === name) || rungs.findLast((one) => !one.lab);
  const found = rung.cells[level] ? level : "O1";
  shown = { rung, level: found, cell: rung.cells[found] };
  $("rung").value = rung.name;
  $("level").value = found;
  $("idea").textContent = rung.lab ? "" : `${rung.name}: ${rung.idea}.`;
  $("file").textContent = shown.cell.file;
  $("text").value = localStorage.getItem(key()) ?? shown.cell.text;
  history.replaceState(null, "", `#${rung.name}-${found}`);
  state = before = null;
  counts = {};
  showState();
  showLab();
  $("text").scrollTop = 0;
  show($("text").value.split("\n").findIndex((line) => line.startsWith("mont_mul:")) + 3);
  run();
}

function fromAddress() {
  const [name, level] = location.hash.slice(1).split("-");
  choose(name, level || "O1");
}

// ---- running ----

// While the worker computes, only the last question waits.
function ask(message) {
  ticket++;
  const question = { ticket, text: $("text").value, rest: shown.cell.rest, width: shown.rung.width, ...message };
  if (asked) next = question;
  else worker.postMessage(question);
  asked = true;
}

function answered() {
  asked = next !== null;
  if (next) worker.postMessage(next);
  next = null;
}

function run(all = false) {
  clearTimeout(waiting);
  $("verdict").className = "";
  $("verdict").textContent = "Running ...";
  ask({ all, ...labQuestion() });
}

function typed() {
  if ($("text").value === shown.cell.text) localStorage.removeItem(key());
  else localStorage.setItem(key(), $("text").value);
  state = before = null;
  showState();
  clearTimeout(waiting);
  waiting = setTimeout(run, PAUSE);
}

function verdict(answer) {
  const box = $("verdict");
  const good = !answer.errors && !answer.fault;
  box.className = good ? "right" : "wrong";
  if (answer.lab) {
    box.className = answer.lab.status;
    box.textContent = answer.lab.text;
  } else if (answer.errors) box.textContent = answer.errors.join("\n");
  else if (answer.fault) {
    box.textContent = `Wrong at vector ${answer.tried.toLocaleString("en")} of ${answer.operation}: ${answer.fault}`;
  } else {
    const parts = [of("mont_mul", answer), answer.powers && of("mod_exp", answer.powers)].filter(Boolean);
    box.textContent = `Right: ${parts.join(", ")}. ${number(answer.sums.instructions)} instructions a call of mont_mul.`;
    if (answer.model?.cycles) box.textContent += ` Model, Cortex-M4: ${number(answer.model.cycles)} cycles, error ${held.model.error} %.`;
  }
}

const of = (operation, { tried, of: all }) => `${operation} in ${tried.toLocaleString("en")} of ${all.toLocaleString("en")} vectors`;

function showCounts(answer) {
  counts = answer.sums ? answer : {};
  const table = make("table", "");
  for (const [name, mean] of Object.entries(answer.sums || {})) {
    const head = make("th", "", name);
    head.scope = "row";
    table.append(make("tr", "", head, make("td", "number", number(mean))));
  }
  const head = make("h2", "", "A call of mont_mul ", make("small", "", "exact, a mean"));
  $("counts").replaceChildren(head, table, make("p", "soft", answer.sums ? ofModel(answer.model) : ""));
}

// What is to be said of cycles: the model is of Thumb-2 code.
function ofModel(model) {
  const name = `Cycles of a Cortex-M4, by a model whose error is ${held.model.error} %:`;
  if (model?.cycles) {
    return `${name} ${number(model.cycles)} a call. That core has no A32: this is the text as Thumb-2, instruction by instruction.`;
  }
  if (model) return `${name} none, because that core executes Thumb-2. ${model.fault}.`;
  const recorded = shown.cell.recorded;
  const found = recorded ? `the record has ${number(recorded)} a call of that code` : "the record has none of this rung";
  return `${name} none of this text. That core executes Thumb-2, for which gcc makes other code of the C; ${found}.`;
}

function showGutter(answer = {}) {
  const lines = $("text").value.split("\n").length;
  const faults = new Set((answer.errors || [answer.fault || ""]).map((text) => Number((/line (\d+)/.exec(text) || [])[1])));
  const rows = [];
  for (let line = 1; line <= lines; line++) {
    const mean = counts.lines && counts.lines[line];
    const row = make("b", "", make("i", "", line), mean ? number(mean) : "\u00a0");
    if (faults.has(line)) row.className = "fault";
    if (state && [state.line, state.inner].includes(line)) row.className = "here";
    rows.push(row);
  }
  $("gutter").replaceChildren(...rows);
  $("gutter").scrollTop = $("text").scrollTop;
}

function showSource() {
  const parts = [];
  for (const [file, text] of Object.entries(shown.rung.sources)) {
    const rows = text.split("\n").map((line, at) => {
      const found = Object.entries(counts.cLines || {}).find(([name]) => name.endsWith(`${file}:${at + 1}`));
      const mean = found ? number(found[1]) : "";
      return make("b", "", make("i", "", mean.padStart(9), "  "), line);
    });
    parts.push(make("h2", "", file), make("pre", "", ...rows));
  }
  $("source").replaceChildren(...parts);
}

// ---- step by step ----

function showState() {
  if (!state) {
    $("state").replaceChildren(make("p", "soft", "Next executes the first instruction."));
    return;
  }
  const names = REGISTERS.map(() => ""); // a register may have several
  for (const { register, name } of named()) names[register] += ` ${name}`;
  const cells = REGISTERS.map((register, i) => {
    const value = state.core[i].toString(16).padStart(8, "0");
    const changed = before && before.core[i] !== state.core[i] && register !== "pc";
    return make("span", changed ? "changed" : "", `${register.padEnd(3)} ${value}${names[i]}`);
  });
  const flags = [...FLAGS].map((letter, i) => ((state.flags >> (3 - i)) & 1 ? letter.toUpperCase() : letter)).join("");
  const executed = `${state.steps.toLocaleString("en")} instruction${state.steps === 1 ? "" : "s"}`;
  const after = `After ${executed}; flags ${flags}`;
  const what = state.done ? `${after}. The call has returned.` : `${after}. Next: line ${state.line || "of rsa.c"}.`;
  const memory = Object.entries(state.numbers).map(([name, value]) => make("div", "", `${name} ${value}`));
  const several = Object.entries(families()).map(([name, words]) => make("div", "", meaning(name, words)));
  $("state").replaceChildren(
    make("p", "soft", state.fault || what),
    make("pre", "next", instruction()),
    make("div", "registers", ...cells),
    make("h3", "", "In memory"),
    make("div", "numbers", ...memory),
    ...(several.length ? [make("h3", "", "In registers, by their names")] : []),
    make("div", "numbers", ...several),
  );
}

// The core registers with names: [{register: 4, name: "x0"}, ...]
function named() {
  const core = state.names.filter(({ register }) => register.startsWith("r"));
  return core.map(({ register, name }) => ({ register: Number(register.slice(1)), name }));
}

// The line of the next instruction, and within a macro that of its body.
function instruction() {
  const lines = $("text").value.split("\n");
  return [state.line, state.inner].filter((line) => line && !state.done).map((line) => `${line}  ${lines[line - 1].trim()}`).join("\n");
}

// Registers whose names are numbered, such as t0 to t7, are one number: t -> its words, the lowest first.
function families() {
  const found = {};
  for (const { register, name } of named()) {
    const parts = /^([a-z_]+)(\d+)$/i.exec(name);
    if (!parts) continue;
    const [, family, place] = parts;
    found[family] = found[family] || [];
    found[family][Number(place)] = state.core[register];
  }
  const whole = Object.entries(found).filter(([, words]) => words.length > 2 && !Array.from(words).includes(undefined));
  return Object.fromEntries(whole);
}

// The number in hex, and which of the numbers of this call it is.
function meaning(name, words) {
  const value = words.reduceRight((sum, word) => (sum << 32n) | BigInt(word), 0n);
  const [x, y, n, right] = [state.numbers.x, state.numbers.y, state.numbers.n, state.right].map((text) => BigInt(`0x${text}`));
  const known = { x, y, n, "x y": x * y, "the right result": right };
  const equal = Object.keys(known).filter((text) => known[text] === value);
  return [`${name} ${value.toString(16).padStart(8 * words.length, "0")}`, ...equal].join(" = ");
}

function stepped(answer) {
  before = state;
  state = answer;
  showState();
  showGutter();
  if (state.line) show(state.line);
}

// Scrolls to a line of the text, unless it is seen.
function show(line) {
  const box = $("text");
  const height = box.scrollHeight / box.value.split("\n").length;
  const at = (line - 1) * height;
  const seen = at > box.scrollTop && at < box.scrollTop + box.clientHeight - 2 * height;
  if (!seen) box.scrollTop = Math.max(0, at - box.clientHeight / 3);
}

const step = (how) => ask({ how, steps: state ? state.steps : 0 });

// ---- answers, keys, buttons ----

worker.onmessage = ({ data }) => {
  if (data.ready) {
    fromAddress();
    return;
  }
  answered();
  if (data.ticket !== ticket) return;
  if (data.core) {
    stepped(data);
    return;
  }
  const answer = labAnswer(data);
  verdict(answer);
  showCounts(answer);
  showGutter(answer);
  showSource();
};

worker.onerror = ({ message, lineno }) => {
  answered();
  $("verdict").className = "wrong";
  $("verdict").textContent = `A fault of this page, not of your program: ${message} (line ${lineno} of the worker)`;
};

function save() {
  const link = document.createElement("a");
  const { lab } = shown.rung;
  const file = lab ? folder() : new Blob([$("text").value], { type: "text/plain" });
  link.href = URL.createObjectURL(file);
  link.download = lab ? `${lab.folder}.zip` : shown.cell.file;
  link.click();
}

const KEYS = { s: "start", b: "back", n: "forward", l: "line", a: "again" };

async function begin() {
  const all = await unpack(held.packed);
  rungs = all.rungs;
  $("rung").append(...rungs.map(({ name, idea, lab }) => new Option(lab ? labTitle(name, idea) : name, name)));
  $("level").append(...Object.keys(rungs[0].cells).map((level) => new Option(`-${level}`, level)));
  $("rung").onchange = $("level").onchange = () => choose($("rung").value, $("level").value);
  $("run").onclick = () => run();
  $("all").onclick = () => run(true);
  $("save").onclick = save;
  $("reset").onclick = () => {
    localStorage.removeItem(key());
    choose(shown.rung.name, shown.level);
  };
  $("text").oninput = typed;
  $("text").onscroll = () => ($("gutter").scrollTop = $("text").scrollTop);
  for (const button of document.querySelectorAll("[data-how]")) button.onclick = () => step(button.dataset.how);
  window.onhashchange = fromAddress;
  document.onkeydown = (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) run();
    const free = !event.ctrlKey && !event.metaKey && !event.altKey && event.target.tagName !== "TEXTAREA";
    if (free && KEYS[event.key] && event.target.tagName !== "SELECT") step(KEYS[event.key]);
  };
  worker.postMessage({ wasm: bytes(held.wasm), vectors: all.vectors, model: held.model.table });
}
