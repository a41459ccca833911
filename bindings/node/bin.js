#!/usr/bin/env node
// `npx mitt-node mcp`: runs the program `mitt`, which is the package `mitt-cli`, with the same arguments.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
let program;
try {
  program = require.resolve('mitt-cli/mitt.js');
} catch {
  console.error('mitt-node: the program is not installed: the package mitt-cli is not there');
  console.error('hint: install without `--omit=optional`, or run `npx mitt-cli` instead');
  process.exit(1);
}
require(program);
