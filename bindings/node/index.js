// Mitt in Node: hosts, sessions, files. Types and descriptions are in index.d.ts.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

import { dropListeners, dropListenersWith, freshNumber, giveFunction, readReport, readRun, setListener, work } from './bridge.js';
import { MittError, checkSignal, closed, readable, wrong } from './error.js';
import { written } from './json.js';
import { native, version } from './native.js';
import { ProcessHost } from './process.js';
import { ThreadHost, threads } from './thread.js';

export { MittError, version };

export class Host {
  #native;

  constructor(options = {}) {
    checkObject('options', options);
    const { mode = 'thread', interpreter, ...others } = options;
    const text = json('options', others);
    this.#native = checked(() => hostOf(mode, interpreter, text));
  }

  tool(definition, callback) {
    checkFunction('callback', callback);
    const own = this.#open();
    const text = json('definition', definition);
    checked(() => own.tool(text, giveFunction(callback, `result of the tool \`${definition.name}\``)));
  }

  session(options = {}) {
    return new Session(this.#open(), options);
  }

  close() {
    this.#native?.close();
    this.#native = undefined;
  }

  [Symbol.dispose]() {
    this.close();
  }

  #open() {
    if (this.#native === undefined) throw closed('host');
    return this.#native;
  }
}

function hostOf(mode, interpreter, text) {
  if (mode === 'process') return new ProcessHost(text, interpreter);
  if (mode !== 'thread') throw wrong('options.mode', `expected \`thread\` or \`process\`, got ${shown(mode)}`);
  if (interpreter === undefined || interpreter === null) return new ThreadHost(text);
  throw wrong('options.interpreter', 'it is for a host in a process of its own', "add `mode: 'process'`");
}

class Session {
  #native;
  /** The host that does the work of the session. */
  #peer;
  #number = freshNumber();

  constructor(host, { onEvent, ...options }) {
    if (onEvent !== undefined) checkFunction('options.onEvent', onEvent);
    const { session, peer } = checked(() => host.session(this.#number, json('options', options)));
    this.#native = session;
    this.#peer = peer;
    dropListenersWith(this, this.#number);
    if (onEvent !== undefined) this.on(onEvent);
  }

  tool(definition, callback) {
    checkFunction('callback', callback);
    const own = this.#open();
    const text = json('definition', definition);
    if (!checked(() => own.tool(text, giveFunction(callback, `result of the tool \`${definition.name}\``)))) {
      throw wrong('tool', 'the session was opened already', 'add tools before the first document, call or list of tools');
    }
  }

  on(listener) {
    checkFunction('listener', listener);
    this.#open().listen(setListener(this.#number, listener, true));
    return this;
  }

  off(listener) {
    const listens = setListener(this.#number, listener, false);
    this.#native?.listen(listens);
    return this;
  }

  async add(source, { name, signal, ...options } = {}) {
    const own = this.#open();
    const isPath = typeof source === 'string' || source instanceof URL;
    const path = source instanceof URL ? fileURLToPath(source) : source;
    const called = name ?? (isPath ? basename(path) : undefined);
    if (typeof called !== 'string') {
      throw wrong('options.name', 'missing, expected a string', 'bytes need a name, such as `report.pdf`');
    }
    const data = isPath ? await fileOf(path, signal) : bytesOf('source', source);
    const text = json('options', options);
    return this.#work(signal, (number) => own.add(number, called, data, text), JSON.parse);
  }

  async addTable(name, table, { signal } = {}) {
    const own = this.#open();
    checkString('name', name);
    const data = isBytes(table) ? bytesOf('table', table) : bytesOf('table', await streamOf(table));
    return this.#work(signal, (number) => own.addTable(number, name, data), JSON.parse);
  }

  async table(reference, { signal } = {}) {
    const own = this.#open();
    checkString('reference', reference);
    return this.#work(signal, (number) => own.table(number, reference), (bytes) => bytes);
  }

  async tools({ signal } = {}) {
    const own = this.#open();
    return this.#work(signal, (number) => own.tools(number), JSON.parse);
  }

  async call(tool, args = {}, { signal, ...options } = {}) {
    const own = this.#open();
    checkString('tool', tool);
    const given = typeof args === 'string' ? args : json('args', args);
    const text = json('options', options);
    return this.#work(signal, (number) => own.call(number, tool, given, text), readReport);
  }

  async script(source, { language = 'python', signal, ...options } = {}) {
    const own = this.#open();
    checkString('source', source);
    checkString('options.language', language);
    const text = json('options', options);
    return this.#work(signal, (number) => own.script(number, language, source, text), readReport);
  }

  async resume(id, decision, { signal, ...options } = {}) {
    const own = this.#open();
    checkString('id', id);
    const fields = typeof decision === 'string' ? { decision } : decision;
    const text = json('decision', { ...fields, ...options });
    return this.#work(signal, (number) => own.resume(number, id, text), readReport);
  }

  async run(task, { model, model_name, onEvent, signal, ...options } = {}) {
    const own = this.#open();
    checkString('task', task);
    checkFunction('options.model', model);
    if (onEvent !== undefined) checkFunction('options.onEvent', onEvent);
    const text = json('options', model_name === undefined ? options : { ...options, model: model_name });
    // A function of its own, so that the same one may listen to the session, too.
    const listener = onEvent && ((event) => onEvent(event));
    if (listener) this.on(listener);
    try {
      return await this.#work(signal, (number) => own.run(number, task, text, giveFunction(model, 'answer of the model')), readRun);
    } finally {
      if (listener) this.off(listener);
    }
  }

  artifacts() {
    return JSON.parse(checked(() => this.#open().artifacts()));
  }

  async artifact(name, { signal } = {}) {
    const own = this.#open();
    checkString('name', name);
    return this.#work(signal, (number) => own.artifact(number, name), (bytes) => bytes);
  }

  state() {
    return JSON.parse(checked(() => this.#open().state()));
  }

  close() {
    dropListeners(this.#number);
    this.#native?.close();
    this.#native = undefined;
  }

  [Symbol.dispose]() {
    this.close();
  }

  #open() {
    if (this.#native === undefined) throw closed('session');
    return this.#native;
  }

  #work(signal, begin, read) {
    return work(this.#peer, signal, begin, read, this);
  }
}

export async function render(markdown, format, { signal, ...options } = {}) {
  checkString('markdown', markdown);
  checkString('format', format);
  const text = json('options', options);
  const { bridge } = threads();
  return work(threads(), signal, (number) => native().render(bridge, number, format, markdown, text), madeOf);
}

export async function fill(template, values, { signal, ...options } = {}) {
  const isPath = typeof template === 'string' || template instanceof URL;
  const data = isPath ? await fileOf(template, signal) : bytesOf('template', template);
  const [given, text] = [json('values', values), json('options', options)];
  const { bridge } = threads();
  return work(threads(), signal, (number) => native().fill(bridge, number, data, given, text), madeOf);
}

/** Returns the path of the program `mitt`, for the option `worker` of a host; `undefined` if it is not installed. */
export function programPath() {
  const require = createRequire(import.meta.url);
  try {
    const finder = createRequire(require.resolve('mitt-cli/package.json'));
    return finder.resolve(`mitt-cli-${process.platform}-${process.arch}/bin/mitt`);
  } catch {
    return undefined;
  }
}

function madeOf(bytes, report) {
  return { bytes, ...JSON.parse(report) };
}

function checked(begin) {
  try {
    return begin();
  } catch (error) {
    throw readable(error);
  }
}

function json(place, value) {
  checkObject(place, value);
  return written(place, value);
}

function checkObject(place, value) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw wrong(place, `expected an object, got ${kindOf(value)}`);
  }
}

function checkString(place, value) {
  if (typeof value !== 'string') throw wrong(place, `expected a string, got ${kindOf(value)}`);
}

function checkFunction(place, value) {
  if (typeof value !== 'function') throw wrong(place, `expected a function, got ${kindOf(value)}`);
}

function kindOf(value) {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : typeof value === 'object' ? 'an object' : typeof value;
}

/** Returns a value for a message. */
function shown(value) {
  return typeof value === 'string' ? `\`${value}\`` : kindOf(value);
}

function isBytes(value) {
  return ArrayBuffer.isView(value) || value instanceof ArrayBuffer || value instanceof SharedArrayBuffer;
}

/** Returns a view of bytes, without a copy. */
function bytesOf(place, value) {
  if (Buffer.isBuffer(value)) return value;
  if (ArrayBuffer.isView(value)) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (isBytes(value)) return Buffer.from(value);
  throw wrong(place, `expected a path, a Buffer or an array of bytes, got ${kindOf(value)}`);
}

async function fileOf(path, signal) {
  checkSignal(signal);
  try {
    return await readFile(path, { signal: signal ?? undefined });
  } catch (error) {
    if (signal?.aborted) {
      throw new MittError({ kind: 'cancelled', message: 'the call was cancelled' }, { cause: signal.reason });
    }
    const fields = { kind: 'input', message: `cannot read \`${path}\`: ${error.code ?? error.message}`, place: String(path) };
    throw new MittError(fields, { cause: error });
  }
}

/** Writes a table of apache-arrow as a stream of its IPC format. */
async function streamOf(table) {
  if (typeof table !== 'object' || table === null || !('batches' in table) || !('schema' in table)) {
    throw wrong('table', `expected a table of apache-arrow or bytes of its IPC format, got ${kindOf(table)}`);
  }
  const { tableToIPC } = await import('apache-arrow');
  return tableToIPC(table, 'stream');
}
