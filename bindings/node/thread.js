// Hosts on threads of this process: the native library is loaded here.
import { receive } from './bridge.js';
import { native } from './native.js';

/** The threads of Mitt as a peer. There is one for each thread of JavaScript. */
class Threads {
  answering = new Map();
  bridge = new (native().Bridge)((kind, number, first, second) => receive(this, kind, number, first, second));

  cancel(number) {
    this.bridge.cancel(number);
  }

  answer(number, isOk, text) {
    this.bridge.answer(number, isOk, text);
  }

  ended() {}
}

let own;

export function threads() {
  own ??= new Threads();
  return own;
}

/** A host of this process. */
export class ThreadHost {
  #host;

  constructor(options) {
    this.#host = new (native().NativeHost)(threads().bridge, options);
  }

  tool(definition, number) {
    this.#host.tool(definition, number);
  }

  /** Returns a session and the peer that does its work. `number` is that of its events. */
  session(number, options) {
    return { session: new (native().NativeSession)(this.#host, number, options), peer: threads() };
  }

  close() {
    this.#host.close();
  }
}
