//! Pivot tables whose source changes, grows, moves or goes.

use super::{Edit, EditOptions, Edited, Input, SetCell, apply};
use crate::error::Error;
use crate::package::Package;
use crate::sample::{Sample, rows};

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
