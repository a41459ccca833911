// Shows one sheet. The scroll bar is the browser's own; the cells in view are painted into a layer that stays in
// place, so that a table of any height costs the same and is never blank. Frozen rows and columns are parts of that
// layer that do not move.
import { html, useCallback, useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from "./ui.js";
import { BlockCache, cellName, cellText, columnAt, columnEdges, columnName } from "./grid.js";
import { estimateWidths, mergeIndex, parseCell, scrollScale, toTsv } from "./grid.js";
import { colorLuminance, copyText, errorText, icon, Loading, safeText, useDark, useSize } from "./parts.js";
import { counted, words } from "./viewer_words.js";
import { formatNumber } from "./i18n_core.js";

const ROW_HEIGHT = 26;
const HEAD_HEIGHT = 26;
/** Size of the font of cells in pixels. */
const FONT_SIZE = 13;
/** Rows that are painted above and below the view. */
const OVERSCAN = 3;
/** Elements of rows are used again: a row takes the element of the row that is this far away. */
const POOL = 256;
/** Columns to the left of the view in which a text can begin that reaches into the view. */
const OVERFLOW_COLUMNS = 20;
const MAX_COPIED_CELLS = 200000;
/** Characters of a cell in the table. The bar above the table shows all. */
const MAX_CELL_CHARACTERS = 400;

/**
 * Returns how many rows or columns stay in place: those of the file, unless they would leave no place for the others.
 * @param {any} sheet
 * @param {Float64Array} edges
 * @param {{width: number, height: number}} size
 */
function frozenParts(sheet, edges, size) {
  let rows = Math.max(sheet.frozen_rows ?? 0, sheet.header ? 1 : 0);
  let columns = sheet.frozen_columns ?? 0;
  if (rows >= sheet.rows || (size.height > 0 && rows * ROW_HEIGHT > size.height * 0.5)) rows = 0;
  if (columns >= sheet.columns || (size.width > 0
    && edges[Math.min(columns, edges.length - 1)] > size.width * 0.6)) columns = 0;
  return { rows, columns };
}

/**
 * Returns a function that measures texts in the font of the cells, in bold, which is the wider form.
 * @param {Element | null} element
 */
function textWidth(element) {
  const context = document.createElement("canvas").getContext("2d");
  if (!context || !element) return undefined;
  context.font = `600 ${FONT_SIZE}px ${getComputedStyle(element).fontFamily}`;
  return (text) => context.measureText(text).width;
}

/**
 * Returns the colours, weight and alignment of a cell.
 * @param {any} cell
 * @param {any} styles
 * @param {boolean} isDark
 */
function cellLook(cell, styles, isDark) {
  const isValue = cell !== null && typeof cell === "object";
  const style = isValue && cell.s !== undefined ? styles[cell.s] : undefined;
  const kind = isValue ? cell.k : "t";
  const align = style?.align ?? (kind === "n" || kind === "d" ? "right" : kind === "b" || kind === "e" ? "center"
    : "left");
  const fill = colorLuminance(style?.fill);
  const color = colorLuminance(style?.color);
  // A colour that cannot be read on its background, which can be the theme's, is left to the theme.
  const ground = fill ?? (isDark ? 0.012 : 1);
  const ratio = color === null ? 0 : (Math.max(color, ground) + 0.05) / (Math.min(color, ground) + 0.05);
  const css = {};
  if (fill !== null) css.background = style.fill;
  if (color !== null && ratio >= 4.5) css.color = style.color;
  else if (fill !== null) css.color = fill > 0.18 ? "#000000" : "#ffffff";
  if (style?.bold) css.fontWeight = "600";
  if (style?.italic) css.fontStyle = "italic";
  return { css, align, kind };
}

/**
 * Shows a sheet of a workbook.
 * @param {{
 *   sheet: any, name: string,
 *   load: (from: number, count: number, signal?: AbortSignal) => Promise<any>,
 *   target?: {row: number, column: number} | null,
 *   onSelect?: (place: {row: number, column: number}) => void,
 *   blockRows?: number,
 * }} props `load` must be the same function as long as the sheet is the same; `blockRows` rows are loaded at once
 */
function Sheet({ sheet, name, load, target, onSelect, blockRows }) {
  const scroller = useRef(/** @type {any} */ (null));
  const size = useSize(scroller);
  const isDark = useDark(scroller);
  const [, repaint] = useReducer((count) => count + 1, 0);
  const [scroll, setScroll] = useState({ top: 0, left: 0, direction: 1 });
  const merges = useMemo(() => mergeIndex(sheet.merges ?? []), [sheet]);
  const [selection, setSelection] = useState(() => {
    const [, , toRow, toColumn] = merges.at(0, 0) ?? [0, 0, 0, 0];
    return { row: 0, column: 0, toRow, toColumn };
  });
  const [mark, setMark] = useState(/** @type {any} */ (null));
  const [note, setNote] = useState("");
  const [firstRows, setFirstRows] = useState(/** @type {any} */ (null));
  const frame = useRef(0);
  const painted = useRef(/** @type {Map<number, any>} */ (new Map()));
  const isDragging = useRef(false);

  const total = sheet.rows;
  const columns = Math.max(1, sheet.columns);
  const cache = useMemo(() => new BlockCache({ load, total, size: blockRows, onChange: () => repaint(undefined) }),
    [load, total, blockRows]);
  useEffect(() => () => cache.close(), [cache]);

  // Widths are estimated once, when the first rows are there, so that columns do not move while the user scrolls.
  const first = cache.block(0);
  useEffect(() => {
    if (first && !firstRows) setFirstRows(first.rows);
  }, [first]);
  const widths = useMemo(
    () => estimateWidths(firstRows ?? [], columns, sheet.widths ?? [], textWidth(scroller.current)),
    [sheet, firstRows, columns],
  );
  const edges = useMemo(() => columnEdges(widths), [widths]);

  const gutter = Math.max(40, String(total).length * 8 + 18);
  const frozen = frozenParts(sheet, edges, size);
  const frozenWidth = edges[frozen.columns];
  const fixedHeight = HEAD_HEIGHT + frozen.rows * ROW_HEIGHT;
  const viewWidth = Math.max(0, size.width - gutter - frozenWidth);
  const viewHeight = Math.max(0, size.height - fixedHeight);
  const scale = scrollScale({ content: (total - frozen.rows) * ROW_HEIGHT, viewport: viewHeight, fixed: fixedHeight });
  const offset = scale.toOffset(scroll.top);
  const offsetLeft = Math.max(0, Math.min(scroll.left, edges[columns] - frozenWidth - viewWidth));
  const firstRow = Math.max(frozen.rows, frozen.rows + Math.floor(offset / ROW_HEIGHT) - OVERSCAN);
  const lastRow = Math.min(total - 1, frozen.rows + Math.ceil((offset + viewHeight) / ROW_HEIGHT) + OVERSCAN);
  const firstColumn = Math.max(frozen.columns, columnAt(edges, frozenWidth + offsetLeft));
  const lastColumn = Math.min(columns - 1, columnAt(edges, frozenWidth + offsetLeft + viewWidth) + 1);

  const frozenRows = useMemo(() => Array.from({ length: frozen.rows }, (_, row) => row), [frozen.rows]);
  useEffect(() => {
    if (size.height > 0) cache.want(firstRow, lastRow, scroll.direction, frozenRows);
  });

  const onScroll = useCallback(() => {
    if (frame.current) return;
    frame.current = requestAnimationFrame(() => {
      frame.current = 0;
      const element = scroller.current;
      if (!element) return;
      setScroll((old) => ({
        top: element.scrollTop, left: element.scrollLeft, direction: element.scrollTop < old.top ? -1 : 1,
      }));
    });
  }, []);
  useEffect(() => () => cancelAnimationFrame(frame.current), []);

  /** Scrolls as little as possible so that a cell is in view. */
  const reveal = (row, column, isCentered) => {
    const element = scroller.current;
    if (!element) return;
    if (row >= frozen.rows) {
      const top = (row - frozen.rows) * ROW_HEIGHT;
      let want = offset;
      if (isCentered && (top < offset
        || top + ROW_HEIGHT > offset + viewHeight)) want = top - (viewHeight - ROW_HEIGHT) / 2;
      else if (top < offset) want = top;
      else if (top + ROW_HEIGHT > offset + viewHeight) want = top + ROW_HEIGHT - viewHeight;
      if (want !== offset) element.scrollTop = scale.toScroll(want);
    }
    if (column >= frozen.columns) {
      const left = edges[column] - frozenWidth;
      const right = edges[column + 1] - frozenWidth;
      if (left < offsetLeft || right - left > viewWidth) element.scrollLeft = left;
      else if (right > offsetLeft + viewWidth) element.scrollLeft = right - viewWidth;
    }
  };

  const select = (row, column, isExtended, isCentered) => {
    const to = { row: Math.max(0, Math.min(total - 1, row)), column: Math.max(0, Math.min(columns - 1, column)) };
    // A merged area is one cell.
    const [top, left, bottom, right] = merges.at(to.row, to.column) ?? [to.row, to.column, to.row, to.column];
    setSelection((old) => (isExtended
      ? { ...old, toRow: to.row, toColumn: to.column }
      : { row: top, column: left, toRow: bottom, toColumn: right }));
    setNote("");
    reveal(to.row, to.column, isCentered);
    if (!isExtended) onSelect?.(to);
  };

  const hasSize = size.height > 0;
  useLayoutEffect(() => {
    if (!target || !hasSize || target.row === undefined) return;
    const place = { row: target.row, column: target.column ?? 0 };
    setMark(place);
    select(place.row, place.column, false, true);
  }, [target, sheet, hasSize, edges]);

  /** Returns the cell at a position of the screen, and what of the table is there. */
  const cellAt = (event) => {
    const box = scroller.current.getBoundingClientRect();
    const x = event.clientX - box.left - scroller.current.clientLeft;
    const y = event.clientY - box.top - scroller.current.clientTop;
    const column = x < gutter + frozenWidth ? columnAt(edges, Math.max(0, x - gutter))
      : columnAt(edges, x - gutter + offsetLeft);
    const row = y < fixedHeight ? Math.floor((y - HEAD_HEIGHT) / ROW_HEIGHT)
      : frozen.rows + Math.floor((y - fixedHeight + offset) / ROW_HEIGHT);
    const isOutside = x >= size.width || y >= size.height;
    return { row: Math.min(row, total - 1), column, isGutter: x < gutter, isHead: y < HEAD_HEIGHT, isOutside };
  };

  const onPointerDown = (event) => {
    if (event.button !== 0 || event.pointerType === "touch") return;
    const at = cellAt(event);
    if (at.isOutside) return;
    pick(at, event.shiftKey);
    isDragging.current = !at.isGutter && !at.isHead;
  };
  const onPointerMove = (event) => {
    if (!isDragging.current) return;
    if (!(event.buttons & 1)) {
      isDragging.current = false;
      return;
    }
    const at = cellAt(event);
    select(at.row, at.column, true, false);
  };
  const onClick = (event) => {
    // A touch that scrolls is no click, so that touch selects here and not when the finger comes down.
    if (event.pointerType === "touch") pick(cellAt(event), false);
  };
  const pick = (at, isExtended) => {
    if (at.isGutter && at.isHead) setSelection({ row: 0, column: 0, toRow: total - 1, toColumn: columns - 1 });
    else if (at.isGutter) setSelection({ row: at.row, column: 0, toRow: at.row, toColumn: columns - 1 });
    else if (at.isHead) setSelection({ row: 0, column: at.column, toRow: total - 1, toColumn: at.column });
    else select(at.row, at.column, isExtended, false);
    setNote("");
  };

  const copy = async () => {
    const [top, bottom] = [Math.min(selection.row, selection.toRow), Math.max(selection.row, selection.toRow)];
    const [left, right] = [Math.min(selection.column, selection.toColumn), Math.max(selection.column,
      selection.toColumn)];
    const cells = (bottom - top + 1) * (right - left + 1);
    if (cells > MAX_COPIED_CELLS) return setNote(words("copy_too_many", { n: formatNumber(MAX_COPIED_CELLS) }));
    try {
      const lines = [];
      for (let row = top; row <= bottom; row++) {
        let line = cache.row(row);
        if (!line) {
          const rows = (await load(row, Math.min(1000, bottom - row + 1))).rows;
          if (rows.length === 0) break;
          for (const more of rows) lines.push(more);
          row += rows.length - 1;
          continue;
        }
        lines.push(line);
      }
      const text = toTsv(lines.map((line) => Array.from({ length: right - left + 1 }, (_, at) =>
        cellText(line[left + at]))));
      setNote(await copyText(text) ? counted("copied", cells) : words("copy_failed"));
    } catch (error) {
      setNote(errorText(error));
    }
    return undefined;
  };

  const onKeyDown = (event) => {
    const page = Math.max(1, Math.floor(viewHeight / ROW_HEIGHT) - 1);
    const isControl = event.ctrlKey || event.metaKey;
    const at = event.shiftKey ? { row: selection.toRow, column: selection.toColumn } : selection;
    const move = (row, column) => select(row, column, event.shiftKey, false);
    const merge = event.shiftKey ? undefined : merges.at(at.row, at.column);
    switch (event.key) {
      case "ArrowUp": move(isControl ? 0 : at.row - 1, at.column); break;
      case "ArrowDown": move(isControl ? total - 1 : (merge ? merge[2] : at.row) + 1, at.column); break;
      case "ArrowLeft": move(at.row, isControl ? 0 : at.column - 1); break;
      case "ArrowRight": move(at.row, isControl ? columns - 1 : (merge ? merge[3] : at.column) + 1); break;
      case "PageUp": move(at.row - page, at.column); break;
      case "PageDown": move(at.row + page, at.column); break;
      case "Home": move(isControl ? 0 : at.row, 0); break;
      case "End": move(isControl ? total - 1 : at.row, columns - 1); break;
      case "c": case "C":
        if (!isControl) return;
        copy();
        break;
      case "a": case "A":
        if (!isControl) return;
        setSelection({ row: 0, column: 0, toRow: total - 1, toColumn: columns - 1 });
        break;
      default: return;
    }
    event.preventDefault();
  };

  // Rows count from a base near the view: browsers lose precision in positions of more than some millions of pixels.
  const base = Math.floor(firstRow / 5000) * 5000;
  const look = { edges, firstColumn, lastColumn, frozen, frozenWidth, gutter, base, isDark, merges, id: name, sheet };
  const lookKey = [firstColumn, lastColumn, frozen.rows, frozen.columns, gutter, base, isDark, size.width].join();
  const paint = (row, isPartOfHead) => {
    const block = cache.block(row);
    const active = selection.row === row ? selection.column : -1;
    const failure = block ? undefined : cache.failure(row);
    const old = painted.current.get(row);
    if (old && old.block === block && old.edges === edges && old.merges === merges && old.lookKey === lookKey
      && old.active === active && old.failure === failure) return old.node;
    const node = paintRow(row, block, active, failure, look, isPartOfHead);
    painted.current.set(row, { block, edges, merges, lookKey, active, failure, node });
    return node;
  };
  const rowNodes = [];
  const rowSet = new Set();
  if (hasSize) {
    // Merged areas that begin above the view are painted by their first row, which has nothing else.
    for (const merge of merges.of(firstRow)) {
      if (merge[0] >= frozen.rows && merge[0] < firstRow && !rowSet.has(merge[0])) {
        rowSet.add(merge[0]);
        rowNodes.push(paint(merge[0], false));
      }
    }
    for (let row = firstRow; row <= lastRow; row++) {
      rowSet.add(row);
      rowNodes.push(paint(row, false));
    }
  }
  const frozenNodes = hasSize ? frozenRows.map((row) => (rowSet.add(row), paint(row, true))) : [];
  for (const row of painted.current.keys()) if (!rowSet.has(row)) painted.current.delete(row);

  const isCellPainted = rowSet.has(selection.row)
    && (selection.column < frozen.columns || (selection.column >= firstColumn && selection.column <= lastColumn));

  /** Returns the place of a range on the screen, or `null` if none of it is in view. */
  const rectangle = (top, left, bottom, right) => {
    const x = (column, isEnd) => {
      const edge = edges[column + (isEnd ? 1 : 0)];
      return column < frozen.columns ? gutter + edge
        : gutter + frozenWidth + Math.max(isEnd ? 0 : -2, Math.min(viewWidth + 2, edge - frozenWidth - offsetLeft));
    };
    const y = (row, isEnd) => {
      const edge = (row + (isEnd ? 1 : 0)) * ROW_HEIGHT;
      return row < frozen.rows ? HEAD_HEIGHT + edge
        : fixedHeight + Math.max(isEnd ? 0 : -2, Math.min(viewHeight + 2, edge - frozen.rows * ROW_HEIGHT - offset));
    };
    const box = { left: x(left, false), top: y(top, false), width: 0, height: 0 };
    box.width = x(right, true) - box.left;
    box.height = y(bottom, true) - box.top;
    return box.width > 1 && box.height > 1 ? box : null;
  };
  const range = rectangle(
    Math.min(selection.row, selection.toRow), Math.min(selection.column, selection.toColumn),
    Math.max(selection.row, selection.toRow), Math.max(selection.column, selection.toColumn),
  );
  const markedArea = mark && (merges.at(mark.row, mark.column) ?? [mark.row, mark.column, mark.row, mark.column]);
  const marked = mark && rectangle(markedArea[0], markedArea[1], markedArea[2], markedArea[3]);
  const layerHeight = Math.min(size.height || 400, scale.height);

  if (total === 0 || sheet.columns === 0) return html`<div class="v-message"><p>${words("empty_sheet")}</p></div>`;

  const heads = (from, to, left) => {
    const nodes = [];
    for (let column = from; column <= to; column++) {
      nodes.push(html`<div key=${column} role="columnheader" aria-colindex=${column + 2} class="v-colname"
        style=${{ left: `${edges[column] - left}px`, width: `${widths[column]}px` }}>${columnName(column)}</div>`);
    }
    return nodes;
  };
  const lines = (from, to, left) => {
    const nodes = [];
    for (let column = from; column <= to; column++) {
      nodes.push(html`<i key=${column} style=${{ left: `${edges[column + 1] - left - 1}px` }}></i>`);
    }
    return nodes;
  };

  return html`<div class="v-sheet">
    <${DetailBar} sheet=${sheet} cell=${cache.row(selection.row)?.[selection.column]}
      isLoaded=${!!cache.block(selection.row) || !!cache.failure(selection.row)}
      selection=${selection} merge=${merges.at(selection.row, selection.column)} note=${note} onCopy=${copy}
      onGo=${(place) => (select(place.row, place.column, false, true), scroller.current.focus())} />
    <div class="v-grid" ref=${scroller} role="grid" tabindex="0"
      aria-label=${words("table_label", { name: safeText(sheet.name), rows: counted("rows", total),
        columns: counted("columns", columns) })}
      aria-rowcount=${total + 1} aria-colcount=${columns + 1} aria-readonly="true" aria-multiselectable="true"
      aria-activedescendant=${isCellPainted ? cellId(name, selection.row, selection.column) : undefined}
      onScroll=${onScroll} onKeyDown=${onKeyDown} onPointerDown=${onPointerDown} onPointerMove=${onPointerMove}
        onClick=${onClick}>
      <div class="v-sizer" role="presentation"
        style=${{ width: `${gutter + edges[columns]}px`, height: `${scale.height}px` }}>
        <div class="v-layer" role="presentation"
          style=${{ width: `${size.width}px`, height: `${layerHeight}px`, "--v-x": `${-offsetLeft}px` }}>
          <div class="v-body" role="presentation" style=${{ top: `${fixedHeight}px` }}>
            <div class="v-lines" role="presentation" aria-hidden="true" style=${{ left: `${gutter + frozenWidth}px` }}>
              <div class="v-move">${lines(firstColumn, lastColumn, frozenWidth)}</div>
            </div>
            <div class="v-lines" aria-hidden="true" style=${{ left: `${gutter}px`, width: `${frozenWidth}px` }}>
              ${lines(0, frozen.columns - 1, 0)}
            </div>
            <div class="v-rows" role="rowgroup"
              style=${{ transform: `translateY(${(base - frozen.rows) * ROW_HEIGHT - offset}px)` }}>${rowNodes}</div>
          </div>
          <div class="v-top" role="rowgroup" style=${{ height: `${fixedHeight}px` }}>
            <div class="v-head" role="row" aria-rowindex="1">
              <div class="v-corner" role="columnheader" aria-colindex="1" style=${{ width: `${gutter}px` }}>
                <span class="v-offscreen">${words("select_all")}</span>
              </div>
              <div class="v-frozen" role="presentation" style=${{ left: `${gutter}px`, width: `${frozenWidth}px` }}>
                ${heads(0, frozen.columns - 1, 0)}
              </div>
              <div class="v-clip" role="presentation" style=${{ left: `${gutter + frozenWidth}px` }}>
                <div class="v-move" role="presentation">${heads(firstColumn, lastColumn, frozenWidth)}</div>
              </div>
            </div>
            ${frozenNodes}
          </div>
          ${frozen.rows > 0 && html`<div class="v-edge-y" style=${{ top: `${fixedHeight - 1}px` }}></div>`}
          ${frozen.columns > 0 && html`<div class="v-edge-x" style=${{ left: `${gutter + frozenWidth - 1}px` }}></div>`}
          <div class="v-marks" aria-hidden="true">
            ${marked && html`<div class="v-mark" style=${pixels(marked)}></div>`}
            ${range && html`<div class="v-range" style=${pixels(range)}></div>`}
          </div>
        </div>
      </div>
    </div>
    ${!cache.block(0) && !cache.failure(0) && html`<div class="v-sheet-loading"><${Loading} /></div>`}
    ${cache.failures.size > 0 && html`<div class="v-strip" role="alert">
      ${icon("warning")}<span>${words("row_failed")} ${errorText([...cache.failures.values()][0].error)}</span>
      <button type="button" class="btn v-btn" onClick=${() => (cache.again(), repaint(undefined))}>
        ${words("retry")}</button>
    </div>`}
  </div>`;
}

/** Returns a rectangle as CSS. @param {{left: number, top: number, width: number, height: number}} box */
function pixels(box) {
  return { left: `${box.left}px`, top: `${box.top}px`, width: `${box.width}px`, height: `${box.height}px` };
}

/** Returns the identifier of the element of a cell. @param {string} id @param {number} row @param {number} column */
function cellId(id, row, column) {
  return `${id}-${row}-${column}`;
}

/** Builds the element of a row: its number, the cells that stay in place, and the cells in view. */
function paintRow(row, block, active, failure, look, isPartOfHead) {
  const { frozen, gutter, frozenWidth, base, edges } = look;
  const top = isPartOfHead ? HEAD_HEIGHT + row * ROW_HEIGHT : (row - base) * ROW_HEIGHT;
  const cells = block ? block.rows[row - block.from] ?? [] : undefined;
  const styles = block?.styles ?? {};
  const isTall = look.merges.of(row).some((merge) => merge[0] === row && merge[2] > row);
  let still;
  let moving;
  if (cells) {
    still = frozen.columns > 0 ? paintCells(row, cells, styles, 0, frozen.columns - 1, active, look, 0) : null;
    moving = paintCells(row, cells, styles, look.firstColumn, look.lastColumn, active, look, frozenWidth);
  } else if (!failure) {
    const left = edges[look.firstColumn] - frozenWidth + 8;
    moving = html`<span class="v-ghost" style=${{ left: `${left}px`, width: `${90 + ((row * 37) % 130)}px` }}></span>`;
  }
  return html`<div key=${`${isPartOfHead ? "f" : ""}${row % POOL}`} role="row" aria-rowindex=${row + 2}
    aria-busy=${cells || failure ? undefined : "true"} class=${`v-row${row === 0 && look.sheet.header ? " v-header"
      : ""}${isTall ? " v-tall" : ""}`}
    style=${{ top: `${top}px` }}>
    <div role="rowheader" aria-colindex="1" class="v-rowname" style=${{ width: `${gutter}px` }}>${row + 1}</div>
    <div class="v-frozen" role="presentation" style=${{ left: `${gutter}px`, width: `${frozenWidth}px` }}>${still}</div>
    <div class="v-clip" role="presentation" style=${{ left: `${gutter + frozenWidth}px` }}>
      <div class="v-move" role="presentation">${moving}</div>
    </div>
  </div>`;
}

/** Builds the elements of cells that are not empty. */
function paintCells(row, cells, styles, from, to, active, look, left) {
  const { edges, merges, frozen } = look;
  const nodes = [];
  let start = from;
  if (from > frozen.columns) {
    // A long text or a merged area can begin to the left of the view.
    const least = Math.max(frozen.columns, from - OVERFLOW_COLUMNS);
    for (let column = from - 1; column >= least; column--) {
      if (cells[column] !== null && cells[column] !== undefined) {
        start = column;
        break;
      }
    }
    for (const merge of merges.of(row)) if (merge[1] >= frozen.columns && merge[1] < start
      && merge[3] >= from) start = merge[1];
  }
  for (let column = start; column <= to; column++) {
    const cell = cells[column];
    const isActive = column === active;
    const merge = merges.at(row, column);
    if (merge && (merge[0] !== row || merge[1] !== column)) {
      if (isActive) nodes.push(paintEmpty(row, column, look, left));
      continue;
    }
    const isEmpty = cell === null || cell === undefined;
    if (isEmpty && !merge) {
      if (isActive) nodes.push(paintEmpty(row, column, look, left));
      continue;
    }
    const text = safeText(cellText(cell)).slice(0, MAX_CELL_CHARACTERS).replace(/\s*\n\s*/g, " ⏎ ");
    const { css, align, kind } = cellLook(isEmpty ? "" : cell, styles, look.isDark);
    let end = column;
    let height = ROW_HEIGHT;
    let names = `v-cell v-${align} v-k-${/^[ntbde]$/.test(kind) ? kind : "t"}`;
    if (merge) {
      end = Math.min(merge[3], edges.length - 2);
      height = (merge[2] - merge[0] + 1) * ROW_HEIGHT;
      names += " v-merged";
    } else if (align === "left" && kind === "t" && text.length * 6 > edges[column + 1] - edges[column]) {
      // A text runs on over empty cells, as in a spreadsheet.
      const most = Math.min(edges.length - 2, column + OVERFLOW_COLUMNS, column < frozen.columns ? frozen.columns - 1
        : Infinity);
      while (end < most && isFree(cells[end + 1]) && !merges.at(row, end + 1)
        && edges[end + 1] - edges[column] < text.length * 15) end++;
      if (end > column) names += " v-over";
      if (end < from) continue;
    } else if (column < from) {
      continue;
    }
    css.left = `${edges[column] - left}px`;
    css.width = `${edges[end + 1] - edges[column]}px`;
    if (height !== ROW_HEIGHT) {
      css.height = `${height - 1}px`;
      css.lineHeight = `${height - 1}px`;
    }
    nodes.push(html`<div key=${column} id=${cellId(look.id, row, column)} role="gridcell" aria-colindex=${column + 2}
      class=${names}
      aria-colspan=${merge && merge[3] > merge[1] ? merge[3] - merge[1] + 1 : undefined}
      aria-rowspan=${merge && merge[2] > merge[0] ? merge[2] - merge[0] + 1 : undefined}
      aria-selected=${isActive ? "true" : undefined} style=${css}>${text}</div>`);
  }
  return nodes;
}

/** Returns `true` if a text may cover the cell. @param {any} cell */
function isFree(cell) {
  return cell === null || cell === undefined || cell === "";
}

/** Builds the element of the active cell where it is empty, because a screen reader needs one. */
function paintEmpty(row, column, look, left) {
  const { edges } = look;
  return html`<div key=${column} id=${cellId(look.id, row, column)} role="gridcell" aria-colindex=${column + 2}
    aria-selected="true" aria-label=${words("cell_empty")} class="v-cell v-left"
    style=${{ left: `${edges[column] - left}px`, width: `${edges[column + 1] - edges[column]}px` }}></div>`;
}

/** Shows the address, the formula and the whole value of the selected cell. */
function DetailBar({ sheet, cell, isLoaded, selection, merge, note, onCopy, onGo }) {
  const here = cellName(selection.row, selection.column);
  const isRange = selection.row !== selection.toRow || selection.column !== selection.toColumn;
  const isMerge = merge && merge[0] === selection.row && merge[1] === selection.column
    && merge[2] === selection.toRow && merge[3] === selection.toColumn;
  const [typed, setTyped] = useState(/** @type {string | null} */ (null));
  const [isWrong, setWrong] = useState(false);
  useEffect(() => (setTyped(null), setWrong(false)), [here]);
  const isValue = cell !== null && typeof cell === "object";
  const text = safeText(cellText(cell));
  // 1,096.50 is 1096.5, which needs no second mention.
  const isSame = isValue && (String(cell.v) === cellText(cell) || Number(cellText(cell).replace(/,/g, "")
    || NaN) === cell.v);
  const raw = isValue && cell.v !== undefined && cell.v !== null && !isSame ? String(cell.v) : "";
  const count = (Math.abs(selection.toRow - selection.row) + 1) * (Math.abs(selection.toColumn - selection.column) + 1);
  const range = `${cellName(Math.min(selection.row, selection.toRow), Math.min(selection.column,
    selection.toColumn))}:${
    cellName(Math.max(selection.row, selection.toRow), Math.max(selection.column, selection.toColumn))}`;
  const go = (event) => {
    if (event.key === "Escape") return setTyped(null);
    if (event.key !== "Enter") return undefined;
    event.preventDefault();
    const place = parseCell(event.target.value);
    if (!place || place.row >= sheet.rows || place.column >= sheet.columns) return setWrong(true);
    setTyped(null);
    return onGo(place);
  };
  return html`<div class="v-detail">
    <input class="v-name-box" aria-label=${words("cell_address")} aria-invalid=${isWrong ? "true" : undefined}
      spellcheck=${false}
      autocomplete="off" size="7" value=${typed ?? here}
        onInput=${(event) => (setTyped(event.target.value), setWrong(false))}
      onFocus=${(event) => event.target.select()} onBlur=${() => setTyped(null)} onKeyDown=${go} />
    <div class="v-value" role="group" aria-label=${words("cell_value")} tabindex="0">
      ${isWrong ? html`<span class="v-wrong"
        role="alert">${words("no_such_cell", { name: safeText(typed ?? "") })}</span>`
        : !isLoaded ? html`<span class="v-muted">${words("loading")}</span>`
        : html`${isValue && cell.f && html`<span class="v-formula" title=${words("formula")}>
          ${safeText(cell.f)}</span>`}
          <span class="v-whole" dir="auto">${text}</span>
          ${raw && html`<span class="v-muted">${words("stored_value", { value: safeText(raw) })}</span>`}
          ${isMerge && html`<span class="v-muted">${range} ${words("merged")}</span>`}`}
    </div>
    <span class="v-note" role="status">${note || (isRange && !isMerge
      ? words("selected", { range, n: formatNumber(count) }) : "")}</span>
    <button type="button" class="v-icon-btn" title=${words("copy")} aria-label=${words("copy")}
      onClick=${onCopy}>${icon("copy")}</button>
  </div>`;
}

export { Sheet };
