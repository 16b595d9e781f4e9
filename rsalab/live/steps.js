// Step by step: the state of the machine after so many instructions of a call, and where the next stop is.  It is a part
// of the worker.
"use strict";

let vector; // whose operands the call has
let lanesBefore; // registers of NEON before the call

// The state after `steps` instructions; the machine stays there.
function stateAt(steps) {
  begin();
  const end = steps ? machine.api.run(steps) : LIMIT;
  const at = machine.core[PC];
  const numbers = { z: get(Z), x: get(X), y: get(Y), n: get(MODULUS) };
  for (const name of Object.keys(numbers)) numbers[name] = hex(numbers[name]);
  return {
    steps,
    done: end === RETURNED,
    fault: end > LIMIT ? ended(end) : "",
    pc: at,
    line: lineAt(at),
    inner: innerAt(at),
    next: nextInstruction(at),
    c: lineOfC(at),
    core: [...machine.core],
    flags: machine.api.flags(),
    lanes: [...lanes()],
    lanesBefore,
    numbers,
    right: hex(vector.z),
    names: program.names(lineAt(at)) || [],
    invariant: invariants.at(end === RETURNED),
    hasInvariants: invariants.areKnown(),
  };
}

// The registers of NEON as words: q0 is the first four.
const lanes = () => new Uint32Array(machine.view.buffer, machine.api.double_registers(), 64);

function begin() {
  prepare(vector, failed.vector === vector ? failed.alias : "");
  lanesBefore = [...lanes()];
  machine.executed.fill(0);
}

// {name, operands}, in the words of the text, the arguments of a macro filled in; null outside of the text.
function nextInstruction(at) {
  const statement = program.instructions[(at - CODE) >> 2];
  if (!statement || !lineAt(at)) return null;
  const { name, base, operands, scope } = statement;
  const registers = operands.map((operand) => scope.aliases.get(operand)?.number ?? coreNumber(operand));
  return { name, base, operands, registers };
}

// "rsa.c:13"; "" where the text has no C
function lineOfC(at) {
  const line = ofWord("cLines", at);
  if (!line) return "";
  const path = partAt(at).files.get(ofWord("cFiles", at)) || "";
  return `${path.split("/").at(-1)}:${line}`;
}

// r4 -> 4; -1 for what is no core register.
function coreNumber(text) {
  const place = { sp: SP, lr: LR, pc: PC, ip: 12, fp: 11 }[text];
  const [, digits] = /^r(\d+)$/.exec(text) || [];
  return place ?? Number(digits ?? -1);
}

// The state at the next step at which `until` holds of pc, or at the end.
function search(from, until) {
  begin();
  machine.api.run(from);
  let steps = from;
  let stopped = LIMIT;
  do {
    stopped = machine.api.run(1);
    steps++;
  } while (stopped === LIMIT && steps < MOST_INSTRUCTIONS.mont_mul && !until(machine.core[PC]));
  return stateAt(steps);
}

// Where a row begins: a place of an invariant, within a macro only its first.
function isRow(pc, line) {
  if (!invariants.place(pc)) return false;
  return lineAt(pc) !== line || !innerAt(pc);
}

// The first place at which an invariant does not hold.  `search` also says of the call: how many places held before it,
// the line of the last of these, and the instruction in front of the broken one.
function broken() {
  let before = program.entry;
  let places = 0;
  let lastLine = 0;
  const found = search(0, (pc) => {
    const here = invariants.at(false);
    if (here && !here.holds) return true;
    if (here) {
      places++;
      lastLine = lineAt(pc);
    }
    before = pc;
    return false;
  });
  return { ...found, search: { places, lastLine, before: inWords(before) } };
}

// line 109, in the macro line 66: umaal t2, t5, x1, yj
function inWords(at) {
  const { name, operands } = nextInstruction(at) || { name: "", operands: [] };
  const inner = innerAt(at);
  return `line ${lineAt(at)}${inner ? `, in the macro line ${inner}` : ""}: ${name} ${operands.join(", ")}`;
}

const STOPS = {
  start: () => stateAt(0),
  back: ({ steps }) => stateAt(Math.max(0, steps - 1)),
  forward: ({ steps }) => stateAt(steps + 1),
  line: ({ steps, line }) => search(steps, (pc) => lineAt(pc) && lineAt(pc) !== line),
  again: ({ steps, pc: here }) => search(steps, (pc) => pc === here),
  row: ({ steps, line }) => search(steps, (pc) => isRow(pc, line)),
  broken,
};
const BACKWARDS = ["start", "back", "broken"]; // they go from the end, too

let stepped = {}; // the last program that was stepped: {text, rest, width, program}

function step({ text, rest, how, steps, width, vector: which = 0 }) {
  const again = stepped.text === text && stepped.rest === rest && stepped.width === width;
  if (again) {
    program = stepped.program;
    placed();
  } else {
    const errors = load(text, rest, "mont_mul");
    if (errors.length) return { errors };
  }
  program.entry = program.symbols.get("mont_mul");
  vector = vectors.mont_mul[which];
  if (!again) invariants.of(text);
  stepped = { text, rest, width, program };
  let here = stateAt(steps);
  for (const one of how) {
    const isOver = here.done || here.fault;
    if (!isOver || BACKWARDS.includes(one)) here = STOPS[one](here);
  }
  return here;
}
