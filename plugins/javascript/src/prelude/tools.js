// The session's tools as functions, modules, the workspace.
(function (native, hooks) {
  // A script may give these names to variables of its own.
  const {
    Array, ArrayBuffer, Error, JSON, Map, Object, Promise, Proxy, Reflect, Set, String, Symbol, TypeError, WeakMap,
  } = globalThis;
  class ToolError extends Error {
    constructor(tool, kind, message) {
      super(message);
      this.kind = kind;
      this.tool = tool;
    }
    toJSON() { return { name: this.name, kind: this.kind, message: this.message, tool: this.tool }; }
  }
  Object.defineProperty(ToolError.prototype, "name", { value: "ToolError", writable: true, configurable: true });

  const described = new WeakMap();
  const signature = (info) => {
    const parameters = info.parameters.map(({ name, type, required }) => `${name}${required ? "" : "?"}: ${type}`);
    return `${info.name}({ ${parameters.join(", ")} })`.replace("({  })", "()");
  };
  const isPlain = (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value) || hooks.isTable(value)) return false;
    const prototype = Object.getPrototypeOf(value);
    return prototype === Object.prototype || prototype === null;
  };

  // Assigns arguments to parameters: one object with their names, values in order, or values and such an object.
  const bind = (info, values) => {
    const names = info.parameters.map((parameter) => parameter.name);
    const refused = (problem) => new TypeError(`${info.skill}.${info.name}: ${problem}; it is called as ${signature(info)}`);
    const known = (key) => (names.includes(key) ? key : names.includes(hooks.snake(key)) ? hooks.snake(key) : undefined);
    const isNamed = (value) => isPlain(value) && Object.keys(value).every((key) => known(key) !== undefined);
    const required = info.parameters.filter((parameter) => parameter.required);
    const order = [...required, ...info.parameters.filter((parameter) => !parameter.required)].map(({ name }) => name);
    const bound = {};
    let positional = values, named;
    const last = values.at(-1);
    if (values.length > 0 && isNamed(last) && (values.length === 1 || values.length <= names.length)) {
      named = last;
      positional = values.slice(0, -1);
    } else if (values.length === 1 && isPlain(last) && Object.keys(last).some((key) => known(key) !== undefined)
      && required.every(({ name }) => Object.keys(last).some((key) => known(key) === name))) {
      const key = Object.keys(last).find((each) => known(each) === undefined);
      throw refused(`no parameter \`${key}\`${hooks.advice(key, names)}`);
    }
    if (positional.length > order.length) throw refused("too many arguments");
    positional.forEach((value, at) => {
      if (value !== undefined) bound[order[at]] = value;
    });
    for (const key of Object.keys(named ?? {})) {
      if (Object.hasOwn(bound, known(key))) throw refused(`\`${key}\` is given twice`);
      if (named[key] !== undefined) bound[known(key)] = named[key];
    }
    const missing = required.find(({ name }) => !Object.hasOwn(bound, name));
    if (missing) throw refused(`missing \`${missing.name}\``);
    return bound;
  };

  // Promises of calls that wait, by the places of the calls (`calls.rs`), and of those that are made now.
  let waiting = [], made = [];
  const called = (tool, values) => {
    // Its stack has the line of the call.
    const trace = new Error();
    const place = native.wait(tool, values);
    return new Promise((resolve, reject) => {
      waiting[place] = { tool, trace, resolve, reject };
    });
  };
  const settle = (place, answer) => {
    const { tool, trace, resolve, reject } = made[place];
    try {
      if ("thrown" in answer) throw answer.thrown;
      if (answer.kind !== undefined) throw new ToolError(tool, answer.kind, answer.message);
      resolve(answer.may_have_tables ? hooks.revived(answer.value) : answer.value);
    } catch (error) {
      if (error instanceof Error) {
        Object.defineProperty(error, "stack", { value: trace.stack, writable: true, configurable: true });
      }
      reject(error);
    }
  };
  // Makes the calls that wait.
  hooks.makeCalls = () => {
    const outer = made;
    made = waiting;
    waiting = [];
    native.make(settle);
    made = outer;
  };

  // Names that consoles and libraries look for in any object.
  const PROBED = ["$$typeof", "nodeType", "inspect", "asymmetricMatch", "__esModule"];
  const guards = new Map();
  // Makes a promise throw when a script reads a member of its value, because the script forgot `await`.
  const guarded = (name, promise) => {
    let guard = guards.get(name);
    if (!guard) {
      const forgotten = (what) => {
        throw new TypeError(`${name} returns a promise, ${what}: write \`await\` before the call`);
      };
      guard = new Proxy(Object.create(Promise.prototype), {
        get(target, key, receiver) {
          if (key === "toJSON") return () => forgotten("which has no JSON form");
          if (key === Symbol.iterator || key === Symbol.asyncIterator) forgotten("which is not iterable");
          const isKnown = typeof key === "symbol" || Reflect.has(target, key) || PROBED.includes(key);
          if (!isKnown) forgotten(`which has no \`${key}\``);
          return Reflect.get(target, key, receiver);
        },
      });
      guards.set(name, guard);
    }
    return Object.setPrototypeOf(promise, guard);
  };
  const later = (name, run) => (...values) => guarded(name, run(...values));
  // Errors before the call are rejections, as with any asynchronous function.
  const calling = (name, run) => later(name, (...values) => {
    try {
      return run(...values);
    } catch (error) {
      return Promise.reject(error);
    }
  });

  const functions = new Map();
  const functionOf = (info) => {
    let known = functions.get(info.tool);
    if (!known) {
      known = calling(`${info.skill}.${info.name}`, (...values) => called(info.tool, bind(info, values)));
      Object.defineProperty(known, "name", { value: info.name });
      described.set(known, info);
      functions.set(info.tool, known);
    }
    return known;
  };

  const allow = (skill) => {
    if (native.allowed(skill)) return;
    throw new Error(`the module \`${skill}\` is not among those that this script may use`);
  };

  // Files of skills in JavaScript and TypeScript, by skill, and what they export, by skill and path.
  const ENDINGS = [".js", ".mjs", ".ts", ".mts"];
  const filesOf = new Map();
  const exportsOf = new Map();
  const fileOf = (skill, files, path) => {
    const name = `${skill.replaceAll("_", "-")}/${path}`;
    const known = exportsOf.get(name);
    if (known) return known;
    const exported = {};
    // Files that import each other find what there is so far.
    exportsOf.set(name, exported);
    const add = (getters, isAll) => {
      for (const [key, property] of Object.entries(Object.getOwnPropertyDescriptors(getters))) {
        if (isAll && (key === "default" || Object.hasOwn(exported, key))) continue;
        Object.defineProperty(exported, key, { ...property, enumerable: true, configurable: true });
      }
    };
    const here = (specifier) => {
      const given = String(specifier);
      return given.startsWith(".") ? fileBy(skill, files, joined(path, given), given) : imported(given);
    };
    const module = { exports: {} };
    try {
      native.compile(name, files[path])(here, async (specifier) => here(specifier), add, module, module.exports, here);
    } catch (error) {
      exportsOf.delete(name);
      throw error;
    }
    // As Node does for `module.exports = ...`.
    if (Object.keys(exported).length === 0 && (typeof module.exports === "function" || Object.keys(module.exports).length > 0)) {
      add({ default: module.exports });
      if (typeof module.exports === "object") add({ ...module.exports }, true);
    }
    return exported;
  };
  const joined = (path, given) => {
    const parts = path.split("/").slice(0, -1);
    for (const part of given.split("/")) {
      if (part === "..") parts.pop();
      else if (part !== ".") parts.push(part);
    }
    return parts.join("/");
  };
  const fileBy = (skill, files, path, given) => {
    const stem = path.replace(/\.m?[jt]s$/, "");
    const named = [path, ...[stem, path, `${path}/index`].flatMap((base) => ENDINGS.map((ending) => base + ending))];
    const found = named.find((each) => Object.hasOwn(files, each));
    if (found) return fileOf(skill, files, found);
    throw new Error(`no file \`${given}\`${hooks.advice(stem, Object.keys(files))}`);
  };

  let modules = new Map();
  let listed, skillNames;
  const skillList = () => (skillNames ??= native.modules());
  const moduleOf = (skill) => {
    let known = modules.get(skill);
    if (known) return known;
    const infos = native.load(skill);
    if (!infos) return undefined;
    const own = new Map(infos.map((info) => [info.name, functionOf(info)]));
    // What `index.js` exports stands beside the functions.
    const index = ENDINGS.map((ending) => `index${ending}`).find((path) => Object.hasOwn(infos.files, path));
    const exported = () => (index ? fileOf(skill, infos.files, index) : {});
    known = new Proxy(Object.create(null), {
      get(target, key) {
        if (typeof key === "symbol") return undefined;
        const found = own.get(key) ?? own.get(hooks.snake(key));
        if (found) return found;
        if (Object.hasOwn(exported(), key)) return exported()[key];
        // `import tableTool from "table-tool"`
        if (key === "default") return known;
        if (hooks.isProbed(key)) return undefined;
        throw new TypeError(`${skill} has no function \`${key}\`${hooks.advice(hooks.snake(key), [...own.keys(), ...Object.keys(exported())])}`);
      },
      has: (target, key) => typeof key === "string"
        && (own.has(key) || own.has(hooks.snake(key)) || Object.hasOwn(exported(), key)),
      ownKeys: () => [...new Set([...own.keys(), ...Object.keys(exported())])],
      getOwnPropertyDescriptor: (target, key) => {
        const value = own.get(key) ?? exported()[key];
        return value === undefined ? undefined : { value, enumerable: true, configurable: true };
      },
      set() { throw new TypeError(`the functions of ${skill} are read only`); },
    });
    described.set(known, { skill, functions: infos });
    filesOf.set(skill, infos.files);
    modules.set(skill, known);
    return known;
  };
  const toolList = () => (listed ??= native.tools());

  // `tools.table_tool.sort`, `tools.table_tool__sort`, `tools.sort` if one skill alone has it.
  hooks.tools = new Proxy(Object.create(null), {
    get(target, key) {
      if (typeof key === "symbol") return undefined;
      const name = hooks.snake(key);
      const skills = skillList();
      if (skills.includes(name)) {
        allow(name);
        return moduleOf(name);
      }
      const list = toolList();
      const full = list.find((info) => info.tool === key || info.tool === name);
      if (full) {
        allow(full.skill);
        return functionOf(full);
      }
      if (key === "call") return members.call;
      if (key === "list") return () => list.map((info) => ({ name: info.tool, description: info.description }));
      const own = list.filter((info) => info.name === name);
      if (own.length === 1) {
        allow(own[0].skill);
        return functionOf(own[0]);
      }
      if (own.length > 1) {
        const all = own.map((info) => `tools.${info.skill}.${info.name}`).join(", ");
        throw new TypeError(`\`${key}\` is a function of several skills: ${all}`);
      }
      if (hooks.isProbed(key)) return undefined;
      throw new TypeError(`no tool \`${key}\`${hooks.advice(name, [...skills, ...list.map((info) => info.tool)])}`);
    },
    has: (target, key) => typeof key === "string" && (skillList().includes(hooks.snake(key))
      || toolList().some((info) => info.tool === key)),
    ownKeys: () => skillList(),
    getOwnPropertyDescriptor: (target, key) => skillList().includes(key)
      ? { value: moduleOf(key), enumerable: true, configurable: true } : undefined,
    set() { throw new TypeError("tools are read only"); },
  });

  const NO_NETWORK = "a script has no network; `documents` has the files, `tools` the tools of the session";
  const NO_FILES = "a script has no file system; read documents by `documents[name].text`, files of the workspace by "
    + "`await mitt.read(name)`";
  const NO_THREADS = "a script has no threads; Promise.all makes several calls of tools at once";
  const CSV = "documents[name].tables has the tables of CSV files";
  const ABSENT = {
    fs: NO_FILES, "fs/promises": NO_FILES, path: NO_FILES,
    http: NO_NETWORK, https: NO_NETWORK, net: NO_NETWORK, axios: NO_NETWORK,
    "node-fetch": NO_NETWORK, got: NO_NETWORK, dns: NO_NETWORK, tls: NO_NETWORK,
    child_process: "a script has no processes", worker_threads: NO_THREADS,
    process: "a script has no process; `inputs` has its inputs, `mitt.arguments` its arguments",
    os: "a script has no machine to ask about", buffer: "use Uint8Array with TextEncoder, TextDecoder, atob and btoa",
    crypto: "`crypto.randomUUID()` and `crypto.getRandomValues()` are global",
    util: "console.log shows values; TextEncoder and structuredClone are global", vm: "a script cannot start scripts",
    timers: "setTimeout is global", "timers/promises": "setTimeout is global", url: "URL and URLSearchParams are global",
    xlsx: "use the skill: tools.excel_tool; documents[name].tables has the tables of workbooks",
    exceljs: "use the skill: tools.excel_tool", pdfkit: "use the skill: tools.report", docx: "use the skill: tools.report",
    "pdf-lib": "use the skill: tools.pdf_tool", lodash: "use Object.groupBy and the methods of arrays",
    papaparse: CSV, "csv-parse": CSV, "decimal.js": "numbers of tables keep their digits while they are passed on",
    zod: "use plain checks", moment: "use Date", dayjs: "use Date", "date-fns": "use Date",
  };
  // `isDefault` for `import rows from "..."`: of a file what it exports so, of a skill all.
  const imported = (specifier, isDefault) => {
    const given = String(specifier);
    const name = given.replace(/^(node:|mitt:|skill:|@mitt\/|\.\/(skills\/|tools\/)?)/, "").replace(/\.(js|mjs|ts)$/, "");
    if (name === "mitt" || name === "tools") return name === "mitt" ? mitt : hooks.tools;
    const slash = given.indexOf("/");
    const owner = slash > 0 ? hooks.snake(given.slice(0, slash)) : "";
    if (skillList().includes(owner)) {
      allow(owner);
      moduleOf(owner);
      const exported = fileBy(owner, filesOf.get(owner) ?? {}, given.slice(slash + 1), given);
      return isDefault && "default" in exported ? exported.default : exported;
    }
    const skill = hooks.snake(name);
    if (skillList().includes(skill)) {
      allow(skill);
      return moduleOf(skill);
    }
    const advice = Object.hasOwn(ABSENT, name) ? `; ${ABSENT[name]}` : hooks.advice(skill, skillList());
    throw new Error(`no module \`${given}\`${advice}`);
  };
  hooks.define("$import", imported);
  hooks.define("$load_", async (specifier) => imported(specifier));

  const bytesOf = (content) => {
    if (typeof content === "string") return new TextEncoder().encode(content);
    if (content instanceof ArrayBuffer || ArrayBuffer.isView(content)) return hooks.bytes(content);
    return new TextEncoder().encode(JSON.stringify(content, null, 2));
  };
  // Names under which `store` keeps values, as files of the workspace.
  const stored = (name) => `store-${String(name).replace(/[^\p{L}\p{N}_.-]/gu, "_")}.json`;

  const store = later("store", async (name, value) =>
    native.save(stored(name), new TextEncoder().encode(native.stored(value ?? null))));
  const load = later("load", async (name) => {
    const file = stored(name);
    if (!native.files().some((each) => each.name === file)) return undefined;
    return hooks.restored(native.parse(new TextDecoder().decode(native.read(file))));
  });
  // Codex: shows a value as output.
  const text = (value) => {
    if (typeof value === "string" || hooks.isText(value)) return hooks.console.log(value);
    hooks.console.log(JSON.stringify(value, null, 2) ?? String(value));
  };
  // Ends the script.
  const exit = (code = 0) => {
    if (typeof code === "number" && code !== 0) throw new Error(`the script ended by exit(${code})`);
    native.leave();
  };

  // Codex: what the script may call.
  const allTools = () => toolList().filter((info) => native.allowed(info.skill))
    .map((info) => ({ name: info.tool, description: info.description }));

  const members = {
    arguments: [],
    call: calling("mitt.call", (tool, values = {}) => {
      const info = toolList().find((each) => each.tool === tool);
      if (info) allow(info.skill);
      return called(tool, values);
    }),
    get tools() { return hooks.tools; },
    get documents() { return hooks.documents; },
    get inputs() { return hooks.inputs; },
    files: () => native.files().map((file) => file.name),
    read: later("mitt.read", async (name) => new TextDecoder().decode(native.read(String(name)))),
    readBytes: later("mitt.readBytes", async (name) => native.read(String(name))),
    write: later("mitt.write", async (name, content) => native.save(String(name), bytesOf(content))),
    remove: later("mitt.remove", async (name) => native.remove(String(name))),
    help: (what) => help(what),
    store, load, text, exit,
    Table: hooks.Table,
    Document: hooks.Document,
    ToolError,
  };
  // Not among the names that an error lists.
  Object.defineProperty(members, "ALL_TOOLS", { get: allTools });
  const mitt = new Proxy(members, {
    get(target, key) {
      if (typeof key === "symbol" || Reflect.has(target, key)) return Reflect.get(target, key);
      if (key === "default") return mitt;
      if (hooks.isProbed(key)) return undefined;
      throw new TypeError(`mitt has no member \`${key}\`${hooks.advice(key, Object.keys(target))}`);
    },
  });

  const helpText = (what) => {
    const info = what === undefined || what === hooks.tools ? undefined : described.get(what);
    if (info === undefined) return `Skills: ${skillList().join(", ")}. help(tools.NAME) lists the functions of one.`;
    if (info.functions) {
      const line = (each) => `  ${signature(each)} - ${each.description.split("\n")[0]}`;
      return [`${info.skill}:`, ...info.functions.map(line)].join("\n");
    }
    return `${signature(info)}\n${info.description}`;
  };
  const help = (what) => hooks.console.log(helpText(what));

  hooks.shownTools = (object) => {
    if (object === hooks.tools) return `tools(${skillList().join(", ")})`;
    const info = described.get(object);
    return info?.functions ? `module(${info.skill}: ${info.functions.map((each) => each.name).join(", ")})` : undefined;
  };

  // Sets what each run has anew. A script may have used these names for variables of its own.
  hooks.start = (inputs, values) => {
    waiting = [];
    modules = new Map();
    filesOf.clear();
    exportsOf.clear();
    functions.clear();
    listed = skillNames = undefined;
    hooks.resetDocuments();
    hooks.resetConsole();
    hooks.resetTimers();
    members.arguments = values;
    hooks.inputs = inputs ?? {};
    guards.clear();
    const { tools, documents, console } = hooks;
    const globals = { mitt, tools, codemode: tools, documents, console };
    for (const name of Object.keys(globals)) hooks.define(name, globals[name]);
    hooks.main = { value: undefined };
    hooks.define("$default", hooks.main);
    hooks.define("inputs", hooks.inputs);
    hooks.defineLazily("ALL_TOOLS", allTools);
    if (inputs === undefined || inputs === null) return;
    if (typeof inputs !== "object" || Array.isArray(inputs)) throw new TypeError("inputs: expected a JSON object");
    for (const name of Object.keys(inputs)) {
      if (name !== "inputs" && hooks.isName(name)) hooks.define(name, inputs[name]);
    }
  };

  const globals = {
    Table: hooks.Table, ToolError, help, store, load, text, exit, require: (specifier) => imported(specifier),
    fetch: later("fetch", async () => { throw new Error(NO_NETWORK); }),
  };
  for (const name of Object.keys(globals)) hooks.define(name, globals[name]);
})
