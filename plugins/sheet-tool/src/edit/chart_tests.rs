//! Charts over cells that change or move.

use super::{Edit, EditOptions, Input, SetCell, apply};
use crate::sample::{Sample, rows};
use crate::zip::Zip;

const CELLS: [&[&str]; 5] = [
    &["Month", "Plan", "Actual", "Next", "Quarter"],
    &["Jan", "10", "11", "20", "Q1"],
    &["Feb", "12", "13", "21", "Q2"],
    &["Mar", "14", "15", "22", "Q3"],
    &["Apr", "16", "17", "23", "Q4"],
];

fn series(number: u32, column: char, name: &str, values: &str) -> String {
    let points = |values: &str| -> String {
        let point = |(at, value)| format!("<c:pt idx=\"{at}\"><c:v>{value}</c:v></c:pt>");
        values.split(' ').enumerate().map(point).collect()
    };
    format!(
        "<c:ser><c:idx val=\"{number}\"/><c:order val=\"{number}\"/><c:tx><c:strRef><c:f>S!${column}$1</c:f><c:strCache><c:ptCount val=\"1\"/>{}</c:strCache></c:strRef></c:tx><c:cat><c:strRef><c:f>S!$A$2:$A$5</c:f><c:strCache><c:ptCount val=\"4\"/>{}</c:strCache></c:strRef></c:cat><c:val><c:numRef><c:f>S!${column}$2:${column}$5</c:f><c:numCache><c:formatCode>General</c:formatCode><c:ptCount val=\"4\"/>{}</c:numCache></c:numRef></c:val></c:ser>",
        points(name),
        points("Jan Feb Mar Apr"),
        points(values)
    )
}

fn book() -> Vec<u8> {
    let chart = format!(
        "<?xml version=\"1.0\"?><c:chartSpace xmlns:c=\"http://schemas.openxmlformats.org/drawingml/2006/chart\" xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\"><c:chart><c:title><c:tx><c:rich><a:bodyPr/><a:p><a:r><a:t>Old </a:t></a:r><a:r><a:rPr b=\"1\"/><a:t>title</a:t></a:r></a:p></c:rich></c:tx><c:overlay val=\"0\"/></c:title><c:autoTitleDeleted val=\"0\"/><c:plotArea><c:layout/><c:barChart><c:barDir val=\"col\"/>{}{}<c:axId val=\"1\"/></c:barChart></c:plotArea></c:chart></c:chartSpace>",
        series(0, 'B', "Plan", "10 12 14 16"),
        series(1, 'C', "Actual", "11 13 15 17")
    );
    let anchor = "<xdr:wsDr xmlns:xdr=\"x\"><xdr:twoCellAnchor><xdr:from><xdr:col>6</xdr:col><xdr:row>1</xdr:row></xdr:from><xdr:to><xdr:col>12</xdr:col><xdr:row>15</xdr:row></xdr:to></xdr:twoCellAnchor></xdr:wsDr>";
    Sample::default()
        .sheet("S", &rows(&CELLS))
        .part("xl/drawings/drawing1.xml", anchor)
        .relation("xl/worksheets/sheet1.xml", "drawing", "xl/drawings/drawing1.xml")
        .part("xl/charts/chart1.xml", &chart)
        .relation("xl/drawings/drawing1.xml", "chart", "xl/charts/chart1.xml")
        .bytes()
}

fn chart(bytes: &[u8]) -> String {
    let zip = Zip::open(bytes.to_vec()).unwrap();
    String::from_utf8(zip.read("xl/charts/chart1.xml").unwrap().unwrap()).unwrap()
}

/// Returns source and cached values of each series, as `S!$B$2:$B$5 10 12`.
fn sources(xml: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (_, reference) in
        ["strRef", "numRef"].iter().flat_map(|name| crate::xml::elements(xml, name))
    {
        let formula = crate::xml::inner_text(crate::xml::element(reference, "f").unwrap().1);
        let values: Vec<String> = crate::xml::elements(reference, "v")
            .iter()
            .map(|it| crate::xml::inner_text(it.1))
            .collect();
        found.push(format!("{formula} {}", values.join(" ")));
    }
    found
}

fn change(series: u32, values: Option<&str>, categories: Option<&str>) -> Edit {
    Edit::SetChart {
        chart: "chart1".into(),
        title: None,
        series: Some(series),
        values: values.map(str::to_owned),
        categories: categories.map(str::to_owned),
    }
}

fn done(edits: &[Edit]) -> super::Edited {
    apply(book(), &[], edits, &EditOptions::default()).unwrap()
}

#[test]
fn a_title_is_set_and_nothing_else_changes() {
    let edit = Edit::SetChart {
        chart: "old TITLE".into(),
        title: Some("Sales & more".into()),
        series: None,
        values: None,
        categories: None,
    };
    let done = done(&[edit]);
    let expected = chart(&book())
        .replace("<a:t>Old </a:t>", "<a:t>Sales &amp; more</a:t>")
        .replace("<a:t>title</a:t>", "<a:t></a:t>");
    assert_eq!(chart(&done.bytes), expected);
    assert_eq!(done.changes, ["chart chart1: title `Old title` → `Sales & more`"]);
}

#[test]
fn sources_are_set_with_the_values_of_their_cells() {
    let done = done(&[change(2, Some("S!D2:D4"), None), change(1, None, Some("S!E2:E5"))]);
    assert_eq!(
        sources(&chart(&done.bytes)),
        [
            "S!$B$1 Plan",
            "S!$E$2:$E$5 Q1 Q2 Q3 Q4",
            "S!$C$1 Actual",
            "S!$A$2:$A$5 Jan Feb Mar Apr",
            "S!$B$2:$B$5 10 12 14 16",
            "S!$D$2:$D$4 20 21 22",
        ]
    );
    assert!(chart(&done.bytes).contains("<c:ptCount val=\"3\"/>"));
}

#[test]
fn categories_of_numbers_become_texts() {
    let numbers = chart(&done(&[change(1, None, Some("S!B2:B5"))]).bytes);
    assert!(sources(&numbers).contains(&"S!$B$2:$B$5 10 12 14 16".to_owned()));
    // A source of numbers, whose cells are texts afterwards.
    let edits = [change(2, Some("S!D2:D5"), None)];
    let with_numbers = chart(&done(&edits).bytes);
    assert_eq!(with_numbers.matches("<c:numRef>").count(), 2);
    let problem = apply(book(), &[], &[change(3, Some("S!D2:D5"), None)], &EditOptions::default());
    assert!(problem.unwrap_err().to_string().contains("has 2 series, got 3"));
}

#[test]
fn sources_follow_inserted_rows_and_changed_cells() {
    let cell = SetCell { at: "S!C4".into(), value: Input::Number("99".into()) };
    let done = done(&[
        change(1, Some("S!D2:D5"), None),
        Edit::Insert { place: "S!1:2".into() },
        Edit::SetCells(vec![SetCell { at: "S!C6".into(), ..cell }]),
        Edit::Insert { place: "S!5:5".into() },
    ]);
    assert_eq!(
        sources(&chart(&done.bytes)),
        [
            "S!$B$3 Plan",
            "S!$A$4:$A$8 Jan Feb Mar Apr",
            "S!$C$3 Actual",
            "S!$A$4:$A$8 Jan Feb Mar Apr",
            "S!$D$4:$D$8 20 21 22 23",
            "S!$C$4:$C$8 11 13 99 17",
        ]
    );
    assert_eq!(chart(&done.bytes).matches("<c:ptCount val=\"5\"/>").count(), 4);
}

#[test]
fn a_source_that_is_too_long_has_no_old_values() {
    let done = done(&[change(1, Some("S!B2:B30000"), None)]);
    let xml = chart(&done.bytes);
    assert!(xml.contains("<c:numRef><c:f>S!$B$2:$B$30000</c:f></c:numRef>"), "{xml}");
}

#[test]
fn a_chart_whose_cells_go_is_warned_of() {
    let done = done(&[Edit::Delete { place: "S!C:C".into() }]);
    assert!(
        done.warnings
            .iter()
            .any(|it| it == "the chart `chart1` (Old title) lost a reference (#REF!)"),
        "{:?}",
        done.warnings
    );
}
