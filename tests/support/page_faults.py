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
}
return faults;
"""
# Words in letters of under 11 pixels of the screen, on whatever page, zoomed or not.
SMALL = """
const faults = [];
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (texts.nextNode()) {
    const box = texts.currentNode.parentElement;
    const says = texts.currentNode.data.trim();
    if (!says || box.closest("script, style, noscript, annotation") || !box.checkVisibility()) continue;
    if (box.getBoundingClientRect().width < 2) continue;
    const matrix = box.getScreenCTM?.();
    let wide = box; // whose width, rounded, says how far it is zoomed
    while (!(wide.offsetWidth > 99) && wide.parentElement) wide = wide.parentElement;
    const zoom = wide.getBoundingClientRect().width / wide.offsetWidth;
    const scale = matrix ? Math.hypot(matrix.a, matrix.b) : zoom;
    const size = scale * parseFloat(getComputedStyle(box).fontSize);
    if (size < 10.8) faults.push(`${size.toFixed(1)} pixels: ${says.slice(0, 40)}`);
}
return faults;
"""
