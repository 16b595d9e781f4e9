// Step by step: the state of the machine after so many instructions of a call, and where the next stop is.  It is a part
// of the worker.
"use strict";

let vector; // whose operands the call has

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
    core: [...machine.core],
    flags: machine.api.flags(),
    lanes: [...lanes()],
    numbers,
    right: hex(vector.z),
    names: program.names(lineAt(at)) || [],
    invariant: invariants.at(end === RETURNED),
  };
}

// The registers of NEON as words: q0 is the first four.
const lanes = () => new Uint32Array(machine.view.buffer, machine.api.double_registers(), 64);

function begin() {
  prepare(vector, failed.vector === vector ? failed.alias : "");
  lanes().fill(0);
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
  do {
    if (machine.api.run(1) !== LIMIT) break;
    steps++;
  } while (steps < MOST_INSTRUCTIONS.mont_mul && !until(machine.core[PC]));
  return stateAt(steps);
}

// Where a row ends: its last multiplication is done, and the invariant has its next place.
function isRow(pc, line) {
  return lineAt(pc) !== line && invariants.place(pc) !== null;
}

// The first place at which an invariant does not hold, and where the instruction before it stands.
function broken() {
  let before = program.entry;
  const found = search(0, (pc) => {
    if (invariants.at(false)?.holds === false) return true;
    before = pc;
    return false;
  });
  return { ...found, brokenBy: found.invariant?.holds === false ? whereIs(before) : "" };
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

function step({ text, rest, how, steps, vector: which = 0 }) {
  const errors = load(text, rest, "mont_mul");
  if (errors.length) return { errors };
  vector = vectors.mont_mul[which];
  invariants.of(text);
  const here = stateAt(steps);
  if ((here.done || here.fault) && !BACKWARDS.includes(how)) return here;
  return STOPS[how](here);
}
