// What the chart of the front page uses of others' code, as one global: `vendor`.
export { axisBottom, axisLeft } from "d3-axis";
export { scaleLog, scalePoint } from "d3-scale";
export { create } from "d3-selection";
export { line } from "d3-shape";
