// What scripts know from browsers: text codecs, Base64, URL, clones, random numbers, timers.
(function (native, hooks) {
  class TextEncoder {
    get encoding() { return "utf-8"; }
    encode(text = "") {
      const source = hooks.text(String(text)), bytes = [];
      for (const letter of source) {
        const c = letter.codePointAt(0);
        if (c < 0x80) bytes.push(c);
        else if (c < 0x800) bytes.push(0xc0 | (c >> 6), 0x80 | (c & 63));
        else if (c < 0x10000) bytes.push(0xe0 | (c >> 12), 0x80 | ((c >> 6) & 63), 0x80 | (c & 63));
        else bytes.push(0xf0 | (c >> 18), 0x80 | ((c >> 12) & 63), 0x80 | ((c >> 6) & 63), 0x80 | (c & 63));
      }
      return Uint8Array.from(bytes);
    }
  }

  class TextDecoder {
    #fatal;
    constructor(label = "utf-8", { fatal = false } = {}) {
      if (!/^(utf-?8|unicode-1-1-utf-8)$/i.test(label)) {
        throw new RangeError(`expected encoding \`utf-8\`, got \`${label}\`; the host has decoded the documents already`);
      }
      this.#fatal = fatal;
    }
    get encoding() { return "utf-8"; }
    decode(data = new Uint8Array()) {
      const bytes = hooks.bytes(data);
      const parts = [];
      let text = "", at = 0;
      if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) at = 3;
      while (at < bytes.length) {
        const first = bytes[at++];
        let c = first, count = 0, least = 0;
        if (first >= 0xf0 && first < 0xf5) [c, count, least] = [first & 7, 3, 0x10000];
        else if (first >= 0xe0 && first < 0xf0) [c, count, least] = [first & 15, 2, 0x800];
        else if (first >= 0xc2 && first < 0xe0) [c, count, least] = [first & 31, 1, 0x80];
        else if (first >= 0x80) c = -1;
        let read = 0;
        while (read < count && (bytes[at + read] & 0xc0) === 0x80) c = (c << 6) | (bytes[at + read++] & 63);
        if (c < 0 || read < count || c < least || c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) {
          if (this.#fatal) throw new TypeError("the bytes are not UTF-8");
          c = 0xfffd;
        }
        at += read;
        text += String.fromCodePoint(c);
        if (text.length > 8192) {
          parts.push(text);
          text = "";
        }
      }
      return parts.join("") + text;
    }
  }

  const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const btoa = (text) => {
    const source = String(text);
    const bytes = new Uint8Array(source.length);
    for (let at = 0; at < source.length; at++) {
      const c = source.charCodeAt(at);
      if (c > 255) {
        const advice = "encode the text with TextEncoder first";
        throw new RangeError(`btoa takes bytes; character ${at} is \`${source[at]}\`: ${advice}`);
      }
      bytes[at] = c;
    }
    return hooks.base64(bytes);
  };
  const atob = (text) => {
    const source = String(text).replace(/[\t\n\f\r ]/g, "").replace(/={1,2}$/, "");
    if (source.length % 4 === 1 || /[^A-Za-z0-9+/]/.test(source)) throw new RangeError("the text is not Base64");
    let group = 0, bits = 0, result = "";
    for (const letter of source) {
      group = (group << 6) | ALPHABET.indexOf(letter);
      bits += 6;
      if (bits >= 8) {
        bits -= 8;
        result += String.fromCharCode((group >> bits) & 255);
        group &= (1 << bits) - 1;
      }
    }
    return result;
  };

  const cloned = (value, seen) => {
    if (typeof value === "function" || typeof value === "symbol") {
      throw new TypeError(`structuredClone cannot copy a ${typeof value}`);
    }
    if (typeof value !== "object" || value === null) return value;
    if (seen.has(value)) return seen.get(value);
    const keep = (copy) => {
      seen.set(value, copy);
      return copy;
    };
    if (hooks.isTable(value)) return keep(hooks.tableCopy(value));
    if (Array.isArray(value)) {
      const copy = keep(new Array(value.length));
      for (const key of Object.keys(value)) copy[key] = cloned(value[key], seen);
      return copy;
    }
    if (value instanceof Date) return keep(new Date(value.getTime()));
    if (value instanceof RegExp) return keep(new RegExp(value.source, value.flags));
    if (value instanceof ArrayBuffer) return keep(value.slice(0));
    if (ArrayBuffer.isView(value)) {
      const buffer = cloned(value.buffer, seen);
      const length = value instanceof DataView ? value.byteLength : value.length;
      return keep(new value.constructor(buffer, value.byteOffset, length));
    }
    if (value instanceof Map) {
      const copy = keep(new Map());
      for (const [key, each] of value) copy.set(cloned(key, seen), cloned(each, seen));
      return copy;
    }
    if (value instanceof Set) {
      const copy = keep(new Set());
      for (const each of value) copy.add(cloned(each, seen));
      return copy;
    }
    if (value instanceof Error) {
      const copy = keep(new (globalThis[value.name] ?? Error)(value.message));
      copy.stack = value.stack;
      return copy;
    }
    if (value instanceof Promise || value instanceof WeakMap || value instanceof WeakSet) {
      throw new TypeError("structuredClone cannot copy this object");
    }
    const copy = keep({});
    for (const key of Object.keys(value)) copy[key] = cloned(value[key], seen);
    return copy;
  };

  const hex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const crypto = {
    getRandomValues(array) {
      if (!ArrayBuffer.isView(array) || array instanceof DataView || /^Float/.test(array.constructor.name)) {
        throw new TypeError("expected an array of whole numbers, such as a Uint8Array");
      }
      new Uint8Array(array.buffer, array.byteOffset, array.byteLength).set(native.random(array.byteLength));
      return array;
    },
    randomUUID() {
      const bytes = native.random(16);
      bytes[6] = (bytes[6] & 15) | 64;
      bytes[8] = (bytes[8] & 63) | 128;
      return hex(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
    },
  };
  // The interpreter was seeded while the component was built. This takes random bytes of the host instead.
  let pool = new Float64Array(0), used = 0;
  Math.random = function random() {
    if (used >= pool.length) {
      const words = new Uint32Array(native.random(1024).buffer);
      // 53 random bits each.
      const each = (_, at) => ((words[2 * at] >>> 5) * 2 ** 26 + (words[2 * at + 1] >>> 6)) / 2 ** 53;
      pool = Float64Array.from({ length: 128 }, each);
      used = 0;
    }
    return pool[used++];
  };

  const decoded = (text) => {
    try {
      return decodeURIComponent(text.replace(/\+/g, " "));
    } catch {
      return text;
    }
  };
  const percent = (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`;
  const encoded = (text) => encodeURIComponent(text).replace(/%20/g, "+").replace(/[!'()~]/g, percent);
  class URLSearchParams {
    #pairs = [];
    constructor(init = "") {
      if (typeof init === "string") {
        for (const part of init.replace(/^\?/, "").split("&")) {
          if (part === "") continue;
          const at = part.indexOf("=");
          this.#pairs.push(at < 0 ? [decoded(part), ""] : [decoded(part.slice(0, at)), decoded(part.slice(at + 1))]);
        }
      } else {
        const pairs = typeof init[Symbol.iterator] === "function" ? [...init] : Object.entries(init);
        this.#pairs = pairs.map(([name, value]) => [String(name), String(value)]);
      }
    }
    get size() { return this.#pairs.length; }
    get(name) { return this.#pairs.find(([key]) => key === name)?.[1] ?? null; }
    getAll(name) { return this.#pairs.filter(([key]) => key === name).map(([, value]) => value); }
    has(name) { return this.#pairs.some(([key]) => key === name); }
    append(name, value) { this.#pairs.push([String(name), String(value)]); }
    delete(name) { this.#pairs = this.#pairs.filter(([key]) => key !== name); }
    set(name, value) {
      const at = this.#pairs.findIndex(([key]) => key === name);
      if (at < 0) return this.append(name, value);
      this.#pairs = this.#pairs.filter(([key], place) => key !== name || place === at);
      this.#pairs[at][1] = String(value);
    }
    sort() { this.#pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)); }
    forEach(each) { this.#pairs.forEach(([name, value]) => each(value, name, this)); }
    keys() { return this.#pairs.map(([name]) => name).values(); }
    values() { return this.#pairs.map(([, value]) => value).values(); }
    entries() { return this.#pairs.map((pair) => [...pair]).values(); }
    [Symbol.iterator]() { return this.entries(); }
    toString() { return this.#pairs.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join("&"); }
  }

  const PORTS = { "http:": "80", "https:": "443", "ftp:": "21", "ws:": "80", "wss:": "443" };
  // The part of URLs that scripts take apart: a scheme with an authority, path, query and fragment.
  class URL {
    #parts; #params;
    constructor(text, base = undefined) {
      const invalid = () => new TypeError(`invalid URL: ${hooks.show(String(text))}`);
      const source = String(text).trim();
      const match = /^([a-zA-Z][a-zA-Z0-9+.-]*:)(?:\/\/([^/?#]*))?([^?#]*)(\?[^#]*)?(#.*)?$/.exec(source);
      if (!match) {
        if (base === undefined) throw invalid();
        const from = new URL(base);
        const relative = /^([^?#]*)(\?[^#]*)?(#.*)?$/.exec(source);
        if (source.startsWith("//")) return new URL(from.protocol + source);
        const folder = from.pathname.replace(/[^/]*$/, "");
        const path = relative[1] === "" ? from.pathname : relative[1].startsWith("/") ? relative[1] : folder + relative[1];
        const query = relative[1] === "" && relative[2] === undefined ? from.search : relative[2] ?? "";
        return new URL(`${from.protocol}//${from.host}${path}${query}${relative[3] ?? ""}`);
      }
      const protocol = match[1].toLowerCase();
      const authority = /^(?:([^:@]*)(?::([^@]*))?@)?(\[[^\]]*\]|[^:]*)(?::([0-9]*))?$/.exec(match[2] ?? "");
      if (!authority || (Object.hasOwn(PORTS, protocol) && !authority[3])) throw invalid();
      const isHierarchical = match[2] !== undefined;
      const segments = [];
      for (const segment of match[3].split("/").slice(1)) {
        if (segment === "..") segments.pop();
        else if (segment !== ".") segments.push(segment);
      }
      if (/\/\.{1,2}$/.test(match[3])) segments.push("");
      const keep = (part) => encodeURI(part).replace(/%25([0-9a-fA-F]{2})/g, "%$1");
      this.#parts = {
        protocol, username: authority[1] ?? "", password: authority[2] ?? "", hostname: authority[3].toLowerCase(),
        port: authority[4] === PORTS[protocol] ? "" : authority[4] ?? "",
        pathname: isHierarchical ? `/${segments.map(keep).join("/")}` : match[3], isHierarchical,
        hash: match[5] && match[5] !== "#" ? keep(match[5]) : "", search: match[4] && match[4] !== "?" ? keep(match[4]) : "",
      };
      this.#params = new URLSearchParams(this.#parts.search);
    }
    static canParse(text, base) {
      try {
        return Boolean(new URL(text, base));
      } catch {
        return false;
      }
    }
    get protocol() { return this.#parts.protocol; }
    get username() { return this.#parts.username; }
    get password() { return this.#parts.password; }
    get hostname() { return this.#parts.hostname; }
    get port() { return this.#parts.port; }
    get host() { return this.#parts.hostname + (this.#parts.port ? `:${this.#parts.port}` : ""); }
    get origin() { return Object.hasOwn(PORTS, this.protocol) ? `${this.protocol}//${this.host}` : "null"; }
    get pathname() { return this.#parts.pathname; }
    get hash() { return this.#parts.hash; }
    get searchParams() { return this.#params; }
    get search() {
      const before = new URLSearchParams(this.#parts.search).toString(), now = this.#params.toString();
      return now === before ? this.#parts.search : now && `?${now}`;
    }
    get href() {
      const { protocol, username, password, isHierarchical, pathname, hash } = this.#parts;
      const user = username ? username + (password ? `:${password}` : "") + "@" : "";
      return protocol + (isHierarchical ? `//${user}${this.host}` : "") + pathname + this.search + hash;
    }
    toString() { return this.href; }
    toJSON() { return this.href; }
  }

  // Timers: the clock of a script does not wait. They run in order of their times when nothing else is left to do.
  let timers = [], latest = 0, now = 0;
  hooks.resetTimers = () => {
    timers = [];
    now = 0;
  };
  const add = (callback, delay, values, every) => {
    if (typeof callback !== "function") throw new TypeError(`expected a function, got ${hooks.show(callback)}`);
    const time = now + Math.max(every ? 1 : 0, Number(delay) || 0);
    timers.push({ id: ++latest, time, callback, values, every: every ? Math.max(1, Number(delay) || 0) : undefined });
    return latest;
  };
  const remove = (id) => {
    timers = timers.filter((timer) => timer.id !== id);
  };
  // Runs the next timer. Returns `false` if there is none.
  hooks.next = () => {
    if (timers.length === 0) return false;
    let first = timers[0];
    for (const timer of timers) {
      if (timer.time < first.time) first = timer;
    }
    now = first.time;
    if (first.every === undefined) remove(first.id);
    else first.time += first.every;
    first.callback(...first.values);
    return true;
  };

  const globals = {
    TextEncoder, TextDecoder, atob, btoa, URL, URLSearchParams, crypto,
    structuredClone: (value) => cloned(value, new Map()),
    setTimeout: (callback, delay, ...values) => add(callback, delay, values, false),
    setInterval: (callback, delay, ...values) => add(callback, delay, values, true),
    setImmediate: (callback, ...values) => add(callback, 0, values, false),
    clearTimeout: remove, clearInterval: remove, clearImmediate: remove,
  };
  for (const name of Object.keys(globals)) hooks.define(name, globals[name]);
  hooks.define("self", globalThis);
  // Whole numbers beyond 2^53 keep their digits in JSON.
  const raw = JSON.rawJSON;
  Object.defineProperty(BigInt.prototype, "toJSON", {
    value() { return raw(this.toString()); }, writable: true, configurable: true, enumerable: false,
  });
})
