//! Whole paragraphs, headers, pictures and properties.

use super::*;
use docx_tool::{Pages, Where};

const LIST: &str = "<w:p><w:pPr><w:numPr><w:ilvl w:val=\"0\"/><w:numId w:val=\"3\"/></w:numPr></w:pPr><w:r><w:rPr><w:b/></w:rPr><w:t>a</w:t></w:r><w:r><w:t>bcdef</w:t></w:r></w:p><w:p><w:r><w:t>end</w:t></w:r></w:p><w:sectPr/>";

fn insert(bytes: &[u8], index: usize, side: Where, text: &str) -> Edit {
    Edit::InsertParagraph { at: anchor(bytes, index), side, text: text.to_owned(), style: None }
}

#[test]
fn a_new_item_is_like_its_neighbour() {
    let bytes = docx(LIST);
    let edited = tracked(&bytes, &[insert(&bytes, 0, Where::After, "new")]).unwrap();
    assert!(body(&edited.bytes).contains(
        "<w:p><w:pPr><w:numPr><w:ilvl w:val=\"0\"/><w:numId w:val=\"3\"/></w:numPr><w:rPr><w:ins></w:ins></w:rPr></w:pPr><w:ins><w:r><w:t>new</w:t></w:r></w:ins></w:p>"
    ));
    assert_eq!(body(&rejected(&edited.bytes)), LIST);
    assert_eq!(texts(&accepted(&edited.bytes), View::Accepted), ["abcdef", "new", "end"]);
}

#[test]
fn ends_of_pages_and_cells_are_marked_in_front() {
    let cell = "<w:tbl><w:tr><w:tc><w:p><w:pPr><w:jc w:val=\"end\"/></w:pPr><w:r><w:t>x</w:t></w:r></w:p></w:tc></w:tr></w:tbl><w:p/>";
    for (source, index) in [(LIST, 1), (cell, 0)] {
        let bytes = docx(source);
        for edits in [
            vec![insert(&bytes, index, Where::After, "one\ntwo")],
            vec![
                insert(&bytes, index, Where::After, "one"),
                insert(&bytes, index, Where::After, "two"),
            ],
            vec![Edit::InsertParagraph {
                at: anchor(&bytes, index),
                side: Where::After,
                text: "styled".to_owned(),
                style: Some("Quote".to_owned()),
            }],
        ] {
            let edited = tracked(&bytes, &edits).unwrap();
            assert_eq!(body(&rejected(&edited.bytes)), source, "{}", body(&edited.bytes));
            let plain = plain(&bytes, &edits).unwrap();
            assert_eq!(
                texts(&accepted(&edited.bytes), View::Accepted),
                texts(&plain.bytes, View::Accepted)
            );
        }
    }
}

#[test]
fn deleted_paragraphs_are_gone_when_accepted() {
    let source = "<w:p><w:pPr><w:jc w:val=\"end\"/></w:pPr><w:r><w:t>a</w:t></w:r></w:p><w:p><w:r><w:t>b</w:t></w:r></w:p><w:p><w:pPr><w:pStyle w:val=\"Quote\"/></w:pPr><w:r><w:t>c</w:t></w:r></w:p><w:sectPr/>";
    let bytes = docx(source);
    let delete = |index| Edit::DeleteParagraph { at: anchor(&bytes, index) };
    for indexes in [vec![0], vec![1], vec![2], vec![1, 2], vec![2, 1], vec![0, 2]] {
        let edits: Vec<Edit> = indexes.iter().map(|&it| delete(it)).collect();
        let edited = tracked(&bytes, &edits).unwrap();
        assert_eq!(body(&rejected(&edited.bytes)), source, "{indexes:?} {}", body(&edited.bytes));
        let rest: Vec<&str> = ["a", "b", "c"]
            .into_iter()
            .enumerate()
            .filter(|(at, _)| !indexes.contains(at))
            .map(|it| it.1)
            .collect();
        assert_eq!(texts(&accepted(&edited.bytes), View::Accepted), rest, "{indexes:?}");
        // What stays keeps its properties.
        if indexes.ends_with(&[2]) && indexes.len() == 1 {
            assert_eq!(
                body(&accepted(&edited.bytes)),
                source.replace(
                    "<w:p><w:pPr><w:pStyle w:val=\"Quote\"/></w:pPr><w:r><w:t>c</w:t></w:r></w:p>",
                    ""
                )
            );
        }
    }
    let only =
        docx("<w:tbl><w:tr><w:tc><w:p><w:r><w:t>x</w:t></w:r></w:p></w:tc></w:tr></w:tbl><w:p/>");
    let edited = tracked(&only, &[Edit::DeleteParagraph { at: anchor(&only, 0) }]).unwrap();
    assert_eq!(edited.warnings.len(), 1);
    assert_eq!(texts(&accepted(&edited.bytes), View::Accepted), ["", ""]);
}

#[test]
fn a_paragraph_that_ends_a_section_stays() {
    let bytes = docx("<w:p><w:pPr><w:sectPr/></w:pPr><w:r><w:t>a</w:t></w:r></w:p><w:p/>");
    for edited in [
        tracked(&bytes, &[Edit::DeleteParagraph { at: anchor(&bytes, 0) }]).unwrap(),
        plain(&bytes, &[Edit::DeleteParagraph { at: anchor(&bytes, 0) }]).unwrap(),
    ] {
        assert!(edited.warnings[0].contains("ends a section"), "{:?}", edited.warnings);
        assert!(body(&accepted(&edited.bytes)).contains("<w:sectPr/>"));
    }
}

#[test]
fn ranges_that_reach_out_of_a_deleted_paragraph_stay() {
    let source = "<w:p><w:bookmarkStart w:id=\"5\" w:name=\"x\"/><w:r><w:t>a</w:t></w:r></w:p><w:p><w:r><w:t>b</w:t></w:r><w:bookmarkEnd w:id=\"5\"/></w:p><w:p/>";
    let bytes = docx(source);
    let edits = [Edit::DeleteParagraph { at: anchor(&bytes, 0) }];
    let found = body(&plain(&bytes, &edits).unwrap().bytes);
    assert_eq!(
        found,
        "<w:bookmarkStart w:name=\"x\"/><w:p><w:r><w:t>b</w:t></w:r><w:bookmarkEnd/></w:p><w:p/>"
    );
    let found = body(&accepted(&tracked(&bytes, &edits).unwrap().bytes));
    assert!(found.contains("bookmarkStart") && found.contains("bookmarkEnd"), "{found}");
}

#[test]
fn moves_have_two_sides() {
    let source = "<w:p><w:r><w:t>a</w:t></w:r></w:p><w:p><w:bookmarkStart w:id=\"5\" w:name=\"x\"/><w:r><w:t>b</w:t></w:r><w:bookmarkEnd w:id=\"5\"/></w:p><w:p><w:r><w:t>c</w:t></w:r></w:p>";
    let bytes = docx(source);
    let edits =
        [Edit::MoveParagraph { at: anchor(&bytes, 1), side: Where::Before, to: anchor(&bytes, 0) }];
    let edited = tracked(&bytes, &edits).unwrap();
    let found = body(&edited.bytes);
    for wanted in [
        "moveFromRangeStart",
        "moveFromRangeEnd",
        "moveToRangeStart",
        "moveToRangeEnd",
        "<w:moveFrom>",
        "<w:moveTo>",
    ] {
        assert!(found.contains(wanted), "{wanted} {found}");
    }
    assert_eq!(found.matches("bookmarkStart").count(), 1);
    assert_eq!(texts(&accepted(&edited.bytes), View::Accepted), ["b", "a", "c"]);
    assert_eq!(body(&rejected(&edited.bytes)), source.replace(" w:id=\"5\"", ""));
    // One side alone takes the other with it.
    let changes = Document::open(edited.bytes.clone()).unwrap().changes();
    let one = changes.iter().find(|it| it.kind == docx_tool::ChangeKind::MovedTo).unwrap();
    let filter = docx_tool::ChangeFilter { ids: vec![one.id.clone()], ..Default::default() };
    let some = plain(&edited.bytes, &[Edit::RejectChanges(filter)]).unwrap();
    assert_eq!(texts(&some.bytes, View::Marks).concat(), "abc");
}

#[test]
fn headers_are_changed_or_made() {
    let header = format!("<w:hdr {W}><w:p><w:r><w:t>Old title</w:t></w:r></w:p></w:hdr>");
    let bytes = docx_with(
        "<w:p/><w:sectPr><w:headerReference w:type=\"default\" r:id=\"rId2\"/></w:sectPr>",
        &[("header1.xml", "header", &header)],
    );
    let set = |is_footer, pages| Edit::SetHeader {
        is_footer,
        text: "New title".to_owned(),
        pages,
        section: None,
    };
    let edited = tracked(&bytes, &[set(false, Pages::Default)]).unwrap();
    assert!(part(&edited.bytes, "word/header1.xml").contains("<w:delText>Old</w:delText>"));
    let edited = plain(&bytes, &[set(true, Pages::First)]).unwrap();
    assert!(part(&edited.bytes, "word/footer1.xml").contains("<w:t>New title</w:t>"));
    assert!(part(&edited.bytes, "[Content_Types].xml").contains("/word/footer1.xml"));
    let text = part(&edited.bytes, "word/document.xml");
    assert!(
        text.contains("w:type=\"first\" r:id=\"rId3\"/><w:headerReference")
            && text.contains("<w:titlePg/></w:sectPr>"),
        "{text}"
    );
    assert_eq!(texts(&edited.bytes, View::Accepted), ["", "Old title", "New title"]);
}

#[test]
fn pictures_have_their_size() {
    let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    png.extend(300_u32.to_be_bytes());
    png.extend(150_u32.to_be_bytes());
    png.extend([8, 2, 0, 0, 0, 0, 0, 0, 0]);
    let bytes = docx("<w:p/>");
    let edits = [Edit::InsertPicture {
        at: anchor(&bytes, 0),
        side: Where::Before,
        picture: "chart.png".to_owned(),
        width_cm: Some(10.0),
        alt: "A \"chart\"".to_owned(),
    }];
    let files = |_: &str| Ok(png.clone());
    let edited = edit(bytes.clone(), &edits, &options(true), &files).unwrap();
    assert!(body(&edited.bytes).contains("cx=\"3600000\" cy=\"1800000\""));
    assert_eq!(unzip(&edited.bytes)["word/media/image1.png"].1, png);
    assert!(part(&edited.bytes, "[Content_Types].xml").contains("Extension=\"png\""));
    assert!(
        structure(&edited.bytes, View::Accepted).paragraphs[0]
            .details
            .contains(&"picture \"A \"chart\"\" at 0".to_owned())
    );
    assert!(tracked(&bytes, &edits).unwrap_err().to_string().contains("no document `chart.png`"));
    let text = |_: &str| Ok(b"text".to_vec());
    assert!(edit(bytes, &edits, &options(true), &text).is_err());
}

#[test]
fn properties_and_page_breaks() {
    let bytes = docx("<w:p><w:r><w:t>a</w:t></w:r></w:p>");
    let edits = [
        Edit::SetProperty { name: "Title".to_owned(), value: "A & B".to_owned() },
        Edit::InsertPageBreak { at: anchor(&bytes, 0) },
    ];
    let edited = tracked(&bytes, &edits).unwrap();
    assert!(part(&edited.bytes, "docProps/core.xml").contains(">A &amp; B</dc:title>"));
    assert!(
        body(&edited.bytes)
            .starts_with("<w:p><w:ins><w:r><w:br w:type=\"page\"/></w:r></w:ins><w:r>")
    );
    assert!(
        tracked(&bytes, &[Edit::SetProperty { name: "x".to_owned(), value: String::new() }])
            .is_err()
    );
}
