// A model that is a function of Node.
import assert from 'node:assert/strict';
import test from 'node:test';

import { bareHost, fails, price } from './setup.js';

function session() {
  const owner = bareHost();
  owner.tool(price, ({ article }) => ({ cents: article.length * 150 }));
  return owner.session();
}

const called = (name, args) => ({
  choices: [{ message: { content: null, tool_calls: [{ id: '1', type: 'function', function: { name, arguments: JSON.stringify(args) } }] } }],
  usage: { prompt_tokens: 10, completion_tokens: 3 },
});

test('a model calls a tool and answers', async () => {
  const requests = [];
  const events = [];
  const model = async (request) => {
    requests.push(request);
    await new Promise((resolve) => setTimeout(resolve, 5));
    return requests.length === 1 ? called('shop__price', { article: 'tea' }) : { content: '4.50' };
  };
  const own = session();
  const report = await own.run('What does tea cost?', {
    model, model_name: 'mine', tools: 'all', instructions: 'Be brief.', onEvent: ({ event }) => events.push(event),
    earlier: [{ role: 'user', content: 'Hello' }, { role: 'assistant', content: 'Hi' }],
  });
  assert.deepEqual([report.text, report.turns, report.usage.input], ['4.50', 2, 10]);
  assert.deepEqual(report.calls.map(({ result }) => result), [{ cents: 450 }]);
  assert.deepEqual(report.calls.map(({ json }) => JSON.parse(json)), report.calls);
  assert.ok(report.json.includes(report.calls[0].json));
  assert.equal(requests[0].model, 'mine');
  assert.ok(requests[0].messages.some(({ content }) => content?.includes('What does tea cost?')));
  assert.ok(requests[0].tools.some(({ function: { name } }) => name === 'shop__price'));
  assert.ok(requests[1].messages.some(({ role, content }) => role === 'tool' && content.includes('450')));
  assert.ok(events.includes('turn') && events.includes('call_finished'));
  const before = events.length;
  await own.call('shop__price', { article: 'tea' });
  assert.equal(events.length, before);
});

test('an answer follows its schema', async () => {
  const output_schema = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] };
  const answers = ['About seven.', '```json\n{"sum": 7.50}\n```'];
  const report = await session().run('add', { model: () => ({ content: answers.shift() }), output_schema });
  assert.deepEqual([report.output, report.text, report.turns], [{ sum: 7.5 }, '{"sum": 7.50}', 2]);
  assert.equal((await session().run('add', { model: () => ({ content: 'seven' }) })).output, null);
  const said = session().run('add', { model: () => ({ content: 'It is seven.' }), output_schema });
  const error = await fails('model', said, 'demanded form');
  assert.equal(error.answer, 'It is seven.');
  for (const wrong of [{ if: {} }, 'object']) {
    await fails('arguments', session().run('add', { model: () => ({ content: '' }), output_schema: wrong }), 'options.output_schema');
  }
});

test('errors of a model, and wrong answers', async () => {
  const run = (model, options = {}) => session().run('a', { model, ...options });
  await fails('model', run(() => {
    throw new Error('the service is down');
  }), 'the service is down');
  await fails('model', run(() => ({})), 'expected `content` or `tool_calls`');
  await fails('model', run(() => undefined), 'answer');
  await fails('arguments', run('no function'), 'options.model');
  await fails('arguments', run(() => ({ content: 'a' }), { tools: 'some' }), 'options.tools');
  await fails('arguments', run(() => ({ content: 'a' }), { limits: { turn: 1 } }), 'did you mean `turns`');
  await fails('arguments', run(() => ({ content: 'a' }), { onEvent: 1 }), 'options.onEvent');
  await fails('limit', run(() => called('shop__price', { article: 'tea' }), { limits: { turns: 1 }, tools: 'all' }));
});

test('a run can be cancelled, and its model learns of it', async () => {
  const controller = new AbortController();
  let aborted = false;
  const model = (_, { signal }) => new Promise(() => {
    signal.addEventListener('abort', () => {
      aborted = true;
    });
    controller.abort();
  });
  await fails('cancelled', session().run('a', { model, signal: controller.signal }));
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.ok(aborted);
});
