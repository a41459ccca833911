// Messages between a program and the child process of its host: fields, which are JSON, and texts and buffers beside them. Knows
// no hosts and no sessions.
import { readSync, writeSync } from 'node:fs';

/** Limits of both processes. They can be changed, for tests. */
export const limits = {
  /** Most bytes of a message. It bounds what one process makes the other one hold. */
  messageBytes: 2 ** 30,
  /** Bytes that wait to be sent, above which no further request is sent. */
  waitingBytes: 2 ** 30,
  /** Most functions of the program that a child process may ask at once. */
  asked: 100_000,
  /** Most events that wait to be sent, and their bytes. Further ones are dropped and counted. */
  events: 100_000,
  eventBytes: 64 * 2 ** 20,
  /** Milliseconds until a child must have greeted. It loads the library, which may come from a slow disk. */
  greetingMs: 30_000,
  /** Milliseconds until a host must be there, which may compile skills. */
  hostMs: 600_000,
  /** Milliseconds for other requests that the thread of JavaScript waits for. */
  answerMs: 30_000,
  /** Milliseconds between two looks at work that was cancelled. */
  lookMs: 100,
  /** Looks until a process is killed that does not end such work: one that sends nothing, and one that sends something. */
  looksIfSilent: 20,
  looksIfAlive: 100,
  /** Milliseconds until a process is killed that has nothing to do any more and does not end. */
  endMs: 10_000,
};

const HEAD_BYTES = 8;
/** A message up to this size is sent as one buffer. */
const JOINED_BYTES = 16 * 1024;

/** The other process sends what is no message. */
export class WrongMessage extends Error {}

/**
 * Returns a message as it is sent, in one or more buffers, or `undefined` if it is too large. `parts` are texts, buffers and null. Buffers
 * are not copied if they are large.
 */
export function packed(fields, parts = []) {
  const pieces = parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part));
  // The size of a text is a number, and that of a buffer a list with a number.
  const sizes = pieces.map((piece, at) => piece && (typeof parts[at] === 'string' ? piece.length : [piece.length]));
  const text = Buffer.from(JSON.stringify([fields, sizes]));
  const bytes = pieces.reduce((sum, piece) => sum + (piece?.length ?? 0), text.length);
  if (bytes > limits.messageBytes) return undefined;
  const head = Buffer.allocUnsafe(HEAD_BYTES);
  head.writeUInt32BE(bytes, 0);
  head.writeUInt32BE(text.length, 4);
  const all = [head, text, ...pieces.filter((piece) => piece?.length > 0)];
  return bytes <= JOINED_BYTES ? [Buffer.concat(all)] : all;
}

/** Sends what `packed` returned. `sent` is called when it has left this process. */
export function send(socket, buffers, sent) {
  if (buffers.length === 1) {
    socket.write(buffers[0], sent);
    return;
  }
  socket.cork();
  for (const buffer of buffers.slice(0, -1)) socket.write(buffer);
  socket.write(buffers.at(-1), sent);
  socket.uncork();
}

/** Makes messages of the bytes that arrive. */
export class Inbox {
  #head = Buffer.allocUnsafe(HEAD_BYTES);
  #headBytes = 0;
  /** The message that arrives in several pieces, and how much of it is there. */
  #body;
  #bodyBytes = 0;

  /** Takes bytes, and calls `each` with the fields and the parts of each message that is complete. Throws `WrongMessage`. */
  add(chunk, each) {
    for (let at = 0; at < chunk.length; ) {
      if (this.#body === undefined && this.#headBytes < HEAD_BYTES) {
        const count = chunk.copy(this.#head, this.#headBytes, at);
        this.#headBytes += count;
        at += count;
        continue;
      }
      const [bytes, text] = [this.#head.readUInt32BE(0), this.#head.readUInt32BE(4)];
      if (bytes > limits.messageBytes || text === 0 || text > bytes) throw new WrongMessage('a wrong size');
      const isWhole = this.#body === undefined && chunk.length - at >= bytes;
      if (isWhole) {
        this.#body = chunk.subarray(at, at + bytes);
        this.#bodyBytes = bytes;
        at += bytes;
      } else {
        // Memory counts when it is written to.
        this.#body ??= allocated(bytes);
        const count = chunk.copy(this.#body, this.#bodyBytes, at);
        this.#bodyBytes += count;
        at += count;
      }
      if (this.#bodyBytes === bytes) this.#finish(text, each);
    }
  }

  #finish(textBytes, each) {
    const body = this.#body;
    this.#body = undefined;
    this.#headBytes = 0;
    this.#bodyBytes = 0;
    const { fields, parts } = unpacked(body, textBytes);
    each(fields, parts);
  }
}

function allocated(bytes) {
  try {
    return Buffer.allocUnsafeSlow(bytes);
  } catch (error) {
    throw new WrongMessage(`no memory for ${bytes} bytes`, { cause: error });
  }
}

function unpacked(body, textBytes) {
  try {
    const [fields, sizes] = JSON.parse(body.toString('utf8', 0, textBytes));
    let at = textBytes;
    const parts = sizes.map((size) => {
      if (size === null) return null;
      const [from, isText] = [at, typeof size === 'number'];
      at += isText ? size : size[0];
      if (!Number.isInteger(at) || at < from || at > body.length) throw new WrongMessage('a wrong size');
      return isText ? body.toString('utf8', from, at) : body.subarray(from, at);
    });
    if (!Array.isArray(fields)) throw new WrongMessage('no fields');
    return { fields, parts };
  } catch (error) {
    throw error instanceof WrongMessage ? error : new WrongMessage(error.message, { cause: error });
  }
}

/** The other process has ended. */
export class Gone extends Error {}

/** The other process did not answer in time. */
export class Late extends Error {}

const cell = new Int32Array(new SharedArrayBuffer(4));
/** Tries without a pause, which are most of the time enough. */
const TRIES = 20;
const LONGEST_PAUSE_MS = 5;

/**
 * The end of a pipe whose answers this thread waits for, as some functions of the interface are no promises. The event loop never reads
 * from it meanwhile.
 */
export class WaitingChannel {
  #socket;
  #inbox = new Inbox();
  #buffer = Buffer.allocUnsafe(64 * 1024);

  constructor(socket) {
    this.#socket = socket;
  }

  /** Sends a message and returns the fields and the parts of the answer. Throws `Gone`, `Late` and `WrongMessage`. */
  ask(buffers, timeoutMs) {
    const time = { left: timeoutMs };
    for (const buffer of buffers) {
      for (let at = 0; at < buffer.length; ) at += this.#patiently(time, (fd) => writeSync(fd, buffer, at));
    }
    return this.#receive(time);
  }

  /** Waits for a message. */
  receive(timeoutMs) {
    return this.#receive({ left: timeoutMs });
  }

  #receive(time) {
    let answer;
    while (answer === undefined) {
      const count = this.#patiently(time, (fd) => readSync(fd, this.#buffer));
      if (count === 0) throw new Gone('the pipe was closed');
      // A copy: the buffer is used again.
      this.#inbox.add(Buffer.from(this.#buffer.subarray(0, count)), (fields, parts) => {
        answer = { fields, parts };
      });
    }
    return answer;
  }

  /** Tries until the pipe is ready. Pauses are counted, and not the time: this process may be stopped, too. */
  #patiently(time, act) {
    for (let tries = 1, pause = 0.05; ; tries += 1) {
      // The descriptor is another one's after the socket was closed.
      const fd = this.#socket._handle?.fd;
      if (!(fd >= 0)) throw new Gone('the pipe was closed');
      try {
        return act(fd);
      } catch (error) {
        if (error.code !== 'EAGAIN') throw new Gone(error.message, { cause: error });
      }
      if (tries <= TRIES) continue;
      if (time.left <= 0) throw new Late('no answer');
      Atomics.wait(cell, 0, 0, pause);
      time.left -= pause;
      pause = Math.min(pause * 1.1, LONGEST_PAUSE_MS);
    }
  }
}

/** An event has this kind in src/bridge.rs. */
export const EVENT = 5;
/** Most events of a message, and about the most bytes of their texts. */
const BATCH = 1000;
const BATCH_BYTES = 2 ** 20;

/**
 * The events of a child process on their way to the program. What comes while earlier ones are sent goes in one message. If the program
 * takes too few, further ones are dropped, and an event says how many.
 */
export class EventQueue {
  #socket;
  /** Events that the socket does not have yet. */
  #sessions = [];
  #texts = [];
  /** Events that are not sent, and their bytes. */
  #waiting = 0;
  #bytes = 0;
  #messages = 0;
  #isFull = false;
  /** Counts of dropped events by session. */
  #dropped = new Map();

  constructor(socket) {
    this.#socket = socket;
  }

  add(session, text) {
    if (!this.#hasSpace()) {
      this.#dropped.set(session, (this.#dropped.get(session) ?? 0) + 1);
      return;
    }
    this.#report();
    this.#push(session, text);
    if (this.#messages === 0) this.flush();
  }

  /** Hands all events to the socket, so that what is sent next comes after them. */
  flush() {
    this.#report();
    const [sessions, texts] = [this.#sessions, this.#texts];
    this.#sessions = [];
    this.#texts = [];
    for (let from = 0, to = 0; from < texts.length; from = to) {
      let bytes = 0;
      do bytes += bytesOf(texts[to++]);
      while (to < texts.length && to - from < BATCH && bytes + bytesOf(texts[to]) <= BATCH_BYTES);
      this.#send(sessions.slice(from, to), texts.slice(from, to), bytes);
    }
  }

  /** After it was full, it takes no event until half of what waits has left. Each gap is one then, and not many. */
  #hasSpace() {
    const share = this.#isFull ? 2 : 1;
    this.#isFull = this.#waiting >= limits.events / share || this.#bytes >= limits.eventBytes / share;
    return !this.#isFull;
  }

  #report() {
    for (const [session, count] of this.#dropped) this.#push(session, JSON.stringify({ event: 'events_dropped', count }));
    this.#dropped.clear();
  }

  #push(session, text) {
    this.#sessions.push(session);
    this.#texts.push(text);
    this.#waiting += 1;
    this.#bytes += bytesOf(text);
  }

  #send(sessions, texts, bytes) {
    this.#messages += 1;
    const sent = () => {
      this.#messages -= 1;
      this.#waiting -= texts.length;
      this.#bytes -= bytes;
      if (this.#dropped.size > 0 && this.#hasSpace()) this.#report();
      if (this.#messages === 0 && this.#texts.length > 0) this.flush();
    };
    const buffers = packed([EVENT, ...sessions], texts);
    if (buffers === undefined) sent();
    else send(this.#socket, buffers, sent);
  }
}

/** Returns the bytes that a text needs at most. */
function bytesOf(text) {
  return 2 * text.length;
}
