use base64::Engine as _;
use sha2::{Digest as _, Sha256};

use super::*;
use crate::{CommonOptions, markdown};

fn page(source: &str) -> Html {
    html(&markdown(source).unwrap(), &HtmlOptions::default()).unwrap()
}

/// Returns the body.
fn body(source: &str) -> String {
    let text = page(source).text;
    text.split_once("<body class=\"a4\">\n").unwrap().1.split_once("</body>").unwrap().0.to_owned()
}

#[test]
fn the_policy_allows_the_style_sheet_and_nothing_else() {
    let hash = base64::engine::general_purpose::STANDARD.encode(Sha256::digest(style::STYLE));
    assert_eq!(hash, style::of(&crate::Theme::default()).hash);
    // These would need another rule in the policy, or end the element.
    let sheet = style::STYLE;
    assert!(!sheet.contains(['<', '&']) && !sheet.contains("url(") && !sheet.contains("@import"));
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
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-6awf3Bv9ioJK/1H5YgF9zXr1k8m2FRuQHsryPDLDE2E='; base-uri 'none'; form-action 'none'"/>
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
        "# T\n\n## 一、概况\n\n#### D\n\n### E\n\n## 一、概况\n\n[x](#一概况-1) [y](#none)\n",
    )
    .unwrap();
    let options =
        HtmlOptions { common: CommonOptions { contents: true, ..CommonOptions::default() } };
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
    <li><a href="#一概况-1">一、概况</a></li></ol>
    "##);
    assert!(
        nav.1.contains("<h2 id=\"一概况-1\">") && nav.1.contains("<a href=\"#一概况-1\">x</a> y"),
        "{}",
        nav.1
    );
    insta::assert_snapshot!(made.warnings.join("\n"), @"links are text only, as they do not lead to `http`, `https`, `mailto`, a heading or a file beside the document: `#none` (block 6, under `一、概况`)");
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

/// Returns a formula within a line.
fn mathml(source: &str) -> String {
    let text = body(&format!("a ${source}$ b\n"));
    let inside = text.split_once("<math alttext=\"").unwrap().1.split_once("</math>").unwrap().0;
    inside.split_once("\">").unwrap().1.to_owned()
}

#[test]
fn formulas_are_mathml() {
    for (source, expected) in [
        (r"\frac{a}{2}", "<mfrac><mi>a</mi><mn>2</mn></mfrac>"),
        (r"\sqrt[3]{x}", "<mroot><mi>x</mi><mn>3</mn></mroot>"),
        (r"x_i^2", "<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>"),
        (
            r"\sum_{i}^n",
            "<munderover><mo movablelimits=\"true\">∑</mo><mi>i</mi><mi>n</mi></munderover>",
        ),
        (r"\int_0^1", "<msubsup><mo>∫</mo><mn>0</mn><mn>1</mn></msubsup>"),
        (
            r"\lim_{x}",
            "<munder><mo movablelimits=\"true\" lspace=\"0\" rspace=\"0\">lim</mo><mi>x</mi></munder>",
        ),
        (r"\mathbb{R}", "<mi>ℝ</mi>"),
        (r"\mathbf{x}", "<mi>𝐱</mi>"),
        (r"\mathrm{km}", "<mi mathvariant=\"normal\">km</mi>"),
        (r"\Gamma", "<mi mathvariant=\"normal\">Γ</mi>"),
        (r"\text{中 文}", "<mtext>中\u{A0}文</mtext>"),
        (r"\hat{x}", "<mover accent=\"true\"><mi>x</mi><mo stretchy=\"false\">^</mo></mover>"),
        (
            r"\underbrace{x}_{n}",
            "<munder><munder accentunder=\"true\"><mi>x</mi><mo stretchy=\"true\">⏟</mo></munder><mi>n</mi></munder>",
        ),
        (
            r"\left(x\right]",
            "<mrow><mo form=\"prefix\" fence=\"true\" stretchy=\"true\">(</mo><mi>x</mi><mo form=\"postfix\" fence=\"true\" stretchy=\"true\">]</mo></mrow>",
        ),
        (
            r"\begin{pmatrix}a&b\end{pmatrix}",
            "<mrow><mo form=\"prefix\" fence=\"true\" stretchy=\"true\">(</mo><mtable><mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr></mtable><mo form=\"postfix\" fence=\"true\" stretchy=\"true\">)</mo></mrow>",
        ),
        (r"\quad", "<mspace width=\"1.0000em\"/>"),
        (r"\cancel{x}", "<mrow class=\"struck up\"><mi>x</mi></mrow>"),
        (r"\boxed{x}", "<mrow class=\"boxed\"><mi>x</mi></mrow>"),
    ] {
        assert_eq!(mathml(source), expected, "{source}");
    }
    let display = body("$$ E = mc^2 \\tag{3} $$\n");
    assert!(
        display.contains(
            "<span class=\"equation\"><math display=\"block\" alttext=\"E = mc^2 \\tag{3}\">"
        ) && display.contains("<span class=\"tag\">(3)</span></span>"),
        "{display}"
    );
}

#[test]
fn every_formula_is_well_formed() {
    for source in crate::shared::math::tests::samples() {
        let doc = Doc {
            blocks: vec![crate::Block::Paragraph {
                content: vec![crate::Inline::Math { text: source.clone(), display: true }],
            }],
            ..Doc::default()
        };
        let made = html(&doc, &HtmlOptions::default()).unwrap();
        assert!(made.text.contains("<math display=\"block\""), "{source}");
        let (_, body) = made.text.split_once("<body").unwrap();
        crate::tests::texts(&format!("<body{}", body.trim_end().trim_end_matches("</html>")), None);
        let is_told = made.warnings.iter().all(|warning| warning.contains("color"));
        assert!(is_told, "{source}: {:?}", made.warnings);
    }
}

#[test]
fn formulas_that_are_not_understood_are_their_source_and_told() {
    let made = page("# T\n\na $x + \\foo{1}$ b\n\n$$\\color{red} y$$\n");
    assert!(made.text.contains("<code class=\"math\">x + \\foo{1}</code>"), "{}", made.text);
    assert_eq!(
        made.warnings,
        [
            "formulas are shown as their source, for what is not understood in them: `\\foo` (block 2)",
            "something of how formulas should look is left out: `\\color` (block 3)",
        ]
    );
}

#[test]
#[cfg(feature = "highlight")]
fn code_has_its_kinds() {
    let text = body("```rust\nfn a() {} // b<c\n```\n\n```nonsense\nfn\n```\n");
    assert!(
        text.contains("<pre><code class=\"language-rust\"><span class=\"keyword\">fn </span><span class=\"name\">a</span>() {} <span class=\"comment\">// b&lt;c</span></code></pre>")
            && text.contains("<pre><code class=\"language-nonsense\">fn</code></pre>"),
        "{text}"
    );
    let made = page(&format!("```c\n{}\n```\n", "x".repeat(600)));
    assert_eq!(
        made.warnings,
        [
            "code has no colours, as lines of more than 250 bytes and more than 128 KiB have none: `c` (block 1)"
        ]
    );
}

fn with_pictures(source: &str, files: &[(&str, Vec<u8>)]) -> Html {
    let mut pictures = crate::Pictures::default();
    files.iter().for_each(|(name, file)| pictures.insert(name, file.clone().into()));
    let options = HtmlOptions { common: CommonOptions { pictures, ..CommonOptions::default() } };
    html(&markdown(source).unwrap(), &options).unwrap()
}

#[test]
fn pictures_stand_in_the_page_itself() {
    use crate::shared::picture::samples;

    let svg = samples::SVG.as_bytes().to_vec();
    let page = with_pictures(
        "![a \"b\" <i>](a.svg \"标题 <x>\")\n\n[![c](a.svg)](https://a.test) x ![](a.svg \"tip\") ![d](none.png \"t\")\n\n[![e](a.svg)](#none)\n",
        &[("a.svg", svg)],
    );
    assert!(
        page.text.contains("default-src 'none'; style-src")
            && page.text.contains("; img-src data:; base-uri")
    );
    let body = page.text.split_once("<main>").unwrap().1.split_once("</main>").unwrap().0;
    let body = body.replace(&base64::engine::general_purpose::STANDARD.encode(samples::SVG), "…");
    insta::assert_snapshot!(body, @r#"
    <figure><img width="120" height="60" alt="a &quot;b&quot; &lt;i&gt;" src="data:image/svg+xml;base64,…"/>
    <figcaption>标题 &lt;x&gt;</figcaption></figure>
    <p><a rel="noopener noreferrer" href="https://a.test"><img width="120" height="60" alt="c" src="data:image/svg+xml;base64,…"/></a> x <img width="120" height="60" alt="" title="tip" src="data:image/svg+xml;base64,…"/> <span class="image">[图：d (t)]</span></p>
    <figure><img width="120" height="60" alt="e" src="data:image/svg+xml;base64,…"/></figure>
    "#);
    insta::assert_snapshot!(page.warnings.join("\n"), @"
    images are not shown, their descriptions are: `d` (block 2: `none.png`: it was not given)
    links are text only, as they do not lead to `http`, `https`, `mailto`, a heading or a file beside the document: `#none` (block 3)
    ");
    assert!(
        !html(&markdown("x").unwrap(), &HtmlOptions::default()).unwrap().text.contains("img-src")
    );
}

#[test]
fn a_large_picture_of_many_places_stands_in_the_page_once() {
    let mut state = 1_u32;
    let noise = image::RgbImage::from_fn(200, 200, |_, _| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        image::Rgb([(state >> 8) as u8, (state >> 16) as u8, (state >> 24) as u8])
    });
    let mut file = std::io::Cursor::new(Vec::new());
    noise.write_to(&mut file, image::ImageFormat::Png).unwrap();
    let file = file.into_inner();
    assert!(file.len() > 100_000);
    let source = "![a](a.png)\n\n".repeat(500) + "x ![](a.png \"t\")\n";
    let page = with_pictures(&source, &[("a.png", file.clone())]);
    assert_eq!(page.text.matches("data:image/png").count(), 1);
    assert_eq!(page.text.matches("<use href=\"#picture:0\"/>").count(), 501);
    assert_eq!(page.text.matches("role=\"img\" aria-label=\"a\"").count(), 500);
    assert!(page.text.len() < 2 * file.len() + 200_000, "{}", page.text.len());
    let once = with_pictures("![a](a.png)\n", &[("a.png", file)]);
    assert!(once.text.contains("<img ") && !once.text.contains("<use"));
}

const CHART: &str = "## 结果\n\n| 季度 | 收入 | 利润率 |\n|---|---:|---:|\n| 一季度 | 12 | 5% |\n| 二季度 | 15 | 8% |\n\n```chart\ntype: combined\ntitle: 收入<增长>\ntable: above\n```\n\n> ```chart\n> type: pie\n> |a|b|\n> |-|-|\n> |x|1|\n> |y|2|\n> ```\n";

#[test]
fn charts_are_part_of_the_page_and_say_what_they_show() {
    let page = page(CHART);
    assert_eq!(page.warnings, [""; 0]);
    let text = page.text;
    for part in [
        "role=\"img\" aria-labelledby=\"chart:1 chart-text:1\"><title id=\"chart:1\">收入&lt;增长&gt;</title>",
        "<desc id=\"chart-text:1\">柱线组合图“收入&lt;增长&gt;”，2 项，从 一季度 到 二季度。收入：一季度 12，二季度 15。利润率：一季度 5%，二季度 8%。</desc>",
        "<title id=\"chart:2\">",
        ">8%</text>",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    // The policy of the page allows neither inline styles nor anything external.
    assert!(
        !text.contains("style=") && !text.contains("href=\"http") && !text.contains("url("),
        "{text}"
    );
    let mut reader = quick_xml::Reader::from_str(&text);
    while !matches!(reader.read_event().unwrap(), quick_xml::events::Event::Eof) {}
}

#[test]
fn what_of_a_chart_is_not_shown_is_told() {
    let names: String =
        (0..50).map(|at| format!("| Department of long name {} | 1 |\n", "x".repeat(at))).collect();
    let page = page(&format!(
        "# T\n\n```chart\ntype: combined\ntitle: A\n| a | b |\n|---|---|\n{names}```\n"
    ));
    insta::assert_snapshot!(page.warnings.join("\n"));
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
    // With its heading, on a page of its own; within a quotation the page is not turned.
    assert!(text.contains("<h1 id=\"b\" class=\"turned\">"), "{text}");
    assert_eq!(text.matches(" turned\" role=\"region\"").count(), 1, "{text}");
    assert!(
        style::STYLE.contains(".a4 .turned{page:turned-a4}")
            && style::STYLE.contains("@page turned-letter{size:Letter landscape}")
    );
    // Screen readers can skip the contents.
    let contents =
        HtmlOptions { common: CommonOptions { contents: true, ..CommonOptions::default() } };
    let doc = markdown("# T\n\n## A\n").unwrap();
    let text = html(&doc, &contents).unwrap().text;
    assert!(
        text.contains("<a class=\"skip\" href=\"#main:\">Skip to the text</a>")
            && text.contains("<main id=\"main:\">")
    );
}
