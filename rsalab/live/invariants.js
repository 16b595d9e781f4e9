// What has to hold at places of a program, and whether it does: the invariants of the comments, as numbers.  It is a part
// of the worker.
//
//     invariants.of(text)       finds the places of the program that was assembled last
//     invariants.areKnown()     whether there are any
//     invariants.place(pc)      the place at an address, or null
//     invariants.at(returned)   of the machine as it is: null, or {says, t, right, holds, note}
"use strict";

const invariants = (() => {
  let places; // address -> {check, ...}

  // ---- numbers and words ----

  const below = (number, words) => BigInt.asUintN(32 * words, number); // number mod 2^(32 words)
  const above = (number, words) => number << BigInt(32 * words);
  const word = (number, place) => below(number >> BigInt(32 * place), 1);
  const power = (words) => `2^${32 * words}`;

  // Words at their places, as one number: [[value, place], ...].
  const sum = (words) => words.reduce((all, [value, place]) => all + above(value, place), 0n);

  // Q with x y + Q n = 0 mod R: its words are the q of the rows.
  function quotient() {
    const { x, y, n } = vector;
    let inverse = n;
    for (let bits = 3; bits < 32 * limbs; bits *= 2) inverse = below(inverse * (2n - n * inverse), limbs);
    return below(-x * y * inverse, limbs);
  }

  // ---- the text ----

  // The rows of a kind, in their order: [{line, words: what stands behind the name of the macro}, ...].
  function rowsOf(lines, name) {
    const rows = [];
    lines.forEach((text, index) => {
      const [, macro, list] = /^\s*(\w+)\s+([^@/]*)/.exec(text) || [];
      if (macro === name) rows.push({ line: index + 1, words: list.trim().split(/\s*,\s*/) });
    });
    return rows;
  }

  // The addresses of a line, in their order.
  function addresses(line) {
    const found = [];
    program.lines.forEach((other, index) => {
      if (other === line) found.push(CODE + 4 * index);
    });
    return found;
  }

  const isLong = (address) => /^(umaal|umull|umlal)/.test(program.instructions[(address - CODE) >> 2]?.base || "");

  // A register by a name of the text.
  function value(name) {
    const found = program.names(program.textLines).find((one) => one.name === name);
    const number = coreNumber(found ? found.register : name);
    return number < 0 ? 0n : BigInt(machine.core[number]);
  }

  const isName = (name) => program.names(program.textLines).some((one) => one.name === name);

  // Each instruction of the rows is a place: `done` multiplications of row `row` stand in front of it.
  function eachInstruction(rows, check) {
    rows.forEach((_, row) => {
      let done = 0;
      for (const address of addresses(rows[row].line)) {
        places.set(address, { check: check(row, done) });
        if (isLong(address)) done++;
      }
    });
    const [end] = addresses(rows.at(-1).line).slice(-1);
    places.set(end + 4, { check: check(rows.length, 0) });
  }

  const carried = (name, place) => `The carry ${name} stands at the place that the row has reached: ${name} ${power(place)}.`;

  // ---- product first: v8 ----

  // Before multiplication `done` of a row: the row's carry stands at the place that it has reached, that of a later
  // row where this row begins; all other names t stand at their own.
  function product(rows) {
    const [first] = rows;
    const start = Number(first.words[0]);
    const carries = rows.map(({ words }) => words[1]);
    eachInstruction(rows, (row, done) => () => {
      const j = start + row; // words of y that are used up
      const later = carries.slice(row);
      const words = later.map((name, i) => [value(name), i ? j + i : j + done]);
      for (let place = 0; place < 2 * limbs; place++) {
        const name = `t${place}`;
        if (!later.includes(name)) words.push([value(name), place]);
      }
      const { x, y } = vector;
      const right = x * below(y, j) + above(below(x, done) * word(y, j), j);
      const whole = row === rows.length ? "t = x y" : `t = x (y mod ${power(j)})`;
      const rest = done ? ` + (x mod ${power(done)}) y${j} ${power(j)}` : "";
      return { says: whole + rest, t: sum(words), right, note: done ? carried(later[0], j + done) : "" };
    });
  }

  // The rows of the reduction, whose highest word waits at sp + 4.  Row j makes t[j] 0, which is the carry of row j + 1.
  function reduction(rows) {
    const carries = rows.map(({ words }) => words[0]);
    eachInstruction(rows, (row, done) => () => {
      const waiting = BigInt(machine.view.getUint32(machine.core[SP] + 4, true));
      const words = [[waiting, 2 * limbs - 1]];
      for (let place = row; place < 2 * limbs - 1; place++) words.push([value(`t${place}`), place]);
      carries.slice(0, row).forEach((name, i) => words.push([value(name), i + limbs]));
      if (row < rows.length) words.push([value(carries[row]), row + done]);
      const { x, y, n } = vector;
      const q = quotient();
      const right = x * y + below(q, row) * n + above(word(q, row) * below(n, done), row);
      const digit = (i) => (i ? `q${i} ${power(i)}` : "q0");
      const rest = done ? ` + ${digit(row)} (n mod ${power(done)})` : "";
      const digits = row < 4 ? carries.slice(0, row).map((_, i) => digit(i)).join(" + ") : `q0 + ... + ${digit(row - 1)}`;
      const multiple = row ? ` + (${digits}) n` : "";
      return { says: `t = x y${multiple}${rest}`, t: sum(words), right, note: done ? carried(carries[row], row + done) : "" };
    });
    quotientByR(rows);
  }

  // Behind the chain that adds the carries, before z is looked up: the upper half, with top in r8.
  function quotientByR(rows) {
    const { line } = rows.at(-1);
    const index = program.instructions.findIndex((one) => one?.source.line > line && one.operands.join() === "r9,[sp]");
    if (index < 0) return;
    const check = () => {
      const words = [[value("r8"), limbs]];
      for (let place = 0; place < limbs; place++) words.push([value(`t${place + limbs}`), place]);
      const { x, y, n } = vector;
      return { says: "t / R = (x y + Q n) / R < 2n", t: sum(words), right: (x * y + quotient() * n) >> BigInt(32 * limbs) };
    };
    places.set(CODE + 4 * index, { check });
  }

  // ---- a product and its reduction in each row: labs 7 and 9 ----

  // Before row i: its words, the lowest first, are t; behind the last row they have moved on by one.
  function scanning(rows) {
    const turned = rows.at(-1).words;
    const last = { words: [turned[0], ...turned.slice(2), turned[1]] };
    const check = (row, i) => () => {
      const t = sum(row.words.slice(1).map((name, place) => [value(name), place]));
      const { x, y, n } = vector;
      const right = (below(x, i) * y + below(quotient(), i) * n) >> BigInt(32 * i);
      const says = i === 0 ? "t = 0" : `t = ((x mod ${power(i)}) y + (Q mod ${power(i)}) n) / ${power(i)}`;
      return { says, t, right };
    };
    rows.forEach((row, i) => {
      const [begin] = addresses(row.line);
      places.set(begin, { check: check(row, i) });
    });
    const [end] = addresses(rows.at(-1).line).slice(-1);
    places.set(end + 4, { check: check(last, rows.length) });
  }

  // ---- all ----

  const KINDS = { product_row: product, reduction_row: reduction, row: scanning };

  function of(text) {
    places = new Map();
    const lines = text.split("\n");
    for (const [name, find] of Object.entries(KINDS)) {
      const rows = rowsOf(lines, name).filter(({ line }) => addresses(line).length);
      if (rows.length) find(rows);
    }
    if (places.size) return;
    for (const [address, check] of rounds.find()) places.set(address, { check });
  }

  const place = (pc) => places.get(pc) ?? null;
  const areKnown = () => places.size > 0;

  // A number in hex, whole limbs, at least as long as z.
  function written(number) {
    const digits = number.toString(16);
    return digits.padStart(8 * Math.max(limbs, Math.ceil(digits.length / 8)), "0");
  }

  function at(returned) {
    const here = place(machine.core[PC]);
    if (!returned && !here) return null;
    const result = { says: `z = x y / ${power(limbs)} mod n`, t: get(Z), right: vector.z };
    const { says, t, right = t, holds = t === right, note = "" } = returned ? result : here.check();
    return { says, note, t: t === null ? "" : written(t), right: written(right), holds };
  }

  return { of, place, areKnown, at };
})();
