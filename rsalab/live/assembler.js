// An assembler for the integer instructions of 32-bit ARM (A32), and those of VFP and Neon that gcc uses in the
// ladder.  It reads the syntax of GNU as and makes the same bytes.  "A5.2.4" is a section of ARM DDI 0406C.
//
//     assembler.assemble(text, { origin: 0x8000, externals: { memcpy: 0x100 } }) returns
//         origin    address of the first byte
//         bytes     Uint8Array: the sections of code and data; those of debug information are left out
//         lines     Int32Array: of each word its line in the text, from 1; for a macro, the line that uses it
//         inner     Int32Array: of each word its line in the body of the macro, else 0
//         instructions  of each word its instruction, {base, condition, literal}; of data nothing
//         cLines    Int32Array: of each word its line of C, by .loc, else 0
//         cFiles    Int32Array: of each word the number of its file of C
//         files     Map: number of a file -> its name
//         data      Uint8Array: of each word 1 where it is no instruction
//         symbols   Map: label -> address
//         labelLines  Map: label -> its line
//         globals   Set: labels that other files may use
//         names     line -> [{register: "r4", name: "x0"}, ...], the .req in force at that line
//         errors    [{line, inner, message}, ...], at most 20; no text makes it throw.  One fault is one message: a
//                   name that is unknown, or whose definition is wrong, is told once
//
// assembler.mnemonics are the names of all instructions that it knows, without condition and s;
// assembler.nearest(word, names) is the name that was probably meant, "" if none or several are as near.
//
// There are two passes: the first expands macros and gives everything its address, the second encodes.
"use strict";

const assembler = (() => {
  const MOST_ERRORS = 20;
  const MOST_STATEMENTS = 20_000;
  const MOST_BYTES = 1 << 18;
  const MOST_NAMES = 2000; // of a kind: of registers, of constants
  const MOST_NESTED = 50; // macros in macros
  const MOST_LETTERS = 2000; // of a line
  const MOST_TOKENS = 1000; // of an expression: its parentheses nest no deeper
  const WORD = 0xffffffffn;

  // `about` is the name that is not known, where the fault is that; `hint` is the end of the message.
  class Fault extends Error {
    constructor(message, about = "", hint = () => "") {
      super(message);
      Object.assign(this, { about, hint });
    }
  }
  const fail = (message, about, hint) => {
    throw new Fault(message, about, hint);
  };

  // ---- Misspelt names ----

  // How many letters are to be changed, added, left out or swapped with the next.
  function distance(one, other) {
    const rows = [[...Array(other.length + 1).keys()]];
    for (let i = 1; i <= one.length; i++) {
      const row = [i];
      for (let k = 1; k <= other.length; k++) {
        const changed = rows[i - 1][k - 1] + (one[i - 1] === other[k - 1] ? 0 : 1);
        const swaps = i > 1 && k > 1 && one[i - 1] === other[k - 2] && one[i - 2] === other[k - 1];
        const swapped = swaps ? rows[i - 2][k - 2] + 1 : Infinity;
        row.push(Math.min(changed, swapped, rows[i - 1][k] + 1, row[k - 1] + 1));
      }
      rows.push(row);
    }
    return rows.at(-1).at(-1);
  }

  function nearest(word, names) {
    const most = word.length > 4 ? 2 : 1;
    const near = names.filter((name) => Math.abs(name.length - word.length) <= most);
    const found = near.map((name) => ({ name, steps: distance(word, name) })).sort((a, b) => a.steps - b.steps);
    const [first, second] = found;
    const isClear = first?.steps <= most && first.steps < (second?.steps ?? Infinity);
    return isClear && word.length > 1 ? first.name : "";
  }

  function meant(word, names) {
    const name = nearest(word, names);
    return name ? `; is \`${name}\` meant?` : "";
  }

  // ---- Registers and conditions: A2.3, A8.3 ----

  const REGISTERS = new Map();
  const CORE = "r0 r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 r11 r12 r13 r14 r15".split(" ");
  const OTHER_NAMES = "a1 a2 a3 a4 v1 v2 v3 v4 v5 v6 v7 v8 ip sp lr pc".split(" ");
  for (const list of [CORE, OTHER_NAMES]) {
    list.forEach((name, number) => REGISTERS.set(name, { kind: "R", number }));
  }
  for (const [name, number] of [["sb", 9], ["sl", 10], ["fp", 11]]) REGISTERS.set(name, { kind: "R", number });
  for (let number = 0; number < 32; number++) {
    REGISTERS.set(`s${number}`, { kind: "S", number });
    REGISTERS.set(`d${number}`, { kind: "D", number });
    if (number < 16) REGISTERS.set(`q${number}`, { kind: "Q", number });
  }
  const SP = 13;
  const PC = 15;

  const CONDITIONS = new Map([["", 14], ["hs", 2], ["lo", 3]]);
  const CONDITION_NAMES = "eq ne cs cc mi pl vs vc hi ls ge lt gt le al".split(" ");
  CONDITION_NAMES.forEach((name, number) => CONDITIONS.set(name, number));
  const ALWAYS = 14;

  // ---- Text ----

  // Pieces between the commas that stand in no bracket and no string.
  function split(text) {
    const pieces = [""];
    let depth = 0;
    for (const part of text.match(/"(?:\\.|[^"\\])*"|'\\?.'?|[\s\S]/g) || []) {
      if ("[{(".includes(part)) depth++;
      if ("]})".includes(part)) depth--;
      if (part === "," && depth === 0) pieces.push("");
      else pieces[pieces.length - 1] += part;
    }
    const trimmed = pieces.map((piece) => piece.trim());
    return trimmed.length === 1 && !trimmed[0] ? [] : trimmed;
  }

  const ESCAPED = { n: "\n", t: "\t", r: "\r", 0: "\0" };
  const unescaped = (text) => text.replace(/\\(.)/gs, (_, letter) => ESCAPED[letter] ?? letter);

  const COMMENT = /"(?:\\.|[^"\\\n])*"|'\\?[^\n]|\\@|\/\*[\s\S]*?(?:\*\/|$)|(?:@|\/\/).*/g;
  const PREPROCESSOR = /^\s*#\s*(define|include|undef|ifdef|ifndef|else|elif)\b\s*(\w*)/;

  // Statements without comments: [{text, number}, ...] with the numbers of their lines.
  function statementsOf(text, report) {
    const blank = (part) => (/^["'\\]/.test(part) ? part : part.replace(/[^\n]+/g, " "));
    const statements = [];
    text.replace(COMMENT, blank).split("\n").forEach((line, index) => {
      const number = index + 1;
      if (line.length > MOST_LETTERS) {
        report({ line: number, inner: 0 }, `a line of ${line.length} letters: it has more than ${MOST_LETTERS}`);
        return;
      }
      const directive = PREPROCESSOR.exec(line);
      if (directive) {
        report({ line: number, inner: 0 }, `the C preprocessor does not run here: no \`#${directive[1]}\`; \`.equ\`, \`.if\` and \`.macro\` do`, directive[2]);
      }
      if (/^\s*#/.test(line)) return;
      for (const part of line.match(/(?:"(?:\\.|[^"\\])*"|'\\?.|[^;])+/g) || []) {
        if (part.trim()) statements.push({ text: part.trim(), number });
      }
    });
    return statements;
  }

  // ---- Expressions of 64 bits.  A value is {section, value}: a number, or an address in a section ----

  // GNU as has -1 for a comparison that holds, 1 for the other truths.
  const truth = (is) => (is ? -1n : 0n);
  const logical = (is) => (is ? 1n : 0n);
  const divisor = (b) => b || fail("division by zero");
  const shiftable = (b) => b >= 0n && b < 64n;
  const OPERATORS = new Map();
  const addOperators = (rank, list) => {
    for (const [name, compute] of Object.entries(list)) OPERATORS.set(name, { name, rank, compute });
  };
  addOperators(1, { "||": (a, b) => logical(a || b) });
  addOperators(2, { "&&": (a, b) => logical(a && b) });
  addOperators(3, {
    "==": (a, b) => truth(a === b),
    "!=": (a, b) => truth(a !== b),
    "<>": (a, b) => truth(a !== b),
    "<=": (a, b) => truth(a <= b),
    ">=": (a, b) => truth(a >= b),
    "<": (a, b) => truth(a < b),
    ">": (a, b) => truth(a > b),
  });
  addOperators(4, { "+": (a, b) => a + b, "-": (a, b) => a - b });
  addOperators(5, { "|": (a, b) => a | b, "&": (a, b) => a & b, "^": (a, b) => a ^ b });
  addOperators(6, {
    "*": (a, b) => a * b,
    "/": (a, b) => a / divisor(b),
    "%": (a, b) => a % divisor(b),
    "<<": (a, b) => (shiftable(b) ? a << b : 0n),
    ">>": (a, b) => (shiftable(b) ? BigInt.asUintN(64, a) >> b : 0n),
  });
  const UNARY = { "-": (a) => -a, "~": (a) => ~a, "!": (a) => logical(!a), "+": (a) => a };
  const TOKEN =
    /\s*(\d+[bf](?!\w)|0x[\da-f]+|0b[01]+|\d+|'\\?.'?|[a-z_.$][\w.$]*|<<|>>|[<>=!]=|<>|&&|\|\||[-+*/%<>&|^~!()])/iy;

  function tokensOf(text) {
    const tokens = [];
    TOKEN.lastIndex = 0;
    while (TOKEN.lastIndex < text.length) {
      const start = TOKEN.lastIndex;
      const token = TOKEN.exec(text) ||
        fail(`\`${text}\` is no expression: \`${text.slice(start).trim()}\` is in the way`);
      tokens.push(token[1]);
      if (tokens.length > MOST_TOKENS) fail("the expression is too long");
    }
    return tokens.length ? tokens : fail("an expression is missing");
  }

  function literalNumber(token) {
    if (token[0] === "'") return BigInt(unescaped(token).charCodeAt(1));
    if (/^0[0-7]+$/.test(token)) return BigInt(`0o${token}`);
    return BigInt(token);
  }

  function evaluate(text, lookUp) {
    const rest = tokensOf(text.trim());
    const plain = (value) => ({ section: null, value });
    const absolute = ({ section, value }) => value + BigInt(section.address);
    const wrong = (operator) => fail(`\`${text}\`: \`${operator}\` of an address is not a number`);

    function combine({ name, rank, compute }, left, right) {
      if (left.section && right.section && (name === "-" || rank === 3)) {
        if (left.section !== right.section && !left.section.placed) wrong(name);
        return plain(compute(absolute(left), absolute(right)));
      }
      const section = left.section || right.section;
      const moves = name === "+" || (name === "-" && !right.section);
      if (section && !(moves && !(left.section && right.section))) wrong(name);
      return { section, value: BigInt.asIntN(64, compute(left.value, right.value)) };
    }

    function primary() {
      const token = rest.shift();
      if (token === undefined) fail(`\`${text}\` ends too early`);
      if (token === "(") {
        const inside = climb(1);
        return rest.shift() === ")" ? inside : fail(`\`${text}\`: a \`)\` is missing`);
      }
      if (UNARY[token]) {
        const operand = primary();
        return operand.section ? wrong(token) : plain(UNARY[token](operand.value));
      }
      if (/^(\d+[bf]|[a-z_.$].*)$/i.test(token)) return lookUp(token);
      if (/^['\d]/.test(token)) return plain(literalNumber(token));
      return fail(`\`${text}\`: \`${token}\` has nothing before it`);
    }

    // Operators of this rank and above.
    function climb(rank) {
      let left = primary();
      while (OPERATORS.get(rest[0])?.rank >= rank) {
        const operator = OPERATORS.get(rest.shift());
        left = combine(operator, left, climb(operator.rank + 1));
      }
      return left;
    }

    const result = climb(1);
    return rest.length ? fail(`\`${text}\` is no expression: \`${rest[0]}\` is in the way`) : result;
  }

  // ---- Operands.  A statement knows the names of its registers, what its symbols are worth, and its address ----

  const shown = (text) => (text ? `\`${text}\`` : "nothing");
  const findRegister = ({ scope }, text = "") => scope.aliases.get(text) || REGISTERS.get(text.toLowerCase());

  const isName = (text = "") => /^[a-z_]\w*$/i.test(text) && !/^[rsdq]\d+$/i.test(text) && !REGISTERS.has(text.toLowerCase());

  function unnamed(text, { aliases }) {
    const hint = () => meant(text, [...aliases.keys()]) || `; \`${text} .req r4\` gives one that name`;
    fail(`\`${text}\` is no register`, text, hint);
  }

  // A word that is no register may be a name that is not known.
  function noRegister({ scope }, text = "") {
    if (isName(text)) unnamed(text, scope);
    if (/^\w+\s+\w+$/.test(text)) fail(`a comma is missing in \`${text}\``);
    fail(`a register r0 to r15 is needed, not ${shown(text)}`);
  }

  function core(statement, text, pcToo = true) {
    const register = findRegister(statement, text);
    if (register?.kind !== "R") noRegister(statement, text);
    if (register.number === PC && !pcToo) fail(`\`${statement.name}\` does not take pc here`);
    return register.number;
  }

  // The low 32 bits may be written with or without a sign.
  function numberOf(statement, text) {
    const { section, value } = statement.evaluate(text);
    if (section) fail(`\`${text}\` is an address, not a number`);
    if (value < -WORD || value > WORD) fail(`\`${text}\` does not fit into 32 bits`);
    return Number(value);
  }

  // #4, 4, (N - 1), or the name of a constant.
  function isNumber(statement, text = "") {
    const first = text.replace(/^[-+]/, "");
    if (findRegister(statement, first)) return false;
    return /^[#$\d('~-]/.test(first) || statement.scope.constants.has(first.split(/[^\w.$]/)[0]);
  }

  function immediate(statement, text, least = -0xffffffff, most = 0xffffffff) {
    if (!isNumber(statement, text)) fail(`a number is needed, not ${shown(text)}`);
    const value = numberOf(statement, text.replace(/^[#$]/, ""));
    if (value < least || value > most) fail(`${text} is out of range: ${least} to ${most}`);
    return value;
  }

  function addressOf(statement, text) {
    const { section, value } = statement.evaluate(text);
    return Number(value) + (section ? section.address : 0);
  }

  // From the pc, which is two instructions ahead.
  const distanceTo = (statement, label) => addressOf(statement, label) - (statement.address + 8);

  // A5.2.4: eight bits, rotated right by an even number; of several rotations the smallest.  -1 if there is none.
  function modified(value) {
    for (let turn = 0; turn < 32; turn += 2) {
      const byte = ((value << turn) | (turn ? value >>> (32 - turn) : 0)) >>> 0;
      if (byte < 256) return (turn << 7) | byte;
    }
    return -1;
  }

  // A8.4: lsl #3, or lsl r3 where a register may shift.
  const SHIFTS = { lsl: 0, asl: 0, lsr: 1, asr: 2, ror: 3 };

  function shift(statement, text, byRegister) {
    const [, name, amount] = /^(\w+)\s*(.*)$/.exec(text.toLowerCase()) || [];
    if (name === "rrx" && !amount) return SHIFTS.ror << 5;
    if (!(name in SHIFTS)) fail(`a shift is lsl, lsr, asr or ror, not ${shown(text)}`);
    const original = text.slice(3).trim();
    if (findRegister(statement, original)) {
      if (!byRegister) fail(`\`${text}\`: a number shifts here, no register`);
      return (core(statement, original, false) << 8) | (SHIFTS[name] << 5) | (1 << 4);
    }
    const count = immediate(statement, original, 0, name === "lsr" || name === "asr" ? 32 : 31);
    return count ? ((count & 31) << 7) | (SHIFTS[name] << 5) : 0;
  }

  function shiftedRegister(statement, [register, shifted, ...more], byRegister) {
    if (more.length) fail(`\`${more[0]}\` is one operand too many`);
    const bits = shifted === undefined ? 0 : shift(statement, shifted, byRegister);
    return core(statement, register, !(bits & (1 << 4))) | bits;
  }

  // {r0, r4-r7}: the numbers of the registers, and their kind; a Q is two of kind D.
  function registerList(statement, text, kinds) {
    const inside = /^\{(.*)\}$/.exec(text)?.[1] ??
      fail(`a list of registers stands in braces: \`{r4-r7, lr}\`, not ${shown(text)}`);
    const numbers = [];
    let kind = "";
    for (const item of split(inside)) {
      const ends = item.split("-").map((name) => findRegister(statement, name.trim()));
      const [first, last] = [ends[0], ends.at(-1)];
      if (ends.length > 2 || !kinds.includes(first?.kind || "-") || last?.kind !== first.kind) {
        const unknown = item.split("-").map((name) => name.trim()).find((name) => !findRegister(statement, name));
        if (isName(unknown)) unnamed(unknown, statement.scope);
        fail(`\`${item}\` cannot stand in this list`);
      }
      if (last.number < first.number) fail(`\`${item}\` runs backwards`);
      const size = first.kind === "Q" ? 2 : 1;
      kind = size === 2 ? "D" : first.kind;
      for (let n = size * first.number; n < size * (last.number + 1); n++) numbers.push(n);
    }
    if (!numbers.length) fail("the list of registers is empty");
    if (new Set(numbers).size < numbers.length) fail(`\`${text}\` has a register twice`);
    return { kind, numbers };
  }

  // A8.5: [Rn, offset], [Rn, offset]!, [Rn], offset, or a label.
  const [BEFORE, UP, BACK] = [1 << 24, 1 << 23, 1 << 21]; // add before the access, add, write back

  function memory(statement, parts) {
    const [first, ...after] = parts;
    const inside = /^\[(.*)\]\s*(!?)$/.exec(first);
    if (!inside) {
      if (first.startsWith("[")) fail(`\`${first}\`: a \`]\` is missing`);
      if (findRegister(statement, first)) {
        fail(`\`${first}\` is a register; as an address it is \`[${first}]\``);
      }
      if (after.length || /^[#{]/.test(first)) fail(`\`${first}\` is no address`);
      const offset = distanceTo(statement, first);
      return { base: PC, bits: BEFORE | (offset < 0 ? 0 : UP), offset: Math.abs(offset) };
    }
    const [base, ...before] = split(inside[1]);
    if (after.length && (before.length || inside[2])) {
      fail(`\`${parts.join(", ")}\`: an offset stands in the brackets or after them`);
    }
    const added = offsetOf(statement, after.length ? after : before);
    const bits = (after.length ? 0 : BEFORE) | (inside[2] ? BACK : 0) | (added.down ? 0 : UP);
    return { base: core(statement, base), changes: bits & BACK || !(bits & BEFORE), bits, ...added };
  }

  function offsetOf(statement, [first, ...more]) {
    if (first === undefined) return { offset: 0 };
    const unsigned = first.replace(/^[-+]\s*/, "");
    if (!isNumber(statement, first)) return { down: first[0] === "-", register: [unsigned, ...more] };
    if (more.length) fail(`\`${more[0]}\`: a number is not shifted`);
    const value = immediate(statement, first);
    const down = value < 0 || (value === 0 && /^[#$]?\s*-/.test(first)); // -0 is another encoding than 0
    return { down, offset: Math.abs(value) };
  }

  function within(offset, most) {
    if (offset > most) fail(`the address is ${offset} bytes away; ${most} is the most`);
    return offset;
  }

  const overlap = ({ name }) => fail(`\`${name}\` changes its address register, which is also its data`);

  // ---- A5.2.1 to A5.2.3: data processing ----

  const OPCODES = "and eor sub rsb add adc sbc rsc tst teq cmp cmn orr mov bic mvn".split(" ");
  const COMPARE = ["tst", "teq", "cmp", "cmn"];
  const MOVE = ["mov", "mvn"];
  const [IMMEDIATE, SET_FLAGS] = [1 << 25, 1 << 20];
  const MOVW = 0x03000000;
  const opcode = (name) => OPCODES.indexOf(name) << 21;
  // What does the same with the negative of a constant, or with its complement.
  const NEGATIVE = { add: "sub", sub: "add", cmp: "cmn", cmn: "cmp" };
  const COMPLEMENT = { mov: "mvn", mvn: "mov", and: "bic", bic: "and", adc: "sbc", sbc: "adc" };

  // Sixteen bits in two fields, as in movw and movt.
  const half = (value) => ((value & 0xf000) << 4) | (value & 0xfff);

  // The opcode and a constant, or another opcode and the constant that it takes; undefined if there is none.
  function withConstant(name, constant) {
    const value = constant >>> 0;
    const other = NEGATIVE[name] || COMPLEMENT[name];
    const changed = (NEGATIVE[name] ? -value : ~value) >>> 0;
    if (modified(value) >= 0) return opcode(name) | IMMEDIATE | modified(value);
    if (other && modified(changed) >= 0) return opcode(other) | IMMEDIATE | modified(changed);
    return undefined;
  }

  function dataProcessing(statement) {
    const { base, operands, flags } = statement;
    const twoSources = !COMPARE.includes(base) && !MOVE.includes(base);
    const texts = twoSources && operands.length === 2 ? [operands[0], ...operands] : operands;
    const source = texts.slice(twoSources ? 2 : 1);
    const compares = COMPARE.includes(base) ? SET_FLAGS : 0;
    const first = core(statement, texts[0]) << (compares ? 16 : 12);
    const registers = compares | first | (twoSources ? core(statement, texts[1]) << 16 : 0);
    if (!isNumber(statement, source[0])) return opcode(base) | registers | shiftedRegister(statement, source, true);
    if (source.length > 1) fail(`\`${source[1]}\`: a number is not shifted`);
    const value = immediate(statement, source[0]);
    const constant = withConstant(base, value);
    if (constant !== undefined) return registers | constant;
    if (base === "mov" && !flags && value >>> 0 <= 0xffff) return MOVW | registers | half(value);
    return fail(`${source[0]} is no constant of \`${base}\`: eight bits, rotated by an even number`);
  }

  // lsl r0, r1, #3 is mov r0, r1, lsl #3.
  function shiftInstruction(statement) {
    const { base, operands } = statement;
    const [register, amount] = operands.length === 2 ? operands : operands.slice(1);
    const source = base === "rrx" ? [amount, "rrx"] : [register, `${base} ${amount}`];
    return opcode("mov") | (core(statement, operands[0]) << 12) | shiftedRegister(statement, source, true);
  }

  function loadAddress(statement) {
    const [destination, label] = statement.operands;
    const constant = withConstant("add", distanceTo(statement, label));
    if (constant === undefined) fail(`\`${label}\` is at a distance that \`adr\` cannot add to pc`);
    return constant | (PC << 16) | (core(statement, destination) << 12);
  }

  // ---- A5.3: load and store words and bytes; A5.2.8: halfwords, bytes with a sign, pairs of words ----

  const WORDS = { str: 0x04000000, ldr: 0x04100000, strb: 0x04400000, ldrb: 0x04500000 };
  const EXTRA = { strh: 0xb0, ldrh: 0x1000b0, ldrd: 0xd0, ldrsb: 0x1000d0, strd: 0xf0, ldrsh: 0x1000f0 };

  function loadStore(statement) {
    const { base, operands, literal } = statement;
    const data = core(statement, operands[0], !base.endsWith("b"));
    if (literal) return literalLoad(statement, data << 12);
    if (operands[1].startsWith("=")) fail("`=` is of `ldr` only");
    const target = memory(statement, operands.slice(1));
    if (target.changes && target.base === data) overlap(statement);
    const bits = WORDS[base] | target.bits | (target.base << 16) | (data << 12);
    if (target.register) return bits | IMMEDIATE | shiftedRegister(statement, target.register, false);
    return bits | within(target.offset, 4095);
  }

  // ldr r0, =value: from the pool, if no mov or mvn has the value.
  function literalLoad({ literal, offset }, data) {
    if (literal.instruction !== undefined) return literal.instruction | data;
    const distance = literal.offset - (offset + 8);
    return WORDS.ldr | BEFORE | (distance < 0 ? 0 : UP) | (PC << 16) | data | within(Math.abs(distance), 4095);
  }

  function loadStoreExtra(statement) {
    const { base, name } = statement;
    const [first, ...rest] = statement.operands;
    const data = core(statement, first, false);
    const last = base.endsWith("d") ? data + 1 : data;
    if (last > data && (data % 2 || last === PC)) {
      fail(`\`${name}\` starts from an even register below lr, not ${shown(first)}`);
    }
    if (last > data && rest.length > 1 && findRegister(statement, rest[0])) {
      if (core(statement, rest.shift()) !== last) {
        fail(`the second register of \`${name}\` is the one after the first`);
      }
    }
    const target = memory(statement, rest);
    if (target.changes && (target.base === data || target.base === last)) overlap(statement);
    const bits = EXTRA[base] | target.bits | (target.base << 16) | (data << 12);
    if (!target.register) {
      const offset = within(target.offset, 255);
      return bits | (1 << 22) | ((offset & 0xf0) << 4) | (offset & 15);
    }
    const [register, shifted] = target.register;
    if (shifted) fail(`\`${name}\` does not shift its offset`);
    const added = core(statement, register, false);
    if (base === "ldrd" && (added === data || added === last)) {
      fail(`\`ldrd\` loads \`${register}\`, a register of its address`);
    }
    return bits | added;
  }

  // ---- A5.5: blocks of registers, branches ----

  // Decrement or increment, after or before; then the names of the four for the four kinds of stack.
  const MODES = { "": 1, da: 0, ia: 1, db: 2, ib: 3 };
  const STACKS = { ldm: { fa: 0, fd: 1, ea: 2, ed: 3 }, stm: { ed: 0, ea: 1, fd: 2, fa: 3 } };

  // The registers as bits.  A changed address may only be stored, as the first.
  function blockBits(statement, list, base, changes, load) {
    const { numbers } = registerList(statement, list, "R");
    if (changes && numbers.includes(base) && (load || Math.min(...numbers) < base)) overlap(statement);
    return numbers.reduce((bits, n) => bits | (1 << n), 0);
  }

  function block(statement) {
    const [text, list] = statement.operands;
    const [kind, suffix] = [statement.base.slice(0, 3), statement.base.slice(3)];
    const [load, changes] = [kind === "ldm", text.endsWith("!")];
    const base = core(statement, text.replace(/\s*!$/, ""), false);
    const bits = blockBits(statement, list, base, changes, load);
    const mode = MODES[suffix] ?? STACKS[kind][suffix];
    return 0x08000000 | (mode << 23) | (changes ? BACK : 0) | (load ? 1 << 20 : 0) | (base << 16) | bits;
  }

  // A register alone is pushed by str and popped by ldr.
  function stack(statement) {
    const pop = statement.base === "pop";
    const bits = blockBits(statement, statement.operands[0], SP, true, pop);
    const first = 31 - Math.clz32(bits);
    if (bits === 1 << first && first !== SP) return (pop ? 0x049d0004 : 0x052d0004) | (first << 12);
    return (pop ? 0x08bd0000 : 0x092d0000) | bits;
  }

  function branch(statement) {
    const label = statement.operands[0].replace(/\(PLT\)$/, "");
    if (findRegister(statement, label)) {
      fail(`\`${statement.base}\` takes a label, not a register; \`bx\` takes a register`);
    }
    const distance = distanceTo(statement, label);
    if (distance % 4) fail(`\`${label}\` is not the address of an instruction`);
    if (distance < -(1 << 25) || distance >= 1 << 25) fail(`\`${label}\` is too far for a branch`);
    return (statement.base === "bl" ? 0x0b000000 : 0x0a000000) | ((distance >> 2) & 0xffffff);
  }

  // ---- A7.6, A7.7: load and store VFP and Neon registers ----

  // A register of VFP or Neon: four bits of its number in one place, one in another.
  const FIELDS = { d: [12, 22], n: [16, 7], m: [0, 5] };

  function vectorBits(field, { kind, number: whole }) {
    const [four, one] = FIELDS[field];
    if (kind === "S") return ((whole >> 1) << four) | ((whole & 1) << one);
    const double = kind === "Q" ? 2 * whole : whole;
    return ((double & 15) << four) | ((double >> 4) << one);
  }
  const vectorSize = (kind) => (kind === "S" ? 0xa00 : 0xb00);

  // d0[1], a word of a D register.
  function lane(statement, text) {
    const [, name, index] = /^([\w.$]+)\s*\[([01])\]$/.exec(text) || [];
    const register = findRegister(statement, name);
    if (register?.kind === "D") return { register, index: Number(index) };
    return fail(`\`${text}\` is no word of a d register`);
  }

  function consecutive(statement, text) {
    const { kind, numbers } = registerList(statement, text, "SDQ");
    if (numbers.some((n, k) => n !== numbers[0] + k)) {
      fail(`the registers of \`${text}\` do not follow each other`);
    }
    return { first: { kind, number: numbers[0] }, count: numbers.length };
  }

  function vectorLoadStore(statement) {
    const { base, name, operands } = statement;
    const register = findRegister(statement, operands[0]);
    const size = base.endsWith("32") ? "S" : base.endsWith("64") ? "D" : "SD";
    if (!register || !size.includes(register.kind)) fail(`\`${name}\` does not take ${shown(operands[0])}`);
    const target = memory(statement, operands.slice(1));
    if (target.register || target.changes || target.offset % 4) {
      fail(`\`${name}\` takes [Rn, #number] only, a multiple of 4`);
    }
    const load = base.startsWith("vldr") ? 1 << 20 : 0;
    const bits = 0x0c000000 | vectorSize(register.kind) | load | target.bits | (target.base << 16);
    return bits | vectorBits("d", register) | (within(target.offset, 1020) >> 2);
  }

  function vectorBlock(statement) {
    const { base: mnemonic, name, operands } = statement;
    const [text, list] = operands.length === 1 ? ["sp!", operands[0]] : operands;
    const load = /^v(ldm|pop)/.test(mnemonic);
    const down = /^v(push|...db)/.test(mnemonic);
    const changes = text.endsWith("!");
    if (down && !changes) fail(`\`${name}\` takes a register with \`!\``);
    const { first, count } = consecutive(statement, list);
    const words = first.kind === "S" ? count : 2 * count;
    if (words > 32) fail(`\`${name}\` takes at most 16 d registers`);
    const bits = 0x0c000000 | (down ? BEFORE : UP) | (changes ? BACK : 0) | (load ? 1 << 20 : 0);
    const base = core(statement, text.replace(/\s*!$/, ""), !changes);
    return bits | (base << 16) | vectorBits("d", first) | vectorSize(first.kind) | words;
  }

  // vld1.32 {d16-d17}, [r0:64]!
  const LIST_TYPES = [0, 7, 10, 6, 2]; // by the number of registers
  const ALIGNMENTS = [[], ["64"], ["64", "128"], ["64"], ["64", "128", "256"]];
  const ONE_LANE = (1 << 23) | (2 << 10);

  function elements(statement) {
    const { base, name, operands } = statement;
    const [list, address, step] = operands;
    const [, register, alignment, back] = /^\[\s*([\w.$]+)\s*(?::\s*(\d+)\s*)?\]\s*(!?)$/.exec(address) ||
      fail(`\`${name}\` takes [Rn], [Rn]! or [Rn], Rm, not \`${address}\``);
    const after = back ? SP : step === undefined ? PC : core(statement, step, false);
    if (step !== undefined && (back || after === SP)) fail(`\`${step}\` cannot be added to the address here`);
    const load = base.startsWith("vld") ? 1 << 21 : 0;
    const bits = 0xf4000000 | load | (core(statement, register, false) << 16) | after;
    if (/\[/.test(list)) {
      const one = lane(statement, list.replace(/[{}]/g, "").trim());
      if (!base.endsWith("32") || alignment) {
        fail("this assembler knows lanes of 32 bits only, without alignment");
      }
      return bits | ONE_LANE | vectorBits("d", one.register) | (one.index << 7);
    }
    const { first, count } = consecutive(statement, list);
    if (first.kind === "S" || count > 4) fail(`\`${name}\` takes one to four d registers`);
    const aligned = alignment ? ALIGNMENTS[count].indexOf(alignment) + 1 : 0;
    if (alignment && !aligned) fail(`\`:${alignment}\` is no alignment of this list`);
    const size = ["8", "16", "32", "64"].indexOf(base.slice(5));
    return bits | vectorBits("d", first) | (LIST_TYPES[count] << 8) | (size << 6) | (aligned << 4);
  }

  // ---- The rest: bits, and where each operand goes ----
  //
  //     Rd@12   a core register but pc, its number from bit 12 on; Pd@12, pc too
  //     Dd Qm   a register of that kind in field d, n or m; Vd is D or Q, which is bit 6
  //     Xm      a word of a D register, d0[1], as an operand of Neon; Xn as one end of a move
  //     others  by name, in READ

  const TABLE = `
    A5.2.5  multiply
      mul{s}    00000090  Rd@16 Rn@0 Rm@8
      mla{s}    00200090  Rd@16 Rn@0 Rm@8 Ra@12
      umaal     00400090  RdLo@12 RdHi@16 Rn@0 Rm@8
      mls       00600090  Rd@16 Rn@0 Rm@8 Ra@12
      umull{s}  00800090  RdLo@12 RdHi@16 Rn@0 Rm@8
      umlal{s}  00a00090  RdLo@12 RdHi@16 Rn@0 Rm@8
      smull{s}  00c00090  RdLo@12 RdHi@16 Rn@0 Rm@8
      smlal{s}  00e00090  RdLo@12 RdHi@16 Rn@0 Rm@8
    A5.2    constants of 16 bits
      movw      03000000  Rd@12 half
      movt      03400000  Rd@12 half
    A5.2.11 hints
      nop       0320f000
    A5.2.12 miscellaneous
      bx        012fff10  Pm@0
      blx       012fff30  Rm@0
      clz       016f0f10  Rd@12 Rm@0
    A5.4    media
      sxtab     06a00070  Rd@12 Rn@16 Rm@0 turn
      sxtb      06af0070  Rd@12 Rm@0 turn
      sxtah     06b00070  Rd@12 Rn@16 Rm@0 turn
      sxth      06bf0070  Rd@12 Rm@0 turn
      rev       06bf0f30  Rd@12 Rm@0
      rev16     06bf0fb0  Rd@12 Rm@0
      uxtab     06e00070  Rd@12 Rn@16 Rm@0 turn
      uxtb      06ef0070  Rd@12 Rm@0 turn
      uxtah     06f00070  Rd@12 Rn@16 Rm@0 turn
      uxth      06ff0070  Rd@12 Rm@0 turn
      rbit      06ff0f30  Rd@12 Rm@0
      revsh     06ff0fb0  Rd@12 Rm@0
      sbfx      07a00050  Rd@12 Rn@0 lsb width
      bfc       07c0001f  Rd@12 lsb msb
      bfi       07c00010  Rd@12 Rn@0 lsb msb
      ubfx      07e00050  Rd@12 Rn@0 lsb width
    A7.4    Neon
      vext.32   f2b00000  Vd Vn Vm words
    A7.4.1  Neon, three registers of one length
      vorr      f2200110  Vd Vn Vm
      vmov      f2200110  Vd Vnm
      vbit      f3200110  Vd Vn Vm
      vshl.u32  f3200400  Vd Vm Vn
      vshl.u64  f3300400  Vd Vm Vn
      vadd.i32  f2200800  Vd Vn Vm
      vmul.i32  f2200910  Vd Vn Vm
    A7.4.2  Neon, three registers of two lengths
      vaddl.u32 f3a00000  Qd Dn Dm
      vsubl.u32 f3a00200  Qd Dn Dm
      vmlal.u32 f3a00800  Qd Dn Dm
      vmull.u32 f3a00c00  Qd Dn Dm
    A7.4.3  Neon, two registers and a word of a third
      vmlal.u32 f3a00240  Qd Dn Xm
      vmul.i32  f2a00840  Dd Dn Xm
      vmull.u32 f3a00a40  Qd Dn Xm
    A7.4.4  Neon, two registers and a number
      vshr.u32  f3800010  Vd Vm right32
      vsra.s64  f2800190  Vd Vm right64
      vsra.u64  f3800190  Vd Vm right64
      vshl.i32  f2800510  Vd Vm left32
      vsli.32   f3800510  Vd Vm left32
      vshrn.i64 f2800810  Dd Qm right32
    A7.4.5  Neon, two registers
      vswp      f3b20000  Vd Vm
      vneg.s32  f3b90380  Vd Vm
      vmovn.i64 f3ba0200  Dd Qm
    A7.4.6  Neon, a register and a constant
      vmov.i32  f2800010  Vd byte
      vbic.i32  f2800130  Vd byte
    A7.5    VFP
      vmov.f32  0eb00a40  Sd Sm
      vmov.f64  0eb00b40  Dd Dm
    A7.8    between core and VFP or Neon registers
      vmov      0e000a10  Sn Rt@12
      vmov      0e100a10  Rt@12 Sn
      vmov.32   0e000b10  Xn Rt@12
      vmov.32   0e100b10  Rt@12 Xn
      vdup.32   0e800b10  Dn Rt@12
      vdup.32   0ea00b10  Qn Rt@12
    A7.9    two core registers at once
      vmov      0c400b10  Dm Rt@12 Rt2@16
      vmov      0c500b10  Rt@12 Rt2@16 Dm`;

  const TWO_RESULTS = ["umaal", "umull", "umlal", "smull", "smlal"];
  const lowestBit = (statement) => immediate(statement, statement.operands.at(-2), 0, 31);
  const widthOf = (statement, text) => immediate(statement, text, 1, 32 - lowestBit(statement));

  const READ = {
    half(statement, text) {
      const part = /^#:(lower|upper)16:(.*)$/.exec(text);
      if (!part) return half(immediate(statement, text, 0, 0xffff));
      const whole = addressOf(statement, part[2]);
      return half(part[1] === "upper" ? whole >>> 16 : whole);
    },
    turn(statement, text) {
      const count = /^ror\s*(.+)$/i.exec(text)?.[1] ?? fail(`\`${text}\` is no \`ror #8\`, \`#16\` or \`#24\``);
      const value = immediate(statement, count, 0, 24);
      return value % 8 ? fail(`${count} is not 0, 8, 16 or 24`) : (value / 8) << 10;
    },
    lsb: (statement) => lowestBit(statement) << 7,
    width: (statement, text) => (widthOf(statement, text) - 1) << 16,
    msb: (statement, text) => (lowestBit(statement) + widthOf(statement, text) - 1) << 16,
    right32: (statement, text) => (64 - immediate(statement, text, 1, 32)) << 16,
    right64: (statement, text) => (64 - immediate(statement, text, 1, 64)) << 16,
    left32: (statement, text) => (32 + immediate(statement, text, 0, 31)) << 16,
    words(statement, text) {
      const { kind } = findRegister(statement, statement.operands[0]);
      return immediate(statement, text, 0, kind === "Q" ? 3 : 1) << 10;
    },
    byte(statement, text) {
      const value = immediate(statement, text) >>> 0;
      const position = [0, 1, 2, 3].find((k) => (value & ~(255 << (8 * k))) === 0);
      if (position === undefined) {
        fail(`${text} is no constant of \`${statement.name}\`: one byte, the others 0`);
      }
      const byte = value >>> (8 * position);
      return ((byte >> 7) << 24) | (((byte >> 4) & 7) << 16) | (position << 9) | (byte & 15);
    },
  };

  function operandBits(statement, token, text) {
    const [name, bit] = token.split("@");
    if (bit) return core(statement, text, name.startsWith("P")) << bit;
    const [, kind, fields] = /^([DQSVX])([dnm]+)$/.exec(token) || [];
    if (!kind) return READ[token](statement, text);
    if (kind === "X") return laneBits(statement, text, fields);
    const register = findRegister(statement, text);
    const fits = kind === "V" ? ["D", "Q"] : [kind];
    if (!fits.includes(register?.kind)) fail(`\`${statement.name}\` does not take ${shown(text)} here`);
    const wide = kind === "V" && register.kind === "Q" ? 1 << 6 : 0;
    return [...fields].reduce((bits, field) => bits | vectorBits(field, register), wide);
  }

  function laneBits(statement, text, field) {
    const { register, index } = lane(statement, text);
    if (field === "n") return vectorBits("n", register) | (index << 21);
    if (register.number < 16) return register.number | (index << 5);
    return fail(`\`${text}\`: only d0 to d15 can be used by words`);
  }

  function fromForm(statement, { bits, tokens }, texts) {
    const kinds = new Set(texts.map((text) => findRegister(statement, text)?.kind));
    if (tokens.includes("Vd") && kinds.has("D") && kinds.has("Q")) {
      fail(`\`${statement.name}\` takes registers of one size`);
    }
    return texts.reduce((all, text, k) => all | operandBits(statement, tokens[k], text), bits);
  }

  // `turn` may be left out.
  function takes(tokens, count) {
    return count === tokens.length || (tokens.at(-1) === "turn" && count === tokens.length - 1);
  }

  // The first form whose operands fit.
  function fromTable(statement) {
    const { base, name, operands, entry } = statement;
    const texts = base === "mul" && operands.length === 2 ? [...operands, operands[0]] : operands;
    if (TWO_RESULTS.includes(base) && core(statement, texts[0]) === core(statement, texts[1])) {
      fail(`\`${name}\` needs two different registers for its result`);
    }
    const faults = [];
    for (const form of entry.forms.filter(({ tokens }) => takes(tokens, texts.length))) {
      try {
        return fromForm(statement, form, texts);
      } catch (fault) {
        if (!(fault instanceof Fault)) throw fault;
        faults.push(fault);
      }
    }
    if (faults.length === 1) throw faults[0];
    return fail(`\`${name}\` takes ${entry.usage}; not \`${operands.join(", ")}\``);
  }

  // ---- Mnemonics: name -> {encode, least, most, usage, s, forms} ----

  const INSTRUCTIONS = new Map();
  const addInstructions = (names, encode, least, most, usage, s = false) => {
    for (const name of names) INSTRUCTIONS.set(name, { encode, least, most, usage, s, forms: [] });
  };
  addInstructions(OPCODES, dataProcessing, 2, 4, "Rd, Rn, operand", true);
  addInstructions(MOVE, dataProcessing, 2, 3, "Rd, operand", true);
  addInstructions(COMPARE, dataProcessing, 2, 3, "Rn, operand");
  addInstructions(["lsl", "lsr", "asr", "ror"], shiftInstruction, 2, 3, "Rd, Rm, #number or Rs", true);
  addInstructions(["rrx"], shiftInstruction, 2, 2, "Rd, Rm", true);
  addInstructions(["adr"], loadAddress, 2, 2, "Rd, label");
  addInstructions(Object.keys(WORDS), loadStore, 2, 4, "Rt, address");
  addInstructions(Object.keys(EXTRA), loadStoreExtra, 2, 4, "Rt, address");
  for (const [kind, names] of Object.entries(STACKS)) {
    const suffixes = [...Object.keys(MODES), ...Object.keys(names)];
    addInstructions(suffixes.map((suffix) => kind + suffix), block, 2, 2, "Rn, {registers}");
  }
  addInstructions(["push", "pop"], stack, 1, 1, "{registers}");
  addInstructions(["b", "bl"], branch, 1, 1, "label");
  for (const size of ["", ".32", ".64"]) {
    addInstructions([`vldr${size}`, `vstr${size}`], vectorLoadStore, 2, 2, "register, [Rn, #number]");
    addInstructions([`vpush${size}`, `vpop${size}`], vectorBlock, 1, 1, "{registers}");
  }
  for (const suffix of ["", "ia", "db"]) {
    addInstructions([`vldm${suffix}`, `vstm${suffix}`], vectorBlock, 2, 2, "Rn, {registers}");
  }
  for (const size of [8, 16, 32, 64]) {
    addInstructions([`vld1.${size}`, `vst1.${size}`], elements, 2, 3, "{registers}, [Rn]");
  }

  for (const row of TABLE.split("\n")) {
    const [, name, s, bits, list] = /^ {6}([\w.]+?)(\{s\})? +([\da-f]{8}) *(.*)$/.exec(row) || [];
    if (!name) continue;
    const tokens = list.split(" ").filter(Boolean);
    const usage = tokens.map((token) => token.replace(/@.*/, "")).join(", ") || "no operand";
    if (!INSTRUCTIONS.has(name)) addInstructions([name], fromTable, Infinity, 0, "", Boolean(s));
    const entry = INSTRUCTIONS.get(name);
    entry.forms.push({ bits: parseInt(bits, 16), tokens });
    entry.usage += (entry.usage && "; or ") + usage;
    const optional = name === "mul" || tokens.at(-1) === "turn" ? 1 : 0;
    entry.least = Math.min(entry.least, tokens.length - optional);
    entry.most = Math.max(entry.most, tokens.length);
  }

  // umullseq is umull, sets flags, if equal: the longest name whose rest has a meaning.
  function mnemonic(word, macros, alone) {
    const [, stem, types] = /^([^.]*)(.*)$/.exec(word);
    for (let length = stem.length; length > 0; length--) {
      const base = stem.slice(0, length) + types;
      const entry = INSTRUCTIONS.get(base);
      const rest = stem.slice(length);
      const flags = entry?.s && rest.startsWith("s") && CONDITIONS.has(rest.slice(1)) ? 1 : 0;
      const condition = CONDITIONS.get(rest.slice(flags));
      if (entry && condition !== undefined) return { base, entry, flags, condition };
    }
    if (/^(svc|swi)/.test(word)) fail("a system call has nothing to do here: a product needs none");
    if (word.endsWith("s") && INSTRUCTIONS.has(word.slice(0, -1))) {
      fail(`\`${word.slice(0, -1)}\` has no form with \`s\``);
    }
    const known = word.startsWith("v") ? "what gcc uses of NEON in the ladder" : "the integer instructions of ARMv7-A";
    const hint = () => meant(word, [...INSTRUCTIONS.keys(), ...macros]) || (alone ? `; a label is \`${word}:\`` : `, which has ${known}`);
    return fail(`\`${word}\` is not known to this assembler`, word, hint);
  }

  function encode(statement) {
    const { entry, name, operands, condition, flags } = statement;
    const count = operands.length;
    if (count < entry.least || count > entry.most) {
      fail(`\`${name}\` takes ${entry.usage}; here ${count === 1 ? "is 1 operand" : `are ${count} operands`}`);
    }
    const bits = entry.encode(statement) >>> 0;
    if (bits >>> 28 === 0) return ((condition << 28) | (flags << 20) | bits) >>> 0;
    return condition === ALWAYS ? bits : fail(`\`${name}\` cannot have a condition`);
  }

  // ---- Macros ----

  // Arguments end at a comma, or at a space outside brackets; one in quotes loses them.  Each is {value, rest}, with
  // all that follows it as `rest`, itself included.
  const ARGUMENT = /"(?:\\.|[^"\\])*"|(?:\([^)]*\)|\[[^\],]*\]|'\\?.|[^\s,])+|,/g;

  function argumentsOf(text) {
    const close = text.replace(/\s*([-+*/%<>&|^~!=,:()[\]{}])\s*/g, "$1").trim();
    const found = [];
    let missing = true;
    for (const { 0: part, index } of close.matchAll(ARGUMENT)) {
      const rest = close.slice(index);
      if (part !== ",") found.push({ value: part.replace(/^"(.*)"$/s, "$1"), rest });
      else if (missing) found.push({ value: "", rest });
      missing = part === ",";
    }
    return found;
  }

  function parseMacro(text) {
    const [, name, list] = /^([\w.$]+)\s*,?\s*(.*)$/.exec(text) || fail("a macro needs a name");
    const parameters = argumentsOf(list).map(({ value: item }) => {
      const [, parameter, kind, preset = ""] = /^([\w.$]+)(?::(req|vararg))?(?:=(.*))?$/.exec(item) ||
        fail(`\`${item}\` is no parameter`);
      return { parameter, kind, preset };
    });
    return { name: name.toLowerCase(), parameters };
  }

  // parameter -> argument, by order or by name.
  function bind({ name, parameters }, text) {
    const values = new Map(parameters.map(({ parameter, preset }) => [parameter, preset]));
    const given = argumentsOf(text);
    let next = 0;
    for (const { value: argument, rest } of given) {
      const [, parameter, value] = /^([\w.$]+)=(.*)$/.exec(argument) || [];
      if (values.has(parameter)) {
        values.set(parameter, value);
        continue;
      }
      const slot = parameters[next++] ||
        fail(`macro \`${name}\` takes ${parameters.length} arguments; here are ${given.length}`);
      if (slot.kind === "vararg") {
        values.set(slot.parameter, rest);
        break;
      }
      if (argument) values.set(slot.parameter, argument);
    }
    const absent = parameters.find(({ parameter, kind }) => kind === "req" && !values.get(parameter));
    return absent ? fail(`macro \`${name}\` needs \`${absent.parameter}\``) : values;
  }

  function fill(body, values) {
    const replace = (whole, word) => (word === "()" ? "" : (values.get(word) ?? whole));
    const parameter = /\\(\(\)|@|[A-Za-z_]\w*)/g;
    return body.map(({ text, number }) => {
      const filled = text.replace(parameter, replace);
      if (filled.length > MOST_LETTERS) fail(`arguments make a line of more than ${MOST_LETTERS} letters`);
      return { text: filled, number };
    });
  }

  // What closes a directive whose lines are kept for later.
  const LOOPS = new Map([["macro", ".endm"], ["rept", ".endr"], ["irp", ".endr"]]);

  // Where it is closed; the length of the list if it is not.
  function blockEnd(list, start, directive) {
    const closes = LOOPS.get(directive);
    let depth = 0;
    for (let index = start; index < list.length; index++) {
      const word = list[index].text.split(/\s/)[0].toLowerCase();
      if (LOOPS.get(word.slice(1)) === closes) depth++;
      if (word === closes) depth--;
      if (depth === 0) return index;
    }
    return list.length;
  }

  // ---- The first pass: everything gets its address ----

  const SKIPPED_SECTION = /^\.(debug|note|comment|ARM\.|eh_frame|gnu)/;
  const IGNORED = new Set(
    ("global globl local weak hidden type size syntax arch arch_extension cpu fpu arm eabi_attribute ident " +
      "fnstart fnend cantunwind save vsave pad setfp").split(" "),
  );
  const SIZES = { byte: 1, hword: 2, short: 2, "2byte": 2, word: 4, long: 4, "4byte": 4, quad: 8, "8byte": 8 };
  const DIRECTIVES = [...IGNORED].filter((name) => name !== "globl").concat(Object.keys(SIZES),
    ("text data bss section file loc req unreq equ set ltorg pool p2align align balign space skip zero ascii asciz string " +
      "macro endm rept irp endr if else endif ifdef ifndef").split(" "),
  );
  const NOP = 0xe320f000;
  const noOperation = () => NOP; // what fills code

  class Program {
    constructor({ origin = 0x8000, externals = {} }) {
      this.origin = origin;
      this.externals = new Map(externals instanceof Map ? externals : Object.entries(externals));
      this.sections = [];
      this.items = []; // statements that become bytes, with `size` and `emit`
      this.labels = new Map();
      this.macros = new Map();
      this.files = new Map();
      this.renamed = []; // by .req and .unreq: {line, name, register or null}
      this.errors = [];
      this.unknown = new Set(); // names whose fault is told
      this.unloaded = new Map(); // labels in sections that are left out -> the section
      this.globals = new Set();
      this.statements = 0;
      this.expansions = 0;
      this.loc = { file: 0, line: 0 };
      // What a statement sees.  It is replaced, never changed: the second pass sees what the first saw.
      this.scope = { aliases: new Map(), constants: new Map(), numbered: new Map() };
      this.enter(".text", true);
    }

    report({ line, inner, macro }, message) {
      const told = macro ? `${message} (macro \`${macro}\`, line ${inner})` : message;
      const again = this.errors.some((error) =>
        (error.line === line && error.message === told) || (macro && error.macro === macro && error.inner === inner));
      if (!again && this.errors.length < MOST_ERRORS) this.errors.push({ line, inner, macro, message: told });
    }

    guarded(source, work) {
      try {
        work();
      } catch (fault) {
        if (!(fault instanceof Fault)) throw fault;
        const told = this.unknown.has(fault.about);
        for (const name of [fault.about, fault.defined].filter(Boolean)) this.unknown.add(name);
        if (!told && this.errors.length < MOST_ERRORS) this.report(source, fault.message + fault.hint());
      }
    }

    // A definition: where it fails, its name is told once.
    defining(name, work) {
      try {
        work();
      } catch (fault) {
        throw Object.assign(fault, { defined: name });
      }
    }

    extend(part, name, value) {
      if (this.scope[part].size >= MOST_NAMES) fail(`more than ${MOST_NAMES} names are defined`);
      this.scope = { ...this.scope, [part]: new Map(this.scope[part]).set(name, value) };
    }

    enter(name, executable) {
      this.section = this.sections.find((section) => section.name === name);
      if (this.section) return;
      const skipped = SKIPPED_SECTION.test(name);
      this.section = { name, executable, skipped, size: 0, alignment: 4, address: 0, placed: false, pool: [] };
      this.sections.push(this.section);
    }

    newStatement(source) {
      const { section, scope, loc } = this;
      const statement = { section, scope, loc, source, offset: section.size };
      statement.evaluate = (text) => evaluate(text, (name) => this.lookUp(name, statement));
      return statement;
    }

    // Bytes for a statement; `emit` says in the second pass what they are.
    reserve(statement, size, emit) {
      if (this.section.skipped) return;
      this.section.size += size;
      if (this.section.size > MOST_BYTES) fail("the program is larger than 256 kilobytes");
      if (emit) this.items.push(Object.assign(statement, { size, emit }));
    }

    // What a name is worth for a statement.
    lookUp(name, { section, offset, scope }) {
      if (name === ".") return { section, value: BigInt(offset) };
      const constant = scope.constants.get(name) || (this.passed && this.scope.constants.get(name));
      const label = this.labels.get(numbered(name, scope));
      if (constant) return constant;
      if (label) return { section: label.section, value: BigInt(label.offset) };
      if (this.externals.has(name)) return { section: null, value: BigInt(this.externals.get(name)) };
      const unloaded = this.unloaded.get(name);
      if (unloaded) fail(`\`${name}\` stands in \`${unloaded}\`, which is not loaded: \`.text\` before it puts it into the program`);
      const hint = () => meant(name, [...this.labels.keys(), ...scope.constants.keys(), ...this.externals.keys()]);
      return fail(`\`${name}\` is not defined${this.passed ? "" : " above this line"}`, name, hint);
    }

    // Statements of the text, of a macro or of a loop; `outer` is the line that uses the macro.
    run(list, outer) {
      const open = []; // of each .if that is not closed: {active, taken, source}
      for (let index = 0; index < list.length && !this.stopped; index++) {
        const { text, number: line } = list[index];
        const source = outer ? { ...outer, inner: line } : { line, inner: 0 };
        const [, directive, rest] = /^\.(\w+)\s*(.*)$/s.exec(text) || [null, "", ""];
        const name = directive.toLowerCase();
        const conditional = /^(if|else|endif)/.test(name);
        if (!conditional && !open.every(({ active }) => active)) continue;
        const start = index;
        if (LOOPS.has(name)) index = blockEnd(list, start, name);
        this.guarded(source, () => {
          this.countStatement();
          if (conditional) this.conditional(name, rest, open, source);
          else if (LOOPS.has(name)) this.repeat(name, rest, list.slice(start + 1, index), outer, source);
          else this.process(text, source);
          if (index === list.length) fail(`\`.${name}\` has no \`${LOOPS.get(name)}\``);
        });
      }
      if (open.length && !this.stopped) this.report(open[0].source, "`.if` has no `.endif`");
    }

    countStatement() {
      this.stopped = ++this.statements > MOST_STATEMENTS || this.errors.length >= MOST_ERRORS;
      if (this.statements > MOST_STATEMENTS) fail("macros and loops make more than 20,000 lines");
    }

    conditional(directive, rest, open, source) {
      if (directive.startsWith("if")) {
        const level = { active: false, taken: true, source };
        const reached = open.every(({ active }) => active);
        open.push(level);
        if (reached) level.active = level.taken = this.holds(directive, rest, source);
        return;
      }
      const level = open.at(-1) || fail(`\`.${directive}\` has no \`.if\``);
      if (directive === "endif") open.pop();
      else {
        level.active = !level.taken && (directive === "else" || this.holds("if", rest, source));
        level.taken ||= level.active;
      }
    }

    holds(directive, rest, source) {
      const defined = this.labels.has(rest) || this.scope.constants.has(rest);
      const [first, second] = split(rest).map((text) => text.replace(/^(["'])(.*)\1$/, "$2"));
      if (directive === "if") return numberOf(this.newStatement(source), rest) !== 0;
      if (directive === "ifdef" || directive === "ifndef") return defined === (directive === "ifdef");
      if (directive === "ifb" || directive === "ifnb") return (rest === "") === (directive === "ifb");
      if (directive === "ifc" || directive === "ifnc") return (first === second) === (directive === "ifc");
      return fail(`\`.${directive}\` is not known to this assembler`);
    }

    repeat(directive, rest, body, outer, source) {
      if (directive === "macro") {
        const [first] = rest.split(/[\s,]/);
        let macro;
        this.defining(first, () => (macro = parseMacro(rest)));
        if (this.macros.has(macro.name)) fail(`macro \`${macro.name}\` is defined already`);
        this.macros.set(macro.name, { ...macro, body });
      } else if (directive === "rept") {
        const times = numberOf(this.newStatement(source), rest);
        for (let k = 0; k < times && !this.stopped; k++) {
          this.countStatement(); // a body may be empty
          this.run(body, outer);
        }
      } else {
        const [name, ...values] = argumentsOf(rest).map(({ value }) => value);
        if (!name) fail("`.irp` takes a name and values");
        for (const value of values) this.run(fill(body, new Map([[name, value]])), outer);
      }
    }

    process(text, source) {
      const [label, name] = /^([A-Za-z_.$][\w.$]*|\d+)\s*:\s*/.exec(text) || [];
      if (label) {
        this.label(name, source);
        if (text.length > label.length) this.process(text.slice(label.length), source);
        return;
      }
      const [, alias, register] = /^(\S+)\s+\.req\s+(\S+)$/i.exec(text) || [];
      const [, constant, value] = /^([A-Za-z_.$][\w.$]*)\s*=\s*([^=].*)$/.exec(text) || [];
      const [, word, rest] = /^(\S+)\s*(.*)$/s.exec(text);
      const lower = word.toLowerCase();
      const [, misspelt] = /^[\w$]+\s+(\.\w+)\s+\w+$/.exec(text) || [];
      if (alias) this.defining(alias, () => this.rename(alias, register, source));
      else if (this.macros.has(lower)) this.expand(this.macros.get(lower), rest, source);
      else if (constant) this.define(constant, value, source);
      else if (misspelt && nearest(misspelt, [".req"])) {
        this.defining(word, () => fail(`\`${misspelt}\` is not known to this assembler; is \`.req\` meant?`));
      } else if (lower.startsWith(".")) this.directive(lower.slice(1), rest, source);
      else if (!this.section.skipped) this.instruction(lower, rest, source);
    }

    label(name, { line }) {
      if (this.section.skipped) {
        this.unloaded.set(name, this.section.name);
        return;
      }
      if (/^\d/.test(name)) this.extend("numbered", name, (this.scope.numbered.get(name) || 0) + 1);
      const key = /^\d/.test(name) ? numbered(`${name}b`, this.scope) : name;
      if (this.labels.has(key) || this.scope.constants.has(key)) fail(`\`${name}\` is defined already`);
      this.labels.set(key, { section: this.section, offset: this.section.size, line });
    }

    rename(name, old, { line }) {
      const register = findRegister(this, old) || fail(`\`${old}\` is no register`);
      if (REGISTERS.has(name.toLowerCase())) fail(`\`${name}\` is the name of a register already`);
      const before = this.scope.aliases.get(name);
      if (before && before !== register) {
        fail(`\`${name}\` names another register already: \`.unreq ${name}\` ends that`);
      }
      this.extend("aliases", name, register);
      this.renamed.push({ line, name, register });
    }

    define(name, text, source) {
      if (this.labels.has(name)) fail(`\`${name}\` is a label already`);
      this.defining(name, () => this.extend("constants", name, this.newStatement(source).evaluate(text)));
    }

    expand(macro, rest, { line, depth = 0 }) {
      if (depth === MOST_NESTED) {
        this.stopped = true;
        fail(`macro \`${macro.name}\` uses itself without an end`);
      }
      const values = bind(macro, rest).set("@", String(this.expansions++));
      this.run(fill(macro.body, values), { line, macro: macro.name, depth: depth + 1 });
    }

    instruction(name, rest, source) {
      if (this.section.size % 4) fail(`\`${name}\` does not stand at a multiple of 4: \`.align 2\` before it`);
      const known = mnemonic(name, [...this.macros.keys()], !rest);
      const statement = { ...this.newStatement(source), ...known, name, operands: split(rest) };
      const value = statement.operands[1] || "";
      if (statement.base === "ldr" && value.startsWith("=")) {
        statement.literal = this.literal(statement, value.slice(1));
      }
      this.reserve(statement, 4, encode);
    }

    // A mov or mvn, or a word of the pool; equal values share one.
    literal(statement, text) {
      let key = text.replace(/\s/g, "").replace(/\b\d+f\b/g, (name) => numbered(name, statement.scope));
      try {
        const { section, value } = statement.evaluate(text);
        const instruction = section ? undefined : withConstant("mov", Number(value & WORD));
        if (instruction !== undefined) return { instruction };
        key = `${section ? section.name : ""}+${value}`;
      } catch (fault) {
        if (!(fault instanceof Fault)) throw fault; // a label that follows
      }
      const { pool } = this.section;
      const entry = pool.find((other) => other.key === key) || { key, text, statement };
      if (!pool.includes(entry)) pool.push(entry);
      return entry;
    }

    dumpPool() {
      const { pool } = this.section;
      this.section.pool = [];
      if (pool.length) this.align(4, 0);
      for (const entry of pool) {
        entry.offset = this.section.size;
        const word = { ...entry.statement, offset: entry.offset };
        this.reserve(word, 4, () => addressOf(entry.statement, entry.text));
      }
    }

    // Zeros, in code nop.
    align(bytes, filler, source) {
      this.section.alignment = Math.max(this.section.alignment, bytes);
      const missing = (bytes - (this.section.size % bytes)) % bytes;
      const instructions = filler === undefined && this.section.executable ? Math.floor(missing / 4) : 0;
      this.space(missing - 4 * instructions, filler || 0, source);
      for (let k = 0; k < instructions; k++) this.reserve(this.newStatement(source), 4, noOperation);
    }

    space(count, filler, source) {
      if (count < 0 || count > MOST_BYTES) fail(`${count} bytes cannot be left free`);
      if (filler === 0) this.reserve(null, count);
      else for (let k = 0; k < count; k++) this.reserve(this.newStatement(source), 1, () => filler);
    }

    directive(name, rest, source) {
      const parts = split(rest);
      const value = (k, otherwise) => (parts[k] ? numberOf(this.newStatement(source), parts[k]) : otherwise);
      if (name === "global" || name === "globl") parts.forEach((label) => this.globals.add(label));
      if (IGNORED.has(name) || name.startsWith("cfi_")) return;
      if (name === "text" || name === "data" || name === "bss") this.enter(`.${name}`, name === "text");
      else if (name === "section") {
        if (!parts.length) fail("a section needs a name");
        this.enter(parts[0], /^\.text/.test(parts[0]) || /x/.test(parts[1] || ""));
      } else if (name === "file") {
        const [, file, path] = /^(\d+)\s.*"([^"]*)"/.exec(rest) || [];
        if (file) this.files.set(Number(file), path);
      } else if (name === "loc") {
        const [file, line] = rest.split(/\s+/).map(Number);
        this.loc = { file, line };
      } else if (name === "unreq") {
        if (!this.scope.aliases.has(rest)) fail(`\`${rest}\` is no name of a register`);
        this.extend("aliases", rest, undefined);
        this.renamed.push({ line: source.line, name: rest, register: null });
      } else if (name === "equ" || name === "set") {
        if (parts.length !== 2) fail(`\`.${name}\` takes a name and a value`);
        this.define(parts[0], parts[1], source);
      } else if (this.section.skipped) return;
      else if (name === "ltorg" || name === "pool") this.dumpPool();
      else if (/^p2align$|^align$/.test(name)) this.align(2 ** Math.min(value(0, 2), 20), value(1), source);
      else if (name === "balign") this.align(Math.max(value(0, 1), 1), value(1), source);
      else if (/^(space|skip|zero)$/.test(name)) this.space(value(0, 0), value(1, 0), source);
      else if (/^(ascii|asciz|string)$/.test(name)) this.strings(name, parts, source);
      else if (SIZES[name]) for (const part of parts) this.data(SIZES[name], part, source);
      else if (name === "endm") fail("`.endm` has no `.macro` before it");
      else if (name === "endr") fail("`.endr` has no `.rept` or `.irp` before it");
      else if (/^(thumb|code|thumb_func)$/.test(name)) fail("this assembler makes A32 only, not Thumb");
      else this.defining(parts[0], () => this.noDirective(name));
    }

    noDirective(name) {
      const hint = () => meant(`.${name}`, DIRECTIVES.map((known) => `.${known}`));
      fail(`\`.${name}\` is not known to this assembler`, "", hint);
    }

    data(size, text, source) {
      const bits = BigInt(8 * size);
      this.reserve(this.newStatement(source), size, (statement) => {
        const { section, value } = statement.evaluate(text);
        const whole = value + BigInt(section ? section.address : 0);
        if (whole < 1n << bits && whole > -1n << bits) return whole;
        return fail(`\`${text}\` does not fit into ${bits} bits`);
      });
    }

    strings(name, parts, source) {
      for (const part of parts) {
        const inside = /^"(.*)"$/s.exec(part)?.[1] ?? fail(`\`.${name}\` takes a text in quotes`);
        const end = name === "ascii" ? "" : "\0";
        const bytes = new TextEncoder().encode(unescaped(inside) + end);
        for (const byte of bytes) this.reserve(this.newStatement(source), 1, () => byte);
      }
    }

    // ---- The second pass: everything is encoded ----

    // Sections follow each other; returns the size of all.
    layOut() {
      let end = this.origin;
      for (const section of this.sections) {
        this.section = section;
        this.dumpPool();
        if (!section.size) continue;
        section.address = Math.ceil(end / section.alignment) * section.alignment;
        section.placed = true;
        end = section.address + section.size;
      }
      this.passed = true;
      return end - this.origin;
    }

    encode() {
      const bytes = new Uint8Array(this.layOut());
      const perWord = () => new Int32Array(Math.ceil(bytes.length / 4));
      const instructions = [];
      const [lines, inner, cLines, cFiles] = [perWord(), perWord(), perWord(), perWord()];
      const data = new Uint8Array(lines.length).fill(1);
      for (const item of this.items) {
        item.address = item.section.address + item.offset;
        const start = item.address - this.origin;
        this.guarded(item.source, () => {
          const value = BigInt(item.emit(item));
          for (let k = 0; k < item.size; k++) bytes[start + k] = Number((value >> BigInt(8 * k)) & 255n);
        });
        const word = start >> 2;
        if (item.emit === encode) instructions[word] = item;
        if (item.emit === encode || item.emit === noOperation) data[word] = 0;
        lines[word] = item.source.line;
        inner[word] = item.source.inner;
        cLines[word] = item.loc.line;
        cFiles[word] = item.loc.file;
      }
      return { bytes, lines, inner, instructions, data, cLines, cFiles };
    }

    // label -> what a function says of it
    named(of) {
      const named = [...this.labels].filter(([name]) => !/^\d/.test(name));
      return new Map(named.map(([name, label]) => [name, of(label)]));
    }

    namesAt(line) {
      const current = new Map();
      for (const change of this.renamed.filter((other) => other.line <= line)) {
        current.set(change.name, change.register);
      }
      const used = [...current].filter(([, register]) => register);
      const spelt = ({ kind, number }) => `${kind.toLowerCase()}${number}`;
      return used.map(([name, register]) => ({ register: spelt(register), name }));
    }
  }

  // The numeric label that 1b or 1f means, as 1:2, its second; any other name as it is.
  function numbered(name, scope) {
    const [, digits, way] = /^(\d+)([bf])$/.exec(name) || [];
    if (!digits) return name;
    const last = scope.numbered.get(digits) || 0;
    return `${digits}:${way === "b" ? last : last + 1}`;
  }

  function assemble(text, options = {}) {
    const program = new Program(options);
    const report = (source, message, name) => {
      if (name) program.unknown.add(name);
      program.report(source, message);
    };
    program.run(statementsOf(text, report), null);
    const encoded = program.encode();
    return {
      origin: program.origin,
      ...encoded,
      files: program.files,
      symbols: program.named(({ section, offset }) => section.address + offset),
      labelLines: program.named(({ line }) => line),
      globals: program.globals,
      names: (line) => program.namesAt(line),
      errors: program.errors.sort((a, b) => a.line - b.line),
    };
  }

  return { assemble, nearest, mnemonics: [...INSTRUCTIONS.keys()] };
})();

if (typeof module === "object") module.exports = assembler;
