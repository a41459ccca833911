//! Edits of a small presentation: what they change, and that nothing else changes.

use crate::common::{changed, deck, info, no_files, part, problem, run, text, unzip, with};
use deck_tool::{Content, Deck, Edit, Error, Filling, Finding, Grid, Value, edit};
use std::collections::BTreeSet;

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|it| (*it).to_owned()).collect()
}

fn order(bytes: &[u8]) -> Vec<String> {
    info(bytes).slides.into_iter().map(|it| it.anchor).collect()
}

#[test]
fn a_batch_without_edits_gives_the_same_bytes() {
    assert_eq!(run(&[]).bytes, deck());
}

#[test]
fn what_is_read_has_anchors_places_and_content() {
    let info = info(&deck());
    assert_eq!((info.total, info.next, info.size), (2, None, vec![25.4, 19.05]));
    let slide = &info.slides[0];
    assert_eq!((&*slide.anchor, &*slide.layout), ("s256", "sldLayout 1"));
    let body = &slide.shapes[1];
    assert!(body.anchor.starts_with("s256/3-"), "{}", body.anchor);
    assert_eq!(body.text.as_deref(), Some("Revenue 2025\n\tin Asia"));
    // It stands where its layout says.
    assert_eq!(body.place, [0.83, 4.44, 23.61, 10.0]);
    assert_eq!(slide.shapes[2].rows, [["Region", "Sales"], ["East", "1"], ["", "2"]]);
    let chart = info.slides[1].shapes[1].chart.as_ref().unwrap();
    assert_eq!(
        (&*chart.kind, &chart.data.columns[..]),
        ("bar", &["Category".to_owned(), "Sales".to_owned()][..])
    );
    assert_eq!(info.layouts[0].placeholders[1], "1 obj \"Shape 3\" at 0.83, 4.44, 23.61 x 10 cm");
    assert_eq!((&*info.colors[0], &*info.fonts[0]), ("dk1 000000", "headings Arial"));
}

#[test]
fn lines_that_stay_keep_their_bytes_and_new_ones_take_the_format_of_their_neighbours() {
    let done =
        run(&[text("s256/3", "Revenue 2025\n\tin Asia", "Revenue 2026\n\tin Asia\n\tin <Europe>")]);
    assert_eq!(changed(&done.bytes), set(&["ppt/slides/slide1.xml"]));
    let slide = part(&done.bytes, "ppt/slides/slide1.xml");
    assert!(slide.contains(
        "<a:rPr b=\"1\"/><a:t>Rev</a:t></a:r><a:r><a:t>enue 20</a:t></a:r><a:r><a:rPr \
    i=\"1\"/><a:t>26</a:t>"
    ));
    let level = "<a:p><a:pPr lvl=\"1\"/><a:r><a:rPr u=\"sng\"/><a:t>";
    assert!(slide.contains(&format!(
        "{level}in Asia</a:t></a:r></a:p>{level}in &lt;Europe&gt;</a:t></a:r></a:p>"
    )));
}

#[test]
fn a_batch_with_a_stale_text_or_hash_changes_nothing_and_names_all_places() {
    let message = problem(&[
        text("s256/2", "Results", "New"),
        text("s256/3", "Other", "New"),
        Edit::SetText { shape: "s256/2-0000".to_owned(), expected: None, text: "New".to_owned() },
        text("s256/9", "Other", "New"),
        Edit::DeleteSlide { slide: "s300".to_owned(), expected: None },
        Edit::SetText { shape: "s256/2".to_owned(), expected: None, text: "New".to_owned() },
    ]);
    assert_eq!(
        message.lines().map(|it| it.split(':').next().unwrap()).collect::<Vec<_>>(),
        ["edits[1]", "edits[2]", "edits[3]", "edits[4]", "edits[5]", "nothing was changed"]
    );
}

#[test]
fn text_over_several_runs_is_replaced_in_the_format_of_the_first() {
    let finding = Finding { is_whole_word: true, ignores_case: true };
    let edit = Edit::ReplaceText {
        find: "REVENUE 2025".to_owned(),
        replacement: "Costs".to_owned(),
        finding,
    };
    let slide = part(&run(&[edit]).bytes, "ppt/slides/slide1.xml");
    assert!(slide.contains("<a:p><a:r><a:rPr b=\"1\"/><a:t>Costs</a:t></a:r></a:p>"), "{slide}");
    let finding = Finding { is_whole_word: true, ignores_case: false };
    let edit = Edit::ReplaceText { find: "Rev".to_owned(), replacement: "x".to_owned(), finding };
    assert!(problem(&[edit]).contains("`Rev` is not in the presentation"));
}

#[test]
fn rows_inside_of_a_merged_cell_make_it_higher() {
    let at = || "s256/4".to_owned();
    let insert =
        Edit::InsertRows { shape: at(), after: 2, rows: vec![vec![String::new(), "9".to_owned()]] };
    let done = run(&[insert]);
    let slide = part(&done.bytes, "ppt/slides/slide1.xml");
    assert!(slide.contains("rowSpan=\"3\"") && slide.contains("cy=\"1483360\""));
    assert_eq!(info(&done.bytes).slides[0].shapes[2].rows[2], ["", "9"]);
    let done = run(&[Edit::DeleteRows { shape: at(), row: 3, count: 1 }]);
    assert!(!part(&done.bytes, "ppt/slides/slide1.xml").contains("rowSpan"));
    let message = problem(&[
        Edit::DeleteRows { shape: at(), row: 2, count: 1 },
        Edit::SetCell { shape: at(), row: 3, column: 1, expected: None, text: "x".to_owned() },
        Edit::SetCell {
            shape: at(),
            row: 2,
            column: 2,
            expected: Some("7".to_owned()),
            text: "x".to_owned(),
        },
    ]);
    assert_eq!(message.lines().count(), 4, "{message}");
}

fn numbers(columns: &[&str], rows: &[(&str, &[&str])]) -> Grid {
    let row = |(label, values): &(&str, &[&str])| {
        let values = values.iter().map(|it| Value::Number((*it).to_owned()));
        std::iter::once(Value::Text((*label).to_owned())).chain(values).collect()
    };
    Grid {
        columns: columns.iter().map(|it| (*it).to_owned()).collect(),
        rows: rows.iter().map(row).collect(),
    }
}

#[test]
fn the_data_of_a_chart_are_those_of_its_workbook() {
    let data = numbers(
        &["", "Sales", "Costs"],
        &[("East", &["5", "1"]), ("North", &["6", "2"]), ("South", &["7", "3"])],
    );
    let done = run(&[Edit::SetChartData { shape: "s257/3".to_owned(), data }]);
    assert_eq!(changed(&done.bytes), set(&["ppt/charts/chart1.xml", "ppt/embeddings/book1.xlsx"]));
    assert_eq!(done.warnings, [""; 0]);
    let chart = part(&done.bytes, "ppt/charts/chart1.xml");
    for wanted in [
        "Sheet1!$C$2:$C$4",
        "Sheet1!$A$2:$A$4",
        "Sheet1!$C$1",
        "<c:idx val=\"1\"/><c:order val=\"1\"/>",
    ] {
        assert!(chart.contains(wanted), "{wanted} in {chart}");
    }
    let read = info(&done.bytes).slides[1].shapes[1].chart.clone().unwrap();
    assert_eq!(read.data.columns, ["Category", "Sales", "Costs"]);
    assert_eq!(
        read.data.rows[2],
        [Value::Text("South".into()), Value::Number("7".into()), Value::Number("3".into())]
    );
}

#[test]
fn the_workbook_of_a_chart_gets_cells_a_larger_table_and_no_stale_order_of_formulas() {
    let data = numbers(
        &["", "Sales", "Costs"],
        &[("East", &["5", "1"]), ("North", &["6", "2"]), ("South", &["7", "3"])],
    );
    let done = run(&[Edit::SetChartData { shape: "s257/3".to_owned(), data }]);
    let workbook = unzip(&unzip(&done.bytes)["ppt/embeddings/book1.xlsx"].content);
    let sheet = &workbook["xl/worksheets/sheet1.xml"].text;
    assert!(sheet.contains("<dimension ref=\"A1:C4\"/>"), "{sheet}");
    assert!(
        sheet.contains(
            "<c r=\"B3\" s=\"3\"><v>6</v></c><c r=\"C3\"><v>2</v></c></row><row r=\"4\">"
        ),
        "{sheet}"
    );
    assert!(sheet.contains("<c r=\"B4\" s=\"3\"><v>7</v></c>"), "{sheet}");
    let table = &workbook["xl/tables/table1.xml"].text;
    assert!(table.contains("ref=\"A1:C4\"") && table.contains("count=\"3\""), "{table}");
    assert!(table.contains("<tableColumn id=\"3\" name=\"Costs\"/>"), "{table}");
    // A formula was replaced.
    assert!(!workbook.contains_key("xl/calcChain.xml"));
    let message = problem(&[Edit::SetChartData {
        shape: "s257/3".to_owned(),
        data: Grid {
            columns: vec![String::new(), "A".into()],
            rows: vec![vec![Value::Empty, Value::Text("many".into())]],
        },
    }]);
    assert!(message.contains("expected a number for `A` in row 1, got `many`"), "{message}");
}

#[test]
fn a_copy_of_a_slide_has_its_own_chart_and_stands_in_the_same_section() {
    let done = run(&[
        Edit::DuplicateSlide { slide: "s257".to_owned(), position: None },
        Edit::SetChartData {
            shape: "new1/3".to_owned(),
            data: numbers(&["", "S"], &[("x", &["9"])]),
        },
        Edit::SetTitle { slide: "new1".to_owned(), expected: None, text: "Copy".to_owned() },
    ]);
    assert_eq!(order(&done.bytes), ["s256", "s257", "s258"]);
    let parts = unzip(&done.bytes);
    let before = unzip(&deck());
    for name in ["ppt/slides/slide2.xml", "ppt/charts/chart1.xml", "ppt/embeddings/book1.xlsx"] {
        assert_eq!(parts[name].raw, before[name].raw, "{name}");
    }
    assert!(parts["ppt/charts/chart2.xml"].text.contains("<c:v>9</c:v>"));
    assert!(parts["ppt/charts/_rels/chart2.xml.rels"].text.contains("../embeddings/book2.xlsx"));
    assert!(
        parts["ppt/presentation.xml"]
            .text
            .contains("<p14:sldId id=\"257\"/><p14:sldId id=\"258\"/>")
    );
    let app = &parts["docProps/app.xml"].text;
    assert!(
        app.contains("<Slides>3</Slides>")
            && app.contains("<vt:i4>3</vt:i4>")
            && app.contains("size=\"4\" baseType=\"lpstr\"")
    );
    assert!(app.contains("<vt:lpstr>Chart</vt:lpstr><vt:lpstr>Copy</vt:lpstr>"), "{app}");
}

#[test]
fn a_deleted_slide_takes_its_parts_its_links_and_its_places_in_lists_along() {
    let done =
        run(&[Edit::DeleteSlide { slide: "s257".to_owned(), expected: Some("Chart".to_owned()) }]);
    let parts = unzip(&done.bytes);
    let left: Vec<&String> = parts
        .keys()
        .filter(|it| it.contains("chart") || it.contains("slide2") || it.contains("embeddings"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
    let presentation = &parts["ppt/presentation.xml"].text;
    assert!(!presentation.contains("257") && !presentation.contains("rId3"), "{presentation}");
    assert!(!parts["[Content_Types].xml"].text.contains("chart1"));
    let done = run(&[Edit::DeleteSlide { slide: "s256".to_owned(), expected: None }]);
    let slide = part(&done.bytes, "ppt/slides/slide2.xml");
    assert!(!slide.contains("hlinkClick") && slide.contains("back"));
    assert_eq!(done.warnings.len(), 1);
}

#[test]
fn a_copy_that_is_deleted_again_leaves_the_file_as_it_was() {
    let done = run(&[
        Edit::DuplicateSlide { slide: "s257".to_owned(), position: Some(1) },
        Edit::DeleteSlide { slide: "new1".to_owned(), expected: None },
    ]);
    assert_eq!(changed(&done.bytes), set(&[]));
}

#[test]
fn a_slide_that_moves_changes_lists_only() {
    let done = run(&[Edit::MoveSlide { slide: "s257".to_owned(), position: 1 }]);
    assert_eq!(order(&done.bytes), ["s257", "s256"]);
    assert_eq!(changed(&done.bytes), set(&["docProps/app.xml", "ppt/presentation.xml"]));
    assert!(
        part(&done.bytes, "docProps/app.xml")
            .contains("<vt:lpstr>Chart</vt:lpstr><vt:lpstr>Results</vt:lpstr>")
    );
    assert!(
        problem(&[Edit::MoveSlide { slide: "s257".to_owned(), position: 3 }])
            .contains("from 1 to 2, got 3")
    );
}

#[test]
fn hidden_slides_and_notes_are_counted() {
    let notes = Edit::SetNotes {
        slide: "s256".to_owned(),
        expected: Some(String::new()),
        text: "Say\n\tthis".to_owned(),
    };
    let done = run(&[Edit::HideSlide { slide: "s256".to_owned(), is_hidden: true }, notes]);
    let read = info(&done.bytes);
    assert!(read.slides[0].is_hidden);
    assert_eq!(read.slides[0].notes.as_deref(), Some("Say\n\tthis"));
    let app = part(&done.bytes, "docProps/app.xml");
    assert!(app.contains("<HiddenSlides>1</HiddenSlides>") && app.contains("<Notes>1</Notes>"));
    assert!(
        part(&done.bytes, "ppt/presentation.xml")
            .contains("</p:sldMasterIdLst><p:notesMasterIdLst>")
    );
}

fn new_slide(placeholder: &str, content: Content) -> Edit {
    let fillings = vec![
        Filling { placeholder: placeholder.to_owned(), content },
        Filling { placeholder: "title".to_owned(), content: Content::Text("Plan".to_owned()) },
    ];
    Edit::NewSlide { layout: "sldLayout 1".to_owned(), position: Some(2), fillings, notes: None }
}

#[test]
fn a_new_slide_uses_the_placeholders_of_its_layout() {
    let done = run(&[new_slide("1", Content::Text("One\n\tTwo".to_owned()))]);
    assert_eq!(order(&done.bytes), ["s256", "s258", "s257"]);
    let slide = &info(&done.bytes).slides[1];
    let texts: Vec<_> = slide.shapes.iter().map(|it| it.text.clone().unwrap()).collect();
    assert_eq!(texts, ["Plan", "One\n\tTwo"]);
    assert_eq!(slide.shapes[1].place, [0.83, 4.44, 23.61, 10.0]);
    let rows = vec![vec!["a".to_owned(), "b".to_owned()], vec!["1".to_owned()]];
    let done = run(&[new_slide("body", Content::Table(rows))]);
    assert_eq!(info(&done.bytes).slides[1].shapes[1].rows, [["a", "b"], ["1", ""]]);
    assert!(
        problem(&[new_slide("7", Content::Text(String::new()))])
            .contains("expected a placeholder of the layout")
    );
    assert!(
        problem(&[new_slide("1", Content::Picture("x.png".to_owned()))])
            .contains("no such document")
    );
}

#[test]
fn text_that_does_not_fit_is_reported_with_the_room_it_needs() {
    let long = ["Some words that fill a line of this size"; 12].join("\n");
    let done = run(&[text("s256/3", "Revenue 2025\n\tin Asia", &long)]);
    assert_eq!(done.overflows.len(), 1);
    let found = &done.overflows[0];
    assert!(
        found.shape == "s256/3" && found.needs_cm > 16.0 && (found.has_cm - 9.7).abs() < 0.2,
        "{found:?}"
    );
    assert_eq!(run(&[text("s256/3", "Revenue 2025\n\tin Asia", "Short")]).overflows, []);
    // Letters of East Asia are as wide as high: 30 at 32 points need more than the 23 cm of a line.
    let wide = vec!["增".repeat(30); 5].join("\n");
    assert_eq!(run(&[text("s256/3", "Revenue 2025\n\tin Asia", &wide)]).overflows.len(), 1);
    let narrow = vec!["i".repeat(30); 5].join("\n");
    assert_eq!(run(&[text("s256/3", "Revenue 2025\n\tin Asia", &narrow)]).overflows, []);
}

#[test]
fn damaged_files_are_refused_without_a_panic() {
    let whole = deck();
    for length in (0..whole.len()).step_by(97) {
        assert!(Deck::open(whole[..length].to_vec()).is_err());
    }
    let mut seed = 1_u32;
    for _ in 0..3_000 {
        let mut bytes = whole.clone();
        for _ in 0..3 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let at = (seed >> 8) as usize % bytes.len();
            bytes[at] = (seed >> 3) as u8;
        }
        let edits = [
            text("s256/2", "Results", "New"),
            Edit::DuplicateSlide { slide: "s257".to_owned(), position: None },
        ];
        let _ = edit(bytes, &edits, &no_files);
    }
}

const SLIDE: &str = "ppt/slides/slide1.xml";

#[test]
fn a_template_becomes_a_presentation() {
    let bytes = with("[Content_Types].xml", "presentation.main+xml", "template.main+xml");
    let done = edit(bytes, &[], &no_files).unwrap();
    assert!(unzip(&done.bytes)["[Content_Types].xml"].text.contains("presentation.main+xml"));
}

#[test]
fn macros_signatures_and_old_files_are_refused_by_name() {
    let bytes = with(
        "[Content_Types].xml",
        "application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml",
        "application/vnd.ms-powerpoint.presentation.macroEnabled.main+xml",
    );
    let refused = |bytes: Vec<u8>| edit(bytes, &[], &no_files).unwrap_err();
    assert!(matches!(refused(bytes), Error::Unsupported(text) if text.contains("macros")));
    assert!(
        matches!(refused(b"\xd0\xcf\x11\xe0".to_vec()), Error::Unsupported(text) if text.contains("password"))
    );
    assert!(matches!(refused(b"text".to_vec()), Error::Unsupported(_)));
}

#[test]
fn text_that_shrinks_or_grows_by_itself_is_written_so() {
    let body = "<p:txBody><a:bodyPr/><a:lstStyle/><a:p><a:r><a:rPr b=\"1\"/>";
    let shrink =
        with(SLIDE, body, &body.replace("<a:bodyPr/>", "<a:bodyPr><a:normAutofit/></a:bodyPr>"));
    let long = ["Some words that fill a line"; 9].join("\n");
    let edits = [text("s256/3", "Revenue 2025\n\tin Asia", &long)];
    let done = edit(shrink, &edits, &no_files).unwrap();
    assert_eq!(done.overflows, []);
    let slide = part(&done.bytes, SLIDE);
    assert!(
        slide.contains("<a:normAutofit fontScale=\"85000\" lnSpcReduction=\"20000\"/>"),
        "{slide}"
    );
    let grow = with(
        SLIDE,
        "<p:spPr></p:spPr><p:txBody><a:bodyPr/><a:lstStyle/><a:p><a:r><a:rPr b=\"1\"/>",
        "<p:spPr><a:xfrm><a:off x=\"0\" y=\"0\"/><a:ext cx=\"8000000\" cy=\"400000\"/></a:xfrm></p:spPr>\
        <p:txBody><a:bodyPr><a:spAutoFit/></a:bodyPr><a:lstStyle/><a:p><a:r><a:rPr b=\"1\"/>",
    );
    let done = edit(grow, &edits, &no_files).unwrap();
    assert_eq!(done.overflows, []);
    let height = info(&done.bytes).slides[0].shapes[1].place[3];
    assert!((11.0..16.0).contains(&height), "{height}");
}

#[test]
fn text_in_the_colour_of_what_is_behind_it_is_reported() {
    let white =
        "<a:rPr b=\"1\"><a:solidFill><a:schemeClr val=\"bg1\"/></a:solidFill></a:rPr><a:t>Rev";
    let bytes = with(SLIDE, "<a:rPr b=\"1\"/><a:t>Rev", white);
    let edits = [text("s256/3", "Revenue 2025\n\tin Asia", "Revenue 2026")];
    let done = edit(bytes, &edits, &no_files).unwrap();
    assert!(
        done.warnings.iter().any(|it| it.contains("s256/3 has a contrast of only 1.0")),
        "{:?}",
        done.warnings
    );
    assert_eq!(run(&edits).warnings, [""; 0]);
}

#[test]
fn shapes_of_a_new_slide_that_overlap_are_reported() {
    let layout = "ppt/slideLayouts/slideLayout1.xml";
    let bytes = with(layout, "y=\"1600000\"", "y=\"600000\"");
    let done = edit(bytes, &[new_slide("1", Content::Text("One".to_owned()))], &no_files).unwrap();
    assert_eq!(done.warnings, ["On the new slide, s258/2 and s258/3 overlap."]);
}
