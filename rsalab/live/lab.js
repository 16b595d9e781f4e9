// The exercises of the live page: a task, a prediction before anything is counted, hints, the verdict in the words of
// `make lab`, and the folder that `make lab` and `make grade` take.
"use strict";

const PREDICTION = /^(O\w+)\s+(\d+\.?\d*)\.\.(\d+\.?\d*)\s+(\w+)$/;
const RUN_TIME = /^(none|mem\w+|__\w+)$/; // what most changes in may be the compiler's own
const WIDEST = 2; // high / low of a range that still says something
const DEARER = 1.2; // of the solution's instructions pass where the solution costs more than the start

const labTitle = (name, idea) => (name === "improve" ? idea : `Lab ${name.slice(3)}: ${idea}`);
const labLevels = () => Object.keys(shown.rung.cells);
const factor = (ratio) => `x${ratio.toFixed(2)}`;
const mean = (numbers) => Math.exp(numbers.reduce((sum, one) => sum + Math.log(one), 0) / numbers.length);
const predictionKey = () => `rsalab-live-${shown.rung.name}-predict.txt`;

// ---- the task ----

// The little of Markdown that tasks and hints use.
function formatted(text) {
  return text.trim().split(/\n\n+/).map((part) => {
    if (part.startsWith("    ")) {
      const code = make("pre", "", part.replace(/^ {4}/gm, ""));
      code.tabIndex = 0; // it may be wider than the window: the keyboard scrolls it
      return code;
    }
    const pieces = part.split(/(`[^`]+`|\*\*[^*]+\*\*|\*[^*]+\*)/).map((piece) => {
      if (piece.startsWith("`")) return make("code", "", piece.slice(1, -1));
      if (piece.startsWith("**")) return make("strong", "", piece.slice(2, -2));
      if (piece.startsWith("*")) return make("em", "", piece.slice(1, -1));
      return piece;
    });
    return make("p", "", ...pieces);
  });
}

function showLab() {
  const { lab, name, idea } = shown.rung;
  $("lab").hidden = !lab;
  document.querySelector(".stepping").hidden = $("counts").hidden = Boolean(lab?.inC); // nothing is assembled
  $("file").nextElementSibling.textContent = lab?.inC ? "kept in this browser; make lab compiles it" : "beside each line: how often it runs in a call";
  $("save").textContent = lab ? "Download as a folder" : "Download";
  if (!lab) return;
  $("labtitle").textContent = labTitle(name, idea);
  const draft = `Here rsa.c and nat.h are the solution's. The text begins as ${lab.draft}.`;
  $("task").replaceChildren(...formatted(lab.task), ...(lab.draft ? [make("p", "soft", draft)] : []));
  $("hints").replaceChildren(
    ...lab.hints.map((hint, at) => {
      const head = make("summary", "", `Hint ${at + 1} of ${lab.hints.length}`);
      return make("details", "", head, ...formatted(hint));
    }),
  );
  const empty = labLevels().map((level) => `${level}  ?..?  ?`).join("\n");
  $("predict").value = kept.get(predictionKey()) ?? empty;
  $("result").replaceChildren();
}

// ---- the prediction ----

// Where the functions of the programs in C begin, by file.
const functionsInC = ({ start, solution }) => ({ ...start.functions, ...solution?.functions });

// The names of the functions of the text and of the programs that it is compared with.
function namesOfFunctions() {
  const { lab } = shown.rung;
  const inC = Object.values(functionsInC(lab)).flat().map(([, name]) => name);
  const labels = [$("text").value, lab.start.text].flatMap(functionsOf).map(([name]) => name);
  return [...new Set([...inC, ...labels])].sort();
}

// Level -> {low, high, name}, and what is wrong in a line; as labs/submission.py reads predict.txt.
function predictions() {
  const found = {};
  const names = namesOfFunctions();
  for (const [at, line] of $("predict").value.split("\n").entries()) {
    const words = line.split("#")[0].trim();
    if (!words || words.includes("?")) continue;
    const parts = PREDICTION.exec(words);
    if (!parts) return { fault: `predict.txt:${at + 1}: '${words}' is not like 'O1  1.2..1.4  mont_mul'` };
    const [, level, lower, upper, name] = parts;
    const [low, high] = [Number(lower), Number(upper)];
    if (!(low > 0 && low <= high && high <= WIDEST * low)) {
      const ends = `the ends of ${lower}..${upper} are not in order, or more than a factor of ${WIDEST} apart`;
      return { fault: `predict.txt:${at + 1}: ${ends}` };
    }
    if (!names.includes(name) && !RUN_TIME.test(name)) {
      return { fault: `predict.txt:${at + 1}: no function '${name}' in either program; there are: ${names.join(" ")}, or none` };
    }
    found[level] = { low, high, name };
  }
  const missing = labLevels().filter((level) => !found[level]);
  if (missing.length) return { fault: `no prediction for ${missing.join(", ")}: write it, then run again` };
  return { found };
}

// ---- the verdict ----

function labQuestion() {
  const { lab, cells } = shown.rung;
  if (!lab) return {};
  const rests = Object.fromEntries(labLevels().map((level) => [level, cells[level].rest]));
  const programs = { start: lab.start };
  if (lab.solution) programs.solution = lab.solution;
  return { lab: { rests, programs, functions: functionsInC(lab), inC: lab.inC } };
}

// Text without comments and white space, as labs/submission.py compares it.
const plain = (text) => text.replace(/\/\*[^]*?(?:\*\/|$)|\/\/[^\n]*|@[^\n]*|\s+/g, "");

// The worker's answer with the verdict of an exercise; without counts where nothing was predicted.
function labAnswer(answer) {
  const { lab, cells } = shown.rung;
  if (!lab) return answer;
  $("result").replaceChildren();
  const { found, fault } = predictions();
  const said = (status, text) => ({ errors: answer.errors, fault: answer.fault, lab: { status, text } });
  if (plain($("text").value) === plain(cells[shown.level].text)) {
    return said("", `unchanged: this is still the ${lab.draft ? "draft" : "program"} that you start from`);
  }
  if (lab.inC) return said("", controlled(answer, found, fault));
  if (answer.errors) return answer;
  if (answer.fault) return said("wrong", `wrong: vector ${answer.tried} of ${answer.operation}: ${answer.fault}`);
  const levels = labLevels().map((level) => `-${level}`).join(" ");
  const tried = `mont_mul in ${number(answer.tried)} vectors, mod_exp in ${number(answer.powers.tried)}`;
  const right = `right at ${levels}: ${tried}`;
  if (!found) return said("", `${right}\n${fault}. Nothing is counted before that.`);
  showResult(answer.rows, found);
  const slow = slowness(answer.rows, lab);
  return { ...answer, lab: { status: slow ? "wrong" : "right", text: slow ? `${right}\n${slow}` : right } };
}

// Of an answer in C: what happens to it, and with a prediction the counts of the start and of the solution.
function controlled({ rows }, found, fault) {
  const { folder } = shown.rung.lab;
  const kept = `This page has no compiler for C: rsa.c is kept here. Download it as a folder, unpack that in labs/work/, and \`make lab L=${Number(folder.slice(0, 2))}\` judges it.`;
  if (!found) return `${kept}\n${fault}. Nothing is counted before that.`;
  showControl(rows, found);
  return `${kept}\nBelow the hints stand the counts of the start and of the solution.`;
}

function showControl(rows, found) {
  const costs = [];
  for (const [level, { byExponent }] of Object.entries(rows)) {
    for (const [name, numbers] of Object.entries(byExponent)) costs.push([`-${level}`, name, ...numbers.map(whole)]);
  }
  $("result").replaceChildren(
    make("h3", "", "Instructions of a power, by its exponent"),
    tableOf(["level", "program", "e = 0", "e = 2", "drawn", "all bits set"], costs),
    make("p", "soft", "Where a function may depend on its operands, counts still differ a little; make lab compares the other functions one by one."),
    make("h3", "", "Your prediction: start / solution"),
    predictionTable(rows, found),
    make("h3", "", "By function: start -> solution"),
    tableOf(["function", ...Object.keys(rows).map((level) => `-${level}`)], functionRows(rows)),
    make("p", "soft", shown.rung.lab.note),
  );
}

function predictionTable(rows, found) {
  const guesses = Object.entries(rows).map(([level, row]) => {
    const { low, high, name } = found[level];
    const gain = row.start / row.yours;
    const most = mostChanged(row.functions);
    const verdicts = [low <= gain && gain <= high, name === most].map((right) => (right ? "right" : "no"));
    return [`-${level}`, `x${low} to x${high}`, factor(gain), verdicts[0], name, most, verdicts[1]];
  });
  return tableOf(["level", "predicted", "measured", "", "most changes in", "measured", ""], guesses);
}

// Why a right program is slow; "" if it is not.
function slowness(rows, lab) {
  const ratios = (above, below) => Object.values(rows).map((row) => row[above] / row[below]);
  if (!lab.solution) {
    const gain = mean(ratios("start", "yours"));
    return gain > 1 ? "" : `slow: start / yours is ${factor(gain)}; more than x1.00 passes`;
  }
  const way = mean(ratios("start", "solution"));
  const behind = mean(ratios("yours", "solution"));
  const allowed = way > 1 ? Math.sqrt(way) : DEARER;
  if (behind <= allowed) return "";
  const half = way > 1 ? " (half of the way from the start)" : "";
  return `slow: ${factor(behind)} the instructions of the solution; ${factor(allowed)} or less passes${half}`;
}

function tableOf(head, rows) {
  const top = head.map((name) => {
    const cell = make("th", "", name);
    cell.scope = "col";
    return cell;
  });
  const lines = rows.map((row) => make("tr", "", ...row.map((text) => make("td", "number", text))));
  return make("table", "", make("tr", "", ...top), ...lines);
}

const whole = (value) => Math.round(value).toLocaleString("en");

function showResult(rows, found) {
  const names = ["start", "yours", "solution"].filter((name) => Object.values(rows)[0][name]);
  const costs = Object.entries(rows).map(([level, row]) => {
    const ratios = [factor(row.start / row.yours)];
    if (row.solution) ratios.push(factor(row.yours / row.solution));
    return [`-${level}`, ...names.map((name) => whole(row[name])), ...ratios];
  });
  const head = ["level", ...names, "start/yours", ...(names.includes("solution") ? ["yours/solution"] : [])];
  $("result").replaceChildren(
    make("h3", "", "Instructions of a power"),
    tableOf(head, costs),
    make("h3", "", "Your prediction: start / yours"),
    predictionTable(rows, found),
    make("h3", "", "By function: start -> yours"),
    tableOf(["function", ...Object.keys(rows).map((level) => `-${level}`)], functionRows(rows)),
    make("p", "soft", shown.rung.lab.note),
  );
}

// The function whose number of instructions differs most; "none" if none differs.
function mostChanged({ start, yours }) {
  const names = Object.keys({ ...start, ...yours });
  const changes = names.map((name) => [Math.abs((yours[name] || 0) - (start[name] || 0)), name]);
  const [most, name] = changes.sort(([a, x], [b, y]) => b - a || (x < y ? 1 : -1))[0];
  return most ? name : "none";
}

// What each function executes in both programs, the dearest first.
function functionRows(rows) {
  const weights = {};
  for (const { functions } of Object.values(rows)) {
    for (const program of [functions.start, functions.yours]) {
      for (const [name, spent] of Object.entries(program)) weights[name] = Math.max(weights[name] || 0, spent);
    }
  }
  const names = Object.keys(weights).sort((a, b) => weights[b] - weights[a]);
  const text = ({ start, yours }, name) => `${whole(start[name] || 0)} -> ${whole(yours[name] || 0)}`;
  return names.map((name) => [name, ...Object.values(rows).map(({ functions }) => text(functions, name))]);
}

// ---- the folder, as a ZIP file whose files are stored as they are ----

function crc32(bytes) {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let i = 0; i < 8; i++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

// Little-endian fields: [size in bytes, value], ...
function record(...fields) {
  const bytes = [];
  for (const [size, value] of fields) {
    for (let i = 0; i < size; i++) bytes.push((value >>> (8 * i)) & 0xff);
  }
  return Uint8Array.from(bytes);
}

function zip(files) {
  const parts = [];
  const directory = [];
  let at = 0;
  for (const [name, text] of Object.entries(files)) {
    const path = new TextEncoder().encode(name);
    const data = new TextEncoder().encode(text);
    // version, flags, stored, time, date (1980-01-01), check, both sizes, length of the name, of the extra field
    const common = [[2, 10], [2, 0], [2, 0], [2, 0], [2, 33], [4, crc32(data)], [4, data.length], [4, data.length]];
    common.push([2, path.length], [2, 0]);
    const head = record([4, 0x04034b50], ...common);
    directory.push(record([4, 0x02014b50], [2, 10], ...common, [2, 0], [2, 0], [2, 0], [4, 0], [4, at]), path);
    parts.push(head, path, data);
    at += head.length + path.length + data.length;
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  const count = Object.keys(files).length;
  const end = record([4, 0x06054b50], [2, 0], [2, 0], [2, count], [2, count], [4, size], [4, at], [2, 0]);
  return new Blob([...parts, ...directory, end], { type: "application/zip" });
}

function folder() {
  const { rung, cell } = shown;
  const { lab, sources } = rung;
  const files = { ...sources, [cell.file]: $("text").value, "predict.txt": `${$("predict").value.trim()}\n` };
  return zip(Object.fromEntries(Object.entries(files).map(([name, text]) => [`${lab.folder}/${name}`, text])));
}

$("predict").oninput = () => keep(predictionKey(), $("predict").value);

begin();
