//! Charts of every kind in Office's form: their XML, and the same data in their workbooks.

use std::io::{Cursor, Read as _};

use calamine::{Data, Reader as _};

use super::super::tests::{columns, gallery, wanted};
use super::*;
use crate::model::chart::{ChartRole, ChartStack};
use crate::shared::office::OfficeFonts;

/// Returns XML and workbook of a chart.
fn made(chart: &ChartDescription) -> (String, Vec<u8>) {
    let fonts = OfficeFonts {
        latin: "Calibri".into(),
        east_asian: "Microsoft YaHei".into(),
        complex: "Arial".into(),
    };
    let letters = Type { points: 0.75, fonts: &fonts };
    let parts = OfficeChart::new(chart).unwrap().parts(&letters).unwrap();
    (parts.xml, parts.book)
}

fn described(name: &str) -> ChartDescription {
    let (_, wanted, table) = gallery().into_iter().find(|(it, ..)| *it == name).unwrap();
    wanted.describe(&columns(&table)).unwrap()
}

/// Returns the texts between the tags of an element.
fn texts<'a>(xml: &'a str, element: &str) -> Vec<&'a str> {
    let (open, close) = (format!("<{element}>"), format!("</{element}>"));
    xml.split(&*open).skip(1).filter_map(|rest| Some(rest.split_once(&*close)?.0)).collect()
}

#[test]
fn every_kind_is_well_formed_and_its_workbook_holds_its_values() {
    for (name, wanted, table) in gallery() {
        let chart = wanted.describe(&columns(&table)).unwrap();
        let (xml, book) = made(&chart);
        let mut reader = quick_xml::Reader::from_str(&xml);
        while reader.read_event().unwrap_or_else(|error| panic!("{name}: {error}"))
            != quick_xml::events::Event::Eof
        {}
        assert!(!xml.contains("NaN") && !xml.contains("inf"), "{name}");
        let mut book: calamine::Xlsx<_> = calamine::Xlsx::new(Cursor::new(book)).unwrap();
        let range = book.worksheet_range("Sheet1").unwrap();
        let rows = if chart.x.is_empty() { chart.len() } else { chart.x.iter().flatten().count() };
        assert_eq!(range.height(), rows + 1, "{name}");
        let cached: usize = texts(&xml, "c:v").len();
        let filled = range.used_cells().count();
        // The XML has each category once for each series, and each name and value once.
        let empty = usize::from(range.get((0, 0)).is_none_or(|cell| *cell == Data::Empty));
        let again = (chart.series.len() - 1) * rows;
        assert_eq!(cached, filled - (1 - empty) + again, "{name}");
    }
}

#[test]
fn kinds_are_those_of_the_description() {
    let table = "Q | A | B\nx | 1 | 2\ny | 3 | 4";
    let of = |kind, stack| made(&wanted(kind, stack, "").describe(&columns(table)).unwrap()).0;
    for (kind, stack, parts) in [
        (
            ChartShape::Column,
            ChartStack::Apart,
            ["<c:barDir val=\"col\"/><c:grouping val=\"clustered\"/>", "<c:overlap val=\"0\"/>"],
        ),
        (
            ChartShape::Column,
            ChartStack::Stacked,
            ["<c:grouping val=\"stacked\"/>", "<c:overlap val=\"100\"/>"],
        ),
        (
            ChartShape::Bar,
            ChartStack::Full,
            ["<c:barDir val=\"bar\"/><c:grouping val=\"percentStacked\"/>", "formatCode=\"0%\""],
        ),
        (
            ChartShape::Bar,
            ChartStack::Apart,
            ["<c:orientation val=\"maxMin\"/>", "<c:crosses val=\"max\"/>"],
        ),
        (
            ChartShape::Line,
            ChartStack::Apart,
            ["<c:lineChart><c:grouping val=\"standard\"/>", "<c:symbol val=\"square\"/>"],
        ),
        (
            ChartShape::Area,
            ChartStack::Apart,
            ["<c:areaChart><c:grouping val=\"standard\"/>", "<a:alpha val=\"45000\"/>"],
        ),
        (
            ChartShape::Area,
            ChartStack::Stacked,
            ["<c:areaChart><c:grouping val=\"stacked\"/>", "<c:min val=\"0\"/>"],
        ),
        (ChartShape::Column, ChartStack::Apart, ["<c:legendPos val=\"t\"/>", "<c:min val=\"0\"/>"]),
    ] {
        let xml = of(kind, stack);
        for part in parts {
            assert!(xml.contains(part), "{kind:?} {stack:?} {part}\n{xml}");
        }
    }
    let scatter = wanted(ChartShape::Scatter, ChartStack::Apart, "")
        .describe(&columns("x | y\n1 | 2\n | 9\n3 | 4"));
    let (xml, _) = made(&scatter.unwrap());
    // A point without an x value is left out.
    assert_eq!(texts(&xml, "c:v"), ["y", "1", "3", "2", "4"]);
    let pie =
        wanted(ChartShape::Pie, ChartStack::Apart, "P").describe(&columns("x | y\na | 2\nb | 3"));
    let (xml, _) = made(&pie.unwrap());
    for part in ["<c:pieChart>", "<c:showPercent val=\"1\"/>", "<c:showCatName val=\"1\"/>"] {
        assert!(xml.contains(part), "{part}");
    }
    assert!(!xml.contains("<c:legend>") && !xml.contains("<c:catAx>"), "{xml}");
}

#[test]
fn a_second_axis_has_its_own_format() {
    let chart = described("03-combined-zh");
    assert!(chart.series.iter().any(|series| series.role == ChartRole::Second));
    let (xml, _) = made(&chart);
    assert_eq!(xml.matches("<c:valAx>").count(), 2);
    assert_eq!(xml.matches("<c:delete val=\"1\"/>").count(), 1);
    let formats: Vec<_> = xml
        .split("<c:valAx>")
        .skip(1)
        .filter_map(|axis| axis.split_once("formatCode=\"")?.1.split('"').next())
        .collect();
    assert_eq!(formats, ["#,##0", "#,##0%"]);
}

#[test]
fn text_is_never_markup_and_never_a_formula() {
    let table = "=1+1 | a<b>&\"\n=cmd()\u{1} | 3";
    let chart = wanted(ChartShape::Column, ChartStack::Apart, "=T<1>").describe(&columns(table));
    let (xml, book) = made(&chart.unwrap());
    assert!(xml.contains("<a:t>=T&lt;1&gt;</a:t>") && xml.contains("=cmd()</c:v>"), "{xml}");
    assert!(!xml.contains('\u{1}') && xml.contains("a&lt;b&gt;&amp;&quot;"), "{xml}");
    let mut zip = zip::ZipArchive::new(Cursor::new(book)).unwrap();
    let mut sheet = String::new();
    zip.by_name("xl/worksheets/sheet1.xml").unwrap().read_to_string(&mut sheet).unwrap();
    assert!(!sheet.contains("<f>") && sheet.contains("=cmd()</t>"), "{sheet}");
}

#[test]
fn a_value_between_gaps_is_seen_on_a_long_line() {
    let rows = |gap: bool| -> String {
        let value =
            |at: usize| if gap && (at == 10 || at == 12) { String::new() } else { at.to_string() };
        (0..40).map(|at| format!("\n2020-{at} | {}", value(at))).collect()
    };
    for (gap, symbol) in [(false, "none"), (true, "circle")] {
        let table = format!("d | v{}", rows(gap));
        let chart = wanted(ChartShape::Line, ChartStack::Apart, "").describe(&columns(&table));
        let (xml, _) = made(&chart.unwrap());
        assert!(xml.contains(&format!("<c:symbol val=\"{symbol}\"/>")), "{gap}");
    }
}

#[test]
fn the_same_chart_makes_the_same_bytes() {
    let chart = described("03-combined-zh");
    assert_eq!(made(&chart), made(&chart));
}
