// Worker threads: each has hosts of its own, and may end at any time.
import assert from 'node:assert/strict';
import test from 'node:test';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';

const file = new URL(import.meta.url);

/** Returns the messages of a worker until it ends. */
function ended(worker) {
  return new Promise((resolve, reject) => {
    const messages = [];
    worker.on('message', (message) => messages.push(message));
    worker.on('error', reject);
    worker.on('exit', (code) => resolve({ code, messages }));
  });
}

const started = (worker) => new Promise((resolve) => worker.once('message', resolve));

if (isMainThread) {
  const { bareHost, host, price } = await import('./setup.js');

  test('eight workers call tools at once', async () => {
    const workers = Array.from({ length: 8 }, (_, n) => ended(new Worker(file, { workerData: { task: 'calls', n } })));
    const own = bareHost();
    own.tool(price, () => 'main');
    assert.equal((await own.session().call('shop__price', { article: 'tea' })).result, 'main');
    for (const [n, { code, messages }] of (await Promise.all(workers)).entries()) {
      assert.deepEqual([code, messages], [0, [Array.from({ length: 50 }, (_, index) => index + n)]]);
    }
  });

  test('a worker may be ended while a script runs', async () => {
    await host().session().script('1', { language: 'python-lite' });
    const worker = new Worker(file, { workerData: { task: 'forever' } });
    const end = ended(worker);
    await started(worker);
    const begun = performance.now();
    await worker.terminate();
    await end;
    assert.ok(performance.now() - begun < 5000);
    // The process goes on.
    assert.ok((await host().session().script('2', { language: 'python-lite' })).ok);
  });

  test('a worker may be ended while a tool of it is asked', async () => {
    for (let n = 0; n < 5; n += 1) {
      const worker = new Worker(file, { workerData: { task: 'asked' } });
      const end = ended(worker);
      await started(worker);
      await worker.terminate();
      await end;
    }
  });

  test('a worker may leave by process.exit', async () => {
    const { code } = await ended(new Worker(file, { workerData: { task: 'exit' } }));
    assert.equal(code, 3);
  });
} else {
  const { bareHost, host } = await import('./setup.js');
  const { task, n } = workerData;
  if (task === 'forever') {
    const session = host().session();
    const running = session.script('while True:\n    pass', { language: 'python-lite' });
    setTimeout(() => parentPort.postMessage('runs'), 300);
    await running;
  } else {
    const session = bareHost().session({ onEvent: () => {} });
    session.tool({ name: 'my__add', parameters: { type: 'object', properties: { a: { type: 'integer' } } } }, ({ a }) => a + n);
    session.tool({ name: 'my__wait' }, () => {
      if (task === 'exit') process.exit(3);
      parentPort.postMessage('asked');
      return new Promise(() => {});
    });
    if (task === 'calls') {
      const calls = Array.from({ length: 50 }, (_, a) => session.call('my__add', { a }));
      parentPort.postMessage((await Promise.all(calls)).map(({ result }) => result));
    } else {
      await session.call('my__wait');
    }
  }
}
