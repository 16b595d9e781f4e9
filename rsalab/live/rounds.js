// The invariant of the bit-serial rungs in what gcc makes of them.  The C says: at the top of round k, and after k lines of
// v7's mmm, 2^w t = (x mod 2^w) y (mod n) and t < 2n, with w = k or 32 k bits of x used up.  So t is one of two numbers,
// and its limbs have to stand somewhere: in the stack frame, in NEON, or in registers.  It is a part of the worker.
"use strict";

const rounds = (() => {
  // ---- where a round begins ----

  // The addresses of mmm, or of mont_mul where the compiler has put mmm into it: [first, end].
  function codeOfProduct() {
    const functions = [...program.symbols].filter(([name]) => /^[a-z]/i.test(name));
    functions.sort(([, a], [, b]) => a - b);
    const place = (wanted) => functions.findIndex(([name]) => name.split(".")[0] === wanted);
    const at = place("mmm") < 0 ? place("mont_mul") : place("mmm");
    const [, end] = functions[at + 1] || ["", CODE + program.bytes.length];
    return [functions[at][1], end];
  }

  // Of the instructions that a call executes once for each bit of x, the one that is reached first; 0 if there is none.
  function top([first, end]) {
    begin();
    if (machine.api.run(MOST_INSTRUCTIONS.mont_mul) === LIMIT) return 0;
    const times = machine.executed.slice();
    const isTop = (pc) => first <= pc && pc < end && times[pc >> 2] === 32 * limbs;
    begin();
    while (!isTop(machine.core[PC])) {
      if (machine.api.run(1) !== LIMIT) return 0;
    }
    return machine.core[PC];
  }

  // Where the calls of v7's reduce return, in their order.
  function returns([first, end]) {
    const found = [];
    program.instructions.forEach(({ base, operands }, index) => {
      const address = CODE + 4 * index;
      if (base === "bl" && operands[0].startsWith("reduce") && first <= address && address < end) found.push(address + 4);
    });
    return found;
  }

  // [[address, check], ...]
  function find() {
    const code = codeOfProduct();
    const head = top(code);
    if (head) return [[head, () => holds(machine.executed[head >> 2], `at the top of round ${machine.executed[head >> 2]}`)]];
    return returns(code).map((address, row) => [address, () => holds(32 * (row + 1), `after row ${row}`)]);
  }

  // ---- where t stands ----

  const frame = () => Array.from({ length: (STACK - machine.core[SP]) >> 2 }, (_, i) => machine.view.getUint32(machine.core[SP] + 4 * i, true));
  const wordsOf = (number) => Array.from({ length: limbs }, (_, i) => Number(BigInt.asUintN(32, number >> BigInt(32 * i))));

  // The place of the first of consecutive words; -1 if they are not there.
  function consecutive(all, words) {
    return all.findIndex((_, at) => words.every((word, i) => all[at + i] === word));
  }

  // Where the words of a number stand, as text; "" if one is missing.
  function whereIsNumber(words) {
    const memory = frame();
    const inFrame = consecutive(memory, words);
    if (inFrame >= 0) return `at sp + ${4 * inFrame}`;
    const inNeon = consecutive([...lanes()], words);
    if (inNeon >= 0) return `in d${inNeon >> 1} and d${(inNeon >> 1) + 1}`;
    const core = [...machine.core.subarray(0, PC)];
    const places = words.map((word) => {
      const register = core.indexOf(word);
      const slot = memory.indexOf(word);
      if (register >= 0) return `r${register}`.replace("r13", "sp").replace("r14", "lr");
      return slot >= 0 ? `sp + ${4 * slot}` : "";
    });
    return places.includes("") ? "" : `in ${places.join(", ")}, the lowest first`;
  }

  // The two numbers that t may be when `bits` bits of x are used up.
  function candidates(bits) {
    const { x, y, n } = vector;
    let t = (BigInt.asUintN(bits, x) * y) % n;
    for (let i = 0; i < bits; i++) t = (t & 1n ? t + n : t) >> 1n; // t / 2 mod n
    return [t, t + n];
  }

  function holds(bits, when) {
    const says = `2^${bits} t = (x mod 2^${bits}) y (mod n), ${when}`;
    for (const t of candidates(bits)) {
      const where = whereIsNumber(wordsOf(t));
      if (where) return { says, t: BigInt.asUintN(32 * limbs, t), holds: true, note: `The limbs of t stand ${where}.` };
    }
    const [right] = candidates(bits);
    return { says, t: null, right, holds: false, note: "Neither this t nor t + n stands in registers or in the stack frame." };
  }

  return { find };
})();
