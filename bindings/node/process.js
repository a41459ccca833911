// Hosts in a child process (child.js), so that a crash of native code ends no program. Hosts and sessions have the methods of the classes
// of the native library that index.js uses.
import { dropFunction, fail, freshNumber, receive, refuse, withdrawAll } from './bridge.js';
import { EVENT, Gone, Inbox, Late, WrongMessage, limits, packed, send } from './channel.js';
import { MittError, readable } from './error.js';
import { interpreterOf, started } from './launch.js';

const FORGET = 4;
const HINT = 'open another session: the host starts a process again';
/** Milliseconds between the end of a process and that of its pipe, or the other way round. */
const DELAY_MS = 1000;

/** The processes that have not ended. */
export const clients = new Set();
let isWatching = false;

/** A process that is stopped or hangs does not notice that its parent has ended. */
function endWithThisProcess() {
  if (isWatching) return;
  isWatching = true;
  process.on('exit', () => {
    for (const client of clients) client.leave();
  });
}

function crashed(message) {
  return { kind: 'crashed', message, hint: HINT, retryable: true };
}

/** A child process, and what is expected of it: a peer of bridge.js. */
class Client {
  answering = new Map();
  /** The process has ended, or is about to. */
  isGone = false;
  #child;
  #channel;
  #waiting;
  #inbox = new Inbox();
  /** The settings that the host gives to each of its processes. */
  #held;
  /** Functions that the child may ask. */
  #functions = new Set();
  /** Hosts and sessions; the process ends with the last one. */
  #objects = new Set();
  #requests = new Set();
  #received = 0;
  #isClosed = false;
  /** The process was asked to end. */
  #isEnding = false;
  /** For each request that was cancelled: how often it was looked at, and what the process had sent before. */
  #looks = new Map();
  #looking;
  /** Requests that were cancelled when the process was killed for them. */
  #givenUp = new Set();

  constructor(interpreter, folder, held) {
    const { child, waiting } = started(interpreter, folder);
    this.#child = child;
    this.#waiting = waiting;
    this.#held = held;
    this.#channel = child.stdio[3];
    this.#channel.on('data', (chunk) => this.#take(chunk));
    this.#channel.on('close', () => this.#closed());
    child.on('exit', () => this.#exited());
    clients.add(this);
    endWithThisProcess();
  }

  get pid() {
    return this.#child.pid;
  }

  /** Throws if the process has ended. */
  check() {
    if (this.isGone) throw new MittError(this.#crashed());
  }

  /** Throws if the process has ended, or does not take what was sent to it. */
  ready() {
    this.check();
    const waiting = this.#channel.writableLength;
    if (waiting <= limits.waitingBytes) return;
    const message = `the process of the host has not taken ${waiting} bytes of earlier requests`;
    throw new MittError({ kind: 'busy', message, hint: 'wait for earlier calls', retryable: true, retry_after_ms: 1000 });
  }

  /** Sends a request for work, which gets a number. */
  request(number, object, method, parts, extra = []) {
    this.ready();
    const buffers = bounded(['work', number, object, method, ...extra], parts);
    this.#requests.add(number);
    send(this.#channel, buffers);
  }

  /** Sends a request and waits for its answer. Events and results wait meanwhile, as they do while any function runs. */
  ask(fields, parts = [], timeoutMs = limits.answerMs) {
    this.check();
    const buffers = bounded(fields, parts);
    let answer;
    try {
      answer = this.#waiting.ask(buffers, timeoutMs);
    } catch (error) {
      this.kill();
      if (error instanceof Gone) throw new MittError(this.#crashed());
      const problem = error instanceof Late ? `did not answer within ${timeoutMs / 1000} s` : 'sent what is no answer';
      throw new MittError(crashed(`the process of the host ${problem}, and was killed`), { cause: error });
    }
    const [isOk, value] = answer.fields;
    const [text] = answer.parts;
    if (!isOk) throw readable(new Error(text));
    return text ?? value;
  }

  /** Sends a message without an answer. Nothing happens if the process is gone. */
  post(fields, parts = []) {
    if (!this.isGone) send(this.#channel, packed(fields, parts));
  }

  /** See bridge.js. The process is killed if it does not end the work. */
  cancel(number) {
    this.post(['cancel', number]);
    // It answers if it lives.
    this.post(['ping']);
    if (this.isGone || this.#looks.has(number)) return;
    this.#looks.set(number, { count: 0, before: this.#received });
    this.#looking ??= setInterval(() => this.#look(), limits.lookMs).unref();
  }

  /** See bridge.js. */
  answer(number, isOk, text) {
    const buffers = packed(['answer', number, isOk], [text]);
    if (buffers === undefined) this.answer(number, false, JSON.stringify({ message: 'the answer is too large', kind: 'plugin' }));
    else if (!this.isGone) send(this.#channel, buffers);
  }

  /** See bridge.js. */
  ended(number) {
    this.#requests.delete(number);
    this.#endIfIdle();
  }

  /** Remembers a function that the child may ask. */
  give(number) {
    this.#functions.add(number);
  }

  /** Counts a host or a session, until it is dropped. */
  keep(object) {
    this.#objects.add(object);
  }

  /** Drops a host or a session. */
  drop(object) {
    if (!this.#objects.delete(object)) return;
    this.post(['drop', object]);
    this.#endIfIdle();
  }

  /** Ends the process at once. */
  kill() {
    this.isGone = true;
    this.#child.kill('SIGKILL');
  }

  /** Does what is needed when this process ends. */
  leave() {
    // The process finishes the requests that it has before it ends. A process that was stopped (SIGSTOP) goes on first.
    if (this.#isEnding) this.#child.kill('SIGCONT');
    else this.kill();
  }

  /** Lets the process end after the messages that were sent. */
  #endIfIdle() {
    if (this.isGone || this.#objects.size > 0 || this.#requests.size > 0) return;
    this.post(['end']);
    this.isGone = true;
    this.#isEnding = true;
    this.#channel.end();
    setTimeout(() => this.#child.kill('SIGKILL'), limits.endMs).unref();
  }

  #take(chunk) {
    try {
      this.#inbox.add(chunk, ([kind, ...numbers], parts) => this.#dispatch(kind, numbers, parts));
    } catch (error) {
      if (!(error instanceof WrongMessage)) throw error;
      this.kill();
    }
  }

  #dispatch(kind, numbers, parts) {
    this.#received += 1;
    if (kind === 'pong') return;
    if (kind === EVENT) {
      numbers.forEach((session, at) => receive(this, EVENT, session, parts[at]));
      return;
    }
    const [number] = numbers;
    if (kind === 'refused') {
      refuse(number, readable(new Error(parts[0])));
      return;
    }
    if (kind === FORGET && !this.#functions.delete(number)) return;
    receive(this, kind, number, ...parts);
    if (this.answering.size > limits.asked) this.kill();
  }

  /** Kills the process if it does not end work that was cancelled, as it cannot when it is stopped or hangs. */
  #look() {
    for (const [number, look] of this.#looks) {
      if (!this.#requests.has(number)) {
        this.#looks.delete(number);
        continue;
      }
      // Looks are counted, and not seconds: this process may have been stopped, too.
      look.count += 1;
      if (look.count >= (this.#received === look.before ? limits.looksIfSilent : limits.looksIfAlive)) {
        this.#givenUp = new Set(this.#looks.keys());
        this.#looks.clear();
        this.kill();
      }
    }
    if (this.#looks.size > 0) return;
    clearInterval(this.#looking);
    this.#looking = undefined;
  }

  #closed() {
    this.isGone = true;
    this.#isClosed = true;
    if (this.#hasExited()) this.#end();
    else setTimeout(() => this.#child.kill('SIGKILL'), DELAY_MS).unref();
  }

  #exited() {
    if (this.#isClosed) this.#end();
    else setTimeout(() => this.#channel.destroy(), DELAY_MS).unref();
  }

  #hasExited() {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  #end() {
    clients.delete(this);
    clearInterval(this.#looking);
    this.#child.stdio[4].destroy();
    withdrawAll(this);
    for (const number of this.#functions) if (!this.#held.tools.has(number)) dropFunction(number);
    this.#functions.clear();
    const message = 'the call was cancelled; the process of the host did not end it, and was killed';
    const cancelled = { kind: 'cancelled', message, hint: HINT };
    for (const number of [...this.#requests]) fail(number, this.#givenUp.has(number) ? cancelled : this.#crashed());
  }

  #crashed() {
    const { exitCode, signalCode } = this.#child;
    const how = signalCode ?? (exitCode === null ? undefined : `exit code ${exitCode}`);
    return crashed(`the process of the host ended${how === undefined ? '' : ` with ${how}`}`);
  }
}

/** Returns a message as it is sent. */
function bounded(fields, parts) {
  const buffers = packed(fields, parts);
  if (buffers !== undefined) return buffers;
  const message = `the request is too large for a host in a process: expected at most ${limits.messageBytes} bytes`;
  throw new MittError({ kind: 'limit', message });
}

// Hosts and sessions that were not closed are dropped, too.
const forgottenSessions = new FinalizationRegistry(({ client, number }) => client.drop(number));
const forgottenHosts = new FinalizationRegistry(release);

function release(held) {
  const numbers = [...held.tools.keys()];
  held.tools.clear();
  held.client?.drop(held.number);
  // A process that lives says when it does not need them any more.
  if (held.client?.isGone) numbers.forEach(dropFunction);
}

/** A host in a child process, which is started again when it has ended. */
export class ProcessHost {
  #options;
  #interpreter;
  #folder;
  /** The process, the number of the host in it, and definitions of tools by the numbers of their functions. */
  #held = { client: undefined, number: undefined, tools: new Map() };

  constructor(options, interpreter) {
    this.#options = options;
    this.#interpreter = interpreterOf(interpreter);
    this.#folder = currentFolder();
    this.#start();
    forgottenHosts.register(this, this.#held);
  }

  tool(definition, number) {
    try {
      this.#try(({ client, number: host }) => addTool(client, host, number, definition));
    } catch (error) {
      dropFunction(number);
      throw error;
    }
    this.#held.tools.set(number, definition);
  }

  /** Returns a session and the peer that does its work. `number` is that of its events. */
  session(number, options) {
    return this.#try(({ client, number: host }) => {
      client.ask(['session', number, host], [options]);
      return { session: new ProcessSession(client, number), peer: client };
    });
  }

  close() {
    release(this.#held);
  }

  /** Does something with a process that lives. */
  #try(act) {
    if (!this.#held.client.isGone) {
      try {
        return act(this.#held);
      } catch (error) {
        // It has ended, and the event loop has not noticed yet.
        if (error.code !== 'crashed') throw error;
      }
    }
    this.#start();
    return act(this.#held);
  }

  #start() {
    const client = new Client(this.#interpreter, this.#folder, this.#held);
    const number = freshNumber();
    try {
      client.ask(['host', number], [this.#options], limits.hostMs);
      client.keep(number);
      for (const [tool, definition] of this.#held.tools) addTool(client, number, tool, definition);
    } catch (error) {
      client.kill();
      throw error;
    }
    this.#held.client = client;
    this.#held.number = number;
  }
}

function addTool(client, object, number, definition) {
  client.give(number);
  return client.ask(['tool', object, number], [definition]);
}

function currentFolder() {
  try {
    return process.cwd();
  } catch {
    // It was deleted.
    return undefined;
  }
}

/** A session in a child process. */
class ProcessSession {
  #client;
  #number;
  /** Work was sent, so the session is open whether it has begun or not. */
  #isOpen = false;

  constructor(client, number) {
    this.#client = client;
    this.#number = number;
    client.keep(number);
    forgottenSessions.register(this, { client, number });
  }

  tool(definition, number) {
    try {
      this.#client.check();
      if (!this.#isOpen) return addTool(this.#client, this.#number, number, definition);
      dropFunction(number);
      return false;
    } catch (error) {
      dropFunction(number);
      throw error;
    }
  }

  listen(listens) {
    this.#client.post(['listen', this.#number, listens]);
  }

  add(number, name, data, options) {
    this.#client.ready();
    // A copy, as the native library makes one: the program may change its bytes.
    this.#request(number, 'add', [name, Buffer.from(data), options]);
  }

  addTable(number, name, data) {
    this.#client.ready();
    this.#request(number, 'addTable', [name, Buffer.from(data)]);
  }

  table(number, reference) {
    this.#request(number, 'table', [reference]);
  }

  call(number, tool, given, options) {
    this.#request(number, 'call', [tool, given, options]);
  }

  script(number, language, source, options) {
    this.#request(number, 'script', [language, source, options]);
  }

  resume(number, id, decision) {
    this.#request(number, 'resume', [id, decision]);
  }

  tools(number) {
    this.#request(number, 'tools', []);
  }

  run(number, task, options, model) {
    this.#client.give(model);
    try {
      this.#request(number, 'run', [task, options], [model]);
    } catch (error) {
      dropFunction(model);
      throw error;
    }
  }

  artifact(number, name) {
    this.#request(number, 'artifact', [name]);
  }

  artifacts() {
    return this.#client.ask(['artifacts', this.#number]);
  }

  state() {
    return this.#client.ask(['state', this.#number]);
  }

  close() {
    this.#client.drop(this.#number);
  }

  #request(number, method, parts, extra) {
    this.#client.request(number, this.#number, method, parts, extra);
    this.#isOpen = true;
  }
}
