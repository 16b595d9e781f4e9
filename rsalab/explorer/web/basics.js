// What the scripts of all pages share: elements, what the browser keeps, and the switch between light and dark.
"use strict";

// An element; `content` is text or elements.
function make(name, classes, ...content) {
  const element = document.createElement(name);
  if (classes) element.className = classes;
  element.append(...content);
  return element;
}

// A browser may refuse to keep anything: get() finds nothing then, and set() returns false.
const kept = {
  get(name) {
    try {
      return localStorage.getItem(name);
    } catch {
      return null;
    }
  },
  set(name, text) {
    try {
      if (text === null) localStorage.removeItem(name);
      else localStorage.setItem(name, text);
      return true;
    } catch {
      return false;
    }
  },
};

// Makes a button the switch of a page that has one; the browser keeps what was chosen.
function switchTheme(button) {
  const { dataset } = document.documentElement;
  const set = (dark) => {
    dataset.theme = dark ? "dark" : "light";
    button.setAttribute("aria-pressed", dark);
  };
  const before = kept.get("theme");
  if (before) set(before === "dark");
  button.addEventListener("click", () => {
    set(dataset.theme ? dataset.theme !== "dark" : !matchMedia("(prefers-color-scheme: dark)").matches);
    kept.set("theme", dataset.theme);
  });
}
