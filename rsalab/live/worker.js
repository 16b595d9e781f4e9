// What the live page computes: it assembles a program, runs its vectors in the machine, and says what was right and
// how often each line ran.  It is a worker, so the page never waits; the assembler, the machine and the words for its
// faults stand in front of it.
"use strict";

const MOST_INSTRUCTIONS = { mont_mul: 2_000_000, mod_exp: 80_000_000 }; // of one call; v0 at -O0 has 85,192 and 62 million
const ENOUGH = 60_000_000; // instructions for the vectors of an operation, the same on a fast and on a busy machine
const FIRST_LOOK = 6_000_000; // the same, when a rung is opened
const TOO_MANY = 1_000_000_000; // instructions after which fewer vectors have to do
const COUNTED = 1000; // the first vectors, whose mean counts.csv has, too
const ALIASED = { mont_mul: 50, mod_exp: 1 }; // the first vectors are tried with z in the place of an operand, too
const ALIASES = { mont_mul: ["x", "y"], mod_exp: ["x"] }; // as the contract allows
const COMPARED = 4; // powers whose instructions an exercise compares
const LONGEST = 300; // letters of a message
const LOADS = 1, STORES = 2, BRANCHES = 4;

let vectors; // of the width in use: operation -> [{kind, n, x, y, z}, ...]
let byWidth; // width in bits -> vectors
let model; // of the Cortex-M4: its table
let enough = ENOUGH;
let failed = {}; // the last vector that was wrong, {vector, alias}: it is stepped as it was called

// ---- a program ----

const shortened = (message) => message.slice(0, LONGEST);

// What is wrong in many lines is told once.
function told(errors) {
  const lines = new Map(); // message -> its lines
  for (const { line, message } of errors) lines.set(message, [...(lines.get(message) || []), line]);
  return [...lines].map(([message, [first, ...more]]) => {
    const again = more.length ? `; the same in ${more.length} lines more` : "";
    return `line ${first}: ${shortened(message)}${again}`;
  });
}

// Makes a program of the text and of what gcc made of rsa.c; what is wrong with it, [] if nothing is.
function load(text, rest, operation) {
  const own = assembler.assemble(text, { origin: CODE });
  if (own.errors.length) return told(own.errors);
  if (own.bytes.length > REST - CODE) return [`the program has ${english(own.bytes.length)} bytes; ${english(REST - CODE)} is the most`];
  const missing = notExported(own, rest);
  if (missing) return [missing];
  const exported = new Map([...own.symbols].filter(([name]) => own.globals.has(name)));
  const other = assembler.assemble(rest, { origin: REST, externals: exported });
  if (other.errors.length) return [`in what gcc made of rsa.c: ${shortened(other.errors[0].message)}`];
  const symbols = new Map([...other.symbols, ...own.symbols]);
  const entry = symbols.get(operation);
  if (entry === undefined) return [`the program has no label ${operation}`];
  program = { ...own, parts: [own, other], textLines: text.split("\n").length, symbols, entry, changed: "" };
  placed();
  return [];
}

// From here on every call ends by a limit: the page need not watch any more.
function placed() {
  place(program.parts);
  postMessage({ assembled: true });
}

// What rsa.c, which is a file of its own, could not call.
function notExported({ symbols, globals, labelLines }, rest) {
  const wanted = rest ? ["mont_mul"] : ["mont_mul", "mod_exp"];
  for (const name of wanted) {
    const close = assembler.nearest(name, [...symbols.keys()]);
    const instead = close ? `; is \`${close}\` in line ${labelLines.get(close)} meant?` : `: write \`${name}:\` where it begins`;
    if (!symbols.has(name)) return `the program has no label ${name}${instead}`;
    if (!globals.has(name)) return `line ${labelLines.get(name)}: \`${name}\` cannot be called from rsa.c: \`.global ${name}\` in front of it`;
  }
  if (rest && symbols.has("mod_exp")) return `line ${labelLines.get("mod_exp")}: \`mod_exp\` is in rsa.c, too: give this one another name`;
  return "";
}

// Sums over the words of the program, each executed so often.
function totals(calls) {
  const sums = { instructions: 0, loads: 0, stores: 0, branches: 0, multiplies: 0, neon: 0 };
  const lines = {}, cLines = {};
  for (const part of program.parts) {
    for (let word = 0; word < part.bytes.length >> 2; word++) {
      const times = machine.executed[(part.origin >> 2) + word];
      if (!times) continue;
      addTo(sums, machine.view.getUint32(part.origin + 4 * word, true), times);
      const line = part === program.parts[0] ? part.lines[word] : 0;
      if (line) lines[line] = (lines[line] || 0) + times / calls;
      const c = `${part.files.get(part.cFiles[word]) || ""}:${part.cLines[word]}`;
      if (part.cLines[word]) cLines[c] = (cLines[c] || 0) + times / calls;
    }
  }
  for (const name of Object.keys(sums)) sums[name] /= calls;
  return { sums, lines, cLines };
}

function addTo(sums, opcode, times) {
  const kind = machine.text(machine.api.class_name(opcode));
  const does = machine.api.does(opcode);
  sums.instructions += times;
  if (does & LOADS) sums.loads += times;
  if (does & STORES) sums.stores += times;
  if (does & BRANCHES) sums.branches += times;
  if (/^(mul|umaal)/.test(kind)) sums.multiplies += times;
  if (kind.startsWith("neon")) sums.neon += times;
}

// What the model of a Cortex-M4 gives a call: {cycles} or {fault}; nothing of what gcc made, which is other code for it.
function modelled(calls, jumps, rest) {
  const [own, other] = program.parts;
  const times = ({ origin, bytes }) => machine.executed.subarray(origin >> 2, (origin + bytes.length) >> 2);
  const all = rest !== "" && !times(other).some(Boolean);
  if (!all) return null;
  const { cycles, fault } = cortexM4.cycles(own, times(own), jumps, model);
  return fault ? { fault: `line ${fault.line}: ${fault.message}` } : { cycles: cycles / calls };
}

// Runs a vector; why it is wrong, "" if it is right.
function tryVector(operation, vector, alias = "") {
  program.entry = program.symbols.get(operation);
  prepare(vector, alias);
  const end = machine.api.run(MOST_INSTRUCTIONS[operation]);
  return ended(end, operation) || wrong(vector, alias, operation);
}

// The instructions of the program that were executed since machine.executed was last filled with zeros.
function executed() {
  let sum = 0;
  for (const { origin, bytes } of program.parts)
    for (const times of machine.executed.subarray(origin >> 2, (origin + bytes.length) >> 2)) sum += times;
  return sum;
}

// Runs the vectors of an operation, at least `least` of them, and then as many as begin within ENOUGH instructions.
function tryVectors(operation, least, all, rest) {
  const list = vectors[operation];
  machine.executed.fill(0);
  const jumped = machine.api.jumps_taken();
  const now = () => ({ ...totals(tried), model: modelled(tried, (machine.api.jumps_taken() - jumped) >>> 0, rest) });
  let tried = 0, fault = "", counted = null;
  for (const vector of list) {
    if (!all && executed() > (tried < least ? TOO_MANY : enough)) break;
    fault = tryVector(operation, vector);
    tried++;
    if (fault) break;
    if (tried === COUNTED) counted = now();
  }
  if (fault) failed = {};
  counted ??= now();
  if (!fault) ({ fault, tried } = tryAliased(operation, list, tried));
  return { operation, tried, of: list.length, fault, ...counted };
}

// With z in the place of an operand.  What is wrong and at which vector, or as many as were tried before.
function tryAliased(operation, list, tried) {
  for (const alias of ALIASES[operation]) {
    const before = executed();
    for (const [at, vector] of list.slice(0, ALIASED[operation]).entries()) {
      if (at && executed() - before > ENOUGH) break;
      const fault = tryVector(operation, vector, alias);
      if (!fault) continue;
      failed = { vector, alias };
      const line = lastChange(() => get(Z), vector, alias, true);
      const rule = `with z in the place of ${alias}, as the contract allows, wrong: ${alias} is to be read before z is stored`;
      return { fault: `${line}${rule}\n${fault.replace(/^.*\n/, "")}`, tried: at + 1 };
    }
  }
  return { fault: "", tried };
}

function check({ text, rest, all, original = text }) {
  const errors = load(text, rest, "mont_mul");
  if (errors.length) return { errors };
  program.changed = changedLines(text, original);
  const products = tryVectors("mont_mul", COUNTED, all, rest);
  if (products.fault || !program.symbols.has("mod_exp")) return products;
  const powers = tryVectors("mod_exp", 1, all, rest);
  if (powers.fault) return { operation: "mod_exp", tried: powers.tried, fault: powers.fault };
  return { ...products, powers };
}

// ---- an exercise: the text at every level, and what a power costs beside the start and the solution ----

function examine({ text, rest, all, lab, original }) {
  const first = check({ text, rest, all, original });
  if (first.errors || first.fault) return first;
  const rows = {};
  for (const [level, rest] of Object.entries(lab.rests)) {
    const answer = check({ text, rest, all, original });
    if (answer.errors || answer.fault) return { ...answer, fault: answer.fault && `-${level}: ${answer.fault}` };
    const yours = costs(text, rest, lab.functions);
    rows[level] = { yours: yours.total, functions: { yours: yours.functions } };
    for (const [name, program] of Object.entries(lab.programs)) {
      const { total, functions } = costs(program.text, program.rests[level], lab.functions);
      rows[level][name] = total;
      rows[level].functions[name] = functions;
    }
  }
  return { ...first, rows };
}

// The mean instructions of the first powers of full width, and those of each function.
function costs(text, rest, starts) {
  const errors = text ? load(text, rest, "mod_exp") : load(rest, "", "mod_exp"); // without mont.S all is in C
  if (errors.length) throw new Error(errors[0]);
  machine.executed.fill(0);
  for (const vector of vectors.mod_exp.slice(0, COMPARED)) {
    prepare(vector);
    machine.api.run(MOST_INSTRUCTIONS.mod_exp);
  }
  const functions = Object.assign({}, ...program.parts.map((part) => byFunction(part, starts)));
  return { total: totals(COMPARED).sums.instructions, functions };
}

// Function -> instructions of a call; of what gcc made, the function of the C, inlined or not.  `starts` are by file the
// lines at which its functions begin, [[line, name], ...].
function byFunction({ origin, bytes, symbols, files, cFiles, cLines }, starts) {
  const labels = [...symbols].filter(([name]) => /^[A-Za-z_]/.test(name)).map(([name, at]) => [at, name]);
  const begun = (list, place) => list.filter(([start]) => start <= place).sort(([a], [b]) => a - b).at(-1)?.[1];
  const found = {};
  for (let word = 0; word < bytes.length >> 2; word++) {
    const times = machine.executed[(origin >> 2) + word];
    if (!times) continue;
    const ofC = begun(starts[files.get(cFiles[word])] || [], cLines[word]);
    const name = ofC || begun(labels, origin + 4 * word);
    found[name] = (found[name] || 0) + times / COMPARED;
  }
  return found;
}

// ---- an exercise in C: its start and its solution, and what a power costs by its exponent ----

function control({ lab }) {
  const rows = {};
  for (const level of Object.keys(lab.rests)) {
    const row = { byExponent: {}, functions: {} };
    for (const [name, program] of Object.entries(lab.programs)) {
      const { total, functions } = costs(program.text, program.rests[level], lab.functions);
      row[name] = total;
      row.functions[name] = functions;
      row.byExponent[name] = exponents().map(oneCost);
    }
    row.yours = row.solution; // the answer is not compiled here
    row.functions.yours = row.functions.solution;
    rows[level] = row;
  }
  return { rows };
}

// The first vector with other exponents: 0, 2, its own, and all bits set.
function exponents() {
  const [vector] = vectors.mod_exp;
  const all = (1n << BigInt(32 * limbs)) - 1n;
  return [0n, 2n, vector.y, all].map((y) => ({ ...vector, y }));
}

function oneCost(vector) {
  machine.executed.fill(0);
  prepare(vector);
  machine.api.run(MOST_INSTRUCTIONS.mod_exp);
  return totals(1).sums.instructions;
}

// ---- messages ----

function read(text) {
  const found = { mont_mul: [], mod_exp: [] };
  for (const row of text.split("\n")) {
    const [operation, kind, ...numbers] = row.split(" ");
    if (!found[operation]) continue;
    const [n, x, y, z] = numbers.map((number) => BigInt(`0x${number}`));
    found[operation].push({ kind, n, x, y, z, second: operation === "mod_exp" ? "e" : "y" });
  }
  return found;
}

onmessage = async ({ data }) => {
  if (data.wasm) {
    byWidth = Object.fromEntries(Object.entries(data.vectors).map(([width, text]) => [width, read(text)]));
    model = data.model;
    await start(data.wasm);
    postMessage({ ready: true });
    return;
  }
  limbs = data.width / 32;
  enough = data.purpose === "look" ? FIRST_LOOK : ENOUGH;
  vectors = byWidth[data.width];
  const exercise = data.lab?.inC ? control : examine;
  const work = data.how ? step : data.lab ? exercise : check;
  const { edition, run, purpose } = data;
  postMessage({ edition, run, purpose, ...work(data) });
};
