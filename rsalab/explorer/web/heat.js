// One logarithmic scale of colours for both sides: a shade is three times the next one, or a little
// more, from the hottest line down.
"use strict";

const heat = (() => {
  const SHADES = 7;

  // The numbers 1, 3, 10, 30 ... up to the hottest, the largest last, one fewer than shades.
  function scale(hottest) {
    const series = [];
    for (let power = 1; power <= hottest; power *= 10) series.push(power, 3 * power);
    return series.filter((bound) => bound <= hottest).slice(1 - SHADES);
  }

  // The shade of a number above 0: the hottest line has the last one.
  const shade = (bounds, value) =>
    `heat-${SHADES - bounds.length + bounds.filter((bound) => bound <= value).length}`;

  // A swatch for each shade, the hottest first.
  function legend(bounds) {
    const names = ["less", ...bounds.map((bound) => `≥ ${numbers.short(bound)}`)];
    return names
      .reverse()
      .map((name, k) => make("span", `swatch heat-${SHADES - k}`, name));
  }

  return { scale, shade, legend };
})();
