// Starts the child process of a host with the mode `process`, and makes sure that it is one.
import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

import { Gone, Late, WaitingChannel, limits } from './channel.js';
import { wrong } from './error.js';
import { libraryPath, version } from './native.js';

const PLACE = 'options.interpreter';
const HINT = "name a program of Node: `new Host({ mode: 'process', interpreter: '/usr/bin/node' })`";

/** Variables that change how Node starts, or connect it with the process that started this one. */
const DROPPED = ['NODE_OPTIONS', 'NODE_V8_COVERAGE', 'NODE_CHANNEL_FD', 'NODE_CHANNEL_SERIALIZATION_MODE', 'NODE_UNIQUE_ID'];

/** Returns the path of the program of Node for child processes. */
export function interpreterOf(given) {
  if (typeof given === 'string' && given !== '') return given;
  if (given !== undefined && given !== null) throw wrong(PLACE, 'expected the path of a program', HINT);
  if (isPacked()) throw wrong(PLACE, `\`${process.execPath}\` has this program inside, and would start itself again`, HINT);
  return process.execPath;
}

/** Returns `true` if the program is one file together with Node. */
function isPacked() {
  if (process.pkg !== undefined) return true;
  try {
    return createRequire(import.meta.url)('node:sea').isSea();
  } catch {
    // This version of Node makes no such files.
    return false;
  }
}

function variables() {
  // Without a prototype: properties that a library adds to all objects are no variables of the environment.
  const all = { __proto__: null, ...process.env };
  for (const name of DROPPED) delete all[name];
  // The program of Electron is Node then.
  if (process.versions.electron !== undefined) all.ELECTRON_RUN_AS_NODE = '1';
  return all;
}

/**
 * Starts a child in a folder and waits for its greeting. Returns the process, and the end of a pipe for requests that this thread waits
 * for. The process does not keep this one alive.
 */
export function started(interpreter, folder) {
  const program = fileURLToPath(new URL('child.js', import.meta.url));
  let child;
  try {
    // The child's output goes to standard error. It does not inherit the options of this process (`process.execArgv`).
    const stdio = ['ignore', 2, 2, 'pipe', 'pipe'];
    child = spawn(interpreter, [program, libraryPath], { cwd: folder, env: variables(), stdio });
  } catch (error) {
    throw refused(interpreter, `which cannot be started: ${error.code ?? error.message}`);
  }
  // It comes when the event loop runs again, and says nothing new.
  child.on('error', () => {});
  if (child.pid === undefined) throw refused(interpreter, `which cannot be started: ${reason(interpreter, folder)}`);
  for (const socket of [child.stdio[3], child.stdio[4]]) {
    // Its end is what counts.
    socket.on('error', () => {});
    socket.unref();
  }
  child.unref();
  const waiting = new WaitingChannel(child.stdio[4]);
  const problem = problemOf(waiting);
  if (problem !== undefined) {
    child.kill('SIGKILL');
    throw refused(interpreter, problem);
  }
  return { child, waiting };
}

function reason(interpreter, folder) {
  try {
    accessSync(folder ?? '.', constants.X_OK);
    accessSync(interpreter, constants.X_OK);
  } catch (error) {
    return error.code;
  }
  return 'the system refuses it';
}

/** Waits for the greeting of a child. Returns what is wrong with it. */
function problemOf(waiting) {
  try {
    const { fields, parts } = waiting.receive(limits.greetingMs);
    if (fields[0] === 'failed') return `which cannot load the library: ${parts[0]}`;
    if (fields[0] !== 'mitt-child') return 'which writes something else than a greeting';
    return fields[1] === version ? undefined : `which has another version of Mitt than ${version}`;
  } catch (error) {
    if (error instanceof Late) return `which does not greet within ${limits.greetingMs / 1000} s`;
    if (error instanceof Gone) return 'which ended before it greeted';
    return 'which writes something else than a greeting';
  }
}

function refused(interpreter, problem) {
  return wrong(PLACE, `expected a program of Node that loads Mitt, got \`${interpreter}\`, ${problem}`, HINT);
}
