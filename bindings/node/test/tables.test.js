// Tables go in and come out as Arrow's IPC stream.
import assert from 'node:assert/strict';
import test from 'node:test';

import { fails, host } from './setup.js';

const arrow = await import('apache-arrow').catch(() => undefined);
const skip = arrow === undefined && 'apache-arrow is not installed';

test('a table of apache-arrow', { skip }, async () => {
  const session = host().session();
  const table = arrow.tableFromArrays({
    city: ['A', 'B', 'C'], people: Int32Array.from([330, 130, 70]), share: Float64Array.from([0.5, 0.25, 0.25]),
  });
  const added = await session.addTable('cities', table);
  assert.deepEqual([added.name, added.tables[0].rows], ['cities', 3]);
  await session.addTable('bytes', arrow.tableToIPC(table, 'stream'));
  for (const name of ['cities', 'bytes']) {
    const report = await session.call('sql_tool__query', { sql: `SELECT sum(people) AS n FROM ${name}` });
    assert.ok(report.json.includes('530'), report.json);
  }
  const back = arrow.tableFromIPC(await session.table('cities'));
  assert.deepEqual(back.schema.fields.map(({ name }) => name), ['city', 'people', 'share']);
  assert.deepEqual([...back.getChild('people')].map(Number), [330, 130, 70]);
  assert.deepEqual([...back.getChild('city')].map(String), ['A', 'B', 'C']);
});

test('a million cells', { skip }, async () => {
  const session = host().session();
  const columns = Array.from({ length: 10 }, (_, n) => [`c${n}`, Float64Array.from({ length: 100_000 }, (_, row) => row * n)]);
  const table = arrow.tableFromArrays(Object.fromEntries(columns));
  await session.addTable('big', table);
  const back = arrow.tableFromIPC(await session.table('big'));
  assert.equal(back.numRows, 100_000);
  assert.deepEqual(back.getChild('c9').toArray(), table.getChild('c9').toArray());
});

test('a small table of many columns is small', { skip }, async () => {
  const session = host({ limits: { session: { documents_bytes: 100_000 } } }).session();
  const wide = (rows) => {
    const columns = Array.from({ length: 100 }, (_, n) => [`c${n}`, Float64Array.from({ length: rows }, (_, row) => row * n)]);
    return arrow.tableFromArrays(Object.fromEntries(columns));
  };
  const added = await session.addTable('wide', wide(3));
  assert.equal(added.tables[0].rows, 3);
  const error = await fails('limit', session.addTable('large', wide(1000)), 'table');
  assert.equal(error.limit.limit, 100_000);
});

test('what is no table is refused', async () => {
  const session = host().session();
  const error = await fails('input', session.addTable('a', Buffer.from('no stream')), "Arrow's IPC format");
  assert.ok(error.hint.includes('tableToIPC'));
  await fails('arguments', session.addTable('a', [{ a: 1 }]), 'expected a table of apache-arrow');
  await fails('input', session.table('towns'), 'towns');
});
