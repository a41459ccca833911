// Toolsets for the AI SDK and LangChain.js, with models that are recorded here.
import assert from 'node:assert/strict';
import test from 'node:test';

import { bareHost, price } from './setup.js';

const ai = await import('ai').catch(() => undefined);
const langchain = await import('@langchain/core/tools').catch(() => undefined);

function session() {
  const owner = bareHost();
  owner.tool(price, ({ article }) => {
    if (article !== 'tea') throw Object.assign(new Error('there is no such article'), { hint: 'ask for tea' });
    return { cents: 450 };
  });
  owner.tool({ name: 'shop__other', description: 'Another tool.' }, () => 1);
  return owner.session();
}

test('the AI SDK calls tools', { skip: ai === undefined && 'the package ai is not installed' }, async () => {
  const { tools } = await import('mitt-node/ai');
  const { MockLanguageModelV3 } = await import('ai/test');
  const offered = await tools(session(), { names: ['shop__price'] });
  assert.deepEqual(Object.keys(offered), ['shop__price']);
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  const prompts = [];
  const turns = [
    { content: [{ type: 'tool-call', toolCallId: '1', toolName: 'shop__price', input: '{"article":"tea"}' }], finishReason: { unified: 'tool-calls' } },
    { content: [{ type: 'tool-call', toolCallId: '2', toolName: 'shop__price', input: '{"article":"rice"}' }], finishReason: { unified: 'tool-calls' } },
    { content: [{ type: 'text', text: '4.50' }], finishReason: { unified: 'stop' } },
  ];
  const model = new MockLanguageModelV3({
    doGenerate: async ({ prompt, tools: shown }) => {
      prompts.push(prompt);
      assert.deepEqual(shown.map(({ name }) => name), ['shop__price']);
      assert.deepEqual(shown[0].inputSchema.required, ['article']);
      return { ...turns[prompts.length - 1], usage, warnings: [] };
    },
  });
  const { text } = await ai.generateText({ model, tools: offered, prompt: 'What does tea cost?', stopWhen: ai.stepCountIs(5) });
  assert.equal(text, '4.50');
  assert.ok(JSON.stringify(prompts[1]).includes('450'));
  // A model sees the way out, too.
  assert.ok(JSON.stringify(prompts[2]).includes('ask for tea'), JSON.stringify(prompts[2]));
});

test('LangChain.js calls tools', { skip: langchain === undefined && 'the package @langchain/core is not installed' }, async () => {
  const { tools } = await import('mitt-node/langchain');
  const own = session();
  const [tool, ...others] = await tools(own, { names: ['shop__price'] });
  assert.deepEqual([tool.name, tool.description, others.length], ['shop__price', 'Price of an article.', 0]);
  assert.equal(await tool.invoke({ article: 'tea' }), '{"cents":450}');
  await assert.rejects(tool.invoke({ article: 'rice' }), /ask for tea/);
  await assert.rejects(tool.invoke({ article: 'tea' }, { signal: AbortSignal.abort() }));
  assert.equal((await tools(own)).length, 2);
  await assert.rejects(tools(own, { names: ['shop__none'] }), /there is no tool `shop__none`/);
});
