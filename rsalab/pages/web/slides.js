// Starts the slides; S opens the speaker's window: notes, the next slide, a clock.
"use strict";

const narrow = matchMedia("(max-width: 800px)").matches; // slides.css lays them out

vendor.Reveal.initialize({
  width: 1280,
  height: 720,
  margin: 0,
  center: false,
  hash: true,
  disableLayout: narrow,
  scrollActivationWidth: null,
  controls: narrow,
  controlsTutorial: false,
  slideNumber: "c/t",
  transition: "none",
  plugins: [vendor.Notes],
});

// Moves each function that is longer than its place to the lines of the step, and says by its classes where it goes on.
function follow() {
  for (const code of vendor.Reveal.getCurrentSlide().querySelectorAll("pre.whole")) {
    const changed = [...code.querySelectorAll(".current-fragment")].filter((line) => line.offsetHeight);
    if (changed.length) {
      const top = changed[0].offsetTop;
      const bottom = changed.at(-1).offsetTop + changed.at(-1).offsetHeight;
      const middle = (top + Math.min(bottom, top + code.clientHeight)) / 2;
      code.scrollTop = middle - code.offsetTop - code.clientHeight / 2;
    } else if (!code.querySelector(".visible")) code.scrollTop = 0;
    mark(code);
  }
}

function mark(code) {
  const below = code.scrollHeight - code.clientHeight - code.scrollTop;
  code.classList.toggle("goes-on-above", code.scrollTop > 1);
  code.classList.toggle("goes-on-below", below > 1);
}

// The keyboard reaches what scrolls.
function reachable() {
  for (const part of vendor.Reveal.getCurrentSlide().querySelectorAll("pre, table, .chart")) {
    const scrolls = part.scrollWidth > part.clientWidth + 1 || part.scrollHeight > part.clientHeight + 1;
    if (scrolls) part.tabIndex = 0;
  }
  if (narrow) vendor.Reveal.getCurrentSlide().tabIndex = 0;
}

for (const code of document.querySelectorAll("pre.whole")) code.addEventListener("scroll", () => mark(code));
// Before it is ready there is no slide; Firefox tells of a new size even then.
vendor.Reveal.on("ready", () => {
  follow();
  reachable();
  for (const event of ["slidechanged", "fragmentshown", "fragmenthidden", "resize"]) {
    vendor.Reveal.on(event, follow);
    vendor.Reveal.on(event, reachable);
  }
});
