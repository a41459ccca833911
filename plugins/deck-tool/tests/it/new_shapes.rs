//! New charts, and new shapes at places of slides that exist.

use crate::common::{changed, deck, edit_parts, info, no_files, part, problem, run, unzip};
use deck_tool::{ChartKind, Content, Edit, Error, Filling, Grid, NewChart, ShapeInfo, Value, edit};

fn value(text: &str) -> Value {
    match text.parse::<f64>() {
        Ok(_) => Value::Number(text.to_owned()),
        Err(_) if text.is_empty() => Value::Empty,
        Err(_) => Value::Text(text.to_owned()),
    }
}

/// Returns a chart with the data of `a,b;x,1`.
fn chart(kind: ChartKind, title: &str, data: &str) -> Content {
    let mut rows = data.split(';').map(|row| row.split(',').collect::<Vec<_>>());
    let columns = rows.next().unwrap().into_iter().map(str::to_owned).collect();
    let rows = rows.map(|row| row.into_iter().map(value).collect()).collect();
    Content::Chart(NewChart { kind, title: title.to_owned(), data: Grid { columns, rows } })
}

fn slide(content: Content) -> Edit {
    let fillings = vec![Filling { placeholder: "1".to_owned(), content }];
    Edit::NewSlide { layout: "sldLayout 1".to_owned(), position: None, fillings, notes: None }
}

fn add(slide: &str, place: [f64; 4], content: Content) -> Edit {
    Edit::AddContent { slide: slide.to_owned(), place: place.to_vec(), content }
}

fn text(it: &str) -> Content {
    Content::Text(it.to_owned())
}

const SALES: &str = "Region,2025,2026;East,1,2.5;West & South,-3,;North,4,12000";
const CHART: &str = "ppt/charts/chart2.xml";
const BOOK: &str = "ppt/embeddings/Microsoft_Excel_Sheet1.xlsx";

/// Returns the only shape of the new slide.
fn new_chart(bytes: &[u8]) -> ShapeInfo {
    info(bytes).slides[2].shapes[0].clone()
}

#[test]
fn a_new_chart_has_its_part_its_workbook_and_the_place_of_its_placeholder() {
    let done = run(&[slide(chart(ChartKind::Column, "Sales & more", SALES))]);
    assert_eq!((done.warnings, done.overflows.len()), (vec![], 0));
    let shape = new_chart(&done.bytes);
    assert_eq!(shape.place, [0.83, 4.44, 23.61, 10.0]);
    assert_eq!(shape.placeholder.as_deref(), Some("obj 1"));
    let read = shape.chart.unwrap();
    assert_eq!((&*read.kind, &*read.title), ("column", "Sales & more"));
    assert_eq!(read.data.columns, ["Category", "2025", "2026"]);
    assert_eq!(read.data.rows[1], [value("West & South"), value("-3"), Value::Empty]);
    let parts = unzip(&done.bytes);
    let types = &parts["[Content_Types].xml"].text;
    assert!(types.contains("PartName=\"/ppt/charts/chart2.xml\""), "{types}");
    let xml = &parts[CHART].text;
    for wanted in [
        "<c:barDir val=\"col\"/>",
        "Sheet1!$A$2:$A$4",
        "Sheet1!$C$2:$C$4",
        "<a:schemeClr val=\"accent1\">",
        "<a:schemeClr val=\"accent2\">",
        "<c:legendPos val=\"b\"/>",
        "<c:externalData r:id=\"rId1\">",
    ] {
        assert!(xml.contains(wanted), "{wanted} in {xml}");
    }
    assert!(!xml.contains("srgbClr"), "a colour that is not one of the theme");
    assert!(parts["ppt/charts/_rels/chart2.xml.rels"].text.contains("Microsoft_Excel_Sheet1.xlsx"));
    let book = unzip(&parts[BOOK].content);
    let sheet = &book["xl/worksheets/sheet1.xml"].text;
    assert!(sheet.contains("<c r=\"C4\"><v>12000</v></c>"), "{sheet}");
    assert!(sheet.contains("West &amp; South") && !sheet.contains("r=\"C3\""), "{sheet}");
    // Nothing else of the presentation changed.
    let others = ["ppt/charts/chart1.xml", "ppt/embeddings/book1.xlsx", "ppt/slides/slide2.xml"];
    assert!(others.iter().all(|it| !changed(&done.bytes).contains(*it)));
}

#[test]
fn contents_that_a_placeholder_is_not_for_come_in_its_place() {
    let layout = "ppt/slideLayouts/slideLayout1.xml";
    let fill = |kind: &str, content: Content| {
        let new = format!("<p:ph type=\"{kind}\" idx=\"1\"/>");
        let bytes = edit_parts(&deck(), &[(layout, "<p:ph idx=\"1\"/>", &new)]);
        edit(bytes, &[slide(content)], &files)
    };
    let rows = || Content::Table(vec![vec!["a".to_owned()]]);
    let picture = || Content::Picture("a.png".to_owned());
    let line = || chart(ChartKind::Line, "", SALES);
    for (kind, content, is_inside) in [
        ("chart", line(), true),
        ("tbl", rows(), true),
        ("pic", picture(), true),
        ("body", line(), false),
        ("body", rows(), false),
        ("tbl", picture(), false),
        ("pic", line(), false),
    ] {
        let done = fill(kind, content).unwrap();
        let shape = new_chart(&done.bytes);
        assert_eq!(shape.placeholder.is_some(), is_inside, "{kind} {}", shape.kind);
        assert_eq!((shape.place[1], done.warnings.len()), (4.44, 0), "{kind} {}", shape.kind);
    }
    for content in [line(), rows(), picture()] {
        let message = fill("subTitle", content).unwrap_err().to_string();
        assert!(message.contains("expected text in the placeholder `Shape 3`"), "{message}");
    }
}

#[test]
fn each_kind_has_its_form() {
    let kinds = [
        (ChartKind::Bar, "bar", "<c:orientation val=\"maxMin\"/>"),
        (ChartKind::Column, "column", "<c:barDir val=\"col\"/>"),
        (ChartKind::Line, "line", "<c:smooth val=\"0\"/>"),
        (ChartKind::Area, "area", "<a:alpha val=\"70000\"/>"),
        (ChartKind::Scatter, "scatter", "<c:xVal><c:numRef>"),
        (ChartKind::Pie, "pie", "<c:showPercent val=\"1\"/>"),
    ];
    for (kind, name, wanted) in kinds {
        let data = if kind == ChartKind::Pie { "x,a;1,3;2,4" } else { "x,a,b;1,3,4;2,5,6" };
        let done = run(&[slide(chart(kind, "", data))]);
        let xml = part(&done.bytes, CHART);
        assert!(xml.contains(wanted), "{name}: {xml}");
        assert!(xml.contains("<c:autoTitleDeleted val=\"1\"/>"), "{name}");
        let read = new_chart(&done.bytes).chart.unwrap();
        assert_eq!((&*read.kind, read.data.rows.len()), (name, 2));
        assert_eq!(read.data.columns.len(), if kind == ChartKind::Pie { 2 } else { 3 });
    }
}

#[test]
fn more_series_than_accents_have_colours_of_their_own() {
    let names: Vec<String> = (0..14).map(|it| format!("s{it}")).collect();
    let numbers = vec!["1"; 14].join(",");
    let done =
        run(&[slide(chart(ChartKind::Line, "", &format!("x,{};a,{numbers}", names.join(","))))]);
    let xml = part(&done.bytes, CHART);
    let mut colours: Vec<&str> = xml
        .split("<c:ser>")
        .skip(1)
        .map(|it| {
            let start = it.find("<a:solidFill>").unwrap();
            &it[start..it.find("</a:solidFill>").unwrap()]
        })
        .collect();
    colours.sort_unstable();
    colours.dedup();
    assert_eq!(colours.len(), 14);
}

#[test]
fn a_new_chart_takes_new_data_and_its_workbook_too() {
    let data = Grid {
        columns: vec!["Region".into(), "2027".into()],
        rows: vec![vec![value("All"), value("7")]],
    };
    let done = run(&[
        slide(chart(ChartKind::Bar, "", SALES)),
        Edit::SetChartData { shape: "new1/2".to_owned(), data },
    ]);
    assert_eq!(done.warnings, [""; 0]);
    assert_eq!(new_chart(&done.bytes).chart.unwrap().data.rows, [[value("All"), value("7")]]);
    let book = unzip(&unzip(&done.bytes)[BOOK].content);
    let sheet = &book["xl/worksheets/sheet1.xml"].text;
    assert!(sheet.contains("<c r=\"B2\"><v>7</v></c>") && !sheet.contains("12000"), "{sheet}");
}

#[test]
fn data_that_do_not_fit_their_kind_are_refused_with_their_place() {
    let many = (0..49).map(|it| format!(";a{it},1")).collect::<String>();
    let cases = [
        (ChartKind::Pie, "x,a,b;1,2,3".to_owned(), "expected one series for a pie, got 2"),
        (
            ChartKind::Pie,
            "x,a;1,2;2,-3".to_owned(),
            "no negative number in a pie, got `-3` in row 2",
        ),
        (ChartKind::Pie, format!("x,a{many}"), "at most 48 rows for a pie, got 49"),
        (
            ChartKind::Scatter,
            "x,a;1,2;b,3".to_owned(),
            "expected a number in row 2 of the first column",
        ),
        (
            ChartKind::Line,
            "x,a;1,2;2,many".to_owned(),
            "expected a number for `a` in row 2, got `many`",
        ),
        (ChartKind::Line, "x;1".to_owned(), "got no series or no row"),
        (ChartKind::Line, "x,a".to_owned(), "got no series or no row"),
        (ChartKind::Line, format!("x,{}", vec!["a"; 256].join(",")) + ";1", "at most 255 series"),
        (ChartKind::Line, format!("x,a{}", ";b,1".repeat(10_001)), "and 10000 rows"),
    ];
    for (kind, data, wanted) in cases {
        let message = problem(&[slide(chart(kind, "", &data))]);
        assert!(message.contains(wanted), "{message}");
    }
}

#[test]
fn charts_of_a_strict_package_have_its_namespaces() {
    let from = "http://schemas.openxmlformats.org/";
    let strict = [
        ("drawingml/2006/main", "drawingml/main"),
        ("drawingml/2006/chart", "drawingml/chart"),
        ("presentationml/2006/main", "presentationml/main"),
        ("officeDocument/2006/relationships", "officeDocument/relationships"),
    ];
    let parts: Vec<(String, Vec<u8>)> = unzip(&deck())
        .into_iter()
        .map(|(name, it)| {
            let text = strict.iter().fold(it.text, |text, (old, new)| {
                text.replace(&format!("{from}{old}"), &format!("http://purl.oclc.org/ooxml/{new}"))
            });
            // The workbook stays as it is.
            let content = if name.ends_with(".xlsx") { it.content } else { text.into_bytes() };
            (name, content)
        })
        .collect();
    let parts: Vec<(&str, Vec<u8>)> = parts.iter().map(|it| (&*it.0, it.1.clone())).collect();
    let edits = [
        slide(chart(ChartKind::Bar, "T", SALES)),
        add("s257", [1.0, 9.0, 9.0, 5.0], chart(ChartKind::Line, "U", SALES)),
    ];
    let done = edit(crate::common::zip(&parts), &edits, &no_files).unwrap();
    assert_eq!(new_chart(&done.bytes).chart.unwrap().title, "T");
    for name in [CHART, "ppt/charts/chart3.xml", "ppt/slides/slide3.xml", "ppt/slides/slide2.xml"] {
        let xml = part(&done.bytes, name);
        assert!(!xml.contains(&format!("{from}drawingml")), "{name}: {xml}");
    }
}

/// A picture of 4 x 2 pixels, as far as its size is read.
fn png() -> Vec<u8> {
    let mut out = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    out.extend([0, 0, 0, 4, 0, 0, 0, 2, 8, 2, 0, 0, 0]);
    out
}

fn files(name: &str) -> Result<Vec<u8>, Error> {
    match name {
        "a.png" => Ok(png()),
        _ => Err(Error::NotFound("no such document".to_owned())),
    }
}

#[test]
fn shapes_are_added_in_front_and_at_their_place() {
    let rows = vec![vec!["a".to_owned(), "b".to_owned()], vec!["1".to_owned(), "2".to_owned()]];
    let edits = [
        add("s257", [1.0, 6.0, 8.0, 2.0], text("One\n\t<Two>")),
        add("s257", [1.0, 9.0, 8.0, 4.0], Content::Table(rows)),
        add("s257", [10.0, 6.0, 6.0, 6.0], Content::Picture("a.png".to_owned())),
        add("s257", [17.0, 6.0, 8.0, 8.0], chart(ChartKind::Pie, "P", "x,a;u,1;v,2")),
    ];
    let done = edit(deck(), &edits, &files).unwrap();
    assert_eq!((done.warnings, done.overflows.len()), (vec![], 0));
    assert_eq!(
        done.changes,
        ["s257/5 is new.", "s257/6 is new.", "s257/7 is new.", "s257/8 is new."]
    );
    let shapes = &info(&done.bytes).slides[1].shapes[3..];
    assert_eq!(shapes[0].text.as_deref(), Some("One\n\t<Two>"));
    assert_eq!(shapes[0].place, [1.0, 6.0, 8.0, 2.0]);
    assert_eq!(shapes[1].rows[1], ["1", "2"]);
    // It keeps its proportions, in the middle of its place.
    assert_eq!(shapes[2].place, [10.0, 7.5, 6.0, 3.0]);
    assert_eq!(shapes[3].chart.as_ref().unwrap().kind, "pie");
    assert!(shapes.iter().all(|it| it.placeholder.is_none()));
    let names: Vec<String> = changed(&done.bytes).into_iter().collect();
    assert!(!names.iter().any(|it| it.contains("slide1") || it.contains("chart1")), "{names:?}");
}

#[test]
fn shapes_stand_before_extensions_of_the_list() {
    let old = "</p:spTree>";
    let new = "<p:extLst><p:ext uri=\"{1}\"/></p:extLst></p:spTree>";
    let bytes = edit_parts(&deck(), &[("ppt/slides/slide1.xml", old, new)]);
    let done = edit(bytes, &[add("s256", [1.0, 1.0, 2.0, 1.0], text("x"))], &no_files).unwrap();
    assert!(part(&done.bytes, "ppt/slides/slide1.xml").contains("</p:sp><p:extLst>"));
}

#[test]
fn overlaps_and_edges_are_reported_and_panels_are_not() {
    // The body of the slide begins at 4.44 cm.
    let warnings = |place: [f64; 4]| run(&[add("s256", place, text("x"))]).warnings;
    assert_eq!(warnings([1.0, 5.0, 5.0, 1.5]), ["s256/5 overlaps s256/3."]);
    assert_eq!(warnings([1.0, 15.0, 5.0, 1.5]), [""; 0]);
    let edge = ["s256/5 reaches over the edge of the slide, which has 25.40 x 19.05 cm."];
    assert_eq!(warnings([20.5, 15.0, 5.0, 1.5]), edge);
    assert_eq!(warnings([1.0, -0.1, 1.0, 0.6]), edge);
    assert_eq!(warnings([20.4, 15.0, 5.0, 1.5]), [""; 0]);
    let two = run(&[
        add("s256", [1.0, 15.0, 5.0, 1.5], text("x")),
        add("s256", [2.0, 15.0, 5.0, 1.5], text("y")),
    ]);
    assert_eq!(two.warnings, ["s256/6 overlaps s256/5."]);
    let panel = |kind: &str| {
        let new = format!(
            "<p:grpSpPr/><p:{kind}><p:nvSpPr><p:cNvPr id=\"9\" name=\"Panel\"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr>\
            <a:xfrm><a:off x=\"0\" y=\"5400000\"/><a:ext cx=\"9144000\" cy=\"1400000\"/></a:xfrm></p:spPr></p:{kind}>"
        );
        edit_parts(&deck(), &[("ppt/slides/slide1.xml", "<p:grpSpPr/>", &new)])
    };
    let on = |bytes: Vec<u8>, place: [f64; 4]| {
        edit(bytes, &[add("s256", place, text("x"))], &no_files).unwrap().warnings
    };
    assert_eq!(on(panel("sp"), [1.0, 15.5, 5.0, 1.5]), [""; 0]);
    assert_eq!(on(panel("pic"), [1.0, 15.5, 5.0, 1.5]), [""; 0]);
    // Half on the panel, half beside it.
    assert_eq!(on(panel("sp"), [1.0, 14.5, 5.0, 1.5]), ["s256/10 overlaps s256/9."]);
}

#[test]
fn many_overlaps_are_counted() {
    let many: Vec<Edit> = (0..9).map(|_| add("s257", [1.0, 8.0, 5.0, 1.5], text("x"))).collect();
    let last = run(&many).warnings.pop().unwrap();
    assert_eq!(last, "s257/13 overlaps s257/5, s257/6, s257/7, s257/8, s257/9 and 3 more.");
    let mut on_new = vec![slide(text("One"))];
    on_new.extend((0..9).map(|_| add("new1", [1.0, 16.0, 5.0, 1.5], text("x"))));
    let warnings = run(&on_new).warnings;
    assert_eq!(warnings.len(), 21, "{warnings:?}");
    assert_eq!(warnings[20], "On the new slide s258, 16 further pairs overlap.");
}

#[test]
fn warnings_beyond_the_limit_are_counted() {
    let many: Vec<Edit> = (0..70).map(|_| add("s257", [1.0, 18.0, 5.0, 1.5], text("x"))).collect();
    let warnings = run(&many).warnings;
    assert_eq!(warnings.len(), 61);
    // An overlap for each shape but the first, and an edge for each.
    assert_eq!(warnings[60], "79 further warnings were left out; use smaller batches.");
}

#[test]
fn a_table_that_is_higher_than_its_place_is_reported() {
    let rows = vec![vec!["a".to_owned()]; 10];
    let done = run(&[add("s257", [1.0, 8.0, 5.0, 2.0], Content::Table(rows.clone()))]);
    assert_eq!(
        done.warnings[0],
        "The table `Table 5` needs at least 5.0 cm and has 2.0 cm; use fewer rows or several slides."
    );
    assert_eq!(run(&[add("s257", [1.0, 8.0, 5.0, 9.0], Content::Table(rows))]).warnings, [""; 0]);
}

#[test]
fn wrong_places_and_contents_are_refused() {
    let message = |edit: Edit| problem(&[edit]);
    for place in [[1.0, 1.0, 0.0, 5.0], [f64::NAN, 1.0, 5.0, 5.0], [1.0, 2_000.0, 5.0, 5.0]] {
        assert!(
            message(add("s256", place, text("x"))).contains("left, top, width and height in cm")
        );
    }
    let short = Edit::AddContent { slide: "s256".to_owned(), place: vec![1.0], content: text("x") };
    assert!(message(short).contains("got [1.0]"));
    assert!(message(add("s9", [1.0, 1.0, 5.0, 5.0], text("x"))).contains("there is no slide s9"));
    let at = [1.0, 1.0, 5.0, 5.0];
    assert!(
        message(add("s256", at, Content::Picture("b.png".into()))).contains("no such document")
    );
    let wide = vec![vec![String::new(); 76]];
    assert!(message(add("s256", at, Content::Table(wide))).contains("got 1 and 76"));
    let long = vec![vec![String::new()]; 2_001];
    assert!(message(add("s256", at, Content::Table(long))).contains("got 2001 and 1"));
    assert!(message(add("s256", at, Content::Table(vec![]))).contains("got 0 and 0"));
}
