// What the slides use of others' code, as one global: `vendor`.
export { default as Reveal } from "reveal.js/dist/reveal.esm.js";
export { default as Notes } from "reveal.js/plugin/notes/notes.esm.js";
