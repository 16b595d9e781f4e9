// The live page: which rung is shown, the questions to the worker, the keys and buttons.
"use strict";

const $ = (id) => document.getElementById(id);
const held = JSON.parse($("data").textContent);
const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
const WHAT_TO_DO = "Change a line: the page says whether the product is still right, and what it costs. Next executes one instruction.";
const PAUSE = 500; // milliseconds after the last key

const STUCK = 10_000; // milliseconds in which a text has to be assembled

let worker;
let setup; // what a worker is told first
let watch = 0; // the timer of STUCK
let rungs; // what the page holds
let shown; // {rung, level, cell}
let edition = 0; // of the text: an answer about an older one is dropped
let runs = 0; // so many were asked for: only the last one's answer is shown
let busy = false; // whether the worker owes an answer
let questions = []; // that wait for it: {purpose: "look", "run", "search" or "step", ...}
let waiting = 0; // the timer of the pause
let vector = 0; // whose call is stepped: the one that went wrong, or the first

async function unpack(text) {
  const stream = new Blob([bytes(text)]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

function keep(name, text) {
  if (kept.set(name, text)) return;
  $("caret").textContent = "This browser keeps nothing: download what you want to have later.";
}

// ---- which rung ----

// What is written by hand is one text at all levels.
const key = () => `rsalab-live-${shown.rung.name}-${shown.cell.file === "rsa.s" ? shown.level : shown.cell.file}`;

function choose(name, level, wanted = "") {
  const found = rungs.find((one) => one.name === name);
  const rung = found || rungs.findLast((one) => !one.lab);
  const cell = rung.cells[level] ? level : "O1";
  shown = { rung, level: cell, cell: rung.cells[cell] };
  $("rung").value = rung.name;
  $("level").value = cell;
  const missing = name && !found ? `There is no rung “${name}” here. ` : "";
  $("idea").textContent = missing + (rung.lab ? "" : `${rung.name}: ${rung.idea}. ${WHAT_TO_DO}`);
  $("file").textContent = shown.cell.file;
  vector = 0;
  counts = {};
  faults = new Set();
  textChanged();
  setText(kept.get(key()) ?? shown.cell.text);
  showLab();
  $("text").scrollTop = $("text").scrollLeft = 0;
  chooseFunction(wanted);
  run(false, "look"); // the whole run follows
}

// The functions of the text; the page scrolls to the one that is wanted, or to mont_mul.
function chooseFunction(wanted) {
  const found = functionsOf($("text").value);
  const [name, line] = found.find(([one]) => one.split(".")[0] === wanted) || found.find(([one]) => one === "mont_mul") || ["", 1];
  $("function").replaceChildren(...found.map(([one]) => new Option(one, one)));
  $("function").value = name;
  if (wanted && name.split(".")[0] !== wanted) {
    $("idea").append(` ${wanted} has no code of its own at -${shown.level}: the compiler has put it into its callers.`);
  }
  show(line + 3);
  const part = name === "mont_mul" ? "" : `-${name}`;
  history.replaceState(null, "", `#${shown.rung.name}-${shown.level}${part}`);
}

// Shows what a fragment names: `v5-O1-mmm`, `lab9`, or nothing.
function openFragment(fragment) {
  const [, name, level, wanted] = /^(.*?)(?:-(O\w+)(?:-(.*))?)?$/.exec(decodeURIComponent(fragment));
  choose(name, level, wanted);
}

const fromAddress = () => openFragment(location.hash.slice(1));

// ---- running ----

// Questions wait in their order.  Steps that follow each other are one question.
function ask(question) {
  const last = questions.at(-1);
  if (question.purpose === "step" && last?.purpose === "step") last.how.push(...question.how);
  else questions.push(question);
  sendNext();
}

// A question is completed when it is sent: steps go on from the state that is shown by then.
function sendNext() {
  if (busy || !questions.length) return;
  const { cell, rung } = shown;
  const program = { text: $("text").value, original: cell.text, rest: cell.rest, width: rung.width };
  busy = true;
  watch = setTimeout(stuck, STUCK);
  worker.postMessage({ edition, vector, steps: state?.steps ?? 0, ...program, ...questions.shift() });
}

function run(all = false, purpose = "run") {
  clearTimeout(waiting);
  questions = questions.filter((one) => one.purpose === "step");
  say("", "Running ...");
  runs++;
  ask({ purpose, run: runs, all, ...labQuestion() });
}

function textChanged() {
  edition++;
  questions = [];
  forget();
}

function say(status, text) {
  $("verdict").className = status;
  $("verdict").textContent = text;
}

function typed() {
  keep(key(), $("text").value === shown.cell.text ? null : $("text").value);
  textChanged();
  readText();
  clearTimeout(waiting);
  waiting = setTimeout(() => run(), PAUSE);
}

function showAnswer(data) {
  const answer = labAnswer(data);
  showVerdict(answer);
  showCounts(answer);
  markFaults(answer);
  showSource();
  stepThrough(data.fault && data.operation === "mont_mul" ? data.tried - 1 : 0);
  if (data.fault && data.operation === "mont_mul") questions.unshift({ purpose: "search", run: runs, how: ["broken"] });
  else if (data.purpose === "look" && !data.errors) ask({ purpose: "run", run: runs, ...labQuestion() });
}

// Chooses the vector whose call is stepped.
function stepThrough(which) {
  if (which !== vector) forget();
  vector = which;
  $("vector").textContent = vector ? `the wrong vector, number ${vector + 1}` : "the first vector";
}

const step = (how) => shown.rung.lab?.inC || ask({ purpose: "step", how: [how] });

const SHOWN_BY = { look: showAnswer, run: showAnswer, search: addBroken, step: stepped };

function onAnswer({ data }) {
  clearTimeout(watch);
  if (data.assembled) return;
  busy = false;
  const current = data.edition === edition && (data.run ?? runs) === runs;
  if (data.ready && !shown) fromAddress();
  else if (current) SHOWN_BY[data.errors ? "run" : data.purpose](data);
  sendNext();
}

// ---- the worker ----

function startWorker() {
  worker = new Worker(URL.createObjectURL(new Blob([held.worker], { type: "text/javascript" })));
  worker.onmessage = onAnswer;
  worker.onerror = ({ message, lineno }) => replaceWorker(`A fault of this page, not of your program: ${message} (line ${lineno} of the worker)`);
  worker.postMessage(setup);
  busy = true;
}

// A text that the assembler does not come to an end of.
const stuck = () => replaceWorker(`This text takes more than ${STUCK / 1000} seconds to assemble: is there a macro or a loop that grows?`);

function replaceWorker(why) {
  worker.terminate();
  questions = [];
  say("wrong", why);
  startWorker();
}

function save() {
  const link = document.createElement("a");
  const { lab } = shown.rung;
  const file = lab ? folder() : new Blob([$("text").value], { type: "text/plain" });
  link.href = URL.createObjectURL(file);
  link.download = lab ? `${lab.folder}.zip` : shown.cell.file;
  link.click();
}

function reset() {
  keep(key(), null);
  choose(shown.rung.name, shown.level);
}

// ---- keys and buttons ----

function walk(by) {
  const place = rungs.indexOf(shown.rung) + by;
  if (rungs[place]) choose(rungs[place].name, shown.level);
}

const KEYS = {
  n: () => step("forward"),
  b: () => step("back"),
  l: () => step("line"),
  r: () => step("row"),
  a: () => step("again"),
  s: () => step("start"),
  i: () => step("broken"),
  h: hottest,
  j: () => walk(1),
  k: () => walk(-1),
  e: () => $("text").focus(),
  "?": () => $("keys").showModal(),
};

function onKey(event) {
  const { key: pressed, target } = event;
  const command = event.ctrlKey || event.metaKey;
  if (pressed === "Enter" && command) run();
  if (pressed === "Escape" && target === $("text")) $("forward").focus();
  const writing = target.closest("textarea, select, input");
  if (command || event.altKey || writing || $("keys").open || !KEYS[pressed]) return;
  event.preventDefault();
  KEYS[pressed]();
}

function listen() {
  $("rung").onchange = $("level").onchange = () => choose($("rung").value, $("level").value);
  $("function").onchange = () => chooseFunction($("function").value);
  $("run").onclick = () => run();
  $("all").onclick = () => run(true);
  $("save").onclick = save;
  $("reset").onclick = reset;
  $("help").onclick = KEYS["?"];
  $("text").onbeforeinput = refuseTooLong;
  $("text").oninput = typed;
  $("text").onscroll = draw;
  $("text").onmousemove = explain;
  new ResizeObserver(draw).observe($("text"));
  for (const button of document.querySelectorAll("[data-how]")) button.onclick = () => step(button.dataset.how);
  window.onhashchange = fromAddress;
  document.onselectionchange = tellLine;
  document.onkeydown = onKey;
}

async function begin() {
  const all = await unpack(held.packed);
  rungs = all.rungs;
  $("rung").append(...rungs.map(({ name, idea, lab }) => new Option(lab ? labTitle(name, idea) : name, name)));
  $("level").append(...Object.keys(rungs[0].cells).map((level) => new Option(`-${level}`, level)));
  switchTheme($("theme"));
  listen();
  setup = { wasm: bytes(held.wasm), vectors: all.vectors, model: held.model.table };
  startWorker();
}
