// What the engine needs of values: how objects of classes are written, and how exceptions are read.
(function (native, hooks) {
  // A script may give these names to variables of its own.
  const { ArrayBuffer, DataView, Date, Function, Map, Object, RegExp, Set, Symbol, Uint8Array } = globalThis;
  const { apply, getPrototypeOf } = Reflect;
  const objectToString = Object.prototype.toString;
  const stringOf = String, bigOf = BigInt;
  const wellFormed = String.prototype.toWellFormed;
  const dateToISO = Date.prototype.toISOString;
  const AnyError = Error, ManyErrors = AggregateError;

  hooks.plain = Object.prototype;
  hooks.big = (digits) => bigOf(digits);
  // The digits of a BigInt, a string without halves of surrogates.
  hooks.text = (value) => apply(wellFormed, stringOf(value), []);

  const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  hooks.base64 = (bytes) => {
    let text = "";
    for (let at = 0; at < bytes.length; at += 3) {
      const left = bytes.length - at;
      const group = (bytes[at] << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
      text += ALPHABET[group >> 18] + ALPHABET[(group >> 12) & 63];
      text += (left > 1 ? ALPHABET[(group >> 6) & 63] : "=") + (left > 2 ? ALPHABET[group & 63] : "=");
    }
    return text;
  };

  hooks.bytes = (data) => data instanceof ArrayBuffer
    ? new Uint8Array(data) : new Uint8Array(data.buffer, data.byteOffset, data.byteLength);

  // Iterators that end.
  const ITERATORS = ["Array Iterator", "Map Iterator", "Set Iterator", "RegExp String Iterator", "String Iterator"];
  const isView = (object) => ArrayBuffer.isView(object) && !(object instanceof DataView);
  const keysFit = (keys) => keys.every((key) => typeof key === "string") || keys.every((key) => typeof key === "number");
  const errorData = (error) => {
    const { name, message } = hooks.thrown(error);
    return { name, message, kind: error.kind, tool: error.tool };
  };

  // Returns what stands for an object that is neither plain nor an array: {value}, {members}, {pairs}, which are members in
  // order, or {table, names}. The form is "argument", "result" or "stored".
  hooks.describe = (object, form) => {
    const isArgument = form === "argument";
    if (form === "stored" && hooks.isTable(object)) return { members: hooks.storedTable(object) };
    const table = hooks.tableOf(object);
    if (table) return table;
    const kind = apply(objectToString, object, []).slice(8, -1);
    if (kind === "Date" && object instanceof Date && !isNaN(object)) return { value: apply(dateToISO, object, []) };
    if (ArrayBuffer.isView(object) || object instanceof ArrayBuffer) {
      if (isArgument) return { value: hooks.base64(hooks.bytes(object)) };
      return { value: [...(isView(object) ? object : hooks.bytes(object))] };
    }
    if (isArgument) refuse(object);
    if (object instanceof Map) {
      const entries = [...object];
      return keysFit(entries.map(([key]) => key)) ? { pairs: entries } : { value: entries };
    }
    if (object instanceof Set || ITERATORS.includes(kind)) return { value: [...object] };
    if (typeof object.toJSON === "function") return { value: object.toJSON("") };
    const text = hooks.shownTools(object);
    if (text !== undefined) return { value: text };
    if (object instanceof AnyError) return { members: errorData(object) };
    if (kind === "RegExp") return { value: stringOf(object) };
    if (typeof object[Symbol.iterator] === "function" && typeof object.next === "function") {
      throw new TypeError("JSON has no iterator; pass [...iterator]");
    }
    if (kind === "Number" || kind === "String" || kind === "Boolean") return { value: object.valueOf() };
    if (kind !== "Object") throw new TypeError(`JSON has no ${kind}`);
    return { members: object };
  };
  // Throws for objects that are no arguments.
  const refuse = (object) => {
    if (object instanceof Map) throw new TypeError("JSON has no Map; pass Object.fromEntries(map) or [...map]");
    if (object instanceof Set) throw new TypeError("JSON has no Set; pass [...set]");
    if (hooks.isDocument(object)) throw new TypeError("a document is no value; pass its .text or one of its .tables");
    if (object instanceof AnyError && typeof object.toJSON !== "function") {
      throw new TypeError("JSON has no Error; pass its .message");
    }
    if (apply(objectToString, object, []) === "[object RegExp]") throw new TypeError("JSON has no RegExp");
  };

  // Returns `true` for the value of a script that is shown as text unless the text would lack a part of it.
  hooks.isText = (value) => {
    if (typeof value !== "object" || value === null) return typeof value === "function" || typeof value === "symbol";
    if (value instanceof Map || value instanceof Set || value instanceof RegExp || value instanceof AnyError) return true;
    return ArrayBuffer.isView(value) || value instanceof ArrayBuffer || hooks.shownTools(value) !== undefined;
  };

  // Returns name, message and stack of anything that was thrown.
  hooks.thrown = (error) => {
    if (error instanceof AnyError || (typeof error === "object" && error !== null && typeof error.message === "string")) {
      const constructor = getPrototypeOf(error)?.constructor?.name;
      let name = stringOf(error.name || "Error");
      // A class that extends Error and sets no name.
      if (name === "Error" && constructor) name = stringOf(constructor);
      let message = stringOf(error.message ?? "");
      if (error instanceof ManyErrors) {
        message = [message, ...error.errors.map((inner) => stringOf(inner?.message ?? inner))].filter(Boolean).join("; ");
      }
      if (error.cause !== undefined) message += `; cause: ${stringOf(error.cause?.message ?? error.cause)}`;
      return { name: hooks.text(name), message: hooks.text(message), stack: hooks.text(error.stack ?? "") };
    }
    const message = typeof error === "string" ? error : hooks.show(error);
    return { name: "Error", message: hooks.text(message), stack: "" };
  };

  // The function of `export default`.
  hooks.main = { value: undefined };

  // Calls a function that is the value of a script: one of `export default`, or one without a name, as in `async (inputs) => …`.
  hooks.called = (value) => {
    if (typeof value !== "function") return value;
    const isMain = value === hooks.main.value;
    if (!isMain && (value.name !== "" || value.length > 1)) return value;
    if (Function.prototype.toString.call(value).startsWith("class")) return value;
    return value(hooks.inputs);
  };

  hooks.isName = (text) => /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(text);

  // Sets a global name, which a script may have declared.
  hooks.define = (name, value) => {
    native.forget(name);
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
  };

  // Sets a global name whose value is made when it is read.
  hooks.defineLazily = (name, make) => {
    native.forget(name);
    const set = (value) => hooks.define(name, value);
    Object.defineProperty(globalThis, name, { get: make, set, configurable: true, enumerable: false });
  };

  const snakes = new Map();
  // Converts `createExcel` and `create-excel` to `create_excel`.
  hooks.snake = (name) => {
    let snake = snakes.get(name);
    if (snake === undefined) {
      snake = name.replace(/-/g, "_").replace(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase();
      snakes.set(name, snake);
    }
    return snake;
  };

  // Names that promises, JSON and the console look for in any object.
  const PROBED = new Set(["then", "catch", "finally", "toJSON", "constructor", "prototype", "$$typeof", "inspect",
    "nodeType", "toString", "valueOf", "hasOwnProperty", "length", "default", "__esModule", "asymmetricMatch"]);
  hooks.isProbed = (key) => typeof key === "symbol" || PROBED.has(key);

  // Returns `; did you mean …?`, or the names that exist.
  hooks.advice = (name, names) => {
    const close = native.nearest(name, names);
    if (close) return `; did you mean \`${close}\`?`;
    return names.length > 0 ? `; there are: ${names.slice(0, 40).join(", ")}` : "; there are none";
  };
})
