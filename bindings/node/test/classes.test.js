// Hosts and sessions as objects: options, closing, listeners, the life of the process.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import test from 'node:test';

import { MittError, programPath, version } from 'mitt-node';

import { Host, bareHost, fails, price } from './setup.js';

test('options are checked, and the place is named', async () => {
  const wrong = await fails('arguments', () => new Host({ limits: { call: { fule: 1 } } }), 'did you mean `fuel`');
  assert.equal(wrong.place, 'options.limits.call');
  await fails('arguments', () => new Host({ threads: 0 }), 'expected 1 to 256 threads');
  await fails('arguments', () => new Host([]), 'options: expected an object, got an array');
  await fails('arguments', () => new Host({ cache: 1n }), 'BigInt');
  await fails('load', () => new Host({ skills: ['/no/such/folder'] }), 'folder');
  await fails('arguments', () => bareHost().session({ tenan: 'a' }), 'did you mean `tenant`');
  await fails('arguments', () => bareHost().session({ destructive: 'ask' }), 'options.destructive');
  await fails('arguments', () => bareHost().session({ onEvent: 1 }), 'options.onEvent');
  await fails('arguments', bareHost().session().call(1), 'tool: expected a string, got number');
});

test('an error has everything that a program needs', () => {
  const error = new MittError({ kind: 'input', message: 'a', hint: 'b' });
  assert.ok(error instanceof Error);
  assert.deepEqual([error.name, error.code, error.hint, error.retryable], ['MittError', 'input', 'b', false]);
  assert.match(version, /^\d+\.\d+\.\d+$/);
  assert.ok(programPath() === undefined || programPath().endsWith('/mitt'));
});

test('closed hosts and sessions refuse everything', async () => {
  const owner = bareHost();
  owner.tool(price, () => 1);
  const session = owner.session();
  owner.close();
  owner.close();
  await fails('invalid-handle', () => owner.session(), 'the host was closed');
  await fails('invalid-handle', () => owner.tool(price, () => 1));
  // The session keeps its host.
  assert.equal((await session.call('shop__price', { article: 'tea' })).result, 1);
  const pending = session.call('shop__price', { article: 'tea' });
  session.close();
  session.close();
  assert.equal((await pending).result, 1);
  for (const use of [
    () => session.call('a__b'), () => session.script('1'), () => session.add('a'), () => session.tools(), () => session.state(),
    () => session.artifacts(), () => session.artifact('a'), () => session.table('a'), () => session.addTable('a', Buffer.alloc(0)),
    () => session.resume('a', 'approve'), () => session.run('a', { model: () => {} }), () => session.tool(price, () => 1),
    () => session.on(() => {}),
  ]) {
    await fails('invalid-handle', use, 'the session was closed');
  }
});

test('a session that cannot be opened says so each time', async () => {
  const session = bareHost().session({ folder: '/proc/no/such/folder' });
  await fails('host', session.call('my__one'), '/proc/no');
  await fails('host', () => session.state(), '/proc/no');
});

test('`using` closes', async () => {
  const owner = bareHost();
  const session = owner.session();
  session[Symbol.dispose]();
  owner[Symbol.dispose]();
  await fails('invalid-handle', () => owner.session());
  await fails('invalid-handle', session.tools());
});

test('listeners come and go', async () => {
  const owner = bareHost();
  owner.tool(price, () => 1);
  const seen = [];
  const session = owner.session({ onEvent: ({ event }) => seen.push(event) });
  const other = ({ event, call }) => seen.push(`${event} ${call}`);
  session.on(other).on(other);
  await session.call('shop__price', { article: 'tea' });
  assert.equal(seen.filter((event) => event === 'call_finished').length, 1);
  assert.equal(seen.filter((event) => event === 'call_finished 1').length, 1);
  session.off(other);
  const before = seen.length;
  await session.call('shop__price', { article: 'tea' });
  assert.ok(seen.length > before && !seen.includes('call_finished 2'));
});

/** Runs a program in a process of its own. */
function inProcess(source) {
  const text = `import { Host } from './setup.js';
    const host = new Host({ bundled: false, cache: false, threads: 1 });
    ${source}`;
  return execFileSync(process.execPath, ['--input-type=module', '-e', text], {
    cwd: import.meta.dirname, encoding: 'utf8', timeout: 60_000, stdio: ['ignore', 'pipe', 'pipe'],
  });
}

test('the process lives while work is pending, and not longer', () => {
  const slow = `host.tool({ name: 'my__slow' }, () => new Promise((resolve) => setTimeout(resolve, 300, 'done').unref()));`;
  assert.equal(inProcess(`${slow} host.session().call('my__slow').then(({ result }) => console.log(result));`), 'done\n');
  assert.equal(inProcess('host.session(); console.log("ended");'), 'ended\n');
  // It may end while work is pending.
  assert.equal(inProcess(`${slow} host.session().call('my__slow'); setTimeout(() => { console.log('left'); process.exit(0); }, 50);`), 'left\n');
});

test('a mistake in a listener is an uncaught exception', () => {
  const source = `
    process.on('uncaughtException', (error) => console.log(error.message));
    host.tool({ name: 'my__one' }, () => 1);
    const session = host.session({ onEvent: ({ event }) => { if (event === 'call_started') throw new Error('oh'); } });
    console.log((await session.call('my__one')).result);`;
  assert.deepEqual(inProcess(source).split('\n').sort(), ['', '1', 'oh']);
});

const withCollector = `import v8 from 'node:v8'; import vm from 'node:vm';
  v8.setFlagsFromString('--expose-gc'); globalThis.gc = vm.runInNewContext('gc');`;

test('functions of definitions that were refused are forgotten', () => {
  const source = `
    let freed = 0;
    const registry = new FinalizationRegistry(() => { freed += 1; });
    const session = host.session();
    function refused(owner, definition) {
      const callback = () => 1;
      registry.register(callback, 1);
      try {
        owner.tool(definition, callback);
      } catch {
        return;
      }
      console.log('it was not refused');
    }
    for (const owner of [host, session]) for (const definition of [undefined, { name: 1n }, { name: 'shop' }]) refused(owner, definition);
    for (let n = 0; n < 200 && freed < 6; n += 1) { await new Promise((r) => setTimeout(r, 10)); globalThis.gc(); }
    console.log(freed);`;
  assert.equal(inProcess(`${withCollector} ${source}`), '6\n');
});

test('events arrive while a program holds only the promise of a call', () => {
  const source = `
    host.tool({ name: 'my__slow' }, () => new Promise((resolve) => setTimeout(resolve, 300, 1)));
    const seen = [];
    const pending = (() => host.session({ onEvent: ({ event }) => seen.push(event) }).call('my__slow'))();
    for (let n = 0; n < 10; n += 1) { await new Promise((r) => setTimeout(r, 20)); globalThis.gc(); }
    await pending;
    console.log(seen.includes('call_finished'));`;
  assert.equal(inProcess(`${withCollector} ${source}`), 'true\n');
});

test('functions are forgotten with their sessions', () => {
  const source = `
    let freed = 0;
    const registry = new FinalizationRegistry(() => { freed += 1; });
    async function once(n) {
      const callback = () => n;
      registry.register(callback, n);
      const session = host.session();
      session.tool({ name: 'my__n' }, callback);
      await session.call('my__n');
      session.close();
    }
    for (let n = 0; n < 20; n += 1) await once(n);
    for (let n = 0; n < 200 && freed < 20; n += 1) { await new Promise((r) => setTimeout(r, 10)); globalThis.gc(); }
    console.log(freed);`;
  assert.equal(inProcess(`${withCollector} ${source}`), '20\n');
});

test('a machine without a library is named, with the way out', () => {
  const text = `Object.defineProperty(process, 'platform', { value: 'sunos' });
    import('mitt-node').catch((error) => console.log(error.message));`;
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', text], { cwd: import.meta.dirname, encoding: 'utf8' });
  assert.match(said, /cannot load the package mitt-node-sunos-\w+; install without `--omit=optional`/);
});

test('CommonJS can require the package', () => {
  const require = createRequire(import.meta.url);
  assert.equal(require('mitt-node').version, version);
});
