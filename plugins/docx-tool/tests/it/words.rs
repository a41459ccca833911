//! Text within paragraphs.

use super::*;
use docx_tool::{FindMode, Format};

/// One word in five runs, with all that Word puts between them.
const SPLIT: &str = "<w:p w:rsidR=\"1\"><w:pPr><w:jc w:val=\"both\"/></w:pPr><w:r><w:t xml:space=\"preserve\">Pay </w:t></w:r>\
    <w:r><w:rPr><w:b/></w:rPr><w:t>thi</w:t></w:r><w:proofErr w:type=\"spellStart\"/><w:r w:rsidR=\"2\"><w:rPr><w:i/></w:rPr><w:t>rt</w:t></w:r>\
    <w:bookmarkStart w:id=\"1\" w:name=\"b\"/><w:r><w:t>y</w:t></w:r><w:bookmarkEnd w:id=\"1\"/><w:r><w:t xml:space=\"preserve\"> da</w:t></w:r>\
    <w:r><w:t>ys.</w:t></w:r></w:p>";

#[test]
fn a_word_in_several_runs_is_replaced_and_nothing_else() {
    assert_eq!(
        replaced(SPLIT, "thirty days", "ten days", false),
        SPLIT
            .replace("<w:t>thi</w:t>", "<w:t>ten</w:t>")
            .replace("<w:r w:rsidR=\"2\"><w:rPr><w:i/></w:rPr><w:t>rt</w:t></w:r>", "")
            .replace("<w:r><w:t>y</w:t></w:r>", "")
            .replace(" w:id=\"1\"", "")
    );
    assert_eq!(
        replaced(SPLIT, "thirty", "ten", true),
        SPLIT.replace(" w:id=\"1\"", "")
            .replace(
                "<w:r><w:rPr><w:b/></w:rPr><w:t>thi</w:t></w:r>",
                "<w:del><w:r><w:rPr><w:b/></w:rPr><w:delText>thi</w:delText></w:r></w:del>"
            )
            .replace(
                "<w:r w:rsidR=\"2\"><w:rPr><w:i/></w:rPr><w:t>rt</w:t></w:r>",
                "<w:del><w:r w:rsidR=\"2\"><w:rPr><w:i/></w:rPr><w:delText>rt</w:delText></w:r></w:del>"
            )
            .replace(
                "<w:r><w:t>y</w:t></w:r>",
                "<w:del><w:r><w:delText>y</w:delText></w:r></w:del><w:ins><w:r><w:rPr><w:b/></w:rPr><w:t>ten</w:t></w:r></w:ins>"
            )
    );
}

#[test]
fn only_words_that_differ_are_marked() {
    let found = replaced(
        "<w:p><w:r><w:t>within 30 days of it</w:t></w:r></w:p>",
        "within 30 days",
        "within 45 days",
        true,
    );
    assert_eq!(
        found,
        "<w:p><w:r><w:t xml:space=\"preserve\">within </w:t></w:r><w:del><w:r><w:delText>30</w:delText></w:r></w:del>\
         <w:ins><w:r><w:t>45</w:t></w:r></w:ins><w:r><w:t xml:space=\"preserve\"> days of it</w:t></w:r></w:p>"
    );
}

#[test]
fn insertions_of_the_same_author_have_no_marks_in_them() {
    let own =
        "<w:p><w:ins w:id=\"1\" w:author=\"Mitt\"><w:r><w:t>one two</w:t></w:r></w:ins></w:p>";
    assert_eq!(
        replaced(own, "two", "three", true),
        "<w:p><w:ins><w:r><w:t xml:space=\"preserve\">one </w:t></w:r><w:r><w:t>three</w:t></w:r></w:ins></w:p>"
    );
    assert_eq!(replaced(own, "one two", "", true), "<w:p></w:p>");
}

#[test]
fn insertions_of_others_get_deletions_and_are_split() {
    let other =
        "<w:p><w:ins w:id=\"1\" w:author=\"Li\"><w:r><w:t>one two</w:t></w:r></w:ins></w:p>";
    assert_eq!(
        replaced(other, "one", "new", true),
        "<w:p><w:ins w:author=\"Li\"><w:del><w:r><w:delText>one</w:delText></w:r></w:del></w:ins>\
         <w:ins><w:r><w:t>new</w:t></w:r></w:ins><w:ins w:author=\"Li\"><w:r><w:t xml:space=\"preserve\"> two</w:t></w:r></w:ins></w:p>"
    );
}

#[test]
fn deleted_text_is_no_text() {
    let paragraph = "<w:p><w:r><w:t>a</w:t></w:r><w:del w:id=\"1\" w:author=\"Li\"><w:r><w:delText>X</w:delText></w:r></w:del><w:r><w:t>b</w:t></w:r></w:p>";
    assert_eq!(
        replaced(paragraph, "ab", "cd", true),
        "<w:p><w:del><w:r><w:delText>a</w:delText></w:r></w:del><w:del w:author=\"Li\"><w:r><w:delText>X</w:delText></w:r></w:del>\
         <w:del><w:r><w:delText>b</w:delText></w:r></w:del><w:ins><w:r><w:t>cd</w:t></w:r></w:ins></w:p>"
    );
    let bytes = docx(paragraph);
    assert_eq!(texts(&bytes, View::Original), ["aXb"]);
    assert_eq!(texts(&bytes, View::Marks), ["a[-X-]b"]);
}

#[test]
fn objects_between_words_stay() {
    let paragraph = "<w:p><w:r><w:t>one</w:t><w:footnoteReference w:id=\"2\"/><w:t xml:space=\"preserve\"> two</w:t><w:tab/><w:t>three</w:t><w:br/><w:noBreakHyphen/></w:r></w:p>";
    let bytes = docx(paragraph);
    assert_eq!(texts(&bytes, View::Accepted), ["one two\tthree\n\u{2011}"]);
    let found = replaced(paragraph, "one two\tthree", "1", true);
    assert_eq!(
        found,
        "<w:p><w:del><w:r><w:delText>one</w:delText></w:r></w:del><w:r><w:footnoteReference/></w:r>\
         <w:del><w:r><w:delText xml:space=\"preserve\"> two</w:delText><w:tab/><w:delText>three</w:delText></w:r></w:del>\
         <w:ins><w:r><w:t>1</w:t></w:r></w:ins><w:r><w:br/><w:noBreakHyphen/></w:r></w:p>"
    );
    let found = replaced(paragraph, "three", "3\t4\n5 ", false);
    assert!(found.contains("<w:tab/><w:t>3</w:t><w:tab/><w:t>4</w:t><w:br/><w:t xml:space=\"preserve\">5 </w:t><w:br/>"), "{found}");
}

#[test]
fn links_and_fields_do_not_grow_at_their_ends() {
    let link = "<w:p><w:hyperlink r:id=\"rId9\"><w:r><w:rPr><w:rStyle w:val=\"Hyperlink\"/></w:rPr><w:t>here</w:t></w:r></w:hyperlink></w:p>";
    let bytes = docx(link);
    let insert = |bytes: &[u8], text: &str| Edit::InsertText {
        at: anchor(bytes, 0),
        text: text.to_owned(),
        after: None,
        before: None,
    };
    let edited = tracked(&bytes, &[insert(&bytes, "!")]).unwrap();
    assert!(
        body(&edited.bytes).ends_with("</w:hyperlink><w:ins><w:r><w:t>!</w:t></w:r></w:ins></w:p>")
    );
    let field = "<w:p><w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:instrText>PAGE</w:instrText></w:r><w:r><w:fldChar w:fldCharType=\"separate\"/></w:r>\
        <w:r><w:t>7</w:t></w:r><w:r><w:fldChar w:fldCharType=\"end\"/></w:r></w:p>";
    let bytes = docx(field);
    assert_eq!(texts(&bytes, View::Accepted), ["7"]);
    let edited = tracked(&bytes, &[insert(&bytes, "!")]).unwrap();
    assert!(body(&edited.bytes).ends_with(
        "<w:fldChar w:fldCharType=\"end\"/></w:r><w:ins><w:r><w:t>!</w:t></w:r></w:ins></w:p>"
    ));
    let edited = tracked(&bytes, &[replace(&anchor(&bytes, 0), "7", "8")]).unwrap();
    assert_eq!(edited.warnings.len(), 1);
    assert_eq!(structure(&bytes, View::Accepted).paragraphs[0].details, ["field PAGE at 0..1"]);
    // In the result of a field, smart tags and controls, text is text.
    for (open, close) in [
        ("<w:fldSimple w:instr=\"DATE\">", "</w:fldSimple>"),
        ("<w:smartTag w:element=\"x\">", "</w:smartTag>"),
        (
            "<w:sdt><w:sdtPr><w:alias w:val=\"n\"/></w:sdtPr><w:sdtContent>",
            "</w:sdtContent></w:sdt>",
        ),
    ] {
        let paragraph = format!("<w:p>{open}<w:r><w:t>old</w:t></w:r>{close}</w:p>");
        assert_eq!(
            replaced(&paragraph, "old", "new", true),
            format!(
                "<w:p>{open}<w:del><w:r><w:delText>old</w:delText></w:r></w:del><w:ins><w:r><w:t>new</w:t></w:r></w:ins>{close}</w:p>"
            )
        );
    }
}

#[test]
fn both_forms_of_a_text_box_are_changed() {
    let inner = "<w:txbxContent><w:p><w:r><w:t>box</w:t></w:r></w:p></w:txbxContent>";
    let paragraph = format!(
        "<w:p><w:r><mc:AlternateContent><mc:Choice Requires=\"wps\"><w:drawing>{inner}</w:drawing></mc:Choice><mc:Fallback><w:pict>{inner}</w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>"
    );
    let bytes = docx(&paragraph);
    let at = anchor(&bytes, 1);
    assert!(at.starts_with("b0-"), "{at}");
    let edited = tracked(&bytes, &[replace(&at, "box", "bin")]).unwrap();
    assert_eq!(body(&edited.bytes).matches("<w:t>bin</w:t>").count(), 2);
    assert_eq!(texts(&rejected(&edited.bytes), View::Accepted), ["", "box"]);
    assert_eq!(body(&rejected(&edited.bytes)), paragraph);
}

#[test]
fn quotes_and_spaces_of_models_are_found() {
    let paragraph = "<w:p><w:r><w:t>the “Seller’s\u{a0}duty”</w:t></w:r></w:p>";
    let found = replaced(paragraph, "\"Seller's duty\"", "\"Buyer's duty\"", true);
    assert_eq!(
        found,
        "<w:p><w:r><w:t>the “</w:t></w:r><w:del><w:r><w:delText>Seller</w:delText></w:r></w:del>\
         <w:ins><w:r><w:t>Buyer</w:t></w:r></w:ins><w:r><w:t>’s\u{a0}duty”</w:t></w:r></w:p>"
    );
}

#[test]
fn problems_are_listed_and_nothing_is_changed() {
    let bytes = docx("<w:p><w:r><w:t>a a</w:t></w:r></w:p><w:p/>");
    let at = anchor(&bytes, 0);
    let error = tracked(
        &bytes,
        &[replace(&at, "a", "b"), replace(&at, "c", "b"), replace(&at, "a a", "x")],
    )
    .unwrap_err();
    assert_eq!(
        error.to_string(),
        "edits[0]: \"a\" stands 2 times in the paragraph; give more text, or `occurrence`\n\
         edits[1]: \"c\" does not stand in the paragraph; it has \"a a\"\nnothing was changed"
    );
    let error = tracked(
        &bytes,
        &[replace("p0-0000", "a", "b"), replace("p9-0000", "a", "b"), replace("x", "a", "b")],
    );
    let error = error.unwrap_err().to_string();
    assert_eq!(error.lines().count(), 4, "{error}");
}

#[test]
fn several_edits_of_a_paragraph_follow_each_other() {
    let bytes = docx("<w:p><w:r><w:t>one two three</w:t></w:r></w:p>");
    let at = anchor(&bytes, 0);
    let edits =
        [replace(&at, "one", "1"), replace(&at, "three", "3"), replace(&at, "1 two", "1 2")];
    let edited = tracked(&bytes, &edits).unwrap();
    assert_eq!(texts(&edited.bytes, View::Accepted), ["1 2 3"]);
    assert_eq!(texts(&rejected(&edited.bytes), View::Accepted), ["one two three"]);
}

#[test]
fn formats_keep_the_order_of_the_schema_and_the_old_form() {
    let bytes =
        docx("<w:p><w:r><w:rPr><w:i/><w:sz w:val=\"20\"/></w:rPr><w:t>one two</w:t></w:r></w:p>");
    let format =
        Format { bold: Some(true), color: Some("#ff0000".to_owned()), ..Format::default() };
    let edits = [Edit::FormatText { at: anchor(&bytes, 0), find: "two".to_owned(), format }];
    let edited = tracked(&bytes, &edits).unwrap();
    assert!(body(&edited.bytes).ends_with(
        "<w:r><w:rPr><w:b/><w:bCs/><w:i/><w:color w:val=\"FF0000\"/><w:sz w:val=\"20\"/><w:rPrChange><w:rPr><w:i/><w:sz w:val=\"20\"/></w:rPr></w:rPrChange></w:rPr><w:t>two</w:t></w:r></w:p>"
    ));
    assert!(
        body(&rejected(&edited.bytes))
            .ends_with("<w:r><w:rPr><w:i/><w:sz w:val=\"20\"/></w:rPr><w:t>two</w:t></w:r></w:p>")
    );
    let style = [Edit::SetStyle { at: anchor(&bytes, 0), style: "Heading 1".to_owned() }];
    let edited = tracked(&bytes, &style).unwrap();
    assert!(body(&edited.bytes).starts_with(
        "<w:p><w:pPr><w:pStyle w:val=\"H1\"/><w:pPrChange><w:pPr></w:pPr></w:pPrChange></w:pPr>"
    ));
    let error =
        tracked(&bytes, &[Edit::SetStyle { at: anchor(&bytes, 0), style: "No".to_owned() }]);
    assert!(error.unwrap_err().to_string().contains("there are `Normal`, `heading 1`, `Quote`"));
}

#[test]
fn texts_are_replaced_everywhere() {
    let bytes = docx_with(
        "<w:p><w:r><w:t>Cat cat concat</w:t></w:r></w:p><w:tbl><w:tr><w:tc><w:p><w:r><w:t>cat 12.03.2024</w:t></w:r></w:p></w:tc></w:tr></w:tbl><w:p/>",
        &[(
            "header1.xml",
            "header",
            &format!("<w:hdr {W}><w:p><w:r><w:t>the cat</w:t></w:r></w:p></w:hdr>"),
        )],
    );
    let run = |find: &str, replacement: &str, mode, ignores_case| {
        let edit = Edit::ReplaceEverywhere {
            find: find.to_owned(),
            replacement: replacement.to_owned(),
            mode,
            ignores_case,
        };
        texts(&tracked(&bytes, &[edit]).unwrap().bytes, View::Accepted)
    };
    assert_eq!(
        run("cat", "dog", FindMode::Exact, false),
        ["Cat dog condog", "dog 12.03.2024", "", "the dog"]
    );
    assert_eq!(
        run("cat", "dog", FindMode::WholeWord, true),
        ["dog dog concat", "dog 12.03.2024", "", "the dog"]
    );
    assert_eq!(
        run(r"(\d+)\.(\d+)\.(\d+)", "$3-$2-$1", FindMode::Pattern, false),
        ["Cat cat concat", "cat 2024-03-12", "", "the cat"]
    );
    let bad = Edit::ReplaceEverywhere {
        find: "(".to_owned(),
        replacement: String::new(),
        mode: FindMode::Pattern,
        ignores_case: false,
    };
    assert!(tracked(&bytes, &[bad]).unwrap_err().to_string().contains("unclosed group"));
}

#[test]
fn links_have_safe_addresses() {
    let bytes = docx("<w:p><w:r><w:t>see it here</w:t></w:r></w:p>");
    let link = |url: &str| Edit::LinkText {
        at: anchor(&bytes, 0),
        find: "here".to_owned(),
        url: url.to_owned(),
    };
    let edited = tracked(&bytes, &[link("https://example.org/?a=1&b=2")]).unwrap();
    assert!(
        part(&edited.bytes, "word/_rels/document.xml.rels")
            .contains("Target=\"https://example.org/?a=1&amp;b=2\" TargetMode=\"External\"")
    );
    assert!(body(&edited.bytes).contains("r:id=\"rId2\" w:history=\"1\"><w:r><w:rPr><w:color w:val=\"0563C1\"/><w:u w:val=\"single\"/></w:rPr><w:t>here</w:t></w:r></w:hyperlink>"));
    for url in ["javascript:alert(1)", "file:///etc/passwd", "https:", "x", "https://a b"] {
        assert!(tracked(&bytes, &[link(url)]).is_err(), "{url}");
    }
}
