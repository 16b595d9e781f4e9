const all = [...document.querySelectorAll("[data-word]")];
sought.oninput = () => all.forEach((li) => (li.hidden = !li.dataset.word.includes(sought.value.toLowerCase())));
