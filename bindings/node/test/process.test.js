// Hosts in a child process. With `MITT_TEST_MODE=process`, all other tests run in that mode, too.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { Worker } from 'node:worker_threads';

import { Host } from 'mitt-node';

import { fails, price } from './setup.js';

// Modules that the package does not export.
const inside = (name) => import(new URL(name, import.meta.resolve('mitt-node')));
const { clients } = await inside('process.js');
const { EventQueue, Inbox, WrongMessage, limits, packed } = await inside('channel.js');
const { work } = await inside('bridge.js');

const skip = process.env.MITT_TEST_MODE === 'thread' && 'it is for the other mode';
const bare = { mode: 'process', bundled: false, cache: false, threads: 2 };
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Returns a host and its process. */
function started(options = {}) {
  const host = new Host({ ...bare, ...options });
  return { host, client: [...clients].at(-1) };
}

/** Returns `true` if a process runs or is stopped. One that ended may wait for its parent. */
function isThere(pid) {
  try {
    return !['Z', 'X'].includes(readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1][0]);
  } catch {
    return false;
  }
}

async function ended(pid) {
  for (let n = 0; n < 200 && isThere(pid); n += 1) await sleep(50);
  return !isThere(pid);
}

/** Adds a tool that does not answer. The promise is one of the signal that it gets. */
function sleeper(session) {
  return new Promise((resolve) => {
    session.tool({ name: 'my__sleep', timeout_ms: 60_000 }, (_, { signal }) => new Promise(() => resolve(signal)));
  });
}

/** Changes limits until the test ends. */
function limited(context, changed) {
  const before = { ...limits };
  Object.assign(limits, changed);
  context.after(() => Object.assign(limits, before));
}

test('after a crash the next session works', { skip }, async () => {
  const { host, client } = started();
  host.tool(price, ({ article }) => article.length);
  const session = host.session();
  const begun = sleeper(session);
  assert.equal((await session.call('shop__price', { article: 'tea' })).result, 3);
  const pending = session.call('my__sleep');
  const { promise: aborted, resolve } = withResolvers();
  (await begun).addEventListener('abort', resolve);
  process.kill(client.pid, 'SIGKILL');
  const error = await fails('crashed', pending, 'ended with SIGKILL');
  assert.ok(error.retryable && error.hint.includes('another session'), error.text);
  await aborted;
  await fails('crashed', session.call('shop__price', { article: 'tea' }));
  await fails('crashed', () => session.state());
  await fails('crashed', () => session.tool({ name: 'my__one' }, () => 1));
  session.close();
  const again = host.session();
  assert.equal((await again.call('shop__price', { article: 'rice' })).result, 4);
  assert.equal(clients.has(client), false);
});

function withResolvers() {
  let resolve;
  const promise = new Promise((given) => {
    resolve = given;
  });
  return { promise, resolve };
}

test('a session works that is made before the program notices a crash', { skip }, async () => {
  const { host, client } = started();
  host.tool(price, () => 1);
  process.kill(client.pid, 'SIGKILL');
  const session = host.session();
  assert.equal((await session.call('shop__price', { article: 'tea' })).result, 1);
  const other = [...clients].at(-1);
  process.kill(other.pid, 'SIGKILL');
  host.tool({ name: 'my__two' }, () => 2);
  assert.equal((await host.session().call('my__two')).result, 2);
  assert.equal((await host.session().call('shop__price', { article: 'tea' })).result, 1);
});

test('the process ends with the last session', { skip }, async () => {
  const { host, client } = started();
  host.tool(price, () => 1);
  const [session, other] = [host.session(), host.session()];
  const begun = sleeper(other);
  host.close();
  assert.equal((await session.call('shop__price', { article: 'tea' })).result, 1);
  session.close();
  const controller = new AbortController();
  const pending = other.call('my__sleep', {}, { signal: controller.signal });
  await begun;
  other.close();
  await sleep(100);
  // A call keeps its session.
  assert.ok(isThere(client.pid));
  controller.abort();
  await fails('cancelled', pending);
  assert.ok(await ended(client.pid));
});

test('hosts that were closed leave no process and no descriptor', { skip }, async () => {
  const descriptors = () => readdirSync('/proc/self/fd').length;
  const pids = [];
  const use = async () => {
    const { host, client } = started();
    pids.push(client.pid);
    const session = host.session();
    await session.tools();
    session[Symbol.dispose]();
    host[Symbol.dispose]();
    assert.ok(await ended(client.pid));
  };
  await use();
  await sleep(100);
  const [before, kept] = [descriptors(), clients.size];
  for (let n = 0; n < 10; n += 1) await use();
  await sleep(100);
  assert.ok(descriptors() <= before && clients.size <= kept, `${before} descriptors, then ${descriptors()}`);
});

test('a host that fails leaves no process', { skip }, async () => {
  await fails('arguments', () => new Host({ ...bare, threads: 0 }), 'expected 1 to 256 threads');
  const client = [...clients].at(-1);
  assert.ok(await ended(client.pid));
  await sleep(100);
  assert.ok(!clients.has(client));
});

test('modes and programs that are refused', { skip }, async (context) => {
  const mode = await fails('arguments', () => new Host({ mode: 'fiber' }), 'expected `thread` or `process`, got `fiber`');
  assert.equal(mode.place, 'options.mode');
  await fails('arguments', () => new Host({ interpreter: process.execPath }), 'a process of its own');
  await fails('arguments', () => new Host({ mode: 'process', interpreter: 7 }), 'expected the path of a program');
  const folder = mkdtempSync(join(tmpdir(), 'mitt-node-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const program = (name, text) => {
    writeFileSync(join(folder, name), text, { mode: 0o755 });
    return join(folder, name);
  };
  const node = (text) => `#!/bin/sh\nexec '${process.execPath}' -e "${text}" -- "$@"\n`;
  const greeting = packed(['mitt-child', '0.0.0'])[0].toString('base64');
  const greets = `require('fs').writeSync(4, Buffer.from('${greeting}', 'base64')); setTimeout(() => {}, 60000);`;
  limited(context, { greetingMs: 3000 });
  for (const [path, problem] of [
    [program('ends', '#!/bin/sh\nexit 3\n'), 'ended before it greeted'],
    [program('hangs', '#!/bin/sh\nexec sleep 60\n'), 'does not greet within 3 s'],
    [program('talks', '#!/bin/sh\necho welcome to this program >&4\nexec sleep 60\n'), 'something else than a greeting'],
    [program('old', node(greets)), 'another version'],
    [program('other', node("process.argv[2] = '/no/library'; import(process.argv[1]);")), 'cannot load the library: Cannot find module'],
    [join(folder, 'none'), 'cannot be started: ENOENT'],
  ]) {
    const error = await fails('arguments', () => new Host({ ...bare, interpreter: path }), problem);
    assert.ok(error.place === 'options.interpreter' && error.message.includes(path) && error.hint.includes('interpreter:'), error.text);
  }
  const host = new Host({ ...bare, interpreter: process.execPath });
  assert.deepEqual((await host.session().tools()).tools, []);
});

test('the process outlives Ctrl-C', { skip }, async () => {
  const { host, client } = started();
  host.tool(price, () => 1);
  const session = host.session();
  process.kill(client.pid, 'SIGINT');
  await sleep(200);
  assert.equal((await session.call('shop__price', { article: 'tea' })).result, 1);
});

test('a signal ends a call of a stopped process', { skip }, async (context) => {
  const { host, client } = started();
  context.after(() => client.kill());
  host.tool(price, () => 1);
  const [session, other] = [host.session(), host.session()];
  const begun = sleeper(other);
  const sleeping = other.call('my__sleep').catch((error) => error);
  await begun;
  process.kill(client.pid, 'SIGSTOP');
  const from = performance.now();
  const call = session.call('shop__price', { article: 'tea' }, { signal: AbortSignal.timeout(200) });
  const error = await fails('cancelled', call, 'was killed');
  const took = performance.now() - from;
  assert.ok(took > 1500 && took < 15_000, `${took} ms`);
  assert.equal(error.cause.name, 'TimeoutError');
  // The process is gone with all its sessions. The other call was not cancelled.
  assert.equal((await sleeping).code, 'crashed');
  assert.ok(await ended(client.pid));
  assert.equal((await host.session().call('shop__price', { article: 'tea' })).result, 1);
});

test('what waits for a stopped process ends, too', { skip }, async (context) => {
  limited(context, { answerMs: 500 });
  const { host, client } = started();
  context.after(() => client.kill());
  const session = host.session();
  process.kill(client.pid, 'SIGSTOP');
  await fails('crashed', () => session.state(), 'did not answer within 0.5 s');
  assert.ok(await ended(client.pid));
  assert.deepEqual((await host.session().tools()).tools, []);
});

test('a process that ends its work lives', { skip }, async () => {
  const { host, client } = started();
  const session = host.session();
  const begun = sleeper(session);
  const controller = new AbortController();
  const pending = session.call('my__sleep', {}, { signal: controller.signal });
  await begun;
  controller.abort();
  await fails('cancelled', pending);
  await sleep(2500);
  assert.ok(isThere(client.pid) && (await session.tools()).tools.length === 1);
});

test('a process that lives and does not end its work is killed', { skip }, async (context) => {
  limited(context, { looksIfAlive: 30 });
  const { client } = started();
  // Another host of this process. What closes it gives no result.
  client.ask(['host', 900_001], ['{"bundled": false, "cache": false}']);
  const controller = new AbortController();
  const from = performance.now();
  const never = work(client, controller.signal, (number) => client.request(number, 900_001, 'close', []), () => {});
  controller.abort();
  await fails('cancelled', never, 'was killed');
  assert.ok(performance.now() - from > 2500);
  assert.ok(await ended(client.pid));
});

test('bytes are those of the time of the call', { skip }, async () => {
  const { host } = started();
  const bytes = Buffer.alloc(1 << 20, 'a,b\n1,2\n');
  const [session, other] = [host.session(), host.session()];
  const added = [session.add(bytes, { name: 'a.csv' }), other.add(Buffer.from(bytes), { name: 'a.csv' })];
  bytes.fill(0);
  const [first, second] = await Promise.all(added);
  assert.equal(first.sha256, second.sha256);
});

test('what a process does not take is refused', { skip }, async (context) => {
  const { host, client } = started();
  context.after(() => client.kill());
  const session = host.session();
  await session.tools();
  limited(context, { waitingBytes: 10_000_000 });
  process.kill(client.pid, 'SIGSTOP');
  const [first, second] = [0, 1].map((n) => session.add(Buffer.alloc(11_000_000), { name: `${n}.txt` }));
  const busy = await fails('busy', second, 'has not taken');
  assert.ok(busy.retryable && busy.retry_after_ms > 0);
  process.kill(client.pid, 'SIGCONT');
  await first.catch(() => {});
  limits.messageBytes = 1000;
  await fails('limit', session.add(Buffer.alloc(1001), { name: 'a.txt' }), 'at most 1000 bytes');
});

/** Runs a program with a host in a process, and returns what it prints after the number of that process. */
async function program(source, { flags = [], env = {}, onStart } = {}) {
  const text = `import { readFileSync, readlinkSync } from 'node:fs'; import { Host } from 'mitt-node';
    const { clients } = await import(new URL('process.js', import.meta.resolve('mitt-node')));
    const host = new Host(${JSON.stringify(bare)});
    host.tool({ name: 'my__sleep' }, () => new Promise(() => {}));
    host.tool({ name: 'my__one' }, () => 1);
    const [{ pid }] = clients;
    console.log(pid);
    ${source}`;
  const child = spawn(process.execPath, [...flags, '--input-type=module', '-e', text], {
    cwd: import.meta.dirname, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [printed, errors] = ['', ''];
  child.stderr.on('data', (data) => {
    errors += data;
  });
  child.stdout.on('data', (data) => {
    if (printed === '') onStart?.(child, Number.parseInt(data, 10));
    printed += data;
  });
  const [code, signal] = await once(child, 'close');
  const [pid, ...lines] = printed.trim().split('\n');
  assert.ok(Number(pid) > 0, errors);
  return { code, signal, pid: Number(pid), lines, errors };
}

test('the process ends with the program, in whatever way that ends', { skip }, async () => {
  const calls = 'const pending = host.session().call("my__sleep");';
  const stop = (_, pid) => process.kill(pid, 'SIGSTOP');
  for (const [source, code, onStart] of [
    ['', 0],
    ['const session = host.session(); await session.tools(); session.close(); host.close();', 0],
    [`${calls} process.exit(3);`, 3],
    [`${calls} throw new Error('on purpose');`, 1],
    [`${calls} await pending;`, null, (child) => child.kill('SIGKILL')],
    [`${calls} await pending;`, null, (child) => child.kill('SIGTERM')],
    ['setTimeout(() => process.exit(host === undefined ? 1 : 4), 500);', 4, stop],
    ['host.close(); setTimeout(() => process.exit(5), 500);', 5, stop],
  ]) {
    const { code: got, pid, errors } = await program(source, { onStart });
    assert.equal(got, code, `${source}: ${errors}`);
    assert.ok(await ended(pid), `${source}: the process is there`);
  }
});

test('the process of a worker thread ends with the thread', { skip }, async () => {
  const own = import.meta.resolve('mitt-node');
  const source = `Promise.all([import('${own}'), import('${new URL('process.js', own)}')])
    .then(([{ Host }, { clients }]) => {
      const host = new Host(${JSON.stringify(bare)});
      host.tool({ name: 'my__sleep' }, () => {
        require('node:worker_threads').parentPort.postMessage([...clients][0].pid);
        return new Promise(() => {});
      });
      return host.session().call('my__sleep');
    });`;
  const worker = new Worker(source, { eval: true });
  const [pid] = await once(worker, 'message');
  assert.ok(isThere(pid));
  await worker.terminate();
  assert.ok(await ended(pid));
});

test('output and options of the program are not those of the process', { skip }, async () => {
  const source = `
    console.log((await host.session().call('my__one')).result);
    console.log(readlinkSync(\`/proc/\${pid}/fd/1\`) === readlinkSync('/proc/self/fd/2'), process.execArgv.length > 0);`;
  const inspected = await program(source, { flags: ['--inspect=0', '--stack-trace-limit=5'] });
  assert.deepEqual([inspected.lines, inspected.code], [['1', 'true true'], 0]);
  const { errors, lines } = await program(source, { flags: ['--no-warnings'], env: { NODE_OPTIONS: '--inspect=0' } });
  assert.deepEqual(lines, ['1', 'true true']);
  // Only the program has a debugger.
  assert.equal(errors.split('Debugger listening').length, 2, errors);
});

test('a program needs no library of its own', { skip }, async () => {
  const { lines } = await program(`
    await host.session().tools();
    for (const file of ['self', pid]) console.log(readFileSync(\`/proc/\${file}/maps\`, 'utf8').includes('mitt.node'));`);
  assert.deepEqual(lines, ['false', 'true']);
});

test('one file with Node inside does not start itself', { skip }, () => {
  const text = `process.pkg = {};
    const { Host } = await import('mitt-node');
    try { new Host(${JSON.stringify(bare)}); } catch ({ code, place, hint }) { console.log(code, place, hint.includes('/usr/bin/node')); }
    const host = new Host({ ...${JSON.stringify(bare)}, interpreter: process.execPath });
    console.log((await host.session().tools()).tools.length);`;
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', text], { cwd: import.meta.dirname, encoding: 'utf8' });
  assert.equal(said, 'arguments options.interpreter true\n0\n');
});

/** A socket that sends when `sent` is called. */
class SlowSocket {
  messages = [];
  #callbacks = [];

  write(buffer, callback) {
    this.messages.push(buffer);
    if (callback) this.#callbacks.push(callback);
  }

  cork() {}

  uncork() {}

  sent() {
    for (const callback of this.#callbacks.splice(0)) callback();
  }

  /** Returns the events that were sent, in their order. */
  events() {
    const all = [];
    new Inbox().add(Buffer.concat(this.messages), ([, ...sessions], parts) => {
      sessions.forEach((session, at) => all.push([session, JSON.parse(parts[at])]));
    });
    return all;
  }
}

test('events that a slow program does not take are dropped and counted', { skip }, (context) => {
  limited(context, { events: 100, eventBytes: 1_000_000 });
  const socket = new SlowSocket();
  const queue = new EventQueue(socket);
  for (let n = 0; n < 1000; n += 1) queue.add(1 + (n % 2), JSON.stringify({ n }));
  assert.equal(socket.messages.length, 1);
  for (let n = 0; n < 10; n += 1) socket.sent();
  for (let n = 1000; n < 1010; n += 1) queue.add(1, JSON.stringify({ n }));
  queue.flush();
  const events = socket.events();
  const numbers = events.map(([, { n }]) => n).filter((n) => n !== undefined);
  assert.deepEqual(numbers, [...Array(100).keys(), ...Array.from({ length: 10 }, (_, n) => 1000 + n)]);
  assert.deepEqual(events.filter(([, { event }]) => event !== undefined), [1, 2].map((session) => {
    return [session, { event: 'events_dropped', count: 450 }];
  }));
  // The gap is where the events were.
  assert.equal(events[100][1].event, 'events_dropped');
  // Large texts fill it, too.
  socket.sent();
  const before = socket.events().length;
  for (let n = 0; n < 20; n += 1) queue.add(1, JSON.stringify('a'.repeat(100_000)));
  for (let n = 0; n < 10; n += 1) socket.sent();
  const [, last] = socket.events().at(-1);
  assert.ok(last.event === 'events_dropped' && last.count > 10 && socket.events().length < before + 10, JSON.stringify(last));
});

test('messages arrive in whatever pieces they come', { skip }, (context) => {
  const parts = ['', 'text 文', null, Buffer.alloc(40_000, 7), Buffer.alloc(0)];
  const sent = Buffer.concat([...packed(['a', 1], parts), ...packed([2]), ...packed(['b', true], ['c'])]);
  for (const size of [1, 7, 8, 9, 1000, 39_000, sent.length]) {
    const inbox = new Inbox();
    const got = [];
    for (let at = 0; at < sent.length; at += size) inbox.add(sent.subarray(at, at + size), (...message) => got.push(message));
    assert.deepEqual(got, [[['a', 1], parts], [[2], []], [['b', true], ['c']]], `pieces of ${size}`);
  }
  const refused = (bytes) => assert.throws(() => new Inbox().add(bytes, () => {}), WrongMessage);
  const head = (size, text, rest = '') => {
    const bytes = Buffer.alloc(8);
    bytes.writeUInt32BE(size, 0);
    bytes.writeUInt32BE(text, 4);
    return Buffer.concat([bytes, Buffer.from(rest)]);
  };
  for (const text of ['{', '[1,[]]', '[[1],[9]]', '[[1],[[-3]]]', '[[1],["a"]]', '[[1],[1e99]]', '[[1]]', 'null']) {
    refused(head(text.length, text.length, text));
  }
  refused(head(3, 4, 'abcd'));
  refused(head(4, 0, 'abcd'));
  refused(head(2 ** 32 - 1, 4, 'abcd'));
  limited(context, { messageBytes: 100 });
  refused(head(101, 4, 'abcd'));
  assert.equal(packed([1], ['a'.repeat(100)]), undefined);
});
