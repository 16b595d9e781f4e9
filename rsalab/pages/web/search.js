// The search: the sections that have all words, those that have them as a phrase first.
"use strict";

(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const index = vendor.lunr.Index.load(data.index);
  const MOST = 50; // sections shown
  const BEFORE = 60; // letters of an excerpt before the word that was found
  const LONG = 260; // letters of an excerpt

  const input = document.querySelector("form.search input");
  const status = document.getElementById("status");
  const list = document.getElementById("found");

  // The words of a question that the index has: no `the`, no `of`.
  function wordsOf(question) {
    const words = vendor.lunr.tokenizer(question).map((token) => vendor.lunr.trimmer(token));
    return words.filter((token) => token.str && vendor.lunr.stopWordFilter(token)).map((token) => token.str);
  }

  // The sections that have every word; the last word may be unfinished.
  function sectionsWith(words) {
    if (!words.length) return [];
    const { REQUIRED } = vendor.lunr.Query.presence;
    const { TRAILING } = vendor.lunr.Query.wildcard;
    const whole = (query) => words.forEach((word) => query.term(word, { presence: REQUIRED }));
    const begun = (query) => {
      words.slice(0, -1).forEach((word) => query.term(word, { presence: REQUIRED }));
      query.term(words[words.length - 1], { presence: REQUIRED, wildcard: TRAILING, usePipeline: false });
    };
    const found = index.query(whole);
    const results = found.length ? found : index.query(begun);
    return results.map(({ ref }) => data.sections[ref]);
  }

  // The sections that have words like these: a letter in three may differ, two at most (a slip of the keys).
  function sectionsNear(words) {
    if (!words.length) return [];
    const { REQUIRED } = vendor.lunr.Query.presence;
    const slips = (word) => Math.min(2, Math.floor(word.length / 3));
    const near = (query) =>
      words.forEach((word) => query.term(word, { presence: REQUIRED, editDistance: slips(word) }));
    return index.query(near).map(({ ref }) => data.sections[ref]);
  }

  // What is looked for in a section: the phrase as it was typed, else its first word that is there.
  function placeIn(text, phrase, words) {
    const lower = text.toLowerCase();
    for (const wanted of [phrase, ...words]) {
      const at = lower.indexOf(wanted);
      if (at >= 0) return [at, wanted.length];
    }
    return [0, 0];
  }

  function excerpt(text, phrase, words) {
    const [at, length] = placeIn(text, phrase, words);
    const start = at > BEFORE ? text.indexOf(" ", at - BEFORE) + 1 : 0;
    const from = Math.min(start, at);
    const end = at + length;
    const last = text.length > from + LONG ? text.lastIndexOf(" ", from + LONG) : text.length;
    const mark = length ? [make("mark", "", text.slice(at, end))] : [];
    const before = [from ? "… " : "", text.slice(from, at)];
    return make("p", "", ...before, ...mark, text.slice(end, last), last < text.length ? " …" : "");
  }

  function entry([page, heading, address, text], phrase, words) {
    const link = make("a", "", !heading || heading === page ? page : `${page}: ${heading}`);
    link.href = address;
    return make("li", "", link, excerpt(text, phrase, words));
  }

  function search() {
    const phrase = input.value.trim().toLowerCase().replace(/^"|"$/g, "");
    const words = wordsOf(phrase);
    const right = sectionsWith(words);
    const found = right.length ? right : sectionsNear(words);
    const has = ([page, heading, , text]) => `${page} ${heading} ${text}`.toLowerCase().includes(phrase);
    const exact = found.filter(has);
    const others = found.filter((section) => !has(section));
    const shown = [...exact, ...others].slice(0, MOST);
    list.replaceChildren(...shown.map((section) => entry(section, phrase, words)));
    const sections = (number) => `${number} ${number === 1 ? "section" : "sections"}`;
    const more = found.length > MOST ? `; the first ${MOST} are shown` : "";
    const slip = found.length && !right.length;
    const all = slip
      ? `No section has all these words; ${sections(found.length)} with words like them${more}.`
      : `${sections(found.length)} with all words, ${exact.length} with the phrase${more}.`;
    status.textContent = phrase ? all : "Type words of any page into the box at the top.";
  }

  input.value = new URLSearchParams(location.search).get("q") || "";
  input.addEventListener("input", search);
  input.form.addEventListener("submit", (event) => {
    event.preventDefault();
    history.replaceState(null, "", `?q=${encodeURIComponent(input.value)}`);
    search();
  });
  input.focus();
  search();
})();
