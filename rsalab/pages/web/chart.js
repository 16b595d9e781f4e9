// The front page's chart: how many times less each rung costs than a baseline, by level, in one
// metric.  The picture above it is for readers without scripts; its words stay.
"use strict";

(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const HEIGHTS = [400, 250]; // of the chart, and of the gains over the parents below it
  const LEFT = 56;
  const RIGHT = 96; // for the names of the levels
  const NARROW = 640; // pixels: below it the rungs stand without their ideas
  const PARENT = "the parent";
  const BEST = "the best C";
  const LABELS = 4; // at least so many numbers on an axis

  const levels = Object.keys(data.marks).filter((at) => data.rows.some((row) => row.level === at));
  const byName = new Map(data.rows.map((row) => [row.snapshot, row]));
  const rungs = [...byName.values()].map((row) => ({ name: row.snapshot, idea: row.idea, parent: row.parent, code: row.code }));
  const counts = {}; // of a metric, by level and rung
  for (const row of data.rows) {
    for (const column of data.metrics) {
      if (row[column] === null) continue;
      const byLevel = (counts[column.replace("_", " ")] ||= {});
      (byLevel[row.level] ||= {})[row.snapshot] = row[column];
    }
  }

  // Where a point leads: to its step in the explorer, where there is one, or else in the report.
  function address(rung, at) {
    if (!data.explored) return `report.html#${rung.name}`;
    return `explorer.html#${rung.parent ? `a=${rung.parent}&` : ""}b=${rung.name}&level=${at}`;
  }

  const box = document.getElementById("chart");
  const heading = make("p", "");
  heading.setAttribute("role", "status");
  const picture = box.previousElementSibling.querySelector("img, svg");
  if (picture) box.previousElementSibling.remove();
  box.append(heading);
  const select = (name, values) => {
    const list = make("select", "", ...values.map((text) => new Option(text)));
    list.addEventListener("change", choose);
    box.append(make("label", "", `${name} `, list));
    return list;
  };
  const level = select("Level", ["all", ...levels.map((name) => `-${name}`)]);
  const metric = select("Metric", Object.keys(counts));
  const baseline = select("Against", [rungs[0].name, PARENT, BEST]);
  const figure = make("div", "");
  const source = make("p", "source", `${data.source}; logarithmic. A point opens its step.`);
  box.append(figure, source);
  box.hidden = false;

  // The rung in C that costs least, and where: {rung, level, count}.
  function bestC(counts) {
    const known = rungs
      .filter((rung) => rung.code !== "assembly")
      .flatMap((rung) =>
        levels.map((at) => ({ rung: rung.name, level: at, count: (counts[at] || {})[rung.name] })),
      )
      .filter((one) => one.count > 0);
    const none = { rung: "none", level: "", count: NaN };
    return known.reduce((a, b) => (b.count < a.count ? b : a), known[0] || none);
  }

  // The points of a level against a baseline: rung, factor, what it is compared with.
  function points(against, at, counts, best) {
    const here = counts[at] || {};
    return rungs
      .map((rung) => {
        const other = { [PARENT]: rung.parent, [BEST]: `${best.rung} at -${best.level}` }[against] || against;
        const count = against === BEST ? best.count : here[other];
        return { rung, at, other, factor: count / here[rung.name] };
      })
      .filter((point) => Number.isFinite(point.factor) && point.factor > 0);
  }

  function times(x) {
    if (x >= 100) return `x${Math.round(x).toLocaleString("en-GB")}`;
    if (x >= 10) return `x${x.toFixed(1)}`;
    return `x${x >= 0.1 ? x.toFixed(2) : x.toPrecision(2)}`;
  }

  // What the counts are compared with, in words.
  const other = (against, best) => (against === BEST ? `${BEST}, ${best.rung} at -${best.level}` : against);

  // The numbers of a logarithmic axis: powers of ten, or with more between them where those are few.
  function ticks([low, high]) {
    const between = [[1], [1, 2, 5], [1, 1.5, 2, 3, 5, 7], [1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 4, 5, 6, 7, 8, 9]];
    const powers = [];
    for (let n = Math.floor(Math.log10(low)); n <= Math.log10(high); n++) powers.push(10 ** n);
    const inside = (value) => value >= low && value <= high;
    const choices = between.map((steps) => powers.flatMap((power) => steps.map((step) => step * power)).filter(inside));
    return choices.find((values) => values.length >= LABELS) || choices[choices.length - 1];
  }

  // The chart's question and its answer for the last rung.
  function question(series, against, best) {
    const last = data.main[data.main.length - 1];
    const ends = series.flatMap(({ all }) => all.filter((p) => p.rung.name === last));
    const numbers = ends.map(({ at, factor }) => `${times(factor)} at \u2011${at}`).join(", ");
    const than = (against === PARENT ? "its parent" : other(against, best)).replace("-O", "\u2011O");
    return `How many times fewer ${metric.value} does each rung have than ${than}? ${last}: ${numbers || "no factor, one of the two has none"}`;
  }

  // The places of labels, from top to bottom, no two closer than a line.
  function apart(labels) {
    labels.sort((a, b) => a.y - b.y);
    labels.forEach((label, i) => {
      if (i > 0) label.y = Math.max(label.y, labels[i - 1].y + 15);
    });
    return labels;
  }

  // An idea in lines that the room below a rung has.
  function folded(idea) {
    const lines = [""];
    for (const word of idea.split(" ")) {
      const longer = `${lines[lines.length - 1]} ${word}`.trim();
      if (longer.length > 11 && lines[lines.length - 1]) lines.push(word);
      else lines[lines.length - 1] = longer;
    }
    return lines;
  }

  function axes(svg, x, y, width, height, wide) {
    const written = (value) => `x${value.toLocaleString("en-GB", { maximumSignificantDigits: 3 })}`;
    const left = vendor.axisLeft(y).tickValues(ticks(y.domain())).tickFormat(written);
    svg.append("g").attr("class", "grid").attr("transform", `translate(${LEFT},0)`)
      .call(left.tickSize(-(width - LEFT - RIGHT)));
    const names = svg.append("g").attr("transform", `translate(0,${height})`)
      .call(vendor.axisBottom(x).tickSize(0).tickPadding(10));
    if (!wide) return;
    names.selectAll("text").each(function (name) {
      for (const text of folded(rungs.find((rung) => rung.name === name).idea)) {
        const part = document.createElementNS("http://www.w3.org/2000/svg", "tspan");
        part.setAttribute("x", 0);
        part.setAttribute("dy", "1.25em");
        part.textContent = text;
        this.append(part);
      }
    });
  }

  function point(svg, { rung, at, other, factor }, cx, cy) {
    const link = svg.append("a").attr("class", `point ${at}`);
    const text = `${rung.name}, ${rung.idea}: ${times(factor)} at -${at} against ${other}`;
    link.attr("href", address(rung, at)).attr("aria-label", text);
    link.append("title").text(text);
    const size = data.main.includes(rung.name) ? 5 : 4;
    const place = `translate(${cx},${cy}) scale(${size})`;
    link.append("path").attr("d", data.marks[at]).attr("transform", place);
  }

  // The factors against a baseline, a series for each level that is shown.
  function seriesOf(against, counts, best) {
    const shown = levels.filter((at) => ["all", `-${at}`].includes(level.value));
    return shown.map((at) => ({ at, all: points(against, at, counts, best) }));
  }

  // A drawing of the factors against a baseline.
  function panel(series, against, best, size, ideas) {
    const factors = series.flatMap((one) => one.all.map((p) => p.factor));
    const width = Math.max(320, box.clientWidth);
    const wide = ideas && width >= NARROW;
    const height = size - (wide ? 90 : 30);
    const names = rungs.map((rung) => rung.name);
    const x = vendor.scalePoint(names, [LEFT + 24, width - RIGHT - 24]);
    const y = vendor.scaleLog([Math.min(1, ...factors) * 0.8, Math.max(2, ...factors) * 1.3], [height, 28]);
    const title = `${other(against, best)} / this, in ${metric.value}${metric.value === "code bytes" ? "" : " a round trip"}`;
    const svg = vendor.create("svg").attr("viewBox", `0 0 ${width} ${size}`).attr("role", "group");
    svg.attr("aria-label", title).append("text").attr("class", "title").attr("y", 14).text(title);
    axes(svg, x, y, width, height, wide);
    const curve = vendor.line((p) => x(p.rung.name), (p) => y(p.factor));
    for (const { at, all } of against === PARENT ? [] : series) {
      const d = curve(all.filter((p) => data.main.includes(p.rung.name)));
      svg.append("path").attr("class", `line ${at}`).attr("d", d);
    }
    // Side by side where no line says which points are of one level.
    const middle = (series.length - 1) / 2;
    series.forEach(({ all }, place) => {
      const beside = against === PARENT ? 8 * (place - middle) : 0;
      for (const p of all) point(svg, p, x(p.rung.name) + beside, y(p.factor));
    });
    const ends = series
      .filter((one) => one.all.length)
      .map(({ at, all }) => ({ at, last: all[all.length - 1], y: y(all[all.length - 1].factor) }));
    for (const { at, last, y: place } of apart(ends)) {
      svg.append("text").attr("class", `end ${at}`).attr("x", x(last.rung.name) + 18)
        .attr("y", place + 4).text(`-${at} ${times(last.factor)}`);
    }
    return svg.node();
  }

  function draw() {
    const counted = counts[metric.value];
    const best = bestC(counted);
    const against = baseline.value;
    const series = seriesOf(against, counted, best);
    const parts = [panel(series, against, best, HEIGHTS[0], true)];
    if (against !== PARENT) {
      parts.push(panel(seriesOf(PARENT, counted, best), PARENT, best, HEIGHTS[1], false));
    }
    figure.replaceChildren(...parts);
    heading.textContent = question(series, against, best);
  }

  // The choice is in the address, such as #level=O1&metric=loads; what is chosen at first is left out.
  function choices() {
    return { level, metric, against: baseline };
  }

  function choose() {
    const chosen = new URLSearchParams();
    for (const [name, list] of Object.entries(choices())) {
      if (list.selectedIndex > 0) chosen.set(name, list.value.replace(/^-/, ""));
    }
    const { pathname, search } = location;
    history.replaceState(null, "", `${pathname}${search}${chosen.size ? `#${chosen}` : ""}`);
    draw();
  }

  function read() {
    const chosen = new URLSearchParams(location.hash.slice(1));
    for (const [name, list] of Object.entries(choices())) {
      const wanted = chosen.get(name);
      const place = [...list.options].findIndex(({ value }) => value.replace(/^-/, "") === wanted);
      list.selectedIndex = Math.max(0, place);
    }
    draw();
  }

  read();
  addEventListener("hashchange", read);
  let drawn = box.clientWidth;
  new ResizeObserver(() => {
    if (box.clientWidth !== drawn) {
      drawn = box.clientWidth;
      requestAnimationFrame(draw);
    }
  }).observe(box);
})();
