// What the live page computes: it assembles a program, runs its vectors in the interpreter, and says what was right
// and how often each line ran.  It is a worker, so the page never waits; `assembler` stands in front of it.
"use strict";

const CODE = 0x8000;
const STACK_END = 0x70000, STACK = 0x80000; // below the end nothing can be stored
const Z = 0x90000, X = 0x90040, Y = 0x90080, MODULUS = 0x900c0;
const RETURN_TO = 0xffff0000;
const SP = 13, LR = 14, PC = 15;
const RETURNED = 0;
const MOST_INSTRUCTIONS = { mont_mul: 20_000_000, mod_exp: 80_000_000 }; // of one call
const ENOUGH = 600; // milliseconds for the vectors of an operation
const COUNTED = 1000; // the first vectors, whose mean counts.csv has, too
const COMPARED = 4; // powers whose instructions an exercise compares
const LONGEST = 300; // letters of a message
const LOADS = 1, STORES = 2, BRANCHES = 4;
const KEPT = [4, 5, 6, 7, 8, 9, 10, 11, SP]; // what a function must leave as it was

let machine; // the interpreter's memory and functions
let vectors; // of the width in use: operation -> [{kind, n, x, y, z}, ...]
let byWidth; // width in bits -> vectors
let model; // of the Cortex-M4: its table
let limbs = 4;
let program; // the last one that was assembled

// ---- the interpreter ----

async function start(bytes) {
  const { instance } = await WebAssembly.instantiate(bytes, {});
  const api = instance.exports;
  const buffer = api.memory.buffer;
  const memory = new Uint8Array(buffer, api.memory_bytes(), 1 << 20);
  const core = new Uint32Array(buffer, api.core_registers(), 16);
  const executed = new Uint32Array(buffer, api.execution_counts(), 1 << 18);
  const view = new DataView(buffer, api.memory_bytes(), 1 << 20);
  const text = (at) => {
    const all = new Uint8Array(buffer);
    return String.fromCharCode(...all.subarray(at, all.indexOf(0, at)));
  };
  api.set_writable(STACK_END);
  machine = { api, memory, core, executed, view, text };
}

function put(address, number, words = limbs) {
  for (let i = 0; i < words; i++) {
    machine.view.setUint32(address + 4 * i, Number((number >> BigInt(32 * i)) & 0xffffffffn), true);
  }
}

function get(address) {
  let number = 0n;
  for (let i = limbs - 1; i >= 0; i--) number = (number << 32n) | BigInt(machine.view.getUint32(address + 4 * i, true));
  return number;
}

// -n^-1 mod 2^32, by Newton's iteration
function negatedInverse(n) {
  let inverse = n;
  for (let i = 0; i < 5; i++) inverse = BigInt.asUintN(32, inverse * (2n - n * inverse));
  return BigInt.asUintN(32, -inverse);
}

// Everything as it is before a call with the operands of a vector.
function prepare(vector) {
  const { memory, core } = machine;
  memory.fill(0);
  memory.set(program.bytes, CODE);
  put(X, vector.x);
  put(Y, vector.y);
  put(MODULUS, vector.n);
  put(MODULUS + 4 * limbs, (1n << BigInt(64 * limbs)) % vector.n);
  put(MODULUS + 8 * limbs, negatedInverse(vector.n), 1);
  for (let i = 0; i < 16; i++) core[i] = 0x11111111 * i;
  [Z, X, Y, MODULUS].forEach((address, i) => (core[i] = address));
  core[SP] = STACK;
  core[LR] = RETURN_TO;
  core[PC] = program.entry;
  machine.api.set_flags(0);
}

const hex = (number) => number.toString(16).padStart(8 * limbs, "0");
const address = (number) => `0x${(number >>> 0).toString(16)}`;

// The line of the text at an address; 0 in what gcc made.
function lineAt(at) {
  const line = program.lines[(at - CODE) >> 2] || 0;
  return line <= program.textLines ? line : 0;
}

// "line 12: " of the text, "rsa.c:12: " in what gcc made, "" elsewhere.
function whereIs(at) {
  const line = lineAt(at);
  const c = program.cLines[(at - CODE) >> 2];
  if (line) return `line ${line}: `;
  return c ? `in C, line ${c}: ` : "";
}

// Why a call did not return; "" of one that did.
function ended(how, operation = "mont_mul") {
  const at = machine.core[PC];
  const where = whereIs(at);
  const fault = address(machine.api.fault_address());
  if (how === 1) return `${where}no end after ${MOST_INSTRUCTIONS[operation].toLocaleString("en")} instructions: a loop without end?`;
  if (how === 2) return `${where}an access to ${fault}, where nothing is that this program may touch`;
  if (how === 4) return `${where}an access to several words at ${fault}, which is no multiple of 4: the hardware refuses it`;
  if (how === 3) return `${where}the instruction at ${address(at)} is not known here`;
  return "";
}

// What is wrong after a call; "" if nothing is.
function wrong(vector) {
  const changed = KEPT.filter((i) => machine.core[i] !== (i === SP ? STACK : (0x11111111 * i) >>> 0));
  if (changed.length) return `r${changed[0]} is not as it was before the call; a function must restore it`;
  const found = get(Z);
  if (found === vector.z) return "";
  return `x = ${hex(vector.x)}\n${vector.second} = ${hex(vector.y)}\nn = ${hex(vector.n)}\nresult ${hex(found)}\nright  ${hex(vector.z)}`;
}

// ---- a program ----

function load(text, rest, operation) {
  const made = assembler.assemble(`${text}\n${rest}`, { origin: CODE, externals: {} });
  const textLines = text.split("\n").length;
  const own = made.errors.filter(({ line }) => line <= textLines);
  if (own.length) return own.map(({ line, message }) => `line ${line}: ${message.slice(0, LONGEST)}`);
  const entry = made.symbols.get(operation);
  if (entry === undefined) return [`the program has no label ${operation}`];
  if (made.errors.length) return [`in what gcc made of rsa.c: ${made.errors[0].message.slice(0, LONGEST)}`];
  program = { ...made, entry, textLines };
  return [];
}

// Sums over the words of the program, each executed so often.
function totals(calls) {
  const sums = { instructions: 0, loads: 0, stores: 0, branches: 0, multiplies: 0, neon: 0 };
  const lines = {}, cLines = {};
  const { executed, view, api, text } = machine;
  for (let word = 0; word < program.bytes.length >> 2; word++) {
    const times = executed[(CODE >> 2) + word];
    if (!times) continue;
    const opcode = view.getUint32(CODE + 4 * word, true);
    const kind = text(api.class_name(opcode));
    const does = api.does(opcode);
    sums.instructions += times;
    if (does & LOADS) sums.loads += times;
    if (does & STORES) sums.stores += times;
    if (does & BRANCHES) sums.branches += times;
    if (/^(mul|umaal)/.test(kind)) sums.multiplies += times;
    if (kind.startsWith("neon")) sums.neon += times;
    const line = program.lines[word];
    lines[line] = (lines[line] || 0) + times / calls;
    const c = `${program.files.get(program.cFiles[word]) || ""}:${program.cLines[word]}`;
    if (program.cLines[word]) cLines[c] = (cLines[c] || 0) + times / calls;
  }
  for (const name of Object.keys(sums)) sums[name] /= calls;
  return { sums, lines, cLines };
}

// What the model of a Cortex-M4 gives a call: {cycles} or {fault}; nothing of what gcc made, which is other code for it.
function modelled(calls, jumps, rest) {
  const words = program.bytes.length >> 2;
  const times = machine.executed.subarray(CODE >> 2, (CODE >> 2) + words);
  const isOwn = (line) => line <= program.textLines;
  const all = rest !== "" && program.lines.every((line, word) => !times[word] || isOwn(line));
  if (!all) return null;
  const { cycles, fault } = cortexM4.cycles(program, times, jumps, model);
  return fault ? { fault: `line ${fault.line}: ${fault.message}` } : { cycles: cycles / calls };
}

// Runs the vectors of an operation, at least `least` of them, and then as many as begin in ENOUGH milliseconds.
function tryVectors(operation, least, all, rest) {
  const list = vectors[operation];
  const begin = performance.now();
  program.entry = program.symbols.get(operation);
  machine.executed.fill(0);
  const jumped = machine.api.jumps_taken();
  const now = () => ({ ...totals(tried), model: modelled(tried, (machine.api.jumps_taken() - jumped) >>> 0, rest) });
  let tried = 0, fault = "", counted = null;
  for (const vector of list) {
    if (!all && tried >= least && performance.now() - begin > ENOUGH) break;
    prepare(vector);
    const end = machine.api.run(MOST_INSTRUCTIONS[operation]);
    tried++;
    fault = ended(end, operation) || wrong(vector);
    if (fault) break;
    if (tried === COUNTED) counted = now();
  }
  return { operation, tried, of: list.length, fault, ...(counted || now()) };
}

function check({ text, rest, all }) {
  const errors = load(text, rest, "mont_mul");
  if (errors.length) return { errors };
  const products = tryVectors("mont_mul", COUNTED, all, rest);
  if (products.fault || !program.symbols.has("mod_exp")) return products;
  const powers = tryVectors("mod_exp", 1, all, rest);
  if (powers.fault) return { operation: "mod_exp", tried: powers.tried, fault: powers.fault };
  return { ...products, powers };
}

// ---- an exercise: the text at every level, and what a power costs beside the start and the solution ----

function examine({ text, rest, all, lab }) {
  const first = check({ text, rest, all });
  if (first.errors || first.fault) return first;
  const rows = {};
  for (const [level, rest] of Object.entries(lab.rests)) {
    const answer = check({ text, rest, all });
    if (answer.errors || answer.fault) return { ...answer, fault: answer.fault && `-${level}: ${answer.fault}` };
    rows[level] = { yours: costs(text, rest) };
    for (const [name, program] of Object.entries(lab.programs)) {
      rows[level][name] = costs(program.text, program.rests[level]);
    }
  }
  return { ...first, rows };
}

// The mean instructions of the first powers of full width.
function costs(text, rest) {
  load(text, rest, "mod_exp");
  machine.executed.fill(0);
  for (const vector of vectors.mod_exp.slice(0, COMPARED)) {
    prepare(vector);
    machine.api.run(MOST_INSTRUCTIONS.mod_exp);
  }
  return totals(COMPARED).sums.instructions;
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
  vectors = byWidth[data.width];
  const work = data.how ? step : data.lab ? examine : check;
  postMessage({ ticket: data.ticket, ...work(data) });
};
