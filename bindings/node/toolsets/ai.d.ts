import type { Tool } from 'ai';
import type { Session } from '../index.js';

/** Options of a toolset. */
export interface ToolsetOptions {
  /** Names of tools. Default: all. An unknown name is an error. */
  names?: string[];
}

/** Returns the tools of a session for `generateText` and `streamText` of the AI SDK. Cancellation reaches the sandbox. */
export function tools(session: Session, options?: ToolsetOptions): Promise<Record<string, Tool>>;
