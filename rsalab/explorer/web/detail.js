// The lines at the foot of the window: all that is known of one count, and what its instruction does.
"use strict";

const detail = (() => {
  const foot = document.getElementById("detail");
  const CORES = ["ARM1176", "Cortex-A53", "Cortex-A72"];

  function counted(line, { label, cell }, level, view) {
    const { n, total } = cell;
    const busiest =
      line.busiest === line.count
        ? ""
        : `; its busiest instruction ${numbers.each(line.busiest, n)} times ${numbers.unit(n)}`;
    const from = view === "asm" ? line.places.map((p) => model.where(label, p).name) : [];
    const inner = line.inner ? "; counted again where the macro is used" : "";
    const became = view === "c" ? links.became(line, label, level) : "";
    return (
      `${label} ${line.mark}${from.length ? `, from ${from.join(", ")}` : ""}:` +
      ` ${numbers.whole(line.count)} instructions in ${n} round trips,` +
      ` ${numbers.percent(line.count, total)} of all${busiest}${inner}` +
      (became ? `. It became ${became}` : "")
    );
  }

  function explained(mnemonic) {
    const [said, ...cycles] = model.instructions[mnemonic] || [];
    if (!said) return [];
    const issue = CORES.map((core, k) => `${core} ${cycles[k]}`).join(" · ");
    const sources = make("span", "sources", ` Issue cycles: ${issue}.`);
    return [make("p", "", make("b", "", mnemonic), ` ${said}.`, sources)];
  }

  // Of a count in the gutter, or of a line without one.
  function show(count, now, name) {
    foot.replaceChildren(...(name && !count ? [make("p", "", `${name}: no code for this line`)] : []));
    if (!count) return;
    const { line, side } = count;
    const help = now.view === "asm" ? explained(line.text.split(" ")[0]) : [];
    foot.append(make("p", "", counted(line, side, now.level, now.view)), ...help);
  }

  return { show };
})();
