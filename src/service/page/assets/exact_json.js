// Reads and writes JSON without changing a digit of its numbers, which `JSON.parse` does beyond 2^53 and 17 digits.
// Objects become maps, so that their members keep their order and no key is special.

/** A number as it is written. */
export class ExactNumber {
  /** @param {string} text the digits, in the grammar of JSON */
  constructor(text) {
    this.text = text;
  }

  valueOf() {
    return Number(this.text);
  }

  toString() {
    return this.text;
  }
}

/**
 * A text that a person writes where JSON belongs, and that is none yet. It is kept in its place, so that nothing is
 * lost.
 */
export class Unparsed {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }

  toString() {
    return JSON.stringify(this.text);
  }
}

/** @typedef {null | boolean | string | ExactNumber | Unparsed | Array<any> | Map<string, any>} Exact */

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const SPACE = /[ \t\n\r]*/y;
// A string without its quotes: neither a control character nor a lone backslash.
const STRING = /(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/y;

/** Deeper values could exhaust the stack of the browser. */
const MAX_DEPTH = 200;

/** Says why a text is not JSON, and where. */
export class JsonProblem extends Error {
  /**
   * @param
   *   {"expected-value"|"expected-end"|"expected-key"|"expected-colon"|"expected-comma"|"string"|"duplicate"|"deep"}
   *   code
   * @param {string} text
   * @param {number} position
   * @param {string} [key]
   */
  constructor(code, text, position, key) {
    super(code);
    this.code = code;
    this.position = position;
    this.key = key || "";
    const before = text.slice(0, position).split("\n");
    this.line = before.length;
    this.column = before[before.length - 1].length + 1;
  }
}

/**
 * Returns the text as a number if it has the form of one in JSON, otherwise `null`.
 * @param {string} text
 * @returns {ExactNumber | null}
 */
export function exactNumber(text) {
  NUMBER.lastIndex = 0;
  const found = NUMBER.exec(text);
  return found && found[0].length === text.length && text !== "" ? new ExactNumber(text) : null;
}

/**
 * Parses a text of JSON. An object with the same key twice is refused, because one of its members would be lost.
 * @param {string} text
 * @returns {Exact}
 */
export function parseExact(text) {
  let at = 0;
  const space = () => {
    SPACE.lastIndex = at;
    at += SPACE.exec(text)[0].length;
  };
  const fail = (code, key) => {
    throw new JsonProblem(code, text, at, key);
  };
  const string = () => {
    STRING.lastIndex = at + 1;
    const end = at + 1 + STRING.exec(text)[0].length;
    if (text[end] !== '"') {
      at = end;
      fail("string");
    }
    const value = JSON.parse(text.slice(at, end + 1));
    at = end + 1;
    return value;
  };
  const value = (depth) => {
    if (depth > MAX_DEPTH) fail("deep");
    space();
    const first = text[at];
    if (first === '"') return string();
    if (first === "{") {
      at++;
      const members = new Map();
      space();
      if (text[at] === "}") {
        at++;
        return members;
      }
      for (;;) {
        space();
        if (text[at] !== '"') fail("expected-key");
        const start = at;
        const key = string();
        if (members.has(key)) {
          at = start;
          fail("duplicate", key);
        }
        space();
        if (text[at] !== ":") fail("expected-colon");
        at++;
        members.set(key, value(depth + 1));
        space();
        if (text[at] === "}") {
          at++;
          return members;
        }
        if (text[at] !== ",") fail("expected-comma");
        at++;
      }
    }
    if (first === "[") {
      at++;
      const elements = [];
      space();
      if (text[at] === "]") {
        at++;
        return elements;
      }
      for (;;) {
        elements.push(value(depth + 1));
        space();
        if (text[at] === "]") {
          at++;
          return elements;
        }
        if (text[at] !== ",") fail("expected-comma");
        at++;
      }
    }
    for (const [word, meaning] of /** @type {Array<[string, null|boolean]>} */ ([
      ["null", null],
      ["true", true],
      ["false", false],
    ])) {
      if (text.startsWith(word, at)) {
        at += word.length;
        return meaning;
      }
    }
    NUMBER.lastIndex = at;
    const found = NUMBER.exec(text);
    if (!found) fail("expected-value");
    at += found[0].length;
    return new ExactNumber(found[0]);
  };
  const result = value(0);
  space();
  if (at < text.length) fail("expected-end");
  return result;
}

/** Digits that a number of JavaScript always keeps. */
const SAFE_DIGITS = 15;

/** @param {ExactNumber} number */
function usual(number) {
  const { text } = number;
  const value = Number(text);
  if (String(value) === text) return value;
  const digits = text.replace(/[eE].*/, "").replace(/\D/g, "").replace(/^0+/, "");
  return Number.isFinite(value) && digits.length <= SAFE_DIGITS ? value : number;
}

/** @param {Exact} value @returns {any} */
function plain(value) {
  if (value instanceof ExactNumber) return usual(value);
  if (Array.isArray(value)) return value.map(plain);
  return value instanceof Map ? Object.fromEntries([...value].map(([key, member]) => [key, plain(member)])) : value;
}

/**
 * Parses JSON as `JSON.parse` does, but returns as `ExactNumber` each number that would lose digits.
 * @param {string} text
 * @returns {any}
 */
export function parseFaithful(text) {
  const value = JSON.parse(text);
  if (!/\d[\d.]{15}|\d[eE][+-]?\d/.test(text)) return value;
  try {
    return plain(parseExact(text));
  } catch {
    // A key that is there twice, or a very deep value.
    return value;
  }
}

/** Longest array or object that is written on one line, in characters. */
const LINE = 100;

/**
 * Writes a value as JSON. With an indent, short arrays and objects stay on one line.
 * @param {Exact} value
 * @param {number} [indent]
 * @returns {string}
 */
export function stringifyExact(value, indent = 0) {
  const flat = (it) => {
    if (it === null || it === undefined) return "null";
    if (typeof it === "string") return JSON.stringify(it);
    if (it instanceof ExactNumber) return it.text;
    const [comma, colon] = indent ? [", ", ": "] : [",", ":"];
    if (Array.isArray(it)) return `[${it.map(flat).join(comma)}]`;
    if (it instanceof Map)
      return `{${[...it].map(([key, member]) => JSON.stringify(key) + colon + flat(member)).join(comma)}}`;
    return String(it);
  };
  const pretty = (it, left) => {
    const isList = Array.isArray(it);
    if (!isList && !(it instanceof Map)) return flat(it);
    const line = flat(it);
    if (line.length + left <= LINE) return line;
    const inner = left + indent;
    const parts = isList
      ? it.map((element) => pretty(element, inner))
      : [...it].map(([key, member]) => `${JSON.stringify(key)}: ${pretty(member, inner)}`);
    const [open, close] = isList ? "[]" : "{}";
    const pad = " ".repeat(inner);
    return `${open}\n${parts.map((part) => pad + part).join(",\n")}\n${" ".repeat(left)}${close}`;
  };
  return indent ? pretty(value, 0) : flat(value);
}

/**
 * Returns the value with exact numbers made of those of JavaScript, for schemas and defaults that were parsed as usual.
 * @param {any} value
 * @returns {Exact}
 */
export function exactOf(value) {
  if (typeof value === "number") return new ExactNumber(String(value));
  if (Array.isArray(value)) return value.map(exactOf);
  if (
    value &&
    typeof value === "object" &&
    !(value instanceof Map) &&
    !(value instanceof ExactNumber) &&
    !(value instanceof Unparsed)
  ) {
    return new Map(Object.entries(value).map(([key, member]) => [key, exactOf(member)]));
  }
  return value === undefined ? null : value;
}

/**
 * Returns `true` if both values are written alike.
 * @param {Exact | undefined} a
 * @param {Exact | undefined} b
 */
export function isSame(a, b) {
  if (a === undefined || b === undefined) return a === b;
  return stringifyExact(a) === stringifyExact(b);
}
