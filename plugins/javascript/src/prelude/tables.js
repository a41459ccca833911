// Tables and documents of the session.
(function (native, hooks) {
  const PART_ROWS = 4096, INLINE_CELLS = 10_000;
  // For each `Table`: its columns and name, and its rows or the number of the table in the host.
  const states = new WeakMap();
  // A table is behind a proxy, so that `table[0]` is a row and `table.DAU` or `table["DAU"]` a column.
  const targets = new WeakMap();
  const stateOf = (table) => {
    const state = states.get(targets.get(table) ?? table);
    if (!state) throw new TypeError("this is not a Table");
    return state;
  };
  const isIndex = (key) => typeof key === "string" && /^(0|[1-9][0-9]*)$/.test(key);

  // Opens a table of a document when its rows are needed.
  const number = (state) => (state.number ??= native.open(state.reference));
  const inHost = (state) => state.list === undefined;
  const rowsOf = (state) => (inHost(state) ? native.rows(number(state), 0, state.length) : state.list);
  const objectOf = (columns, row) => {
    const object = {};
    for (let at = 0; at < columns.length; at++) object[columns[at]] = row[at] ?? null;
    return object;
  };
  const indexOf = (state, name) => {
    const index = state.columns.indexOf(name);
    if (index < 0) throw new RangeError(`no column \`${String(name)}\`${hooks.advice(String(name), state.columns)}`);
    return index;
  };

  class Table {
    constructor(columns, rows = [], name = "") {
      const list = [...rows].map((row) => [...row]);
      list.forEach((row, at) => {
        if (row.length !== columns.length) {
          throw new RangeError(`row ${at} has ${row.length} cells, and there are ${columns.length} columns`);
        }
      });
      return proxied(this, { columns: [...columns], name, list });
    }

    get columns() { return [...stateOf(this).columns]; }
    get name() { return stateOf(this).name; }
    get length() {
      const state = stateOf(this);
      return inHost(state) ? state.length : state.list.length;
    }
    get rowCount() { return this.length; }
    get rows() { return rowsOf(stateOf(this)); }

    *[Symbol.iterator]() {
      const state = stateOf(this);
      if (!inHost(state)) {
        for (const row of state.list) yield objectOf(state.columns, row);
        return;
      }
      for (let start = 0; start < state.length; start += PART_ROWS) {
        yield* native.records(number(state), state.columns, start, PART_ROWS);
      }
    }

    toObjects() { return [...this]; }
    toArray() { return [...this]; }
    records() { return [...this]; }
    toDicts() { return [...this]; }

    column(name) {
      const state = stateOf(this), index = indexOf(state, name);
      return inHost(state) ? native.column(number(state), index) : state.list.map((row) => row[index]);
    }

    at(index) {
      const state = stateOf(this), length = this.length;
      const place = index < 0 ? length + index : index;
      if (place < 0 || place >= length) return undefined;
      if (!inHost(state)) return objectOf(state.columns, state.list[place]);
      return native.records(number(state), state.columns, place, 1)[0];
    }

    slice(start = 0, end = Infinity) {
      const state = stateOf(this), length = this.length;
      const bound = (place) => Math.min(length, Math.max(0, place < 0 ? length + place : place));
      const first = bound(start), count = Math.max(0, bound(end) - first);
      if (!inHost(state)) return new Table(state.columns, state.list.slice(first, first + count), state.name);
      return hooks.hostTable(native.range(number(state), first, count), state.name, state.columns);
    }

    select(...names) {
      const state = stateOf(this), wanted = names.flat(), indices = wanted.map((name) => indexOf(state, name));
      if (inHost(state)) return hooks.hostTable(native.select(number(state), indices, wanted), state.name);
      return new Table(wanted, state.list.map((row) => indices.map((index) => row[index])), state.name);
    }

    rename(names) {
      const state = stateOf(this);
      Object.keys(names).forEach((name) => indexOf(state, name));
      const columns = state.columns.map((name) => names[name] ?? name);
      const indices = columns.map((_, at) => at);
      if (inHost(state)) return hooks.hostTable(native.select(number(state), indices, columns), state.name);
      return new Table(columns, state.list, state.name);
    }

    markdown() {
      const shown = (cell) => String(cell ?? "").replace(/\|/g, "\\|").replace(/\n/g, " ");
      const line = (cells) => `| ${cells.map(shown).join(" | ")} |`;
      const columns = stateOf(this).columns;
      return [line(columns), `|${" --- |".repeat(columns.length)}`, ...this.rows.map(line)].join("\n");
    }

    toString() {
      const left = this.length - 20;
      return this.slice(0, 20).markdown() + (left > 0 ? `\n(${left} more rows)` : "");
    }

    static fromObjects(objects, name = "") {
      const list = [...objects];
      const columns = [...new Set(list.flatMap((each) => Object.keys(each)))];
      return new Table(columns, list.map((each) => columns.map((column) => each[column] ?? null)), name);
    }

    static fromRows(rows, columns, name = "") {
      const list = [...rows];
      if (columns) return new Table(columns, list, name);
      if (list.length === 0) throw new RangeError("without columns, the first row has their names, and there is none");
      if (!Array.isArray(list[0])) return Table.fromObjects(list, name);
      return new Table(list[0], list.slice(1), name);
    }
  }
  Table.fromRecords = Table.fromDicts = Table.fromObjects;
  // Methods of arrays work on the rows as objects.
  for (const name of ["map", "filter", "find", "findIndex", "findLast", "forEach", "reduce", "reduceRight", "some", "every",
    "flatMap", "sort", "toSorted", "reverse", "toReversed", "includes", "entries", "keys", "values", "join", "concat"]) {
    Object.defineProperty(Table.prototype, name, {
      value(...values) { return [...this][name](...values); }, writable: true, configurable: true,
    });
  }

  const handler = {
    get(target, key) {
      if (typeof key === "symbol" || Reflect.has(target, key)) return Reflect.get(target, key, target);
      const state = states.get(target);
      if (isIndex(key)) return target.at(Number(key));
      return state.columns.includes(key) ? target.column(key) : undefined;
    },
    has: (target, key) => Reflect.has(target, key) || (isIndex(key) && Number(key) < target.length)
      || (typeof key === "string" && states.get(target).columns.includes(key)),
  };
  const proxied = (target, state) => {
    states.set(target, state);
    const proxy = new Proxy(target, handler);
    targets.set(proxy, target);
    return proxy;
  };
  const bare = (state) => proxied(Object.create(Table.prototype), state);

  // Makes a `Table` of a number.
  hooks.hostTable = (number, name = "", columns = undefined) => {
    const info = native.info(number);
    return bare({ columns: columns ?? info.columns, name, number, length: info.rows });
  };

  // Says which table an object is, for arguments and results; undefined for any other object.
  hooks.tableOf = (object) => {
    const state = states.get(targets.get(object) ?? object);
    if (!state) return undefined;
    if (!inHost(state)) {
      const cells = state.list.length * state.columns.length;
      const built = cells > INLINE_CELLS ? native.build(state.columns, state.list) : undefined;
      if (typeof built !== "number") return { members: { columns: state.columns, rows: state.list } };
      return { table: built, names: state.columns };
    }
    return { table: number(state), names: state.columns };
  };

  // Replaces tables in a result: those with rows, and references of tables that stay in the host.
  const revived = (value) => {
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) {
      for (let at = 0; at < value.length; at++) value[at] = revived(value[at]);
      return value;
    }
    const { columns, rows } = value;
    if (Array.isArray(columns)) {
      if (typeof value.$ref === "string" && typeof value.row_count === "number") {
        return hooks.hostTable(native.open(value.$ref));
      }
      const fits = (row) => Array.isArray(row) && row.length === columns.length;
      if (Array.isArray(rows) && Object.keys(value).length === 2 && rows.every(fits)) {
        return bare({ columns, name: "", list: rows });
      }
    }
    for (const key of Object.keys(value)) value[key] = revived(value[key]);
    return value;
  };
  hooks.revived = revived;

  class Document {
    #text; #tables; #characters;
    constructor(info) {
      this.name = info.name;
      this.mediaType = info.mediaType;
      this.title = info.title ?? null;
      this.warnings = info.warnings;
      this.#characters = info.characters;
      Object.freeze(this.warnings);
    }
    get media_type() { return this.mediaType; }
    get text() { return (this.#text ??= native.text(this.name, this.#characters)); }
    get tables() {
      return (this.#tables ??= named(native.tables(this.name).map((entry) =>
        bare({ columns: entry.columns, name: entry.name, reference: entry.reference, length: entry.rows }))));
    }
    toString() { return `Document(${this.name})`; }
  }
  hooks.isDocument = (object) => object instanceof Document;

  // A list of tables that also finds them by name.
  const named = (tables) => new Proxy(tables, {
    get(target, key) {
      if (typeof key === "symbol" || Reflect.has(target, key) || hooks.isProbed(key)) return Reflect.get(target, key);
      const found = target.find((table) => table.name === key);
      if (found || isIndex(key)) return found;
      return undefined;
    },
  });

  let loaded;
  hooks.resetDocuments = () => { loaded = undefined; };
  const all = () => (loaded ??= new Map(native.documents().map((info) => [info.name, new Document(info)])));
  const methods = {
    get names() { return [...all().keys()]; },
    get length() { return all().size; },
    get size() { return all().size; },
    keys: () => [...all().keys()],
    values: () => [...all().values()],
    entries: () => [...all()],
    get: (name) => all().get(name),
    has: (name) => all().has(name),
    map: (each) => [...all().values()].map((document, at) => each(document, at)),
    filter: (each) => [...all().values()].filter((document, at) => each(document, at)),
    find: (each) => [...all().values()].find((document, at) => each(document, at)),
    forEach: (each) => [...all().values()].forEach((document, at) => each(document, at)),
    [Symbol.iterator]: () => all().values(),
    toString: () => `documents(${[...all().keys()].join(", ")})`,
  };
  hooks.documents = new Proxy(methods, {
    get(target, key) {
      if (typeof key === "string" && all().has(key)) return all().get(key);
      if (typeof key === "symbol" || Reflect.has(target, key) || hooks.isProbed(key)) return Reflect.get(target, key);
      const names = [...all().keys()];
      if (isIndex(key)) {
        if (Number(key) < names.length) return all().get(names[Number(key)]);
        throw new RangeError(`no document ${key}; there are ${names.length}`);
      }
      throw new RangeError(`no document \`${key}\`${hooks.advice(key, names)}`);
    },
    has: (target, key) => typeof key === "string" ? all().has(key) : Reflect.has(target, key),
    ownKeys: () => [...all().keys()],
    getOwnPropertyDescriptor: (target, key) => typeof key === "string" && all().has(key)
      ? { value: all().get(key), enumerable: true, configurable: true } : undefined,
    set() { throw new TypeError("documents are read only"); },
  });

  // Returns how an object of this file is shown; undefined for any other.
  hooks.shown = (object) => {
    const state = states.get(targets.get(object) ?? object);
    if (state) {
      const name = state.name ? `${JSON.stringify(state.name)}, ` : "";
      return `Table(${name}columns: ${state.columns.join(", ")}; ${inHost(state) ? state.length : state.list.length} rows)`;
    }
    if (object instanceof Document) return `Document(${object.name}, ${object.mediaType})`;
    if (object === hooks.documents) return methods.toString();
    return hooks.shownTools(object);
  };
  hooks.Table = Table;
  hooks.Document = Document;
})
