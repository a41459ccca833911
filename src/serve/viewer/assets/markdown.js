// Shows Markdown that a model or a reader of documents wrote. The text is hostile: it becomes virtual nodes of a
// fixed set of elements, never markup.
//
// It is a subset of CommonMark with the tables, task lists and strikethrough of GitHub. Raw HTML and pictures stay
// text. All steps take time that is linear in the length of the text: nesting is bounded, and no search runs over the
// same characters again.

import { html, useEffect, useRef } from "./ui.js";
import { hiddenCharacters } from "./characters.js";

/** Most levels of quotes and lists in each other. What is nested deeper is shown as text. */
const MAX_DEPTH = 16;
/** Most characters of a link's address. A longer one is shown as text. */
const MAX_ADDRESS = 2048;

/**
 * @typedef {object} Block a block of a text
 * @property {"heading"|"paragraph"|"code"|"quote"|"list"|"table"|"rule"} type
 * @property {number} [start] offset of its first character (outermost blocks only)
 * @property {number} [level] of a heading, from 1
 * @property {string} [text] of a heading, a paragraph or code
 * @property {string} [language] of code
 * @property {string[]} [lines] of a quote, without their marks
 * @property {boolean} [ordered] of a list
 * @property {number} [first] number of an ordered list's first item
 * @property {boolean} [loose] `true` if the items of a list are set apart
 * @property {{lines: string[], task: boolean|null}[]} [items] of a list
 * @property {(string|null)[]} [align] of a table's columns
 * @property {string[]} [header] of a table
 * @property {string[][]} [rows] of a table
 *
 * @typedef {{type: string, text?: string, address?: string, children?: Inline[]}} Inline a piece of a line
 *
 * @typedef {object} Context what rendering depends on, beside the text
 * @property {boolean} numbers `true` if numbers can be chosen
 * @property {((address: string) => boolean)|null} isReference
 * @property {number} headingOffset
 * @property {{image: string, copy?: string}} words
 * @property {Map<string, any>} used nodes of this rendering, by their source
 * @property {Map<string, any>} kept nodes of the rendering before
 */

// ---- Characters that cannot be seen ----

/**
 * Returns the text with a visible mark, such as `U+202E`, in place of each character that hides or turns text.
 * @param {string} text
 * @returns {any} text, or a list of text and virtual nodes
 */
export function visibleText(text) {
  const hidden = hiddenCharacters(text);
  if (hidden.length === 0) return text;
  const parts = [];
  let last = 0;
  for (const { index, length, code } of hidden) {
    if (index > last) parts.push(text.slice(last, index));
    parts.push(html`<span class="v-hidden-character">${code}</span>`);
    last = index + length;
  }
  parts.push(text.slice(last));
  return parts;
}

// ---- Blocks ----

const HEADING = /^ {0,3}(#{1,6})(?=[ \t]|$)/;
const RULE = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const FENCE = /^( {0,3})(`{3,}|~{3,})(.*)$/;
const QUOTE = /^ {0,3}>/;
const MARKER = /^([ \t]*)([-+*]|\d{1,9}[.)])(?:([ \t]+)(.*))?$/;
const UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/;
const DELIMITER_ROW = /^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
const TASK = /^\[([ xX])\][ \t]+/;

function isBlank(line) {
  return !/\S/.test(line);
}

/** Returns the width of the white space at the beginning of a line, in columns. */
function indentOf(line) {
  let width = 0;
  for (let index = 0; index < line.length; index++) {
    const code = line.charCodeAt(index);
    if (code === 32) width += 1;
    else if (code === 9) width += 4 - (width % 4);
    else break;
  }
  return width;
}

/** Returns a line without up to `columns` columns of white space at its beginning. */
function outdent(line, columns) {
  let width = 0;
  let index = 0;
  while (index < line.length && width < columns) {
    const code = line.charCodeAt(index);
    if (code === 32) width += 1;
    else if (code === 9) width += 4 - (width % 4);
    else break;
    index += 1;
  }
  return " ".repeat(Math.max(0, width - columns)) + line.slice(index);
}

/** Returns the marker at the beginning of a line, if the line begins an item of a list. */
function markerOf(line) {
  const match = MARKER.exec(line);
  if (!match || RULE.test(line)) return null;
  const [, , mark, space = "", rest = ""] = match;
  const indent = indentOf(line);
  const wide = indentOf(space);
  const width = indent + mark.length + (isBlank(rest) || wide > 4 ? 1 : wide);
  const isOrdered = mark.length > 1;
  const content = wide > 4 ? " ".repeat(wide - 1) + rest : rest;
  return { indent, width, rest: content, kind: isOrdered ? mark[mark.length - 1] : mark, isOrdered, number: isOrdered
    ? parseInt(mark, 10) : 0 };
}

/** Returns `true` if a line ends the paragraph before it. */
function interrupts(line) {
  const first = line.trimStart()[0];
  if (first === undefined) return true;
  if (first === "#") return HEADING.test(line);
  if (first === ">") return QUOTE.test(line);
  if (first === "`" || first === "~") return fenceOf(line) !== null;
  if (!/[-+*_0-9]/.test(first) || indentOf(line) > 3) return false;
  if (RULE.test(line)) return true;
  const marker = markerOf(line);
  return marker !== null && !isBlank(marker.rest) && (!marker.isOrdered || marker.number === 1);
}

function fenceOf(line) {
  const match = FENCE.exec(line);
  if (!match || (match[2][0] === "`" && match[3].includes("`"))) return null;
  return { indent: match[1].length, mark: match[2], info: match[3].trim() };
}

/** Returns the text of a heading without the `#` that may close it. */
function headingText(text) {
  let end = text.length;
  while (end > 0 && text[end - 1] === "#") end -= 1;
  return end === 0 ? "" : end < text.length && /[ \t]/.test(text[end - 1]) ? text.slice(0, end).trimEnd() : text;
}

function closesFence(line, mark) {
  const text = line.trim();
  return text.length >= mark.length && indentOf(line) < 4 && text[0] === mark[0]
    && text === mark[0].repeat(text.length);
}

/** Returns the cells of a row of a table. A pipe after a backslash is part of its cell. */
function cellsOf(line) {
  const cells = [];
  let cell = "";
  const text = line.trim();
  let index = text[0] === "|" ? 1 : 0;
  let last = index;
  for (; index < text.length; index++) {
    const character = text[index];
    if (character === "\\" && text[index + 1] === "|") {
      cell += text.slice(last, index);
      last = index + 1;
      index += 1;
    } else if (character === "|") {
      cells.push((cell + text.slice(last, index)).trim());
      cell = "";
      last = index + 1;
    }
  }
  cell += text.slice(last);
  if (cell.trim() !== "" || text[text.length - 1] !== "|" || cells.length === 0) cells.push(cell.trim());
  return cells;
}

/**
 * Returns the blocks of lines. Quotes and items hold the lines of their contents, which a further call takes.
 * @param {string[]} lines
 * @param {number} [depth] number of enclosing quotes and lists
 * @returns {(Block & {line: number})[]} with the index of their first line
 */
export function parseBlocks(lines, depth = 0) {
  /** @type {(Block & {line: number})[]} */
  const blocks = [];
  let index = 0;
  while (index < lines.length) {
    const line = lines[index];
    if (isBlank(line)) {
      index += 1;
      continue;
    }
    const begin = index;
    /** @param {Block} block */
    const add = (block) => blocks.push({ ...block, line: begin });

    if (indentOf(line) > 3) {
      const text = [];
      while (index < lines.length && (isBlank(lines[index]) || indentOf(lines[index]) > 3)) {
        text.push(outdent(lines[index], 4));
        index += 1;
      }
      add({ type: "code", language: "", text: text.join("\n").trimEnd() });
      continue;
    }

    const fence = fenceOf(line);
    if (fence) {
      const text = [];
      index += 1;
      while (index < lines.length && !closesFence(lines[index], fence.mark)) {
        text.push(outdent(lines[index], fence.indent));
        index += 1;
      }
      index += 1;
      add({ type: "code", language: fence.info.split(/\s/, 1)[0], text: text.join("\n") });
      continue;
    }

    const heading = line.trimStart()[0] === "#" ? HEADING.exec(line) : null;
    if (heading) {
      index += 1;
      add({ type: "heading", level: heading[1].length, text: headingText(line.slice(heading[0].length).trim()) });
      continue;
    }

    if (RULE.test(line)) {
      index += 1;
      add({ type: "rule" });
      continue;
    }

    if (depth < MAX_DEPTH && QUOTE.test(line)) {
      const inner = [];
      while (index < lines.length) {
        const text = lines[index];
        if (QUOTE.test(text)) inner.push(text.slice(text.indexOf(">") + 1).replace(/^[ \t]/, ""));
        else if (inner.length && !isBlank(inner[inner.length - 1]) && !interrupts(text)) inner.push(text);
        else break;
        index += 1;
      }
      add({ type: "quote", lines: inner });
      continue;
    }

    const marker = depth < MAX_DEPTH ? markerOf(line) : null;
    if (marker) {
      const list = readList(lines, index, marker);
      index = list.next;
      add(list.block);
      continue;
    }

    // A paragraph, which a line of `=` or `-` turns into a heading, and a row of dashes and pipes into a table.
    const text = [line];
    index += 1;
    let done = false;
    while (index < lines.length && !done) {
      const next = lines[index];
      const underline = UNDERLINE.exec(next);
      if (underline && !(next.includes("-") && text[text.length - 1].includes("|")
        && cellsOf(text[text.length - 1]).length === 1)) {
        index += 1;
        add({ type: "heading", level: underline[1][0] === "=" ? 1 : 2, text: text.join("\n").trim() });
        done = true;
      } else if (next.includes("-") && DELIMITER_ROW.test(next) && text[text.length - 1].includes("|")) {
        const header = cellsOf(text[text.length - 1]);
        const marks = cellsOf(next);
        if (header.length !== marks.length) {
          text.push(next);
          index += 1;
          continue;
        }
        text.pop();
        if (text.length) add({ type: "paragraph", text: text.join("\n") });
        const align = marks.map((mark) =>
          mark.endsWith(":") ? (mark.startsWith(":") ? "center" : "right") : mark.startsWith(":") ? "left" : null);
        const rows = [];
        index += 1;
        while (index < lines.length && !isBlank(lines[index]) && !interrupts(lines[index])) {
          rows.push(cellsOf(lines[index]).slice(0, header.length));
          index += 1;
        }
        add({ type: "table", align, header, rows });
        done = true;
      } else if (isBlank(next) || interrupts(next)) {
        break;
      } else {
        text.push(next);
        index += 1;
      }
    }
    if (!done) add({ type: "paragraph", text: text.join("\n") });
  }
  return blocks;
}

/** Reads a list, whose first line is at `index`. */
function readList(lines, index, first) {
  const items = [];
  let loose = false;
  let marker = first;
  /** @type {string[]} */
  let item = [];
  let fence = null;
  let isAfterBlank = false;
  const push = (line) => {
    const open = fenceOf(line.trimStart());
    if (fence === null && open) fence = open.mark;
    else if (fence !== null && closesFence(line.trimStart(), fence)) fence = null;
    item.push(line);
  };
  const finish = () => {
    while (item.length && isBlank(item[item.length - 1])) item.pop();
    const task = TASK.exec(item[0] ?? "");
    if (task) item[0] = item[0].slice(task[0].length);
    items.push({ lines: item, task: task ? task[1] !== " " : null });
  };
  push(marker.rest);
  index += 1;
  for (; index < lines.length; index++) {
    const line = lines[index];
    if (isBlank(line)) {
      item.push("");
      isAfterBlank = true;
      continue;
    }
    const indent = indentOf(line);
    if (indent >= marker.width) {
      if (isAfterBlank && indent < marker.width + 2 && !markerOf(line)) loose = true;
      push(outdent(line, marker.width));
    } else {
      const next = markerOf(line);
      // Models often indent a nested list by two columns, whatever the width of the marker above it.
      if (next && next.indent >= first.indent + 2) push(outdent(line, Math.min(next.indent, marker.width)));
      else if (next && next.kind === first.kind && fence === null) {
        if (isAfterBlank) loose = true;
        finish();
        item = [];
        marker = next;
        push(next.rest);
      } else if (!isAfterBlank && fence === null && !interrupts(line) && !next) push(line.trimStart());
      else break;
    }
    isAfterBlank = false;
  }
  finish();
  return { block: /** @type {Block} */ ({ type: "list", ordered: first.isOrdered, first: first.number, loose, items }),
    next: index };
}

/**
 * Returns the outermost blocks of a text, each with its offset. If `previous` are those of a text with which this one
 * begins,
 * only the last two of them are read again: a further line can change these, and none before.
 * @param {string} text
 * @param {{text: string, blocks: Block[]}|null} [previous]
 * @returns {{text: string, blocks: Block[]}}
 */
export function parseMarkdown(text, previous = null) {
  let kept = [];
  let begin = 0;
  if (previous && previous.blocks.length > 2 && text.length >= previous.text.length && text.startsWith(previous.text)) {
    kept = previous.blocks.slice(0, -2);
    begin = previous.blocks[previous.blocks.length - 2].start ?? 0;
  }
  const lines = text.slice(begin).split("\n");
  const starts = [begin];
  for (let index = 0; index < lines.length; index++) {
    starts.push(starts[index] + lines[index].length + 1);
    if (lines[index].endsWith("\r")) lines[index] = lines[index].slice(0, -1);
  }
  const blocks = parseBlocks(lines).map(({ line, ...block }) => ({ ...block, start: starts[line] }));
  return { text, blocks: kept.concat(blocks) };
}

// ---- Pieces of a line ----

const ENTITIES = {
  amp: "&", lt: "<", gt: ">", quot: "\"", apos: "'", nbsp: "\u00a0", copy: "©", reg: "®", trade: "™", hellip: "…",
    mdash: "—", ndash: "–",
  lsquo: "‘", rsquo: "’", ldquo: "“", rdquo: "”", laquo: "«", raquo: "»", bull: "•", middot: "·", times: "×",
    divide: "÷", plusmn: "±",
  deg: "°", euro: "€", pound: "£", yen: "¥", cent: "¢", sect: "§", para: "¶", larr: "←", rarr: "→", uarr: "↑",
    darr: "↓", le: "≤", ge: "≥",
  ne: "≠", asymp: "≈", infin: "∞", permil: "‰", frac12: "½", frac14: "¼", frac34: "¾", sup2: "²", sup3: "³", micro: "µ",
    check: "✓",
};
const PLAIN = /[^\\`*_~[\]!<&:\n]+/y;
const ENTITY = /&(?:#[xX]([0-9a-fA-F]{1,6})|#([0-9]{1,7})|([A-Za-z][A-Za-z0-9]{1,15}));/y;
const AUTOLINK = /<((?:https?:\/\/|mailto:)[^\s<>]*)>/y;
const BARE_ADDRESS = /:\/\/[A-Za-z0-9][A-Za-z0-9\-._~:/?#@!$&'()+,;=%]*/y;
const LINE_BREAK = /<br ?\/?>/iy;
const PUNCTUATION = /[\p{P}\p{S}]/u;
const CJK = /[\u2e80-\u303f\u3040-\u30ff\u3100-\u312f\u3131-\u318e\u31a0-\u9fff\uac00-\ud7af\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\ud840-\ud887]/;

function isSpace(character) {
  return character === "" || /\s/.test(character);
}

/** Returns the characters of a replaced entity; `null` if it is none. */
function entityText(match) {
  if (match[3]) return Object.hasOwn(ENTITIES, match[3]) ? ENTITIES[match[3]] : null;
  const code = match[1] ? parseInt(match[1], 16) : parseInt(match[2], 10);
  if (code === 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return "\ufffd";
  return String.fromCodePoint(code);
}

/**
 * Reads `(address "title")` at an offset.
 * @returns {{address: string, end: number}|null}
 */
function targetAt(text, index) {
  const end = Math.min(text.length, index + MAX_ADDRESS);
  const skip = () => {
    while (index < end && isSpace(text[index])) index += 1;
  };
  if (text[index] !== "(") return null;
  index += 1;
  skip();
  let address = "";
  if (text[index] === "<") {
    const begin = index + 1;
    index += 1;
    while (index < end && text[index] !== ">" && text[index] !== "<" && text[index] !== "\n") index += 1;
    if (text[index] !== ">") return null;
    address = text.slice(begin, index);
    index += 1;
  } else {
    const begin = index;
    let depth = 0;
    for (; index < end; index++) {
      const character = text[index];
      if (character === "\\" && index + 1 < end) index += 1;
      else if (character === "(") {
        depth += 1;
        if (depth > 32) return null;
      } else if (character === ")") {
        if (depth === 0) break;
        depth -= 1;
      } else if (isSpace(character)) break;
    }
    address = text.slice(begin, index);
  }
  skip();
  const quote = text[index];
  if (quote === "\"" || quote === "'") {
    index += 1;
    while (index < end && text[index] !== quote) index += text[index] === "\\" ? 2 : 1;
    index += 1;
    skip();
  }
  if (index >= end || text[index] !== ")") return null;
  return { address: unescapeText(address), end: index + 1 };
}

function unescapeText(text) {
  if (!/[\\&]/.test(text)) return text;
  return text.replace(/\\([!-/:-@[-`{-~])|&(?:#[xX]([0-9a-fA-F]{1,6})|#([0-9]{1,7})|([A-Za-z][A-Za-z0-9]{1,15}));/g,
    (whole, escaped, hex, decimal, name) => escaped ?? entityText([whole, hex, decimal, name]) ?? whole);
}

/** Decides which runs of `*`, `_` and `~` emphasize: sets `opens` and `closes` of them. */
function matchDelimiters(delimiters) {
  const stack = [];
  const bottoms = new Map();
  for (const closer of delimiters) {
    while (closer.canClose && closer.left > 0) {
      const key = closer.mark + (closer.canOpen ? "o" : "") + (closer.count % 3) + (closer.mark === "~" ? closer.count
        : "");
      const bottom = bottoms.get(key) ?? -1;
      let found = -1;
      for (let index = stack.length - 1; index >= 0 && stack[index].number > bottom; index--) {
        const opener = stack[index];
        if (opener.mark !== closer.mark) continue;
        if (closer.mark === "~" ? opener.count !== closer.count
          : (opener.canClose || closer.canOpen) && (opener.count + closer.count) % 3 === 0 && (opener.count % 3 !== 0
            || closer.count % 3 !== 0)) continue;
        found = index;
        break;
      }
      if (found < 0) {
        bottoms.set(key, stack.length ? stack[stack.length - 1].number : -1);
        break;
      }
      stack.length = found + 1;
      const opener = stack[found];
      const isDouble = closer.mark === "~" || (opener.left > 1 && closer.left > 1);
      const width = closer.mark === "~" ? closer.count : isDouble ? 2 : 1;
      const type = closer.mark === "~" ? "deleted" : isDouble ? "strong" : "emphasis";
      opener.opens.push(type);
      closer.closes.push(type);
      opener.left -= width;
      closer.left -= width;
      if (opener.left === 0) stack.pop();
    }
    if (closer.canOpen && closer.left > 0) stack.push(closer);
  }
  return stack;
}

/**
 * Returns the pieces of a paragraph's text.
 * @param {string} text
 * @param {{isOpen?: boolean, breaks?: boolean}} [how] `isOpen`: the text is still arriving, so what is not closed is
 *   shown as if it were;
 * `breaks`: `<br>` breaks the line, for cells of tables, which have no other way to say it
 * @returns {Inline[]}
 */
export function parseInline(text, how = {}) {
  const tokens = [];
  let delimiters = [];
  const brackets = [];
  let inactive = 0;
  let plain = "";
  let ticks = null;
  const flush = () => {
    if (plain !== "") tokens.push({ type: "text", text: plain });
    plain = "";
  };
  const push = (token) => {
    flush();
    tokens.push(token);
    return token;
  };
  let index = 0;
  while (index < text.length) {
    PLAIN.lastIndex = index;
    const run = PLAIN.exec(text);
    if (run) {
      plain += run[0];
      index += run[0].length;
      continue;
    }
    const character = text[index];
    if (character === "\\") {
      const next = text[index + 1];
      if (next === "\n") {
        push({ type: "break" });
        index += 2;
      } else if (next !== undefined && /[!-/:-@[-`{-~]/.test(next)) {
        plain += next;
        index += 2;
      } else {
        plain += character;
        index += 1;
      }
    } else if (character === "`") {
      // The ends of all runs of backticks are found once, by their lengths.
      ticks ??= tickRuns(text);
      let length = 1;
      while (text[index + length] === "`") length += 1;
      const ends = ticks.get(length) ?? [];
      while (ends.length && ends[ends.length - 1] <= index) ends.pop();
      if (ends.length) {
        const end = ends[ends.length - 1];
        push({ type: "code", text: codeText(text.slice(index + length, end)) });
        index = end + length;
      } else if (how.isOpen && length < 3) {
        push({ type: "code", text: codeText(text.slice(index + length)) });
        index = text.length;
      } else {
        plain += "`".repeat(length);
        index += length;
      }
    } else if (character === "*" || character === "_" || character === "~") {
      let length = 1;
      while (text[index + length] === character) length += 1;
      const end = index + length;
      const before = plain !== "" ? plain[plain.length - 1] : index > 0 ? text[index - 1] : "";
      const after = end < text.length ? String.fromCodePoint(text.codePointAt(end) ?? 32) : "";
      const spaceBefore = isSpace(before);
      const spaceAfter = isSpace(after);
      const markBefore = PUNCTUATION.test(before);
      const markAfter = PUNCTUATION.test(after);
      // CommonMark wants white space around emphasis that begins or ends with punctuation. Chinese, Japanese and
      // Korean have none.
      const left = !spaceAfter && (!markAfter || spaceBefore || markBefore || CJK.test(before));
      const right = !spaceBefore && (!markBefore || spaceAfter || markAfter || CJK.test(after));
      if (character === "~" && length > 2) plain += text.slice(index, end);
      else {
        delimiters.push(push({
          type: "delimiter", mark: character, count: length, left: length, opens: [], closes: [],
            number: delimiters.length,
          canOpen: character === "_" ? left && (!right || markBefore) : left,
          canClose: character === "_" ? right && (!left || markAfter) : right,
        }));
      }
      index = end;
    } else if (character === "[" || (character === "!" && text[index + 1] === "[")) {
      const isImage = character === "!";
      const token = push({ type: "text", text: isImage ? "![" : "[" });
      brackets.push({ token, isImage, begin: index + (isImage ? 2 : 1), delimiters: delimiters.length });
      index += isImage ? 2 : 1;
    } else if (character === "]") {
      const opener = brackets.pop();
      const isActive = opener && (opener.isImage || brackets.length >= inactive);
      const target = isActive ? targetAt(text, index + 1) : null;
      inactive = Math.min(inactive, brackets.length);
      if (opener && target) {
        if (opener.isImage) {
          opener.token.type = "image-open";
          push({ type: "image-close", address: target.address });
        } else {
          const inner = delimiters.splice(opener.delimiters);
          matchDelimiters(inner);
          opener.token.type = "link-open";
          push({ type: "link-close", address: target.address });
          inactive = brackets.length;
        }
        opener.token.address = target.address;
        index = target.end;
      } else {
        plain += "]";
        index += 1;
      }
    } else if (character === "<") {
      AUTOLINK.lastIndex = index;
      LINE_BREAK.lastIndex = index;
      const match = AUTOLINK.exec(text);
      const lineBreak = match || !how.breaks ? null : LINE_BREAK.exec(text);
      if (match) push({ type: "link", address: match[1], children: [{ type: "text", text: match[1] }] });
      else if (lineBreak) push({ type: "break" });
      else plain += "<";
      index += match ? match[0].length : lineBreak ? lineBreak[0].length : 1;
    } else if (character === "&") {
      ENTITY.lastIndex = index;
      const match = ENTITY.exec(text);
      const value = match ? entityText(match) : null;
      plain += value ?? "&";
      index += match && value !== null ? match[0].length : 1;
    } else if (character === ":") {
      BARE_ADDRESS.lastIndex = index;
      const scheme = /(?:^|[^A-Za-z0-9])(https?)$/i.exec(plain.slice(-6));
      const match = scheme ? BARE_ADDRESS.exec(text) : null;
      if (scheme && match) {
        const rest = trimAddress(match[0]);
        plain = plain.slice(0, plain.length - scheme[1].length);
        push({ type: "link", address: scheme[1] + rest, children: [{ type: "text", text: scheme[1] + rest }] });
        index += rest.length;
      } else {
        plain += ":";
        index += 1;
      }
    } else if (character === "\n") {
      const spaces = / +$/.exec(plain.slice(-64));
      if (spaces) plain = plain.slice(0, plain.length - spaces[0].length);
      if (spaces && spaces[0].length > 1) push({ type: "break" });
      else plain += "\n";
      index += 1;
      while (text[index] === " " || text[index] === "\t") index += 1;
    } else {
      plain += character;
      index += 1;
    }
  }
  flush();
  const open = matchDelimiters(delimiters);
  if (how.isOpen) {
    // Emphasis whose end has not arrived yet is shown as emphasis, and a mark at the very end not at all.
    const last = tokens[tokens.length - 1];
    for (const token of open) {
      if (token.left === 2 && token.mark === "*") {
        token.left = 0;
        if (token !== last) token.opens.unshift("strong");
      }
    }
    if (last && last.type === "delimiter" && last.left > 0 && last.mark === "*" && last.count <= 2) last.left = 0;
  }
  return treeOf(tokens);
}

function tickRuns(text) {
  const runs = new Map();
  for (const match of text.matchAll(/`+/g)) {
    const list = runs.get(match[0].length) ?? [];
    list.push(match.index);
    runs.set(match[0].length, list);
  }
  for (const list of runs.values()) list.reverse();
  return runs;
}

function codeText(text) {
  const line = text.replace(/\n/g, " ");
  return line.length > 2 && line[0] === " " && line[line.length - 1] === " " && /[^ ]/.test(line) ? line.slice(1, -1)
    : line;
}

/** Returns an address that was found in running text without the punctuation of the sentence at its end. */
function trimAddress(address) {
  let opened = 0;
  let closed = 0;
  for (const character of address) {
    if (character === "(") opened += 1;
    if (character === ")") closed += 1;
  }
  let end = address.length;
  while (end > 4) {
    const last = address[end - 1];
    if (last === ")" && closed > opened) closed -= 1;
    else if (!".,;:!?'_~&".includes(last)) break;
    end -= 1;
  }
  return address.slice(0, end);
}

/** Most levels of emphasis and links: nodes are made and drawn recursively. Deeper marks change nothing. */
const MAX_INLINE_DEPTH = 100;

function treeOf(tokens) {
  /** @type {Inline} */
  const root = { type: "root", children: [] };
  const stack = [root];
  const top = () => stack[stack.length - 1];
  const text = (value) => {
    const children = top().children;
    const last = children[children.length - 1];
    if (last && last.type === "text") last.text += value;
    else children.push({ type: "text", text: value });
  };
  const unopened = new Map();
  const open = (type, more = {}) => {
    if (stack.length > MAX_INLINE_DEPTH) {
      unopened.set(type, (unopened.get(type) ?? 0) + 1);
      return;
    }
    const node = { type, children: [], ...more };
    top().children.push(node);
    stack.push(node);
  };
  const close = (type) => {
    const skipped = unopened.get(type) ?? 0;
    if (skipped > 0) {
      unopened.set(type, skipped - 1);
      return;
    }
    let index = stack.length - 1;
    while (index > 0 && stack[index].type !== type) index -= 1;
    if (index > 0) stack.length = index;
  };
  for (const token of tokens) {
    if (token.type === "text") text(token.text);
    else if (token.type === "delimiter") {
      for (const type of token.closes) close(type);
      if (token.left > 0) text(token.mark.repeat(token.left));
      for (let index = token.opens.length - 1; index >= 0; index--) open(token.opens[index]);
    } else if (token.type === "link-open"
      || token.type === "image-open") open(token.type.slice(0, -5), { address: token.address });
    else if (token.type === "link-close" || token.type === "image-close") close(token.type.slice(0, -6));
    else top().children.push(token);
  }
  return root.children;
}

/** Returns the characters of pieces, without their marks. */
function textOf(nodes) {
  let text = "";
  for (const node of nodes) text += node.type === "break" ? "\n" : (node.text ?? (node.children ? textOf(node.children)
    : ""));
  return text;
}

// ---- Numbers ----

const NUMBER =
  /[-−+±]?(?:US\$|[¥￥$€£])?\d+(?:,\d{3})*(?:\.\d+)?(?:[ \u00a0]?(?:%|％|‰)|(?:万亿|百万|千万|亿|万|千)|[ \u00a0](?:million|billion|trillion|thousand)\b|(?:bn|mn|[kKM])(?![A-Za-z]))?/g;

/**
 * Returns where numbers are that a person may want to trace. Years, dates, times, versions and numbers in names are
 * none.
 * @param {string} text
 * @param {boolean} [all] `true` to keep single digits too, as in cells of tables
 * @returns {{start: number, end: number}[]}
 */
export function findNumbers(text, all = false) {
  const found = [];
  if (!/\d/.test(text)) return found;
  for (const match of text.matchAll(NUMBER)) {
    let start = match.index ?? 0;
    let value = match[0];
    const end = start + value.length;
    let before = start > 0 ? text[start - 1] : "";
    if (/[-−+±]/.test(value[0]) && before !== "" && !/[\s(（“"'：:，,、|~=]/.test(before)) {
      if (/[\p{Script=Han}]/u.test(before) === false) continue;
      before = value[0];
      value = value.slice(1);
      start += 1;
    }
    const after = text.slice(end, end + 2);
    if (/[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\d_#@/\\第]/u.test(before)) continue;
    if (/[.,:\-–]/.test(before) && /\d/.test(text[start - 2] ?? "")) continue;
    if (/^(?:[A-Za-z_\d]|[.:/\-–]\d|[年月日号时分秒点季周章节页])/.test(after)) continue;
    if (/^\d{4}$/.test(value) && Number(value) >= 1900 && Number(value) <= 2100) continue;
    if (!all && /^\d$/.test(value)) continue;
    found.push({ start, end });
  }
  return found;
}

// ---- Nodes ----

function numbersIn(text, context, all) {
  if (!context.numbers) return visibleText(text);
  const places = findNumbers(text, all);
  if (!places.length) return visibleText(text);
  const parts = [];
  let last = 0;
  for (const { start, end } of places) {
    if (start > last) parts.push(visibleText(text.slice(last, start)));
    const value = text.slice(start, end);
    parts.push(html`<span class="v-number" role="button" tabindex="-1" data-number=${value}>${value}</span>`);
    last = end;
  }
  if (last < text.length) parts.push(visibleText(text.slice(last)));
  return parts;
}

/** Returns the host of an address that may be opened; `null` for every other text. */
function hostOf(address) {
  if (!/^(?:https?:\/\/|mailto:)/i.test(address)) return null;
  try {
    const url = new URL(address);
    return ["http:", "https:", "mailto:"].includes(url.protocol) ? url.host || url.pathname : null;
  } catch {
    return null;
  }
}

/** @param {Inline[]} nodes @param {Context} context @param {{inLink?: boolean, inTable?: boolean}} place */
function inlineNodes(nodes, context, place) {
  return nodes.map((node) => {
    switch (node.type) {
      case "text":
        return place.inLink ? visibleText(node.text) : numbersIn(node.text, context, Boolean(place.inTable));
      case "break":
        return html`<br />`;
      case "code":
        return context.isReference && !place.inLink && context.isReference(node.text)
          ? html`<button type="button" class="v-reference" data-reference=${node.text}>
            <code>${visibleText(node.text)}</code></button>`
          : html`<code dir="ltr">${visibleText(node.text)}</code>`;
      case "strong":
        return html`<strong>${inlineNodes(node.children, context, place)}</strong>`;
      case "emphasis":
        return html`<em>${inlineNodes(node.children, context, place)}</em>`;
      case "deleted":
        return html`<del>${inlineNodes(node.children, context, place)}</del>`;
      case "image":
        return html`<span class="v-image">[${context.words.image}: ${visibleText(textOf(node.children).trim()
          || "…")}]</span>`;
      case "link":
        return linkNode(node, context, place);
      default:
        return node.children ? inlineNodes(node.children, context, place) : visibleText(node.text ?? "");
    }
  });
}

function linkNode(node, context, place) {
  const children = inlineNodes(node.children, context, { ...place, inLink: true });
  if (place.inLink) return children;
  const address = node.address.trim();
  const host = hostOf(address);
  if (host !== null) {
    // A label that is itself an address must not hide another one.
    const label = textOf(node.children).trim();
    const claimed = hostOf(label) ?? hostOf("https://" + label);
    const isOther = /^(?:https?:\/\/)?[^\s/]+\.[^\s/]{2,}/i.test(label) && claimed !== host && label !== address;
    const link = html`<a href=${address} title=${address} target="_blank" rel="noopener noreferrer">${children}</a>`;
    return isOther ? html`${link} <span class="v-address">(${visibleText(address)})</span>` : link;
  }
  if (address !== "" && context.isReference && context.isReference(address)) {
    return html`<button type="button" class="v-reference" data-reference=${address}>${children}</button>`;
  }
  return html`${children} <span class="v-address">(${visibleText(address.length > 200 ? address.slice(0, 200) + "…"
    : address)})</span>`;
}

/** Returns the node that was made of the same source before, or makes it. An unchanged node costs the view nothing. */
function remember(context, key, make) {
  let node = context.used.get(key);
  if (node === undefined) {
    node = context.kept.get(key) ?? make();
    context.used.set(key, node);
  }
  return node;
}

/**
 * Returns for each block the number of headings that it is below, counting itself: a text that begins with a heading
 * of the
 * second level has no first one.
 * @param {Block[]} blocks
 * @returns {number[]}
 */
function ranksOf(blocks) {
  const open = [];
  return blocks.map((block) => {
    if (block.type !== "heading") return 0;
    while (open.length && open[open.length - 1] >= block.level) open.pop();
    open.push(block.level);
    return open.length;
  });
}

/**
 * @param {Block} block
 * @param {Context} context
 * @param {number} depth
 * @param {boolean} isOpen
 * @param {number} [rank] that of a heading
 */
function blockNode(block, context, depth, isOpen, rank = 1) {
  const inline = (text, place = {}) =>
    inlineNodes(parseInline(text, { isOpen, breaks: Boolean(place.inTable) }), context, place);
  switch (block.type) {
    case "heading": {
      const look = "v-heading v-heading-" + block.level;
      // In a page that has headings of its own, one in a quote or a list would break their order.
      if (context.headingOffset > 0 && depth > 0) return html`<p dir="auto" class=${look}>${inline(block.text)}</p>`;
      const level = context.headingOffset > 0 ? context.headingOffset + rank : block.level;
      return html`<${"h" + Math.min(6, level)} dir="auto" class=${look}>${inline(block.text)}<//>`;
    }
    case "paragraph":
      return html`<p dir="auto">${inline(block.text.trim())}</p>`;
    case "rule":
      return html`<hr />`;
    case "code":
      return html`<div class="v-code">
        ${block.language || context.words.copy ? html`<div class="v-code-head">
          <span>${visibleText(block.language)}</span>
          ${context.words.copy ? html`<button type="button" class="v-copy"
            data-copy="code">${context.words.copy}</button>` : null}
        </div>` : null}
        <pre dir="ltr" tabindex="0"><code>${visibleText(block.text)}</code></pre>
      </div>`;
    case "quote":
      return html`<blockquote>${blockNodes(block.lines, context, depth + 1, isOpen, false)}</blockquote>`;
    case "list": {
      const items = block.items.map((item, index) => {
        const isLast = isOpen && index === block.items.length - 1;
        const key = `i${depth}${block.loose ? "l" : ""}${item.task}\n${item.lines.join("\n")}`;
        const make = () => html`<li dir="auto" class=${item.task === null ? null : "v-task"}>
          ${item.task === null ? null : html`<input type="checkbox" disabled checked=${item.task} aria-label=${item.task
            ? "✓" : "–"} />`}
          ${blockNodes(item.lines, context, depth + 1, isLast, !block.loose)}
        </li>`;
        return isLast ? make() : remember(context, key, make);
      });
      return block.ordered ? html`<ol start=${block.first}>${items}</ol>` : html`<ul>${items}</ul>`;
    }
    case "table": {
      const look = (column) => (block.align[column] ? "v-" + block.align[column] : null);
      const rows = block.rows.map((row) => remember(context, `r${block.align}\n${row.join("\n")}`, () => html`<tr>
        ${row.map((text, column) => html`<td dir="auto" class=${look(column)}>${inline(text, { inTable: true })}</td>`)}
        ${row.length < block.header.length ? html`<td colspan=${block.header.length - row.length}></td>` : null}
      </tr>`));
      return html`<div class="v-table-scroll" tabindex="0" role="group"><table>
        <thead><tr>${block.header.map((text, column) => html`<th dir="auto" scope="col" class=${look(column)}>
          ${inline(text, { inTable: true })}</th>`)}</tr></thead>
        <tbody>${rows}</tbody>
      </table></div>`;
    }
    default:
      return null;
  }
}

function blockNodes(lines, context, depth, isOpen, isTight) {
  const blocks = parseBlocks(lines, depth);
  return blocks.map((block, index) => {
    const isLast = isOpen && index === blocks.length - 1;
    if (isTight
      && block.type === "paragraph") return inlineNodes(parseInline(block.text.trim(), { isOpen: isLast }), context,
        {});
    return blockNode(block, context, depth, isLast);
  });
}

/**
 * Returns the nodes of a whole text, without a view that keeps them.
 * @param {string} text
 * @param {Partial<Context> & {isOpen?: boolean}} [options]
 * @returns {any[]}
 */
export function markdownNodes(text, options = {}) {
  const { numbers = false, isReference = null, headingOffset = 0, words = { image: "image" },
    isOpen = false } = options;
  const context = { numbers, isReference, headingOffset, words, used: new Map(), kept: new Map() };
  const { blocks } = parseMarkdown(text);
  const ranks = ranksOf(blocks);
  return blocks.map((block, index) => blockNode(block, context, 0, isOpen
    && index === blocks.length - 1, ranks[index]));
}

/**
 * Shows Markdown.
 *
 * Numbers can be chosen if `onNumber` is given; they are one stop of the tab key, and the arrow keys go from one to
 * the next. Links and
 * code whose text `isReference` accepts, such as the name of a file, become buttons that call `onReference`.
 * @param {object} properties
 * @param {string} properties.text
 * @param {boolean} [properties.streaming] `true` while the text grows
 * @param {(value: string, element: HTMLElement) => void} [properties.onNumber]
 * @param {(address: string, element: HTMLElement) => void} [properties.onReference]
 * @param {(address: string) => boolean} [properties.isReference] must be the same function as long as its answers are
 *   the same
 * @param {number} [properties.headingOffset] level of the heading above the text: its headings are numbered from the
 *   next level on, and keep their looks
 * @param {{image: string, copy?: string, copied?: string}} [properties.words] `copy` adds a button to blocks of code
 */
export function Markdown({ text, streaming = false, onNumber, onReference, isReference, headingOffset = 0,
  words = { image: "image" } }) {
  const root = useRef(/** @type {HTMLElement|null} */ (null));
  const memory = useRef({ parsed: null, nodes: [], kept: new Map(), numbers: false, isReference: null, wordKey: "" });
  const state = memory.current;

  const wordKey = words.image + "\n" + (words.copy ?? "") + headingOffset;
  const numbers = Boolean(onNumber);
  const reference = onReference && isReference ? isReference : null;
  if (state.numbers !== numbers || state.isReference !== reference || state.wordKey !== wordKey) {
    Object.assign(state, { parsed: null, nodes: [], kept: new Map(), numbers, isReference: reference, wordKey });
  }
  const parsed = state.parsed && state.parsed.text === text ? state.parsed : parseMarkdown(text, state.parsed);
  const old = state.parsed ? state.parsed.blocks : [];
  const context = { numbers, isReference: reference, headingOffset, words, used: new Map(), kept: state.kept };
  const ranks = headingOffset > 0 ? ranksOf(parsed.blocks) : [];
  state.nodes = parsed.blocks.map((block, index) => {
    const isLast = index === parsed.blocks.length - 1;
    const isOpen = streaming && isLast;
    const before = state.nodes[index];
    if (before && old[index] === block && !before.isOpen && !isOpen) return before;
    return { isOpen, node: html`<div class="v-block"
      key=${index}>${blockNode(block, context, 0, isOpen, ranks[index])}</div>` };
  });
  state.parsed = parsed;
  if (context.used.size) state.kept = context.used;

  useEffect(() => {
    if (streaming || !root.current || !onNumber) return;
    const first = /** @type {HTMLElement|null} */ (root.current.querySelector(".v-number"));
    if (first && !root.current.querySelector(".v-number[tabindex='0']")) first.tabIndex = 0;
  });

  const choose = (event) => {
    const target = /** @type {HTMLElement|null} */ (event.target.closest("[data-number],[data-reference],[data-copy]"));
    if (!target) return;
    const { number, reference: address, copy } = target.dataset;
    if (number !== undefined && onNumber) {
      const selection = getSelection();
      if (event.type === "click" && selection && !selection.isCollapsed) return;
      onNumber(number, target);
    } else if (address !== undefined && onReference) onReference(address, target);
    else if (copy !== undefined) copyCode(target, words);
  };
  const onKeyDown = (event) => {
    if (!(event.target instanceof HTMLElement) || event.target.dataset.number === undefined) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      choose(event);
      return;
    }
    const all = /** @type {HTMLElement[]} */ ([...root.current.querySelectorAll(".v-number")]);
    const at = all.indexOf(event.target);
    const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0,
      End: all.length - 1 }[event.key];
    if (to === undefined || !all[to]) return;
    event.preventDefault();
    event.target.tabIndex = -1;
    all[to].tabIndex = 0;
    all[to].focus();
  };
  return html`<div class="v-markdown" ref=${root} onClick=${choose} onKeyDown=${onKeyDown}>${state.nodes.map((it) =>
    it.node)}</div>`;
}

function copyCode(button, words) {
  const code = button.closest(".v-code")?.querySelector("code");
  if (!code || !navigator.clipboard) return;
  navigator.clipboard.writeText(code.textContent ?? "").then(() => {
    button.textContent = words.copied ?? "✓";
    setTimeout(() => { button.textContent = words.copy ?? ""; }, 1500);
  }, () => {});
}
