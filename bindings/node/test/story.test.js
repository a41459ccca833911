// The story of the README: two reports come in, a script compares them, a workbook and a PDF go out.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { pathToFileURL } from 'node:url';

import { examples, fails, host } from './setup.js';

const names = ['2024年经营报告.xlsx', '2025年经营报告.docx'];
const script = readFileSync(join(examples, 'script.py'), 'utf8');

test('two reports become a workbook and a PDF', async () => {
  const session = host().session({ tenant: 'acme' });
  const events = [];
  session.on((event) => events.push(event.event));
  const first = await session.add(join(examples, names[0]), { text: true });
  assert.equal(first.name, names[0]);
  assert.ok(first.tables[0].rows > 0 && first.text.includes('|'));
  const second = await session.add(readFileSync(join(examples, names[1])), { name: names[1] });
  assert.equal(second.tables.length, 1);
  assert.equal(second.text, undefined);

  const report = await session.script(script, { language: 'python-lite' });
  assert.ok(report.ok && report.result.stdout.includes('完成'), report.json);
  const files = session.artifacts();
  assert.deepEqual(files.map(({ name }) => name).sort(), ['2024-2025年经营对比.xlsx', '2024-2025年经营总结.pdf']);
  for (const { name, size } of files) {
    const bytes = await session.artifact(name);
    assert.ok(Buffer.isBuffer(bytes) && bytes.length === size);
    assert.ok(bytes.subarray(0, 5).toString('latin1').startsWith(name.endsWith('.pdf') ? '%PDF-' : 'PK'));
  }
  const state = session.state();
  assert.equal(state.tenant, 'acme');
  assert.deepEqual(state.documents.map(({ name }) => name), names);
  for (const expected of ['document_ready', 'call_started', 'call_finished', 'delivered']) {
    assert.ok(events.includes(expected), `${expected} in ${[...new Set(events)]}`);
  }
  await fails('input', session.artifact('none.pdf'), 'none.pdf');
});

test('a session has a folder, and a path may be a URL', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mitt-node-'));
  {
    const session = host().session({ folder: join(folder, 'out'), opens_folder_later: true });
    const added = await session.add(pathToFileURL(join(examples, names[0])), { name: 'a.xlsx' });
    assert.equal(added.name, 'a.xlsx');
    assert.deepEqual(readdirSync(folder), []);
    await session.script('import report\nreport.deliver(markdown="# a", filename="a.pdf", title="a")', { language: 'python-lite' });
    assert.ok(readdirSync(join(folder, 'out')).length > 0);
    session.close();
  }
  rmSync(folder, { recursive: true });
});

test('documents that cannot be read are named', async () => {
  const session = host().session();
  const missing = await fails('input', session.add('/no/such/report.xlsx'), 'ENOENT');
  assert.equal(missing.place, '/no/such/report.xlsx');
  const damaged = await fails('input', session.add(Buffer.from('PK\x03\x04 not a workbook'), { name: 'a.xlsx' }));
  assert.equal(typeof damaged.problem, 'string');
  await fails('arguments', session.add(Buffer.from('a')), 'options.name');
  await fails('arguments', session.add(7, { name: 'a' }), 'source: expected a path');
  await fails('arguments', session.add(Buffer.from('a'), { name: 'a.txt', pasword: 'x' }), 'did you mean `password`');
});

test('a model that was recorded does the same', async () => {
  const [, ...turns] = readFileSync(join(examples, 'model.jsonl'), 'utf8').trim().split('\n').map((line) => JSON.parse(line));
  const session = host({ script_engine: 'python-lite' }).session();
  for (const name of names) await session.add(join(examples, name));
  let asked = 0;
  const model = async ({ messages }) => {
    assert.ok(asked === 0 || messages.at(-1).role === 'tool');
    const { text, calls = [] } = turns[asked];
    asked += 1;
    const tool_calls = calls.map(({ id, name, arguments: given }) => {
      return { id, type: 'function', function: { name, arguments: JSON.stringify(given) } };
    });
    return { content: text, ...(calls.length > 0 && { tool_calls }) };
  };
  const delivered = [];
  const report = await session.run('请对比两年的 DAU 和营业收入，给我一份 Excel，并把总结导出为 PDF。', {
    model, tools: 'all', onEvent: ({ event, artifact }) => event === 'delivered' && delivered.push(artifact.name),
  });
  assert.ok(report.text.startsWith('已完成'), report.json);
  assert.deepEqual([report.turns, report.missing, report.calls.filter(({ ok }) => !ok)], [3, [], []]);
  assert.deepEqual([...report.delivered].sort(), [...delivered].sort());
  assert.deepEqual(delivered.length, 2);
  assert.ok((await session.artifact('2024-2025年经营总结.pdf')).length > 1000);
});
