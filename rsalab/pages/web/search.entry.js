// What the page of the search uses of others' code, as one global: `vendor`.
export { default as lunr } from "lunr";
