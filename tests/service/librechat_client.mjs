#!/usr/bin/env node
// Drives the npm package `@librechat/agents`, unchanged, through Mitt's form of LibreChat's Code API, and the requests of
// LibreChat's server for files.
//
//     node librechat_client.mjs http://127.0.0.1:PORT TOKEN [OTHER_TOKEN]
//
// `@librechat/agents` is found from the folder of this file, then from the current one. The server must require a token, and
// have the skills `python`, `table-tool` and `excel-tool`. With a token of another tenant, that tenant must find nothing.
//
// Prints one line for each check, and ends with status 1 if one failed.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [address, key, otherKey] = process.argv.slice(2);
if (!address || !key) {
  console.error('expected the address of the server and a token');
  process.exit(2);
}
const base = `${address.replace(/\/+$/, '').replace(/\/librechat$/, '')}/librechat`;

// The module form, because `require` does not give the default export of `node-fetch` 3.
const main = ['.', process.cwd()].map((folder) => new URL(
  'node_modules/@librechat/agents/dist/esm/main.mjs',
  folder === '.' ? import.meta.url : pathToFileURL(`${folder}/`),
)).find((url) => existsSync(url));
if (!main) {
  console.error('npm i @librechat/agents in this folder first');
  process.exit(2);
}
const { createBashExecutionTool, createCodeExecutionTool, createProgrammaticToolCallingTool, fetchSessionFiles } =
  await import(main);
const { tool } = createRequire(main)('@langchain/core/tools');

const authHeaders = { 'X-API-Key': key };
const ID = /^[A-Za-z0-9_-]{21}$/;
const CSV = 'month,users\n1,100\n2,150\n3,225\n';

const checks = [];
const check = (name, run) => checks.push([name, run]);

/** Makes a request as LibreChat's server does. */
async function request(method, path, { body, as = key, headers = {} } = {}) {
  return fetch(`${base}${path}`, {
    method,
    body,
    headers: { 'User-Agent': 'LibreChat/1.0', ...(as ? { 'X-API-Key': as } : {}), ...headers },
  });
}

async function upload(name, content, path = '/upload', more = []) {
  const form = new FormData();
  form.append('entity_id', 'agent_1');
  for (const [file, text] of [[name, content], ...more]) {
    form.append('file', new Blob([text]), file);
  }
  const response = await request('POST', path, { body: form });
  return [response.status, await response.json()];
}

/** Invokes a tool as the graph does, with what it injects into the call. */
async function invoke(made, args, injected = {}) {
  const call = { id: 'call_1', name: made.name, args, type: 'tool_call', ...injected };
  const message = await made.invoke(call);
  return { text: String(message.content), artifact: message.artifact, status: message.status };
}

/** Returns the error of an invocation, however the client reports it. */
async function failure(made, args, injected) {
  try {
    const { text, status } = await invoke(made, args, injected);
    assert.equal(status, 'error', text);
    return text;
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error;
    return error.message;
  }
}

const code = createCodeExecutionTool({ baseUrl: base, authHeaders });
const programmatic = createProgrammaticToolCallingTool({ baseUrl: base, authHeaders, maxRoundTrips: 100 });

check('health needs no key', async () => {
  const response = await request('GET', '/health', { as: null });
  assert.equal(response.status, 200);
});

check('without a key nothing runs', async () => {
  const none = createCodeExecutionTool({ baseUrl: base, authHeaders: {} });
  assert.match(await failure(none, { lang: 'py', code: '1' }), /not authorized/);
});

check('a script prints', async () => {
  const { text, artifact } = await invoke(code, { lang: 'py', code: 'print(1 + 1)' });
  assert.match(text, /stdout:\n2/);
  assert.match(artifact.session_id, ID);
  assert.equal(artifact.files, undefined);
});

check('an error is a traceback with the line of the client', async () => {
  const { text } = await invoke(code, { lang: 'py', code: 'x = 1\n\n1 / 0' });
  assert.match(text, /stderr:[\s\S]*line 3[\s\S]*ZeroDivisionError/);
});

check('what is missing is named with what to use instead', async () => {
  const { text } = await invoke(code, { lang: 'py', code: 'import pandas as pd' });
  assert.match(text, /table_tool/);
});

check('arguments are sys.argv', async () => {
  const { text } = await invoke(code, { lang: 'py', code: 'import sys\nprint(sys.argv[1:])', args: ['a', 'b c'] });
  assert.match(text, /\['a', 'b c'\]/);
});

check('an uploaded file is read, and a written one goes on to the next call', async () => {
  const [status, uploaded] = await upload('users.csv', CSV);
  assert.equal(status, 200);
  assert.equal(uploaded.message, 'success');
  const [{ fileId, filename }] = uploaded.files;
  assert.match(uploaded.session_id, ID);
  assert.match(fileId, ID);
  assert.equal(filename, 'users.csv');
  const input = { id: fileId, resource_id: 'u', name: filename, storage_session_id: uploaded.storage_session_id, kind: 'user' };
  const write = [
    'import csv',
    "rows = list(csv.DictReader(open('/mnt/data/users.csv')))",
    "with open('/mnt/data/total.txt', 'w') as file:",
    "    file.write(str(sum(int(row['users']) for row in rows)))",
    "print('rows', len(rows))",
  ].join('\n');
  const { text, artifact } = await invoke(code, { lang: 'py', code: write }, { _injected_files: [input] });
  assert.match(text, /rows 3/);
  assert.match(text, /Session files: 1 persisted/);
  const [written] = artifact.files;
  assert.equal(written.name, 'total.txt');
  assert.match(written.id, ID);
  const next = { id: written.id, resource_id: 'u', name: written.name, storage_session_id: written.storage_session_id, kind: 'user' };
  const read = await invoke(code, { lang: 'py', code: "print(open('/mnt/data/total.txt').read())" }, { _injected_files: [next, input] });
  assert.match(read.text, /475/);
  const download = await request('GET', `/download/${artifact.session_id}/${written.id}?kind=user&id=u`);
  assert.equal(download.status, 200);
  assert.equal(await download.text(), '475');
  assert.match(download.headers.get('content-disposition'), /attachment.*total\.txt/);
});

check('a tool of Mitt delivers a workbook', async () => {
  const make = "import excel_tool\nexcel_tool.create_excel([{'a': 1}], filename='a.xlsx')";
  const { artifact } = await invoke(code, { lang: 'py', code: make });
  const [file] = artifact.files;
  const content = await (await request('GET', `/download/${file.storage_session_id}/${file.id}`)).arrayBuffer();
  assert.equal(Buffer.from(content).subarray(0, 2).toString(), 'PK');
});

check('a removed file is reported', async () => {
  const [, { session_id, files }] = await upload('old.txt', 'x');
  const input = { id: files[0].fileId, name: 'old.txt', storage_session_id: session_id };
  const { artifact } = await invoke(code, { lang: 'py', code: "import os\nos.remove('/mnt/data/old.txt')" }, { _injected_files: [input] });
  assert.deepEqual(artifact.deleted_files, ['old.txt']);
});

check('files are listed, described and deleted', async () => {
  const [status, batch] = await upload('a.csv', 'a\n', '/upload/batch', [['b.txt', 'b']]);
  assert.equal(status, 200);
  assert.deepEqual([batch.message, batch.succeeded, batch.failed], ['success', 2, 0]);
  const session = batch.storage_session_id;
  const [first, second] = batch.files;
  const summary = await (await request('GET', `/files/${session}?detail=summary`)).json();
  const entry = summary.find((it) => it.name.startsWith(`${session}/${first.fileId}`));
  assert.ok(!Number.isNaN(Date.parse(entry.lastModified)));
  const refs = await fetchSessionFiles(base, session, { kind: 'user', id: 'u' }, authHeaders);
  assert.deepEqual(refs.map((it) => [it.id, it.name]).sort(), [[first.fileId, 'a.csv'], [second.fileId, 'b.txt']].sort());
  const metadata = await (await request('GET', `/sessions/${session}/objects/${first.fileId}`)).json();
  assert.equal(metadata.originalFilename, 'a.csv');
  assert.ok(metadata.lastModified);
  const deleted = await request('DELETE', `/files/${session}/${first.fileId}`);
  assert.equal(deleted.status, 200);
  const left = await (await request('GET', `/files/${session}?detail=full`)).json();
  assert.deepEqual(left.map((it) => it.metadata['original-filename']), ['b.txt']);
  assert.equal((await request('GET', `/download/${session}/${first.fileId}`)).status, 404);
});

check('a language that is missing is not tried again', async () => {
  for (const lang of ['bash', 'r', 'cpp']) {
    assert.match(await failure(code, { lang, code: 'x' }), /permanent capability mismatch. Do not retry/);
  }
  const bash = createBashExecutionTool({ baseUrl: base, authHeaders });
  assert.match(await failure(bash, { command: 'ls' }), /Do not retry/);
});

check('wrong bodies and identifiers are refused', async () => {
  const headers = { 'Content-Type': 'application/json' };
  const wrong = await request('POST', '/exec', { headers, body: JSON.stringify({ lang: 1 }) });
  assert.equal(wrong.status, 422);
  assert.ok((await wrong.json()).errors.length >= 2);
  assert.equal((await request('GET', '/files/short')).status, 400);
  assert.equal((await request('GET', `/files/${'x'.repeat(21)}`)).status, 404);
});

const calls = [];
const property = (type) => ({ type });
const weather = {
  name: 'get-weather',
  description: 'Returns the weather of a city',
  parameters: { type: 'object', properties: { city: property('string') }, required: ['city'] },
};
const add = {
  name: 'add',
  description: 'Adds two numbers',
  parameters: { type: 'object', properties: { a: property('number'), b: property('number') }, required: ['a', 'b'] },
};
const toolMap = new Map([
  ['get-weather', tool(async ({ city }) => {
    calls.push(['get-weather', city]);
    if (city === 'Atlantis') throw new Error('no such city');
    return { city, degrees: city.length };
  }, { name: 'get-weather', description: weather.description, schema: weather.parameters })],
  ['add', tool(async ({ a, b }) => {
    calls.push(['add', a, b]);
    return a + b;
  }, { name: 'add', description: add.description, schema: add.parameters })],
]);
const injected = { toolMap, toolDefs: [weather, add] };

/** Runs a script that calls tools; returns its text and the calls that were made. */
async function orchestrated(script, more = {}) {
  calls.length = 0;
  const { text, artifact } = await invoke(programmatic, { code: script }, { ...injected, ...more });
  return { text, artifact, calls: [...calls] };
}

check('a script calls tools in several rounds, each once', async () => {
  const { text, calls } = await orchestrated([
    'total = 0',
    "for city in ['Oslo', 'Rome', 'Lima']:",
    '    weather = await get_weather(city=city)',
    "    total = await add(a=total, b=weather['degrees'])",
    "print('total', total)",
  ].join('\n'));
  assert.match(text, /stdout:\ntotal 12/);
  assert.equal(calls.length, 6);
  assert.deepEqual(calls[5], ['add', 8, 4]);
});

check('calls that are awaited together are made together', async () => {
  const { text, calls } = await orchestrated([
    'import asyncio',
    "found = await asyncio.gather(*[get_weather(city=c) for c in ('Oslo', 'Bern')], add(a=1, b=2))",
    "print([it['city'] for it in found[:2]], found[2])",
  ].join('\n'));
  assert.match(text, /\['Oslo', 'Bern'\] 3/);
  assert.equal(calls.length, 3);
});

check('plain calls work without await', async () => {
  const { text } = await orchestrated("print(add(a=20, b=get_weather(city='Oslo')['degrees']))");
  assert.match(text, /24/);
});

check('an error of a tool is an exception', async () => {
  const { text } = await orchestrated([
    'try:',
    "    await get_weather(city='Atlantis')",
    'except Exception as error:',
    "    print('caught', error)",
  ].join('\n'));
  assert.match(text, /caught .*no such city/);
});

check('more rounds than other services allow', async () => {
  const { text, calls } = await orchestrated('n = 0\nfor _ in range(25):\n    n = await add(a=n, b=1)\nprint(n)');
  assert.match(text, /\n25/);
  assert.equal(calls.length, 25);
});

check('a programmatic script reads and writes files', async () => {
  const [, { session_id, files }] = await upload('users.csv', CSV);
  const input = { id: files[0].fileId, name: 'users.csv', storage_session_id: session_id, kind: 'user', resource_id: 'u' };
  const script = [
    "lines = open('/mnt/data/users.csv').read().splitlines()",
    'n = await add(a=len(lines), b=1)',
    "open('/mnt/data/n.txt', 'w').write(str(n))",
    'print(n)',
  ].join('\n');
  const { text, artifact } = await orchestrated(script, { _injected_files: [input] });
  assert.match(text, /\n5/);
  assert.deepEqual(artifact.files.map((it) => it.name), ['n.txt']);
});

check('an error of a programmatic script has its traceback', async () => {
  const error = await failure(programmatic, { code: 'await add(a=1, b=1)\n1 / 0' }, injected);
  assert.match(error, /Execution exited with code 1[\s\S]*line 2[\s\S]*ZeroDivisionError/);
});

check('a script that behaves differently is told so', async () => {
  const error = await failure(programmatic, { code: 'import time\nawait add(a=time.time_ns(), b=1)\nawait add(a=1, b=1)' }, injected);
  assert.match(error, /not those of an earlier round/);
});

check('a script that calls no tools runs without rounds', async () => {
  const { text } = await invoke(programmatic, { code: 'await asyncio.sleep(0)\nprint(7)', tool_manifest: [] }, injected);
  assert.match(text, /stdout:\n7/);
});

check('results of calls that were not made, and unknown tokens, are refused', async () => {
  const headers = { 'Content-Type': 'application/json' };
  const post = (body, as = key) => request('POST', '/exec/programmatic', { headers, as, body: JSON.stringify(body) });
  const first = await (await post({ code: 'print(await add(a=1, b=2))', tools: [add] })).json();
  assert.equal(first.status, 'tool_call_required');
  assert.deepEqual(first.tool_calls, [{ id: 'call_001', name: 'add', input: { a: 1, b: 2 } }]);
  const answer = (call_id) => ({ continuation_token: first.continuation_token, tool_results: [{ call_id, result: 3, is_error: false }] });
  assert.equal((await post(answer('call_999'))).status, 422);
  if (otherKey) {
    assert.equal((await post(answer('call_001'), otherKey)).status, 404);
  }
  // Without results, the same calls are wanted again.
  const again = await (await post({ continuation_token: first.continuation_token })).json();
  assert.deepEqual(again.tool_calls, first.tool_calls);
  const last = await (await post(answer('call_001'))).json();
  assert.deepEqual([last.status, last.stdout], ['completed', '3\n']);
  assert.equal((await post(answer('call_001'))).status, 404);
});

check('another tenant finds nothing', async () => {
  const other = otherKey;
  if (!other) return 'skipped: no other token';
  const [, { session_id, files }] = await upload('secret.txt', 'x');
  const { fileId } = files[0];
  const paths = [['GET', `/files/${session_id}`], ['GET', `/download/${session_id}/${fileId}`], ['DELETE', `/files/${session_id}/${fileId}`], ['GET', `/sessions/${session_id}/objects/${fileId}`]];
  for (const [method, path] of paths) {
    assert.equal((await request(method, path, { as: other })).status, 404, path);
  }
  const theirs = createCodeExecutionTool({ baseUrl: base, authHeaders: { 'X-API-Key': other } });
  await failure(theirs, { lang: 'py', code: '1' }, { _injected_files: [{ id: fileId, name: 'secret.txt', storage_session_id: session_id }] });
});

let failed = 0;
for (const [name, run] of checks) {
  try {
    const note = await run();
    console.log(`ok   ${name}${note ? ` (${note})` : ''}`);
  } catch (error) {
    failed += 1;
    console.log(`FAIL ${name}\n${String(error.stack ?? error).replace(/^/gm, '     ')}`);
  }
}
console.log(failed ? `${failed} of ${checks.length} checks failed` : `all ${checks.length} checks passed`);
process.exit(failed ? 1 : 0);
