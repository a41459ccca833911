// Rows of tables as objects that a script may change. A row is the same object each time, as in an array.
//
// A table is in one of three forms: in the host (`number` or `reference`), in the script (`list`: the cells of each row), or
// as some rows of another table (`of`, `first`). All have a `length`; the first two have `columns`.
(function (native, hooks) {
  // A script may give these names to variables of its own.
  const { Array, Map, Math, Object, Set } = globalThis;
  const PART_ROWS = 4096;
  // Cells of rows that a table keeps although nothing refers to them: then they are read once.
  const KEPT_CELLS = 200_000;
  // Rows up to which a table or a slice is read at once, and single rows after which a part is read.
  const SMALL = 512, FEW = 8;

  // Returns a new table. The rows that the script has seen are in `parts` and `single`, by the number of the part and of the
  // row, or, for a table in the script, in `seenRows` by the number of the row.
  hooks.tableState = (state) => ({
    ...state, parts: new Map(), single: new Map(), kept: 0, most: KEPT_CELLS, sweeps: 0, seen: native.changes(),
    part: -1, misses: 0,
  });

  // Returns the number of a table in the host, and opens a table of a document when its rows are needed.
  const number = (state) => (state.number ??= state.of
    ? native.range(number(state.of), state.first, state.length) : native.open(state.reference));
  hooks.tableNumber = number;

  // Lets rows go that nothing refers to and that were not changed. They can be read again.
  const keep = (state, count) => {
    const width = state.columns.length;
    state.kept += count * width;
    if (state.kept <= state.most) return;
    state.sweeps++;
    if (state.list) {
      const rows = new Array(state.length).fill(null), busy = native.busy(state.seenRows, 0);
      for (const place of busy) rows[place] = state.seenRows[place];
      state.seenRows = rows;
      state.kept = busy.length * width;
      state.most = Math.max(KEPT_CELLS, 2 * state.kept);
      return;
    }
    let left = 0;
    for (const [part, rows] of state.parts) {
      if (native.busy(rows, 0).length === 0) state.parts.delete(part);
      else left += rows.length;
    }
    const places = [...state.single.keys()], rows = [...state.single.values()];
    state.single = new Map(native.busy(rows, 1).map((at) => [places[at], rows[at]]));
    state.kept = (left + state.single.size) * width;
    state.most = Math.max(KEPT_CELLS, 2 * state.kept);
  };

  const read = (state, first, count) => {
    const rows = native.records(number(state), state.columns, first, count, true);
    keep(state, rows.length);
    return rows;
  };
  const partOf = (state, part) => {
    const known = state.parts.get(part);
    if (known) return known;
    const first = part * PART_ROWS, rows = read(state, first, PART_ROWS);
    for (const [place, row] of state.single) {
      if (place < first || place >= first + rows.length) continue;
      rows[place - first] = row;
      state.single.delete(place);
    }
    state.parts.set(part, rows);
    return rows;
  };
  const rowOf = ({ columns, list }, place) => {
    const row = {}, cells = list[place];
    for (let at = 0; at < columns.length; at++) row[columns[at]] = cells[at] ?? null;
    return row;
  };
  const listed = (state, place) => {
    state.seenRows ??= new Array(state.length).fill(null);
    const known = state.seenRows[place];
    if (known) return known;
    const row = rowOf(state, place);
    native.mark(row, false);
    keep(state, 1);
    state.seenRows[place] = row;
    return row;
  };
  const single = (state, place) => {
    if (state.list) return listed(state, place);
    const part = Math.floor(place / PART_ROWS);
    const known = state.parts.get(part)?.[place % PART_ROWS] ?? state.single.get(place);
    if (known) return known;
    state.misses = part === state.part ? state.misses + 1 : 1;
    state.part = part;
    if (state.length <= SMALL || state.misses > FEW) return partOf(state, part)[place % PART_ROWS];
    const [row] = read(state, place, 1);
    state.single.set(place, row);
    return row;
  };
  hooks.rowAt = (state, index) => single(state.of ?? state, (state.first ?? 0) + index);

  // Reads the rows of a short slice.
  const readRun = (state, first, count) => {
    const parts = [first, first + count - 1].map((place) => Math.floor(place / PART_ROWS));
    if (state.list || count === 0 || parts.some((part) => state.parts.has(part))) return;
    let isKnown = true;
    for (let at = 0; at < count; at++) isKnown &&= state.single.has(first + at);
    if (isKnown) return;
    read(state, first, count).forEach((row, at) => {
      if (!state.single.has(first + at)) state.single.set(first + at, row);
    });
  };

  // Iterates over the rows. The table may go from the host to the script meanwhile.
  hooks.rowsOf = function* (given) {
    const state = given.of ?? given, start = given.first ?? 0, end = start + given.length;
    const isShort = given.length <= SMALL && state.length > SMALL;
    if (isShort) readRun(state, start, given.length);
    for (let place = start; place < end;) {
      if (state.list || isShort) {
        yield single(state, place++);
        continue;
      }
      const part = Math.floor(place / PART_ROWS), rows = partOf(state, part), first = part * PART_ROWS;
      const stop = Math.min(end, first + rows.length), sweeps = state.sweeps;
      if (place >= stop) return;
      while (place < stop && state.sweeps === sweeps) yield rows[place++ - first];
    }
  };

  // Puts another object in the place of a row: a copy if it is a row, because a row belongs to one place.
  hooks.setRow = (given, index, value) => {
    const state = given.of ?? given, place = (given.first ?? 0) + index, row = native.marked(value) ? { ...value } : value;
    single(state, place);
    native.mark(row, true);
    const part = state.parts.get(Math.floor(place / PART_ROWS));
    if (state.list) state.seenRows[place] = row;
    else if (part) part[place % PART_ROWS] = row;
    else state.single.set(place, row);
    state.seen = -1;
  };

  // Returns copies of the rows.
  hooks.rowCopies = (given) => {
    const state = hooks.settled(given), first = given.first ?? 0, copies = [];
    if (state.list) {
      for (let at = 0; at < given.length; at++) copies.push(rowOf(state, first + at));
      return copies;
    }
    for (let at = 0; at < given.length; at += PART_ROWS) {
      const count = Math.min(PART_ROWS, given.length - at);
      for (const row of native.records(number(state), state.columns, first + at, count, false)) copies.push(row);
    }
    return copies;
  };

  // Puts the rows of a table in another order.
  hooks.reorder = (given, rows) => {
    const state = hooks.settled(given), first = given.first ?? 0, places = new Map();
    let next = first;
    for (const row of hooks.rowsOf(given)) places.set(row, next++);
    if (!state.list) toScript(state, false);
    const cells = rows.map((row) => state.list[places.get(row)]);
    rows.forEach((row, at) => {
      state.list[first + at] = cells[at];
      state.seenRows[first + at] = row;
    });
  };

  // Brings a table from the host to the script. If all rows have changed, their cells are not needed.
  const toScript = (state, areAllChanged) => {
    state.list = areAllChanged ? new Array(state.length).fill(null) : native.rows(number(state), 0, state.length);
    state.seenRows = new Array(state.length).fill(null);
    for (const [place, row] of state.single) state.seenRows[place] = row;
    for (const [part, rows] of state.parts) {
      for (let at = 0; at < rows.length; at++) state.seenRows[part * PART_ROWS + at] = rows[at];
    }
    state.single.clear();
    state.parts.clear();
  };
  // Returns the places of the changed rows, and the rows.
  const changedRows = (state) => {
    const places = [], changed = [];
    const add = (rows, placeOf) => {
      for (const at of native.changed(rows)) {
        places.push(placeOf(at));
        changed.push(rows[at]);
      }
    };
    if (state.list) add(state.seenRows ?? [], (at) => at);
    for (const [part, rows] of state.parts) add(rows, (at) => part * PART_ROWS + at);
    const single = [...state.single.keys()];
    if (single.length > 0) add([...state.single.values()], (at) => single[at]);
    return { places, changed };
  };
  // Returns the names of the members of rows.
  const membersOf = (rows) => {
    const found = new Set();
    let last = [];
    for (const row of rows) {
      const keys = Object.keys(row);
      let at = keys.length === last.length ? 0 : -1;
      while (at >= 0 && at < keys.length) at = keys[at] === last[at] ? at + 1 : -1;
      if (at >= 0) continue;
      keys.forEach((key) => found.add(key));
      last = keys;
    }
    return found;
  };

  // Writes changed rows into the cells of their table, which is in the script then. Returns the table with the cells.
  hooks.settled = (given) => {
    const state = given.of ?? given, now = native.changes();
    if (state.seen === now) return state;
    state.seen = now;
    const { places, changed } = changedRows(state);
    if (changed.length === 0) return state;
    const areAllChanged = changed.length === state.length;
    if (!state.list) toScript(state, areAllChanged);
    const before = state.columns, found = membersOf(changed);
    // A column that the script removed from all rows is no more.
    const kept = areAllChanged ? before.filter((name) => found.has(name)) : before;
    const columns = [...new Set([...kept, ...found])];
    const isSame = columns.length === before.length && columns.every((name, at) => name === before[at]);
    if (!isSame && !areAllChanged) {
      const indices = columns.map((name) => before.indexOf(name));
      state.list = state.list.map((cells) => indices.map((index) => (index < 0 ? null : cells[index])));
    }
    state.columns = columns;
    for (let at = 0; at < changed.length; at++) {
      const row = changed[at], cells = [];
      for (const name of columns) cells.push(row[name] ?? null);
      state.list[places[at]] = cells;
    }
    native.unmark(changed);
    return state;
  };
})
