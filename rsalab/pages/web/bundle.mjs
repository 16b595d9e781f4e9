// Makes vendor/ again, with node 20 or later:  npm ci --ignore-scripts && npm run build
// Readers of the pages and users of the Makefile need neither node nor npm: vendor/ is in git.
import { readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const TOP = "node_modules";
const used = new Set();

for (const name of ["chart", "search", "slides"]) {
  const made = await build({
    stdin: { contents: readFileSync(`${name}.entry.js`, "utf8"), resolveDir: "." },
    outfile: `vendor/${name}.js`,
    bundle: true,
    minify: true,
    format: "iife",
    globalName: "vendor",
    target: "es2020",
    charset: "ascii",
    legalComments: "none", // all of them are in LICENSES, whole
    metafile: true,
  });
  // Comments of HTML in a string may not begin one in the page that holds the script.
  const text = readFileSync(`vendor/${name}.js`, "utf8");
  writeFileSync(`vendor/${name}.js`, text.replaceAll("<!--", "\\x3C!--"));
  for (const path of Object.keys(made.metafile.inputs)) {
    if (path.startsWith(TOP)) used.add(path.split("/")[1]);
  }
}

const licences = [...used].sort().map((name) => {
  const { version, license } = JSON.parse(readFileSync(`${TOP}/${name}/package.json`));
  const text = readFileSync(`${TOP}/${name}/LICENSE`, "utf8").trimEnd();
  return `${name} ${version} (${license})\n\n${text}\n`;
});
writeFileSync("vendor/LICENSES", licences.join(`\n${"-".repeat(80)}\n\n`));
writeFileSync("vendor/slides.css", readFileSync(`${TOP}/reveal.js/dist/reveal.css`));
