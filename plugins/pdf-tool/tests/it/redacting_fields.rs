use crate::{book, has, open, plain, stream, words};
use pdf_tool::{Redaction, redact};

fn by_area(area: [f64; 4]) -> Redaction {
    Redaction { areas: vec![(1, area)], ..Redaction::default() }
}

/// Makes a form with objects from number 6 on.
fn form(fields: &str, annotations: &str, more: &[&str]) -> Vec<u8> {
    let mut more: Vec<String> = more.iter().map(|it| (*it).to_owned()).collect();
    more.push(stream(
        "/Type /XObject /Subtype /Form /BBox [0 0 80 20] /Resources <</Font <</F1 3 0 R>>>>",
        "BT /F1 9 Tf (shown) Tj ET",
    ));
    let catalog = format!(
        "/AcroForm <</Fields [{fields}]>> /StructTreeRoot <</K <</S /Form /K <</Type /OBJR /Obj 6 0 R>>>>>>"
    );
    book(&[&words("page")], &catalog, &format!("/Annots [{annotations}]"), &more)
}

#[test]
fn an_area_removes_places_of_fields_that_are_not_listed() {
    let widget = "/Subtype /Widget /Rect [20 20 80 40] /AP <</N 8 0 R>>";
    let parent = "<</FT /Tx /T (f) /V (value) /Kids [6 0 R]>>";
    let with_parent = format!("<<{widget} /Parent 7 0 R>>");
    let without_kind = format!("<<{widget} /T (f) /V (value)>>");
    // The form does not name the parent; the field has no kind, in the form and on the page alone.
    for (fields, first) in [("", &with_parent), ("6 0 R", &without_kind), ("", &without_kind)] {
        let bytes = form(fields, "6 0 R", &[first, parent]);
        let (new, removed) = redact(open(&bytes), &by_area([0.0, 15.0, 90.0, 45.0])).unwrap();
        let content = plain(&new);
        assert!(!has(&content, "value") && !has(&content, "shown"), "{fields} {first}");
        assert!(!has(&content, "/Widget"), "{fields} {first}");
        assert!(removed.other.iter().any(|it| it.contains("does not list")), "{:?}", removed.other);
    }
}

#[test]
fn an_area_removes_a_value_that_a_field_inherits() {
    let bytes = form(
        "7 0 R",
        "6 0 R",
        &[
            "<</T (f) /Parent 7 0 R /Subtype /Widget /Rect [20 20 80 40] /AP <</N 8 0 R>>>>",
            "<</FT /Tx /T (up) /V (value) /DV (value) /RV (value) /Kids [6 0 R]>>",
        ],
    );
    let (new, removed) = redact(open(&bytes), &by_area([0.0, 15.0, 90.0, 45.0])).unwrap();
    let content = plain(&new);
    assert!(!has(&content, "value") && !has(&content, "shown"));
    assert!(removed.other.contains(&"Hits in form fields, which are emptied: 1.".to_owned()));
    assert_eq!(open(&new).fields()[0].name, "up.f");
}

#[test]
fn an_annotation_in_an_area_goes_although_the_structure_names_it() {
    let note = "<</Type /Annot /Subtype /Text /Rect [20 20 80 40] /Contents (value)>>";
    let bytes = form("", "6 0 R", &[note, "<<>>"]);
    let (new, _) = redact(open(&bytes), &by_area([0.0, 15.0, 90.0, 45.0])).unwrap();
    assert!(!has(&plain(&new), "value"));
}

#[test]
fn the_catalog_and_pages_stay_though_a_page_names_them_as_annotations() {
    let place = "/Subtype /Square /Rect [20 20 80 40]";
    for named in ["1 0 R", "4 0 R", "1 0 R 4 0 R"] {
        let page = format!("/Annots [{named}] {place}");
        let bytes = book(&[&words("page")], place, &page, &[]);
        let redacted = redact(open(&bytes), &by_area([0.0, 15.0, 90.0, 45.0]));
        let Ok((new, _)) = redacted else { continue };
        assert_eq!(open(&new).page_infos().len(), 1, "{named}");
    }
}
