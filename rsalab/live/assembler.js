// An assembler for the integer instructions of 32-bit ARM (A32), and the few of VFP and Neon that gcc uses in the
// ladder.  It reads GNU as's syntax and makes GNU as's bytes.  Sections A5, A7 and A8 are of the manual, ARM DDI 0406C.
//
//     assembler.assemble(text, { origin: 0x8000, externals: { memcpy: 0x100 } }) returns
//         origin    the address of the first byte
//         bytes     Uint8Array: sections of code and data, one after the other; those of debug information are left out
//         lines     Int32Array, of each word: its line in the text, from 1; of a macro's words the line that uses it
//         inner     Int32Array, of each word: its line in the body of the macro, else 0
//         cLines    Int32Array, of each word: its line of C, by .loc, else 0; cFiles: the number of the file, in files
//         files     Map: number of a file of C -> name
//         symbols   Map: label -> address
//         names     function: line -> [{register: "r4", name: "x0"}, ...], the .req in force there
//         errors    [{line, inner, message}, ...], at most 20; a wrong text never throws
//
// It goes over the text twice: the first pass expands macros and gives everything its place, the second encodes.
"use strict";

const assembler = (() => {
  const MOST_ERRORS = 20;
  const MOST_STATEMENTS = 200_000;
  const MOST_BYTES = 1 << 20;
  const WORD = 0xffffffffn;

  class Fault extends Error {}
  const fail = (message) => {
    throw new Fault(message);
  };

  // ---- Registers and conditions (A2.3, A8.3) ----

  const REGISTERS = new Map();
  const addRegister = (name, kind, number) => REGISTERS.set(name, { kind, number });
  for (let n = 0; n < 32; n++) {
    if (n < 16) addRegister(`r${n}`, "R", n);
    if (n < 16) addRegister(`q${n}`, "Q", n);
    addRegister(`d${n}`, "D", n);
    addRegister(`s${n}`, "S", n);
  }
  const OTHER_NAMES = "a1 a2 a3 a4 v1 v2 v3 v4 v5 v6 v7 v8 ip sp lr pc".split(" ");
  OTHER_NAMES.forEach((name, n) => addRegister(name, "R", n));
  addRegister("sb", "R", 9);
  addRegister("sl", "R", 10);
  addRegister("fp", "R", 11);
  const [SP, PC] = [13, 15];

  const CONDITIONS = new Map();
  "eq ne cs cc mi pl vs vc hi ls ge lt gt le al".split(" ").forEach((name, n) => CONDITIONS.set(name, n));
  CONDITIONS.set("", 14);
  CONDITIONS.set("hs", 2);
  CONDITIONS.set("lo", 3);

  // ---- Text ----

  // Pieces between commas that stand in no bracket and no string.
  function split(text) {
    const pieces = [];
    let depth = 0;
    let piece = "";
    for (const part of text.match(/"(?:\\.|[^"\\])*"|'\\?.'?|[\s\S]/g) || []) {
      if ("[{(".includes(part)) depth++;
      if ("]})".includes(part)) depth--;
      if (part === "," && depth === 0) {
        pieces.push(piece.trim());
        piece = "";
      } else piece += part;
    }
    if (pieces.length || piece.trim()) pieces.push(piece.trim());
    return pieces;
  }

  // Statements without comments: [{text, number}], the number of a line from 1.
  function statements(source, report) {
    const blank = (part) => (/^["'\\]/.test(part) ? part : part.replace(/[^\n]+/g, " "));
    const bare = source.replace(/"(?:\\.|[^"\\\n])*"|'\\?[^\n]|\\@|\/\*[\s\S]*?(?:\*\/|$)|(?:@|\/\/).*/g, blank);
    const found = [];
    bare.split("\n").forEach((line, index) => {
      const number = index + 1;
      if (/^\s*#/.test(line)) {
        const word = /^\s*#\s*(define|include|undef|ifdef|ifndef|else|elif)\b/.exec(line);
        if (word) report({ line: number, inner: 0 }, `the C preprocessor does not run here: no \`#${word[1]}\``);
        return;
      }
      for (const text of line.match(/(?:"(?:\\.|[^"\\])*"|'\\?.|[^;])+/g) || []) {
        if (text.trim()) found.push({ text: text.trim(), number });
      }
    });
    return found;
  }

  // ---- Expressions: 64 bits; operators of a row bind weaker than those of the next ----

  const OPERATORS = ["|| ", "&& ", "== != <> <= >= < > ", "+ - ", "| & ^ ", "* / % << >> "].map((row) => row.split(" "));
  const TOKEN =
    /\s*(\d+[bf](?!\w)|0x[\da-f]+|0b[01]+|\d+|'\\?.'?|[a-z_.$][\w.$]*|<<|>>|[<>=!]=|<>|&&|\|\||[-+*/%<>&|^~!()])/iy;
  const truth = (is) => (is ? -1n : 0n);
  const COMPUTE = {
    "||": (a, b) => truth(a || b),
    "&&": (a, b) => truth(a && b),
    "==": (a, b) => truth(a === b),
    "!=": (a, b) => truth(a !== b),
    "<>": (a, b) => truth(a !== b),
    "<=": (a, b) => truth(a <= b),
    ">=": (a, b) => truth(a >= b),
    "<": (a, b) => truth(a < b),
    ">": (a, b) => truth(a > b),
    "+": (a, b) => a + b,
    "-": (a, b) => a - b,
    "|": (a, b) => a | b,
    "&": (a, b) => a & b,
    "^": (a, b) => a ^ b,
    "*": (a, b) => a * b,
    "/": (a, b) => (b ? a / b : fail("division by zero")),
    "%": (a, b) => (b ? a % b : fail("division by zero")),
    "<<": (a, b) => (b < 0n || b > 63n ? 0n : a << b),
    ">>": (a, b) => (b < 0n || b > 63n ? 0n : BigInt.asUintN(64, a) >> b),
  };

  function tokens(text) {
    const found = [];
    TOKEN.lastIndex = 0;
    while (TOKEN.lastIndex < text.length) {
      const at = TOKEN.lastIndex;
      const token = TOKEN.exec(text);
      if (!token) fail(`\`${text}\` is no expression: \`${text.slice(at).trim()}\` is in the way`);
      found.push(token[1]);
    }
    return found;
  }

  // What it is worth: {section, value}; a section is given where it is an address, as an offset in it.
  function evaluate(text, lookUp) {
    const rest = tokens(text.trim());
    if (!rest.length) fail("an expression is missing");

    const absolute = ({ section, value }) => ({ section: null, value: value + BigInt(section.address) });

    function combine(operator, left, right) {
      const apart = operator === "-" || OPERATORS[2].includes(operator);
      let section = null;
      if (apart && left.section && right.section && (left.section === right.section || right.section.placed)) {
        left = absolute(left);
        right = absolute(right);
      } else if (operator === "+" && !(left.section && right.section)) section = left.section || right.section;
      else if (operator === "-" && !right.section) section = left.section;
      else if (left.section || right.section) fail(`\`${text}\`: \`${operator}\` of an address is not a number`);
      return { section, value: BigInt.asIntN(64, COMPUTE[operator](left.value, right.value)) };
    }

    function primary() {
      const token = rest.shift();
      if (token === undefined) fail(`\`${text}\` ends too early`);
      if (token === "(") {
        const inside = row(0);
        if (rest.shift() !== ")") fail(`\`${text}\`: a \`)\` is missing`);
        return inside;
      }
      if ("-~!+".includes(token)) {
        const { section, value } = primary();
        if (section) fail(`\`${text}\`: \`${token}\` of an address is not a number`);
        if (token === "+") return { section, value };
        return { section, value: token === "-" ? -value : token === "~" ? ~value : truth(!value) };
      }
      if (token[0] === "'") return { section: null, value: BigInt(token.replace("\\", "").charCodeAt(1)) };
      if (/^0\d+$/.test(token)) return { section: null, value: octal(token) };
      if (/^\d+[bf]$/.test(token) || !/^\d/.test(token)) return lookUp(token);
      return { section: null, value: BigInt(token) };
    }

    const octal = (token) => (/[89]/.test(token) ? fail(`\`${token}\` is no octal number`) : BigInt(`0o${token}`));

    function row(level) {
      if (level === OPERATORS.length) return primary();
      let left = row(level + 1);
      while (rest.length && OPERATORS[level].includes(rest[0])) left = combine(rest.shift(), left, row(level + 1));
      return left;
    }

    const result = row(0);
    if (rest.length) fail(`\`${text}\` is no expression: \`${rest[0]}\` is in the way`);
    return result;
  }

  // ---- Operands.  `at` is the statement: its register names, what its symbols are worth, its address ----

  const shown = (text) => (text === undefined || text === "" ? "nothing" : `\`${text}\``);
  const findRegister = (at, text) => at.scope.aliases.get(text) || REGISTERS.get((text || "").toLowerCase());

  function core(at, text, pcToo = true) {
    const register = findRegister(at, text);
    if (!register || register.kind !== "R") fail(`a register r0 to r15 is needed, not ${shown(text)}`);
    if (register.number === PC && !pcToo) fail(`\`${at.name}\` does not take pc here`);
    return register.number;
  }

  // A number; an address is none.
  function number(at, text) {
    const { section, value } = at.evaluate(text);
    if (section) fail(`\`${text}\` is an address, not a number`);
    if (value < -WORD || value > WORD) fail(`\`${text}\` does not fit into 32 bits`);
    return Number(value);
  }

  // A number as an operand: #4, 4, (N - 1), or the name of a constant.
  function isNumber(at, text = "") {
    const name = text.replace(/^[-+]/, "");
    if (findRegister(at, name)) return false;
    return /^[-+]?[#$\d('~]/.test(text) || at.scope.constants.has(name.split(/[^\w.$]/)[0]);
  }

  const withoutHash = (text) => text.replace(/^[#$]\s*/, "");

  function immediate(at, text, least = -0xffffffff, most = 0xffffffff) {
    if (!isNumber(at, text)) fail(`a number is needed, not ${shown(text)}`);
    const value = number(at, withoutHash(text));
    if (value < least || value > most) fail(`${text} is out of range: ${least} to ${most}`);
    return value;
  }

  const target = (at, text) => {
    const { section, value } = at.evaluate(text);
    return Number(value) + (section ? section.address : 0);
  };

  // A5.2.4: eight bits, rotated right by an even number; of several the smallest rotation.  -1 if there is none.
  function modified(value) {
    for (let turn = 0; turn < 32; turn += 2) {
      const byte = ((value << turn) | (turn ? value >>> (32 - turn) : 0)) >>> 0;
      if (byte < 256) return (turn << 7) | byte;
    }
    return -1;
  }

  // A8.4: a shift by a number or, if there is a fourth argument, by a register.
  const SHIFTS = { lsl: 0, asl: 0, lsr: 1, asr: 2, ror: 3, rrx: 3 };
  const isShift = (text) => /^(lsl|asl|lsr|asr|ror|rrx)\b/i.test(text || "");

  function shift(at, text, byRegister) {
    if (!isShift(text)) fail(`a shift is lsl, lsr, asr, ror or rrx, not ${shown(text)}`);
    const name = text.slice(0, 3).toLowerCase();
    const amount = text.slice(3).trim();
    if (name === "rrx") return amount ? fail("`rrx` takes no number") : 3 << 5;
    if (!isNumber(at, amount)) {
      if (!byRegister) fail(`\`${text}\`: a number shifts here, no register`);
      return (core(at, amount, false) << 8) | (SHIFTS[name] << 5) | (1 << 4);
    }
    const count = immediate(at, amount, 0, name === "lsr" || name === "asr" ? 32 : 31);
    return count ? ((count & 31) << 7) | (SHIFTS[name] << 5) : 0;
  }

  function shiftedRegister(at, [register, turned, ...more], byRegister) {
    if (more.length) fail(`\`${more[0]}\` is one operand too many`);
    const bits = turned === undefined ? 0 : shift(at, turned, byRegister);
    return core(at, register, !(bits & 16)) | bits;
  }

  // {r0, r4-r7}: a bit for each.
  function registerList(at, text) {
    const inside = /^\{(.*)\}$/.exec(text || "");
    if (!inside) fail(`a list of registers stands in braces: \`{r4-r7, lr}\`, not ${shown(text)}`);
    let bits = 0;
    for (const item of split(inside[1])) {
      const [first, last] = item.split("-").map((name) => core(at, name.trim()));
      if (last < first) fail(`\`${item}\` runs backwards`);
      for (let n = first; n <= (last ?? first); n++) {
        if (bits & (1 << n)) fail(`\`${text}\` has a register twice`);
        bits |= 1 << n;
      }
    }
    return bits || fail("the list of registers is empty");
  }

  // Consecutive {d8, d9} or {q4} or {d8-d9}: [kind, first, how many]; a q is two d.
  function vectorList(at, text, kinds) {
    const inside = /^\{(.*)\}$/.exec(text || "");
    if (!inside) fail(`a list of registers stands in braces: \`{d8-d9}\`, not ${shown(text)}`);
    const numbers = [];
    let kind = "";
    for (const item of split(inside[1])) {
      const ends = item.split("-").map((name) => findRegister(at, name.trim()));
      if (!ends.every((end) => end && kinds.includes(end.kind))) fail(`\`${item}\` does not fit into this list`);
      const wide = ends[0].kind === "Q" ? 2 : 1;
      kind = wide === 2 ? "D" : ends[0].kind;
      const last = ends[ends.length - 1].number * wide + wide - 1;
      for (let n = ends[0].number * wide; n <= last; n++) numbers.push(n);
    }
    if (!numbers.every((n, k) => n === numbers[0] + k)) fail(`the registers of \`${text}\` do not follow each other`);
    return numbers.length ? [kind, numbers[0], numbers.length] : fail("the list of registers is empty");
  }

  // A8.5: [Rn, offset], [Rn, offset]!, [Rn], offset, or a label.  {base, bits, up, offset or register}
  function address(at, parts) {
    const [first, ...after] = parts;
    const inside = /^\[(.*)\]\s*(!?)$/.exec(first || "");
    if (!inside) {
      if (/^\[/.test(first || "")) fail(`\`${first}\`: a \`]\` is missing`);
      if (first === undefined) fail(`\`${at.name}\` needs an address`);
      if (after.length || /^[#{]/.test(first)) fail(`\`${first}\` is no address`);
      const offset = target(at, first) - (at.address + 8);
      return { base: PC, bits: 1 << 24, up: offset >= 0, offset: Math.abs(offset) };
    }
    const [base, ...before] = split(inside[1]);
    if (after.length && (before.length || inside[2])) fail(`\`${parts.join(", ")}\`: the offset stands in the brackets or after`);
    const bits = (after.length ? 0 : 1 << 24) | (inside[2] ? 1 << 21 : 0);
    return { base: core(at, base), bits, ...offsetOf(at, after.length ? after : before) };
  }

  function offsetOf(at, parts) {
    if (!parts.length) return { up: true, offset: 0 };
    if (isNumber(at, parts[0])) {
      if (parts.length > 1) fail(`\`${parts[1]}\`: a number is not shifted`);
      const value = immediate(at, parts[0]);
      const negative = value < 0 || /^[#$]?\s*-\s*0+$/.test(parts[0]);
      return { up: !negative, offset: Math.abs(value) };
    }
    const [, sign, name] = /^([-+]?)\s*(.*)$/.exec(parts[0]);
    return { up: sign !== "-", register: [name, ...parts.slice(1)] };
  }

  const within = (offset, most) => (offset > most ? fail(`the address is ${offset} bytes away; ${most} is the most`) : offset);

  // ---- A5.2.1 to A5.2.3: data processing ----

  const OPCODES = "and eor sub rsb add adc sbc rsc tst teq cmp cmn orr mov bic mvn".split(" ");
  const NO_RESULT = ["tst", "teq", "cmp", "cmn"];
  const ONE_SOURCE = ["mov", "mvn"];
  const negated = (value) => -value >>> 0;
  const inverted = (value) => ~value >>> 0;
  // What does the same with another constant.
  const EXCHANGE = { add: "sub", sub: "add", cmp: "cmn", cmn: "cmp", mov: "mvn", mvn: "mov", and: "bic", bic: "and", adc: "sbc", sbc: "adc" };
  const NEGATES = ["add", "sub", "cmp", "cmn"];

  const opcode = (name) => OPCODES.indexOf(name) << 21;

  // The opcode with a constant, exchanged where only the other one has it.
  function withConstant(name, constant, flags, text) {
    const value = constant >>> 0;
    if (modified(value) >= 0) return opcode(name) | (1 << 25) | modified(value);
    const other = EXCHANGE[name];
    const changed = modified(NEGATES.includes(name) ? negated(value) : inverted(value));
    if (other && changed >= 0) return opcode(other) | (1 << 25) | changed;
    if (name === "mov" && !flags && value <= 0xffff) return 0x03000000 | ((value & 0xf000) << 4) | (value & 0xfff);
    return fail(`${text} is no constant of \`${name}\`: eight bits, rotated by an even number`);
  }

  function dataProcessing(at) {
    const { base: name, operands } = at;
    const sets = NO_RESULT.includes(name) ? 1 << 20 : 0;
    const registers = ONE_SOURCE.includes(name) || sets ? 1 : 2;
    const texts = [...operands];
    if (texts.length === 2 && registers === 2) texts.unshift(texts[0]);
    if (texts.length <= registers) fail(`\`${name}\` takes ${registers === 2 ? "Rd, Rn, operand" : "a register and an operand"}; here ${many(operands.length)}`);
    const first = core(at, texts[0]) << (sets ? 16 : 12);
    const second = registers === 2 ? core(at, texts[1]) << 16 : 0;
    const source = texts.slice(registers);
    if (!isNumber(at, source[0])) return opcode(name) | sets | first | second | shiftedRegister(at, source, true);
    if (source.length > 1) fail(`\`${source[1]}\`: a number is not shifted`);
    const constant = withConstant(name, immediate(at, source[0]), at.flags, source[0]);
    // movw has no room for a second register, and needs none.
    return constant | sets | first | second;
  }

  const many = (count) => (count === 1 ? "is 1 operand" : `are ${count} operands`);

  // lsl r0, r1, #3 is mov r0, r1, lsl #3.
  function shiftInstruction(at) {
    const [destination, ...rest] = at.operands;
    if (at.base === "rrx") {
      if (rest.length !== 1) fail(`\`rrx\` takes Rd, Rm; here ${many(at.operands.length)}`);
      return opcode("mov") | (core(at, destination) << 12) | core(at, rest[0]) | (3 << 5);
    }
    if (rest.length < 1 || rest.length > 2) fail(`\`${at.base}\` takes Rd, Rm and #number or Rs; here ${many(at.operands.length)}`);
    const [register, amount] = rest.length === 1 ? [destination, rest[0]] : rest;
    return opcode("mov") | (core(at, destination) << 12) | shiftedRegister(at, [register, `${at.base} ${amount}`], true);
  }

  function addressOf(at) {
    const [destination, label, ...more] = at.operands;
    if (label === undefined || more.length) fail(`\`adr\` takes a register and a label; here ${many(at.operands.length)}`);
    const distance = target(at, label) - (at.address + 8);
    return withConstant("add", distance, 0, `the distance to \`${label}\`, ${distance},`) | (PC << 16) | (core(at, destination) << 12);
  }

  // ---- A5.3: load and store of words and bytes; A5.2.8: of halves, pairs, and with a sign ----

  const overlap = (at) => `\`${at.name}\` changes its address register, which is also its data`;

  function noOverlap(at, { base, bits }, first, last = first) {
    const changes = bits >> 24 === 0 || bits & (1 << 21);
    if (changes && base >= first && base <= last) fail(overlap(at));
    if (changes && base === PC) fail("pc cannot be changed by an address");
  }

  const WORDS = { str: 0x04000000, ldr: 0x04100000, strb: 0x04400000, ldrb: 0x04500000 };

  function loadStore(at) {
    const data = core(at, at.operands[0], !at.base.endsWith("b"));
    if (at.literal) return literalLoad(at, data);
    if (/^=/.test(at.operands[1] || "")) fail("`=` is of `ldr` only");
    const where = address(at, at.operands.slice(1));
    noOverlap(at, where, data);
    const bits = WORDS[at.base] | where.bits | (where.up ? 1 << 23 : 0) | (where.base << 16) | (data << 12);
    if (where.register) return bits | (1 << 25) | shiftedRegister(at, where.register, false);
    return bits | within(where.offset, 4095);
  }

  // ldr r0, =value: a mov or mvn where it can be, else from the pool.
  function literalLoad(at, data) {
    if (at.literal.bits !== undefined) return at.literal.bits | (data << 12);
    const offset = at.literal.offset - (at.offset + 8);
    return 0x051f0000 | (offset >= 0 ? 1 << 23 : 0) | (data << 12) | within(Math.abs(offset), 4095);
  }

  const HALVES = { strh: 0xb0, ldrh: 0x1000b0, ldrd: 0xd0, ldrsb: 0x1000d0, strd: 0xf0, ldrsh: 0x1000f0 };

  function loadStoreExtra(at) {
    const pair = at.base.endsWith("d");
    const [first, ...rest] = at.operands;
    const data = core(at, first, false);
    if (pair && data % 2) fail(`\`${at.name}\` starts from an even register, not ${shown(first)}`);
    if (pair && data === 14) fail(`\`${at.name}\` cannot take lr and pc`);
    if (pair && findRegister(at, rest[0])) {
      if (core(at, rest.shift()) !== data + 1) fail(`the second register of \`${at.name}\` is the one after the first`);
    }
    const where = address(at, rest);
    noOverlap(at, where, data, pair ? data + 1 : data);
    const bits = HALVES[at.base] | where.bits | (where.up ? 1 << 23 : 0) | (where.base << 16) | (data << 12);
    if (where.register) {
      if (where.register.length > 1) fail(`\`${at.name}\` does not shift its offset`);
      const added = core(at, where.register[0], false);
      if (at.base === "ldrd" && (added === data || added === data + 1)) fail(`\`ldrd\` loads the register \`${where.register[0]}\` of its address`);
      return bits | added;
    }
    within(where.offset, 255);
    return bits | (1 << 22) | ((where.offset & 0xf0) << 4) | (where.offset & 15);
  }

  // ---- A5.5: blocks of registers, branches ----

  // Decrement or increment, after or before, and what the four are called for the four kinds of stack.
  const MODES = { da: 0, ia: 1, db: 2, ib: 3 };
  const STACKS = { ldm: { fa: 0, fd: 1, ea: 2, ed: 3 }, stm: { ed: 0, ea: 1, fd: 2, fa: 3 } };

  function block(at) {
    const kind = at.base.slice(0, 3);
    const suffix = at.base.slice(3) || "ia";
    const mode = MODES[suffix] ?? STACKS[kind][suffix];
    const [text, list, ...more] = at.operands;
    if (list === undefined || more.length) fail(`\`${at.name}\` takes a register and a list; here ${many(at.operands.length)}`);
    const changes = text.endsWith("!");
    const base = core(at, text.replace(/\s*!$/, ""), false);
    const bits = registerList(at, list);
    const load = kind === "ldm" ? 1 : 0;
    if (changes) notInList(at, bits, base, load);
    return 0x08000000 | (mode << 23) | ((changes ? 1 : 0) << 21) | (load << 20) | (base << 16) | bits;
  }

  // A changed address may be stored only as the first of the list.
  function notInList(at, bits, base, load) {
    const before = (1 << base) - 1;
    if (bits & (1 << base) && (load || bits & before)) fail(overlap(at));
  }

  // One register alone is stored and loaded by str and ldr.
  function stack(at) {
    if (at.operands.length !== 1) fail(`\`${at.base}\` takes a list of registers: \`{r4-r7, lr}\``);
    const bits = registerList(at, at.operands[0]);
    const one = 31 - Math.clz32(bits);
    notInList(at, bits, SP, at.base === "pop");
    const alone = bits === 1 << one && one !== SP;
    if (at.base === "push") return alone ? 0x052d0004 | (one << 12) : 0x092d0000 | bits;
    return alone ? 0x049d0004 | (one << 12) : 0x08bd0000 | bits;
  }

  function branch(at) {
    if (at.operands.length !== 1) fail(`\`${at.base}\` takes a label; here ${many(at.operands.length)}`);
    if (findRegister(at, at.operands[0])) fail(`\`${at.base}\` takes a label, not a register; \`bx\` takes a register`);
    const distance = target(at, at.operands[0].replace("(PLT)", "")) - (at.address + 8);
    if (distance % 4) fail(`\`${at.operands[0]}\` is not the address of an instruction`);
    if (distance < -(1 << 25) || distance >= 1 << 25) fail(`\`${at.operands[0]}\` is too far for a branch`);
    return (at.base === "bl" ? 0x0b000000 : 0x0a000000) | ((distance >> 2) & 0xffffff);
  }

  // ---- A7.6, A7.7: load and store of VFP and Neon registers ----

  const FIELDS = { d: [12, 22], n: [16, 7], m: [0, 5] };

  // A register of VFP or Neon: four bits in one place, one in another.
  function vectorBits(field, kind, number) {
    const [low, high] = FIELDS[field];
    if (kind === "S") return ((number >> 1) << low) | ((number & 1) << high);
    const double = kind === "Q" ? 2 * number : number;
    return ((double & 15) << low) | ((double >> 4) << high);
  }

  function vectorLoadStore(at) {
    const register = findRegister(at, at.operands[0]);
    if (!register || !"SD".includes(register.kind)) fail(`\`${at.name}\` takes an s or d register, not ${shown(at.operands[0])}`);
    if (at.base.endsWith(register.kind === "S" ? "64" : "32")) fail(`\`${at.operands[0]}\` is not of the size of \`${at.name}\``);
    const where = address(at, at.operands.slice(1));
    if (where.register || where.bits !== 1 << 24) fail(`\`${at.name}\` takes [Rn, #number] only`);
    if (where.offset % 4) fail(`the offset of \`${at.name}\` is a multiple of 4`);
    const size = register.kind === "S" ? 0xa00 : 0xb00;
    const load = at.base.startsWith("vldr") ? 1 << 20 : 0;
    const bits = 0x0d000000 | size | load | (where.up ? 1 << 23 : 0) | (where.base << 16);
    return bits | vectorBits("d", register.kind, register.number) | (within(where.offset, 1020) >> 2);
  }

  function vectorBlock(at) {
    const onStack = /^v(push|pop)/.test(at.base);
    const [text, list, ...more] = onStack ? ["sp!", ...at.operands] : at.operands;
    if (list === undefined || more.length) fail(`\`${at.name}\` takes ${onStack ? "a list" : "a register and a list"}; here ${many(at.operands.length)}`);
    const load = /^v(ldm|pop)/.test(at.base) ? 1 << 20 : 0;
    const down = at.base.startsWith("vpush") || /^v...db/.test(at.base);
    const changes = text.endsWith("!");
    if (down && !changes) fail(`\`${at.name}\` takes a register with \`!\``);
    const [kind, first, count] = vectorList(at, list, "SDQ");
    if (kind === "D" && count > 16) fail(`\`${at.name}\` takes at most 16 registers`);
    const bits = (down ? 0x0d000000 : 0x0c800000) | load | ((changes ? 1 : 0) << 21) | (kind === "S" ? 0xa00 : 0xb00);
    const base = core(at, text.replace(/\s*!$/, ""), !changes) << 16;
    return bits | base | vectorBits("d", kind, first) | (kind === "S" ? count : 2 * count);
  }

  const LIST_TYPES = [0, 7, 10, 6, 2]; // for one to four registers
  const ALIGNMENTS = { 64: 1, 128: 2, 256: 3 };

  // vld1.32 {d16-d17}, [r0:64]!
  function elements(at) {
    const [list, place, step] = at.operands;
    const where = /^\[\s*([\w.$]+)\s*(?::\s*(\d+)\s*)?\]\s*(!?)$/.exec(place || "");
    if (!where || at.operands.length > 3) fail(`\`${at.name}\` takes a list and [Rn], [Rn]! or [Rn], Rm`);
    const after = where[3] ? SP : step === undefined ? PC : core(at, step, false);
    if (step !== undefined && (where[3] || after === SP)) fail(`\`${step}\` cannot be added to the address here`);
    const load = at.base.startsWith("vld") ? 1 << 21 : 0;
    const bits = 0xf4000000 | load | (core(at, where[1], false) << 16) | after;
    const lane = /^\{\s*([\w.$]+)\s*\[(\d+)\]\s*\}$/.exec(list);
    if (lane) return bits | laneBits(at, lane, where[2]);
    const [, first, count] = vectorList(at, list, "DQ");
    const type = LIST_TYPES[count] ?? fail(`\`${at.name}\` takes one to four registers`);
    const alignment = where[2] ? ALIGNMENTS[where[2]] : 0;
    const allowed = [0, 1, 2, 1, 3][count];
    if (alignment === undefined || alignment > allowed) fail(`\`:${where[2]}\` is no alignment of this list`);
    const size = { 8: 0, 16: 1, 32: 2, 64: 3 }[at.base.slice(5)];
    return bits | vectorBits("d", "D", first) | (type << 8) | (size << 6) | (alignment << 4);
  }

  function laneBits(at, [, name, index], alignment) {
    const register = findRegister(at, name);
    if (!at.base.endsWith("32") || alignment) fail(`this assembler knows a lane of \`${at.base.slice(0, 4)}.32\` only, without alignment`);
    if (!register || register.kind !== "D" || index > 1) fail(`\`${name}[${index}]\` is no lane of 32 bits`);
    return (1 << 23) | (2 << 10) | vectorBits("d", "D", register.number) | (index << 7);
  }

  // ---- The rest: bits, and where each operand goes ----
  //
  //     Rd@12   a core register but pc, its number from bit 12 on; Pd@12, pc too
  //     Dd Qm   a register of that kind in field d, n or m; Vd, D or Q, which is bit 6
  //     Xm      a word of a D register, d0[1], as an operand; Xn, as one end of a move
  //     others  by name, in READ

  const TABLE = `
    A5.2.5  multiply
      mul{s}   00000090  Rd@16 Rn@0 Rm@8
      mla{s}   00200090  Rd@16 Rn@0 Rm@8 Ra@12
      umaal    00400090  RdLo@12 RdHi@16 Rn@0 Rm@8
      mls      00600090  Rd@16 Rn@0 Rm@8 Ra@12
      umull{s} 00800090  RdLo@12 RdHi@16 Rn@0 Rm@8
      umlal{s} 00a00090  RdLo@12 RdHi@16 Rn@0 Rm@8
      smull{s} 00c00090  RdLo@12 RdHi@16 Rn@0 Rm@8
      smlal{s} 00e00090  RdLo@12 RdHi@16 Rn@0 Rm@8
    A5.2    16 bits of a constant
      movw     03000000  Rd@12 half
      movt     03400000  Rd@12 half
    A5.2.11 hints
      nop      0320f000
    A5.2.12 miscellaneous
      bx       012fff10  Pm@0
      blx      012fff30  Rm@0
      clz      016f0f10  Rd@12 Rm@0
    A5.4    media
      sxtab    06a00070  Rd@12 Rn@16 Rm@0 turn
      sxtb     06af0070  Rd@12 Rm@0 turn
      sxtah    06b00070  Rd@12 Rn@16 Rm@0 turn
      sxth     06bf0070  Rd@12 Rm@0 turn
      rev      06bf0f30  Rd@12 Rm@0
      rev16    06bf0fb0  Rd@12 Rm@0
      uxtab    06e00070  Rd@12 Rn@16 Rm@0 turn
      uxtb     06ef0070  Rd@12 Rm@0 turn
      uxtah    06f00070  Rd@12 Rn@16 Rm@0 turn
      uxth     06ff0070  Rd@12 Rm@0 turn
      rbit     06ff0f30  Rd@12 Rm@0
      revsh    06ff0fb0  Rd@12 Rm@0
      sbfx     07a00050  Rd@12 Rn@0 lsb width
      bfc      07c0001f  Rd@12 lsb end
      bfi      07c00010  Rd@12 Rn@0 lsb end
      ubfx     07e00050  Rd@12 Rn@0 lsb width
    A7.4.1  Neon, three registers of one length
      vorr     f2200110  Vd Vn Vm
      vmov     f2200110  Vd Vnm
      vbit     f3200110  Vd Vn Vm
      vshl.u32 f3200400  Vd Vm Vn
      vshl.u64 f3300400  Vd Vm Vn
      vadd.i32 f2200800  Vd Vn Vm
      vmul.i32 f2200910  Vd Vn Vm
    A7.4.2  Neon, three registers of two lengths
      vaddl.u32 f3a00000 Qd Dn Dm
      vsubl.u32 f3a00200 Qd Dn Dm
      vmlal.u32 f3a00800 Qd Dn Dm
      vmull.u32 f3a00c00 Qd Dn Dm
    A7.4.3  Neon, two registers and one word of a third
      vmlal.u32 f3a00240 Qd Dn Xm
      vmul.i32  f2a00840 Dd Dn Xm
      vmull.u32 f3a00a40 Qd Dn Xm
    A7.4.4  Neon, a register and a number
      vshr.u32 f3800010  Vd Vm right32
      vsra.s64 f2800190  Vd Vm right64
      vsra.u64 f3800190  Vd Vm right64
      vshl.i32 f2800510  Vd Vm left32
      vsli.32  f3800510  Vd Vm left32
      vshrn.i64 f2800810 Dd Qm right32
    A7.4.5  Neon, two registers
      vswp     f3b20000  Vd Vm
      vneg.s32 f3b90380  Vd Vm
      vmovn.i64 f3ba0200 Dd Qm
    A7.4.6  Neon, a register and a constant
      vmov.i32 f2800010  Vd byte
      vbic.i32 f2800130  Vd byte
    A7.4    Neon, words from two registers
      vext.32  f2b00000  Vd Vn Vm words
    A7.5    VFP
      vmov.f32 0eb00a40  Sd Sm
      vmov.f64 0eb00b40  Dd Dm
    A7.8    between core and VFP or Neon registers
      vmov     0e000a10  Sn Rt@12
      vmov     0e100a10  Rt@12 Sn
      vmov.32  0e000b10  Xn Rt@12
      vmov.32  0e100b10  Rt@12 Xn
      vdup.32  0e800b10  Dn Rt@12
      vdup.32  0ea00b10  Qn Rt@12
    A7.9    two core registers at once
      vmov     0c400b10  Dm Rt@12 Rt2@16
      vmov     0c500b10  Rt@12 Rt2@16 Dm`;

  const READ = {
    half: (at, text) => {
      const part = /^#:(lower|upper)16:(.*)$/.exec(text);
      const value = part ? (target(at, part[2]) >>> (part[1] === "upper" ? 16 : 0)) & 0xffff : immediate(at, text, 0, 0xffff);
      return ((value & 0xf000) << 4) | (value & 0xfff);
    },
    turn: (at, text) => {
      const number = /^ror\s*(.+)$/i.exec(text) || fail(`\`${text}\` is no \`ror #8\`, \`#16\` or \`#24\``);
      const count = immediate(at, number[1], 0, 24);
      return count % 8 ? fail(`${number[1]} is not 0, 8, 16 or 24`) : (count / 8) << 10;
    },
    lsb: (at, text) => immediate(at, text, 0, 31) << 7,
    width: (at, text) => (widthOf(at, text) - 1) << 16,
    end: (at, text) => (immediate(at, at.operands.at(-2)) + widthOf(at, text) - 1) << 16,
    right32: (at, text) => (64 - immediate(at, text, 1, 32)) << 16,
    right64: (at, text) => (64 - immediate(at, text, 1, 64)) << 16,
    left32: (at, text) => (32 + immediate(at, text, 0, 31)) << 16,
    words: (at, text) => immediate(at, text, 0, findRegister(at, at.operands[0]).kind === "Q" ? 3 : 1) << 10,
    byte: (at, text) => {
      const value = immediate(at, text) >>> 0;
      const place = [0, 1, 2, 3].find((k) => (value & ~(255 << (8 * k))) === 0);
      if (place === undefined) fail(`${text} is no constant of \`${at.name}\`: one byte, the others 0`);
      const byte = value >>> (8 * place);
      return ((byte >> 7) << 24) | (((byte >> 4) & 7) << 16) | (place << 9) | (byte & 15);
    },
  };
  const widthOf = (at, text) => immediate(at, text, 1, 32 - immediate(at, at.operands.at(-2), 0, 31));

  const VECTOR = /^([DQSVX])([dnm]+)$/;

  // Whether a text can stand for a token of the table, as far as its kind goes.
  function fits(at, token, text) {
    const register = findRegister(at, text);
    const vector = VECTOR.exec(token);
    if (/@/.test(token)) return register?.kind === "R";
    if (!vector) return !register;
    if (vector[1] === "X") return /\[\d+\]$/.test(text);
    return vector[1] === "V" ? "DQ".includes(register?.kind || "-") : register?.kind === vector[1];
  }

  function operandBits(at, token, text) {
    const [name, bit] = token.split("@");
    if (bit) return core(at, text, name.startsWith("P")) << bit;
    const vector = VECTOR.exec(token);
    if (!vector) return READ[token](at, text);
    if (vector[1] === "X") return scalarBits(at, text, vector[2]);
    const { kind, number } = findRegister(at, text);
    const wide = vector[1] === "V" && kind === "Q" ? 1 << 6 : 0;
    return [...vector[2]].reduce((bits, field) => bits | vectorBits(field, kind, number), wide);
  }

  function scalarBits(at, text, field) {
    const [, name, index] = /^([\w.$]+)\s*\[(\d+)\]$/.exec(text) || [];
    const register = findRegister(at, name);
    if (!register || register.kind !== "D" || index > 1) fail(`\`${text}\` is no word of a d register`);
    if (field === "n") return vectorBits("n", "D", register.number) | (index << 21);
    if (register.number > 15) fail(`\`${text}\`: only d0 to d15 can be used by words`);
    return register.number | (index << 5);
  }

  function fromTable(at) {
    const forms = at.entry.forms;
    const texts = [...at.operands];
    if (at.base === "mul" && texts.length === 2) texts.push(texts[0]);
    const counts = (form) => texts.length === form.length || (form.at(-1) === "turn" && texts.length === form.length - 1);
    const counted = forms.filter((form) => counts(form.tokens));
    const usage = forms.map(({ tokens: list }) => list.map((token) => token.replace(/@.*/, "")).join(", ")).join("; or ");
    if (!counted.length) fail(`\`${at.name}\` takes ${usage || "no operand"}; here ${many(at.operands.length)}`);
    const form = counted.find(({ tokens: list }) => texts.every((text, k) => fits(at, list[k], text)));
    if (!form) {
      // Where there is only one way to write it, the first wrong operand has a better message.
      if (forms.length === 1) texts.forEach((text, k) => operandOrFail(at, forms[0].tokens[k], text));
      fail(`\`${at.name}\` takes ${usage}; not \`${at.operands.join(", ")}\``);
    }
    if (/^[us]ml?[ua]?[al]*l/.test(at.base) && core(at, texts[0]) === core(at, texts[1])) fail(`\`${at.name}\` needs two different registers for its result`);
    return texts.reduce((bits, text, k) => bits | operandBits(at, form.tokens[k], text), form.bits);
  }

  function operandOrFail(at, token, text) {
    if (/@/.test(token)) core(at, text);
    else if (!VECTOR.test(token)) READ[token](at, text);
    else if (!fits(at, token, text)) fail(`\`${at.name}\` takes ${token} here, not ${shown(text)}`);
  }

  // ---- Mnemonics: name -> {encode, s, forms} ----

  const INSTRUCTIONS = new Map();
  const add = (names, encode, s = false) => {
    for (const name of names) INSTRUCTIONS.set(name, { encode, s, forms: [] });
  };
  add(OPCODES, dataProcessing, true);
  add(NO_RESULT, dataProcessing);
  add(["lsl", "lsr", "asr", "ror", "rrx"], shiftInstruction, true);
  add(["adr"], addressOf);
  add(Object.keys(WORDS), loadStore);
  add(Object.keys(HALVES), loadStoreExtra);
  for (const kind of ["ldm", "stm"]) add(["", ...Object.keys(MODES), ...Object.keys(STACKS.ldm)].map((mode) => kind + mode), block);
  add(["push", "pop"], stack);
  add(["b", "bl"], branch);
  add(["vldr", "vldr.32", "vldr.64", "vstr", "vstr.32", "vstr.64"], vectorLoadStore);
  add(["vldm", "vldmia", "vldmdb", "vstm", "vstmia", "vstmdb"], vectorBlock);
  add(["vpush", "vpush.32", "vpush.64", "vpop", "vpop.32", "vpop.64"], vectorBlock);
  for (const size of [8, 16, 32, 64]) add([`vld1.${size}`, `vst1.${size}`], elements);
  for (const row of TABLE.split("\n")) {
    const [name, bits, ...list] = row.trim().split(/\s+/);
    if (!/^[0-9a-f]{8}$/.test(bits || "")) continue;
    const key = name.replace("{s}", "");
    if (!INSTRUCTIONS.has(key)) add([key], fromTable, name !== key);
    INSTRUCTIONS.get(key).forms.push({ bits: parseInt(bits, 16), tokens: list });
  }

  // umullseq is umull, sets flags, if equal: the longest name whose rest has a meaning.
  function mnemonic(word) {
    const [, stem, types] = /^([^.]*)(.*)$/.exec(word);
    for (let length = stem.length; length > 0; length--) {
      const base = stem.slice(0, length) + types;
      const entry = INSTRUCTIONS.get(base);
      const rest = stem.slice(length);
      if (!entry) continue;
      if (CONDITIONS.has(rest)) return { base, entry, flags: 0, condition: CONDITIONS.get(rest) };
      if (entry.s && rest[0] === "s" && CONDITIONS.has(rest.slice(1))) {
        return { base, entry, flags: 1, condition: CONDITIONS.get(rest.slice(1)) };
      }
    }
    if (word.endsWith("s") && INSTRUCTIONS.has(word.slice(0, -1))) fail(`\`${word.slice(0, -1)}\` has no form with \`s\``);
    return fail(`\`${word}\` is not known to this assembler`);
  }

  function encode(at) {
    const bits = at.entry.encode(at);
    if (bits >>> 28 === 15) {
      return at.condition === 14 ? bits >>> 0 : fail(`\`${at.name}\` cannot have a condition`);
    }
    return ((at.condition << 28) | (at.flags << 20) | bits) >>> 0;
  }

  // ---- Macros ----

  // The arguments of a macro end at a comma, or at a space outside brackets; one in quotes loses them.
  function macroArguments(text) {
    const close = text.replace(/\s*([-+*/%<>&|^~!=,:()[\]{}])\s*/g, "$1").trim();
    const found = close.match(/"(?:\\.|[^"\\])*"|(?:\([^)]*\)|\[[^\],]*\]|'\\?.|[^\s,])+|,/g) || [];
    const values = [];
    let open = true;
    for (const part of found) {
      if (part !== ",") values.push(part.startsWith('"') ? part.slice(1, -1) : part);
      else if (open) values.push("");
      open = part === ",";
    }
    return values;
  }

  function parseMacro(text) {
    const [, name, list] = /^([\w.$]+)\s*,?\s*(.*)$/.exec(text) || fail("a macro needs a name");
    const parameters = macroArguments(list.replace(/\s*=\s*/g, "=")).map((item) => {
      const [, parameter, kind, preset] = /^([\w.$]+)(?::(req|vararg))?(?:=(.*))?$/.exec(item) || fail(`\`${item}\` is no parameter`);
      return { parameter, kind, preset: preset ?? "" };
    });
    return { name: name.toLowerCase(), parameters };
  }

  function bind({ name, parameters }, text) {
    const values = new Map(parameters.map(({ parameter, preset }) => [parameter, preset]));
    const given = macroArguments(text);
    let next = 0;
    given.forEach((argument, k) => {
      const named = /^([\w.$]+)=(.*)$/.exec(argument);
      const slot = parameters[next];
      if (named && values.has(named[1])) values.set(named[1], named[2]);
      else if (!slot) fail(`macro \`${name}\` takes ${parameters.length} arguments; here are ${given.length}`);
      else if (slot.kind === "vararg") values.set(slot.parameter, given.slice(next).join(", "));
      else if (argument) values.set(slot.parameter, argument);
      if (!named && slot?.kind !== "vararg") next = k + 1;
    });
    for (const { parameter, kind } of parameters) {
      if (kind === "req" && !values.get(parameter)) fail(`macro \`${name}\` needs \`${parameter}\``);
    }
    return values;
  }

  const fill = (body, values) =>
    body.map(({ text, number }) => ({
      text: text.replace(/\\(\(\)|@|[A-Za-z_]\w*)/g, (whole, word) => (word === "()" ? "" : (values.get(word) ?? whole))),
      number,
    }));

  // ---- The first pass: everything finds its place ----

  const SKIPPED = /^\.(debug|note|comment|ARM\.|eh_frame|gnu)/;
  const IGNORED = new Set(
    ("global globl local weak hidden protected type size syntax arch arch_extension cpu fpu arm eabi_attribute ident " +
      "fnstart fnend cantunwind save vsave pad setfp personality handlerdata inst_note line ln loc_mark_labels").split(" "),
  );
  const SIZES = { byte: 1, ascii: 1, asciz: 1, string: 1, hword: 2, short: 2, "2byte": 2, half: 2, word: 4, long: 4, int: 4, "4byte": 4, quad: 8, "8byte": 8 };

  class Program {
    constructor({ origin = 0x8000, externals = {} }) {
      this.origin = origin;
      this.externals = new Map(externals instanceof Map ? externals : Object.entries(externals));
      this.sections = [];
      this.items = [];
      this.labels = new Map();
      this.macros = new Map();
      this.files = new Map();
      this.renamed = []; // {line, name, register or null}
      this.errors = [];
      this.count = 0; // of statements
      this.expansions = 0;
      this.loc = { file: 0, line: 0 };
      // What a statement sees; replaced, never changed, so that the second pass sees the same.
      this.scope = { aliases: new Map(), constants: new Map(), local: new Map() };
      this.enter(".text");
    }

    report({ line, inner, macro }, message) {
      const told = macro ? `${message} (macro \`${macro}\`, line ${inner})` : message;
      if (this.errors.length < MOST_ERRORS) this.errors.push({ line, inner, message: told });
    }

    guarded(place, work) {
      try {
        work();
      } catch (fault) {
        if (!(fault instanceof Fault)) throw fault;
        this.report(place, fault.message);
      }
    }

    enter(name, executable = /^\.text/.test(name)) {
      const there = this.sections.find((section) => section.name === name);
      const fresh = { name, executable, size: 0, address: 0, alignment: 4, pool: [], skipped: SKIPPED.test(name) };
      this.section = there || fresh;
      if (!there) this.sections.push(fresh);
    }

    // What a name is worth for a statement.
    lookUp(name, at) {
      if (name === ".") return { section: at.section, value: BigInt(at.offset) };
      const number = /^(\d+)([bf])$/.exec(name);
      if (number) {
        const last = at.scope.local.get(number[1]) || 0;
        return this.labelled(`${number[1]}:${number[2] === "b" ? last : last + 1}`, name);
      }
      return at.scope.constants.get(name) || (this.done && this.scope.constants.get(name)) || this.labelled(name, name);
    }

    labelled(key, name) {
      const label = this.labels.get(key);
      if (label) return { section: label.section, value: BigInt(label.offset) };
      if (this.externals.has(name)) return { section: null, value: BigInt(this.externals.get(name)) };
      if (REGISTERS.has(name.toLowerCase()) || this.scope.aliases.has(name)) fail(`\`${name}\` is a register; a number or label is needed`);
      return fail(this.done ? `\`${name}\` is not defined` : `\`${name}\` is not defined above this line`);
    }

    here(place) {
      const { section, scope } = this;
      const at = { section, scope, place, offset: section.size, loc: this.loc };
      at.evaluate = (text) => evaluate(text, (name) => this.lookUp(name, at));
      return at;
    }

    place(at, size, emit) {
      if (this.section.skipped) return;
      this.section.size += size;
      if (this.section.size > MOST_BYTES) fail("the program is larger than a megabyte");
      this.items.push({ ...at, size, emit });
    }

    run(list, outer) {
      const open = []; // of .if: {active, taken, outside}
      for (let k = 0; k < list.length && !this.stopped && this.errors.length < MOST_ERRORS; k++) {
        const { text, number } = list[k];
        const place = outer ? { ...outer, inner: number } : { line: number, inner: 0 };
        this.guarded(place, () => {
          if (++this.count > MOST_STATEMENTS) this.tooLong();
          const [, word, rest] = /^\.?([\w.$]*)\s*(.*)$/s.exec(text);
          const directive = text.startsWith(".") ? word.toLowerCase() : "";
          const active = open.every((level) => level.active);
          if (/^(if|else|endif)/.test(directive) && this.conditional(directive, rest, open, place)) return;
          if (!active) return;
          if (/^(macro|rept|irp)$/.test(directive)) {
            const end = blockEnd(list, k, directive === "macro");
            const body = list.slice(k + 1, end);
            k = end;
            if (end === list.length) fail(`\`.${directive}\` has no \`${directive === "macro" ? ".endm" : ".endr"}\``);
            this.repeat(directive, rest, body, outer, place);
          } else this.statement(text, place);
        });
      }
      if (open.length && !this.stopped) this.report(open[0].place, "`.if` has no `.endif`");
    }

    tooLong() {
      this.stopped = true;
      fail("macros and loops make more than 200,000 lines");
    }

    conditional(directive, rest, open, place) {
      const outside = open.slice(0, -1).every((level) => level.active);
      const last = open.at(-1);
      if (directive.startsWith("if")) {
        const level = { active: false, taken: false, place };
        open.push(level);
        if (open.slice(0, -1).every((above) => above.active)) level.active = this.holds(directive, rest, place);
        level.taken = level.active;
        return true;
      }
      if (!last) fail(`\`.${directive}\` has no \`.if\``);
      if (directive === "endif") open.pop();
      else {
        last.active = outside && !last.taken && (directive === "else" || this.holds("if", rest, place));
        last.taken ||= last.active;
      }
      return true;
    }

    holds(directive, rest, place) {
      const kind = directive.slice(2);
      if (kind === "b" || kind === "nb") return (rest.trim() === "") === (kind === "b");
      if (kind === "c" || kind === "nc") {
        const [a, b] = split(rest).map((text) => text.replace(/^(["'])(.*)\1$/, "$2"));
        return (a === b) === (kind === "c");
      }
      if (/^n?def$/.test(kind)) {
        const name = rest.trim();
        return (this.labels.has(name) || this.scope.constants.has(name)) === (kind === "def");
      }
      const value = number(this.here(place), rest);
      const tests = { "": value !== 0, ne: value !== 0, eq: value === 0, lt: value < 0, le: value <= 0, gt: value > 0, ge: value >= 0 };
      return tests[kind] ?? fail(`\`.${directive}\` is not known to this assembler`);
    }

    repeat(directive, rest, body, outer, place) {
      if (directive === "macro") {
        const macro = parseMacro(rest);
        this.macros.set(macro.name, { ...macro, body });
      } else if (directive === "rept") {
        const times = number(this.here(place), rest);
        for (let k = 0; k < times && !this.stopped; k++) this.run(body, outer);
      } else {
        const [name, ...values] = macroArguments(rest);
        for (const value of values.length ? values : [""]) this.run(fill(body, new Map([[name, value]])), outer);
      }
    }

    statement(text, place) {
      const label = /^([A-Za-z_.$][\w.$]*|\d+)\s*:/.exec(text);
      if (label) {
        this.label(label[1]);
        const rest = text.slice(label[0].length).trim();
        if (rest) this.statement(rest, place);
        return;
      }
      const alias = /^(\S+)\s+\.req\s+(\S+)$/i.exec(text);
      const constant = /^([A-Za-z_.$][\w.$]*)\s*=\s*([^=].*)$/.exec(text);
      const [, word, rest] = /^(\S+)\s*(.*)$/s.exec(text);
      const lower = word.toLowerCase();
      if (alias) this.rename(alias[1], alias[2], place);
      else if (this.macros.has(lower)) this.expand(this.macros.get(lower), rest, place);
      else if (constant) this.define(constant[1], constant[2], place);
      else if (lower.startsWith(".")) this.directive(lower.slice(1), rest, place);
      else this.instruction(lower, rest, place);
    }

    label(name) {
      if (this.section.skipped) return;
      const where = { section: this.section, offset: this.section.size };
      if (/^\d/.test(name)) {
        const count = (this.scope.local.get(name) || 0) + 1;
        this.scope = { ...this.scope, local: new Map(this.scope.local).set(name, count) };
        this.labels.set(`${name}:${count}`, where);
        return;
      }
      if (this.labels.has(name) || this.scope.constants.has(name)) fail(`\`${name}\` is defined already`);
      this.labels.set(name, where);
    }

    rename(name, old, place) {
      const register = findRegister(this, old) || fail(`\`${old}\` is no register`);
      if (REGISTERS.has(name.toLowerCase())) fail(`\`${name}\` is the name of a register already`);
      const before = this.scope.aliases.get(name);
      if (before && before !== register) fail(`\`${name}\` names another register already: \`.unreq ${name}\` ends that`);
      this.scope = { ...this.scope, aliases: new Map(this.scope.aliases).set(name, register) };
      this.renamed.push({ line: place.line, name, register });
    }

    define(name, text, place) {
      const value = this.here(place).evaluate(text);
      if (this.labels.has(name)) fail(`\`${name}\` is a label already`);
      this.scope = { ...this.scope, constants: new Map(this.scope.constants).set(name, value) };
    }

    expand(macro, rest, place) {
      const values = bind(macro, rest);
      values.set("@", String(this.expansions++));
      const outer = { line: place.line, macro: macro.name, depth: (place.depth || 0) + 1 };
      if (outer.depth > 50) fail(`macro \`${macro.name}\` uses itself without an end`);
      this.run(fill(macro.body, values), outer);
    }

    instruction(word, rest, place) {
      if (this.section.skipped) return;
      const at = Object.assign(this.here(place), mnemonic(word), { name: word, operands: split(rest) });
      if (at.section.size % 4) fail(`\`${word}\` does not stand at a multiple of 4: \`.align 2\` before it`);
      if (at.base === "ldr" && /^=/.test(at.operands[1] || "")) at.literal = this.literal(at, at.operands[1].slice(1));
      this.place(at, 4, encode);
    }

    // Equal values share a word of the pool.
    literal(at, text) {
      let value = null;
      try {
        value = at.evaluate(text);
      } catch (fault) {
        if (!(fault instanceof Fault)) throw fault; // a label that follows
      }
      const word = value && !value.section ? Number(value.value & WORD) : 0;
      if (value && !value.section) {
        if (modified(word) >= 0) return { bits: opcode("mov") | (1 << 25) | modified(word) };
        if (modified(inverted(word)) >= 0) return { bits: opcode("mvn") | (1 << 25) | modified(inverted(word)) };
      }
      const key = value ? `${value.section ? value.section.name : ""}+${value.value}` : ahead(text, at.scope.local);
      const pool = this.section.pool;
      const entry = pool.find((other) => other.key === key) || { key, text, at, offset: 0 };
      if (!pool.includes(entry)) pool.push(entry);
      return entry;
    }

    // The words that ldr r0, =value reads.
    dumpPool() {
      const pool = this.section.pool;
      this.section.pool = [];
      if (pool.length) this.align(4, 0, this.here(pool[0].at.place));
      for (const entry of pool) {
        entry.offset = this.section.size;
        this.place({ ...entry.at, offset: entry.offset }, 4, () => target(entry.at, entry.text));
      }
    }

    align(bytes, filler, at) {
      this.section.alignment = Math.max(this.section.alignment, bytes);
      const missing = (bytes - (this.section.size % bytes)) % bytes;
      if (filler === undefined && this.section.executable) {
        const odd = missing % 4;
        if (odd) this.place(at, odd, () => 0);
        for (let k = 0; k < missing >> 2; k++) this.place(this.here(at.place), 4, () => 0xe320f000);
      } else if (missing) this.place(at, missing, () => filler || 0);
    }

    directive(name, rest, place) {
      const at = this.here(place);
      const parts = split(rest);
      const value = (k, otherwise) => (parts[k] ? number(at, parts[k]) : otherwise);
      if (IGNORED.has(name) || name.startsWith("cfi_")) return;
      if (name === "file") {
        const file = /^(\d+)\s.*"([^"]*)"/.exec(rest);
        if (file) this.files.set(Number(file[1]), file[2]);
      } else if (name === "loc") {
        const [file, line] = rest.split(/\s+/).map(Number);
        this.loc = { file, line };
      } else if (name === "unreq") {
        const aliases = new Map(this.scope.aliases);
        if (!aliases.delete(rest)) fail(`\`${rest}\` is no name of a register`);
        this.scope = { ...this.scope, aliases };
        this.renamed.push({ line: place.line, name: rest, register: null });
      } else if (name === "equ" || name === "set") {
        if (parts.length !== 2) fail(`\`.${name}\` takes a name and a value`);
        this.define(parts[0], parts[1], place);
      } else if (name === "text" || name === "data" || name === "bss") this.enter(`.${name}`);
      else if (name === "section") this.enter(parts[0] ?? fail("a section needs a name"), /^\.text/.test(parts[0]) || /x/.test(parts[1] || ""));
      else if (this.section.skipped) return;
      else if (name === "ltorg" || name === "pool") this.dumpPool();
      else if (name === "align" || name === "p2align") this.align(2 ** value(0, 2), value(1), at);
      else if (name === "balign") this.align(value(0, 1) || 1, value(1), at);
      else if (name === "space" || name === "skip" || name === "zero") {
        const filler = value(1, 0);
        this.place(at, value(0, 0), () => filler);
      } else if (/^(ascii|asciz|string)$/.test(name)) this.strings(name, parts, at);
      else if (SIZES[name]) for (const part of parts) this.data(SIZES[name], part, place);
      else if (/^end[mr]$/.test(name)) fail(`\`.${name}\` has no \`${name === "endm" ? ".macro" : ".rept"}\` before it`);
      else if (/^(thumb|code|thumb_func)$/.test(name)) fail("this assembler makes A32 only, not Thumb");
      else fail(`\`.${name}\` is not known to this assembler`);
    }

    data(size, text, place) {
      const at = this.here(place);
      this.place(at, size, () => {
        const { section, value } = at.evaluate(text);
        const whole = section ? value + BigInt(section.address) : value;
        const bits = BigInt(8 * size);
        if (whole >= 1n << bits || whole <= -1n << bits) fail(`\`${text}\` does not fit into ${8 * size} bits`);
        return whole;
      });
    }

    strings(name, parts, at) {
      for (const part of parts) {
        const inside = /^"(.*)"$/s.exec(part) || fail(`\`.${name}\` takes a text in quotes`);
        const plain = inside[1].replace(/\\(n|t|r|0|.)/g, (_, c) => ({ n: "\n", t: "\t", r: "\r", 0: "\0" })[c] || c);
        const bytes = [...new TextEncoder().encode(plain), ...(name === "ascii" ? [] : [0])];
        for (const byte of bytes) this.place(this.here(at.place), 1, () => byte);
      }
    }

    // ---- The second pass ----

    encode() {
      let end = this.origin;
      for (const section of this.sections) {
        this.section = section;
        this.dumpPool();
        if (!section.size) continue;
        section.address = Math.ceil(end / section.alignment) * section.alignment;
        section.placed = true;
        end = section.address + section.size;
        this.size = section.address + section.size - this.origin;
      }
      this.done = true;
      const size = this.size || 0;
      const bytes = new Uint8Array(size);
      const [lines, inner, cLines, cFiles] = [0, 1, 2, 3].map(() => new Int32Array((size + 3) >> 2));
      for (const item of this.items) {
        const offset = item.section.address - this.origin + item.offset;
        item.address = this.origin + offset;
        this.guarded(item.place, () => write(bytes, offset, item));
        lines[offset >> 2] = item.place.line;
        inner[offset >> 2] = item.place.inner;
        cLines[offset >> 2] = item.loc.line;
        cFiles[offset >> 2] = item.loc.file;
      }
      return { bytes, lines, inner, cLines, cFiles };
    }

    symbols() {
      const named = [...this.labels].filter(([name]) => !name.includes(":"));
      return new Map(named.map(([name, { section, offset }]) => [name, section.address + offset]));
    }

    namesAt(line) {
      const current = new Map();
      for (const change of this.renamed) {
        if (change.line > line) continue;
        if (change.register) current.set(change.name, change.register);
        else current.delete(change.name);
      }
      return [...current].map(([name, { kind, number: n }]) => ({ register: `${kind.toLowerCase()}${n}`, name }));
    }
  }

  function write(bytes, offset, item) {
    const value = item.emit(item);
    const whole = typeof value === "bigint" ? value : BigInt(value);
    const filled = item.emit.length === 0 && item.size !== 4 && item.size !== 8 && typeof value === "number";
    for (let k = 0; k < item.size; k++) bytes[offset + k] = filled ? value : Number((whole >> BigInt(8 * k)) & 255n);
  }

  // A text with labels that follow: 1f, unlike others, is not the same one everywhere.
  const ahead = (text, local) =>
    text.replace(/\s/g, "").replace(/\b(\d+)f\b/g, (_, name) => `${name}:${(local.get(name) || 0) + 1}`);

  // The statement that ends a .macro, .rept or .irp; the length of the list if there is none.
  function blockEnd(list, start, macro) {
    const opens = macro ? /^\.macro\b/i : /^\.(rept|irp)\b/i;
    const closes = macro ? /^\.endm\b/i : /^\.endr\b/i;
    let depth = 0;
    for (let k = start; k < list.length; k++) {
      if (opens.test(list[k].text)) depth++;
      if (closes.test(list[k].text) && --depth === 0) return k;
    }
    return list.length;
  }

  function assemble(text, options = {}) {
    const program = new Program(options);
    program.run(statements(text, (place, message) => program.report(place, message)), null);
    const made = program.encode();
    const errors = program.errors.sort((a, b) => a.line - b.line);
    return {
      origin: program.origin,
      ...made,
      files: program.files,
      symbols: program.symbols(),
      names: (line) => program.namesAt(line),
      errors,
    };
  }

  return { assemble };
})();

if (typeof module === "object") module.exports = assembler;
