// Starts the slides; S shows the speaker's notes beside them and hides them again.
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
});
vendor.Reveal.addKeyBinding({ keyCode: 83, key: "S", description: "Speaker's notes" }, () => {
  vendor.Reveal.configure({ showNotes: !vendor.Reveal.getConfig().showNotes });
  vendor.Reveal.layout();
});
