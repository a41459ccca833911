// Tools in JavaScript, errors, limits, rules, approvals.
import assert from 'node:assert/strict';
import test from 'node:test';

import { bareHost, fails, host, price } from './setup.js';

const cents = async ({ article }) => {
  if (article === 'tea') return { cents: 450 };
  throw Object.assign(new Error('there is no such article'), { code: 'input', hint: 'ask for tea', retryable: true });
};

test('a function of Node is a tool', async () => {
  const owner = bareHost();
  owner.tool(price, cents);
  const session = owner.session();
  const report = await session.call('shop__price', { article: 'tea' });
  assert.deepEqual(report.result, { cents: 450 });
  assert.ok(report.usage.duration_us > 0 && report.attempts === 1);
  const { tools, problems } = await session.tools();
  assert.deepEqual([tools.map(({ name }) => name), problems], [['shop__price'], []]);
  assert.deepEqual(tools[0].parameters.required, ['article']);

  const error = await fails('input', session.call('shop__price', { article: 'rice' }), 'no such article');
  assert.deepEqual([error.hint, error.retryable, error.report.ok], ['ask for tea', true, false]);
  const wrong = await fails('arguments', session.call('shop__price', { artikel: 'tea' }), 'did you mean `article`');
  assert.deepEqual([wrong.place, wrong.details.length], ['/artikel', 2]);
  await fails('unknown-tool', session.call('shop__prize'), 'shop__price');
  await fails('arguments', session.call('shop__price', { article: 'tea' }, { timeout: 1 }), 'did you mean `timeout_ms`');
  await fails('arguments', session.call('shop__price', '{"article": '));
});

test('a tool of one session is no tool of another', async () => {
  const owner = bareHost();
  const [one, other] = [owner.session(), owner.session()];
  one.tool(price, cents);
  assert.equal((await one.call('shop__price', { article: 'tea' })).result.cents, 450);
  await fails('unknown-tool', other.call('shop__price', { article: 'tea' }));
  const late = await fails('arguments', () => one.tool({ ...price, name: 'shop__other' }, cents), 'opened already');
  assert.ok(late.hint.includes('before the first'));
});

test('numbers keep their digits as text', async () => {
  const session = bareHost().session();
  session.tool({ name: 'my__echo', parameters: { type: 'object', properties: { n: { type: 'integer' } } } }, ({ n }) => n);
  const report = await session.call('my__echo', '{"n": 9007199254740991}');
  assert.equal(report.result, 9007199254740991);
  assert.ok(report.json.includes('9007199254740991'));
  assert.ok(!Object.keys(report).includes('json'));
});

test('wrong answers of a tool are errors of the call', async () => {
  const session = bareHost().session();
  const named = (name, callback) => session.tool({ name }, callback);
  named('my__nothing', () => undefined);
  named('my__function', () => () => 1);
  named('my__big', () => 10n);
  const row = { id: 1 };
  named('my__rows', () => ({ rows: [row, { twice: row, 'a/b': 9007199254740993n }] }));
  named('my__circle', () => {
    const circle = {};
    return Object.assign(circle, { circle });
  });
  named('my__text', () => {
    throw 'no stock';
  });
  named('my__large', () => 'a'.repeat(17 << 20));
  named('my__busy', () => {
    throw Object.assign(new Error('later'), { code: 'busy' });
  });
  named('my__bare', () => {
    throw Object.create(null);
  });
  named('my__getter', () => {
    throw { get message() { throw new Error('no'); } };
  });
  named('my__half', () => {
    throw new Error('half \ud83d');
  });
  assert.equal((await session.call('my__nothing')).result, null);
  await fails('plugin', session.call('my__bare'), 'the function threw a value without a text, of the type object');
  await fails('plugin', session.call('my__getter'), 'the function threw a value without a text');
  assert.equal((await fails('plugin', session.call('my__half'))).message, 'half \ufffd');
  await fails('plugin', session.call('my__function'), 'expected a value that JSON has, got a function');
  const big = await fails('plugin', session.call('my__big'), 'result of the tool `my__big`: expected a value that JSON has, got a BigInt');
  assert.ok(big.hint.includes('String(value)') && big.hint.includes('2^53'), big.text);
  await fails('plugin', session.call('my__rows'), 'result of the tool `my__rows`: expected a value that JSON has, got a BigInt at `/rows/1/a~1b`');
  await fails('plugin', session.call('my__circle'), 'result of the tool `my__circle`: expected a value that JSON has: Converting circular');
  await fails('arguments', session.call('my__nothing', { n: [1n] }), 'got a BigInt at `/n/0`');
  await fails('plugin', session.call('my__text'), 'no stock');
  await fails('limit', session.call('my__large'));
  // Only four kinds are for tools.
  await fails('plugin', session.call('my__busy'), 'later');
});

test('definitions are checked', async () => {
  const owner = bareHost();
  await fails('arguments', () => owner.tool({ name: 'shop' }, cents), 'definition.name');
  await fails('arguments', () => owner.tool({ ...price, readonly: true }, cents), 'did you mean `read_only`');
  await fails('arguments', () => owner.tool(price, 'no function'), 'callback: expected a function, got string');
  owner.tool(price, cents);
  await fails('load', () => owner.tool(price, cents), 'shop__price');
  await fails('load', () => owner.session().tool(price, cents), 'shop__price');
});

test('a script calls a tool of Node, and a tool calls Mitt', async () => {
  const session = host().session();
  session.tool(price, async ({ article }) => {
    const inner = await session.script(`len("${article}")`, { language: 'python-lite' });
    return { cents: inner.result.value ?? JSON.parse(inner.json).result };
  });
  const report = await session.script('import shop\nshop.price(article=name)["cents"]', {
    language: 'python-lite', inputs: { name: 'tea' },
  });
  assert.ok(report.json.includes('3'), report.json);
});

test('a script that fails has a report', async () => {
  const session = host().session();
  const error = await fails('plugin', session.script('print("a")\n1 / 0', { language: 'python-lite' }), 'division');
  assert.ok(error.report.json.includes('a\\n'), error.report.json);
  await fails('load', session.script('1', { language: 'cobol' }), 'cobol');
  await fails('limit', session.script('while True:\n    pass', { language: 'python-lite', timeout_ms: 200 }), 'time limit');
});

test('limits of a host hold', async () => {
  const owner = bareHost({ limits: { session: { arguments_bytes: 20 }, concurrency: { total: 1, queue: 0 } } });
  owner.tool(price, cents);
  const session = owner.session();
  await session.call('shop__price', { article: 'tea' });
  const error = await fails('limit', session.call('shop__price', { article: 'a long name' }));
  assert.equal(error.limit.limit, 20);

  const slow = owner.session();
  let release;
  slow.tool({ name: 'my__slow' }, () => new Promise((resolve) => {
    release = resolve;
  }));
  const first = slow.call('my__slow');
  while (release === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
  const busy = await fails('busy', slow.call('my__slow'));
  assert.ok(busy.retryable && busy.retry_after_ms > 0);
  release();
  await first;
});

test('rules hold for a host, a tenant and a session', async () => {
  const words = (text) => [{ name: 'words.txt', text }];
  const owner = bareHost({ rules: words('falcon'), tenant_rules: [{ tenant: 'acme', rules: words('osprey') }] });
  owner.tool({ name: 'my__say', parameters: { type: 'object', properties: { text: { type: 'string' } } } }, ({ text }) => text);
  const said = (session, text) => session.call('my__say', { text });
  await fails('blocked', said(owner.session(), 'the falcon'));
  await fails('blocked', said(owner.session({ tenant: 'acme' }), 'the osprey'));
  assert.equal((await said(owner.session(), 'the osprey')).result, 'the osprey');
  await fails('blocked', said(owner.session({ rules: words('heron') }), 'the heron'));
  await fails('arguments', () => bareHost({ rules: [{ name: 'a.txt' }] }), 'options.rules[0].text');
});

test('a destructive call waits for a decision', async () => {
  const owner = bareHost();
  owner.tool({ name: 'my__wipe', destructive: true }, () => 'wiped');
  const session = owner.session({ destructive: 'pause' });
  const paused = await fails('paused', session.call('my__wipe'));
  const { id, tool } = paused.report.approval;
  assert.equal(tool, 'my__wipe');
  assert.equal(session.state().pending[0].id, id);
  assert.equal((await session.resume(id, 'approve')).result, 'wiped');
  const again = await fails('paused', session.call('my__wipe'));
  await fails('denied', session.resume(again.report.approval.id, { decision: 'deny', reason: 'not today' }), 'not today');
  await fails('arguments', session.resume(id, 'perhaps'), 'decision.decision');
  await fails('denied', owner.session({ destructive: 'deny' }).call('my__wipe'));
});

test('a thousand calls at once', async () => {
  const owner = bareHost({ limits: { concurrency: { total: 1000, per_tenant: 1000, queue: 1000 } } });
  let running = 0;
  let most = 0;
  const session = owner.session();
  session.tool({ name: 'my__double', parameters: { type: 'object', properties: { n: { type: 'integer' } } } }, async ({ n }) => {
    most = Math.max(most, (running += 1));
    await new Promise((resolve) => setTimeout(resolve, 20));
    running -= 1;
    return 2 * n;
  });
  const calls = Array.from({ length: 1000 }, (_, n) => session.call('my__double', { n }));
  const reports = await Promise.all(calls);
  assert.deepEqual(reports.map(({ result }) => result), Array.from({ length: 1000 }, (_, n) => 2 * n));
  assert.ok(most > 100, `${most} at once`);
});
