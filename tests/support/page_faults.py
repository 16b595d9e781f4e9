"""What a reader would find wrong with a page at first sight, as a script of the page."""

# Sections without anything in them, and words that a box or a picture cuts off.
SCRIPT = """
const faults = [];
const heads = [...document.querySelectorAll("main h1, main h2, main h3, main h4")];
const rank = (head) => Number(head.tagName[1]);
for (const [place, head] of heads.entries()) {
    const next = heads[place + 1];
    if (next && rank(next) > rank(head)) continue;
    const section = document.createRange();
    section.setStartAfter(head);
    section.setEnd(next ? next.parentNode : head.parentNode,
        next ? [...next.parentNode.childNodes].indexOf(next) : head.parentNode.childNodes.length);
    const part = section.cloneContents();
    if (!part.textContent.trim() && !part.querySelector("img, svg, input"))
        faults.push(`nothing below: ${head.textContent}`);
}
for (const box of document.querySelectorAll("main *")) {
    if (box.closest("svg")) continue;
    const hidden = getComputedStyle(box).overflowX;
    if (["hidden", "clip"].includes(hidden) && box.scrollWidth > box.clientWidth + 1)
        faults.push(`cut: ${box.textContent.slice(0, 60)}`);
}
for (const word of document.querySelectorAll("main svg text")) {
    const part = word.getBoundingClientRect();
    const whole = word.ownerSVGElement.getBoundingClientRect();
    if (!part.width) continue;
    if (part.left < whole.left - 1 || part.right > whole.right + 1
            || part.top < whole.top - 1 || part.bottom > whole.bottom + 1)
        faults.push(`outside of its picture: ${word.textContent}`);
    const scale = word.getScreenCTM();
    const size = Math.hypot(scale.a, scale.b) * parseFloat(getComputedStyle(word).fontSize);
    if (size < 10.9) faults.push(`${size} pixels: ${word.textContent}`);
}
return faults;
"""
