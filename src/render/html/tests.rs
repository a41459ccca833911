use base64::Engine as _;
use sha2::{Digest as _, Sha256};

use super::*;
use crate::markdown;

fn page(source: &str) -> Html {
    html(&markdown(source).unwrap(), &HtmlOptions::default()).unwrap()
}

/// What stands in the body.
fn body(source: &str) -> String {
    let text = page(source).text;
    text.split_once("<body class=\"a4\">\n").unwrap().1.split_once("</body>").unwrap().0.to_owned()
}

#[test]
fn the_policy_allows_the_style_sheet_and_nothing_else() {
    let hash = base64::engine::general_purpose::STANDARD.encode(Sha256::digest(STYLE));
    assert_eq!(hash, STYLE_HASH, "write the new hash into `STYLE_HASH`");
    // What would need another rule of the policy, or would end the element.
    assert!(!STYLE.contains(['<', '&']) && !STYLE.contains("url(") && !STYLE.contains("@import"));
    let text = page("# T\n\n| a |\n|--:|\n| 1 |\n\n- [x] b\n").text;
    assert!(
        !text.contains("style=") && !text.contains("<script") && !text.contains("src="),
        "{text}"
    );
}

#[test]
fn the_head_says_what_the_document_is() {
    let source = "---\ntitle: A <B>\nauthor: 张三\nlang: zh-Hant\npaper: letter\n---\ntext\n";
    let text = page(source).text;
    let (before, rest) = text.split_once("<style>").unwrap();
    insta::assert_snapshot!(before, @r#"
    <!DOCTYPE html>
    <html lang="zh-TW">
    <head>
    <meta charset="utf-8"/>
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-u7gwqStUu30oHgoLFTIIuszvfSwaKdpLVOpnGvYv0kA='; base-uri 'none'; form-action 'none'"/>
    <meta name="viewport" content="width=device-width, initial-scale=1"/>
    <meta name="referrer" content="no-referrer"/>
    <meta name="generator" content="mitt"/>
    <meta name="author" content="张三"/>
    <title>A &lt;B&gt;</title>
    "#);
    assert!(
        rest.contains(
            "<body class=\"letter\">\n<header>\n<h1>A &lt;B&gt;</h1>\n<p class=\"byline\">张三</p>"
        ),
        "{rest}"
    );
    assert!(page("שלום").text.contains("<html lang=\"he\" dir=\"rtl\">"));
    assert!(page("").text.contains("<title>Document</title>"));
}

#[test]
fn blocks_are_elements() {
    insta::assert_snapshot!(body("# T\n\n## A `b`\n\n**b** *i* ~~s~~ <br> x\n\n> q\n\n> [!TIP]\n> c\n\n```rust\na < b\n```\n\n---\n\n<!-- pagebreak -->\n"), @r#"
    <header>
    <h1>T</h1>
    </header>
    <main>
    <h2 id="a-b">A <code>b</code></h2>
    <p><strong>b</strong> <em>i</em> <del>s</del> <br/>
     x</p>
    <blockquote>
    <p>q</p>
    </blockquote>
    <div class="note tip" role="note" aria-label="Tip">
    <p class="note-name">Tip</p>
    <p>c</p>
    </div>
    <pre><code class="language-rust">a &lt; b</code></pre>
    <hr/>
    <hr class="break"/>
    </main>
    "#);
}

#[test]
fn lists_and_tasks() {
    insta::assert_snapshot!(body("3. a\n   - b\n4. c\n\n- [x] d\n- [ ] e\n"), @r#"
    <main>
    <ol class="tight" start="3">
    <li><p>a</p>
    <ul class="tight">
    <li><p>b</p>
    </li>
    </ul>
    </li>
    <li><p>c</p>
    </li>
    </ol>
    <ul class="tight tasks">
    <li><div class="task"><input type="checkbox" disabled="" checked="" aria-label="done"/><div><p>d</p>
    </div></div></li>
    <li><div class="task"><input type="checkbox" disabled="" aria-label="to do"/><div><p>e</p>
    </div></div></li>
    </ul>
    </main>
    "#);
}

#[test]
fn tables_have_heads_and_sides() {
    insta::assert_snapshot!(body("| 月份 | 收入 | 注 |\n|---|---|:-:|\n| 1月 | 1,234.5 | a |\n"), @r#"
    <main>
    <div class="table" role="region" tabindex="0" aria-label="表格">
    <table>
    <thead>
    <tr><th scope="col">月份</th><th scope="col" class="right">收入</th><th scope="col" class="center">注</th></tr>
    </thead>
    <tbody>
    <tr><td>1月</td><td class="right">1,234.5</td><td class="center">a</td></tr>
    </tbody>
    </table>
    </div>
    </main>
    "#);
}

#[test]
fn notes_have_ways_back() {
    insta::assert_snapshot!(body("a[^1] b[^2] c[^1]\n\n[^1]: one\n[^2]: see [^3]\n[^3]: three\n"), @r##"
    <main>
    <p>a<sup><a id="ref:1:1" href="#fn:1" role="doc-noteref" aria-label="Footnote 1">1</a></sup> b<sup><a id="ref:2:1" href="#fn:2" role="doc-noteref" aria-label="Footnote 2">2</a></sup> c<sup><a id="ref:1:2" href="#fn:1" role="doc-noteref" aria-label="Footnote 1">1</a></sup></p>
    </main>
    <section class="footnotes" aria-label="Footnotes">
    <ol>
    <li id="fn:1"><p>one</p>
     <a href="#ref:1:1" role="doc-backlink" aria-label="Back to the text 1.1">↩</a> <a href="#ref:1:2" role="doc-backlink" aria-label="Back to the text 1.2">↩</a></li>
    <li id="fn:2"><p>see <sup><a id="ref:3:1" href="#fn:3" role="doc-noteref" aria-label="Footnote 3">3</a></sup></p>
     <a href="#ref:2:1" role="doc-backlink" aria-label="Back to the text 2.1">↩</a></li>
    <li id="fn:3"><p>three</p>
     <a href="#ref:3:1" role="doc-backlink" aria-label="Back to the text 3.1">↩</a></li>
    </ol>
    </section>
    "##);
    let many = body(&format!("{}\n\n[^1]: one\n", "a[^1] ".repeat(1_000)));
    assert_eq!(many.matches("doc-backlink").count(), 20);
}

#[test]
fn contents_lead_to_headings() {
    let doc = markdown(
        "# T\n\n## 一、概况\n\n#### D\n\n### E\n\n## 一、概况\n\n[x](#一概况-2) [y](#none)\n",
    )
    .unwrap();
    let options = HtmlOptions { contents: true, ..HtmlOptions::default() };
    let made = html(&doc, &options).unwrap();
    let nav = made.text.split_once("<nav").unwrap().1.split_once("</nav>").unwrap();
    insta::assert_snapshot!(nav.0, @r##"
     aria-labelledby="contents:">
    <h2 id="contents:">目录</h2>
    <ol>
    <li><a href="#一概况">一、概况</a><ol>
    <li><a href="#d">D</a></li></ol>
    <ol>
    <li><a href="#e">E</a></li></ol>
    </li>
    <li><a href="#一概况-2">一、概况</a></li></ol>
    "##);
    assert!(
        nav.1.contains("<h2 id=\"一概况-2\">") && nav.1.contains("<a href=\"#一概况-2\">x</a> y"),
        "{}",
        nav.1
    );
    insta::assert_snapshot!(made.warnings.join("\n"), @"links are text only, as they do not lead to `http`, `https`, `mailto` or a heading: `#none` (block 6, under `一、概况`)");
}

#[test]
fn headings_below_the_sixth_level_keep_it() {
    let source = "# T\n\n# A\n\n## B\n\n### C\n\n#### D\n\n##### E\n\n###### F\n";
    assert!(body(source).contains("<h6 aria-level=\"7\" id=\"f\">F</h6>"), "{}", body(source));
}

#[test]
fn the_same_document_makes_the_same_page() {
    let source = "# 报告\n\na[^1] b[^2]\n\n[^1]: n\n[^2]: m\n";
    assert_eq!(page(source).text, page(source).text);
}

#[test]
fn wide_tables_are_not_cut_when_they_are_printed() {
    let row = |cell: &str, columns: usize| format!("|{}\n", format!("{cell}|").repeat(columns));
    let table = |n| [row("收入合计", n), row("---", n), row("12,345,678.12", n)].concat();
    let text = page(&format!(
        "## A\n\n{}\n## B\n\n{}\n> {}",
        table(3),
        table(13),
        table(13).replace('\n', "\n> ")
    ))
    .text;
    assert!(text.contains("<h1 id=\"a\">") && text.contains("<div class=\"table\" role"), "{text}");
    // With its heading, on a page of its own; within a quotation the page stays as it is.
    assert!(text.contains("<h1 id=\"b\" class=\"turned\">"), "{text}");
    assert_eq!(text.matches(" turned\" role=\"region\"").count(), 1, "{text}");
    assert!(
        STYLE.contains(".a4 .turned{page:turned-a4}")
            && STYLE.contains("@page turned-letter{size:Letter landscape}")
    );
    // Who reads by ear skips the contents.
    let contents = HtmlOptions { contents: true, ..HtmlOptions::default() };
    let doc = markdown("# T\n\n## A\n").unwrap();
    let text = html(&doc, &contents).unwrap().text;
    assert!(
        text.contains("<a class=\"skip\" href=\"#main:\">Skip to the text</a>")
            && text.contains("<main id=\"main:\">")
    );
}
