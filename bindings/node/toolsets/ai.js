// Tools of a session for the AI SDK: `generateText({ model, tools: await tools(session), ... })`.
import { dynamicTool, jsonSchema } from 'ai';

import { listed } from './listed.js';

export async function tools(session, options) {
  const all = (await listed(session, options)).map(({ name, description, parameters, call }) => {
    const execute = async (input, { abortSignal }) => (await call(input, abortSignal)).result;
    return [name, dynamicTool({ description, inputSchema: jsonSchema(parameters), execute })];
  });
  return Object.fromEntries(all);
}
