//! Tests OpenDocument and RTF files of independent producers, and files that exceed limits.

use std::io::{Cursor, Write};

use mitt_reader_kit::{Cell, Content, ENCRYPTED, Error};
use reader_office::read;
use zip::write::SimpleFileOptions;

/// Returns an archive of these parts.
fn archive(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        archive.start_file(*name, SimpleFileOptions::default()).unwrap();
        archive.write_all(content).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/tests/files/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn document(name: &str) -> Content {
    read(&fixture(name), name.rsplit_once('.').unwrap().1).unwrap()
}

/// Returns a flat OpenDocument text with this content.
fn flat(styles: &str, body: &str) -> Content {
    let text = format!(
        r#"<?xml version="1.0"?><office:document office:mimetype="application/vnd.oasis.opendocument.text"><office:automatic-styles>{styles}</office:automatic-styles><office:body><office:text>{body}</office:text></office:body></office:document>"#
    );
    read(text.as_bytes(), "fodt").unwrap()
}

fn rtf(body: &str) -> Content {
    read(format!("{{\\rtf1\\ansi\\ansicpg936 {body}}}").as_bytes(), "rtf").unwrap()
}

fn value<'a>(content: &'a Content, name: &str) -> &'a str {
    content.metadata.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value)
}

#[test]
fn a_table_in_a_cell_leaves_the_columns_around_it() {
    let inner = r"\pard\intbl\itap2 p\nestcell q\nestcell{\*\nesttableprops\trowd\cellx300\cellx700\nestrow}{\nonesttables\par}";
    let outer = r"\trowd\cellx2000\cellx4000\pard\intbl";
    let content = rtf(&format!(
        r"{outer} Item\cell Amount\cell\row{outer} Outer\cell {inner}\pard\intbl tail\cell\row\pard"
    ));
    assert!(content.markdown.contains("| Item | Amount |\n"), "{}", content.markdown);
    assert!(content.markdown.contains("| Outer | p \\| q"), "{}", content.markdown);
}

#[test]
fn both_formats_say_the_same() {
    for name in ["report.odt", "report.rtf"] {
        let content = document(name);
        let text = content.markdown.replace("\n\n- 二\n\n1", "\n- 二\n1");
        // LibreOffice drops the letters of a commenter's name in RTF.
        let text = text.replace("by ??", "by 李雷");
        assert_eq!(
            text,
            "内部资料\n\n# 收入与成本\n\n正文有 **bold** 和 *italic*，面积 5 m²。\n\n> Comment by 李雷: 请核对。\n\n修订：新\n\n- 一\n\
             - 二\n1. 甲\n2. 乙\n\n## 销售\n\n| 区域 | 第一季度 | 第一季度_2 |\n| --- | --- | --- |\n| 东 | 1200 | 15% |\n\
             | 东 | 1300 | 16% |\n| 合计 | 2500 |  |\n\n末段 C:\\temp {a}\n",
            "{name}"
        );
        assert_eq!(content.title.as_deref(), Some("年度报告"), "{name}");
        assert_eq!((value(&content, "author"), value(&content, "subject")), ("王芳", "收入"));
        assert!(value(&content, "created").starts_with("2024-03-05T09:30"));
        assert_eq!(content.tables[0].data.rows[1][0], Cell::Text("东".into()));
        assert_eq!(content.warnings, Vec::<String>::new());
    }
}

#[test]
fn slides_are_places_with_their_notes() {
    let content = document("deck.odp");
    assert_eq!(
        content.markdown,
        "## 概况\n\n- 收入增长\n- 成本下降\n\n> Notes: 先讲收入。\n\n## 数据\n\n| 区域 | 金额 |\n| --- | --- |\n| 东 | 1200 |\n\n## 备用\n"
    );
    let places: Vec<_> = content
        .places
        .iter()
        .map(|place| (place.label.as_str(), content.markdown[place.at..].lines().next().unwrap()))
        .collect();
    assert_eq!(places, [("slide 1", "## 概况"), ("slide 2", "## 数据"), ("slide 3", "## 备用")]);
    assert_eq!(content.tables[0].place.as_deref(), Some("slide 2"));
    assert_eq!(content.warnings, ["slide 3 is hidden in the presentation"]);
}

#[test]
fn what_stands_in_an_open_document_is_read() {
    for (styles, body, expected) in [
        (
            "",
            "<text:p>a<text:s text:c=\"2\"/>b\n  c<text:tab/>d<text:line-break/>e</text:p>",
            "a  b c\td\\\ne\n",
        ),
        (
            "",
            "<text:p>x<text:note text:note-class=\"footnote\"><text:note-citation>1</text:note-citation><text:note-body><text:p>脚注</text:p></text:note-body></text:note></text:p>",
            "x[^1]\n\n[^1]: 脚注\n",
        ),
        (
            "",
            "<text:p><text:a xlink:href=\"https://x.org/\">l</text:a> <text:ruby><text:ruby-base>東</text:ruby-base><text:ruby-text>とう</text:ruby-text></text:ruby></text:p>",
            "[l](https://x.org/) 東(とう)\n",
        ),
        (
            "<style:style style:name=\"T1\" style:family=\"text\"><style:text-properties fo:font-weight=\"bold\"/></style:style><style:style style:name=\"T2\" style:family=\"text\"><style:text-properties text:display=\"none\"/></style:style>",
            "<text:p><text:span text:style-name=\"T1\">b</text:span><text:span text:style-name=\"T2\">hidden</text:span></text:p>",
            "**b**\n",
        ),
        (
            "",
            "<text:tracked-changes><text:changed-region><text:deletion><text:p>old</text:p></text:deletion></text:changed-region></text:tracked-changes><text:p>n<text:change text:change-id=\"c\"/>ew</text:p>",
            "new\n",
        ),
        // As LibreOffice writes it into one XML file.
        (
            "",
            "<text:tracked-changes><text:changed-region xml:id=\"1\"><text:deletion/></text:changed-region></text:tracked-changes><text:p>a<text:change-start text:change-id=\"1\"/>old<text:change-end text:change-id=\"1\"/>b</text:p>",
            "ab\n",
        ),
        (
            "",
            "<text:p>a<draw:frame><draw:text-box><text:p>box</text:p></draw:text-box></draw:frame></text:p><text:p><draw:frame><draw:image/><svg:desc>图</svg:desc></draw:frame></text:p>",
            "a\n\nbox\n\n[picture: 图]\n",
        ),
        (
            "<text:list-style style:name=\"L\"><text:list-level-style-number text:level=\"1\" style:num-format=\"1\" style:num-suffix=\".\"/></text:list-style>",
            "<text:list text:style-name=\"L\"><text:list-item><text:p>a</text:p></text:list-item></text:list><text:p>x</text:p><text:list text:style-name=\"L\" text:continue-numbering=\"true\"><text:list-item><text:p>b</text:p></text:list-item></text:list>",
            "1. a\n\nx\n\n2. b\n",
        ),
    ] {
        assert_eq!(flat(styles, body).markdown, expected, "{body}");
    }
}

/// Returns a level of a list style or of the outline style.
fn level(kind: &str, number: usize, more: &str) -> String {
    format!("<text:{kind} text:level=\"{number}\" {more}/>")
}

#[test]
fn headings_have_the_numbers_that_they_show() {
    let outline = format!(
        "<text:outline-style style:name=\"Outline\">{}{}</text:outline-style><style:style style:name=\"Plain\" style:family=\"paragraph\" style:list-style-name=\"\"/>",
        level(
            "outline-level-style",
            1,
            "style:num-format=\"一, 二, 三, ...\" style:num-prefix=\"第\" style:num-suffix=\"章\""
        ),
        level("outline-level-style", 2, "style:num-format=\"1\" loext:num-list-format=\"%2%)\"")
    );
    let heading = |level: usize, more: &str, text: &str| {
        format!("<text:h text:outline-level=\"{level}\" {more}>{text}</text:h>")
    };
    let body = [
        heading(1, "", "收入"),
        heading(2, "", "a"),
        heading(2, "text:style-name=\"Plain\"", "none"),
        heading(2, "text:is-list-header=\"true\"", "none"),
        heading(2, "", "b"),
        "<text:list><text:list-item><text:p>x</text:p></text:list-item></text:list>".to_owned(),
        heading(1, "", "成本"),
        heading(2, "text:restart-numbering=\"true\" text:start-value=\"7\"", "c"),
        heading(2, "text:restart-numbering=\"true\" text:start-value=\"-1\"", "first"),
        heading(3, "", "d"),
        "<text:list text:style-name=\"Outline\"><text:list-item><text:list><text:list-item><text:h text:outline-level=\"2\">e</text:h></text:list-item></text:list></text:list-item></text:list>".to_owned(),
    ];
    let content = flat(&outline, &body.concat());
    assert_eq!(
        content.markdown,
        "# 第一章 收入\n\n## 1) a\n\n## none\n\n## none\n\n## 2) b\n\n- x\n\n# 第二章 成本\n\n## 7) c\n\n## 1) first\n\n### d\n\n## 2) e\n"
    );
    assert_eq!(content.warnings, Vec::<String>::new());
}

#[test]
fn points_of_lists_have_the_numbers_that_they_show() {
    let number = |level_number, more: &str| level("list-level-style-number", level_number, more);
    let styles = format!(
        "<text:list-style style:name=\"L\">{}{}{}</text:list-style><text:list-style style:name=\"M\">{}</text:list-style>",
        number(1, "style:num-format=\"1\" style:num-suffix=\".\""),
        number(2, "style:num-format=\"1\" style:num-suffix=\".\" text:display-levels=\"2\""),
        level("list-level-style-bullet", 3, ""),
        number(1, "style:num-format=\"i\" style:num-prefix=\"(\" style:num-suffix=\")\""),
    );
    let list = |more: &str, items: &str| format!("<text:list {more}>{items}</text:list>");
    let item = |inner: &str| format!("<text:list-item>{inner}</text:list-item>");
    let p = |text: &str| format!("<text:p>{text}</text:p>");
    let inner = list("", &(item(&p("c")) + &item(&(p("d") + &list("", &item(&p("e")))))));
    let numbered = format!("<text:list-item text:start-value=\"9\">{}</text:list-item>", p("g"));
    let other = format!("<text:list-item text:style-override=\"M\">{}</text:list-item>", p("h"));
    let body = [
        list("text:style-name=\"L\" xml:id=\"one\"", &(item(&p("a")) + &item(&(p("b") + &inner)))),
        list("text:style-name=\"M\"", &(item(&p("x")) + &item(&p("y")))),
        // The list continues the other one. Its first item has only a nested list.
        list(
            "text:style-name=\"L\" text:continue-list=\"one\"",
            &(item(&list("", &item(&p("f")))) + &numbered + &other),
        ),
        list(
            "text:style-name=\"L\"",
            &format!("<text:list-header>{}</text:list-header>{}", p("head"), item(&p("new"))),
        ),
        "<table:table><table:table-row><table:table-cell>".to_owned()
            + &list("text:style-name=\"L\"", &(item(&p("in")) + &item(&p("cell"))))
            + "</table:table-cell><table:table-cell><text:p>z</text:p></table:table-cell></table:table-row></table:table>",
    ];
    assert_eq!(
        flat(&styles, &body.concat()).markdown,
        "1. a\n2. b\n   - 2.1. c\n   - 2.2. d\n     - e\n\n- (i) x\n- (ii) y\n\n- 2.3. f\n9. g\n- (x) h\n\n- head\n1. new\n\n| 1. in 2. cell | z |\n| --- | --- |\n"
    );
    let unknown = number(1, "style:num-format=\"Ա, Բ, Գ, ...\"");
    let styles = format!("<text:list-style style:name=\"L\">{unknown}</text:list-style>");
    let content = flat(&styles, &list("text:style-name=\"L\"", &item(&p("a"))));
    assert_eq!(content.markdown, "- 1 a\n");
    assert_eq!(
        content.warnings,
        ["automatic numbers were written in digits instead of as: `Ա, Բ, Գ, ...`"]
    );
}

#[test]
fn what_stands_in_rtf_is_read() {
    for (body, expected) in [
        (r"\'c4\'ea\'b1\'a8\par {\b b}\line c\par", "年报\n\n**b**\\\nc\n"),
        (r"a{\footnote \pard 脚{\i n}\par}b\par", "a[^1]b\n\n[^1]: "),
        (
            r#"{\field{\*\fldinst HYPERLINK "https://x.org/"}{\fldrslt link}}\par"#,
            "[link](https://x.org/)\n",
        ),
        // The star makes a destination optional only at the start of a group.
        (r"{\i0\*\cs7 kept}{\*\cs7 not}\par", "kept\n"),
        (r"{\*\unknown hidden}{\v hidden}{\deleted old}{\pict\pngblip 8950}x\par", "x\n"),
        (
            r"{\stylesheet{\s1 heading 1;}{\s2 Normal;}}{\s1 head\par}\pard\s2 text\par",
            "# head\n\ntext\n",
        ),
        (
            r"{\listtext 1.\tab}a\par{\listtext\'a1\'a4\tab}b\par\pard\ilvl1{\listtext (i)\tab}c\par",
            "1. a\n- b\n  - (i) c\n",
        ),
        (
            r"\trowd\clvmgf\cellx1000\cellx2000\cellx3000\intbl g\cell 1\cell 2\cell\row\trowd\clvmrg\cellx1000\cellx3000\intbl\cell w\cell\row\trowd\cellx1000\cellx2000\cellx3000 x\cell y\cell z\cell\row\pard end\par",
            "| g | 1 | 2 |\n| --- | --- | --- |\n| g | w |  |\n| x | y | z |\n\nend\n",
        ),
        (
            r"{\shp{\*\shpinst{\sp{\sn fillColor}{\sv 1}}{\shptxt box\par}}{\shprslt old}}x\par",
            "x\n\nbox\n",
        ),
    ] {
        let found = rtf(body).markdown;
        assert!(
            found == expected || expected.ends_with(' ') && found.starts_with(expected),
            "{body}\n{found}"
        );
    }
    assert_eq!(rtf(r"{\pict 00}x").warnings, ["pictures that were not read: 1"]);
    assert_eq!(rtf("x{\\b").warnings.len(), 1);
}

#[test]
fn encrypted_and_damaged_documents_are_refused() {
    let manifest = r#"<manifest:manifest><manifest:file-entry><manifest:encryption-data/></manifest:file-entry></manifest:manifest>"#;
    let encrypted =
        archive(&[("META-INF/manifest.xml", manifest.as_bytes()), ("content.xml", b"\x01\x02")]);
    assert_eq!(read(&encrypted, "odt"), Err(Error::Unsupported(ENCRYPTED.into())));
    for bytes in [&b"PK"[..], b"", &archive(&[("content.xml", b"<a>")]), &archive(&[("x", b"")])] {
        assert!(matches!(read(bytes, "odt"), Err(Error::Malformed(_))));
    }
    assert!(matches!(read(b"x", "rtf"), Err(Error::Malformed(_))));
    assert!(matches!(read(b"x", "fodt"), Err(Error::Malformed(_))));
    let bomb = archive(&[("content.xml", &vec![b' '; 49 << 20])]);
    assert!(matches!(read(&bomb, "odt"), Err(Error::Quota(_))));
}

#[test]
fn documents_that_are_made_to_be_too_much_end() {
    // Repeated rows and cells, spans, and deep nesting.
    let cell = "<table:table-cell table:number-columns-repeated=\"4000000\"><text:p>x</text:p></table:table-cell>";
    let row =
        format!("<table:table-row table:number-rows-repeated=\"4000000\">{cell}</table:table-row>");
    let text = format!(
        "<?xml version=\"1.0\"?><office:document><office:body><office:text><table:table>{}</table:table></office:text></office:body></office:document>",
        row.repeat(2)
    );
    assert!(matches!(read(text.as_bytes(), "fodt"), Ok(_) | Err(Error::Quota(_))));
    let nested = format!(
        "{}x{}",
        "<text:list><text:list-item>".repeat(5_000),
        "</text:list-item></text:list>".repeat(5_000)
    );
    flat("", &nested);
    let looped = r#"<style:style style:name="A" style:family="text" style:parent-style-name="A"/>"#;
    assert_eq!(
        flat(looped, "<text:p><text:span text:style-name=\"A\">x</text:span></text:p>").markdown,
        "x\n"
    );
    rtf(&"{\\footnote x".repeat(5_000));
    rtf(&"{".repeat(100_000));
    rtf(&r"\itap99999\intbl x\nestcell\nestrow".repeat(200));
    rtf(&r"\trowd\cellx-5\cellx2147483647\cellx-2147483648 a\cell b\cell c\cell\row".repeat(50));
    for name in ["report.rtf", "report.odt"] {
        let whole = fixture(name);
        for at in (0..whole.len()).step_by(whole.len() / 50) {
            let _ = read(&whole[..at], &name[7..]);
            let mut changed = whole.clone();
            changed[at] ^= 0x15;
            let _ = read(&changed, &name[7..]);
        }
    }
}
