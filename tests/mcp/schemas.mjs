// Validates the schemas of tools with Ajv as Gemini CLI uses it: it must compile each of them in both drafts, without
// warnings.
//
//   node schemas.mjs <node_modules> <answer to tools/list, as JSON>

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const [modules, file] = process.argv.slice(2);
const require = createRequire(`${modules}/`);
const { tools } = JSON.parse(readFileSync(file, 'utf8'));
let failed = 0;
for (const draft of ['ajv/dist/ajv.js', 'ajv/dist/2020.js']) {
  const Ajv = require(draft).default;
  for (const tool of tools) {
    for (const kind of ['inputSchema', 'outputSchema']) {
      const said = [];
      const note = (...words) => said.push(words.join(' '));
      const logger = { log: note, warn: note, error: note };
      try {
        if (tool[kind]) new Ajv({ strictSchema: false, logger }).compile(tool[kind]);
      } catch (error) {
        note(error.message);
      }
      for (const line of said) console.log(`schemas ${tool.name} ${kind} (${draft}): ${line}`);
      failed += said.length;
    }
  }
}
console.log(`schemas: ${tools.length} tools, ${failed} warnings`);
process.exit(failed ? 1 : 0);
