// Makes vendor/ again, with node 20 or later:  npm ci --ignore-scripts && npm run build
// Readers of the page and users of the Makefile need neither node nor npm: vendor/ is in git.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const TOP = "node_modules";
const USED = ["diff", "highlight.js"]; // what is bundled

const made = await build({
  entryPoints: ["vendor.entry.js"],
  outfile: "vendor/vendor.js",
  bundle: true,
  minify: true,
  format: "iife",
  globalName: "vendor",
  target: "es2020",
  charset: "ascii",
  legalComments: "none", // all of them are in LICENSES, whole
  metafile: true,
});

const found = new Set(
  Object.keys(made.metafile.inputs)
    .filter((path) => path.startsWith(TOP))
    .map((path) => path.split("/").slice(1, path.includes("/@") ? 3 : 2).join("/")),
);
if ([...found].sort().join() !== [...USED].sort().join()) {
  throw new Error(`bundled are ${[...found]}, with licences only ${USED}`);
}

const licences = USED.map((name) => {
  const { version, license } = JSON.parse(readFileSync(`${TOP}/${name}/package.json`));
  const file = readdirSync(`${TOP}/${name}`).find((entry) => /^LICEN[CS]E/.test(entry));
  const text = readFileSync(`${TOP}/${name}/${file}`, "utf8").trimEnd();
  return `${name} ${version} (${license})\n\n${text}\n`;
});
writeFileSync("vendor/LICENSES", licences.join(`\n${"-".repeat(80)}\n\n`));
