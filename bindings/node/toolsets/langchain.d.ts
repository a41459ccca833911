import type { DynamicStructuredTool } from '@langchain/core/tools';
import type { Session } from '../index.js';

/** Options of a toolset. */
export interface ToolsetOptions {
  /** Names of tools. Default: all. An unknown name is an error. */
  names?: string[];
}

/** Returns the tools of a session for LangChain.js. Their results are JSON. Cancellation reaches the sandbox. */
export function tools(session: Session, options?: ToolsetOptions): Promise<DynamicStructuredTool[]>;
