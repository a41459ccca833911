// Promises for work, and functions of JavaScript that Mitt calls. A peer does the work: the threads of this process (thread.js) or a child
// process (process.js). It has the methods `cancel` and `answer`, `ended` for work that ended, and the functions that it asks now as
// `answering`. Numbers of work, functions and sessions are those of the thread of JavaScript, whatever the peer is.
import { MittError, checkSignal, readable, reported } from './error.js';
import { written } from './json.js';

// Kinds of messages, as in src/bridge.rs.
const DONE = 0;
const FAILED = 1;
const ASK = 2;
const WITHDRAWN = 3;
const FORGET = 4;
const EVENT = 5;

const MOST_NUMBER = 2 ** 32 - 1;

const pending = new Map();
const functions = new Map();
const listeners = new Map();
let lastNumber = 0;

// The process stays alive while work is pending, and only then.
const alive = setInterval(() => {}, 2 ** 31 - 1).unref();

/** Returns a number that nothing else has now. */
export function freshNumber() {
  do {
    lastNumber = lastNumber === MOST_NUMBER ? 1 : lastNumber + 1;
  } while (pending.has(lastNumber) || functions.has(lastNumber) || listeners.has(lastNumber));
  return lastNumber;
}

/**
 * Starts work of a peer and returns a promise of its result. `begin` gets the number of the work; `read` makes the result of what
 * Mitt gives. A signal that aborts ends the work, and the promise is rejected when it has ended. `owner` is kept until then.
 */
export function work(peer, signal, begin, read, owner) {
  return new Promise((resolve, reject) => {
    checkSignal(signal);
    if (signal?.aborted) {
      const message = 'the call was cancelled before it began';
      reject(new MittError({ kind: 'cancelled', message }, { cause: signal.reason }));
      return;
    }
    const number = freshNumber();
    const abort = signal && (() => peer.cancel(number));
    if (pending.size === 0) alive.ref();
    // A session whose program holds only the promise still has listeners, which would end with it.
    pending.set(number, { peer, resolve, reject, read, signal, abort, owner });
    try {
      // Nothing has begun if the signal throws.
      signal?.addEventListener('abort', abort, { once: true });
      begin(number);
    } catch (error) {
      end(number);
      reject(readable(error));
    }
  });
}

/** Gives a function to Mitt, and returns its number. `name` is for errors. Mitt says when it does not need it any more. */
export function giveFunction(callback, name) {
  const number = freshNumber();
  functions.set(number, { callback, name });
  return number;
}

/** Forgets a function that nothing calls any more. */
export function dropFunction(number) {
  functions.delete(number);
}

/** Adds or removes a listener for events of a session; returns `true` if there are listeners. */
export function setListener(number, listener, isWanted) {
  const all = listeners.get(number) ?? new Set();
  if (isWanted) all.add(listener);
  else all.delete(listener);
  if (all.size > 0) listeners.set(number, all);
  else listeners.delete(number);
  return all.size > 0;
}

/** Removes all listeners of a session. */
export function dropListeners(number) {
  listeners.delete(number);
}

// Sessions that were not closed end, too.
const forgotten = new FinalizationRegistry(dropListeners);

/** Removes all listeners of a session when the object is not in use any more. */
export function dropListenersWith(object, number) {
  forgotten.register(object, number);
}

function end(number) {
  const entry = pending.get(number);
  if (entry === undefined) return undefined;
  pending.delete(number);
  if (pending.size === 0) alive.unref();
  if (entry.abort) entry.signal.removeEventListener('abort', entry.abort);
  entry.peer.ended(number);
  return entry;
}

/** Rejects the promise of work with an error. Its cause is the reason of the signal if that ended the work. */
export function fail(number, fields, report = null) {
  const entry = end(number);
  if (entry === undefined) return;
  const { reject, signal } = entry;
  const isAborted = fields.kind === 'cancelled' && signal?.aborted;
  reject(new MittError(fields, { report, ...(isAborted && { cause: signal.reason }) }));
}

/** Rejects the promise of work that was refused before it began. */
export function refuse(number, error) {
  end(number)?.reject(error);
}

/** Takes a message of a peer. */
export function receive(peer, kind, number, first, second) {
  switch (kind) {
    case DONE: {
      const entry = end(number);
      try {
        entry?.resolve(entry.read(first, second));
      } catch (error) {
        entry.reject(error);
      }
      break;
    }
    case FAILED:
      fail(number, JSON.parse(first), second === null ? null : readReport(second));
      break;
    case ASK:
      answer(peer, number, first, Number(second));
      break;
    case WITHDRAWN:
      withdraw(peer, number);
      break;
    case FORGET:
      dropFunction(number);
      break;
    case EVENT:
      notify(listeners.get(number), first);
      break;
  }
}

function withdraw(peer, number) {
  peer.answering.get(number)?.abort(new MittError({ kind: 'cancelled', message: 'the call was cancelled' }));
  peer.answering.delete(number);
}

/** Aborts the signals of all functions that a peer asks, because it does not need their answers. */
export function withdrawAll(peer) {
  for (const number of [...peer.answering.keys()]) withdraw(peer, number);
}

// Calls the function and sends its answer.
async function answer(peer, number, request, called) {
  const controller = new AbortController();
  peer.answering.set(number, controller);
  let isOk = true;
  let text;
  try {
    const { callback, name } = functions.get(called);
    const result = await callback(JSON.parse(request), { signal: controller.signal });
    text = writtenResult(name, result ?? null);
  } catch (error) {
    isOk = false;
    text = reported(error);
  }
  peer.answering.delete(number);
  peer.answer(number, isOk, text);
}

function writtenResult(name, result) {
  try {
    return written(name, result);
  } catch (error) {
    // The mistake is one of the tool, and not of the arguments that it got.
    throw Object.assign(error, { code: 'plugin' });
  }
}

function notify(all, text) {
  if (all === undefined) return;
  const event = JSON.parse(text);
  for (const listener of all) {
    try {
      listener(event);
    } catch (error) {
      // As an event emitter of Node does: a mistake in a listener must not end a call silently.
      process.nextTick(() => {
        throw error;
      });
    }
  }
}

/** Returns the report of an instruction, whose calls have their texts, too. */
export function readRun(text) {
  const report = readReport(text);
  const texts = itemsOf(text, 'calls');
  report.calls.forEach((call, at) => Object.defineProperty(call, 'json', { value: texts[at] }));
  return report;
}

/** Returns the texts of the objects and lists in a list, which is a field of an object of JSON. */
function itemsOf(text, field) {
  const items = [];
  let [depth, last, isWanted, from] = [0, '', false, 0];
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') {
      const begin = at + 1;
      for (at = begin; text[at] !== '"'; at += 1) if (text[at] === '\\') at += 1;
      if (depth === 1) last = text.slice(begin, at);
    } else if (character === '{' || character === '[') {
      depth += 1;
      // Before a list in an object stands its name.
      if (depth === 2) isWanted = last === field;
      if (depth === 3) from = at;
    } else if (character === '}' || character === ']') {
      if (depth === 3 && isWanted) items.push(text.slice(from, at + 1));
      depth -= 1;
    }
  }
  return items;
}

/** Returns the report of a call. `json` is its text, in which numbers have all their digits. */
export function readReport(text) {
  const report = JSON.parse(text);
  Object.defineProperty(report, 'json', { value: text });
  return report;
}
