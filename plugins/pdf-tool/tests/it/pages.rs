use crate::{book, edited, file, has, open, plain, text, words};
use pdf_tool::{Edit, Error, OutlineItem};

fn three() -> Vec<u8> {
    book(
        &[&words("one"), &words("two"), &words("three")],
        "/PageLabels <</Nums [0 <</S /r>>]>>",
        "",
        &[],
    )
}

fn select(pages: &str) -> Edit {
    Edit::SelectPages { pages: pages.to_owned() }
}

#[test]
fn pages_are_kept_in_the_order_given_with_their_labels() {
    let (bytes, _) = edited(&three(), &[select("3,1")]).unwrap();
    let pdf = open(&bytes);
    let labels: Vec<_> = pdf.page_infos().into_iter().filter_map(|it| it.label).collect();
    assert_eq!(labels, ["iii", "i"]);
    assert!(!has(&plain(&bytes), "(two)"), "nothing of a removed page stays in the file");
}

#[test]
fn bookmarks_links_and_fields_of_removed_pages_go() {
    let more = vec![
        "<</Type /Outlines /First 9 0 R /Last 9 0 R /Count 1>>".to_owned(),
        "<</Title (Two) /Parent 8 0 R /Dest [6 0 R /Fit]>>".to_owned(),
        "<</Type /Annot /Subtype /Link /Rect [0 0 9 9] /Dest [6 0 R /Fit]>>".to_owned(),
    ];
    let bytes = book(&[&words("one"), &words("two")], "/Outlines 8 0 R", "/Annots [10 0 R]", &more);
    assert_eq!(open(&bytes).outline().len(), 1);
    let (bytes, done) = edited(&bytes, &[select("1")]).unwrap();
    let pdf = open(&bytes);
    assert!(pdf.outline().is_empty() && pdf.annotation_infos().is_empty());
    assert!(
        done.warnings.iter().any(|it| it.contains("Links to removed pages are removed: 1")),
        "{:?}",
        done.warnings
    );
}

#[test]
fn a_page_that_stands_twice_keeps_its_comments_and_shows_its_fields() {
    let page = "/Annots [6 0 R 7 0 R 8 0 R 9 0 R]";
    let more = vec![
        "<</Type /Annot /Subtype /Square /Rect [0 0 9 9] /NM (a) /Popup 7 0 R>>".to_owned(),
        "<</Type /Annot /Subtype /Popup /Rect [0 0 9 9] /Parent 6 0 R>>".to_owned(),
        "<</Type /Annot /Subtype /Text /Rect [0 0 9 9] /IRT 6 0 R /Contents (Yes)>>".to_owned(),
        "<</Type /Annot /Subtype /Widget /FT /Tx /T (name) /V (Li) /Rect [0 0 90 9] /AP <</N 10 0 R>>>>"
            .to_owned(),
        "<</Type /XObject /Subtype /Form /BBox [0 0 90 9] /Length 8>>\nstream\n(Li) Tj \nendstream"
            .to_owned(),
    ];
    let form = "/AcroForm <</Fields [9 0 R]>>";
    let bytes = book(&[&words("one")], form, page, &more);
    let (bytes, done) = edited(&bytes, &[select("1,1,1")]).unwrap();
    let pdf = open(&bytes);
    let annotations = pdf.annotation_infos();
    let on = |page: usize| annotations.iter().filter(|it| it.page == page).count();
    assert_eq!((on(2), on(3)), (2, 2), "{annotations:?}");
    let all = plain(&bytes);
    let count = |part: &str| all.windows(part.len()).filter(|it| *it == part.as_bytes()).count();
    assert_eq!(count("/IRT"), 3, "each answer has the comment of its page");
    assert_eq!(count("/NM"), 1, "names of comments stay unique");
    assert_eq!(count(" Do Q"), 2, "the copies show the field");
    assert_eq!(pdf.fields().len(), 1);
    assert!(done.warnings.iter().any(|it| it.contains("they cannot be filled in there: 2")));
}

#[test]
fn a_page_that_does_not_exist_is_named_and_nothing_is_done() {
    let Err(Error::Invalid(text)) = edited(&three(), &[select("1-2"), select("5"), select("x")])
    else {
        panic!()
    };
    assert_eq!(
        text,
        "edits[1]: page 5 does not exist; there are 2\nedits[2]: expected pages such as `1-3,7,10-`, `odd` or `last`, got `x`"
    );
}

#[test]
fn pages_are_turned_and_cropped_within_their_box() {
    let edits = [
        Edit::RotatePages { pages: "2".to_owned(), angle: -90 },
        Edit::CropPages { pages: "1".to_owned(), rect: vec![10.0, 10.0, 500.0, 60.0] },
    ];
    let (bytes, done) = edited(&three(), &edits).unwrap();
    let pages = open(&bytes).page_infos();
    assert_eq!(pages[1].rotation, 270);
    assert_eq!(pages[0].rect, [10.0, 10.0, 200.0, 60.0]);
    assert!(done.warnings.iter().any(|it| it.contains("still in the file")));
    let outside = Edit::CropPages { pages: "1".to_owned(), rect: vec![300.0, 10.0, 500.0, 60.0] };
    assert!(matches!(edited(&three(), &[outside]), Err(Error::Invalid(_))));
}

#[test]
fn page_numbers_stand_in_front_of_content_that_is_left_open() {
    let (bytes, _) =
        edited(&book(&["q 5 0 0 5 0 0 cm q", "Q Q"], "", "", &[]), &[text("{page} / {pages}")])
            .unwrap();
    let content = plain(&bytes);
    assert!(has(&content, "(1 / 2)") && has(&content, "(2 / 2)"));
    // What the first page leaves open is closed, and what the second one closes is opened.
    assert!(has(&content, "Q\nQ\nQ\nq\n") && has(&content, "q\nq\nq\n"));
}

#[test]
fn chinese_text_warns_that_its_font_is_not_in_the_file_and_other_scripts_are_refused() {
    let (bytes, done) = edited(&three(), &[text("机密")]).unwrap();
    assert!(has(&plain(&bytes), "UniGB-UTF16-H") && has(&plain(&bytes), "<673A5BC6> Tj"));
    assert!(done.warnings.iter().any(|it| it.contains("not in the file")));
    let Err(Error::Unsupported(text)) = edited(&three(), &[text("สวัสดี")]) else {
        panic!()
    };
    assert!(text.contains("U+0E2A"), "{text}");
}

#[test]
fn blank_pages_metadata_bookmarks_and_attachments() {
    let edits = [
        Edit::InsertBlank { after: 1, count: 2 },
        Edit::SetMetadata { name: "Title".to_owned(), value: "年报".to_owned() },
        Edit::SetOutline(vec![
            OutlineItem { title: "A".to_owned(), level: 1, page: Some(1) },
            OutlineItem { title: "B".to_owned(), level: 2, page: Some(5) },
            OutlineItem { title: "C".to_owned(), level: 1, page: None },
        ]),
        Edit::AttachFile { name: "数据.csv".to_owned(), description: "Data".to_owned() },
    ];
    let (bytes, _) = edited(&three(), &edits).unwrap();
    let pdf = open(&bytes);
    assert_eq!(pdf.page_count(), 5);
    assert_eq!(pdf.metadata(), [("title".to_owned(), "年报".to_owned())]);
    let outline: Vec<_> =
        pdf.outline().into_iter().map(|it| (it.title, it.level, it.page)).collect();
    assert_eq!(
        outline,
        [("A".to_owned(), 1, Some(1)), ("B".to_owned(), 2, Some(5)), ("C".to_owned(), 1, None)]
    );
    assert_eq!(pdf.attachments()[0].name, "数据.csv");
    let twice = Edit::AttachFile { name: "数据.csv".to_owned(), description: String::new() };
    assert!(edited(&bytes, &[twice]).is_err());
    let (bytes, _) =
        edited(&bytes, &[Edit::RemoveAttachment { name: "数据.csv".to_owned() }]).unwrap();
    assert!(open(&bytes).attachments().is_empty() && !has(&plain(&bytes), "content of the file"));
    let missing = edited(&bytes, &[Edit::RemoveAttachment { name: "x".to_owned() }]);
    assert!(matches!(missing, Err(Error::Invalid(text)) if text.contains("there are none")));
}

#[test]
fn comments_go_and_links_stay() {
    let more = vec![
        "<</Type /Annot /Subtype /Text /Rect [0 0 9 9] /Contents (note)>>".to_owned(),
        "<</Type /Annot /Subtype /Popup /Rect [0 0 9 9] /Parent 6 0 R>>".to_owned(),
        "<</Type /Annot /Subtype /Link /Rect [0 0 9 9] /A <</S /URI /URI (https://example.org)>>>>"
            .to_owned(),
    ];
    let bytes = book(&[&words("one")], "", "/Annots [6 0 R 7 0 R 8 0 R]", &more);
    let (bytes, done) =
        edited(&bytes, &[Edit::RemoveAnnotations { pages: "all".to_owned() }]).unwrap();
    let left = open(&bytes).annotation_infos();
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].target.as_deref(), Some("https://example.org"));
    assert!(done.done[0].starts_with("2 annotations"));
}

#[test]
fn inherited_values_and_a_page_that_stands_twice() {
    let objects = [
        "<</Type /Catalog /Pages 2 0 R>>".to_owned(),
        "<</Type /Pages /Kids [3 0 R 3 0 R 2 0 R] /Count 2 /Rotate 90 /MediaBox [0 0 50 60]>>"
            .to_owned(),
        "<</Type /Page /Parent 2 0 R>>".to_owned(),
    ];
    let pages = open(&file(&objects)).page_infos();
    assert_eq!(pages.len(), 2);
    assert!(pages.iter().all(|it| it.rotation == 90 && it.rect == [0.0, 0.0, 50.0, 60.0]));
}

#[test]
fn two_texts_in_different_fonts_stand_beside_each_other() {
    let (bytes, _) = edited(&three(), &[text("Zoë 密"), text("plain")]).unwrap();
    let content = plain(&bytes);
    // Each text keeps its own names, and each run its own font.
    assert!(
        has(&content, "<5A6FEB20> Tj") && has(&content, "<5BC6> Tj") && has(&content, "(plain) Tj")
    );
    assert!(has(&content, "/Mitt0x0f") && has(&content, "/Mitt1x0f"));
}

/// Sets each line as a page of its own, as the host does.
struct Host(std::cell::Cell<usize>);

impl pdf_tool::Typesetter for Host {
    fn lines(&self, texts: &[String], size: f64, _: [f64; 3]) -> Option<Vec<u8>> {
        self.0.set(self.0.get() + 1);
        let contents: Vec<String> =
            texts.iter().map(|it| format!("% {} of {size}\n0 0 9 9 re f", it.len())).collect();
        let contents: Vec<&str> = contents.iter().map(String::as_str).collect();
        Some(book(&contents, "", "", &[]))
    }
}

#[test]
fn the_host_sets_what_the_standard_fonts_do_not_have_at_once() {
    let host = Host(std::cell::Cell::new(0));
    let mut pdf = open(&three());
    let files = |_: &str| Err(String::new());
    let done = pdf_tool::edit(
        &mut pdf,
        &[text("第 {page} 页"), text("plain"), text("สวัสดี")],
        false,
        &files,
        &host,
    );
    assert_eq!(done.unwrap().warnings, Vec::<String>::new());
    assert_eq!(host.0.get(), 2, "one call for each edit that needs it");
    let bytes = pdf.save(&pdf_tool::SaveOptions::default()).unwrap();
    let content = plain(&bytes);
    assert!(!has(&content, "STSong") && has(&content, "(plain) Tj"));
    assert_eq!(
        content.windows(12).filter(|it| it == b"% 9 of 10\n0 ").count(),
        3,
        "three numbers, each on its page"
    );
    assert_eq!(
        content.windows(12).filter(|it| it == b"% 18 of 10\n0").count(),
        1,
        "one text for all pages"
    );
}

#[test]
fn a_page_with_a_unit_of_its_own_is_not_cropped() {
    let crop = |page: &str| {
        let bytes = book(&[&words("one")], "", page, &[]);
        let edit = Edit::CropPages { pages: "1".to_owned(), rect: vec![10.0, 10.0, 90.0, 90.0] };
        edited(&bytes, &[edit])
    };
    assert!(crop("/UserUnit 1").is_ok());
    let error = crop("/UserUnit 2").err();
    assert!(
        matches!(&error, Some(Error::Unsupported(text)) if text.contains("page 1 is measured in units of 2 points")),
        "{error:?}"
    );
}
