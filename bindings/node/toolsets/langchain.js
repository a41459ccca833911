// Tools of a session for LangChain.js: `createAgent({ model, tools: await tools(session) })`.
import { DynamicStructuredTool } from '@langchain/core/tools';

import { listed } from './listed.js';

export async function tools(session, options) {
  return (await listed(session, options)).map(({ name, description, parameters, call }) => {
    const func = async (input, _, config) => JSON.stringify((await call(input, config?.signal)).result);
    return new DynamicStructuredTool({ name, description, schema: parameters, func });
  });
}
