// Files without a host.
import assert from 'node:assert/strict';
import test from 'node:test';

import { fill, render } from 'mitt-node';

import { fails, host } from './setup.js';

const markdown = '# Sales\n\n| city | sales |\n|---|---|\n| A | 1 |\n| B | 2 |\n';

test('Markdown becomes files of five formats', async () => {
  const begins = { pdf: '%PDF-', docx: 'PK', pptx: 'PK', xlsx: 'PK', html: '<' };
  const made = await Promise.all(Object.keys(begins).map((format) => render(markdown, format, { title: 'Sales', created_ms: 0 })));
  for (const [index, begin] of Object.values(begins).entries()) {
    assert.ok(made[index].bytes.toString('latin1').startsWith(begin));
    assert.ok(Array.isArray(made[index].warnings));
  }
  assert.equal(made[0].pages, 1);
  assert.ok(made[2].slides > 0);
  assert.deepEqual(made[3].sheets.map(({ rows }) => rows), [2]);
  const again = await render(markdown, 'pdf', { title: 'Sales', created_ms: 0 });
  assert.ok(again.bytes.equals(made[0].bytes));
});

test('what cannot be rendered is refused', async () => {
  await fails('arguments', render(markdown, 'odt'), 'expected pdf, docx, html, pptx, xlsx, got `odt`');
  await fails('arguments', render(markdown, 'pdf', { papr: 'a4' }), 'did you mean `paper`');
  await fails('arguments', render(1, 'pdf'), 'markdown: expected a string');
});

test('a template is filled', async () => {
  const template = await render('# {{title}}\n\nDear {{name}},\n', 'docx');
  const filled = await fill(template.bytes, { title: 'Offer', name: 'Ada' });
  assert.ok(filled.bytes.subarray(0, 2).toString() === 'PK' && !filled.bytes.equals(template.bytes));
  await fails('arguments', fill(template.bytes, { title: 'Offer' }), 'name');
  await fails('input', fill(Buffer.from('no template'), {}), 'expected a workbook or a Word file');
  await fails('input', fill('/no/such/template.docx', {}), 'ENOENT');
  await fails('arguments', fill(template.bytes, 'no object'), 'values: expected an object');
});

const program = process.env.MITT;

test('a host may compile and typeset in processes of its own', { skip: !program && 'the program mitt is not built' }, async () => {
  const session = host({ worker: program, worker_required: true }).session();
  const source = 'import report\nreport.deliver(markdown="# a", filename="a.pdf", title="a")';
  await session.script(source, { language: 'python-lite' });
  assert.ok((await session.artifact('a.pdf')).toString('latin1').startsWith('%PDF-'));
  const without = host({ worker: '/no/such/mitt', worker_required: true }).session();
  const error = await fails('host', without.script(source, { language: 'python-lite' }));
  assert.ok(error.text.includes('worker'), error.text);
});
