use std::io::Read as _;
use std::time::Duration;

use super::*;
use crate::{CommonOptions, Docx, Paper, markdown};

mod formulas;
mod themes;

fn write(source: &str, options: &DocxOptions) -> Docx {
    docx(&markdown(source).unwrap(), options).unwrap()
}

fn part(bytes: &[u8], name: &str) -> String {
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
    let mut xml = String::new();
    zip.by_name(name).unwrap().read_to_string(&mut xml).unwrap();
    xml
}

/// Returns the body before the last section, with an element of a paragraph or table in each line.
fn body(source: &str) -> String {
    let xml = part(&write(source, &DocxOptions::default()).bytes, "word/document.xml");
    let body = xml.split_once("<w:body>").unwrap().1.rsplit_once("<w:sectPr>").unwrap().0;
    ["<w:p>", "</w:p>", "<w:r>", "<w:tr>", "<w:tc>", "<w:tbl>", "<w:hyperlink"]
        .iter()
        .fold(body.to_owned(), |body, tag| body.replace(tag, &format!("\n{tag}")))
        .trim_start()
        .to_owned()
}

#[test]
fn headings_paragraphs_and_looks() {
    insta::assert_snapshot!(body("# 标题\n\n## A\n\n**b** *i 强调* ~~s~~ `c` ***bi***\n"), @r#"
    <w:p><w:pPr><w:pStyle w:val="Title"/></w:pPr>
    <w:r><w:t xml:space="preserve">标题</w:t></w:r>
    </w:p>
    <w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:bookmarkStart w:id="1" w:name="_Toc0"/>
    <w:r><w:t xml:space="preserve">A</w:t></w:r><w:bookmarkEnd w:id="1"/>
    </w:p>
    <w:p><w:pPr></w:pPr>
    <w:r><w:rPr><w:b/><w:bCs/></w:rPr><w:t xml:space="preserve">b</w:t></w:r>
    <w:r><w:t xml:space="preserve"> </w:t></w:r>
    <w:r><w:rPr><w:i/><w:iCs/></w:rPr><w:t xml:space="preserve">i </w:t></w:r>
    <w:r><w:rPr><w:em w:val="underDot"/></w:rPr><w:t xml:space="preserve">强调</w:t></w:r>
    <w:r><w:t xml:space="preserve"> </w:t></w:r>
    <w:r><w:rPr><w:strike/></w:rPr><w:t xml:space="preserve">s</w:t></w:r>
    <w:r><w:t xml:space="preserve"> </w:t></w:r>
    <w:r><w:rPr><w:rStyle w:val="InlineCode"/></w:rPr><w:t xml:space="preserve">c</w:t></w:r>
    <w:r><w:t xml:space="preserve"> </w:t></w:r>
    <w:r><w:rPr><w:b/><w:bCs/><w:i/><w:iCs/></w:rPr><w:t xml:space="preserve">bi</w:t></w:r>
    </w:p>
    "#);
}

#[test]
fn lists_are_numbered_by_word() {
    insta::assert_snapshot!(body("3. a\n   - b\n\n     c\n4. d\n\n- [x] e\n- [ ] f\n"), @r#"
    <w:p><w:pPr><w:pStyle w:val="ListParagraph"/><w:numPr><w:ilvl w:val="0"/><w:numId w:val="2"/></w:numPr></w:pPr>
    <w:r><w:t xml:space="preserve">a</w:t></w:r>
    </w:p>
    <w:p><w:pPr><w:pStyle w:val="ListParagraph"/><w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr><w:contextualSpacing w:val="0"/></w:pPr>
    <w:r><w:t xml:space="preserve">b</w:t></w:r>
    </w:p>
    <w:p><w:pPr><w:pStyle w:val="ListParagraph"/><w:ind w:left="840" w:firstLine="0"/><w:contextualSpacing w:val="0"/></w:pPr>
    <w:r><w:t xml:space="preserve">c</w:t></w:r>
    </w:p>
    <w:p><w:pPr><w:pStyle w:val="ListParagraph"/><w:numPr><w:ilvl w:val="0"/><w:numId w:val="2"/></w:numPr></w:pPr>
    <w:r><w:t xml:space="preserve">d</w:t></w:r>
    </w:p>
    <w:p><w:pPr><w:pStyle w:val="ListParagraph"/><w:ind w:left="420" w:hanging="420"/></w:pPr>
    <w:r><w:rPr><w:rFonts w:ascii="Segoe UI Symbol" w:hAnsi="Segoe UI Symbol" w:eastAsia="Segoe UI Symbol" w:cs="Segoe UI Symbol"/></w:rPr><w:t>☑</w:t></w:r>
    <w:r><w:tab/></w:r>
    <w:r><w:t xml:space="preserve">e</w:t></w:r>
    </w:p>
    <w:p><w:pPr><w:pStyle w:val="ListParagraph"/><w:ind w:left="420" w:hanging="420"/></w:pPr>
    <w:r><w:rPr><w:rFonts w:ascii="Segoe UI Symbol" w:hAnsi="Segoe UI Symbol" w:eastAsia="Segoe UI Symbol" w:cs="Segoe UI Symbol"/></w:rPr><w:t>☐</w:t></w:r>
    <w:r><w:tab/></w:r>
    <w:r><w:t xml:space="preserve">f</w:t></w:r>
    </w:p>
    "#);
    let bytes = write("3. a\n\ntext\n\n1. b\n", &DocxOptions::default()).bytes;
    let numbering = part(&bytes, "word/numbering.xml");
    insta::assert_snapshot!(numbering.split_once("<w:num ").unwrap().1.replace("<w:num ", "\n<w:num "), @r#"
    w:numId="1"><w:abstractNumId w:val="0"/></w:num>
    <w:num w:numId="2"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="3"/></w:lvlOverride></w:num>
    <w:num w:numId="3"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride></w:num></w:numbering>
    "#);
}

#[test]
fn numbers_that_word_cannot_count_are_text() {
    let xml = body("999999999. a\n1000000000. b\n");
    assert!(xml.contains("<w:t>999999999.</w:t>") && !xml.contains("<w:numPr>"), "{xml}");
    let many: String = (0..2_100).map(|_| "1. a\n\n<!-- -->\n\n").collect();
    let word = write(&many, &DocxOptions::default());
    let numbering = part(&word.bytes, "word/numbering.xml");
    assert_eq!(numbering.matches("<w:startOverride").count(), 2_000);
    let xml = part(&word.bytes, "word/document.xml");
    assert_eq!(xml.matches("<w:t>1.</w:t>").count(), 100);
}

#[test]
fn tables_repeat_their_head_and_keep_their_rows() {
    insta::assert_snapshot!(body("| 月份 | 收入 |\n|---|:-:|\n| 1月 | a |\n"), @r#"
    <w:tbl><w:tblPr><w:tblStyle w:val="ReportTable"/><w:tblW w:w="9298" w:type="dxa"/><w:tblInd w:w="0" w:type="dxa"/><w:tblLayout w:type="fixed"/><w:tblLook w:val="0420" w:firstRow="1" w:lastRow="0" w:firstColumn="0" w:lastColumn="0" w:noHBand="0" w:noVBand="1"/></w:tblPr><w:tblGrid><w:gridCol w:w="4649"/><w:gridCol w:w="4649"/></w:tblGrid>
    <w:tr><w:trPr><w:cantSplit/><w:tblHeader/></w:trPr>
    <w:tc><w:tcPr><w:tcW w:w="4649" w:type="dxa"/><w:vAlign w:val="center"/></w:tcPr>
    <w:p><w:pPr><w:pStyle w:val="TableText"/></w:pPr>
    <w:r><w:t xml:space="preserve">月份</w:t></w:r>
    </w:p></w:tc>
    <w:tc><w:tcPr><w:tcW w:w="4649" w:type="dxa"/><w:vAlign w:val="center"/></w:tcPr>
    <w:p><w:pPr><w:pStyle w:val="TableText"/><w:jc w:val="center"/></w:pPr>
    <w:r><w:t xml:space="preserve">收入</w:t></w:r>
    </w:p></w:tc></w:tr>
    <w:tr><w:trPr><w:cantSplit/></w:trPr>
    <w:tc><w:tcPr><w:tcW w:w="4649" w:type="dxa"/><w:vAlign w:val="center"/></w:tcPr>
    <w:p><w:pPr><w:pStyle w:val="TableText"/></w:pPr>
    <w:r><w:t xml:space="preserve">1月</w:t></w:r>
    </w:p></w:tc>
    <w:tc><w:tcPr><w:tcW w:w="4649" w:type="dxa"/><w:vAlign w:val="center"/></w:tcPr>
    <w:p><w:pPr><w:pStyle w:val="TableText"/><w:jc w:val="center"/></w:pPr>
    <w:r><w:t xml:space="preserve">a</w:t></w:r>
    </w:p></w:tc></w:tr></w:tbl>
    <w:p><w:pPr><w:pStyle w:val="Normal"/><w:spacing w:before="0" w:after="0" w:line="120" w:lineRule="exact"/></w:pPr>
    </w:p>
    "#);
}

#[test]
fn links_and_notes() {
    let source = "[a](https://a.test/x y) [b](<https://a.test/x y>) [c](#t) x[^1] y[^1]\n\n# t\n\n[^1]: note [d](https://b.test)\n";
    insta::assert_snapshot!(body(source).split("\n<w:p><w:pPr><w:pStyle").next().unwrap(), @r#"
    <w:p><w:pPr></w:pPr>
    <w:r><w:t xml:space="preserve">[a](https://a.test/x y) </w:t></w:r>
    <w:hyperlink r:id="rId0" w:history="1">
    <w:r><w:rPr><w:rStyle w:val="Hyperlink"/></w:rPr><w:t xml:space="preserve">b</w:t></w:r></w:hyperlink>
    <w:r><w:t xml:space="preserve"> </w:t></w:r>
    <w:hyperlink w:anchor="_Toc0" w:history="1">
    <w:r><w:rPr><w:rStyle w:val="Hyperlink"/></w:rPr><w:t xml:space="preserve">c</w:t></w:r></w:hyperlink>
    <w:r><w:t xml:space="preserve"> x</w:t></w:r><w:bookmarkStart w:id="1" w:name="_Note1"/>
    <w:r><w:rPr><w:rStyle w:val="FootnoteReference"/></w:rPr><w:footnoteReference w:id="1"/></w:r><w:bookmarkEnd w:id="1"/>
    <w:r><w:t xml:space="preserve"> y</w:t></w:r>
    <w:r><w:rPr><w:rStyle w:val="FootnoteReference"/></w:rPr><w:fldChar w:fldCharType="begin"/></w:r>
    <w:r><w:rPr><w:rStyle w:val="FootnoteReference"/></w:rPr><w:instrText xml:space="preserve"> NOTEREF _Note1 \f \h </w:instrText></w:r>
    <w:r><w:rPr><w:rStyle w:val="FootnoteReference"/></w:rPr><w:fldChar w:fldCharType="separate"/></w:r>
    <w:r><w:rPr><w:rStyle w:val="FootnoteReference"/></w:rPr><w:t>1</w:t></w:r>
    <w:r><w:rPr><w:rStyle w:val="FootnoteReference"/></w:rPr><w:fldChar w:fldCharType="end"/></w:r>
    </w:p>
    "#);
    let bytes = write(source, &DocxOptions::default()).bytes;
    let links = part(&bytes, "word/_rels/document.xml.rels");
    assert!(links.contains("Target=\"https://a.test/x%20y\" TargetMode=\"External\""), "{links}");
    insta::assert_snapshot!(part(&bytes, "word/footnotes.xml").split_once("<w:footnote w:id=\"1\">").unwrap().1, @r#"<w:p><w:pPr><w:pStyle w:val="FootnoteText"/></w:pPr><w:r><w:rPr><w:rStyle w:val="FootnoteReference"/></w:rPr><w:footnoteRef/></w:r><w:r><w:t xml:space="preserve"> </w:t></w:r><w:r><w:t xml:space="preserve">note </w:t></w:r><w:hyperlink r:id="rId0" w:history="1"><w:r><w:rPr><w:rStyle w:val="Hyperlink"/></w:rPr><w:t xml:space="preserve">d</w:t></w:r></w:hyperlink></w:p></w:footnote></w:footnotes>"#);
    assert!(part(&bytes, "word/_rels/footnotes.xml.rels").contains("Target=\"https://b.test\""));
}

#[test]
fn quotations_and_notes_have_styles() {
    insta::assert_snapshot!(body("> a\n>\n> - b\n\n> [!TIP]\n> c\n"), @r#"
    <w:p><w:pPr><w:pStyle w:val="Quote"/></w:pPr>
    <w:r><w:t xml:space="preserve">a</w:t></w:r>
    </w:p>
    <w:p><w:pPr><w:pStyle w:val="ListParagraph"/><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr><w:pBdr><w:left w:val="single" w:sz="20" w:space="8" w:color="D0D7DE"/></w:pBdr><w:shd w:val="clear" w:color="auto" w:fill="F6F8FA"/><w:ind w:left="704" w:right="284" w:hanging="420"/></w:pPr>
    <w:r><w:t xml:space="preserve">b</w:t></w:r>
    </w:p>
    <w:p><w:pPr><w:pStyle w:val="CalloutTip"/><w:keepNext/></w:pPr>
    <w:r><w:rPr><w:b/><w:bCs/><w:color w:val="1A7F37"/></w:rPr><w:t>Tip</w:t></w:r>
    </w:p>
    <w:p><w:pPr><w:pStyle w:val="CalloutTip"/></w:pPr>
    <w:r><w:t xml:space="preserve">c</w:t></w:r>
    </w:p>
    "#);
}

#[test]
fn code_keeps_its_lines() {
    insta::assert_snapshot!(body("```\na  b\n\tc\n```\n\n```\nd\n```\n"), @r#"
    <w:p><w:pPr><w:pStyle w:val="SourceCode"/></w:pPr>
    <w:r><w:t xml:space="preserve">a  b</w:t><w:br/><w:tab/><w:t xml:space="preserve">c</w:t></w:r>
    </w:p>
    <w:p><w:pPr><w:pStyle w:val="Normal"/><w:spacing w:before="0" w:after="0" w:line="120" w:lineRule="exact"/></w:pPr>
    </w:p>
    <w:p><w:pPr><w:pStyle w:val="SourceCode"/></w:pPr>
    <w:r><w:t xml:space="preserve">d</w:t></w:r>
    </w:p>
    "#);
}

#[test]
fn long_lines_of_code_are_indented_where_they_go_on() {
    let long = format!("x = {}", "y".repeat(90));
    for language in ["", "python"] {
        let xml = body(&format!("```{language}\na\n{long}\nb\n```"));
        let hanging =
            "<w:ind w:left=\"318\" w:right=\"90\" w:hanging=\"228\"/><w:contextualSpacing/>";
        assert_eq!(xml.matches(hanging).count(), 3, "{xml}");
        assert_eq!(xml.matches("<w:pStyle w:val=\"SourceCode\"/>").count(), 3, "{xml}");
    }
    // Short code is one paragraph.
    assert_eq!(body("```\na\nb\n```").matches("<w:p>").count(), 1);
}

#[test]
fn breaks_and_lines() {
    insta::assert_snapshot!(body("a  \nb\n\n---\n\n\\newpage\n\nc\n\n\\newpage\n\n| d |\n|---|\n"), @r#"
    <w:p><w:pPr></w:pPr>
    <w:r><w:t xml:space="preserve">a</w:t></w:r>
    <w:r><w:br/></w:r>
    <w:r><w:t xml:space="preserve">b</w:t></w:r>
    </w:p>
    <w:p><w:pPr><w:pStyle w:val="Normal"/><w:pBdr><w:bottom w:val="single" w:sz="6" w:space="1" w:color="D0D7DE"/></w:pBdr></w:pPr>
    </w:p>
    <w:p><w:pPr><w:pageBreakBefore/></w:pPr>
    <w:r><w:t xml:space="preserve">c</w:t></w:r>
    </w:p>
    <w:p><w:pPr><w:pageBreakBefore/><w:spacing w:before="0" w:after="0" w:line="20" w:lineRule="exact"/></w:pPr>
    </w:p>
    <w:tbl><w:tblPr><w:tblStyle w:val="ReportTable"/><w:tblW w:w="9298" w:type="dxa"/><w:tblInd w:w="0" w:type="dxa"/><w:tblLayout w:type="fixed"/><w:tblLook w:val="0420" w:firstRow="1" w:lastRow="0" w:firstColumn="0" w:lastColumn="0" w:noHBand="0" w:noVBand="1"/></w:tblPr><w:tblGrid><w:gridCol w:w="9298"/></w:tblGrid>
    <w:tr><w:trPr><w:cantSplit/><w:tblHeader/></w:trPr>
    <w:tc><w:tcPr><w:tcW w:w="9298" w:type="dxa"/><w:vAlign w:val="center"/></w:tcPr>
    <w:p><w:pPr><w:pStyle w:val="TableText"/></w:pPr>
    <w:r><w:t xml:space="preserve">d</w:t></w:r>
    </w:p></w:tc></w:tr></w:tbl>
    <w:p><w:pPr><w:pStyle w:val="Normal"/><w:spacing w:before="0" w:after="0" w:line="120" w:lineRule="exact"/></w:pPr>
    </w:p>
    "#);
}

#[test]
fn contents_are_filled_in_and_say_what_they_lack() {
    let options = DocxOptions {
        common: CommonOptions { contents: true, ..CommonOptions::default() },
        ..DocxOptions::default()
    };
    let word = write("# T\n\n## A & B\n\n### C\n\n##### D\n", &options);
    let xml = part(&word.bytes, "word/document.xml");
    let field = xml.split_once("<w:sdt>").unwrap().1.split_once("</w:sdt>").unwrap().0;
    insta::assert_snapshot!(field.replace("<w:p>", "\n<w:p>"), @r#"
    <w:sdtPr><w:docPartObj><w:docPartGallery w:val="Table of Contents"/><w:docPartUnique/></w:docPartObj></w:sdtPr><w:sdtContent>
    <w:p><w:pPr><w:pStyle w:val="TOCHeading"/></w:pPr><w:r><w:t xml:space="preserve">Contents</w:t></w:r></w:p>
    <w:p><w:pPr><w:pStyle w:val="TOC1"/></w:pPr><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText xml:space="preserve"> TOC \o "1-3" \h \z \u </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:hyperlink w:anchor="_Toc0" w:history="1"><w:r><w:t xml:space="preserve">A &amp; B</w:t></w:r></w:hyperlink></w:p>
    <w:p><w:pPr><w:pStyle w:val="TOC2"/></w:pPr><w:hyperlink w:anchor="_Toc1" w:history="1"><w:r><w:t xml:space="preserve">C</w:t></w:r></w:hyperlink><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p></w:sdtContent>
    "#);
    assert!(word.warnings[0].contains("F9"), "{:?}", word.warnings);
    // There is nothing to list.
    assert!(!part(&write("a", &options).bytes, "word/document.xml").contains("w:sdt"));
}

#[test]
fn wide_tables_turn_the_page_with_their_heading() {
    let row = |cell: &str| format!("|{}\n", format!("{cell}|").repeat(13));
    let wide = format!("{}{}{}", row("收入合计"), row("---"), row("12,345,678.12"));
    let source = format!("a\n\n## H\n\n{wide}\nb\n");
    let xml = part(&write(&source, &DocxOptions::default()).bytes, "word/document.xml");
    let kinds: Vec<_> =
        xml.split("<w:sectPr>").skip(1).map(|part| part.contains("landscape")).collect();
    assert_eq!(kinds, [false, true, false]);
    let (before, behind) = xml.split_once("Heading1").unwrap();
    assert!(before.matches("<w:sectPr>").count() == 1 && before.contains(">a<"));
    assert!(behind.contains(">b<"));
    // Neither at the end nor at the beginning of the text is a page empty.
    for (source, expected) in
        [(wide.clone(), vec![true]), (format!("{wide}\na\n"), vec![true, false])]
    {
        let xml = part(&write(&source, &DocxOptions::default()).bytes, "word/document.xml");
        let kinds: Vec<_> =
            xml.split("<w:sectPr>").skip(1).map(|part| part.contains("landscape")).collect();
        assert_eq!(kinds, expected);
        assert_eq!(xml.matches("<w:titlePg/>").count(), 1);
    }
}

#[test]
fn every_font_has_all_its_slots() {
    for language in ["zh-CN", "zh-Hant", "ja", "ko", "en", "ar"] {
        let options = DocxOptions {
            common: CommonOptions { language: Some(language.into()), ..CommonOptions::default() },
            ..DocxOptions::default()
        };
        let bytes = write("# 报告\n\n`code` “引用” text\n\n- [x] a\n", &options).bytes;
        for name in ["word/styles.xml", "word/numbering.xml", "word/document.xml"] {
            let xml = part(&bytes, name);
            for fonts in
                xml.split("<w:rFonts ").skip(1).map(|rest| rest.split("/>").next().unwrap())
            {
                let slots = ["w:ascii=", "w:hAnsi=", "w:eastAsia=", "w:cs="];
                let is_hint = fonts == "w:hint=\"eastAsia\"";
                assert!(
                    is_hint || slots.iter().all(|slot| fonts.contains(slot)),
                    "{name}: {fonts}"
                );
            }
        }
    }
    // Quotation marks in a Chinese paragraph are Chinese, those in an English one are not.
    let xml = body("他说“好”。\n\nHe said “fine”.\n");
    assert_eq!(xml.matches("w:hint=\"eastAsia\"").count(), 1);
}

#[test]
fn languages_decide_fonts_words_and_direction() {
    let of = |language: &str| {
        let options = DocxOptions {
            common: CommonOptions { language: Some(language.into()), ..CommonOptions::default() },
            ..DocxOptions::default()
        };
        let bytes = write("# T\n\nשלום", &options).bytes;
        let styles = part(&bytes, "word/styles.xml");
        let defaults = styles
            .split_once("<w:docDefaults>")
            .unwrap()
            .1
            .split_once("</w:docDefaults>")
            .unwrap()
            .0;
        let tag = defaults.split_once("<w:lang ").unwrap().1.split_once("/>").unwrap().0.to_owned();
        (tag, defaults.contains("<w:bidi/>"), part(&bytes, "word/footer1.xml").contains('页'))
    };
    assert_eq!(
        of("zh"),
        ("w:val=\"en-US\" w:eastAsia=\"zh-CN\" w:bidi=\"ar-SA\"".into(), false, true)
    );
    assert_eq!(
        of("de"),
        ("w:val=\"de\" w:eastAsia=\"zh-CN\" w:bidi=\"ar-SA\"".into(), false, false)
    );
    assert_eq!(
        of("he-IL"),
        ("w:val=\"en-US\" w:eastAsia=\"zh-CN\" w:bidi=\"he-IL\"".into(), true, false)
    );
    assert!(body("שלום").contains("<w:rtl/>"));
    let doc = markdown("a").unwrap();
    let options = DocxOptions {
        common: CommonOptions { language: Some("1".into()), ..CommonOptions::default() },
        ..DocxOptions::default()
    };
    insta::assert_snapshot!(docx(&doc, &options).unwrap_err(), @"language: expected a tag such as `zh-CN` or `en`, got `1`");
}

#[test]
fn properties_are_those_of_the_front_matter_unless_asked_otherwise() {
    let source = "---\ntitle: A & B\nauthor: [张三, 李四]\nlang: zh\npaper: letter\n---\ntext\n";
    let properties = |options: &DocxOptions| {
        let bytes = write(source, options).bytes;
        let letter = part(&bytes, "word/document.xml").contains("w:w=\"12240\"");
        let xml = part(&bytes, "docProps/core.xml");
        (xml.split_once("<dc:title>").unwrap().1.to_owned(), letter)
    };
    insta::assert_debug_snapshot!(properties(&DocxOptions::default()), @r#"
    (
        "A &amp; B</dc:title><dc:creator>张三; 李四</dc:creator><dc:language>zh-CN</dc:language></cp:coreProperties>",
        true,
    )
    "#);
    let options = DocxOptions {
        common: CommonOptions {
            title: Some("T".into()),
            author: Some("N".into()),
            paper: Some(Paper::A4),
            created: Some(Duration::from_secs(86_400)),
            ..CommonOptions::default()
        },
        ..DocxOptions::default()
    };
    insta::assert_debug_snapshot!(properties(&options), @r#"
    (
        "T</dc:title><dc:creator>N</dc:creator><dc:language>zh-CN</dc:language><dcterms:created xsi:type=\"dcterms:W3CDTF\">1970-01-02T00:00:00Z</dcterms:created><dcterms:modified xsi:type=\"dcterms:W3CDTF\">1970-01-02T00:00:00Z</dcterms:modified></cp:coreProperties>",
        false,
    )
    "#);
}

#[test]
fn the_same_document_makes_the_same_bytes() {
    let source =
        "# 报告\n\n1. a[^1] [b](https://x.y) [c](https://x.z)\n\n| a |\n|---|\n\n[^1]: n\n";
    let first = write(source, &DocxOptions::default()).bytes;
    assert_eq!(first, write(source, &DocxOptions::default()).bytes);
}

#[test]
fn what_cannot_be_shown_is_told_by_place() {
    let word = write(
        "# T\n\n![图](x.png) &#1;\n\n## 结果\n\n[x](javascript:y)\n",
        &DocxOptions::default(),
    );
    insta::assert_snapshot!(word.warnings.join("\n"), @r#"
    images are not shown, their descriptions are: `图` (block 2)
    links are text only, as they do not lead to `http`, `https`, `mailto`, a heading or a file beside the document: `javascript:y` (block 4, under `结果`)
    control characters are left out: `U+0001` (block 2)
    "#);
    let wide = format!("{}\n{}\n", "|列".repeat(150), "|-".repeat(150));
    let word = write(&wide, &DocxOptions::default());
    assert!(
        word.warnings[0].starts_with("tables have more columns than fit"),
        "{:?}",
        word.warnings
    );
}

#[test]
#[cfg(feature = "highlight")]
fn code_has_styles_of_its_kinds() {
    let text = body("```rust\nfn a() {}\n\n// b\n```\n");
    insta::assert_snapshot!(text, @r#"
    <w:p><w:pPr><w:pStyle w:val="SourceCode"/></w:pPr>
    <w:r><w:rPr><w:rStyle w:val="CodeKeyword"/></w:rPr><w:t xml:space="preserve">fn </w:t></w:r>
    <w:r><w:rPr><w:rStyle w:val="CodeName"/></w:rPr><w:t xml:space="preserve">a</w:t></w:r>
    <w:r><w:t xml:space="preserve">() {}</w:t></w:r>
    <w:r><w:br/></w:r>
    <w:r><w:br/></w:r>
    <w:r><w:rPr><w:rStyle w:val="CodeComment"/></w:rPr><w:t xml:space="preserve">// b</w:t></w:r>
    </w:p>
    "#);
    let styles = part(&write("x", &DocxOptions::default()).bytes, "word/styles.xml");
    for &token in crate::shared::highlight::Token::ALL {
        assert!(
            styles.contains(&format!("w:styleId=\"{}\"", styles::token_style(token))),
            "{token:?}"
        );
    }
}

/// Returns a file with these pictures, and its warnings.
fn with_pictures(source: &str, files: &[(&str, Vec<u8>)]) -> Docx {
    let mut pictures = crate::Pictures::default();
    files.iter().for_each(|(name, file)| pictures.insert(name, file.clone().into()));
    let options = DocxOptions {
        common: CommonOptions { pictures, ..CommonOptions::default() },
        ..DocxOptions::default()
    };
    docx(&markdown(source).unwrap(), &options).unwrap()
}

#[test]
fn pictures_stand_in_the_package_once_and_in_formats_that_word_shows() {
    use crate::shared::picture::samples;

    let files = [
        ("图.png", samples::png(400, 300, None)),
        ("same.png", samples::png(400, 300, None)),
        ("b.jpg", samples::jpeg(40, 30, 6)),
        ("c.gif", samples::gif(41, 30)),
        ("d.webp", samples::webp(42, 30)),
        ("e.svg", samples::SVG.as_bytes().to_vec()),
    ];
    let source = "# T\n\n![a \"山\" & <b>](图.png \"标题\")\n\nx ![s](same.png \"tip\") ![b](b.jpg) ![c](c.gif) ![d](d.webp)\n\n![e](e.svg)\n\n| ![s](图.png) | b |\n|--|--|\n| x[^1] | y |\n\n[^1]: ![s](图.png)\n";
    let made = with_pictures(source, &files);
    assert_eq!(made.bytes, with_pictures(source, &files).bytes);
    insta::assert_snapshot!(made.warnings.join("\n"), @"images are not shown, their descriptions are: `e` (block 4: `e.svg`: Word shows no drawing without pixels; give it as a PNG)");
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(&made.bytes)).unwrap();
    let names = zip.file_names().map(|name| name.unwrap().into_owned());
    let mut names: Vec<_> = names.filter(|name| name.contains("media")).collect();
    names.sort();
    assert_eq!(
        names,
        [
            "word/media/image1.png",
            "word/media/image2.jpg",
            "word/media/image3.gif",
            "word/media/image4.png"
        ]
    );
    let mut part = |name: &str| {
        let mut text = String::new();
        zip.by_name(name).unwrap().read_to_string(&mut text).unwrap();
        text
    };
    let document = part("word/document.xml");
    assert!(document.contains("descr=\"a &quot;山&quot; &amp; &lt;b&gt;\"/>"), "{document}");
    assert!(document.contains("descr=\"s\" title=\"tip\"/>"));
    assert_eq!(document.matches("r:embed=\"rIdPicture0\"").count(), 3);
    assert!(document.contains("<w:pStyle w:val=\"Caption\"/>") && document.contains("标题"));
    // 300 x 225 points; in the cell no wider than the cell; the photo is upright.
    assert!(document.contains("<wp:extent cx=\"3810000\" cy=\"2857500\"/>"));
    assert!(document.contains("<wp:extent cx=\"91440\" cy=\"121920\"/>"), "{document}");
    let ids: std::collections::BTreeSet<_> =
        document.split("<wp:docPr id=\"").skip(1).map(|it| it.split('"').next()).collect();
    assert_eq!(ids.len(), 6);
    for rels in ["word/_rels/document.xml.rels", "word/_rels/footnotes.xml.rels"] {
        assert!(
            part(rels).contains("Id=\"rIdPicture0\"") && part(rels).contains("media/image1.png")
        );
    }
    assert!(!part("word/_rels/footnotes.xml.rels").contains("image2"));
    let types = part("[Content_Types].xml");
    for extension in ["png", "jpg", "gif"] {
        assert_eq!(types.matches(&format!("Extension=\"{extension}\"")).count(), 1);
    }
    assert!(!types.contains("webp"));
}

#[test]
fn pictures_are_never_larger_than_where_they_stand() {
    use crate::shared::picture::samples;

    let files =
        [("wide.png", samples::png(3_000, 30, None)), ("tall.png", samples::png(30, 3_000, None))];
    let extents = |source: &str| -> Vec<(f64, f64)> {
        let made = with_pictures(source, &files);
        let mut zip = zip::ZipArchive::new(std::io::Cursor::new(&made.bytes)).unwrap();
        let text = std::io::read_to_string(zip.by_name("word/document.xml").unwrap()).unwrap();
        let side = |part: &str, name: &str| -> f64 {
            part.split(name).nth(1).unwrap().split('"').nth(1).unwrap().parse::<f64>().unwrap()
                / 12_700.0
        };
        text.split("<wp:extent").skip(1).map(|it| (side(it, "cx="), side(it, "cy="))).collect()
    };
    let all = extents(
        "![w](wide.png)\n\n> - ![w](wide.png)\n\n![t](tall.png)\n\nx ![t](tall.png)\n\n| ![w](wide.png) | b |\n|--|--|\n| x | y |\n",
    );
    // The text area of A4 is 464.9 points wide and 705.9 high.
    assert!((all[0].0 - 464.9).abs() < 0.2 && (all[0].1 - 4.6).abs() < 0.2, "{all:?}");
    assert!(all[1].0 < all[0].0 - 20.0 && all[1].0 > 300.0, "{all:?}");
    assert!((all[2].1 - 564.7).abs() < 0.5, "{all:?}");
    assert!((all[3].1 - 226.8).abs() < 0.5, "{all:?}");
    assert!(all[4].0 < 300.0, "{all:?}");
}

const CHART: &str = "# T\n\n```chart\ntype: column\ntitle: 收入 \"A\" & B\nsource: 年报 <2025>\n| 季度 | 收入 |\n|---|---:|\n| 一季度 | 12 |\n| 二季度 | 15 |\n```\n\ntext[^1]\n\n[^1]: note\n\n    ```chart\n    | a | b |\n    |---|---|\n    | x | 1 |\n    ```\n";

#[test]
fn charts_are_native_with_their_words_and_their_workbook() {
    let word = write(CHART, &DocxOptions::default());
    let xml = part(&word.bytes, "word/document.xml");
    for text in [
        "descr=\"柱形图“收入 &quot;A&quot; &amp; B”，2 项，从 一季度 到 二季度。收入：一季度 12，二季度 15。\"",
        "r:id=\"rIdChart1\"/>",
        "<w:jc w:val=\"center\"/>",
        ">来源：年报 &lt;2025&gt;</w:t>",
    ] {
        assert!(xml.contains(text), "{text}\n{xml}");
    }
    // At most as wide as the text, in English metric units: 16.5 cm are 5 940 000.
    let width = xml.split_once("<wp:extent cx=\"").unwrap().1.split_once('"').unwrap().0;
    assert!(width.parse::<u64>().unwrap() <= 6_096_000, "{width}");
    let target = "Target=\"charts/chart1.xml\"";
    assert!(part(&word.bytes, "word/_rels/document.xml.rels").contains(target));
    assert!(!part(&word.bytes, "word/_rels/footnotes.xml.rels").contains(target));
    let kinds = part(&word.bytes, "[Content_Types].xml");
    assert!(
        kinds.contains("Extension=\"xlsx\"")
            && kinds.contains("PartName=\"/word/charts/chart1.xml\"")
    );
    let chart = part(&word.bytes, "word/charts/chart1.xml");
    assert!(chart.contains("<a:t>收入 &quot;A&quot; &amp; B</a:t>"), "{chart}");
    assert!(chart.contains("<c:v>二季度</c:v>") && chart.contains("<c:v>15</c:v>"), "{chart}");
    let of_chart = part(&word.bytes, "word/charts/_rels/chart1.xml.rels");
    assert!(of_chart.contains("Target=\"../embeddings/chart1.xlsx\""), "{of_chart}");
    assert!(binary(&word.bytes, "word/embeddings/chart1.xlsx").starts_with(b"PK"));
}

/// Word does not allow charts in notes.
#[cfg(feature = "png")]
#[test]
fn charts_in_notes_are_pictures() {
    let word = write(CHART, &DocxOptions::default());
    assert_eq!(word.warnings, [""; 0]);
    let notes = part(&word.bytes, "word/_rels/footnotes.xml.rels");
    assert!(notes.contains("Target=\"media/chart2.png\""), "{notes}");
    assert!(part(&word.bytes, "word/footnotes.xml").contains("<a:blip r:embed=\"rIdChart2\"/>"));
    assert!(part(&word.bytes, "[Content_Types].xml").contains("Extension=\"png\""));
    assert!(binary(&word.bytes, "word/media/chart2.png").starts_with(b"\x89PNG"));
}

#[cfg(not(feature = "png"))]
#[test]
fn charts_in_notes_are_tables_where_no_picture_can_be_drawn() {
    let word = write(CHART, &DocxOptions::default());
    let xml = part(&word.bytes, "word/footnotes.xml");
    assert!(xml.contains("<w:tbl>") && !xml.contains("<w:drawing>"), "{xml}");
    assert!(word.warnings[0].contains("feature `png`"), "{:?}", word.warnings);
}

fn binary(bytes: &[u8], name: &str) -> Vec<u8> {
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
    let mut out = Vec::new();
    zip.by_name(name).unwrap().read_to_end(&mut out).unwrap();
    out
}
