// Computes what a large table needs: names of cells, positions of columns, the scale of the scroll bar, and which
// blocks of rows are loaded. Knows nothing of the document object model.

/** Rows of one request. The server sends at most 1000. */
const BLOCK_ROWS = 200;
/** Highest element that all browsers lay out without errors, in pixels. Firefox stops near 17.8 million. */
const MAX_SCROLL_PIXELS = 15000000;
/** Pixels of a cell to the left and right of its text. */
const CELL_PADDING = 14;
/** Widest column in pixels that is made for a number. */
const MOST_NUMBER_WIDTH = 260;

/**
 * Returns the letters of a column: 0 is "A", 26 is "AA".
 * @param {number} column
 * @returns {string}
 */
function columnName(column) {
  let name = "";
  for (let rest = column + 1; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    name = String.fromCharCode(65 + ((rest - 1) % 26)) + name;
  }
  return name;
}

/**
 * Returns the name of a cell, such as "B7" for row 6, column 1.
 * @param {number} row
 * @param {number} column
 */
function cellName(row, column) {
  return columnName(column) + (row + 1);
}

/**
 * Reads the name of a cell; `null` if the text is none.
 * @param {string} text
 * @returns {{row: number, column: number} | null}
 */
function parseCell(text) {
  const found = /^\s*\$?([A-Za-z]{1,3})\$?([1-9][0-9]{0,6})\s*$/.exec(text);
  if (!found) return null;
  let column = 0;
  for (const letter of found[1].toUpperCase()) column = column * 26 + letter.charCodeAt(0) - 64;
  return { row: Number(found[2]) - 1, column: column - 1 };
}

/**
 * Returns the left edge of each column, and the right edge of the last one.
 * @param {number[]} widths
 * @returns {Float64Array}
 */
function columnEdges(widths) {
  const edges = new Float64Array(widths.length + 1);
  for (let at = 0; at < widths.length; at++) edges[at + 1] = edges[at] + widths[at];
  return edges;
}

/**
 * Returns the column that contains the position `x`, at least 0 and at most the last one.
 * @param {Float64Array} edges
 * @param {number} x
 */
function columnAt(edges, x) {
  let low = 0;
  let high = edges.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (edges[middle] <= x) low = middle;
    else high = middle - 1;
  }
  return Math.max(0, low);
}

/**
 * Relates the scroll bar to the table. A table that is higher than an element can be gets a lower element, and each
 * pixel of
 * the scroll bar then stands for more than one of the table.
 * @param {{content: number, viewport: number, fixed?: number, most?: number}} size heights in pixels: of all rows
 *   that scroll,
 *   of the part that shows them, and of what stays above them
 */
function scrollScale({ content, viewport, fixed = 0, most = MAX_SCROLL_PIXELS }) {
  const height = Math.min(content + fixed, most);
  const range = Math.max(0, content - viewport);
  const scrollRange = Math.max(0, height - fixed - viewport);
  const ratio = scrollRange > 0 ? range / scrollRange : 1;
  return {
    /** Height of the element. */
    height,
    ratio,
    /** Returns the offset in the table for a position of the scroll bar. @param {number} scroll */
    toOffset: (scroll) => Math.min(range, Math.max(0, scroll * ratio)),
    /** Returns the position of the scroll bar for an offset in the table. @param {number} offset */
    toScroll: (offset) => Math.min(scrollRange, Math.max(0, offset / ratio)),
  };
}

/**
 * Estimates widths in pixels from the first rows, for files without widths such as CSV. Wide characters count twice.
 * Widths of the file fit the font of the program that wrote it, so they grow where a number would be cut: half a
 * number is
 * a wrong one.
 * @param {any[][]} rows
 * @param {number} columns
 * @param {(number|null|undefined)[]} [known] widths of the file
 * @param {(text: string) => number} [measure] returns the width of a text in pixels
 * @returns {number[]}
 */
function estimateWidths(rows, columns, known = [], measure = (text) => text.length * 7.4) {
  const widths = [];
  for (let column = 0; column < columns; column++) {
    const width = known[column];
    if (typeof width === "number" && width >= 0) {
      let fitting = Math.min(width, 1000);
      for (const row of width > 0 ? rows : []) {
        const cell = row[column];
        if (cell === null || typeof cell !== "object" || (cell.k !== "n" && cell.k !== "d")) continue;
        const text = cellText(cell);
        // Short texts are not measured: each digit takes less than ten pixels.
        if (text.length * 10 + CELL_PADDING <= fitting) continue;
        fitting = Math.max(fitting, Math.min(MOST_NUMBER_WIDTH, Math.ceil(measure(text)) + CELL_PADDING));
      }
      widths.push(fitting);
      continue;
    }
    let most = 0;
    let longest = "";
    rows.forEach((row, at) => {
      const text = cellText(row[column]);
      let units = 0;
      for (let letter = 0; letter < text.length && units < 44; letter++) units += text.charCodeAt(letter) > 0x2e7f ? 2
        : 1;
      // The first row is often a header in bold letters.
      if (at === 0) units *= 1.15;
      if (units <= most) return;
      most = units;
      longest = text.slice(0, 44);
    });
    // Letters such as `W` and `<` are wider than the estimate. One text is measured, because measuring takes long.
    const estimate = Math.max(Math.round(most * 7.4) + 18, Math.ceil(measure(longest)) + CELL_PADDING);
    widths.push(most === 0 ? 80 : Math.max(56, Math.min(320, estimate)));
  }
  return widths;
}

/**
 * Returns what a cell shows.
 * @param {any} cell
 * @returns {string}
 */
function cellText(cell) {
  if (cell === null || cell === undefined) return "";
  if (typeof cell === "object") return cell.d === null || cell.d === undefined ? String(cell.v ?? "") : String(cell.d);
  return String(cell);
}

/**
 * Returns rows as the text that spreadsheets paste: tabs between cells, and quotes where a cell needs them.
 * @param {string[][]} rows
 */
function toTsv(rows) {
  const field = (text) => (/[\t\n\r"]/.test(text) ? `"${text.replaceAll("\"", "\"\"")}"` : text);
  return rows.map((row) => row.map(field).join("\t")).join("\n");
}

/**
 * Indexes merged areas by row.
 * @param {number[][]} merges areas as [first row, first column, last row, last column]
 * @param {number} [most] rows of the index at most, so that a merged column of a million rows costs little
 */
function mergeIndex(merges, most = 200000) {
  /** @type {Map<number, number[][]>} */
  const rows = new Map();
  let left = most;
  for (const merge of merges) {
    for (let row = merge[0]; row <= merge[2] && left > 0; row++, left--) {
      const list = rows.get(row);
      if (list) list.push(merge);
      else rows.set(row, [merge]);
    }
  }
  return {
    /** Returns the area that contains a cell, or `undefined`. @param {number} row @param {number} column */
    at(row, column) {
      return rows.get(row)?.find((merge) => merge[1] <= column && column <= merge[3]);
    },
    /** Returns the areas that a row crosses. @param {number} row */
    of(row) {
      return rows.get(row) ?? [];
    },
  };
}

/**
 * Keeps the blocks of rows that were used last, loads the ones in view first and the next one in the direction of
 * scrolling
 * after them, and gives up requests for rows that were scrolled past.
 */
class BlockCache {
  /**
   * @param {{
   *   load: (from: number, count: number, signal: AbortSignal) => Promise<any>,
   *   onChange: () => void,
   *   total: number, size?: number, most?: number, parallel?: number, delay?: number, retry?: number,
   * }} options `load` returns rows as the server does; `most` blocks are kept; `delay` in milliseconds is waited
   * before a
   *   request, so that dragging the scroll bar does not request each place that it passes
   */
  constructor({ load, onChange, total, size = BLOCK_ROWS, most = 40, parallel = 2, delay = 40, retry = 3000 }) {
    this.load = load;
    this.onChange = onChange;
    this.total = total;
    this.size = size;
    this.most = most;
    this.parallel = parallel;
    this.delay = delay;
    this.retry = retry;
    /** @type {Map<number, any>} */
    this.blocks = new Map();
    /** @type {Map<number, AbortController>} */
    this.requests = new Map();
    /** @type {Map<number, {error: any, at: number}>} */
    this.failures = new Map();
    /** @type {number[]} */
    this.wanted = [];
    this.visible = "";
    this.timer = 0;
    this.deadline = 0;
    this.closed = false;
    this.statistics = { requested: 0, cancelled: 0 };
  }

  /** Returns the block of a row, or `undefined` while it is not loaded. @param {number} row */
  block(row) {
    return this.blocks.get(Math.floor(row / this.size));
  }

  /** Returns the cells of a row, or `undefined` while they are not loaded. @param {number} row */
  row(row) {
    const block = this.block(row);
    return block ? block.rows[row - block.from] ?? [] : undefined;
  }

  /** Returns the error of a row that could not be loaded. @param {number} row */
  failure(row) {
    return this.failures.get(Math.floor(row / this.size))?.error;
  }

  /**
   * Notes which rows are in view, and loads what is missing.
   * @param {number} first
   * @param {number} last
   * @param {number} direction below 0 for up, otherwise down
   * @param {number[]} [always] further rows that are in view, such as frozen ones
   */
  want(first, last, direction, always = []) {
    if (this.closed || this.total <= 0) return;
    const end = Math.ceil(this.total / this.size) - 1;
    const from = Math.max(0, Math.floor(first / this.size));
    const to = Math.min(end, Math.floor(last / this.size));
    const visible = always.map((row) => Math.floor(row / this.size));
    for (let at = from; at <= to; at++) visible.push(at);
    const next = direction < 0 ? from - 1 : to + 1;
    this.wanted = [...new Set(next >= 0 && next <= end ? [...visible, next] : visible)];
    for (const at of this.wanted) {
      const block = this.blocks.get(at);
      // A map keeps the order of insertion, so that its first key is the block that was not used for the longest time.
      if (block) this.blocks.delete(at), this.blocks.set(at, block);
    }
    for (const [at, request] of this.requests) {
      if (!this.wanted.includes(at)) this.cancel(at, request);
    }
    const missing = visible.filter((at) => !this.blocks.has(at)).join();
    const now = Date.now();
    if (missing !== this.visible) {
      this.visible = missing;
      if (this.timer) clearTimeout(this.timer), (this.timer = 0);
      else this.deadline = now + this.delay * 4;
    }
    if (!this.timer && this.next() !== undefined) {
      this.timer = /** @type {any} */ (setTimeout(() =>
        this.run(), Math.max(0, Math.min(this.delay, this.deadline - now))));
    }
  }

  /** Requests the blocks that failed once more. */
  again() {
    this.failures.clear();
    this.run();
  }

  next() {
    const now = Date.now();
    return this.wanted.find((at) => {
      const failure = this.failures.get(at);
      return !this.blocks.has(at) && !this.requests.has(at) && !(failure && now - failure.at < this.retry);
    });
  }

  run() {
    clearTimeout(this.timer);
    this.timer = 0;
    if (this.closed) return;
    for (let at = this.next(); at !== undefined
      && this.requests.size < this.parallel; at = this.next()) this.request(at);
  }

  /** @param {number} at */
  request(at) {
    const request = new AbortController();
    const from = at * this.size;
    this.requests.set(at, request);
    this.statistics.requested++;
    const done = (keep) => {
      if (this.requests.get(at) !== request) return;
      this.requests.delete(at);
      keep();
      this.run();
      this.onChange();
    };
    this.load(from, Math.min(this.size, this.total - from), request.signal).then(
      (rows) => done(() => this.put(at, { from, rows: rows.rows ?? [], styles: rows.styles ?? {} })),
      (error) => done(() => this.failures.set(at, { error, at: Date.now() })),
    );
  }

  /** @param {number} at @param {any} block */
  put(at, block) {
    this.failures.delete(at);
    this.blocks.set(at, block);
    for (const old of this.blocks.keys()) {
      if (this.blocks.size <= this.most) break;
      if (!this.wanted.includes(old)) this.blocks.delete(old);
    }
  }

  /** @param {number} at @param {AbortController} request */
  cancel(at, request) {
    this.requests.delete(at);
    this.statistics.cancelled++;
    request.abort();
  }

  /** Gives up all requests. */
  close() {
    this.closed = true;
    clearTimeout(this.timer);
    for (const [at, request] of this.requests) this.cancel(at, request);
  }
}

export { BLOCK_ROWS, MAX_SCROLL_PIXELS, BlockCache };
export { columnName, cellName, parseCell, columnEdges, columnAt, scrollScale, estimateWidths, cellText, toTsv,
  mergeIndex };
