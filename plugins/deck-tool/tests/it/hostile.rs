//! Files that were made to break a reader: an error that names the place, or an edit that is right, and never a panic.

use crate::common::{deck, edit_parts, info, no_files, part, text, unzip, zip};
use deck_tool::{
    ChartKind, Content, Deck, Edit, Error, Filling, Finding, Grid, NewChart, ReadOptions, Value,
    edit, read,
};
use std::collections::BTreeMap;

const SLIDE: &str = "ppt/slides/slide1.xml";
const SLIDE_RELATIONS: &str = "ppt/slides/_rels/slide1.xml.rels";
const CHART: &str = "ppt/charts/chart1.xml";
const CHART_RELATIONS: &str = "ppt/charts/_rels/chart1.xml.rels";
const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

fn relation(kind: &str, target: &str) -> String {
    format!(
        "<Relationship Id=\"rId77\" Type=\"{OFFICE}/{kind}\" Target=\"{target}\"/></Relationships>"
    )
}

/// Returns the parts of the presentation with contents that are changed or added.
fn with_parts(changes: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut parts: BTreeMap<String, Vec<u8>> =
        unzip(&deck()).into_iter().map(|(name, it)| (name, it.content)).collect();
    for (name, content) in changes {
        parts.insert((*name).to_owned(), content.clone());
    }
    let parts: Vec<(&str, Vec<u8>)> = parts.iter().map(|it| (&**it.0, it.1.clone())).collect();
    zip(&parts)
}

fn grid() -> Grid {
    Grid {
        columns: vec![String::new(), "S".to_owned()],
        rows: vec![vec![Value::Text("x".to_owned()), Value::Number("9".to_owned())]],
    }
}

fn set_chart() -> Edit {
    Edit::SetChartData { shape: "s257/3".to_owned(), data: grid() }
}

fn new_slide(content: Content) -> Edit {
    let fillings = vec![Filling { placeholder: "1".to_owned(), content }];
    Edit::NewSlide { layout: "sldLayout 1".to_owned(), position: None, fillings, notes: None }
}

fn add(slide: &str) -> Edit {
    let chart = NewChart { kind: ChartKind::Line, title: "T".to_owned(), data: grid() };
    Edit::AddContent {
        slide: slide.to_owned(),
        place: vec![1.0, 15.0, 9.0, 3.0],
        content: Content::Chart(chart),
    }
}

/// One edit of each kind.
fn all_edits() -> Vec<Edit> {
    let owned = str::to_owned;
    vec![
        text("s256/2", "Results", "New"),
        Edit::ReplaceText {
            find: owned("a"),
            replacement: owned("b"),
            finding: Finding { is_whole_word: false, ignores_case: true },
        },
        Edit::SetCell {
            shape: owned("s256/4"),
            row: 2,
            column: 2,
            expected: None,
            text: owned("x"),
        },
        Edit::InsertRows { shape: owned("s256/4"), after: 2, rows: vec![vec![owned("y")]] },
        Edit::DeleteRows { shape: owned("s256/4"), row: 3, count: 1 },
        set_chart(),
        Edit::SetNotes { slide: owned("s256"), expected: None, text: owned("n") },
        Edit::SetTitle { slide: owned("s257"), expected: None, text: owned("t") },
        Edit::DuplicateSlide { slide: owned("s257"), position: None },
        Edit::MoveSlide { slide: owned("s257"), position: 1 },
        Edit::HideSlide { slide: owned("s256"), is_hidden: true },
        new_slide(Content::Text(owned("one"))),
        add("s256"),
        add("new2"),
        Edit::SetProperty { name: owned("title"), value: owned("v") },
        Edit::DeleteSlide { slide: owned("s257"), expected: None },
    ]
}

#[test]
fn all_edits_work_on_the_sound_presentation() {
    // So that the tests below do not stop at the first edit.
    edit(deck(), &all_edits(), &no_files).unwrap();
}

#[test]
fn relationships_in_a_circle_end() {
    let end = "</Relationships>";
    let bytes = edit_parts(
        &deck(),
        &[
            (SLIDE_RELATIONS, end, &relation("chart", "slide1.xml")),
            (CHART_RELATIONS, end, &relation("chart", "chart1.xml")),
            ("ppt/_rels/presentation.xml.rels", end, &relation("slideMaster", "presentation.xml")),
            (
                "ppt/slideLayouts/_rels/slideLayout1.xml.rels",
                "../slideMasters/slideMaster1.xml",
                "slideLayout1.xml",
            ),
        ],
    );
    assert_eq!(info(&bytes).slides.len(), 2);
    let done = edit(bytes, &all_edits(), &no_files).unwrap();
    assert_eq!(info(&done.bytes).total, 3);
}

#[test]
fn a_slide_whose_layout_is_missing_is_read_and_edited_and_reported() {
    let bytes = edit_parts(&deck(), &[(SLIDE_RELATIONS, "slideLayout1.xml", "slideLayout7.xml")]);
    let read = info(&bytes);
    assert_eq!(read.warnings, ["The layout of s256 is missing."]);
    assert_eq!((&*read.slides[0].layout, read.slides[0].shapes.len()), ("", 3));
    let done = edit(bytes, &all_edits(), &no_files).unwrap();
    assert!(part(&done.bytes, SLIDE_RELATIONS).contains("slideLayout7.xml"));
    // Without any layout, a new slide is refused by name.
    let none = edit_parts(
        &deck(),
        &[("ppt/slideMasters/_rels/slideMaster1.xml.rels", "slideLayout1.xml", "no.xml")],
    );
    let error = edit(none, &[new_slide(Content::Text("x".into()))], &no_files).unwrap_err();
    assert!(error.to_string().contains("edits[0]: expected a layout"), "{error}");
}

#[test]
fn slides_without_a_part_are_reported() {
    let bytes = edit_parts(
        &deck(),
        &[("ppt/_rels/presentation.xml.rels", "slides/slide2.xml", "slides/slide9.xml")],
    );
    let read = info(&bytes);
    assert_eq!((read.total, &*read.warnings[0]), (1, "1 slide has no part and was left out."));
}

#[test]
fn a_hundred_thousand_shapes_are_cut_off_with_a_warning_and_kept() {
    let shape = |id: usize| {
        format!(
            "<p:sp><p:nvSpPr><p:cNvPr id=\"{id}\" name=\"\"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr/></p:sp>"
        )
    };
    let many: String = (10..100_010).map(shape).collect();
    let bytes = edit_parts(&deck(), &[(SLIDE, "</p:spTree>", &(many + "</p:spTree>"))]);
    let read = info(&bytes);
    assert_eq!(read.slides[0].shapes.len(), 5_000);
    assert_eq!(read.warnings, ["Of s256, only the first 5000 shapes were read."]);
    let done = edit(bytes, &[text("s256/2", "Results", "New"), add("s256")], &no_files).unwrap();
    assert_eq!(done.changes[1], "s256/100010 is new.");
    let slide = part(&done.bytes, SLIDE);
    assert_eq!(slide.matches("<p:sp>").count(), 100_002);
    let chosen = "<mc:AlternateContent xmlns:mc=\"http://schemas.openxmlformats.org/markup-compatibility/2006\">";
    let twice: String = (10..4_000).map(shape).collect();
    let both = format!(
        "{chosen}<mc:Choice>{twice}</mc:Choice><mc:Fallback>{twice}</mc:Fallback></mc:AlternateContent></p:spTree>"
    );
    assert_eq!(info(&edit_parts(&deck(), &[(SLIDE, "</p:spTree>", &both)])).warnings, [""; 0]);
}

#[test]
fn groups_that_are_too_deep_are_refused_by_part() {
    let group = "<p:grpSp><p:nvGrpSpPr><p:cNvPr id=\"9\" name=\"\"/></p:nvGrpSpPr><p:grpSpPr/>";
    let nested = |levels: usize| {
        let groups = group.repeat(levels) + &"</p:grpSp>".repeat(levels) + "</p:spTree>";
        edit_parts(&deck(), &[(SLIDE, "</p:spTree>", &groups)])
    };
    let options = ReadOptions { from: 1, limit: 9, has_layouts: true };
    let deep = nested(10_000);
    let error = read(&Deck::open(deep.clone()).unwrap(), &options).unwrap_err();
    let Error::Malformed(message) = error else { panic!("{error}") };
    assert!(message.starts_with("the part `ppt/slides/slide1.xml` cannot be read"), "{message}");
    assert!(message.contains("nested deeper than 400 levels"), "{message}");
    let error = edit(deep, &[text("s256/2", "Results", "New")], &no_files).unwrap_err();
    assert!(error.to_string().contains("slide1.xml"), "{error}");
    assert_eq!(info(&nested(390)).slides[0].shapes.len(), 393);
}

#[test]
fn charts_whose_workbook_is_elsewhere_or_no_workbook_get_data_and_a_warning() {
    let external = edit_parts(
        &deck(),
        &[(
            CHART_RELATIONS,
            "Target=\"../embeddings/book1.xlsx\"",
            "Target=\"file:///c:/book.xlsx\" TargetMode=\"External\"",
        )],
    );
    let book = "ppt/embeddings/book1.xlsx";
    let mut bomb = zip(&[("xl/workbook.xml", vec![0; 9])]);
    let at = bomb.len() - 22 - 46 - 15;
    bomb[at + 24..at + 28].copy_from_slice(&u32::MAX.to_le_bytes());
    let cases = [
        (external, "the chart has no workbook inside"),
        (with_parts(&[(book, b"no archive".to_vec())]), "it is no file of Office"),
        (with_parts(&[(book, b"PK but no archive".to_vec())]), "the file is not a ZIP archive"),
        (with_parts(&[(book, Vec::new())]), "it is no file of Office"),
        (with_parts(&[(book, b"\xd0\xcf\x11\xe0".to_vec())]), "Office 97 to 2003"),
        (with_parts(&[(book, deck())]), "it has no sheet `Sheet1`"),
        (with_parts(&[(book, bomb)]), "bytes unpacked"),
        (
            edit_parts(&deck(), &[(CHART_RELATIONS, "book1.xlsx", "book7.xlsx")]),
            "the chart has no workbook inside",
        ),
    ];
    for (bytes, wanted) in cases {
        let before = unzip(&bytes).remove(book).map(|it| it.raw);
        let done = edit(bytes, &[set_chart()], &no_files).unwrap();
        assert_eq!(done.warnings.len(), 1, "{wanted}");
        assert!(done.warnings[0].contains(wanted), "{wanted}: {}", done.warnings[0]);
        assert!(done.warnings[0].contains("s257/3 shows the new data"));
        assert_eq!(unzip(&done.bytes).remove(book).map(|it| it.raw), before);
    }
}

#[test]
fn charts_that_are_missing_or_broken_are_reported_and_refused() {
    for bytes in [
        edit_parts(&deck(), &[("ppt/slides/_rels/slide2.xml.rels", "chart1.xml", "chart7.xml")]),
        with_parts(&[(CHART, b"<c:chartSpace".to_vec())]),
    ] {
        assert_eq!(info(&bytes).warnings, ["The chart s257/3 cannot be read."]);
        assert!(edit(bytes, &[set_chart()], &no_files).is_err());
    }
}

#[test]
fn names_that_come_twice_are_refused_by_name() {
    let mut parts: Vec<(String, Vec<u8>)> =
        unzip(&deck()).into_iter().map(|(name, it)| (name, it.content)).collect();
    parts.push(("PPT/slides/SLIDE1.xml".to_owned(), b"<other/>".to_vec()));
    let parts: Vec<(&str, Vec<u8>)> = parts.iter().map(|it| (&*it.0, it.1.clone())).collect();
    let error = Deck::open(zip(&parts)).unwrap_err();
    assert!(matches!(&error, Error::Malformed(text) if text.contains("twice")), "{error}");
}

#[test]
fn names_that_lead_out_of_the_package_lead_nowhere() {
    let bytes = with_parts(&[
        ("../outside.xml", b"<outside/>".to_vec()),
        ("ppt/slides/../../../etc/passwd", b"x".to_vec()),
    ]);
    let far = "../../../../../../etc/passwd";
    let bytes = edit_parts(&bytes, &[(SLIDE_RELATIONS, "../slideLayouts/slideLayout1.xml", far)]);
    assert_eq!(info(&bytes).warnings, ["The layout of s256 is missing."]);
    let done = edit(bytes.clone(), &all_edits(), &no_files).unwrap();
    let (before, after) = (unzip(&bytes), unzip(&done.bytes));
    for name in ["../outside.xml", "ppt/slides/../../../etc/passwd"] {
        assert_eq!(after[name].raw, before[name].raw);
    }
    // No name of a new part leads out.
    let new = after.keys().filter(|it| !before.contains_key(*it));
    assert_eq!(new.filter(|it| it.contains("..")).count(), 0);
}

#[test]
fn sizes_that_are_declared_and_not_true_are_refused() {
    let declared = |name: &str, size: u32| {
        let mut bytes = deck();
        let at = bytes.windows(name.len()).rposition(|it| it == name.as_bytes()).unwrap() - 46;
        bytes[at + 24..at + 28].copy_from_slice(&size.to_le_bytes());
        bytes
    };
    let error = Deck::open(declared(SLIDE, 0xffff_fff0)).unwrap_err();
    assert!(error.to_string().contains("bytes unpacked"), "{error}");
    let options = ReadOptions { from: 1, limit: 9, has_layouts: false };
    let read =
        |bytes: Vec<u8>| read(&Deck::open(bytes).unwrap(), &options).unwrap_err().to_string();
    let message = read(declared(SLIDE, 200 << 20));
    assert!(message.contains("at most 134217728 bytes in `ppt/slides/slide1.xml`"), "{message}");
    assert!(read(declared(SLIDE, 10_000)).contains("`ppt/slides/slide1.xml` is damaged"));
}

#[test]
fn too_much_xml_is_refused() {
    let padding = format!("<!--{}--></p:sld>", " ".repeat(50 << 20));
    let bytes = edit_parts(
        &deck(),
        &[(SLIDE, "</p:sld>", &padding), ("ppt/slides/slide2.xml", "</p:sld>", &padding)],
    );
    let options = ReadOptions { from: 1, limit: 9, has_layouts: false };
    let error = read(&Deck::open(bytes).unwrap(), &options).unwrap_err();
    assert!(error.to_string().contains("bytes of XML"), "{error}");
}

#[test]
fn parts_that_are_no_xml_are_refused_by_name() {
    let options = ReadOptions { from: 1, limit: 9, has_layouts: false };
    for (content, wanted) in [
        (&b"<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>"[..], "document type declaration"),
        (b"\xff\xfe<a/>", "it is not UTF-8"),
        (b"<a><b></a>", "is not that of `b`"),
        (b"<a/><b/>", "several root elements"),
        (b"", "it ends too early"),
    ] {
        let deck = Deck::open(with_parts(&[(SLIDE, content.to_vec())])).unwrap();
        let message = read(&deck, &options).unwrap_err().to_string();
        assert!(message.contains(SLIDE) && message.contains(wanted), "{message}");
    }
}

#[test]
fn numbers_at_their_limits_do_not_overflow() {
    let bytes = edit_parts(
        &deck(),
        &[
            (SLIDE, "id=\"2\"", "id=\"4294967295\""),
            (SLIDE, "<a:off x=\"0\" y=\"3000000\"/>", "<a:off x=\"1e308\" y=\"NaN\"/>"),
            (SLIDE, "rowSpan=\"2\"", "rowSpan=\"9223372036854775807\""),
            (SLIDE, "<a:gridCol w=\"2000000\"/>", "<a:gridCol w=\"-1e308\"/>"),
            (CHART, "<c:idx val=\"0\"/>", "<c:idx val=\"4294967295\"/>"),
            (CHART, "<c:ptCount val=\"2\"/>", "<c:ptCount val=\"18446744073709551615\"/>"),
            (CHART, "<c:pt idx=\"1\">", "<c:pt idx=\"18446744073709551615\">"),
            ("ppt/presentation.xml", "id=\"256\" r:id", "id=\"4294967295\" r:id"),
            ("ppt/slideMasters/slideMaster1.xml", "sz=\"3200\"", "sz=\"1e300\""),
        ],
    );
    info(&bytes);
    let at = |shape: &str| format!("s4294967295/{shape}");
    let two = Grid {
        columns: vec![String::new(), "S".to_owned(), "T".to_owned()],
        rows: vec![vec![Value::Empty, Value::Number("1".to_owned()), Value::Empty]],
    };
    let edits = [
        text(&at("4294967295"), "Results", "New"),
        text(&at("3"), "Revenue 2025\n\tin Asia", "Other\n\tin Asia"),
        Edit::InsertRows { shape: at("4"), after: 2, rows: vec![vec!["y".to_owned()]] },
        Edit::SetChartData { shape: "s257/3".to_owned(), data: two },
        add("s4294967295"),
        new_slide(Content::Text("x".to_owned())),
        Edit::DuplicateSlide { slide: "s257".to_owned(), position: None },
    ];
    let done = edit(bytes, &edits, &no_files).unwrap();
    assert_eq!(done.changes[4], "s4294967295/2 is new.");
    assert!(!part(&done.bytes, SLIDE).contains("id=\"0\""));
    let book = "ppt/embeddings/book1.xlsx";
    let rows = edit_parts(
        &unzip(&deck())[book].content,
        &[("xl/worksheets/sheet1.xml", "<row r=\"3\">", "<row r=\"4294967295\"/><row>")],
    );
    edit(with_parts(&[(book, rows)]), &[set_chart()], &no_files).unwrap();
}

/// Damages the XML of single parts, whose checksums are right, so that all code behind the archive is reached.
#[test]
fn damaged_xml_does_not_make_it_panic() {
    let whole: Vec<(String, Vec<u8>)> =
        unzip(&deck()).into_iter().map(|(name, it)| (name, it.content)).collect();
    let edits = all_edits();
    let options = ReadOptions { from: 1, limit: 9, has_layouts: true };
    let mut seed = 7_u32;
    let mut next = |below: usize| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) as usize % below.max(1)
    };
    let mut done = 0;
    for _ in 0..400 {
        let mut parts = whole.clone();
        let at = next(parts.len());
        let content = &mut parts[at].1;
        match next(4) {
            // An element is cut out or repeated, so that the rest stays well-formed.
            0 | 1 => {
                let text = String::from_utf8_lossy(content).into_owned();
                let starts: Vec<usize> = text.match_indices('<').map(|it| it.0).collect();
                let start = starts[next(starts.len())];
                let end = text[start..].find('>').map_or(text.len(), |it| start + it + 1);
                if text[start..end].ends_with("/>") {
                    let again = text[start..end].repeat(next(3));
                    *content = format!("{}{again}{}", &text[..start], &text[end..]).into_bytes();
                }
            }
            // A value becomes another one.
            2 => {
                let text = String::from_utf8_lossy(content).into_owned();
                let values: Vec<usize> = text.match_indices("=\"").map(|it| it.0 + 2).collect();
                if let Some(&start) = values.get(next(values.len())) {
                    let end = text[start..].find('"').map_or(text.len(), |it| start + it);
                    let new = ["", "-1", "99999999999", "x", "rId1", "0", "../"][next(7)];
                    *content = format!("{}{new}{}", &text[..start], &text[end..]).into_bytes();
                }
            }
            _ => {
                let place = next(content.len());
                content[place] = b"<>/\"=&x0 "[next(9)];
            }
        }
        let parts: Vec<(&str, Vec<u8>)> = parts.iter().map(|it| (&*it.0, it.1.clone())).collect();
        let bytes = zip(&parts);
        if let Ok(deck) = Deck::open(bytes.clone()) {
            let _ = read(&deck, &options);
        }
        for one in &edits {
            if edit(bytes.clone(), std::slice::from_ref(one), &no_files).is_ok() {
                done += 1;
            }
        }
    }
    // Most damage leaves most edits possible.
    assert!(done > 2_000, "{done}");
}
