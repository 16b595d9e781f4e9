// Cycles of a Cortex-M4, by the model of studies/hardware/cores/cortex_m4: its table is timing.json, its rules are
// those of timing.py.
//
// The core executes Thumb-2, the page A32.  So an instruction takes what the Thumb-2 instruction of the same name
// takes; conditional ones get an IT instruction in front of them, one for up to four, and rsc is two instructions,
// mvn and adc.  cortexM4.cycles(program, times, jumps, table) returns
//     {cycles}  of instructions that were executed so often, and so many jumps
//     {fault}   why there is no number: {line, message}
"use strict";

const cortexM4 = (() => {
  const [STACK_POINTER, LINK, COUNTER] = [13, 14, 15];
  const ALWAYS = 14;
  const MOST_CONDITIONAL = 4; // behind one IT instruction
  const COMPARISONS = new Set(["cmp", "cmn", "tst", "teq"]);
  const BRANCHES = new Set(["b", "bl", "bx", "blx"]);
  const BLOCK_NAMES = { 1: "ldm", 2: "ldmdb" }; // by the bits that say decrement and before

  class Refused extends Error {}
  const refuse = (message) => {
    throw new Refused(message);
  };
  const bits = (word, high, low) => (word >>> low) & (2 ** (high - low + 1) - 1);
  const bit = (word, at) => (word >>> at) & 1;

  // ---- What an instruction is: its name, how many registers it moves, the registers that it writes, those of its
  // address, whether an index is added, and whether it writes its base back ----

  const plain = { registers: 0, writes: [], address: [], indexed: false, writesBack: false, jumps: false };

  // Eight bits that Thumb-2 can have anywhere in a word, but not around its end.
  function checkConstant(op) {
    const byte = bits(op, 7, 0);
    const turn = 2 * bits(op, 11, 8);
    const wraps = turn && turn < 8 && byte >>> turn && byte & (2 ** turn - 1);
    if (wraps) refuse("Thumb-2 has no such constant");
  }

  function dataProcessing(op, name) {
    const [first, to] = [bits(op, 19, 16), bits(op, 15, 12)];
    const byRegister = !bit(op, 25) && bit(op, 4);
    const moves = bits(op, 24, 21) === 13;
    if (byRegister && !moves) refuse(`Thumb-2 has no \`${name}\` whose operand a register shifts`);
    if (bit(op, 25)) checkConstant(op);
    else if (bits(op, 3, 0) === COUNTER) refuse(`Thumb-2 has no \`${name}\` of pc`);
    if (!moves && first === COUNTER) refuse(`Thumb-2 has no \`${name}\` of pc`);
    if (COMPARISONS.has(name)) return plain;
    const jumps = to === COUNTER;
    if (jumps && name !== "mov") refuse(`Thumb-2 has no \`${name}\` to pc`);
    return { ...plain, writes: [to], jumps };
  }

  function multiplication(op) {
    const isLong = bit(op, 23) || bits(op, 23, 21) === 2;
    return { ...plain, writes: isLong ? [bits(op, 15, 12), bits(op, 19, 16)] : [bits(op, 19, 16)] };
  }

  // The offset as Thumb-2 can have it.
  function checkOffset(op, name, { indexed, size, writesBack }) {
    const isDown = !bit(op, 23);
    const isPair = name.endsWith("d");
    if (indexed) {
      const shift = bits(op, 26, 26) ? bits(op, 11, 5) : 0; // amount and kind
      if (isDown || writesBack || isPair) refuse(`Thumb-2 has no \`${name}\` with such an index`);
      if (shift & 3 || shift >> 2 > 3) refuse(`Thumb-2 has no \`${name}\` with such a shift`);
    } else if (isPair) {
      if (size % 4) refuse(`Thumb-2 has no \`${name}\` with such an offset`);
    } else if ((isDown || writesBack) && size > 255 && bits(op, 19, 16) !== COUNTER) {
      refuse(`Thumb-2 has no \`${name}\` with such an offset`);
    }
  }

  function access(op, name) {
    const isWord = bits(op, 27, 26) === 1;
    const indexed = isWord ? Boolean(bit(op, 25)) : !bit(op, 22);
    const size = isWord ? bits(op, 11, 0) : (bits(op, 11, 8) << 4) | bits(op, 3, 0);
    const writesBack = !bit(op, 24) || Boolean(bit(op, 21));
    checkOffset(op, name, { indexed, size, writesBack });
    const [base, data] = [bits(op, 19, 16), bits(op, 15, 12)];
    const address = indexed ? [base, bits(op, 3, 0)] : [base];
    const jumps = name === "ldr" && data === COUNTER;
    const writes = bit(op, 20) ? [data] : [];
    return { ...plain, writes, address, indexed, writesBack, jumps };
  }

  function block(op) {
    const list = bits(op, 15, 0);
    let registers = 0;
    for (let i = 0; i < 16; i++) registers += bit(list, i);
    const jumps = Boolean(bit(op, 20) && bit(list, COUNTER));
    if (registers === 1) refuse("in Thumb-2 a block of one register is `ldr` or `str`: write that");
    return { ...plain, registers, address: [bits(op, 19, 16)], jumps };
  }

  // The name by which the table knows a block.
  function blockName(op, base) {
    const before = bit(op, 24);
    const up = bit(op, 23);
    if (before === up) refuse(`Thumb-2 has no \`${base}\``);
    const kind = bit(op, 20) ? "ldm" : "stm";
    const isStack = bits(op, 19, 16) === STACK_POINTER && bit(op, 21);
    if (isStack && kind === "ldm" && up) return "pop";
    if (isStack && kind === "stm" && before) return "push";
    return before ? `${kind}db` : kind;
  }

  // Of r8 to r12 alone, push and pop are str and ldr; of the others they are the short instructions.
  function oneOfStack(op, base) {
    const register = bits(op, 15, 12);
    const isShort = register < 8 || register === (base === "push" ? LINK : COUNTER);
    if (isShort || (base !== "push" && base !== "pop")) return base;
    return base === "push" ? "str" : "ldr";
  }

  function described(instruction, op, classOf) {
    const { base } = instruction;
    if (instruction.literal) refuse("`ldr` with `=` may become another instruction in Thumb-2");
    const isBlock = bits(op, 27, 25) === 4;
    const name = isBlock ? blockName(op, base) : oneOfStack(op, base);
    if (name === "rsc") return { ...dataProcessing(op, name), name, kind: classOf.mvn, extra: 1 };
    const kind = classOf[name] || refuse(`the model has no cycles for \`${base}\``);
    const facts = { ...plain, name, kind, extra: 0 };
    if (isBlock) return { ...facts, ...block(op), ...(kind.name === "stack" ? { address: [] } : {}) };
    if (kind.name === "stack") return { ...facts, registers: 1, jumps: bits(op, 15, 12) === COUNTER };
    if (kind.name !== "single") return { ...facts, ...access(op, name) };
    if (BRANCHES.has(name)) return { ...facts, jumps: true };
    if (bits(op, 27, 25) === 0 && bits(op, 7, 4) === 9) return { ...facts, ...multiplication(op) };
    const isMedia = bits(op, 27, 25) === 3 || name === "clz" || name === "movw" || name === "movt";
    if (isMedia) return { ...facts, writes: [bits(op, 15, 12)] };
    if (name === "nop") return facts;
    return { ...facts, ...dataProcessing(op, name) };
  }

  // ---- What it takes ----

  const ownCycles = ({ kind, extra, indexed, registers }) =>
    kind.cycles + extra + (indexed ? kind.indexed || 0 : 0) + (kind.register || 0) * registers;

  // What an instruction takes more, or less, behind another one: interlock() of timing.py.
  function interlock(before, here, table) {
    const depends = before.writes.some((register) => here.address.includes(register));
    if (before.kind.name === "single") return depends ? table.wait : 0;
    const isPipelined = here.kind.name === "load" || (here.kind.name === "store" && here.indexed);
    const follows = before.kind.name === "load" && !before.writesBack;
    return isPipelined && follows && !depends && !here.writesBack ? table.pipelined : 0;
  }

  function classesByName(table) {
    const found = {};
    for (const [name, kind] of Object.entries(table.classes)) {
      for (const instruction of kind.names.split(" ")) found[instruction] = { ...kind, name };
    }
    return found;
  }

  // Whether an instruction needs an IT instruction of its own in front of it.
  class Conditions {
    constructor() {
      this.first = ALWAYS;
      this.length = 0;
    }

    close() {
      this.length = 0;
    }

    needsOne({ condition }, { name, jumps }) {
      const fits = this.length > 0 && this.length < MOST_CONDITIONAL && (condition ^ this.first) < 2;
      if (condition === ALWAYS || (name === "b" && !fits)) {
        this.close();
        return false;
      }
      this.length = fits ? this.length + 1 : 1;
      if (!fits) this.first = condition;
      if (jumps) this.close();
      return !fits;
    }
  }

  function sum(program, times, jumps, table) {
    const classOf = classesByName(table);
    const view = new DataView(program.bytes.buffer);
    const labels = new Set(program.symbols.values());
    const conditions = new Conditions();
    let total = table.refill * jumps;
    let before = null;
    program.instructions.forEach((instruction, word) => {
      if (!times[word]) {
        before = null;
        conditions.close();
        return;
      }
      const address = program.origin + 4 * word;
      if (labels.has(address)) conditions.close();
      try {
        const op = view.getUint32(4 * word, true);
        const here = described(instruction, op, classOf);
        const needsIt = conditions.needsOne(instruction, here);
        let cycles = ownCycles(here);
        if (needsIt) cycles += classOf.it.cycles;
        else if (before?.word === word - 1 && !before.jumps) cycles += interlock(before, here, table);
        total += cycles * times[word];
        before = { ...here, word };
      } catch (fault) {
        if (!(fault instanceof Refused)) throw fault;
        fault.line = program.lines[word];
        throw fault;
      }
    });
    return total;
  }

  function cycles(program, times, jumps, table) {
    try {
      return { cycles: sum(program, times, jumps, table) };
    } catch (fault) {
      if (!(fault instanceof Refused)) throw fault;
      return { fault: { line: fault.line, message: fault.message } };
    }
  }

  return { cycles };
})();
