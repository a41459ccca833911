//! Tests web pages as Markdown, and the warnings about what is left out.

use mitt_reader_kit::{Cell, Content, File};

fn read(html: &str) -> Content {
    read_bytes(html.as_bytes())
}

fn read_bytes(bytes: &[u8]) -> Content {
    let file = File { name: "page.html".into(), extension: "html".into(), password: None };
    reader_web::read(bytes, &file).unwrap()
}

/// Returns a text that is long enough to be the main text.
fn sentences(count: usize) -> String {
    (0..count)
        .map(|n| format!("<p>Sentence number {n}, of a text that is read, and not skipped.</p>"))
        .collect()
}

#[test]
fn what_stands_in_a_page_is_markdown() {
    let content = read(
        "<!DOCTYPE html><html lang=zh-CN><title>年报</title><base href='https://example.org/a/'>
        <h1>Title <b>bold</b></h1><p>One <b>two </b>three<i> four</i>, <a href='b.html'>a link</a>, <a href='javascript:x()'>none</a>,
        <code>a `b`</code> x<sup>2</sup> H<sub>2</sub>O 10<sup>th</sup> <img src=x.png alt='A [chart]'> <del>old</del> 漢<ruby>字<rt>zi</rt></ruby></p>
        <ol start=3><li>three<ul><li>nested<li>again</ul><li><p>four</p><p>more</p></ol>
        <dl><dt>Term<dd>What it is<dd>And more</dl>
        <blockquote><p>Said</p><p>twice</p></blockquote>
        <pre><code class='language-rust'>fn main() {\n    // ```\n}</code></pre><hr>
        <p># no heading</p><p>1. no list</p><details><summary>More</summary>inside</details>
        <p>line<br>break<br></p><math alttext='x^2'><mi>x</mi></math>",
    );
    insta::assert_snapshot!(content.markdown, @r#"
    # Title bold

    One **two** three *four*, [a link](https://example.org/a/b.html), none, `` a `b` `` x² H₂O 10th [picture: A \[chart]] ~~old~~ 漢字(zi)

    3. three
       - nested
       - again
    4. four

       more

    Term
    : What it is
    : And more

    > Said
    >
    > twice

    ````rust
    fn main() {
        // ```
    }
    ````

    ---

    \# no heading

    1\. no list

    **More**

    inside

    line\
    break

    $x^2$
    "#);
    assert_eq!(content.title.as_deref(), Some("年报"));
    assert_eq!(content.warnings, [] as [&str; 0]);
}

#[test]
fn cells_stand_in_their_columns() {
    let content = read(
        "<h2>Sums</h2><table><caption>By region</caption><thead><tr><th rowspan=2>Region<th colspan=2>Q1<th rowspan=2>Sum
        <tr><th>sales<th>cost<tbody><tr><td rowspan=2>East<td>1<td>0.50<td>3<tr><td>2<td>007<td>4<tr><td colspan=3>West, together<td><b>5</b></table>
        <table><tr><td>Name<td>Bob<tr><td>Age<td>7</table>
        <table role=presentation><tr><td>left<td>right</table>
        <table><tr><td><table><tr><th>x<th>y<tr><td>1<td>2</table><td>beside</table>",
    );
    insta::assert_snapshot!(content.markdown, @r#"
    ## Sums

    By region

    | Region | Q1 sales | Q1 cost | Sum |
    | --- | --- | --- | --- |
    | East | 1 | 0.50 | 3 |
    | East | 2 | 007 | 4 |
    | West, together |  |  | **5** |

    |  |  |
    | --- | --- |
    | Name | Bob |
    | Age | 7 |

    left

    right

    | x | y |
    | --- | --- |
    | 1 | 2 |

    beside
    "#);
    let shown: Vec<_> =
        content.tables.iter().map(|it| (it.name.as_str(), it.data.columns.join("/"))).collect();
    insta::assert_debug_snapshot!(shown, @r#"
    [
        (
            "By region",
            "Region/Q1 sales/Q1 cost/Sum",
        ),
        (
            "Sums",
            "column_1/column_2",
        ),
        (
            "Sums",
            "x/y",
        ),
    ]
    "#);
    let first = &content.tables[0].data.rows;
    assert_eq!(first[1][0], Cell::Text("East".into()));
    assert_eq!(first[0][2], Cell::Number("0.50".into()));
    assert_eq!(first[1][2], Cell::Text("007".into()));
    assert_eq!(first[2][1..], [Cell::Null, Cell::Null, Cell::Number("5".into())]);
}

#[test]
fn footnotes_are_marked_and_kept() {
    let content = read(
        "<p>Claim<sup id=r1><a href='#n1'>[1]</a></sup> and another<a href='#n2' role=doc-noteref id=r2>2</a>, again<sup><a href='#n1'>1</a></sup>.
        See <a href='#part'>below</a>.</p><ol><li id=n1><a href='#r1'>^</a> First note.<li id=n2><p>Second. <a href='#r2' role=doc-backlink>↩</a></p></ol><p id=part>Part</p>",
    );
    insta::assert_snapshot!(content.markdown, @r#"
    Claim[^1] and another[^2], again[^1]. See below.

    [^1]: First note.
    [^2]: Second.

    Part
    "#);
}

#[test]
fn what_is_around_the_text_is_left_out_and_told() {
    let page = format!(
        "<body><header><a href=/>Logo</a></header><nav><ul><li><a href=/a>Menu entry</a></ul></nav>
        <div class='cookie-banner'>We value your privacy</div><main><article><h1>The title</h1>{}</article></main>
        <aside>Advertisement</aside><div class=related-posts><a href=/x>Another story</a></div><footer>Imprint</footer><script>var hidden = 1</script>",
        sentences(8)
    );
    let content = read(&page);
    assert!(
        content.markdown.starts_with("# The title\n\nSentence number 0"),
        "{}",
        content.markdown
    );
    for word in ["Logo", "Menu", "privacy", "Advertisement", "Another", "Imprint", "hidden"] {
        assert!(!content.markdown.contains(word), "{word}");
    }
    assert!(
        content.warnings[0].starts_with("what is around the text of the page was left out"),
        "{:?}",
        content.warnings
    );
    // Without elements that mark the text, the place of the sentences decides.
    let plain = page.replace("main>", "div>").replace("article>", "div>");
    assert_eq!(read(&plain).markdown, content.markdown);
    // A page with hardly any text is kept whole.
    let short = read("<nav>Only this</nav><div class=menu>and that</div>");
    assert_eq!((short.markdown.as_str(), short.warnings.len()), ("Only this\n\nand that\n", 0));
    // A list of links is a page too.
    let links: String =
        (0..40).map(|n| format!("<li><a href=/{n}>Chapter {n} of the handbook</a>")).collect();
    assert!(read(&format!("<h1>Contents</h1><ul>{links}</ul>")).markdown.contains("Chapter 39"));
}

#[test]
fn text_that_nobody_sees_is_left_out_and_told() {
    for hidden in [
        "<p hidden>SECRET</p>",
        "<p aria-hidden=true>SECRET</p>",
        "<p style='display : none !important'>SECRET</p>",
        "<p style='visibility:hidden'>SECRET</p>",
        "<p style='opacity:0'>SECRET</p>",
        "<p style='font-size:0px'>SECRET</p>",
        "<p style='color:#FFF;background:white'>SECRET</p>",
        "<p style='color:white'>SECRET</p>",
        "<div bgcolor=black><font color='#000000'>SECRET</font></div>",
        "<p style='position:absolute;left:-9999px'>SECRET</p>",
        "<p style='text-indent:-9999px'>SECRET</p>",
        "<p style='width:0;height:0'>SECRET</p>",
        "<p style='height:0;overflow:hidden'>SECRET</p>",
        "<p style='color:transparent'><b>SECRET</b></p>",
        "<dialog>SECRET</dialog>",
    ] {
        let content = read(&format!("<body><p>Seen</p>{hidden}"));
        assert_eq!(content.markdown, "Seen\n", "{hidden}");
        assert_eq!(
            content.warnings,
            ["text that the page hides from people was left out: 6 characters in 1 places"],
            "{hidden}"
        );
    }
    for seen in [
        "<p style='color:white;background:navy'>SEEN</p>",
        "<p style='opacity:0.9'>SEEN</p>",
        "<p style='font-size:0.8em'>SEEN</p>",
        "<style>p{background:navy}</style><p style='color:white'>SEEN</p>",
        "<p style='color:white'><b style='color:black'>SEEN</b></p>",
    ] {
        assert!(read(&format!("<body>{seen}")).markdown.contains("SEEN"), "{seen}");
    }
    for kept_apart in [
        "<script>SECRET</script>",
        "<template>SECRET</template>",
        "<!-- SECRET -->",
        "<input type=hidden value=SECRET>",
    ] {
        assert_eq!(read(&format!("<body><p>Seen</p>{kept_apart}")).markdown, "Seen\n");
    }
}

#[test]
fn text_that_style_sheets_hide_is_left_out_and_told() {
    let page =
        |css: &str, body: &str| read(&format!("<head><style>{css}</style><body><p>Seen</p>{body}"));
    let secret = "<div class='a b' id=c><p>SECRET</p></div>";
    for css in [
        ".a{display:none}",
        "#c { DISPLAY : None !important }",
        "div{visibility:hidden}",
        "p+p,.b{opacity:0}",
        ".a p{font-size:0}",
        "body > .a > p{text-indent:-9999px}",
        ".b{position:absolute;left:-9999px}",
        ".a.b{color:#fff;background:white}",
        ".a{background:#000}.a p{color:black}",
        "@media screen{.a{display:none}}",
        "@media (min-width:600px){.a{display:none}}",
        "@layer x{@supports (display:grid){.a{display:none}}}",
        "/* .a{} */ .x{content:'}'} .a{display:none}",
        "html .a{display:none} .a{display:block}",
        "div[id=c]{display:none}",
        ":root .a{display:none}",
    ] {
        let content = page(css, secret);
        assert_eq!(content.markdown, "Seen\n", "{css}");
        assert_eq!(
            content.warnings,
            ["text that the page hides from people was left out: 6 characters in 1 places"],
            "{css}"
        );
    }
    for css in [
        "@media print{.a{display:none}}",
        "@media (max-width:600px){.a{display:none}}",
        ".a:hover{display:none}",
        ".z .a{display:none}",
        "p > .a{display:none}",
        ".a{display:none} #c{display:block}",
        ".a{display:none} div.a:first-child{display:block} .a:not(.z){display:block}",
        ".a{display:none!important} .a{display:block!important}",
        ".a{opacity:0;animation:in 1s}",
        ".a{color:white;background:navy}",
        ".a{font-size:0} .a p{font-size:12px}",
        ".a{color:inherit;background:inherit}",
        "@keyframes x{from{opacity:0}} .broken{",
        "{{{;;;}}} @media {",
    ] {
        assert!(page(css, secret).markdown.contains("SECRET"), "{css}");
    }
    assert_eq!(read("<style media=print>p{display:none}</style><p>SEEN</p>").markdown, "SEEN\n");
    let long = format!("{}{{display:none}}", ".a".repeat(1_000));
    assert!(page(&long, secret).markdown.contains("SECRET"));
    // Thousands of rules, and long selectors, end in time.
    let many: String = (0..60_000).map(|n| format!(".c{n} .d{n} > p{{display:none}}")).collect();
    let content = page(&many, &"<p class=c1>SEEN</p>".repeat(300));
    assert!(content.markdown.contains("SEEN"));
    assert!(
        content.warnings.iter().any(|it| it.contains("style sheets")),
        "{:?}",
        content.warnings
    );
}

#[test]
fn what_scripts_unfold_is_kept_and_told() {
    let told = |content: &Content, what: &str| content.warnings.iter().any(|it| it.contains(what));
    for folded in [
        "<button aria-controls=x>More</button><div id=x hidden>FOLDED</div>",
        "<div role=tabpanel style='display:none'>FOLDED</div>",
        "<style>.accordion-body{display:none}</style><div class=accordion-body>FOLDED</div>",
        "<style>.x{max-height:0;overflow:hidden}</style><div class=x>FOLDED</div>",
    ] {
        let content = read(&format!("<body><p>Seen</p>{folded}"));
        assert!(content.markdown.contains("FOLDED"), "{folded}: {}", content.markdown);
        assert!(
            told(&content, "folded or behind tabs was kept: 6 characters"),
            "{:?}",
            content.warnings
        );
    }
    for never in [
        "<button aria-controls=x>Menu</button><div id=x class=menu hidden>MENU</div>",
        "<nav><div role=tabpanel style='display:none'>MENU</div></nav>",
        "<div class=accordion hidden><a href=/x>MENU</a></div>",
    ] {
        assert!(!read(&format!("<body><p>Seen</p>{never}")).markdown.contains("MENU"), "{never}");
    }
    // A page that a script shows as a whole, and one that has its text for browsers without scripts.
    for (begin, end, what) in [
        ("<div style='opacity:0'>", "</div>", "until a script lets it appear was kept"),
        (
            "<style>#all{visibility:hidden}</style><div id=all>",
            "</div>",
            "until a script lets it appear",
        ),
        ("<noscript>", "</noscript>", "readers without them was taken"),
    ] {
        let content = read(&format!("<body><p>Loading</p>{begin}{}{end}", sentences(8)));
        assert!(content.markdown.contains("Sentence number 7"), "{begin}");
        assert!(told(&content, what), "{:?}", content.warnings);
    }
    // A small part of the page stays hidden.
    let content = read(
        "<body><p>Seen</p><div style='opacity:0'>SECRET INSTRUCTIONS</div><noscript>Enable scripts</noscript>",
    );
    assert_eq!(content.markdown, "Seen\n");
    // Late parts are moved to their places.
    let content = read(
        "<body><p>one</p><template id=B:0></template><p>three</p><div hidden id=S:0><p>two</p></div><div hidden id=S:9>SECRET</div>",
    );
    assert_eq!(content.markdown, "one\n\ntwo\n\nthree\n");
}

#[test]
fn the_text_is_found_inside_of_what_says_to_be_it() {
    let text = sentences(12);
    let page = format!(
        "<main><div class=post><h1>Title</h1><div class=body>{text}</div></div><div class=more><p>Other stories of today, short.</p></div></main>"
    );
    let content = read(&page);
    assert!(content.markdown.starts_with("# Title\n\nSentence number 0"), "{}", content.markdown);
    assert!(!content.markdown.contains("Other stories"), "{}", content.markdown);
    // Half of a page is not the whole page.
    let halves = format!(
        "<div><div>{text}</div></div><div><section><div><div>{text}LAST</div></div></section></div>"
    );
    assert!(read(&halves).markdown.contains("LAST"));
    // Comments are the text if there is no other.
    let answers: String = (0..9).map(|n| format!("<div class=comment><p>Answer {n}, which is a sentence of its own, with more words.</p></div>")).collect();
    assert!(read(&format!("<h1>Question</h1>{answers}")).markdown.contains("Answer 8"));
    let below =
        read(&format!("<article>{}</article><div class=comments>{answers}</div>", sentences(30)));
    assert!(!below.markdown.contains("Answer 8"), "{}", below.markdown);
}

#[test]
fn a_page_with_too_many_elements_is_read_as_far_as_it_goes() {
    let rows = "<tr><td>1<td>2</tr>".repeat(280_000);
    let content = read(&format!("<h1>Large</h1><table><tr><th>a<th>b</tr>{rows}</table><p>END"));
    assert!(content.markdown.starts_with("# Large\n\n| a | b |"));
    assert!(!content.markdown.contains("END"));
    assert!(content.tables[0].data.rows.len() > 250_000, "{}", content.tables[0].data.rows.len());
    assert!(
        content.warnings.iter().any(|it| it.contains("its end was left out, from character")),
        "{:?}",
        content.warnings
    );
}

#[test]
fn a_page_says_what_it_is() {
    let content = read(
        r#"<html lang="en"><head><title>Story - Site</title><meta property="og:title" content="Story"><meta name="description" content="About">
        <link rel="canonical" href="https://example.org/news/story"><meta property="og:site_name" content="Site">
        <script type="application/ld+json">{"@graph":[{"@type":"WebPage"},{"@type":"NewsArticle","author":[{"name":"Ann"},{"name":"Bob"}],"datePublished":"2025-03-01"}]}</script>
        </head><body><p>See <a href="../about?x=1">about</a> and <a href="/b c">this</a>."#,
    );
    assert_eq!(content.title.as_deref(), Some("Story"));
    insta::assert_debug_snapshot!(content.metadata, @r#"
    [
        (
            "author",
            "Ann, Bob",
        ),
        (
            "published",
            "2025-03-01",
        ),
        (
            "url",
            "https://example.org/news/story",
        ),
        (
            "language",
            "en",
        ),
        (
            "description",
            "About",
        ),
        (
            "site",
            "Site",
        ),
    ]
    "#);
    assert_eq!(
        content.markdown,
        "See [about](https://example.org/about?x=1) and [this](https://example.org/b%20c).\n"
    );
}

#[test]
fn chinese_pages_of_every_encoding_are_legible() {
    // `年度报告` in GBK, and `年度報告` in Big5, as their pages are stored.
    let page = |charset: &str, bytes: &[u8]| {
        let head =
            format!("<meta http-equiv=Content-Type content='text/html; charset={charset}'><p>");
        [head.as_bytes(), bytes].concat()
    };
    assert_eq!(
        read_bytes(&page("gb2312", b"\xC4\xEA\xB6\xC8\xB1\xA8\xB8\xE6")).markdown,
        "年度报告\n"
    );
    assert_eq!(read_bytes(&page("big5", b"\xA6~\xAB\xD7\xB3\xF8\xA7i")).markdown, "年度報告\n");
    let wide: Vec<u8> = "\u{feff}<p>年度报告".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(read_bytes(&wide).markdown, "年度报告\n");
}

#[test]
fn hostile_pages_end() {
    // Deep, wide and unclosed pages do not panic, and have their text.
    let deep = format!("{}deep", "<div><b>".repeat(20_000));
    let content = read(&deep);
    assert!(content.markdown.contains("deep"), "{}", content.markdown);
    assert!(content.warnings.iter().any(|it| it.contains("too deep")), "{:?}", content.warnings);
    let lists = format!("{}deep", "<ul><li>".repeat(3_000));
    assert!(read(&lists).markdown.contains("deep"));
    let quotes = format!("{}deep", "<blockquote>".repeat(3_000));
    assert!(read(&quotes).markdown.contains("deep"));
    let spans =
        "<table><tr><th colspan=99999999 rowspan=99999999>a<th>b<tr><td>1<td>2</table>".repeat(20);
    assert!(read(&spans).markdown.len() < 10_000);
    let tables = format!("{}x", "<table><tr><td>".repeat(500));
    assert!(read(&tables).markdown.contains('x'));
    // Many adjacent hidden elements, and many late parts.
    let hidden = "<p hidden>x</p>".repeat(100_000);
    assert_eq!(read(&format!("<p>Seen{hidden}")).markdown, "Seen\n");
    let late: String = (0..50_000).map(|n| format!("<template id=B:{n}></template>")).collect();
    let parts: String = (0..50_000).map(|n| format!("<div hidden id=S:{n}>x</div>")).collect();
    assert!(read(&format!("<body>{late}{parts}")).markdown.contains('x'));
    let ring =
        "<p id=a>x<sup><a href='#b'>1</a></sup></p><p id=b>y<sup><a href='#a'>2</a></sup></p>";
    assert!(read(ring).markdown.contains('y'));
    for cut in [
        "<",
        "<p",
        "<p class='",
        "<table><tr><td",
        "&#",
        "<!--",
        "<!DOCTYPE",
        "<?xml version='1.0'?><p/>x<a title='",
    ] {
        read(cut);
    }
}

#[test]
fn a_page_of_another_producer_keeps_its_table() {
    let content = read_bytes(include_bytes!("files/pandas.html"));
    let table = &content.tables[0].data;
    assert_eq!(table.columns, ["region", "team", "Q1 sales", "Q1 cost", "Q2 sales", "Q2 cost"]);
    assert_eq!(table.rows[1][0], Cell::Text("East".into()));
    assert_eq!(table.rows[2][5], Cell::Number("12".into()));
}
