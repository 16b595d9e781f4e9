// Starts the slides; S opens the speaker's window: notes, the next slide, a clock.
"use strict";

vendor.Reveal.initialize({
  width: 1280,
  height: 720,
  margin: 0,
  center: false,
  hash: true,
  controls: false,
  slideNumber: "c/t",
  transition: "none",
  plugins: [vendor.Notes],
});
