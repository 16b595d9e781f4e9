// What the explorer uses of others' code, as one global: `vendor`.
import hljs from "highlight.js/lib/core";
import armasm from "highlight.js/lib/languages/armasm";
import c from "highlight.js/lib/languages/c";
import plaintext from "highlight.js/lib/languages/plaintext";

// The grammar's own list of instructions ends before umaal and Neon: here an indented word is one.
hljs.registerLanguage("armasm", (library) => {
  const grammar = armasm(library);
  grammar.contains.unshift({ scope: "keyword", begin: /^[ \t]+[a-z][\w.]*/ });
  return grammar;
});
hljs.registerLanguage("c", c);
hljs.registerLanguage("plaintext", plaintext);

export { diffArrays, diffWordsWithSpace } from "diff";
export { hljs };
