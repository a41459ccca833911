// Compares the results of the conformance suite with `expected-failures.txt`.
//
//     node compare.mjs REVISION RESULTS EXPECTED SUMMARY
//
// A check that fails or warns must be listed, by its scenario or as `scenario:check`; a listed one must not pass.
import { readFileSync, readdirSync } from 'node:fs';

const [revision, results, expected, summary] = process.argv.slice(2);

const listed = new Map();
for (const line of readFileSync(expected, 'utf8').split('\n')) {
  const [first, entry, ...reason] = line.trim().split(/\s+/);
  if (first !== revision) continue;
  if (!reason.length) throw new Error(`no reason: ${line}`);
  listed.set(entry, false);
}

const problems = [];
let scenarios = 0;
let passed = 0;
const failed = new Set();
for (const folder of readdirSync(results).sort()) {
  const scenario = folder.match(/^server-(.*)-\d{4}-\d\d-\d\dT/)[1];
  const checks = JSON.parse(readFileSync(`${results}/${folder}/checks.json`, 'utf8'));
  scenarios += 1;
  let isPassed = true;
  for (const { id, status, errorMessage } of checks) {
    if (status !== 'FAILURE' && status !== 'WARNING') continue;
    isPassed = false;
    failed.add(scenario);
    const entry = [scenario, `${scenario}:${id}`].find((entry) => listed.has(entry));
    if (entry) listed.set(entry, true);
    else problems.push(`${scenario}:${id} ${status}: ${(errorMessage ?? '').slice(0, 300)}`);
  }
  if (isPassed) passed += 1;
}
// Scenarios that ended before they could write their checks.
for (const [, scenario] of readFileSync(summary, 'utf8').matchAll(/^✗ (\S+?):/gm)) {
  if (!failed.has(scenario) && !listed.has(scenario)) problems.push(`${scenario}: failed without results`);
}
if (!scenarios) problems.push('no results');
for (const [entry, isFailing] of listed) {
  if (!isFailing) problems.push(`${entry}: passes, but is listed as failing`);
}
console.log(`conformance ${revision}: ${passed} of ${scenarios} scenarios pass, the others are as listed`);
for (const problem of problems) console.log(`  not as listed: ${problem}`);
process.exit(problems.length ? 1 : 0);
