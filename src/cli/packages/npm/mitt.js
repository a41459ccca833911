#!/usr/bin/env node
// Starts the program of the package for this machine, which npm has chosen among the optional dependencies.
"use strict";
const { spawnSync } = require("node:child_process");

const name = `mitt-cli-${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`${name}/bin/mitt`);
} catch {
  console.error(`mitt: there is no program for this machine: the package ${name} is not installed`);
  console.error("hint: install without `--omit=optional`; for other machines build it with `cargo install mitt-cli`");
  process.exit(1);
}
const ended = spawnSync(program, process.argv.slice(2), { stdio: "inherit" });
if (ended.error) {
  console.error(`mitt: ${program}: ${ended.error.message}`);
  process.exit(1);
}
// As a shell says it: 128 and the number of the signal.
process.exit(ended.status ?? 128 + (require("node:os").constants.signals[ended.signal] ?? 0));
