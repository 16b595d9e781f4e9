// The flame graphs of a step on its page: parent and child, at the level that the reader picks.
"use strict";

(() => {
  const { levels } = JSON.parse(document.getElementById("data").textContent);
  const box = document.getElementById("flames");
  const frames = make("div", "");
  const buttons = Object.keys(levels).map((name) => {
    const button = make("button", "level", `-${name}`);
    button.type = "button";
    button.addEventListener("click", () => show(name));
    return button;
  });
  let shown = Object.keys(levels).includes("O1") ? "O1" : Object.keys(levels)[0];

  function show(level) {
    shown = level;
    for (const button of buttons) {
      button.setAttribute("aria-pressed", button.textContent === `-${level}`);
    }
    flames.draw(frames, levels[level]);
  }

  box.append(make("p", "", "Level: ", ...buttons), frames);
  box.hidden = false;
  window.addEventListener("resize", () => show(shown));
  show(shown);
})();
