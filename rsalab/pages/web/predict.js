// A reader's prediction of the step on its page, beside what was found and what the author expected.
// Answers stay in this browser; what the page says of the result is hidden until there is one.
"use strict";

(() => {
  const { step, near, head, rule, summary, steps } =
    JSON.parse(document.getElementById("data").textContent).predict;
  const KEPT = "rsa-lab predictions"; // step -> {factors: {level: number}, function}, or {skipped}
  const form = document.getElementById("predict");
  const box = document.getElementById("predicted");
  let answers = stored();

  // --- what the browser keeps ---

  // Returns the answers that the browser has; none where it keeps nothing, or nothing of ours.
  function stored() {
    try {
      return JSON.parse(kept.get(KEPT)) || {};
    } catch {
      return {};
    }
  }

  // Where the browser keeps nothing, the answers last as long as the page.
  function keep(value) {
    answers = value;
    kept.set(KEPT, JSON.stringify(answers));
  }

  // --- what became of an answer: as rsalab/steps/predict.py says it ---

  function word(found, predicted) {
    if (found > predicted * near) return "too low";
    if (found * near < predicted) return "too high";
    return "right";
  }

  // Returns an outcome for each level of a step that was answered.
  function outcomes(name) {
    const { factors, function: named } = answers[name];
    return Object.entries(steps[name].levels).map(([level, { factor, most, author, blind, right }]) => ({
      name,
      level,
      predicted: factors[level],
      found: factor,
      word: word(factor, factors[level]),
      most: most === named ? most : `${most}, not ${named}`,
      named: most === named,
      author: author || "-",
      authorIsBlind: blind,
      authorIsRight: right,
    }));
  }

  const answered = () => Object.keys(steps).filter((name) => answers[name]?.factors);
  const count = (list, what) => list.filter(what).length;

  function summed(list) {
    const numbers = {
      levels: list.length,
      right: count(list, (one) => one.word === "right"),
      named: count(list, (one) => one.named),
      blind: count(list, (one) => one.authorIsBlind),
      author: count(list, (one) => one.authorIsRight),
    };
    return summary.replace(/\{(\w+)\}/g, (_, name) => numbers[name]);
  }

  // --- the page ---

  const times = (value) =>
    `x${value.toLocaleString("en-GB", { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;

  // Returns a cell with the link to the page of a step, and the level.
  function linked({ name, level }) {
    const link = make("a", "", name);
    link.href = `${name}.html`;
    return make("td", "option", link, ` -${level}`);
  }

  // Returns a table of outcomes.
  function table(title, list) {
    const heads = ["step and level", ...head.slice(1)].map((text) => make("th", "", text));
    const rows = list.map((one) => {
      const texts = [times(one.predicted), times(one.found), one.word, one.most, one.author];
      return make("tr", "", linked(one), ...texts.map((text) => make("td", "", text)));
    });
    const first = make("thead", "", make("tr", "", ...heads));
    const made = make("table", "", make("caption", "", title), first, make("tbody", "", ...rows));
    const scroll = make("div", "scroll", made);
    scroll.tabIndex = 0;
    return scroll;
  }

  function button(text, action) {
    const made = make("button", "", text);
    made.type = "button";
    made.addEventListener("click", action);
    return made;
  }

  // Hides what stands behind the form, or shows it; find-in-page still finds it.
  function hide(hidden) {
    for (let part = box.nextElementSibling; part; part = part.nextElementSibling) {
      if (!part.matches(".neighbours")) part.hidden = hidden ? "until-found" : false;
    }
    window.dispatchEvent(new Event("resize")); // pictures that are drawn to measure
  }

  function show() {
    const answer = answers[step];
    form.hidden = Boolean(answer?.factors);
    form.elements.skip.hidden = Boolean(answer);
    box.replaceChildren();
    hide(!answer);
    if (answer?.factors) {
      box.append(table(`${steps[step].parent} to ${step}`, outcomes(step)), make("p", "", rule));
    }
    const every = answered().flatMap(outcomes);
    if (answered().some((name) => name !== step)) box.append(table("Your scoreboard", every));
    if (!every.length) return;
    box.append(make("p", "", summed(every)), make("p", "", button("Forget my predictions", forget)));
  }

  function answer(value) {
    keep({ ...answers, ...stored(), [step]: value });
    show();
  }

  function forget() {
    keep({});
    show();
    form.querySelector("input").focus();
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const { function: named, ...typed } = Object.fromEntries(new FormData(form));
    const factors = Object.fromEntries(Object.entries(typed).map(([level, text]) => [level, Number(text)]));
    answer({ factors, function: named });
    box.focus();
  });
  form.elements.skip.addEventListener("click", () => answer({ skipped: true }));
  document.addEventListener("beforematch", () => answer({ skipped: true }));
  show();
})();
