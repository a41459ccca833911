//! Several edits at one place, and places that need care.

use super::*;
use docx_tool::Where;

const BODY: &str = "<w:p><w:r><w:t>one</w:t></w:r></w:p><w:p><w:r><w:t>two</w:t></w:r></w:p><w:p><w:r><w:t>three</w:t></w:r></w:p><w:sectPr/>";

fn insert(at: &str, side: Where, text: &str) -> Edit {
    Edit::InsertParagraph { at: at.to_owned(), side, text: text.to_owned(), style: None }
}

fn moved(bytes: &[u8], from: usize, side: Where, to: usize) -> Edit {
    Edit::MoveParagraph { at: anchor(bytes, from), side, to: anchor(bytes, to) }
}

/// Does the edits in both ways, and returns the texts.
fn both(bytes: &[u8], edits: &[Edit]) -> Vec<String> {
    let direct = plain(bytes, edits).unwrap().bytes;
    let marked = tracked(bytes, edits).unwrap().bytes;
    let found = texts(&direct, View::Accepted);
    assert_eq!(texts(&accepted(&marked), View::Accepted), found);
    assert_eq!(texts(&rejected(&marked), View::Accepted), texts(bytes, View::Accepted));
    found
}

#[test]
fn what_comes_behind_one_place_stands_in_the_order_of_the_edits() {
    let bytes = docx(BODY);
    for index in [1, 2] {
        let at = anchor(&bytes, index);
        let edits = [insert(&at, Where::After, "A"), insert(&at, Where::After, "B\nC")];
        let found = both(&bytes, &edits).join(" ");
        assert!(found.contains("A B C"), "{found}");
        let edits = [insert(&at, Where::Before, "A"), insert(&at, Where::Before, "B")];
        assert!(both(&bytes, &edits).join(" ").contains("A B"));
    }
    let edits = [moved(&bytes, 0, Where::After, 2), moved(&bytes, 1, Where::After, 2)];
    assert_eq!(both(&bytes, &edits), ["three", "one", "two"]);
    let text = |after: &str, text: &str| Edit::InsertText {
        at: anchor(&bytes, 0),
        text: text.to_owned(),
        after: Some(after.to_owned()),
        before: None,
    };
    assert_eq!(both(&bytes, &[text("on", "A"), text("on", "B"), text("on", "C")])[0], "onABCe");
}

#[test]
fn rows_and_columns_stand_in_the_order_of_the_edits() {
    let row =
        |text: &str| format!("<w:tr><w:tc><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc></w:tr>");
    let bytes = docx(&format!(
        "<w:tbl><w:tblGrid><w:gridCol w:w=\"900\"/></w:tblGrid>{}{}</w:tbl><w:p/>",
        row("1"),
        row("2")
    ));
    let rows = ["A", "B"].map(|text| Edit::InsertRow {
        table: table(&bytes),
        row: 1,
        side: Where::After,
        cells: vec![text.to_owned()],
    });
    assert_eq!(both(&bytes, &rows), ["1", "A", "B", "2", ""]);
    let columns = ["A", "B"].map(|text| Edit::InsertColumn {
        table: table(&bytes),
        column: 1,
        side: Where::After,
        cells: vec![text.to_owned(), text.to_lowercase()],
    });
    assert_eq!(both(&bytes, &columns), ["1", "A", "B", "2", "a", "b", ""]);
}

fn control(kind: &str) -> String {
    format!(
        "<w:sdt><w:sdtPr><w:alias w:val=\"Client\"/>{kind}</w:sdtPr><w:sdtContent><w:p><w:r><w:t>in</w:t></w:r></w:p></w:sdtContent></w:sdt>"
    )
}

#[test]
fn a_control_of_plain_text_gets_no_second_paragraph() {
    let bytes =
        docx(&format!("<w:p/>{}<w:p><w:r><w:t>out</w:t></w:r></w:p>", control("<w:text/>")));
    let at = anchor(&bytes, 1);
    for side in [Where::Before, Where::After] {
        both(&bytes, &[insert(&at, side, "new")]);
        for is_tracked in [true, false] {
            let edits = [insert(&at, side, "new")];
            let bytes = edit(bytes.clone(), &edits, &options(is_tracked), &no_files).unwrap().bytes;
            let text = body(&bytes);
            let start = text.find("<w:sdtContent>").unwrap();
            let inner = &text[start..text.find("</w:sdtContent>").unwrap()];
            assert_eq!(inner.matches("<w:p>").count(), 1, "{text}");
        }
    }
    let bytes = docx(&format!("<w:p/>{}<w:sectPr/>", control("<w:text/>")));
    let at = anchor(&bytes, 1);
    let problem = tracked(&bytes, &[insert(&at, Where::After, "new")]).unwrap_err().to_string();
    assert!(problem.contains("`Client`") && problem.contains("insert before it"), "{problem}");
    assert_eq!(
        texts(&plain(&bytes, &[insert(&at, Where::After, "new")]).unwrap().bytes, View::Accepted),
        ["", "in", "new"]
    );
    // Beside a control of rich text a paragraph stays in it.
    let bytes = docx(&format!("<w:p/>{}<w:p/>", control("<w:richText/>")));
    let edits = [insert(&anchor(&bytes, 1), Where::After, "new")];
    assert!(
        body(&plain(&bytes, &edits).unwrap().bytes)
            .contains("new</w:t></w:r></w:p></w:sdtContent>")
    );
}

#[test]
fn a_move_to_its_own_place_changes_nothing() {
    let bytes = docx(BODY);
    for edit in [moved(&bytes, 1, Where::After, 0), moved(&bytes, 1, Where::Before, 2)] {
        for edited in [
            tracked(&bytes, std::slice::from_ref(&edit)),
            plain(&bytes, std::slice::from_ref(&edit)),
        ] {
            let edited = edited.unwrap();
            assert_eq!(body(&edited.bytes), body(&bytes));
            assert!(edited.warnings[0].contains("stands at this place already"));
        }
    }
}

#[test]
fn the_only_paragraph_of_a_control_moves_in_both_ways() {
    let bytes = docx(&format!("<w:p><w:r><w:t>a</w:t></w:r></w:p>{}<w:p/>", control("")));
    let edit = moved(&bytes, 1, Where::Before, 0);
    assert_eq!(both(&bytes, std::slice::from_ref(&edit)), ["in", "a", "", ""]);
    for edited in
        [tracked(&bytes, std::slice::from_ref(&edit)), plain(&bytes, std::slice::from_ref(&edit))]
    {
        assert!(edited.unwrap().warnings[0].contains("an empty paragraph stays"));
    }
}

#[test]
fn split_changes_of_formatting_have_ids_of_their_own() {
    let bytes = docx("<w:p><w:r><w:t>one two three</w:t></w:r></w:p>");
    let at = anchor(&bytes, 0);
    let bold = Edit::FormatText {
        at: at.clone(),
        find: String::new(),
        format: docx_tool::Format { bold: Some(true), ..Default::default() },
    };
    let edited = tracked(&bytes, &[bold, replace(&at, "two", "2")]).unwrap().bytes;
    let text = part(&edited, "word/document.xml");
    let mut ids: Vec<&str> = text
        .split("<w:rPrChange w:id=\"")
        .skip(1)
        .map(|it| it.split('"').next().unwrap())
        .collect();
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert!(count > 1 && ids.len() == count, "{text}");
}

#[test]
fn lost_characters_empty_batches_and_signatures_are_named() {
    let bytes = docx(BODY);
    let at = anchor(&bytes, 0);
    let edited = tracked(&bytes, &[replace(&at, "one", "a\u{1}b")]).unwrap();
    assert!(
        edited.warnings[0].starts_with("edits[0]: control characters"),
        "{:?}",
        edited.warnings
    );
    assert_eq!(texts(&edited.bytes, View::Accepted)[0], "ab");
    assert!(tracked(&bytes, &[replace(&at, "one", "a\u{b}\tb\nc")]).unwrap().warnings.is_empty());
    assert_eq!(tracked(&bytes, &[]).unwrap_err().to_string(), "expected at least one edit");
    let mut files: Vec<(String, String)> = unzip(&bytes)
        .into_iter()
        .map(|(name, (_, content))| (name, String::from_utf8(content).unwrap()))
        .collect();
    files.push(("_xmlsignatures/sig1.xml".to_owned(), "<a/>".to_owned()));
    let problem = tracked(&zip(&files), &[replace(&at, "one", "1")]).unwrap_err().to_string();
    assert!(problem.contains("_xmlsignatures/") && problem.contains("File > Info"), "{problem}");
}

#[test]
fn states_of_combo_boxes_are_named_as_untracked() {
    let bytes = docx(&format!(
        "<w:p/>{}<w:p/>",
        control(
            "<w:comboBox><w:listItem w:displayText=\"in\" w:value=\"1\"/><w:listItem w:displayText=\"B\" w:value=\"2\"/></w:comboBox>"
        )
    ));
    let edit = Edit::SetControl {
        name: "Client".to_owned(),
        find: "in".to_owned(),
        replacement: "B".to_owned(),
        occurrence: None,
    };
    assert!(tracked(&bytes, &[edit]).unwrap().warnings[0].contains("its state stays"));
}

#[test]
fn links_within_a_document_are_text_with_a_warning() {
    let bytes = docx(
        "<w:p><w:hyperlink w:anchor=\"chapter\"><w:r><w:t>see there</w:t></w:r></w:hyperlink></w:p>",
    );
    let found = docx_tool::convert(bytes.clone(), View::Accepted, false).unwrap();
    assert!(found.markdown.contains("see there"));
    assert!(
        found.warnings.iter().any(|it| it.contains("link within the document")),
        "{:?}",
        found.warnings
    );
    let options = docx_tool::MarkdownOptions { view: View::Accepted, from: 0, limit: 10 };
    let page = docx_tool::read_markdown(&mut Document::open(bytes).unwrap(), &options).unwrap();
    assert!(
        page.losses.iter().any(|it| it.contains("link within the document")),
        "{:?}",
        page.losses
    );
}
