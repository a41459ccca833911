//! Tests books, notebooks, JSON, XML and feeds of independent producers, damaged files, and files that exceed limits.

use mitt_reader_kit::{Cell, Content, ENCRYPTED, Error, File};
use std::io::Write as _;
use zip::write::{SimpleFileOptions, ZipWriter};

fn try_read(name: &str, bytes: &[u8]) -> Result<Content, Error> {
    let extension = name.rsplit_once('.').unwrap().1.into();
    reader_web::read(bytes, &File { name: name.into(), extension, password: None })
}

fn read(name: &str, bytes: &[u8]) -> Content {
    try_read(name, bytes).unwrap()
}

fn fixture(name: &str) -> Content {
    let path = format!("{}/tests/files/{name}", env!("CARGO_MANIFEST_DIR"));
    read(name, &std::fs::read(path).unwrap())
}

fn labels(content: &Content) -> Vec<&str> {
    content.places.iter().map(|it| it.label.as_str()).collect()
}

fn number(text: &str) -> Cell {
    Cell::Number(text.into())
}

fn text(text: &str) -> Cell {
    Cell::Text(text.into())
}

#[test]
fn books_are_read_in_order() {
    for (name, chapters) in [
        ("epub3.epub", &["chapter 1: Title Page", "chapter 2: 第一回", "chapter 3: 第二回"][..]),
        (
            "epub2.epub",
            &[
                "chapter 1: 红楼梦选读",
                "chapter 2: 红楼梦选读",
                "chapter 3: 第一回",
                "chapter 4: 第二回",
            ],
        ),
    ] {
        let content = fixture(name);
        assert_eq!(labels(&content), chapters, "{name}");
        assert_eq!(content.title.as_deref(), Some("红楼梦选读"));
        for pair in [
            ("author", "曹雪芹, Gao E"),
            ("language", "zh-CN"),
            ("published", "1791-01-01"),
            ("publisher", "程甲本"),
        ] {
            let pair = (pair.0.to_owned(), pair.1.to_owned());
            assert!(content.metadata.contains(&pair), "{name}: {pair:?}");
        }
        let chapter = content.places.iter().rfind(|it| it.label.ends_with("第一回")).unwrap();
        let chapter_text = &content.markdown[chapter.at..];
        assert!(
            chapter_text.starts_with("# 第一回\n\n甄士隐梦幻识通灵[^1]，贾雨村"),
            "{chapter_text}"
        );
        assert!(content.markdown.contains("[^1]: 此处为**脚注**。\n"), "{}", content.markdown);
        assert!(content.markdown.contains("1. First\n2. Second\n   - nested\n\n> 满纸荒唐言\n"));
        let table = &content.tables[0];
        assert_eq!(
            (table.name.as_str(), table.place.as_deref()),
            ("人物", Some(chapter.label.as_str()))
        );
        assert_eq!(table.data.rows[1], [text("黛玉"), number("12")]);
        assert_eq!(content.warnings, [] as [&str; 0], "{name}");
    }
}

fn packed(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, content) in files {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

const PACKAGE: &[u8] = b"<package><metadata/><manifest><item id='a' href='a%20b.xhtml' media-type='application/xhtml+xml'/>
<item id='b' href='../gone.xhtml' media-type='application/xhtml+xml'/></manifest><spine><itemref idref='a'/><itemref idref='b'/></spine></package>";

#[test]
fn books_that_are_locked_damaged_or_too_much() {
    let locked =
        std::fs::read(format!("{}/tests/files/drm.epub", env!("CARGO_MANIFEST_DIR"))).unwrap();
    assert_eq!(try_read("drm.epub", &locked), Err(Error::Unsupported(ENCRYPTED.into())));
    // Obfuscated fonts encrypt no text. An empty title in XHTML does not swallow the page.
    let fonts = b"<encryption><EncryptedData><EncryptionMethod Algorithm='http://www.idpf.org/2008/embedding'/></EncryptedData></encryption>";
    let page = b"<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'><head><title/><script src='x'/></head><body><p>Text<a id='x'/></p></body></html>";
    let book =
        packed(&[("META-INF/encryption.xml", fonts), ("b/c.opf", PACKAGE), ("b/a b.xhtml", page)]);
    let content = read("a.epub", &book);
    assert_eq!(content.markdown, "Text\n");
    assert_eq!(labels(&content), ["chapter 1"]);
    assert_eq!(
        content.warnings,
        ["chapters that the book names and does not have: 1, first gone.xhtml"]
    );

    for (bytes, expected) in [
        (&book[..book.len() / 2], "the book is damaged"),
        (&packed(&[("a.txt", b"x")]), "it has no list of its files"),
        (&packed(&[("c.opf", b"<package>")]), "c.opf at line 1, column 10"),
        (&packed(&[("c.opf", PACKAGE)]), "none of its chapters is in it"),
    ] {
        let error = try_read("a.epub", bytes).unwrap_err();
        assert!(matches!(&error, Error::Malformed(text) if text.contains(expected)), "{error:?}");
    }
    let bomb = packed(&[("c.opf", PACKAGE), ("a b.xhtml", &vec![b' '; 40 << 20])]);
    assert!(matches!(try_read("a.epub", &bomb), Err(Error::Quota(_))));
}

#[test]
fn notebooks_are_their_cells_and_what_these_printed() {
    let four = fixture("four.ipynb");
    insta::assert_snapshot!(four.markdown, @r#"
    # 分析

    Some *text*.

    In [3]:

    ```python
    print('hello')
    df
    ```

    ```
    hello
    ```

    | 月份 | 收入 |
    | --- | --- |
    | 一月 | 12.5 |
    | 二月 | 13.0 |

    In [4]:

    ```python
    1/0
    ```

    ```
    ZeroDivisionError: division by zero
    ```

    In [ ]:

    ```python
    plot()
    ```

    [picture: cell-4-output-1.png]
    "#);
    assert_eq!(labels(&four), ["cell 1", "cell 2", "cell 3", "cell 4"]);
    assert_eq!(four.parts[0].name, "cell-4-output-1.png");
    assert!(four.parts[0].bytes.starts_with(b"\x89PNG"));
    let table = &four.tables[0];
    assert_eq!(table.place.as_deref(), Some("cell 2"));
    assert_eq!(table.data.rows[0], [text("一月"), number("12.5")]);
    assert_eq!(fixture("three.ipynb").markdown, four.markdown);
    let progress = r#"{"cells": [{"cell_type": "code", "source": [], "outputs": [{"output_type": "stream", "text": ["10%\r", "\u001b[32m100%\u001b[0m\n"]}]}]}"#;
    assert_eq!(read("a.ipynb", progress.as_bytes()).markdown, "```\n100%\n```\n");
    let long = format!(
        r#"{{"cells": [{{"cell_type": "code", "source": "x", "outputs": [{{"output_type": "stream", "text": "{}"}}]}}]}}"#,
        "y".repeat(50_000)
    );
    let long = read("a.ipynb", long.as_bytes());
    assert_eq!(
        (long.warnings.as_slice(), long.markdown.len() < 21_000),
        (&["long outputs were cut: 1".to_owned()][..], true)
    );
    for (damaged, expected) in [("{\"cells\": [", "line 1, column 11"), ("{}", "no list of cells")]
    {
        let error = try_read("a.ipynb", damaged.as_bytes()).unwrap_err();
        assert!(matches!(&error, Error::Malformed(text) if text.contains(expected)), "{error:?}");
    }
}

#[test]
fn json_keeps_every_digit_and_finds_its_tables() {
    let content = read(
        "a.json",
        r#"{"title": "Trades", "meta": {"n": 2}, "data": {"items": [
            {"id": 12345678901234567890123, "price": 0.10000000000000000000001, "name": "\u87ba\u6813", "tags": ["a", {"b": 1.50}], "ok": true},
            {"id": 2, "price": 1.5e3, "code": "007", "late": null}]}}"#.as_bytes(),
    );
    insta::assert_snapshot!(content.markdown, @r#"
    {
      "title": "Trades",
      "meta": {"n": 2},
      "data": {
        "items": [
          {
            "id": 12345678901234567890123,
            "price": 0.10000000000000000000001,
            "name": "螺栓",
            "tags": [
              "a",
              {"b": 1.50}
            ],
            "ok": true
          },
          {"id": 2, "price": 1.5e3, "code": "007", "late": null}
        ]
      }
    }
    "#);
    assert_eq!(content.title.as_deref(), Some("Trades"));
    let table = &content.tables[0];
    assert_eq!(
        (table.name.as_str(), table.data.columns.join(" ")),
        ("data.items", "id price name tags ok code late".into())
    );
    let rows = &table.data.rows;
    assert_eq!(
        rows[0][..4],
        [
            number("12345678901234567890123"),
            number("0.10000000000000000000001"),
            text("螺栓"),
            text(r#"["a",{"b":1.50}]"#)
        ]
    );
    assert_eq!(
        rows[1],
        [number("2"), number("1500"), Cell::Null, Cell::Null, Cell::Null, text("007"), Cell::Null]
    );

    // A single table has no text, because the host shows its start.
    let records = fixture("records.json");
    assert_eq!(
        (records.markdown.as_str(), records.tables[0].data.columns.join(" ")),
        ("", "id 名称 price".into())
    );
    let names: Vec<_> = fixture("table.json").tables.iter().map(|it| it.name.clone()).collect();
    assert_eq!(names, ["schema.fields", "data"]);
    let grid = read("a.json", br#"[["month", "dau"], ["January", 12], ["May", null]]"#);
    assert_eq!(
        grid.tables[0].data.rows,
        [vec![text("January"), number("12")], vec![text("May"), Cell::Null]]
    );
    // Values that are not tables.
    for plain in ["[1, 2, 3]", "\"text\"", "[[1, 2], [3]]", "{}", "[]", "null", "[{}]"] {
        let content = read("a.json", plain.as_bytes());
        let shown = content.markdown.replace(['\n', ' '], "");
        assert_eq!((content.tables.len(), shown), (0, plain.replace(' ', "")), "{plain}");
    }
}

#[test]
fn long_json_is_shown_by_its_beginning() {
    let records: Vec<String> =
        (0..2_000).map(|n| format!(r#"{{"n": {n}, "text": "record number {n}"}}"#)).collect();
    let content =
        read("a.json", format!(r#"{{"about": "x", "rows": [{}]}}"#, records.join(",")).as_bytes());
    assert_eq!(content.tables[0].data.rows.len(), 2_000);
    insta::assert_snapshot!(content.markdown, @r#"
    {
      "about": "x",
      "rows": [
        {"n": 0, "text": "record number 0"},
        {"n": 1, "text": "record number 1"},
        {"n": 2, "text": "record number 2"},
        … 1997 more, in the table `rows`
      ]
    }
    "#);
    assert_eq!(
        content.warnings,
        ["the text shows the first records of long arrays: all of them are in the tables"]
    );
}

#[test]
fn lines_of_json_are_a_table() {
    assert_eq!(
        fixture("records.jsonl").tables[0].data.rows[1],
        [number("2"), text("螺母"), number("0.35")]
    );
    let content =
        read("a.jsonl", b"{\"a\": 1}\n{\"a\": 2, \"b\": \"x\"}\n\n{\"a\": \n{\"a\": 4}\n");
    assert_eq!(content.tables[0].data.rows.len(), 3);
    assert_eq!(
        content.warnings,
        ["1 of 4 lines are no JSON and were left out, first line 4, at column 5"]
    );
    // JSON lines in a `.json` file, and a JSON value in a `.jsonl` file.
    assert_eq!(read("a.json", b"{\"a\": 1}\n{\"a\": 2}\n").tables[0].data.rows.len(), 2);
    assert_eq!(
        read("a.jsonl", b"[\n  {\"a\": 1},\n  {\"a\": 2}\n]\n").tables[0].data.rows.len(),
        2
    );
}

#[test]
fn damaged_data_is_a_text_with_its_place() {
    let content = read("a.json", b"{\"a\": 1,\n \"b\": tru}");
    assert_eq!(content.markdown, "{\"a\": 1,\n \"b\": tru}");
    assert_eq!(
        content.warnings,
        ["the JSON is damaged at line 2, column 10: it is given as the text that it is"]
    );
    for (damaged, expected) in [
        ("<a>\n  <b></a>", "line 2, column 6"),
        ("<a><b>", "an element is not closed"),
        ("<a/><b/>", "a second root element"),
        ("only text", "there is no element"),
    ] {
        let content = read("a.xml", damaged.as_bytes());
        assert_eq!(content.markdown, damaged);
        assert!(content.warnings[0].contains(expected), "{:?}", content.warnings);
    }
}

#[test]
fn xml_is_its_text_and_its_records() {
    let content = fixture("records.xml");
    assert!(
        content.markdown.starts_with("<?xml version='1.0' encoding='utf-8'?>\n<data>\n"),
        "{}",
        content.markdown
    );
    assert_eq!(content.tables[0].data.rows[1], [number("2"), text("螺母"), number("0.35")]);
    let content = read(
        "a.xml",
        "<r xmlns:x='urn:x'><head><v>1</v></head><orders><o id='007'><x:to><city>上海</city></x:to><tag>a</tag><tag>b</tag><p currency='EUR'>1.50</p></o>
        <o id='8'><x:to><city>Ulm &amp; &#x5e74;</city></x:to><note><![CDATA[<raw>]]></note></o></orders></r>".as_bytes(),
    );
    let table = &content.tables[0];
    assert_eq!(
        (table.name.as_str(), table.data.columns.join(" ")),
        ("orders", "id to.city tag p.currency p note".into())
    );
    assert_eq!(
        table.data.rows[0],
        [text("007"), text("上海"), text("a; b"), text("EUR"), number("1.50"), Cell::Null]
    );
    assert_eq!(table.data.rows[1][1], text("Ulm & 年"));
    assert_eq!(table.data.rows[1][5], text("<raw>"));
    // Drawings, subtitles and documents have no records.
    for plain in [
        "<svg><path d='M0'/><path d='M1'/></svg>",
        "<doc><p>Some <b>bold</b> text</p><p>and <i>more</i></p></doc>",
        "<a><b>1</b></a>",
    ] {
        let content = read("a.xml", plain.as_bytes());
        assert_eq!(
            (content.tables.len(), content.markdown.as_str(), content.warnings.len()),
            (0, plain, 0)
        );
    }
    let long: String =
        (0..3_000).map(|n| format!("<o><id>{n}</id><name>record</name></o>\n")).collect();
    let content = read("a.xml", format!("<all>\n{long}</all>").as_bytes());
    assert_eq!(
        (content.tables[0].data.rows.len(), content.markdown.chars().count() <= 40_003),
        (3_000, true)
    );
    assert!(
        content.warnings[0].contains("its records are in the tables"),
        "{:?}",
        content.warnings
    );
}

#[test]
fn feeds_are_their_entries() {
    let rss = fixture("feed.rss.xml");
    insta::assert_snapshot!(rss.markdown, @r#"
    # 示例 Feed

    News of an example

    ## [第 1 条 & more](https://example.org/1)

    Sat, 01 Feb 2025 00:00:00 +0000 · li@example.org (Li Lei)

    Text **1** with a [link](https://example.org/x).

    ## [第 2 条 & more](https://example.org/2)

    Sun, 02 Feb 2025 00:00:00 +0000 · li@example.org (Li Lei)

    Text **2** with a [link](https://example.org/x).
    "#);
    let atom = fixture("feed.atom.xml");
    assert!(atom.markdown.contains("## [第 2 条 & more](https://example.org/2)\n\n2025-02-02T00:00:00+00:00 · Li Lei\n\nText **2**"), "{}", atom.markdown);
    assert_eq!(atom.tables[0].data.columns, ["title", "link", "date", "author"]);
    let xhtml = "<feed xmlns='http://www.w3.org/2005/Atom'><title>T</title><entry><title type='html'>A &amp;lt;b&amp;gt;</title><content type='xhtml'><div xmlns='http://www.w3.org/1999/xhtml'><p>One <em>two</em></p></div></content></entry></feed>";
    let content = read("a.xml", xhtml.as_bytes());
    assert!(content.markdown.ends_with("One *two*\n"), "{}", content.markdown);
}

#[test]
fn nothing_is_expanded_or_fetched() {
    let bomb = "<!DOCTYPE a [<!ENTITY x \"xxxxxxxxxx\"><!ENTITY y \"&x;&x;&x;&x;\"><!ENTITY z SYSTEM \"file:///etc/passwd\">]><rss><channel><title>&y;&z;</title><item><title>&y;</title></item></channel></rss>";
    let content = read("a.xml", bomb.as_bytes());
    assert!(
        !content.markdown.contains("xxxxxxxxxx") && !content.markdown.contains("root:"),
        "{}",
        content.markdown
    );
    assert!(content.markdown.contains("&y;"), "{}", content.markdown);
    // Deeply nested elements are text.
    let deep = format!("{}{}", "<a>".repeat(100_000), "</a>".repeat(100_000));
    assert!(read("a.xml", deep.as_bytes()).warnings[0].contains("500 in one another"));
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(read("a.json", deep.as_bytes()).markdown.matches('[').count(), 100_000);
    let deep = format!("[{{\"a\": {deep}}}]");
    assert_eq!(
        read("a.json", deep.as_bytes()).tables[0].data.rows[0],
        [text(&deep[7..deep.len() - 2])]
    );
    let wide: Vec<String> = (0..1_100).map(|n| format!("\"c{n}\": {n}")).collect();
    let content = read("a.json", format!("[{{{}}}]", wide.join(",")).as_bytes());
    assert_eq!((content.tables.len(), content.warnings.len()), (0, 1));
}
