// Tables and documents of the session.
(function (native, hooks) {
  // A script may give these names to variables of its own.
  const { Array, Infinity, JSON, Map, Math, Number, Object, Proxy, Reflect, Set, String, WeakMap } = globalThis;
  const INLINE_CELLS = 10_000;
  // The form of each `Table` (`rows.js`).
  const states = new WeakMap();
  // A table is behind a proxy, so that `table[0]` is a row and `table.DAU` or `table["DAU"]` a column.
  const targets = new WeakMap();
  const stateOf = (table) => {
    const state = states.get(targets.get(table) ?? table);
    if (!state) throw new TypeError("this is not a Table");
    return state;
  };
  const isIndex = (key) => typeof key === "string" && /^(0|[1-9][0-9]*)$/.test(key);

  const { settled } = hooks;
  // Returns the cells of a table in the script.
  const cellsOf = (given, state) => (given.of ? state.list.slice(given.first, given.first + given.length) : state.list);
  const indexOf = (columns, name) => {
    const index = columns.indexOf(name);
    if (index < 0) throw new RangeError(`no column \`${String(name)}\`${hooks.advice(String(name), columns)}`);
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
      return proxied(this, { columns: [...columns], name, list, length: list.length });
    }

    get columns() { return [...settled(stateOf(this)).columns]; }
    get name() { return stateOf(this).name; }
    set name(name) { stateOf(this).name = String(name); }
    get length() { return stateOf(this).length; }
    get rowCount() { return this.length; }
    get rows() {
      const given = stateOf(this), state = settled(given);
      if (state.list) return cellsOf(given, state).map((cells) => [...cells]);
      return native.rows(hooks.tableNumber(given), 0, given.length);
    }

    [Symbol.iterator]() { return hooks.rowsOf(stateOf(this)); }
    // `array.concat(table)` appends the rows.
    get [Symbol.isConcatSpreadable]() { return true; }

    // Copies of the rows.
    toObjects() { return hooks.rowCopies(stateOf(this)); }
    toArray() { return this.toObjects(); }
    records() { return this.toObjects(); }
    toDicts() { return this.toObjects(); }
    toJSON() { return [...this]; }

    column(name) {
      const given = stateOf(this), state = settled(given), index = indexOf(state.columns, name);
      if (state.list) return cellsOf(given, state).map((cells) => cells[index]);
      return native.column(hooks.tableNumber(given), index);
    }

    at(index) {
      const state = stateOf(this), whole = Math.trunc(index) || 0;
      const place = whole < 0 ? state.length + whole : whole;
      return place < 0 || place >= state.length ? undefined : hooks.rowAt(state, place);
    }

    // The rows stay those of this table.
    slice(start = 0, end = Infinity) {
      const state = stateOf(this), { length } = state;
      const bound = (place) => Math.min(length, Math.max(0, place < 0 ? length + place : place));
      const first = bound(Math.trunc(start) || 0), count = Math.max(0, bound(Math.trunc(end ?? length)) - first);
      return bare({ of: state.of ?? state, first: (state.first ?? 0) + first, length: count, name: state.name });
    }

    select(...names) {
      const given = stateOf(this), state = settled(given), wanted = names.flat();
      const indices = wanted.map((name) => indexOf(state.columns, name));
      if (!state.list) return hooks.hostTable(native.select(hooks.tableNumber(given), indices, wanted), given.name);
      return new Table(wanted, cellsOf(given, state).map((cells) => indices.map((index) => cells[index])), given.name);
    }

    rename(names) {
      const given = stateOf(this), state = settled(given);
      Object.keys(names).forEach((name) => indexOf(state.columns, name));
      const columns = state.columns.map((name) => names[name] ?? name);
      if (state.list) return new Table(columns, cellsOf(given, state), given.name);
      return hooks.hostTable(native.select(hooks.tableNumber(given), columns.map((_, at) => at), columns), given.name);
    }

    markdown() {
      const shown = (cell) => String(cell ?? "").replace(/\|/g, "\\|").replace(/\n/g, " ");
      const line = (cells) => `| ${cells.map(shown).join(" | ")} |`;
      const { columns } = this;
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
  for (const name of ["map", "filter", "find", "findIndex", "findLast", "findLastIndex", "forEach", "reduce", "reduceRight",
    "some", "every", "flatMap", "flat", "toSorted", "toReversed", "toSpliced", "with", "includes", "indexOf", "lastIndexOf",
    "entries", "keys", "values", "join", "concat"]) {
    Object.defineProperty(Table.prototype, name, {
      value(...values) { return [...this][name](...values); }, writable: true, configurable: true,
    });
  }
  // These change the table, as an array.
  for (const name of ["sort", "reverse"]) {
    Object.defineProperty(Table.prototype, name, {
      value(...values) {
        const rows = [...this][name](...values);
        hooks.reorder(stateOf(this), rows);
        return rows;
      },
      writable: true, configurable: true,
    });
  }
  const FIXED = ["push", "pop", "shift", "unshift", "splice", "fill", "copyWithin"];
  const ROWS = "`const rows = table.toObjects()` makes an array of rows";
  const refused = (name) => () => {
    throw new TypeError(`table.${name}: a table has a fixed number of rows; ${ROWS}, Table.fromObjects(rows) a table again`);
  };

  const handler = {
    get(target, key) {
      if (typeof key === "symbol" || Reflect.has(target, key)) return Reflect.get(target, key, target);
      if (isIndex(key)) return target.at(Number(key));
      const state = settled(states.get(target));
      if (state.columns.includes(key)) return target.column(key);
      return FIXED.includes(key) ? refused(key) : undefined;
    },
    has: (target, key) => Reflect.has(target, key) || (isIndex(key) && Number(key) < target.length)
      || (typeof key === "string" && settled(states.get(target)).columns.includes(key)),
    set(target, key, value) {
      const state = states.get(target);
      if (typeof key === "symbol" || key === "name") return Reflect.set(target, key, value, target);
      if (!isIndex(key)) {
        const way = `table.forEach((row, at) => { row.${key} = ... })`;
        throw new TypeError(`table.${key} = ...: set it in each row: ${way}; ${ROWS}`);
      }
      if (Number(key) >= state.length) refused(key)();
      if (typeof value !== "object" || value === null || Array.isArray(value)) {
        throw new TypeError(`table[${key}] = ...: expected a row as an object, got ${hooks.show(value)}`);
      }
      hooks.setRow(state, Number(key), value);
      return true;
    },
    deleteProperty(target, key) {
      if (isIndex(key)) refused(key)();
      return Reflect.deleteProperty(target, key);
    },
    // As an array of rows has them: `{ ...table }`, `Object.entries(table)`.
    ownKeys: (target) => [...Array.from({ length: target.length }, (_, at) => String(at)), ...Reflect.ownKeys(target)],
    getOwnPropertyDescriptor(target, key) {
      if (!isIndex(key) || Number(key) >= target.length) return Reflect.getOwnPropertyDescriptor(target, key);
      return { value: target.at(Number(key)), writable: true, enumerable: true, configurable: true };
    },
  };
  const proxied = (target, state) => {
    states.set(target, hooks.tableState(state));
    const proxy = new Proxy(target, handler);
    targets.set(proxy, target);
    return proxy;
  };
  const bare = (state) => proxied(Object.create(Table.prototype), state);

  // Makes a `Table` of a number.
  hooks.hostTable = (number, name = "") => {
    const info = native.info(number);
    return bare({ columns: info.columns, name, number, length: info.rows });
  };

  // Says which table an object is, for arguments and results; undefined for any other object.
  hooks.tableOf = (object) => {
    const given = states.get(targets.get(object) ?? object);
    if (!given) return undefined;
    const state = settled(given), { columns } = state;
    if (!state.list) return { table: hooks.tableNumber(given), names: columns };
    const rows = cellsOf(given, state), cells = given.length * columns.length;
    const built = cells > INLINE_CELLS ? native.build(columns, rows) : undefined;
    return typeof built === "number" ? { table: built, names: columns } : { members: { columns, rows } };
  };
  // Returns a table with rows of its own.
  hooks.tableCopy = (object) => {
    const given = stateOf(object), state = settled(given);
    if (state.list) return new Table(state.columns, cellsOf(given, state), given.name);
    return bare({ columns: state.columns, name: given.name, number: hooks.tableNumber(given), length: given.length });
  };
  hooks.isTable = (object) => states.has(targets.get(object) ?? object);
  // Returns what `store` keeps of a table, and `load` makes a table of it again.
  hooks.storedTable = (object) => ({ $table: { name: object.name, columns: object.columns, rows: object.rows } });
  hooks.restored = (value) => {
    if (typeof value !== "object" || value === null) return value;
    const { name, columns, rows } = value.$table ?? {};
    const isTable = Array.isArray(columns) && Array.isArray(rows) && Object.keys(value).length === 1;
    if (isTable) return new Table(columns, rows, name);
    for (const key of Object.keys(value)) value[key] = hooks.restored(value[key]);
    return value;
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
        return bare({ columns, name: "", list: rows, length: rows.length });
      }
    }
    for (const key of Object.keys(value)) value[key] = revived(value[key]);
    return value;
  };
  hooks.revived = revived;

  // Characters and rows of a document in JSON.
  const SHOWN_TEXT = 1_000, SHOWN_ROWS = 3;
  const cut = (text) => {
    if (text.length <= SHOWN_TEXT) return text;
    return [...text.slice(0, 2 * SHOWN_TEXT)].slice(0, SHOWN_TEXT).join("");
  };

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
    // The beginning of it: a document may have any length.
    toJSON() {
      const { name, mediaType, title, warnings } = this, characters = this.#characters;
      const text = this.text, shown = cut(text);
      const body = shown === text ? { text } : { characters, first_text: shown };
      const tables = this.tables.map((table) => {
        const { name, columns, length } = table;
        if (length <= SHOWN_ROWS) return { name, columns, rows: table.rows };
        return { name, columns, row_count: length, first_rows: table.slice(0, SHOWN_ROWS).rows };
      });
      return { name, mediaType, title, warnings, ...body, tables };
    }
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
      return `Table(${name}columns: ${settled(state).columns.join(", ")}; ${state.length} rows)`;
    }
    if (object instanceof Document) return `Document(${object.name}, ${object.mediaType})`;
    if (object === hooks.documents) return methods.toString();
    return hooks.shownTools(object);
  };
  hooks.Table = Table;
  hooks.Document = Document;
})
