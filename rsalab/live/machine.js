// The machine of the live page: the interpreter's memory and registers, and what stands in them before a call.
"use strict";

// ---- memory: what a program may touch lies apart from everything else ----

const MEMORY_BYTES = 1 << 20;
const CODE = 0x8000; // the text
const REST = 0x40000; // what gcc made of rsa.c
const X = 0x60000, Y = 0x61000, MODULUS = 0x62000, Z = 0x63000;
const STACK_END = 0x70000, STACK = 0x80000; // sp is STACK at the call
const RETURN_TO = 0xffff0000;
const FILLER = 0xd5; // each byte of the stack and of z before a call
const LOAD = 1, STORE = 2, EXECUTE = 4; // what may happen to a word

const SP = 13, LR = 14, PC = 15;
const KEPT = [4, 5, 6, 7, 8, 9, 10, 11]; // core registers that a function must leave as they were
const KEPT_DOUBLES = [8, 9, 10, 11, 12, 13, 14, 15];
const coreBefore = (register) => (0x11111111 * register) >>> 0;
const doubleBefore = (register) => 0x0101010101010101n * BigInt(register);

// How a run ends.
const [RETURNED, LIMIT, WILD_LOAD, WILD_STORE, WILD_JUMP, THUMB, UNDEFINED, UNALIGNED] = [0, 1, 2, 3, 4, 5, 6, 7];

let machine; // the interpreter's memory and functions
let limbs = 4;
let program; // the last one that was loaded

async function start(bytes) {
  const { instance } = await WebAssembly.instantiate(bytes, {});
  const api = instance.exports;
  const buffer = api.memory.buffer;
  const memory = new Uint8Array(buffer, api.memory_bytes(), MEMORY_BYTES);
  const view = new DataView(buffer, api.memory_bytes(), MEMORY_BYTES);
  const allowed = new Uint8Array(buffer, api.allowed_words(), MEMORY_BYTES / 4);
  const executed = new Uint32Array(buffer, api.execution_counts(), MEMORY_BYTES / 4);
  const core = new Uint32Array(buffer, api.core_registers(), 16);
  const doubles = new BigUint64Array(buffer, api.double_registers(), 32);
  const text = (at) => {
    const all = new Uint8Array(buffer);
    return String.fromCharCode(...all.subarray(at, all.indexOf(0, at)));
  };
  machine = { api, memory, view, allowed, executed, core, doubles, text };
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

// ---- a program: two parts, the text and what gcc made of rsa.c, as the assembler returns them ----

const operands = () => [
  { name: "x", first: X, bytes: 4 * limbs },
  { name: "y", first: Y, bytes: 4 * limbs },
  { name: "m", first: MODULUS, bytes: 8 * limbs + 4 },
  { name: "z", first: Z, bytes: 4 * limbs },
];

// Puts the parts into memory, and says what the program may touch.
function place(parts) {
  const { memory, allowed } = machine;
  const allow = (first, bytes, what) => allowed.fill(what, first / 4, Math.ceil((first + bytes) / 4));
  allowed.fill(0);
  for (const { origin, bytes } of parts) {
    memory.set(bytes, origin);
    allow(origin, bytes.length, LOAD | EXECUTE);
  }
  for (const { first, bytes } of operands()) allow(first, bytes, first === Z ? LOAD | STORE : LOAD);
  allow(STACK_END, STACK - STACK_END, LOAD | STORE);
}

// Everything as it is before a call with the operands of a vector; `alias` is the operand in whose place z stands.
function prepare(vector, alias = "") {
  const { memory, core, doubles, api } = machine;
  memory.fill(FILLER, STACK_END, STACK);
  memory.fill(FILLER, Z, Z + 4 * limbs);
  put(X, vector.x);
  put(Y, vector.y);
  put(MODULUS, vector.n);
  put(MODULUS + 4 * limbs, (1n << BigInt(64 * limbs)) % vector.n);
  put(MODULUS + 8 * limbs, negatedInverse(vector.n), 1);
  for (let i = 0; i < 16; i++) core[i] = coreBefore(i);
  for (let i = 0; i < 32; i++) doubles[i] = doubleBefore(i);
  [Z, X, Y, MODULUS].forEach((address, i) => (core[i] = address));
  if (alias) {
    put(Z, vector[alias]);
    core[alias === "x" ? 1 : 2] = Z;
  }
  core[SP] = STACK;
  core[LR] = RETURN_TO;
  core[PC] = program.entry;
  api.set_flags(vector.x & 1n ? 15 : 0); // a caller promises no flags
}

const partAt = (at) => program.parts.find(({ origin, bytes }) => at >= origin && at < origin + bytes.length);

// What the assembler says of the word at an address; 0 where there is none.
function ofWord(name, at) {
  const part = partAt(at);
  return part ? part[name][(at - part.origin) >> 2] || 0 : 0;
}

const isOwn = (at) => partAt(at) === program.parts[0];
const lineAt = (at) => (isOwn(at) ? ofWord("lines", at) : 0); // of the text; 0 elsewhere
const innerAt = (at) => (isOwn(at) ? ofWord("inner", at) : 0); // within a macro's body
