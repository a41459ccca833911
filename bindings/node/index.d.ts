// Types of the package. Options, reports and events have the names of the JSON of Mitt's C interface, so that one
// description serves all languages: docs/c.md and src/c/mitt.h of the sources.

/** The version of Mitt. */
export const version: string;

/** A value that JSON has. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** The class of an error. */
export type Code =
  | 'unknown-tool' | 'arguments' | 'denied' | 'blocked' | 'limit' | 'trap' | 'plugin' | 'input' | 'load' | 'model' | 'disabled'
  | 'paused' | 'busy' | 'cancelled' | 'host' | 'internal' | 'invalid-handle' | 'invalid-json' | 'crashed';

/** An error of Mitt. `message` is the message alone; `text` has the details and hints, too, and is what a model should see. */
export class MittError extends Error {
  constructor(
    fields: { kind: string; message: string; place?: string | null; hint?: string | null; retryable?: boolean },
    options?: { cause?: unknown; report?: Report | null },
  );
  readonly name: 'MittError';
  /** The class of the error. */
  readonly code: Code;
  /** The place of the mistake, such as `options.limits` or `/rows/0`; null if there is no such place. */
  readonly place: string | null;
  /** How to avoid the error; null if no way is known. */
  readonly hint: string | null;
  /** All problems, if there are several. */
  readonly details: string[];
  /** The same call may succeed later. */
  readonly retryable: boolean;
  /** The whole error for people and models. */
  readonly text: string;
  /** The limit that was reached, for `limit`. */
  readonly limit?: { name: string; limit: number; used: number };
  /** The reason why a file cannot be read, such as `encrypted`. */
  readonly problem?: string;
  /** The last text of the model, if no answer followed `output_schema`. */
  readonly answer?: string;
  /** For `busy`: the time in milliseconds after which another attempt may succeed. */
  readonly retry_after_ms?: number;
  /** The report of a call that failed; null if there was none. For `paused`, its `approval` has the id to resume. */
  readonly report: Report | null;
}

/** Options of everything that can be cancelled. */
export interface Cancellable {
  /** Ends the work: a sandbox is stopped where it is, and the promise is rejected with the code `cancelled` after that. */
  signal?: AbortSignal;
}

/** Rules about content: one word per line, or YAML if the name ends in `.yaml`. */
export interface Rules {
  name: string;
  text: string;
}

/** Options of a host. */
export interface HostOptions {
  /**
   * `thread` (default) runs everything on threads of this process. `process` runs it in a child process, so that a crash of native code
   * does not end the program: sessions that were open fail with the code `crashed` then, and the next session starts another process.
   * Relative paths are those of the folder in which the host was made.
   */
  mode?: 'thread' | 'process';
  /**
   * The program of Node for that process. Default: `process.execPath`. A program that has Node inside (a single executable application)
   * must name one.
   */
  interpreter?: string;
  /** Whether the host has the skills that come with Mitt. Default true. */
  bundled?: boolean;
  /** Folders with further skills. */
  skills?: string[];
  /** Files of WebAssembly components, which become skills. */
  components?: string[];
  /** Names of bundled skills that others may replace. */
  replace_skills?: string[];
  /** A file of approvals. */
  trust?: string;
  /** The folder for compiled skills, or false for none. Default: `MITT_CACHE_DIR`, or `mitt` in the user's cache folder. */
  cache?: string | false;
  /** Threads that run calls, 1 to 256. Default: as many as there are processors. */
  threads?: number;
  /** The engine for scripts of its language, such as `python-lite`. */
  script_engine?: string;
  /** The program `mitt` of the same version (`programPath()`), which compiles and typesets in processes of their own. */
  worker?: string;
  /** Such work fails if the program cannot be started. By default it is done in this process then. */
  worker_required?: boolean;
  /** Journals keep messages with the values of callers. Default false. */
  full_journals?: boolean;
  /** Rules about content for all sessions. */
  rules?: Rules[];
  /** Rules about content for sessions of one tenant. */
  tenant_rules?: { tenant: string; rules: Rules[] }[];
  /** Limits: see `mitt_host_new` in src/c/mitt.h. Times end in `_ms`, sizes in `_bytes`. */
  limits?: {
    call?: Record<string, number>;
    session?: Record<string, number | Record<string, number>>;
    concurrency?: { total?: number; per_tenant?: number; queue?: number; wait_ms?: number };
    memory?: { host?: number; per_call?: number; per_session?: number; per_tenant?: number };
    blocking?: Record<string, number>;
  };
}

/** Options of a session. */
export interface SessionOptions {
  /** The owner of the session; tenants have their own limits and rules. Default `local`. */
  tenant?: string;
  /** Folder for delivered files and the journal. Default: they stay in memory. */
  folder?: string;
  /** The folder is made with the first file. Default false. */
  opens_folder_later?: boolean;
  /** Wall clock for all calls of the session, in milliseconds. */
  time_ms?: number;
  /** Office files are kept, so that tools can edit them or fill them as templates. Default false. */
  keeps_sources?: boolean;
  /** Rules about content for this session. */
  rules?: Rules[];
  /** How calls of destructive tools are handled. By default, scripts pause before such a call, and other calls are made. */
  destructive?: 'pause' | 'approve' | 'deny';
  /** The key that assigns the session to variants of skills. */
  assignment?: string;
  /** Receives each event; see `Session.on`. */
  onEvent?: Listener;
}

/**
 * A step of a session: `event` is `call_started`, `call_finished`, `output`, `delivered`, `turn`, `model_text` or another name. A host in a
 * process drops events while 100,000 of them, or 64 MiB, wait for a program that does not take them; `events_dropped` has their `count`.
 */
export interface Event {
  event: string;
  [field: string]: Json | undefined;
}

/** Receives events. An exception that the listener throws is an uncaught exception of the process. */
export type Listener = (event: Event) => void;

/** A tool in JavaScript. */
export interface ToolDefinition {
  /** Two words or groups of words joined by `__`, such as `shop__price`. */
  name: string;
  /** The purpose of the tool, for models. */
  description?: string;
  /** The JSON Schema of an object. Arguments are checked against it before the function is called. */
  parameters?: object;
  title?: string;
  read_only?: boolean;
  idempotent?: boolean;
  destructive?: boolean;
  /** The deadline of a call, in milliseconds. Default 30000. */
  timeout_ms?: number;
}

/**
 * Answers a call with a value that JSON has; `undefined` becomes null. An exception is the error of the call; `code`
 * (`arguments`, `input`, `denied` or `plugin`), `hint` and `retryable` of the exception are kept. The signal aborts when nothing waits for
 * the answer any more.
 */
export type ToolFunction<Arguments = any> = (args: Arguments, context: { signal: AbortSignal }) => unknown;

/** A tool of a session. */
export interface Tool {
  name: string;
  skill: string;
  title: string | null;
  description: string;
  /** The JSON Schema of the arguments. */
  parameters: { [key: string]: Json };
  /** The JSON Schema of the result. */
  result: { [key: string]: Json };
  read_only: boolean;
  idempotent: boolean;
  destructive: boolean;
}

/** A delivered file. */
export interface Artifact {
  name: string;
  media_type: string;
  /** In bytes. */
  size: number;
  /** In hexadecimal. */
  sha256: string;
  /** The number of pages of a PDF file; null for other files. */
  pages: number | null;
  sheets: { name: string; rows: number }[];
  warnings: string[];
}

/** A document of a session. */
export interface Document {
  name: string;
  media_type: string;
  title: string | null;
  /** The size of the file, in bytes. */
  size: number;
  sha256: string;
  /** The length of the text, in characters. */
  characters: number;
  tables: { name: string; place: Json; rows: number; columns: string[] }[];
  warnings: string[];
  /** Markdown, if it was asked for. */
  text?: string;
  /** Where pages and other places begin in the text, in code points (`[...text].slice`), if the text was asked for. */
  places?: { offset: number; label: string }[];
}

/** A request for an approval. */
export interface Approval {
  id: string;
  tool: string;
  title: string | null;
  version: string | null;
  arguments: Json;
  arguments_sha256: string;
  depth: number;
  call: number;
  parent?: number;
}

/** The report of a call. */
export interface Report<Result = any> {
  /** The result; null if the call failed. */
  result: Result;
  ok: boolean;
  error: { code: number; kind: Code; message: string; text: string } | null;
  call: number;
  tool: string;
  name: string | null;
  attempts: number;
  usage: { fuel: number; peak_memory_bytes: number; duration_us: number };
  printed: string;
  artifacts: Artifact[];
  approval: Approval | null;
  /** The report as text, in which numbers have all their digits. It is not enumerable. */
  readonly json: string;
}

/** The result of a script. */
export interface ScriptResult {
  stdout: string;
  stderr: string;
  [field: string]: any;
}

/** Options of a call. */
export interface CallOptions extends Cancellable {
  /** The deadline of the call, in milliseconds. It can only lower the limit of the tool. */
  timeout_ms?: number;
  /** The time of creation in delivered files, in milliseconds since 1970. */
  created_ms?: number;
  /** The form of tables in the result: whole (default), as models see them, or a reference for tables above a number of cells. */
  tables?: 'whole' | 'model' | { cells?: number; first_rows?: number };
}

/** Options of a script. */
export interface ScriptOptions extends CallOptions {
  /** A language, such as `python` (default), or an engine, such as `python-lite`. */
  language?: string;
  /** Variables of the script, by name. */
  inputs?: { [name: string]: Json };
  /** `sys.argv[1:]`. */
  arguments?: string[];
}

/** Options of a document. */
export interface AddOptions extends Cancellable {
  /** The name of the document. Default: that of the file; bytes need one. */
  name?: string;
  password?: string;
  /** Whether the name is a path, such as `2024/sales.csv`. Default false. */
  is_path?: boolean;
  /** Whether a damaged file is kept for tools that can edit it. Default false. */
  keeps_unread?: boolean;
  /** Whether only tools use the file. Its text is not read then: models and scripts see an empty document. Default false. */
  without_text?: boolean;
  /** Whether the result has the text. Default false. */
  text?: boolean;
}

/** The body of a chat completion of OpenAI's interface. */
export interface ChatRequest {
  model: string;
  messages: { role: string; content: string | null; tool_calls?: any[]; tool_call_id?: string }[];
  tools?: any[];
  tool_choice?: any;
  response_format?: any;
  max_tokens?: number;
}

/** Asks a model: gets the body of a chat completion, and returns the body of the response, or its message only. */
export type Model = (request: ChatRequest, context: { signal: AbortSignal }) => unknown;

/** Options of an instruction. */
export interface RunOptions extends Cancellable {
  model: Model;
  /** The name of the model in requests. Default `callback`. */
  model_name?: string;
  /** Receives the events of the session while the instruction is followed. */
  onEvent?: Listener;
  /** How the model sees the tools: as functions of a script (default), as a catalogue to search, or all in the request. */
  tools?: 'script' | 'catalogue' | 'all';
  /** Text of the system message, before all other text. */
  instructions?: string;
  /** Messages of the conversation before the instruction. */
  earlier?: { role: 'user' | 'assistant'; content: string }[];
  /** A JSON Schema that the answer must follow. The answer is one JSON value then, `output` of the report. */
  output_schema?: { [key: string]: unknown };
  limits?: {
    turns?: number; calls?: number; tokens?: number; time_ms?: number; wrong_turns?: number; script_repairs?: number;
    context_characters?: number; context_tokens?: number;
  };
}

/** The report of an instruction. */
export interface RunReport {
  text: string;
  /** The value of the answer, if the options have `output_schema`; otherwise null. `text` is the same as JSON, with all digits. */
  output: Json;
  turns: number;
  calls: Report[];
  /** Names for `Session.artifact`. */
  delivered: string[];
  /** Kinds of files that the instruction asked for and that were not delivered, such as `a PDF file`. */
  missing: string[];
  usage: { input: number; cached: number; output: number; reasoning: number };
  /** The report as text. It is not enumerable. */
  readonly json: string;
}

/** The content of a session. */
export interface State {
  tenant: string;
  documents: Document[];
  /** Names for `Session.table`. */
  tables: string[];
  artifacts: Artifact[];
  /** Calls that wait for `Session.resume`. */
  pending: Approval[];
  handles: string[];
  memory: { bytes: number; peak_bytes: number };
}

/** A table of the package apache-arrow. */
export interface ArrowTable {
  readonly schema: unknown;
  readonly batches: readonly unknown[];
}

type Bytes = ArrayBufferView | ArrayBuffer | SharedArrayBuffer;

/** Engine, skills, limits and threads. Make one for each thread of JavaScript. It cannot be sent to another thread. */
export class Host {
  constructor(options?: HostOptions);
  /** Adds a tool for all sessions that are made after that. */
  tool<Arguments = any>(definition: ToolDefinition, callback: ToolFunction<Arguments>): void;
  session(options?: SessionOptions): Session;
  /** Closes the host. Its sessions go on. */
  close(): void;
  [Symbol.dispose](): void;
}

/** The unit of isolation: documents, files, calls. It keeps its host. Wrong options are thrown at once. */
export interface Session {
  /** Adds a tool for this session. It must be added before the first document, call or list of tools. */
  tool<Arguments = any>(definition: ToolDefinition, callback: ToolFunction<Arguments>): void;
  /** Adds a listener for events. */
  on(listener: Listener): this;
  off(listener: Listener): this;
  /** Reads a file, by its path or its bytes, and adds it to the documents. */
  add(source: string | URL | Bytes, options?: AddOptions): Promise<Document>;
  /** Adds a table under a name: one of apache-arrow, or the bytes of a stream of Arrow's IPC format. */
  addTable(name: string, table: ArrowTable | Bytes, options?: Cancellable): Promise<Document>;
  /** Returns a table, such as `sales.csv` or `t:3`, as a stream of Arrow's IPC format, for `tableFromIPC`. */
  table(reference: string, options?: Cancellable): Promise<Buffer>;
  /** Loads all skills, and returns the tools; `problems` are the errors of skills that cannot be loaded. */
  tools(options?: Cancellable): Promise<{ tools: Tool[]; problems: { kind: Code; message: string; text: string }[] }>;
  /** Calls a tool. `args` are an object, or JSON text if numbers have more digits than those of JavaScript. */
  call<Result = any>(tool: string, args?: object | string, options?: CallOptions): Promise<Report<Result>>;
  /** Runs a script. */
  script(source: string, options?: ScriptOptions): Promise<Report<ScriptResult>>;
  /** Continues a call that waits for a decision. */
  resume<Result = any>(
    id: string,
    decision: 'approve' | 'deny' | { decision: 'approve' | 'deny'; reason?: string },
    options?: CallOptions,
  ): Promise<Report<Result>>;
  /** Lets a model follow an instruction with the documents and tools of the session. */
  run(task: string, options: RunOptions): Promise<RunReport>;
  /** Returns the delivered files. */
  artifacts(): Artifact[];
  /** Returns the content of a delivered file, without a copy. */
  artifact(name: string, options?: Cancellable): Promise<Buffer>;
  state(): State;
  /** Closes the session. It ends with its last call. */
  close(): void;
  [Symbol.dispose](): void;
}

/** Options of a file from Markdown. */
export interface RenderOptions extends Cancellable {
  title?: string;
  author?: string;
  /** A BCP 47 tag. */
  language?: string;
  paper?: 'a4' | 'letter';
  /** A table of contents. */
  contents?: boolean;
  /** The TOML text of a theme. */
  theme?: string;
  created_ms?: number;
}

/** A file, with its warnings and counts. */
export interface Made {
  bytes: Buffer;
  warnings: Json[];
  /** The number of pages of a PDF file. */
  pages?: number;
  /** The number of slides of a presentation. */
  slides?: number;
  /** The sheets of a workbook. */
  sheets?: { name: string; rows: number }[];
}

/** Makes a file from Markdown, without a host. The same parameters make the same bytes. XLSX has the tables of the text. */
export function render(
  markdown: string,
  format: 'pdf' | 'docx' | 'html' | 'pptx' | 'xlsx',
  options?: RenderOptions,
): Promise<Made>;

/** Options of a template. */
export interface FillOptions extends Cancellable {
  /** Markdown for `{{content}}` of a Word file. */
  content?: string;
  /** The result is an `.xlsx` whatever the template is. */
  as_xlsx?: boolean;
  created_ms?: number;
}

/** Fills a template of Word or Excel, by its path or its bytes, with values; a date is `{"$date": "2026-01-31"}`. */
export function fill(template: string | URL | Bytes, values: object, options?: FillOptions): Promise<Made>;

/** Returns the path of the program `mitt` of the package mitt-cli; `undefined` if it is not installed. */
export function programPath(): string | undefined;
