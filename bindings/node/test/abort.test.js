// Cancellation by AbortSignal.
import assert from 'node:assert/strict';
import test from 'node:test';

import { render } from 'mitt-node';

import { bareHost, fails, host, price } from './setup.js';

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

test('a signal stops the sandbox within a second', async () => {
  const session = host().session();
  // The engine is compiled before the time is measured.
  await session.script('1', { language: 'python-lite' });
  const controller = new AbortController();
  const running = session.script('while True:\n    pass', { language: 'python-lite', signal: controller.signal });
  await sleep(300);
  const begun = performance.now();
  controller.abort(new Error('enough'));
  const error = await fails('cancelled', running);
  const took = performance.now() - begun;
  assert.equal(error.cause.message, 'enough');
  assert.equal(error.report, null);
  assert.ok(took < 1000, `${took} ms`);
  // The session goes on.
  assert.ok((await session.script('2', { language: 'python-lite' })).ok);
});

test('a time-out of a signal, and one that aborted before', async () => {
  const session = host().session();
  await fails('cancelled', session.script('while True:\n    pass', { language: 'python-lite', signal: AbortSignal.timeout(200) }));
  const signal = AbortSignal.abort(new Error('before'));
  const error = await fails('cancelled', session.call('shop__price', {}, { signal }), 'before it began');
  assert.equal(error.cause.message, 'before');
  await fails('cancelled', session.add(Buffer.from('a'), { name: 'a.txt', signal }));
  await fails('cancelled', session.add('/no/such/file', { signal }));
  await fails('cancelled', session.tools({ signal }));
  await fails('cancelled', session.run('a', { model: () => ({ content: 'a' }), signal }));
  await fails('cancelled', render('# a', 'pdf', { signal }));
});

test('a tool learns that nobody waits any more', async () => {
  const owner = bareHost();
  const session = owner.session();
  let aborted;
  const begun = new Promise((resolve) => {
    session.tool(price, (_, { signal }) => {
      resolve();
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          aborted = signal.reason;
          reject(signal.reason);
        });
      });
    });
  });
  const controller = new AbortController();
  const call = session.call('shop__price', { article: 'tea' }, { signal: controller.signal });
  await begun;
  controller.abort();
  await fails('cancelled', call);
  await sleep(20);
  assert.equal(aborted?.code, 'cancelled');
  // A tool that reaches its limit of time is the same.
  aborted = undefined;
  await fails('limit', session.call('shop__price', { article: 'tea' }, { timeout_ms: 50 }));
  await sleep(20);
  assert.equal(aborted?.code, 'cancelled');
});

test('rendering can be cancelled', async () => {
  const rows = Array.from({ length: 12_000 }, (_, n) => `| ${n} | ${n * n} |`).join('\n');
  const controller = new AbortController();
  const made = render(`| a | b |\n|---|---|\n${rows}\n`, 'pdf', { signal: controller.signal });
  await sleep(100);
  const begun = performance.now();
  controller.abort();
  await fails('cancelled', made);
  assert.ok(performance.now() - begun < 1000);
});

test('signals keep no listeners', async () => {
  const session = bareHost().session();
  session.tool(price, () => 1);
  const controller = new AbortController();
  const { signal } = controller;
  let listeners = 0;
  const [add, remove] = [signal.addEventListener, signal.removeEventListener];
  signal.addEventListener = (...all) => ((listeners += 1), add.apply(signal, all));
  signal.removeEventListener = (...all) => ((listeners -= 1), remove.apply(signal, all));
  for (let n = 0; n < 50; n += 1) await session.call('shop__price', { article: 'tea' }, { signal });
  assert.equal(listeners, 0);
});

test('what is no signal is refused, before anything begins', async () => {
  const session = bareHost().session();
  let calls = 0;
  session.tool(price, () => (calls += 1));
  for (const signal of [new AbortController(), 'now', 1]) {
    const error = await fails('arguments', session.call('shop__price', { article: 'tea' }, { signal }), 'options.signal: expected an AbortSignal');
    assert.ok(error.hint.includes('controller.signal'));
    await fails('arguments', session.add('/no/such/file', { signal }), 'options.signal');
    await fails('arguments', render('# a', 'pdf', { signal }), 'options.signal');
  }
  await sleep(50);
  assert.equal(calls, 0);
  assert.equal((await session.call('shop__price', { article: 'tea' }, { signal: null })).result, 1);
});
