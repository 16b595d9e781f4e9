// A step: the next instruction, what a long multiplication adds, the invariant, registers, memory.
"use strict";

const FLAGS = "NZCV";
const REGISTERS = [..."0123456789"].map((i) => `r${i}`).concat("r10", "r11", "r12", "sp", "lr", "pc");
const PC = 15;
const NO_INVARIANT = "No invariant is known for this text: the page looks for rounds of one bit, and for rows of a macro or of a call.";

let state = null; // at a step
let before = null; // the state that was shown before it

const hex = (value) => (value >>> 0).toString(16).padStart(8, "0");
const limbsOf = (text) => text.match(/.{8}/g).join(" ");

function forget() {
  state = before = null;
  showState();
}

function stepped(answer) {
  before = state;
  state = answer;
  showState();
  draw();
  showLineOfC();
  if (state.line) show(state.line);
}

// Marks the line of C of the next instruction, and scrolls to it within its box.
function showLineOfC() {
  const box = $("source");
  for (const row of box.querySelectorAll(".here")) row.className = "";
  const row = box.querySelector(`[data-line="${state.c}"]`);
  if (!row) return;
  row.className = "here";
  box.scrollTop = row.offsetTop - box.offsetTop - box.clientHeight / 3;
}

function showState() {
  if (!state) {
    $("state").replaceChildren(make("p", "soft", "Next executes the first instruction."));
    return;
  }
  const parts = [where(), searched(), instruction(), sumOf(), invariant(), flags(), registers(), neon(), memory(), inRegisters()];
  $("state").replaceChildren(...parts.filter(Boolean));
}

// ---- where it stands ----

function where() {
  const executed = `After ${english(state.steps)} instruction${state.steps === 1 ? "" : "s"}`;
  if (state.fault) return make("p", "soft", `${executed}: ${state.fault}`);
  const ofC = state.c ? `, ${state.c} of the C` : "";
  const next = state.done ? "The call has returned." : `Next: line ${state.line}${ofC}.`;
  return make("p", "soft", `${executed}. ${next}`);
}

// What the search for a broken invariant has found.
function searched() {
  const { search, invariant: found, done } = state;
  if (!search) return null;
  if (found && !found.holds && !done) return make("p", "", `The instruction before: ${search.before}`);
  if (!search.places) return make("p", "", NO_INVARIANT);
  return make("p", "", `Invariants looked at in this call: ${search.places}. All hold.`);
}

// The line of the next instruction, and within a macro that of its body.
function instruction() {
  const numbers = [state.line, state.inner].filter((line) => line && !state.done);
  const texts = numbers.map((line) => `${line}  ${lines[line - 1].trim()}`);
  if (state.inner && state.next) texts[1] = `${state.inner}  ${state.next.name} ${state.next.operands.join(", ")}`;
  return texts.length ? make("pre", "next", texts.join("\n")) : null;
}

// ---- a long multiplication, as on paper ----

const LONG = { umaal: "carry", umull: "", umlal: "high" };

// The product, what is added to it, and the sum: (high : low) := a b + low + high.
function sumOf() {
  const { base, operands, registers } = state.next || {};
  if (state.done || !(base in LONG) || registers.includes(-1)) return null;
  const [low, high, a, b] = registers.map((register) => BigInt(state.core[register]));
  const added = { umull: [], umaal: [[operands[0], low], [operands[1], high]], umlal: [[`${operands[1]}:${operands[0]}`, (high << 32n) | low]] }[base];
  const total = BigInt.asUintN(64, added.reduce((sum, [, value]) => sum + value, a * b));
  const rows = [sumRow(`${operands[2]} × ${operands[3]}`, a * b), ...added.map(([name, value]) => sumRow(`+ ${name}`, value))];
  rows.push(sumRow("=", total, "total"));
  const [lowName, highName] = operands;
  const says = base === "umaal" ? `${highName} is the carry: it is added, and then holds the high half for the next one.` : `${highName} gets the high half.`;
  const head = make("tr", "", cellOf("th", ""), cellOf("th", `high: ${highName}`), cellOf("th", `low: ${lowName}`));
  return make("figure", "sum", make("figcaption", "", `${state.next.name}, about to run. ${says}`), make("table", "", head, ...rows));
}

const cellOf = (kind, text) => Object.assign(make(kind, "", text), kind === "th" ? { scope: "col" } : {});

function sumRow(name, value, className = "") {
  const high = value >> 32n;
  const words = [high || className ? hex(Number(high)) : "", hex(Number(value & 0xffffffffn))];
  return make("tr", className, cellOf("td", name), ...words.map((word) => cellOf("td", word)));
}

// ---- the invariant ----

function invariant() {
  const { invariant: found, line } = state;
  if (!state.hasInvariants && !state.done) return make("p", "soft", NO_INVARIANT);
  if (!found) return null;
  const { says, t, right, holds, note } = found;
  const elsewhere = !holds && $("verdict").className === "right";
  const verdict = holds ? "holds" : elsewhere ? "this text is right, but keeps t elsewhere" : `broken here${line ? `, at line ${line}` : ""}`;
  const kind = holds ? "holds" : elsewhere ? "" : "broken";
  const box = make("div", `invariant ${kind}`, make("p", "", make("strong", "", `Invariant: ${verdict}`), ` ${says}`));
  const numbers = holds ? [limbsOf(t)] : [t && `${limbsOf(t)}  found`, `${limbsOf(right)}  right`];
  box.append(make("pre", "", numbers.filter(Boolean).join("\n")));
  if (note) box.append(make("p", "soft", note));
  return box;
}

// ---- flags and registers ----

function flags() {
  const bit = ({ flags: all }, i) => (all >> (3 - i)) & 1;
  const parts = [...FLAGS].map((letter, i) => {
    const changed = before && bit(before, i) !== bit(state, i);
    return make("span", changed ? "changed" : "", `${letter} ${bit(state, i)}`);
  });
  return make("div", "flags", "Flags", ...parts);
}

function registers() {
  const aliases = REGISTERS.map(() => ""); // a register may have several
  for (const { register, name } of named()) aliases[register] += ` ${name}`;
  const cells = REGISTERS.map((register, i) => {
    const changed = before && before.core[i] !== state.core[i] && i !== PC;
    return make("span", changed ? "changed" : "", `${register.padEnd(3)} ${hex(state.core[i])}${aliases[i]}`);
  });
  return make("div", "registers", ...cells);
}

// The core registers with names: [{register: 4, name: "x0"}, ...]
function named() {
  const core = state.names.filter(({ register }) => register.startsWith("r"));
  return core.map(({ register, name }) => ({ register: Number(register.slice(1)), name }));
}

// The registers of NEON that are not as they were before the call: q8 is d16 and d17; the lowest word stands on the right.
function neon() {
  const rows = [];
  for (let q = 0; q < 16; q++) {
    const words = state.lanes.slice(4 * q, 4 * q + 4);
    const old = before ? before.lanes.slice(4 * q, 4 * q + 4) : words;
    if (words.every((word, i) => word === state.lanesBefore[4 * q + i])) continue;
    const cells = words.map((word, i) => make("span", word === old[i] ? "" : "changed", hex(word))).reverse();
    rows.push(make("div", "", `q${q}`.padEnd(4), ...double(2 * q + 1, cells.slice(0, 2)), ...double(2 * q, cells.slice(2))));
  }
  return rows.length ? make("div", "numbers", make("h3", "", "NEON"), ...rows) : null;
}

const double = (number, [high, low]) => [`d${number}`.padEnd(4), high, " ", low, "  "];

// ---- numbers ----

function memory() {
  const rows = Object.entries(state.numbers).map(([name, value]) => {
    const changed = before && before.numbers[name] !== value;
    return make("div", "", `${name} `, make("span", changed ? "changed" : "", limbsOf(value)));
  });
  return make("div", "numbers", make("h3", "", "In memory"), ...rows);
}

function inRegisters() {
  const rows = Object.entries(families()).map(([name, words]) => make("div", "", meaning(name, words)));
  return rows.length ? make("div", "numbers", make("h3", "", "In registers, by their names"), ...rows) : null;
}

// Registers whose names are numbered, such as t0 to t7, are one number: t -> its words, the lowest first.
function families() {
  const found = {};
  for (const { register, name } of named()) {
    const parts = /^([a-z_]+)(\d+)$/i.exec(name);
    if (!parts) continue;
    const [, family, at] = parts;
    found[family] = found[family] || [];
    found[family][Number(at)] = state.core[register];
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
  return [`${name} ${limbsOf(value.toString(16).padStart(8 * words.length, "0"))}`, ...equal].join(" = ");
}
