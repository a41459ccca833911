// Read by `tsc --noEmit` only: the toolsets fit the types of the AI SDK and of LangChain.js.
import type { ToolSet } from 'ai';
import type { StructuredToolInterface } from '@langchain/core/tools';
import { tools as aiTools } from 'mitt-node/ai';
import { tools as langchainTools } from 'mitt-node/langchain';
import type { Session } from 'mitt-node';

export async function toolsets(session: Session): Promise<[ToolSet, StructuredToolInterface[]]> {
  return [await aiTools(session, { names: ['a__b'] }), await langchainTools(session)];
}
