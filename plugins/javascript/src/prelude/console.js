// `console`, and how it shows values.
(function (native, hooks) {
  // A script may give these names to variables of its own.
  const {
    Array, ArrayBuffer, Boolean, DataView, Date, Error, Function, JSON, Map, Number, Object, Promise, Reflect, RegExp, Set, String,
  } = globalThis;
  const WIDTH = 76, MAX_DEPTH = 6, MAX_ITEMS = 100;
  // Items of a list that stand in rows: more than so many, and none longer than so many characters. As in Node.
  const FEW_ITEMS = 6, SHORT_ITEM = 20;

  const quoted = (text) => {
    const quote = !text.includes("'") ? "'" : !text.includes('"') ? '"' : "'";
    const escaped = text.replace(/[\\\n\r\t]/g, (c) => ({ "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" })[c]);
    return quote + (quote === "'" ? escaped.replace(/'/g, "\\'") : escaped) + quote;
  };
  const keyOf = (key) => {
    if (typeof key === "symbol") return `[${String(key)}]`;
    return hooks.isName(key) ? key : quoted(key);
  };

  // Joins short items of a list in as few lines as they need.
  const filled = (parts, indent) => {
    const lines = [];
    let line = "";
    for (const part of parts) {
      if (line && line.length + part.length + 2 > WIDTH - indent) {
        lines.push(line);
        line = "";
      }
      line += line ? `, ${part}` : part;
    }
    return [...lines, line];
  };

  // Joins parts in one line, or one in a line if they are long.
  const joined = (open, parts, close, indent) => {
    if (parts.length === 0) return open + close;
    const line = `${open} ${parts.join(", ")} ${close}`;
    if (line.length + indent <= WIDTH && !line.includes("\n")) return line;
    const pad = " ".repeat(indent + 2);
    const isShort = (part) => part.length <= SHORT_ITEM && !part.includes("\n");
    const lines = open.endsWith("[") && parts.length > FEW_ITEMS && parts.every(isShort) ? filled(parts, indent + 2) : parts;
    return `${open}\n${lines.map((part) => pad + part).join(",\n")}\n${" ".repeat(indent)}${close}`;
  };

  // `true` after a part of a value was left out.
  let isCut = false;
  const show = (value, depth, seen, indent) => {
    switch (typeof value) {
      case "string": return quoted(value);
      case "bigint": return `${value}n`;
      case "symbol": return String(value);
      case "function": {
        const isClass = Function.prototype.toString.call(value).startsWith("class");
        return `[${isClass ? "class" : "Function"}${value.name ? (isClass ? " " : ": ") + value.name : ""}]`;
      }
      case "object": break;
      default: return Object.is(value, -0) ? "-0" : String(value);
    }
    if (value === null) return "null";
    const own = hooks.shown(value);
    if (own !== undefined) return own;
    if (seen.includes(value)) return "[Circular]";
    if (value instanceof Error) return hooks.errorText(value);
    if (value instanceof Date) return isNaN(value) ? "Invalid Date" : value.toISOString();
    if (value instanceof RegExp) return String(value);
    if (value instanceof Promise) return "Promise";
    if (value instanceof Number || value instanceof String || value instanceof Boolean) {
      return `[${value.constructor.name}: ${show(value.valueOf(), depth, seen, indent)}]`;
    }
    const isTooDeep = () => (depth > MAX_DEPTH ? (isCut = true) : false);
    const inner = [...seen, value];
    const item = (each) => show(each, depth + 1, inner, indent + 2);
    const some = (items, total, each) => {
      const parts = items.slice(0, MAX_ITEMS).map(each);
      if (total > MAX_ITEMS) {
        isCut = true;
        parts.push(`... ${total - MAX_ITEMS} more items`);
      }
      return parts;
    };
    if (Array.isArray(value)) {
      if (isTooDeep()) return "[Array]";
      return joined("[", some(value, value.length, item), "]", indent);
    }
    if (value instanceof Map) {
      if (isTooDeep()) return "[Map]";
      const parts = some([...value], value.size, ([key, each]) => `${item(key)} => ${item(each)}`);
      return joined(`Map(${value.size}) {`, parts, "}", indent);
    }
    if (value instanceof Set) {
      if (isTooDeep()) return "[Set]";
      return joined(`Set(${value.size}) {`, some([...value], value.size, item), "}", indent);
    }
    if (ArrayBuffer.isView(value) && !(value instanceof DataView)) {
      const parts = some([...value.slice(0, MAX_ITEMS)], value.length, String);
      return joined(`${value.constructor.name}(${value.length}) [`, parts, "]", indent);
    }
    const prototype = Object.getPrototypeOf(value);
    const name = prototype?.constructor?.name;
    const ofClass = name && name !== "Object" ? `${name} ` : "";
    const prefix = prototype === null ? "[Object: null prototype] " : ofClass;
    if (isTooDeep()) return `[${prefix.trim() || "Object"}]`;
    const keys = Reflect.ownKeys(value).filter((key) => Object.prototype.propertyIsEnumerable.call(value, key));
    const parts = some(keys, keys.length, (key) => {
      const descriptor = Object.getOwnPropertyDescriptor(value, key);
      return `${keyOf(key)}: ${descriptor?.get ? "[Getter]" : item(value[key])}`;
    });
    return prefix + joined("{", parts, "}", indent);
  };

  hooks.errorText = (error) => {
    const { name, message } = hooks.thrown(error);
    return message ? `${name}: ${message}` : name;
  };

  // Returns a value as the console shows it.
  hooks.show = (value) => {
    try {
      return hooks.text(show(value, 0, [], 0));
    } catch (error) {
      return `[cannot be shown: ${hooks.text(error?.message ?? "")}]`;
    }
  };

  // Returns a value as the console shows it, and if that lacks a part.
  hooks.shownWhole = (value) => {
    isCut = false;
    const text = hooks.show(value);
    return { text, isCut };
  };

  const plain = (value) => typeof value === "string" ? value : hooks.show(value);

  // Returns arguments as one text, with `%s`, `%d`, `%i`, `%f`, `%j`, `%o`, `%O`, `%c` and `%%` in the first.
  const format = (values) => {
    let rest = values;
    let text = "";
    if (typeof values[0] === "string" && values.length > 1 && values[0].includes("%")) {
      let next = 1;
      text = values[0].replace(/%([sdifjoOc%])/g, (all, kind) => {
        if (kind === "%") return "%";
        if (next >= values.length) return all;
        const value = values[next++];
        switch (kind) {
          case "s": return plain(value);
          case "d": return typeof value === "bigint" ? `${value}n` : String(Number(value));
          case "i": return String(parseInt(value, 10));
          case "f": return String(parseFloat(value));
          case "j": return JSON.stringify(value);
          case "c": return "";
          default: return hooks.show(value);
        }
      });
      rest = values.slice(next);
      if (rest.length > 0) text += " ";
    }
    return text + rest.map(plain).join(" ");
  };

  let indent = "";
  const counts = new Map();
  const write = (isError, values) => {
    let text = format(values);
    if (indent) text = text.replace(/^/gm, indent);
    native.output(isError, hooks.text(text) + "\n");
  };
  const table = (rows, names) => {
    const list = hooks.isTable(rows) ? rows.toObjects() : rows;
    if (typeof list !== "object" || list === null) return write(false, [list]);
    const entries = Object.entries(list);
    const keysOf = ([, row]) => (typeof row === "object" && row ? Object.keys(row) : ["Values"]);
    const columns = names ?? [...new Set(entries.flatMap(keysOf))];
    const cells = entries.map(([key, row]) => [key, ...columns.map((name) => {
      const value = typeof row === "object" && row ? row[name] : name === "Values" ? row : undefined;
      return value === undefined ? "" : plain(value);
    })]);
    const lines = [["(index)", ...columns], ...cells].map((row) => `| ${row.join(" | ")} |`);
    lines.splice(1, 0, `|${" --- |".repeat(columns.length + 1)}`);
    write(false, [lines.join("\n")]);
  };

  hooks.console = {
    log: (...values) => write(false, values),
    info: (...values) => write(false, values),
    debug: (...values) => write(false, values),
    dir: (value) => write(false, [hooks.show(value)]),
    table,
    warn: (...values) => write(true, values),
    error: (...values) => write(true, values),
    trace: (...values) => write(true, ["Trace:", ...values]),
    assert: (condition, ...values) => {
      if (!condition) write(true, ["Assertion failed", ...(values.length > 0 ? [":", ...values] : [])]);
    },
    group: (...values) => {
      if (values.length > 0) write(false, values);
      indent += "  ";
    },
    groupEnd: () => {
      indent = indent.slice(2);
    },
    count: (label = "default") => {
      counts.set(label, (counts.get(label) ?? 0) + 1);
      write(false, [`${label}: ${counts.get(label)}`]);
    },
    countReset: (label = "default") => counts.delete(label),
    time: () => {},
    timeLog: () => {},
    timeEnd: () => {},
  };
  hooks.console.groupCollapsed = hooks.console.group;
  hooks.resetConsole = () => {
    indent = "";
    counts.clear();
  };
})
