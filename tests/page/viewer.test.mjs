// Tests the parts of the viewer that compute: names of cells, the scale of the scroll bar, loading of rows, charts, texts and
// comparisons. Run with `node --test tests/page/`.
import assert from "node:assert/strict";
import { test } from "node:test";

const assets = new URL("../../src/serve/viewer/assets/", import.meta.url);
const load = (name) => import(new URL(name, assets).href);
const { BlockCache, cellName, cellText, columnAt, columnEdges, columnName, estimateWidths, mergeIndex, parseCell, scrollScale, toTsv } =
  await load("grid.js");
const { labelStep, linear, niceTicks, shortNumber } = await load("chart.js");
const { changedPart, groupLines } = await load("comparison.js");
const { excerptAt, sectionsOf, splitPieces } = await load("text.js");
const { requestWidth } = await load("pages.js");
const { colorLuminance, safeText } = await load("parts.js");

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

test("columns have letters as in a spreadsheet", () => {
  assert.deepEqual([0, 25, 26, 51, 52, 701, 702, 16383].map(columnName), ["A", "Z", "AA", "AZ", "BA", "ZZ", "AAA", "XFD"]);
  for (const column of [0, 25, 26, 701, 702, 16383]) {
    assert.deepEqual(parseCell(cellName(9, column)), { row: 9, column });
  }
  assert.deepEqual(parseCell(" $b$7 "), { row: 6, column: 1 });
  for (const text of ["", "7B", "B0", "B", "ABCD1", "B7:C9"]) assert.equal(parseCell(text), null);
});

test("a position finds its column", () => {
  const edges = columnEdges([10, 0, 20, 30]);
  assert.deepEqual([...edges], [0, 10, 10, 30, 60]);
  assert.deepEqual([-5, 0, 9, 10, 29, 30, 59, 600].map((x) => columnAt(edges, x)), [0, 0, 0, 2, 2, 3, 3, 3]);
});

test("the scroll bar of a table that fits is exact", () => {
  const scale = scrollScale({ content: 2600000, viewport: 600, fixed: 52 });
  assert.equal(scale.ratio, 1);
  assert.equal(scale.height, 2600052);
  assert.equal(scale.toOffset(1234), 1234);
});

test("the scroll bar of a very tall table reaches both ends", () => {
  const content = 1048576 * 26;
  const scale = scrollScale({ content, viewport: 600, fixed: 26, most: 15000000 });
  assert.equal(scale.height, 15000000);
  assert.equal(scale.toOffset(0), 0);
  assert.ok(Math.abs(scale.toOffset(15000000 - 26 - 600) - (content - 600)) < 0.01);
  for (const offset of [0, 26 * 1000, 26 * 777777, content - 600]) {
    assert.ok(Math.abs(scale.toOffset(scale.toScroll(offset)) - offset) < 0.01);
  }
});

test("a table that is lower than its view does not scroll", () => {
  const scale = scrollScale({ content: 100, viewport: 600 });
  assert.deepEqual([scale.ratio, scale.toOffset(50), scale.toScroll(50)], [1, 0, 0]);
});

test("widths follow the content, and those of the file win", () => {
  const widths = estimateWidths([["Region", "x".repeat(200), null, "中文中文"], ["N", "y", null, "z"]], 4, [null, null, null, null]);
  assert.equal(widths[1], 320);
  assert.equal(widths[2], 80);
  assert.ok(widths[3] > widths[0] * 0.9);
  assert.deepEqual(estimateWidths([], 2, [33, 5000]), [33, 1000]);
});

test("a column without a width fits its longest text, also if its letters are wide", () => {
  const widths = estimateWidths([["text", "WWWWWWWWWW"], ["<b>x</b>", "i"]], 2, [], (text) => text.length * 12);
  assert.deepEqual(widths, [8 * 12 + 14, 10 * 12 + 14]);
});

test("a column grows where a number would be cut, and not for a text", () => {
  const rows = [["a long text", { d: "1,234,567.89", k: "n" }, { d: "12", k: "n" }, { d: "1,234,567.89", k: "n" }], [null]];
  const widths = estimateWidths(rows, 4, [40, 40, 40, 0], (text) => text.length * 8);
  assert.deepEqual(widths, [40, 12 * 8 + 14, 40, 0]);
});

test("cells are copied as spreadsheets paste them", () => {
  assert.equal(toTsv([["a", "b\tc"], ["line\nline", "say \"x\""]]), "a\t\"b\tc\"\n\"line\nline\"\t\"say \"\"x\"\"\"");
  assert.deepEqual([null, "a", { d: "12.5 %", v: 0.125 }, { v: 3 }, 7].map(cellText), ["", "a", "12.5 %", "3", "7"]);
});

test("merged areas are found by any of their cells", () => {
  const merges = mergeIndex([[0, 0, 2, 1], [5, 3, 5, 4]]);
  assert.deepEqual(merges.at(2, 1), [0, 0, 2, 1]);
  assert.equal(merges.at(3, 1), undefined);
  assert.equal(merges.of(5).length, 1);
  // A merged column of a million rows has a bounded index.
  assert.equal(mergeIndex([[0, 0, 1048575, 0]], 1000).at(5000, 0), undefined);
});

/** A server of rows whose requests end when the test says so. */
function rowServer() {
  const requests = [];
  const load = (from, count, signal) => new Promise((resolve, reject) => {
    const request = { from, count, signal, resolve: () => resolve({ rows: Array.from({ length: count }, (_, at) => [from + at]) }), reject };
    signal.addEventListener("abort", () => reject(new Error("aborted")));
    requests.push(request);
  });
  return { requests, load };
}

test("rows in view are loaded first, then the next block in the direction", async () => {
  const server = rowServer();
  const cache = new BlockCache({ load: server.load, onChange() {}, total: 1000, size: 100, delay: 1 });
  cache.want(250, 290, 1);
  await pause(10);
  assert.deepEqual(server.requests.map((it) => it.from), [200, 300]);
  for (const request of server.requests) request.resolve();
  await pause(1);
  assert.deepEqual(cache.row(290), [290]);
  assert.equal(cache.row(100), undefined);
  cache.want(240, 280, -1);
  await pause(10);
  assert.deepEqual(server.requests.map((it) => it.from), [200, 300, 100]);
  cache.close();
});

test("the last block is as long as the table", async () => {
  const server = rowServer();
  const cache = new BlockCache({ load: server.load, onChange() {}, total: 250, size: 100, delay: 1 });
  cache.want(240, 249, 1);
  await pause(10);
  assert.deepEqual(server.requests.map((it) => [it.from, it.count]), [[200, 50]]);
  cache.close();
});

test("rows that were scrolled past are not requested, and open requests for them end", async () => {
  const server = rowServer();
  const cache = new BlockCache({ load: server.load, onChange() {}, total: 100000, size: 100, delay: 20 });
  cache.want(0, 30, 1);
  await pause(40);
  assert.equal(server.requests.length, 2);
  for (let row = 1000; row < 1100; row += 100) cache.want(row * 10, row * 10 + 30, 1);
  assert.ok(server.requests.every((it) => it.signal.aborted));
  cache.want(90000, 90030, 1);
  await pause(60);
  assert.deepEqual(server.requests.slice(2).map((it) => it.from), [90000, 90100]);
  cache.close();
});

test("steady scrolling loads although the view never rests", async () => {
  const server = rowServer();
  const cache = new BlockCache({ load: server.load, onChange() {}, total: 100000, size: 10, delay: 30 });
  for (let at = 0; at < 20; at++) {
    cache.want(at * 10, at * 10 + 5, 1);
    await pause(12);
  }
  assert.ok(server.requests.length > 0);
  cache.close();
});

test("blocks that were not used for the longest time are dropped, never those in view", async () => {
  const cache = new BlockCache({
    load: async (from, count) => ({ rows: Array.from({ length: count }, (_, at) => [from + at]) }),
    onChange() {}, total: 100000, size: 10, most: 5, delay: 0,
  });
  for (let block = 0; block < 30; block++) {
    cache.want(block * 10, block * 10 + 9, 1, [0]);
    await pause(4);
  }
  assert.ok(cache.blocks.size <= 6);
  assert.deepEqual(cache.row(0), [0]);
  assert.deepEqual(cache.row(299), [299]);
  assert.equal(cache.row(100), undefined);
  cache.close();
});

test("a failed block is reported, and loaded again on request", async () => {
  let attempts = 0;
  const cache = new BlockCache({
    load: async () => {
      attempts++;
      if (attempts === 1) throw new Error("busy");
      return { rows: [["a"]] };
    },
    onChange() {}, total: 1, size: 100, delay: 0,
  });
  cache.want(0, 0, 1);
  await pause(5);
  assert.equal(cache.failure(0).message, "busy");
  cache.want(0, 0, 1);
  await pause(5);
  assert.equal(attempts, 1, "a failure is not repeated at once");
  cache.again();
  await pause(5);
  assert.deepEqual(cache.row(0), ["a"]);
  assert.equal(cache.failure(0), undefined);
});

test("axes have round numbers that cover the values", () => {
  assert.deepEqual(niceTicks(0, 202).ticks, [0, 50, 100, 150, 200, 250]);
  assert.deepEqual(niceTicks(-4, 33).ticks, [-10, 0, 10, 20, 30, 40]);
  assert.deepEqual(niceTicks(0, 0.3, 3).ticks, [0, 0.1, 0.2, 0.3]);
  for (const [low, high] of [[5, 5], [-5, -5], [0, 0], [NaN, NaN], [Infinity, -Infinity], [1e12, 1.00001e12], [1e-9, 3e-9]]) {
    const axis = niceTicks(low, high);
    assert.ok(axis.ticks.length >= 2 && axis.ticks.length < 12, `${low}..${high}: ${axis.ticks}`);
    if (Number.isFinite(low)) assert.ok(axis.low <= low && axis.high >= high);
  }
});

test("values map to positions", () => {
  const y = linear(0, 100, 300, 0);
  assert.deepEqual([0, 50, 100].map(y), [300, 150, 0]);
  assert.equal(linear(5, 5, 10, 20)(5), 10);
  assert.deepEqual([1200000, 15000, 999, -2e9, 0.25].map(shortNumber), ["1.2 M", "15 k", "999", "-2 G", "0.25"]);
  assert.equal(labelStep(12, 600, 30), 1);
  assert.equal(labelStep(365, 600, 50), 37);
});

test("pages are requested in few widths", () => {
  assert.deepEqual([10, 401, 900, 901, 9999].map(requestWidth), [400, 640, 900, 1280, 2400]);
});

test("a text is split at blank lines, never in a code block or a list", () => {
  const text = `a\n\n\`\`\`\n${"x\n\n".repeat(10)}\`\`\`\n\nb\n\n1. c\n\n2. d\n\ne\n`;
  const pieces = splitPieces(text, 1);
  assert.equal(pieces.join(""), text);
  assert.ok(pieces.some((piece) => piece.startsWith("```") && piece.trimEnd().endsWith("```")));
  assert.ok(!pieces.some((piece) => piece.startsWith("2.")));
  assert.equal(splitPieces("", 1).length, 0);
});

test("sections reach from place to place", () => {
  const places = [{ label: "page 2", offset: 50 }, { label: "page 1", offset: 10 }, { label: "out", offset: 500 }];
  assert.deepEqual(sectionsOf(places, 100), [
    { label: "", from: 0, to: 10 }, { label: "page 1", from: 10, to: 50 }, { label: "page 2", from: 50, to: 100 },
  ]);
  assert.deepEqual(sectionsOf([], 30), [{ label: "", from: 0, to: 30 }]);
  assert.deepEqual(sectionsOf([], 0), []);
});

test("the words at an offset are those that are shown", () => {
  assert.equal(excerptAt("intro\n\n| **Revenue** | 12 |\n", 7), "Revenue");
  assert.equal(excerptAt("😀😀 growth of 12.5%", 3), "growth of 12.5%");
  assert.equal(excerptAt("", 5), "");
});

test("what changed in a value is whole words and numbers", () => {
  assert.deepEqual(changedPart("Total 2024", "Total 2025"), { head: "Total ", tail: "", before: "2024", after: "2025" });
  assert.deepEqual(changedPart("a b c", "a x c"), { head: "a ", tail: " c", before: "b", after: "x" });
  for (const [before, after] of [["", "x"], ["x", ""], ["aa", "aaa"], ["1,234.50", "1,284.50"], ["abab", "ab"]]) {
    const part = changedPart(before, after);
    assert.equal(part.head + part.before + part.tail, before);
    assert.equal(part.head + part.after + part.tail, after);
  }
});

test("only the neighbourhood of changed lines is shown", () => {
  const same = (count) => Array.from({ length: count }, (_, at) => ({ change: "same", text: String(at) }));
  const groups = groupLines([...same(10), { change: "added", text: "x" }, ...same(10)], 2);
  assert.deepEqual(groups.map((group) => ("gap" in group ? -group.gap.length : group.lines.length)), [-8, 5, -8]);
  assert.deepEqual(groupLines([...same(1), { change: "added", text: "x" }, ...same(1)], 0).map((group) => group.lines?.length), [3]);
});

test("names cannot hide what they are", () => {
  assert.equal(safeText("a\u202Efdp.exe"), "aU+202Efdp.exe");
  assert.equal(safeText("pay\u200Bpal\u2060.exe"), "payU+200BpalU+2060.exe");
  assert.equal(safeText("a\u200Fb"), "aU+200Fb");
  assert.equal(safeText("\u{e0061}b"), "U+E0061b");
  assert.equal(safeText("👩\u200D💻 line\r\nline\tend"), "👩\u200D💻 line\r\nline\tend");
  assert.equal(safeText("עברית\u200F!"), "עברית\u200F!");
  assert.equal(safeText(null), "");
  assert.equal(colorLuminance("red;background:url(x)"), null);
  assert.equal(colorLuminance("#ffffff"), 1);
});
