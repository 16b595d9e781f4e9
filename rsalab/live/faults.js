// What the live page says of a wrong program: the line, the fault, and what to do next.
"use strict";

const LOOKED_AT = 1_000_000; // instructions, one by one, to find where a register changed
const NEAR = 64; // bytes in front of an operand or behind it
const LONG_ENOUGH = 1n << 40n; // a modulus of which no congruence holds by chance
const RETURN = "`bx lr`, or `pop {..., pc}` after `push {..., lr}`";
const AS_DATA = `this is data, and it is executed: is a return in front of it missing? ${RETURN}`;
const MOST_CHANGED = 8; // lines that are named as what the reader changed

const hex = (number) => number.toString(16).padStart(8 * limbs, "0");
const address = (number) => `0x${(number >>> 0).toString(16)}`;
const english = (number) => number.toLocaleString("en");

// "line 12: " of the text, "in C, line 12: " in what gcc made, "" elsewhere.
function whereIs(at) {
  const line = lineAt(at);
  const c = ofWord("cLines", at);
  if (line) return `line ${line}: `;
  return c ? `in C, line ${c}: ` : "";
}

// ---- how a call ended ----

// Why a call did not return; "" of one that did.
function ended(how, operation = "mont_mul") {
  const at = machine.core[PC];
  const fault = machine.api.fault_address() >>> 0;
  const where = whereIs(at);
  if (how === RETURNED) return "";
  if (how === LIMIT) return where + endless(operation);
  if (how === WILD_JUMP) return strayed(at);
  const data = executedData();
  if (data) return data;
  if (how === WILD_LOAD) return `${where}a load ${placeOf(fault, operation)}`;
  if (how === WILD_STORE) return `${where}a store ${placeOf(fault, operation)}`;
  if (how === THUMB) return `${where}a jump to ${address(fault)}, an odd address: that is Thumb code, and here is A32 only${heldBefore(fault)}; a return is ${RETURN}`;
  const source = `look where ${addressRegister(at)} gets its address`;
  if (how === UNALIGNED) return `${where}an access to several words at ${address(fault)}, which is no multiple of 4${heldBefore(fault)}: ${source}`;
  return where + unknown(at);
}

function endless(operation) {
  const { core, view, api } = machine;
  const limit = `no end after ${english(MOST_INSTRUCTIONS[operation])} instructions`;
  const previous = api.previous_address() >>> 0;
  const isReturn = partAt(previous) && view.getUint32(previous, true) === 0xe12fff1e;
  if (isReturn && core[LR] !== RETURN_TO) return `${limit}: lr is no longer the caller's; \`push {lr}\` before a \`bl\``;
  return `${limit}, a loop without end? Here again goes round it once: see whether its counter changes and its branch asks for that`;
}

// A jump to where no code is, or running on behind the last line.
function strayed(at) {
  const previous = machine.api.previous_address() >>> 0;
  const data = executedData();
  if (data) return data;
  if (previous + 4 === at) return `${whereIs(previous)}the program runs on behind this line: a return is missing: ${RETURN}`;
  return `${whereIs(previous)}a jump to ${address(at)}, where no code is${heldBefore(at)}; a return is ${RETURN}`;
}

// ": that is what r5 held at the call" of a number that a register had then.
function heldBefore(value) {
  if (value === (0x01010101 * FILLER) >>> 0) return ": the stack holds that until something is stored there";
  const register = KEPT.concat(12).find((i) => coreBefore(i) === value);
  return register ? `: that is what r${register} held at the call` : "";
}

// Where data was executed; "" where none was.
function executedData() {
  const [{ origin, bytes, data }] = program.parts;
  for (let at = origin; at < origin + bytes.length; at += 4) {
    if (data[(at - origin) >> 2] && machine.executed[at >> 2]) {
      return whereIs(at) + AS_DATA;
    }
  }
  return "";
}

// The register that an instruction takes its address from, by its name in the text.
function addressRegister(at) {
  const number = (machine.view.getUint32(at, true) >> 16) & 15;
  const register = ["sp", "lr", "pc"][number - SP] || `r${number}`;
  const named = program.parts[0].names(lineAt(at)).filter((one) => one.register === `r${number}`);
  return lineAt(at) && named.length ? `\`${named[0].name}\` (${register})` : register;
}

// Where an access went that was not allowed, and what to do.
function placeOf(fault, operation) {
  const names = { y: operation === "mod_exp" ? "e" : "y" };
  for (const { name, first, bytes } of operands()) {
    const shown = names[name] || name;
    const last = `its last word is ${shown} + ${bytes - 4}`;
    if (fault >= first && fault <= first + bytes - 4) return `to ${shown}, which is only read: the result goes to z`;
    if (fault > first - NEAR && fault < first) return `in front of ${shown}, whose first word is ${shown} + 0: count the offset again`;
    if (fault >= first && fault < first + bytes + NEAR) return `behind ${shown}: ${last}; count the offset again`;
  }
  if (partAt(fault)) return "to the program, which cannot be changed: what changes belongs on the stack";
  if (fault >= STACK_END - NEAR && fault < STACK_END) {
    return `below the stack, whose ${english(STACK - STACK_END)} bytes are full: is there a push without its pop in a loop?`;
  }
  if (fault >= STACK && fault < STACK + NEAR) return "above the stack, where the caller's is: push and pop do not match";
  const register = addressRegister(machine.core[PC]);
  return `at ${address(fault)}, where nothing is${heldBefore(fault)}: look where ${register} gets its address`;
}

function unknown(at) {
  const opcode = machine.view.getUint32(at, true);
  if (isOwn(at) && ofWord("data", at)) return AS_DATA;
  if ((opcode & 0x0f000000) === 0x0f000000 && opcode >>> 28 !== 15) return "a system call: a product needs none; take it out";
  if ((opcode & 0xfff000f0) >>> 0 === 0xe7f000f0) return "`udf` is undefined on purpose, and ends the run; take it out";
  return `${address(opcode)} is no instruction that is known here; docs/live.md says what is`;
}

// ---- what a call left ----

// What is wrong after a call that returned; "" if nothing is.
function wrong(vector, alias, operation) {
  return notRestored(vector, alias) || differs(vector, operation);
}

function notRestored(vector, alias) {
  const { core, doubles } = machine;
  const changed = KEPT.find((i) => core[i] !== coreBefore(i));
  const double = KEPT_DOUBLES.find((i) => doubles[i] !== doubleBefore(i));
  const moved = core[SP] - STACK;
  if (moved) {
    const how = `${Math.abs(moved)} bytes ${moved < 0 ? "below" : "above"} where it was at the call`;
    return `${lastChange(() => core[SP], vector, alias)}sp is ${how}: push and pop do not match`;
  }
  if (changed) {
    const where = lastChange(() => core[changed], vector, alias);
    return `${where}r${changed} is not as it was at the call: \`push\` it first and \`pop\` it at the end, or use r0 to r3 and r12`;
  }
  if (!double) return "";
  const where = lastChange(() => doubles[double], vector, alias);
  return `${where}d${double} is not as it was at the call: \`vpush\` it first and \`vpop\` it at the end, or use d0 to d7 and d16 to d31`;
}

// Where a value was changed last in a call, or first; "" if that is too long to look.
function lastChange(valueOf, vector, alias, first = false) {
  const counts = machine.executed.slice();
  let where = "";
  prepare(vector, alias);
  for (let steps = 0; steps < LOOKED_AT; steps++) {
    const at = machine.core[PC];
    const before = valueOf();
    const end = machine.api.run(1);
    if (valueOf() !== before) where = whereIs(at);
    if (first && where) break;
    if (machine.core[PC] === RETURN_TO || end !== LIMIT) break;
    if (steps === LOOKED_AT - 1) where = "";
  }
  machine.executed.set(counts);
  return where;
}

// The operands, the result and the right result where these differ.
function differs(vector, operation) {
  const found = get(Z);
  if (found === vector.z) return "";
  const reason = operation === "mont_mul" ? ofProduct(vector, found) : ofPower(vector, found);
  const data = executedData();
  const numbers = [
    `x = ${hex(vector.x)}`,
    `${vector.second} = ${hex(vector.y)}`,
    `n = ${hex(vector.n)}`,
    `result ${hex(found)}`,
    `right  ${hex(vector.z)}`,
  ];
  return [data || program.changed + reason, ...numbers].join("\n");
}

// "line 12, which you changed: " of a text that differs from the one it began as in a few lines that follow each other.
function changedLines(text, original) {
  const [now, before] = [text.split("\n"), original.split("\n")];
  const shorter = Math.min(now.length, before.length);
  let same = 0, sameAtEnd = 0;
  while (same < shorter && now[same] === before[same]) same++;
  while (sameAtEnd < shorter - same && now.at(-1 - sameAtEnd) === before.at(-1 - sameAtEnd)) sameAtEnd++;
  const [first, last] = [same + 1, now.length - sameAtEnd];
  if (text === original || last - first >= MOST_CHANGED) return "";
  if (last < first) return `line ${first}, in front of which you took something away: `;
  return first === last ? `line ${first}, which you changed: ` : `line ${first} to ${last}, which you changed: `;
}

// ---- why a result may be wrong: which fault gives this very number ----

const several = (numbers) => `limb${numbers.length > 1 ? "s" : ""} ${numbers.join(", ").replace(/, ([^,]*)$/, " and $1")}`;
const limbOf = (number, i) => BigInt.asUintN(32, number >> BigInt(32 * i));
const everyLimb = () => [...Array(limbs).keys()];
const modulo = (number, n) => ((number % n) + n) % n;
const withLimb = (number, i, limb) => number + ((limb - limbOf(number, i)) << BigInt(32 * i));

// 2^k mod n of any whole k
function powerOfTwo(k, n) {
  let power = 1n;
  for (let i = 0; i < Math.abs(k); i++) {
    if (k > 0) power = (2n * power) % n;
    else power = power & 1n ? (power + n) >> 1n : power >> 1n;
  }
  return power;
}

function ofProduct(vector, found) {
  return notStored(found) || offByModulus(vector, found) || offByRounds(vector, found) || offByLimb(vector, found) ||
    offByCarry(vector, found) || wrongLimbs(vector, found);
}

function notStored(found) {
  const filler = BigInt(0x01010101 * FILLER);
  const untouched = everyLimb().filter((i) => limbOf(found, i) === filler);
  if (untouched.length === limbs) return "nothing was stored to z: its address is in r0 at the call";
  return untouched.length ? `nothing was stored to ${several(untouched)} of z: limb i is at z + 4 i` : "";
}

function offByModulus({ z, n }, found) {
  const whole = 1n << BigInt(32 * limbs);
  if (found === z + n) return "the result is n too large: the subtraction of n at the end is missing";
  if (found === modulo(z + n, whole)) return "the result is n too large, modulo 2^32 of the last limb: the carry out of the top limb is lost";
  if (found === modulo(z - n, whole)) return "the result is n too small: n was subtracted once too often";
  return "";
}

function offByRounds({ z, n }, found) {
  if (n < LONG_ENOUGH) return "";
  for (let k = 1; k <= 32 * limbs; k++) {
    const steps = k % 32 ? `${k} of ${32 * limbs} halvings` : `${k / 32} of ${limbs} rounds of 32 bits`;
    if (modulo(z * powerOfTwo(k, n), n) === found % n) return `the result is 2^${k} times the right one, mod n: ${steps} are missing`;
    if (modulo(z * powerOfTwo(-k, n), n) === found % n) return `the result is 2^-${k} times the right one, mod n: ${steps} are too many`;
  }
  return "";
}

function offByLimb({ x, y, n }, found) {
  if (n < LONG_ENOUGH) return "";
  const scale = powerOfTwo(-32 * limbs, n);
  const isFound = (a, b) => modulo(a * b * scale, n) === found % n;
  for (const i of everyLimb()) {
    if (isFound(withLimb(x, i, 0n), y)) return `as if limb ${i} of x were 0: its row is missing`;
    if (isFound(x, withLimb(y, i, 0n))) return `as if limb ${i} of y were 0: its row is missing`;
    for (const other of everyLimb()) {
      const taken = `as if limb ${other} of`;
      if (isFound(withLimb(x, i, limbOf(x, other)), y)) return `${taken} x were limb ${i}, too: see which limb is loaded`;
      if (isFound(x, withLimb(y, i, limbOf(y, other)))) return `${taken} y were limb ${i}, too: see which limb is loaded`;
    }
  }
  return "";
}

// A carry that is lost in a row is worth 2^(32 k) then, and less by each round that follows.
function offByCarry({ z, n }, found) {
  if (n < LONG_ENOUGH) return "";
  for (let k = -limbs; k <= limbs; k++) {
    const carry = powerOfTwo(32 * k, n);
    if (modulo(z - carry, n) === found % n) return `the result is the right one - 2^${32 * k}, mod n: a carry is lost, or a borrow is too many`;
    if (modulo(z + carry, n) === found % n) return `the result is the right one + 2^${32 * k}, mod n: a borrow is lost, or a carry is too many`;
  }
  return "";
}

function wrongLimbs({ z }, found) {
  const wrongOnes = everyLimb().filter((i) => limbOf(z, i) !== limbOf(found, i));
  const which = wrongOnes.length === limbs ? "no limb of the result is right" : `wrong in ${several(wrongOnes)}`;
  return `${which}; Next steps through this vector`;
}

function ofPower({ z, n }, found) {
  const radix = powerOfTwo(32 * limbs, n);
  if (n >= LONG_ENOUGH && found % n === modulo(z * radix, n)) {
    return "the result is R times the right one, mod n: the product by 1 at the end is missing";
  }
  return offByModulus({ z, n }, found) || "mont_mul is right in its vectors: look at how mod_exp calls it";
}
