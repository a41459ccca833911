// Tests of the page's Markdown: `node --test tests/page/markdown.test.mjs`. They need neither a browser nor a package.

import assert from "node:assert/strict";
import { test } from "node:test";
import { findNumbers, markdownNodes, parseInline, parseMarkdown, visibleText } from "../../src/serve/viewer/assets/markdown.js";
import { computedMs } from "./timing.mjs";

/** Writes virtual nodes as text, for comparison. Attributes that only concern looks are left out. */
function write(node) {
  if (node === null || node === undefined || typeof node === "boolean") return "";
  if (Array.isArray(node)) return node.map(write).join("");
  if (typeof node !== "object") return String(node).replace(/[<&]/g, (it) => (it === "<" ? "&lt;" : "&amp;"));
  const { children, ...properties } = node.props;
  const shown = ["href", "target", "rel", "start", "data-number", "data-reference", "checked", "colspan", "src"];
  const written = shown.filter((it) => properties[it] !== undefined && properties[it] !== null && properties[it] !== false)
    .map((it) => ` ${it}="${properties[it]}"`).join("");
  const name = properties.class && !["a", "p", "span"].includes(node.type) ? node.type : node.type;
  return `<${name}${written}>${write(children)}</${name}>`;
}

const show = (text, options) => write(markdownNodes(text, options));

test("inline marks become elements", () => {
  assert.equal(show("a *b* **c** ***d*** ~~e~~ `f`"),
    "<p>a <em>b</em> <strong>c</strong> <em><strong>d</strong></em> <del>e</del> <code>f</code></p>");
  assert.equal(show("snake_case_name and _em_"), "<p>snake_case_name and <em>em</em></p>");
  assert.equal(show("2 * 3 * 4"), "<p>2 * 3 * 4</p>");
  assert.equal(show("**a*b**"), "<p><strong>a*b</strong></p>");
  assert.equal(show("`` a`b ``"), "<p><code>a`b</code></p>");
  assert.equal(show("\\*a\\* &amp; &#x41; &bogus; &lt;"), "<p>*a* &amp; A &amp;bogus; &lt;</p>");
});

test("emphasis works beside Chinese punctuation", () => {
  assert.equal(show("这是**“重点”**内容"), "<p>这是<strong>“重点”</strong>内容</p>");
  assert.equal(show("**收入：**上升"), "<p><strong>收入：</strong>上升</p>");
  assert.equal(show("增长**（同比）**明显，*“约”*一成"), "<p>增长<strong>（同比）</strong>明显，<em>“约”</em>一成</p>");
  assert.equal(show("**12.5%**的增长"), "<p><strong>12.5%</strong>的增长</p>");
});

test("blocks become elements", () => {
  assert.equal(show("# A\n\ntext\nmore\n\n---\n> q\n> r\n\nB\n=="),
    "<h1>A</h1><p>text\nmore</p><hr></hr><blockquote><p>q\nr</p></blockquote><h1>B</h1>");
  assert.equal(show("## A #\n#### B\n### C\n# D\n> # E", { headingOffset: 2 }),
    "<h3>A</h3><h4>B</h4><h4>C</h4><h3>D</h3><blockquote><p>E</p></blockquote>");
  assert.equal(show("a  \nb\\\nc"), "<p>a<br></br>b<br></br>c</p>");
  assert.match(show("```py\nx = '<b>'\n\n  y\n```\nafter"), /<span>py<\/span>.*<pre><code>x = '&lt;b>'\n\n  y<\/code><\/pre><\/div><p>after<\/p>/s);
  assert.match(show("~~~\n```\n~~~"), /<code>```<\/code>/);
  assert.match(show("```\nunfinished"), /<code>unfinished<\/code>/);
});

test("lists nest, also with two columns below a number", () => {
  assert.equal(show("- a\n- b\n  - c\n\n    more\n- d"),
    "<ul><li>a</li><li>b<ul><li><p>c</p><p>more</p></li></ul></li><li>d</li></ul>");
  assert.equal(show("3. a\n  - b\n4. c"), "<ol start=\"3\"><li>a<ul><li>b</li></ul></li><li>c</li></ol>");
  assert.equal(show("- a\n\n- b"), "<ul><li><p>a</p></li><li><p>b</p></li></ul>");
  assert.equal(show("text\n- a\n- b\n\nend"), "<p>text</p><ul><li>a</li><li>b</li></ul><p>end</p>");
  assert.equal(show("- [x] a\n- [ ] b"), "<ul><li><input checked=\"true\"></input>a</li><li><input></input>b</li></ul>");
  assert.match(show("1. a\n   ```\n   1. x\n   ```\n2. b"), /^<ol start="1"><li>a<div>.*1\. x.*<\/li><li>b<\/li><\/ol>$/s);
});

test("tables have alignment, escaped pipes and rows of any width", () => {
  const table = show("| a | b \\| c |\n|:--|--:|\n| 1 | `x\\|y` |\n| 2 |\n| 3 | 4 | 5 |\n\nend");
  assert.match(table, /<th>a<\/th><th>b \| c<\/th>/);
  assert.match(table, /<td>1<\/td><td><code>x\|y<\/code><\/td>/);
  assert.match(table, /<tr><td>2<\/td><td colspan="1"><\/td><\/tr>/);
  assert.match(table, /<td>3<\/td><td>4<\/td><\/tr>/);
  assert.match(table, /<\/div><p>end<\/p>$/);
  assert.match(show("intro\na | b\n--|--\n1 | 2<br>3"), /^<p>intro<\/p><div><table>.*<td>2<br><\/br>3<\/td>/s);
  assert.equal(show("a | b"), "<p>a | b</p>");
  assert.equal(show("| a |\n|---|---|\n"), "<p>| a |\n|---|---|</p>");
});

test("markup in a text stays text", () => {
  assert.equal(show("<script>alert(1)</script> <img src=x onerror=y>"), "<p>&lt;script>alert(1)&lt;/script> &lt;img src=x onerror=y></p>");
  assert.equal(show("<!-- c -->\n<div style=x>"), "<p>&lt;!-- c -->\n&lt;div style=x></p>");
  assert.equal(show("a<br>b"), "<p>a&lt;br>b</p>");
});

test("only addresses that are safe to open become links", () => {
  assert.equal(show("[a](https://x.org/b?c=1 \"t\")"), "<p><a href=\"https://x.org/b?c=1\" target=\"_blank\" rel=\"noopener noreferrer\">a</a></p>");
  for (const address of ["javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,x", "vbscript:x", "file:///etc/passwd", "//x.org", "java\tscript:x"]) {
    const shown = show(`[a](<${address}>)`);
    assert.doesNotMatch(shown, /<a/, address);
    assert.match(shown, /<p>a <span>\(/, address);
  }
  assert.equal(show("[a](javascript&#58;alert(1))"), "<p>a <span>(javascript:alert(1))</span></p>");
  assert.match(show("见https://x.org/a_b_c。后"), /^<p>见<a href="https:\/\/x.org\/a_b_c".*<\/a>。后<\/p>$/);
  assert.match(show("(https://x.org/a_(b)), z"), /<a href="https:\/\/x.org\/a_\(b\)"/);
  assert.match(show("**https://x.org**"), /<strong><a href="https:\/\/x.org"/);
  assert.match(show("<https://x.org>"), /<a href="https:\/\/x.org"/);
  assert.match(show("[https://bank.org](https://evil.org)"), /<\/a> <span>\(https:\/\/evil.org\)<\/span>/);
  assert.match(show("[[a](https://x.org)](https://y.org)"), /^<p>\[<a href="https:\/\/x.org".*<\/a>\]\(<a href/);
  assert.match(show("[mail](mailto:a@x.org)"), /<a href="mailto:a@x.org"/);
});

test("a picture is named and never loaded", () => {
  assert.equal(show("![a *b*](https://x.org/p.png)"), "<p><span>[image: a b]</span></p>");
  assert.equal(show("[![a](https://x.org/p.png)](https://x.org)"),
    "<p><a href=\"https://x.org\" target=\"_blank\" rel=\"noopener noreferrer\"><span>[image: a]</span></a></p>");
  assert.doesNotMatch(show("![](data:image/png;base64,AAAA)"), /AAAA/);
});

test("known names become buttons", () => {
  const isReference = (name) => name === "a.xlsx";
  assert.equal(show("[Table](a.xlsx) `a.xlsx` `b.xlsx`", { isReference }),
    "<p><button data-reference=\"a.xlsx\">Table</button> <button data-reference=\"a.xlsx\"><code>a.xlsx</code></button> <code>b.xlsx</code></p>");
});

test("characters that hide or turn text are shown", () => {
  assert.equal(show("a\u202Egpj.exe"), "<p>a<span>U+202E</span>gpj.exe</p>");
  assert.equal(write(visibleText("a\u200Bb\u2066c\u{E0041}\u0007")), "a<span>U+200B</span>b<span>U+2066</span>c<span>U+E0041</span><span>U+0007</span>");
  assert.equal(write(visibleText("👨‍👩‍👧 क्‍ष tab\tline\n")), "👨‍👩‍👧 क्‍ष tab\tline\n");
  assert.match(show("```\na\u2067b\n```"), /U\+2067/);
  assert.match(show("[a](https://x.org/\u202Eb)"), /<a|U\+202E/);
});

test("numbers are found, and what only looks like one is not", () => {
  const numbers = (text, all) => findNumbers(text, all).map(({ start, end }) => text.slice(start, end));
  assert.deepEqual(numbers("Revenue grew 12.5% to $1,234.56, from -3.2 or (4,000)"), ["12.5%", "$1,234.56", "-3.2", "4,000"]);
  assert.deepEqual(numbers("收入增长18.6%，达1.26亿元，日活1452.3万，±5 %"), ["18.6%", "1.26亿", "1452.3万", "±5 %"]);
  assert.deepEqual(numbers("2025年3月 第12章 Q1 FY2024 v1.2.3 2024-01-02 12:30 report2.pdf 1.2.3 2024 x86 2024-2025年"), []);
  assert.deepEqual(numbers("3.5 million, 12k, 3 files"), ["3.5 million", "12k"]);
  assert.deepEqual(numbers("7", true), ["7"]);
  assert.equal(show("up 12.5 % at `13.5`", { numbers: true }), "<p>up <span data-number=\"12.5 %\">12.5 %</span> at <code>13.5</code></p>");
});

test("what has not arrived yet is shown as if it were closed", () => {
  assert.equal(show("a **b", { isOpen: true }), "<p>a <strong>b</strong></p>");
  assert.equal(show("a **", { isOpen: true }), "<p>a </p>");
  assert.equal(show("a `b", { isOpen: true }), "<p>a <code>b</code></p>");
  assert.equal(show("a **b"), "<p>a **b</p>");
});

test("a text that grows gives the same blocks as the whole text, and keeps the finished ones", () => {
  const text = "# T\n\npara *x*\n\n- a\n- b\n\n  c\n\n1. x\n2. y\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```js\nlet a;\n\nb\n```\n> q\nlazy\n\n2\n===\nend\n\n" +
    "- z\n\n  - deep\n\n    more\n\n3) p\n4) q\n***\nlast\r\nline\r\n\r\nx";
  let state = null;
  let reused = 0;
  for (let length = 0; length <= text.length; length++) {
    const next = parseMarkdown(text.slice(0, length), state);
    assert.deepEqual(next.blocks, parseMarkdown(text.slice(0, length)).blocks, JSON.stringify(text.slice(0, length)));
    if (state) reused += next.blocks.filter((it) => state.blocks.includes(it)).length;
    state = next;
  }
  assert.ok(reused > 700, `${reused} blocks were kept`);
});

const repeated = (unit, length = 100_000) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
const hostile = {
  "[": repeated("["), "]": repeated("]"), "[](": repeated("[a]("), "[](<": repeated("[a](<b"), "![": repeated("!["), "*": repeated("*"), "* a": repeated("*a "),
  "a**b": repeated("a**b"), "_a": repeated("_a"), "*_": repeated("*_~"), "*a_": repeated("*a_ ~~b"), "mixed": repeated("**a *b _c __d "), "`": Array.from({ length: 440 }, (_, it) => "`".repeat(it + 1)).join(" "),
  "`a": repeated("`a``b```c"), ">": repeated(">"), "> >": repeated("> "), ">\\n": repeated(">\n"), "- ": repeated("- "), "nested": Array.from({ length: 440 }, (_, it) => " ".repeat(it * 2) + "- a").join("\n"),
  "1.": repeated("1. "), "items": repeated("- a\n"), "table": repeated("|a"), "table rows": "|a|b|\n|-|-|\n" + repeated("|1\n"), "wide": repeated("|a", 50_000) + "\n" + repeated("|-", 50_000) + "\n|1\n|2\n",
  "#": repeated("# "), "\\": repeated("\\"), "&": repeated("&"), "&#": repeated("&#"), "<": repeated("<"), "<http": repeated("<http://a"), "http": repeated("http://"), "http(": repeated("http://a(("),
  "spaces": repeated(" "), "a spaces": "a" + repeated(" ") + "b", "spaces #": "# a" + repeated(" ") + "b", "tabs": repeated("\t"), "-": repeated("-"), "- space": repeated("-  ") + "x", "digits": repeated("1"), "1,": repeated("1,"), "1,000": repeated(",111"), "-1": repeated("-1"),
  "lines": repeated("a\n"), "|-": repeated("|-"), ":-": repeated("a|b\n-|-\n"), "fences": repeated("```\na\n"), "~~~": repeated("~"), "paragraph|": repeated("a|b\n"), "quotes in items": repeated("- > "), "setext": repeated("a\n=\n"),
  "hidden": repeated("\u202e"), "joiners": repeated("\u200d"), "title": repeated("[a](b \"c"), "emails": repeated("mailto:a@"), "[^1]": repeated("[^1]"), "](": repeated("]("),
};
test("marks that are nested too deeply are left out, and their text stays", () => {
  const text = "**a *b ".repeat(20_000);
  const nodes = parseMarkdown(text).blocks.flatMap((it) => parseInline(it.text, { isOpen: true }));
  let depth = 0;
  let shown = "";
  const visit = (list, level) => {
    depth = Math.max(depth, level);
    for (const it of list) {
      shown += it.text ?? "";
      visit(it.children ?? [], level + 1);
    }
  };
  visit(nodes, 0);
  assert.ok(depth <= 101, `${depth} levels`);
  assert.equal(shown.replaceAll("*", "").replaceAll(" ", ""), "ab".repeat(20_000));
  assert.equal(show("**a *b* c** d"), "<p><strong>a <em>b</em> c</strong> d</p>");
});

// A parser of quadratic time needs minutes for these, a linear one less than half a second on a slow machine. The limit tells them
// apart on a machine that is busy, and says nothing about speed.
const limitMs = 10_000;
for (const [name, text] of Object.entries(hostile)) {
  test(`hostile text does not take quadratic time: ${name}`, () => {
    const begin = computedMs();
    markdownNodes(text, { numbers: true });
    markdownNodes(text, { numbers: true, isOpen: true });
    const spent = computedMs() - begin;
    assert.ok(spent < limitMs, `${Math.round(spent)} ms`);
  });
}

test("100 kB that arrive in pieces do not take quadratic time", () => {
  const text = repeated("## Part\n\nSome **text** with 12.5 % and `code`.\n\n- a\n- b\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n");
  const begin = computedMs();
  let state = null;
  for (let length = 0; length < text.length; length += 100) state = parseMarkdown(text.slice(0, length), state);
  const spent = computedMs() - begin;
  assert.ok(spent < limitMs, `${Math.round(spent)} ms for 1000 pieces`);
});
