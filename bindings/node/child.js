// The child process of a host with the mode `process`: it holds the native library, and does what its parent says. The path of the library
// is its argument. It ends when the pipe to the parent closes.
import { createRequire } from 'node:module';
import { Socket } from 'node:net';

import { EVENT, EventQueue, Inbox, limits, packed, send } from './channel.js';

// Kinds of messages, as in src/bridge.rs.
const FAILED = 1;
const ASK = 2;

// Ctrl-C reaches all processes of the terminal. It is for the program, which may go on.
process.on('SIGINT', () => {});

const channel = new Socket({ fd: 3, readable: true, writable: true });
// Requests that the parent waits for.
const waiting = new Socket({ fd: 4, readable: true, writable: true });
const events = new EventQueue(channel);
const objects = new Map();
const tooLarge = JSON.stringify({ kind: 'limit', message: `the result has more than ${limits.messageBytes} bytes` });

let library;
let bridge;
try {
  library = createRequire(import.meta.url)(process.argv[2]);
  bridge = new library.Bridge(forward);
  send(waiting, packed(['mitt-child', library.version()]));
  serve();
} catch (error) {
  send(waiting, packed(['failed'], [String(error?.message ?? error)]), () => process.exit(1));
}

function serve() {
  const inbox = new Inbox();
  const questions = new Inbox();
  channel.on('data', (chunk) => inbox.add(chunk, handle));
  waiting.on('data', (chunk) => questions.add(chunk, (fields, parts) => send(waiting, answered(fields, parts))));
  for (const socket of [channel, waiting]) {
    for (const end of ['end', 'error', 'close']) socket.on(end, die);
  }
}

/** Ends this process at once, whatever its threads do: the results have no reader. */
function die() {
  process.kill(process.pid, 'SIGKILL');
}

/** Sends a message of the library. */
function forward(kind, number, first, second) {
  if (kind === EVENT) {
    events.add(number, first);
    return;
  }
  // They came before.
  events.flush();
  const buffers = packed([kind, number], [first, second]);
  if (buffers !== undefined) send(channel, buffers);
  else if (kind === ASK) bridge.answer(number, false, tooLarge);
  else send(channel, packed([FAILED, number], [tooLarge, null]));
}

function handle([verb, ...fields], parts) {
  switch (verb) {
    case 'work':
      begin(...fields, parts);
      break;
    case 'answer':
      bridge.answer(fields[0], fields[1], parts[0]);
      break;
    case 'cancel':
      bridge.cancel(fields[0]);
      break;
    case 'ping':
      send(channel, packed(['pong']));
      break;
    case 'listen':
      objects.get(fields[0])?.listen(fields[1]);
      break;
    case 'drop':
      objects.get(fields[0])?.close();
      objects.delete(fields[0]);
      break;
    case 'end':
      process.exit(0);
  }
}

function begin(number, object, method, ...others) {
  const parts = others.pop();
  try {
    objects.get(object)[method](number, ...parts, ...others);
  } catch (error) {
    send(channel, packed(['refused', number], [error.message]));
  }
}

/** Returns the answer to a request that the parent waits for. */
function answered(fields, parts) {
  try {
    const value = asked(fields, parts);
    const isText = typeof value === 'string';
    return packed([true, isText ? null : value ?? null], [isText ? value : null]) ?? packed([false], [tooLarge]);
  } catch (error) {
    return packed([false], [error.message]);
  }
}

function asked([verb, object, other], [text]) {
  switch (verb) {
    case 'host':
      objects.set(object, new library.NativeHost(bridge, text));
      return true;
    case 'session':
      objects.set(object, new library.NativeSession(objects.get(other), object, text));
      return true;
    case 'tool':
      return objects.get(object).tool(text, other);
    default:
      return objects.get(object)[verb]();
  }
}
