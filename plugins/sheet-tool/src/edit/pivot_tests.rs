//! Pivot tables whose source changes, grows, moves or goes.

use super::{Edit, EditOptions, Edited, Input, SetCell, apply};
use crate::error::Error;
use crate::package::Package;
use crate::read::{CellValue, read_cells};
use crate::sample::{Sample, rows};
use crate::world::World;

const CACHE: &str = "xl/pivotCache/pivotCacheDefinition1.xml";
const TABLE: &str = "xl/pivotTables/pivotTable1.xml";

/// Data in A2:B4 of one sheet, and a pivot table in A3:B6 of another one.
fn book(source: &str) -> Vec<u8> {
    let data: [&[&str]; 5] =
        [&["Title"], &["Region", "Sales"], &["East", "1"], &["West", "2"], &[]];
    let cache = format!(
        "<pivotCacheDefinition xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\"><cacheSource type=\"worksheet\">{source}</cacheSource><cacheFields/></pivotCacheDefinition>"
    );
    let table = "<pivotTableDefinition xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\" name=\"Totals\" cacheId=\"1\"><location ref=\"A3:B6\" firstHeaderRow=\"1\"/></pivotTableDefinition>";
    Sample::default()
        .sheet("Data", &rows(&data))
        .sheet("Report", &rows(&[&["1"]]))
        .names(
            "<definedNames><definedName name=\"Sales\">Data!$A$2:$B$4</definedName></definedNames>",
        )
        .part(CACHE, &cache)
        .part(TABLE, table)
        .relation("xl/workbook.xml", "pivotCacheDefinition", CACHE)
        .relation("xl/worksheets/sheet2.xml", "pivotTable", TABLE)
        .relation(TABLE, "pivotCacheDefinition", CACHE)
        .bytes()
}

/// Values by region and year, with groups, subtotals and grand totals in A3:D9 of one sheet, for one quarter; and totals of two
/// data in F3:G6.
fn shown(cache_attributes: &str) -> Sample {
    let cache = format!(
        "<pivotCacheDefinition xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\" {cache_attributes}><cacheSource type=\"worksheet\"><worksheetSource ref=\"A1:F9\" sheet=\"Data\"/></cacheSource><cacheFields count=\"5\"><cacheField name=\"Region\"><sharedItems><s v=\"East &amp; North\"/><s v=\"West\"/></sharedItems></cacheField><cacheField name=\"City\"><sharedItems><s v=\"Oslo\"/><s v=\"Bonn\"/><m/></sharedItems></cacheField><cacheField name=\"Year\"><sharedItems><n v=\"2024\"/><n v=\"2025\"/></sharedItems></cacheField><cacheField name=\"Quarter\"><sharedItems><s v=\"Q1\"/><s v=\"Q2\"/></sharedItems></cacheField><cacheField name=\"Sales\"><sharedItems containsNumber=\"1\"/></cacheField></cacheFields></pivotCacheDefinition>"
    );
    let fields = "<pivotField axis=\"axisRow\"><items><item x=\"1\"/><item x=\"0\"/><item t=\"default\"/></items></pivotField><pivotField axis=\"axisRow\" name=\"Town\"><items><item x=\"0\"/><item n=\"Bonn (D)\" x=\"1\"/><item x=\"2\"/><item t=\"default\"/></items></pivotField><pivotField axis=\"axisCol\"><items><item x=\"0\"/><item x=\"1\"/><item t=\"default\"/></items></pivotField><pivotField axis=\"axisPage\"><items><item x=\"0\"/><item x=\"1\"/><item t=\"default\"/></items></pivotField><pivotField dataField=\"1\"/>";
    let table = |rest: &str| {
        format!(
            "<pivotTableDefinition xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\" name=\"Totals\" cacheId=\"1\">{rest}</pivotTableDefinition>"
        )
    };
    // West: Oslo, (blank); West Total. East & North: Bonn. Grand Total.
    let by_year = table(&format!(
        "<location ref=\"A3:D9\" firstHeaderRow=\"1\" firstDataRow=\"1\" firstDataCol=\"1\"/><pivotFields>{fields}</pivotFields><rowFields><field x=\"0\"/><field x=\"1\"/></rowFields><rowItems><i><x/></i><i r=\"1\"><x/></i><i r=\"1\"><x v=\"2\"/></i><i t=\"default\"><x/></i><i><x v=\"1\"/><x v=\"1\"/></i><i t=\"grand\"><x/></i></rowItems><colFields><field x=\"2\"/></colFields><colItems><i><x/></i><i><x v=\"1\"/></i><i t=\"grand\"><x/></i></colItems><pageFields><pageField fld=\"3\" item=\"1\"/></pageFields><dataFields><dataField name=\"Sum of Sales\" fld=\"4\"/></dataFields>"
    ));
    let totals = table(&format!(
        "<location ref=\"F3:G6\" firstHeaderRow=\"1\" firstDataRow=\"1\" firstDataCol=\"1\"/><pivotFields>{fields}</pivotFields><rowFields><field x=\"-2\"/></rowFields><rowItems><i><x/></i><i i=\"1\"><x v=\"1\"/></i></rowItems><colItems><i/></colItems><dataFields><dataField name=\"Total\" fld=\"4\"/><dataField name=\"Count\" fld=\"4\" subtotal=\"count\"/></dataFields>"
    ));
    let cells: [&[&str]; 9] = [
        &[],
        &[],
        &["Rows", "2024", "2025", "Grand Total", "", "Data", "Value"],
        &["West", "", "", "", "", "Total", "28"],
        &["Oslo", "1", "2", "3", "", "Count", "5"],
        &["(blank)", "4", "", "4"],
        &["West Total", "5", "2", "7"],
        &["Bonn", "10", "11", "21"],
        &["Grand Total", "15", "13", "28"],
    ];
    Sample::default()
        .sheet("Data", &rows(&[&["Region"]]))
        .sheet("Report", &rows(&cells))
        .part(CACHE, &cache)
        .part(TABLE, &by_year)
        .part("xl/pivotTables/pivotTable2.xml", &totals)
        .relation("xl/workbook.xml", "pivotCacheDefinition", CACHE)
        .relation("xl/worksheets/sheet2.xml", "pivotTable", TABLE)
        .relation("xl/worksheets/sheet2.xml", "pivotTable#2", "xl/pivotTables/pivotTable2.xml")
        .relation(TABLE, "pivotCacheDefinition", CACHE)
        .relation("xl/pivotTables/pivotTable2.xml", "pivotCacheDefinition", CACHE)
}

/// Sets a formula in J1 of the report, and returns its value and the warnings.
fn asked(bytes: Vec<u8>, formula: &str) -> (String, Vec<String>) {
    let cell = SetCell { at: "Report!J1".into(), value: Input::Text(formula.into()) };
    let done = apply(bytes, &[], &[Edit::SetCells(vec![cell])], &EditOptions::default()).unwrap();
    let page = read_cells(done.bytes, "Report!J1", 9, World::default()).unwrap();
    let value = match &page.cells[0].value {
        CellValue::Number(number) => number.to_string(),
        CellValue::Text(text) => text.clone(),
        other => format!("{other:?}"),
    };
    (value, done.warnings)
}

#[test]
fn values_of_a_pivot_table_are_found_by_their_items() {
    let book = shown("").bytes();
    for (arguments, expected) in [
        ("\"Sales\",Report!$A$3", "28"),
        ("\"Sum of Sales\",A5", "28"),
        (" \"sum of sales \",A5,\"region\",\"west\"", "7"),
        ("\"Sales\",A3,\"Region\",\"West\",\"City\",\"Oslo\"", "3"),
        ("\"Sales\",A3,\"Town\",\"Oslo\",\"Region\",\"West\",\"Year\",2025", "2"),
        ("\"Sales\",A3,\"Region\",\"West\",\"City\",\"(blank)\",\"Year\",\"2024\"", "4"),
        ("\"Sales\",A3,\"Region\",\"East & North\",\"City\",\"Bonn (D)\"", "21"),
        ("\"Sales\",A3,\"Year\",2024", "15"),
        ("\"Sales\",A3,\"Year\",2024,\"Quarter\",\"Q2\"", "15"),
        ("\"Total\",F4", "28"),
        ("\"Count\",F4", "5"),
        ("\"Sales\",F4", "28"),
        // What is not shown: other items, another quarter, a town without its region, other data, no pivot table.
        ("\"Sales\",A3,\"Region\",\"South\"", "#REF!"),
        ("\"Sales\",A3,\"Quarter\",\"Q1\"", "#REF!"),
        ("\"Sales\",A3,\"City\",\"Oslo\"", "#REF!"),
        ("\"Sales\",A3,\"Region\",\"West\",\"City\",\"Bonn (D)\"", "#REF!"),
        ("\"Sales\",A3,\"Region\",\"West\",\"City\",\"Bonn\"", "#REF!"),
        ("\"Costs\",A3", "#REF!"),
        ("\"Sales\",A3,\"Country\",\"x\"", "#REF!"),
        ("\"Sales\",F4,\"Region\",\"West\"", "#REF!"),
        ("\"Sales\",J9", "#REF!"),
        ("\"Sales\",A3,\"Region\"", "#REF!"),
    ] {
        let formula = format!("=GETPIVOTDATA({arguments})");
        let (value, warnings) = asked(book.clone(), &formula);
        let is_of_error = expected == "#REF!" && warnings == ["Report!J1 now shows #REF!"];
        assert_eq!(value, expected, "{formula}");
        assert!(is_of_error || warnings.is_empty(), "{formula}: {warnings:?}");
    }
}

#[test]
fn values_that_a_pivot_table_does_not_show_for_sure_are_left_to_excel() {
    let empty =
        "=GETPIVOTDATA(\"Sales\",A3,\"Region\",\"West\",\"City\",\"(blank)\",\"Year\",2025)";
    let (_, warnings) = asked(shown("").bytes(), empty);
    assert_eq!(
        warnings,
        [
            "Report!J1 has no value until Excel opens the file: it uses GETPIVOTDATA of a cell that the pivot table leaves empty"
        ]
    );
    for attributes in ["refreshOnLoad=\"1\"", "invalid=\"1\""] {
        let (_, warnings) = asked(shown(attributes).bytes(), "=GETPIVOTDATA(\"Sales\",A3)");
        let why = "GETPIVOTDATA of a pivot table that Excel refreshes when it opens the file";
        assert!(warnings.iter().any(|it| it.ends_with(why)), "{warnings:?}");
    }
}

const CELLS: &str = "<worksheetSource ref=\"A2:B4\" sheet=\"Data\"/>";

fn edited(source: &str, edit: Edit) -> Edited {
    apply(book(source), &[], &[edit], &EditOptions::default()).unwrap()
}

fn set(at: &str) -> Edit {
    Edit::SetCells(vec![SetCell { at: at.into(), value: Input::Number("9".into()) }])
}

fn cache(done: &Edited) -> String {
    let package = Package::open(done.bytes.clone()).unwrap();
    package.text(CACHE).unwrap().unwrap()
}

const SHOWS_OLD: &str = "the pivot table `Totals` on Report reads cells that changed, and shows old values until Excel opens the file";

#[test]
fn a_changed_source_is_refreshed_on_opening() {
    for source in [
        CELLS,
        "<worksheetSource name=\"Sales\"/>",
        "<worksheetSource name=\"Unknown\"/>",
        "<consolidation><rangeSets><rangeSet ref=\"A2:B4\" sheet=\"Data\"/></rangeSets></consolidation>",
    ] {
        let done = edited(source, set("Data!B3"));
        assert_eq!(done.warnings, [SHOWS_OLD], "{source}");
        assert!(cache(&done).contains("refreshOnLoad=\"1\""), "{source}");
    }
    for source in [CELLS, "<worksheetSource ref=\"A2:B4\" sheet=\"Data\" r:id=\"rId9\"/>"] {
        let done = edited(source, set("Data!D9"));
        assert!(done.warnings.is_empty(), "{source}: {:?}", done.warnings);
        assert!(!cache(&done).contains("refreshOnLoad"));
    }
}

#[test]
fn a_source_moves_and_grows_with_its_rows() {
    for (rows, expected) in [("Data!1:1", "A3:B5"), ("Data!3:4", "A2:B6"), ("Data!5:5", "A2:B4")] {
        let done = edited(CELLS, Edit::Insert { place: rows.into() });
        assert!(cache(&done).contains(&format!("ref=\"{expected}\"")), "{}", cache(&done));
    }
    let several = "<consolidation><rangeSets><rangeSet ref=\"A2:B4\" sheet=\"Data\"/></rangeSets></consolidation>";
    let done = edited(several, Edit::Insert { place: "Data!1:1".into() });
    assert!(cache(&done).contains("<rangeSet ref=\"A3:B5\""), "{}", cache(&done));
    let rename = Edit::RenameSheet { sheet: "Data".into(), name: "Facts".into() };
    for source in [CELLS, several] {
        assert!(cache(&edited(source, rename.clone())).contains("sheet=\"Facts\""), "{source}");
    }
}

#[test]
fn new_rows_beside_a_source_are_warned_of() {
    for at in ["Data!A5", "Data!C3"] {
        let done = edited(CELLS, set(at));
        let line = format!(
            "the pivot table `Totals` on Report reads only Data!A2:B4, so {at} does not count; insert rows or columns within its range instead"
        );
        assert_eq!(done.warnings, [line]);
    }
    let done = edited("<worksheetSource name=\"Sales\"/>", set("Data!B5"));
    assert!(done.warnings.iter().any(|it| it.contains("does not count")), "{:?}", done.warnings);
    assert!(edited(CELLS, set("Data!A6")).warnings.is_empty());
}

#[test]
fn a_source_that_goes_is_warned_of_or_refused() {
    let done = edited(CELLS, Edit::DeleteSheet { sheet: "Data".into() });
    let line = "the pivot table `Totals` on Report keeps its old values: the sheet `Data` that it reads is not there";
    assert!(done.warnings.iter().any(|it| it == line), "{:?}", done.warnings);
    let refused = |place: &str| {
        let edit = Edit::Delete { place: place.into() };
        match apply(book(CELLS), &[], &[edit], &EditOptions::default()) {
            Err(Error::Invalid(message)) => message,
            other => panic!("{place}: {:?}", other.map(|it| it.changes)),
        }
    };
    assert!(refused("Data!2:4").contains("would lose all cells that it reads"));
    for place in ["Report!4:4", "Report!3:6", "Report!B:B"] {
        assert!(refused(place).contains("`Totals` on Report (A3:B6) cannot be cut"), "{place}");
    }
    let insert = Edit::Insert { place: "Report!5:5".into() };
    assert!(apply(book(CELLS), &[], &[insert], &EditOptions::default()).is_err());
    let done = edited(CELLS, Edit::Insert { place: "Report!1:1".into() });
    let package = Package::open(done.bytes).unwrap();
    assert!(package.text(TABLE).unwrap().unwrap().contains("ref=\"A4:B7\""));
}

#[test]
fn a_cell_of_a_pivot_table_is_written_anew() {
    let done = edited(CELLS, set("Report!B5"));
    let line = "Report!B5 is in the pivot table `Totals` on Report, which Excel writes anew";
    assert_eq!(done.warnings, [line]);
}
