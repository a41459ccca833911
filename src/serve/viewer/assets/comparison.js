// Shows what changed between two versions of a file: cells with their values before and after, or lines.
import { html, useMemo, useState } from "./ui.js";
import { cellName } from "./grid.js";
import { safeText } from "./parts.js";
import { counted, words } from "./viewer_words.js";

/** Entries that are shown at first, and each time the user asks for more. */
const STEP = 300;
/** Unchanged lines that are shown around changed ones. */
const CONTEXT = 3;

/**
 * Splits two texts into what they have in common at the beginning and the end, and what differs.
 * @param {string} before
 * @param {string} after
 */
function changedPart(before, after) {
  const least = Math.min(before.length, after.length);
  let start = 0;
  while (start < least && before[start] === after[start]) start++;
  let end = 0;
  while (end < least - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  // Words and numbers are not cut: 1 234 -> 1 284 reads better than 3 -> 8.
  const isPart = (letter) => letter !== undefined && /[\p{L}\p{N}.,]/u.test(letter);
  while (start > 0 && isPart(before[start - 1]) && (isPart(before[start]) || isPart(after[start]))) start--;
  while (end > 0 && isPart(before[before.length - end]) && (isPart(before[before.length - end - 1])
    || isPart(after[after.length - end - 1]))) end--;
  return {
    head: before.slice(0, start), tail: end > 0 ? before.slice(before.length - end) : "",
    before: before.slice(start, before.length - end), after: after.slice(start, after.length - end),
  };
}

/**
 * Groups lines into changed neighbourhoods and gaps of unchanged lines.
 * @param {{change: string, text: string}[]} lines
 * @param {number} [context]
 * @returns {({gap: {change: string, text: string}[]} | {lines: {change: string, text: string}[]})[]}
 */
function groupLines(lines, context = CONTEXT) {
  const keep = new Uint8Array(lines.length);
  lines.forEach((line, at) => {
    if (line.change !== "same") keep.fill(1, Math.max(0, at - context), Math.min(lines.length, at + context + 1));
  });
  const groups = [];
  for (let at = 0; at < lines.length;) {
    let end = at;
    while (end < lines.length && keep[end] === keep[at]) end++;
    const part = lines.slice(at, end);
    // One hidden line takes as much place as the note about it.
    const last = groups[groups.length - 1];
    if (keep[at] || part.length === 1) {
      if (last?.lines) last.lines.push(...part);
      else groups.push({ lines: part });
    } else {
      groups.push({ gap: part });
    }
    at = end;
  }
  return groups;
}

/**
 * Shows a comparison.
 * @param {{comparison: any, onOpen?: (place: {sheet: string, row: number, column: number}) => void}} props
 */
function ComparisonView({ comparison, onOpen }) {
  return comparison.kind === "workbook"
    ? html`<${Cells} sheets=${comparison.sheets ?? []} warnings=${comparison.warnings ?? []} onOpen=${onOpen} />`
    : html`<${Lines} lines=${comparison.lines ?? []} more=${comparison.more ?? 0} />`;
}

function Cells({ sheets, warnings, onOpen }) {
  const [most, setMost] = useState(STEP);
  const changed = sheets.filter((sheet) => sheet.state !== "same");
  if (changed.length === 0) return html`<div class="v-message"><p>${words("no_changes")}</p></div>`;
  const same = sheets.filter((sheet) => sheet.state === "same");
  let left = most;
  let hidden = 0;
  return html`<div class="v-comparison" tabindex="0" role="region" aria-label=${words("compared")}>
    ${changed.map((sheet, index) => {
      const cells = sheet.cells ?? [];
      const shown = cells.slice(0, Math.max(0, left));
      left -= shown.length;
      hidden += cells.length - shown.length;
      const total = cells.length + (sheet.more ?? 0);
      return html`<section key=${index} class="v-changes">
        <h3 class="v-changes-title"><span dir="auto">${safeText(sheet.name)}</span>
          ${sheet.state === "added" && html`<span class="v-tag v-tag-added">${words("sheet_added")}</span>`}
          ${sheet.state === "removed" && html`<span class="v-tag v-tag-removed">${words("sheet_removed")}</span>`}
          ${sheet.state === "unknown" && html`<span class="v-tag">${words("sheet_unknown")}</span>`}
          <span class="v-muted">${total > 0 && counted("changed_cells", total)}</span></h3>
        ${shown.length > 0 && html`<table class="v-change-table">
          <thead><tr><th scope="col">${words("cell")}</th><th scope="col">${words("before")}</th>
            <th scope="col">${words("after")}</th></tr></thead>
          <tbody>${shown.map((cell, at) => html`<${CellChange} key=${at} cell=${cell} sheet=${sheet.name}
            isNewRow=${at === 0 || shown[at - 1].row !== cell.row} onOpen=${onOpen} />`)}</tbody></table>`}
        ${sheet.more > 0 && shown.length === cells.length && html`<p
          class="v-muted">${counted("more_cells", sheet.more)}</p>`}
      </section>`;
    })}
    ${hidden > 0 && html`<button type="button" class="btn v-btn" onClick=${() => setMost(most + STEP)}>
      ${words("show_more")}</button>`}
    ${same.length > 0 && html`<p class="v-muted">${same.map((sheet) =>
      safeText(sheet.name)).join(", ")}: ${words("sheet_same")}</p>`}
    ${warnings.map((text, at) => html`<p key=${at} class="v-muted">${safeText(text)}</p>`)}
  </div>`;
}

function CellChange({ cell, sheet, isNewRow, onOpen }) {
  const name = cellName(cell.row, cell.column);
  const [before, after] = [cell.before, cell.after].map((text) => (text === null || text === undefined ? null
    : safeText(text)));
  const part = before !== null && after !== null ? changedPart(before, after) : null;
  const show = (text, changed, Tag) => (text === null || text === "" ? html`<span
    class="v-muted">${words("blank")}</span>`
    : part ? html`${part.head}<${Tag}>${changed}<//>${part.tail}` : html`<${Tag}>${text}<//>`);
  return html`<tr class=${isNewRow ? "v-new-row" : ""}>
    <th scope="row">${onOpen ? html`<button type="button" class="v-link"
      onClick=${() => onOpen({ sheet, row: cell.row, column: cell.column })}>${name}</button>` : name}</th>
    <td dir="auto">${show(before, part?.before, "del")}</td>
    <td dir="auto">${show(after, part?.after, "ins")}</td></tr>`;
}

function Lines({ lines, more }) {
  const groups = useMemo(() => groupLines(lines), [lines]);
  const [open, setOpen] = useState(/** @type {Set<number>} */ (new Set()));
  const [most, setMost] = useState(STEP);
  const added = lines.filter((line) => line.change === "added").length;
  const removed = lines.filter((line) => line.change === "removed").length;
  if (added + removed === 0) return html`<div class="v-message"><p>${words("no_changes")}</p></div>`;
  let left = most;
  let hidden = 0;
  return html`<div class="v-comparison" tabindex="0" role="region" aria-label=${words("compared")}>
    <p class="v-counts"><span class="v-tag v-tag-added">${counted("lines_added", added)}</span>
      <span class="v-tag v-tag-removed">${counted("lines_removed", removed)}</span></p>
    <div class="v-diff">${groups.map((group, index) => {
      if ("gap" in group && !open.has(index)) {
        return left > 0 && html`<button key=${index} type="button" class="v-gap" aria-expanded="false"
          onClick=${() => setOpen(new Set([...open, index]))}>⋯ ${counted("unchanged", group.gap.length)}</button>`;
      }
      const all = "gap" in group ? group.gap : group.lines;
      const shown = all.slice(0, Math.max(0, left));
      left -= shown.length;
      hidden += all.length - shown.length;
      return shown.map((line, at) => html`<${Line} key=${`${index}.${at}`} line=${line} other=${partner(all, at)} />`);
    })}</div>
    ${hidden > 0 && html`<button type="button" class="btn v-btn" onClick=${() => setMost(most + STEP)}>
      ${words("show_more")}</button>`}
    ${more > 0 && hidden === 0 && html`<p class="v-muted">${counted("more_lines", more)}</p>`}
  </div>`;
}

/** Returns the line that a changed line replaces or that replaces it, if one line stands for one line. */
function partner(lines, at) {
  const change = lines[at].change;
  if (change === "same") return null;
  let from = at;
  while (from > 0 && lines[from - 1].change === change) from--;
  let to = at + 1;
  while (to < lines.length && lines[to].change === change) to++;
  const start = change === "removed" ? to : from - (to - from);
  const other = change === "removed" ? "added" : "removed";
  for (let line = start; line < start + to - from; line++) if (lines[line]?.change !== other) return null;
  if (lines[start - 1]?.change === other || lines[start + to - from]?.change === other) return null;
  return lines[start + at - from].text;
}

function Line({ line, other }) {
  const text = safeText(line.text);
  if (line.change === "same") return html`<div class="v-line"><span class="v-sign" aria-hidden="true"> </span>
    <span dir="auto">${text}</span></div>`;
  const isAdded = line.change === "added";
  const part = other === null ? null : isAdded ? changedPart(safeText(other), text)
    : changedPart(text, safeText(other));
  const changed = part && (isAdded ? part.after : part.before);
  // Marking the changed part helps only if most of the line is the same.
  const isMarked = part && changed.length < text.length * 0.7;
  const Tag = isAdded ? "ins" : "del";
  return html`<div class=${`v-line v-line-${isAdded ? "added" : "removed"}`}>
    <span class="v-sign"><span aria-hidden="true">${isAdded ? "+" : "−"}</span><span class="v-offscreen">${words(isAdded
      ? "added" : "removed")}: </span></span>
    <span dir="auto">${isMarked ? html`${part.head}<${Tag}>${changed}<//>${part.tail}` : text}</span></div>`;
}

export { ComparisonView, changedPart, groupLines };
