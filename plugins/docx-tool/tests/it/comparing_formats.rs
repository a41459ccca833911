//! Redlines: formatting, page breaks, and what is listed only.

use super::*;
use docx_tool::{Comparison, DifferenceKind, compare};

fn paragraph(properties: &str, format: &str, text: &str) -> String {
    format!(
        "<w:p><w:pPr>{properties}</w:pPr><w:r><w:rPr>{format}</w:rPr><w:t xml:space=\"preserve\">{text}</w:t></w:r></w:p>"
    )
}

fn redline(old: &[u8], new: &[u8]) -> Comparison {
    compare(old.to_vec(), new.to_vec(), &options(true)).unwrap()
}

/// Returns the texts of a document with its page breaks as a sign.
fn visible(bytes: &[u8]) -> Vec<String> {
    let files: Vec<(String, String)> = unzip(bytes)
        .into_iter()
        .map(|(name, (_, content))| {
            let text = String::from_utf8(content).unwrap();
            (name, text.replace("<w:br w:type=\"page\"/>", "<w:t>#</w:t>"))
        })
        .collect();
    texts(&zip(&files), View::Accepted)
}

fn formats(found: &Comparison) -> Vec<(&str, &str)> {
    let all = found.differences.iter().filter(|it| it.kind == DifferenceKind::Formatted);
    all.map(|it| (it.before.as_str(), it.after.as_str())).collect()
}

#[test]
fn formatting_of_runs_is_listed_and_tracked() {
    let old = docx(&paragraph("", "", "one two three"));
    for (format, name) in [
        ("<w:b/>", "bold"),
        ("<w:color w:val=\"FF0000\"/>", "color FF0000"),
        ("<w:sz w:val=\"40\"/>", "size in half points 40"),
    ] {
        let new = docx(&format!(
            "<w:p><w:r><w:t xml:space=\"preserve\">one </w:t></w:r><w:r><w:rPr>{format}</w:rPr><w:t>two</w:t></w:r><w:r><w:t xml:space=\"preserve\"> three</w:t></w:r></w:p>"
        ));
        let found = redline(&old, &new);
        assert_eq!(formats(&found), [("not set", name)]);
        assert_eq!(found.differences[0].place, "text \"two\"");
        assert!(body(&found.redline).contains("<w:rPrChange"));
        assert!(body(&accepted(&found.redline)).contains(format));
        assert!(!body(&rejected(&found.redline)).contains(format));
        let back = redline(&new, &old);
        assert_eq!(formats(&back), [(name, "not set")]);
        assert!(body(&rejected(&back.redline)).contains(format.trim_end_matches("/>")));
        assert!(!body(&accepted(&back.redline)).contains(format));
    }
    // The same formatting in other words is no difference.
    let on = docx(&paragraph("", "<w:b/>", "one"));
    let also =
        docx(&paragraph("", "<w:b w:val=\"true\"/><w:bCs/><w:lang w:val=\"de-DE\"/>", "one"));
    assert_eq!(formats(&redline(&on, &also)), []);
}

#[test]
fn formatting_beside_changed_words_is_tracked_too() {
    let old = docx(&paragraph("", "", "pay within 30 days of delivery"));
    let new = docx(&paragraph("", "<w:i/>", "pay within 45 days of delivery"));
    let found = redline(&old, &new);
    assert_eq!(found.differences.len(), 3, "{:?}", found.differences);
    let before = body(&rejected(&found.redline));
    assert!(!before.contains("<w:i/>") && before.contains("30"), "{before}");
    assert!(!body(&accepted(&found.redline)).contains("Change"));
}

#[test]
fn formatting_of_paragraphs_is_listed_and_tracked() {
    for (property, name) in [
        ("<w:jc w:val=\"right\"/>", "alignment right"),
        ("<w:ind w:left=\"600\"/>", "indent left=600"),
        ("<w:pageBreakBefore/>", "page break before"),
    ] {
        let old = docx(&format!("{}<w:p/>", paragraph("", "", "one")));
        let new = docx(&format!("{}<w:p/>", paragraph(property, "", "one")));
        let found = redline(&old, &new);
        assert_eq!(formats(&found), [("not set", name)]);
        assert!(body(&found.redline).contains("<w:pPrChange"));
        assert!(!body(&rejected(&found.redline)).contains(property));
        let back = body(&rejected(&redline(&new, &old).redline));
        assert!(back.contains(property.trim_end_matches("/>")), "{back}");
    }
}

#[test]
fn page_breaks_are_tracked_content() {
    let page = "<w:r><w:br w:type=\"page\"/></w:r>";
    let old = docx("<w:p><w:r><w:t>one</w:t></w:r></w:p><w:p><w:r><w:t>two</w:t></w:r></w:p>");
    let new = docx(&format!(
        "<w:p><w:r><w:t>one</w:t></w:r>{page}</w:p><w:p><w:r><w:t>two</w:t></w:r></w:p>"
    ));
    let found = redline(&old, &new);
    assert_eq!(found.differences[0].kind, DifferenceKind::Changed);
    assert_eq!(found.differences[0].after, "one[page break]");
    assert_eq!(visible(&accepted(&found.redline)), ["one#", "two"]);
    assert_eq!(visible(&rejected(&found.redline)), ["one", "two"]);
    let back = redline(&new, &old);
    assert_eq!(visible(&rejected(&back.redline)), ["one#", "two"]);
    assert_eq!(visible(&accepted(&back.redline)), ["one", "two"]);
}

/// Compares many small documents in both directions.
#[test]
fn each_side_of_a_redline_is_a_whole_document() {
    let pool = [
        "<w:p/>",
        "<w:p><w:r><w:br w:type=\"page\"/></w:r></w:p>",
        "<w:p><w:r><w:t>alpha beta gamma</w:t></w:r></w:p>",
        "<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>alpha beta gamma</w:t></w:r></w:p>",
        "<w:p><w:pPr><w:jc w:val=\"right\"/></w:pPr><w:r><w:t>alpha beta</w:t><w:br w:type=\"page\"/><w:t>delta</w:t></w:r></w:p>",
        "<w:p><w:r><w:t>This clause is long enough to be moved.</w:t></w:r></w:p>",
        "<w:p><w:r><w:t>x</w:t></w:r></w:p>",
    ];
    let mut state = 7_u64;
    let mut next = |most: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % most
    };
    for _ in 0..400 {
        let mut make = || -> String { (0..=next(4)).map(|_| pool[next(pool.len())]).collect() };
        let (old, new) = (make(), make());
        let section = "<w:sectPr/>";
        let (old, new) = (docx(&format!("{old}{section}")), docx(&format!("{new}{section}")));
        let found = redline(&old, &new);
        let after = visible(&accepted(&found.redline));
        let stays = found.warnings.iter().any(|it| it.contains("an empty paragraph stays"));
        assert!(stays || after == visible(&new), "{}\n{}", body(&old), body(&new));
        let before = rejected(&found.redline);
        assert_eq!(
            visible(&before),
            visible(&old),
            "{}\n{}\n{}",
            body(&old),
            body(&new),
            body(&found.redline)
        );
        // The rejected redline differs from the old document in nothing.
        let rest = redline(&old, &before);
        assert_eq!(
            rest.differences,
            [],
            "{}\n{}\n{}",
            body(&old),
            body(&new),
            body(&found.redline)
        );
    }
}

#[test]
fn what_cannot_be_tracked_is_listed() {
    let text = paragraph("", "", "one");
    let margins = |left: u32| format!("{text}<w:sectPr><w:pgMar w:left=\"{left}\"/></w:sectPr>");
    let found = redline(&docx(&margins(100)), &docx(&margins(200)));
    assert_eq!(formats(&found), [("margins left=100", "margins left=200")]);
    assert!(found.warnings.iter().any(|it| it.contains("not tracked changes")));

    let styled = |bytes: &[u8], from: &str, to: &str| {
        let files: Vec<(String, String)> = unzip(bytes)
            .into_iter()
            .map(|(name, (_, content))| {
                (name, String::from_utf8(content).unwrap().replace(from, to))
            })
            .collect();
        zip(&files)
    };
    let old = docx(&text);
    let new = styled(
        &old,
        "<w:name w:val=\"Normal\"/>",
        "<w:name w:val=\"Normal\"/><w:rPr><w:sz w:val=\"40\"/></w:rPr>",
    );
    let found = redline(&old, &new);
    assert_eq!(found.differences[0].place, "style \"Normal\"");

    let title = |value: &str| {
        let edit = Edit::SetProperty { name: "title".to_owned(), value: value.to_owned() };
        tracked(&old, &[edit]).unwrap().bytes
    };
    let found = redline(&title("a"), &title("b"));
    assert_eq!(found.differences[0].place, "property title");

    let comment = Edit::AddComment { at: anchor(&old, 0), find: None, text: "why".to_owned() };
    let commented = tracked(&old, &[comment]).unwrap().bytes;
    let found = redline(&old, &commented);
    assert_eq!(found.differences[0].kind, DifferenceKind::Inserted);
    assert_eq!(found.differences[0].after, "why");
    assert_eq!(redline(&commented, &old).differences[0].kind, DifferenceKind::Deleted);

    let old = docx(&format!("{text}<w:sectPr/>"));
    let header = Edit::SetHeader {
        is_footer: false,
        text: "Head".to_owned(),
        pages: docx_tool::Pages::Default,
        section: None,
    };
    let new = plain(&old, &[header]).unwrap().bytes;
    let found = redline(&old, &new);
    assert_eq!(found.differences[0].place, "default header of section 1");
    assert!(found.warnings.iter().any(|it| it.contains("only in the new document")));
    let (name, _) = unzip(&found.redline).into_iter().find(|it| it.0.contains("header")).unwrap();
    assert!(part(&found.redline, &name).contains("<w:ins "));
    assert_eq!(redline(&new, &old).differences[0].kind, DifferenceKind::Deleted);
}

#[test]
fn tables_links_and_fields_are_compared_beyond_their_text() {
    let table = |shade: &str, instruction: &str| {
        docx(&format!(
            "<w:tbl><w:tr><w:tc><w:tcPr>{shade}</w:tcPr><w:p><w:fldSimple w:instr=\"{instruction}\"><w:r><w:t>1</w:t></w:r></w:fldSimple></w:p></w:tc></w:tr></w:tbl><w:p/>"
        ))
    };
    let shade = "<w:shd w:val=\"clear\" w:fill=\"FF0000\"/>";
    let found = redline(&table("", "PAGE"), &table(shade, "PAGE"));
    assert_eq!(formats(&found), [("not set", "shading clear fill=FF0000")]);
    assert!(found.warnings.iter().any(|it| it.starts_with("formatting of tables differs")));
    let found = redline(&table("", "PAGE"), &table("", "NUMPAGES"));
    assert_eq!(found.differences[0].place, "table r1 c1 a field in \"1\"");
}
