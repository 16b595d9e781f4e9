// What a run has said: the verdict in a line, the counts of a call, and the C with those of its lines.
"use strict";

let counts = {}; // of the last run: by line of the text, and by line of C
const uncounted = $("cycles").textContent; // what the page says where there are none

// 62, 24.5, 0.003: a mean of whole counts
const number = (mean) => (Number.isInteger(mean) ? mean : Number(mean.toPrecision(mean < 100 ? 3 : 6))).toLocaleString("en");

// 49,800: cycles of the model, with as many digits as its error allows
const modelled = (mean) => Number(mean.toPrecision(3)).toLocaleString("en");

const english = (count) => count.toLocaleString("en");

const tried = (operation, { tried: some, of: all }) => `${operation} in ${english(some)} of ${english(all)} vectors`;

function showVerdict(answer) {
  const { text, status } = verdictOf(answer);
  say(status, text);
}

function verdictOf(answer) {
  if (answer.lab) return answer.lab;
  if (answer.errors) return { status: "wrong", text: answer.errors.join("\n") };
  if (answer.fault) {
    const where = `vector ${english(answer.tried)} of ${answer.operation}`;
    return { status: "wrong", text: `Wrong at ${where}: ${answer.fault}` };
  }
  const parts = [tried("mont_mul", answer)];
  if (answer.powers) parts.push(tried("mod_exp", answer.powers));
  const cycles = answer.model?.cycles;
  const model = cycles ? ` Model, Cortex-M4: ${modelled(cycles)} cycles, error ${held.model.error} %.` : "";
  const cost = `${number(answer.sums.instructions)} instructions a call of mont_mul.`;
  return { status: "right", text: `Right: ${parts.join(", ")}. ${cost}${model}` };
}

// Where a wrong result comes from, as far as the invariants tell.
function addBroken({ search, invariant, line, done }) {
  const { places, lastLine, before: instruction } = search;
  if (invariant && !done) {
    const where = `before line ${line}, ${invariant.says}`;
    $("verdict").append(`\nthe first invariant that breaks is ${where}\nthe instruction before it: ${instruction}`);
  } else if (places) {
    $("verdict").append(`\nthe invariant before line ${lastLine} holds, and none is known behind it`);
  }
}

function showCounts(answer) {
  counts = answer.sums ? answer : {};
  const rows = Object.entries(answer.sums || {}).map(([name, mean]) => {
    const value = make("dd", "number", number(mean));
    return make("div", "", make("dt", "", name), value);
  });
  $("sums").replaceChildren(...rows);
  $("cycles").textContent = answer.sums ? ofModel(answer.model) : uncounted;
  draw();
}

// What is to be said of cycles: the model is of Thumb-2 code.
function ofModel(model) {
  const name = `Cycles of a Cortex-M4, by a model whose error is ${held.model.error} %:`;
  if (model?.cycles) {
    return `${name} ${modelled(model.cycles)} a call. That core has no A32: this is the text as Thumb-2, instruction by instruction.`;
  }
  if (model) return `${name} none, because that core executes Thumb-2. ${model.fault}.`;
  const recorded = shown.cell.recorded;
  const found = recorded ? `the record has ${modelled(recorded)} a call of that code` : "the record has none of this rung";
  return `${name} none of this text. That core executes Thumb-2, for which gcc makes other code of the C; ${found}.`;
}

function showSource() {
  const parts = [];
  for (const [file, text] of Object.entries(shown.rung.sources)) {
    const rows = text.split("\n").map((line, at) => {
      const found = Object.entries(counts.cLines || {}).find(([name]) => name.endsWith(`${file}:${at + 1}`));
      const mean = found ? number(found[1]) : "";
      const row = make("b", "", make("i", "", mean.padStart(9), "  "), line);
      row.dataset.line = `${file}:${at + 1}`;
      return row;
    });
    parts.push(make("h3", "", file), make("pre", "", ...rows));
  }
  $("source").replaceChildren(...parts);
}
