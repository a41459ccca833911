//! Comparisons of small workbooks that are made here.

use super::{Differences, differences};
use crate::sample::{Sample, rows};

fn compared(old: &Sample, new: &Sample) -> Differences {
    differences(old.bytes(), new.bytes(), None, 100).unwrap()
}

/// Returns differences as lines: kind, place, before and after.
fn lines(found: &Differences) -> Vec<String> {
    let line =
        |it: &super::Difference| format!("{} {}: {} → {}", it.kind, it.place, it.before, it.after);
    found.differences.iter().map(line).collect()
}

fn of_rows(old: &[&[&str]], new: &[&[&str]]) -> Vec<String> {
    let book = |cells: &[&[&str]]| Sample::default().sheet("S", &rows(cells));
    lines(&compared(&book(old), &book(new)))
}

const TABLE: [&[&str]; 5] = [
    &["Name", "Price", "Count", "Sum"],
    &["Nut", "1.5", "10", "=B2*C2"],
    &["Bolt", "2", "10", "=B3*C3"],
    &["Ring", "2", "30", "=B4*C4"],
    &["Total", "", "", "=SUM(D2:D4)"],
];

#[test]
fn equal_workbooks_have_no_differences() {
    assert_eq!(of_rows(&TABLE, &TABLE), Vec::<String>::new());
    let as_decimal = ["Nut", "1.50", "1E1", "=B2*C2"];
    let mut other = TABLE;
    other[1] = &as_decimal;
    assert_eq!(of_rows(&TABLE, &other), Vec::<String>::new());
}

#[test]
fn an_inserted_row_is_one_difference() {
    let new: [&[&str]; 6] = [
        TABLE[0],
        TABLE[1],
        &["Washer", "0.5", "7", "=B3*C3"],
        &["Bolt", "2", "10", "=B4*C4"],
        &["Ring", "2.5", "30", "=B5*C5"],
        &["Total", "", "", "=SUM(D2:D5)"],
    ];
    assert_eq!(
        of_rows(&TABLE, &new),
        ["row inserted S!3:3:  → Washer | 0.5 | 7 | =B3*C3 (0)", "value S!B5: 2 → 2.5",]
    );
    assert_eq!(
        of_rows(&new, &TABLE),
        ["row deleted S!3:3: Washer | 0.5 | 7 | =B3*C3 (0) → ", "value S!B4: 2.5 → 2",]
    );
}

#[test]
fn a_formula_that_did_not_move_with_its_cells_is_a_difference() {
    let new: [&[&str]; 6] = [
        TABLE[0],
        &["Washer", "0.5", "7", "=B2*C2"],
        &["Nut", "1.5", "10", "=B2*C2"],
        &["Bolt", "2", "10", "=B4*C4"],
        &["Ring", "2", "30", "=B5*C5"],
        &["Total", "", "", "=SUM(D3:D5)+1"],
    ];
    assert_eq!(
        of_rows(&TABLE, &new),
        [
            "row inserted S!2:2:  → Washer | 0.5 | 7 | =B2*C2 (0)",
            "formula S!D3: =B2*C2 (0); its cells are now =B3*C3 → =B2*C2 (0)",
            "formula S!D6: =SUM(D2:D4) (0); its cells are now =SUM(D3:D5) → =SUM(D3:D5)+1 (0)",
        ]
    );
}

#[test]
fn an_inserted_column_is_one_difference() {
    let new: [&[&str]; 5] = [
        &["Name", "Colour", "Price", "Count", "Sum"],
        &["Nut", "red", "1.5", "10", "=C2*D2"],
        &["Bolt", "blue", "2", "11", "=C3*D3"],
        &["Ring", "red", "2", "30", "=C4*D4"],
        &["Total", "", "", "", "=SUM(E2:E4)"],
    ];
    assert_eq!(of_rows(&TABLE, &new), ["column inserted S!B:B:  → Colour", "value S!D3: 10 → 11"]);
    assert_eq!(of_rows(&new, &TABLE), ["column deleted S!B:B: Colour → ", "value S!C3: 11 → 10"]);
}

#[test]
fn a_column_with_another_header_stays_the_same_column() {
    let mut new = TABLE;
    new[0] = &["Name", "Unit price", "Count", "Sum"];
    assert_eq!(of_rows(&TABLE, &new), ["value S!B1: Price → Unit price"]);
}

#[test]
fn rows_are_matched_by_a_key_in_any_order() {
    let new: [&[&str]; 5] = [TABLE[0], TABLE[3], TABLE[2], TABLE[1], TABLE[4]];
    let sorted: Vec<Vec<String>> = new
        .iter()
        .enumerate()
        .map(|(at, row)| {
            let formula = |it: &&str| {
                if it.starts_with("=B") { format!("=B{0}*C{0}", at + 1) } else { (*it).to_owned() }
            };
            row.iter().map(formula).collect()
        })
        .collect();
    let sorted: Vec<Vec<&str>> =
        sorted.iter().map(|row| row.iter().map(String::as_str).collect()).collect();
    let sorted: Vec<&[&str]> = sorted.iter().map(Vec::as_slice).collect();
    assert_eq!(of_rows(&TABLE, &sorted), ["rows reordered S:  → 2 rows"]);
}

#[test]
fn a_wanted_key_is_used_or_refused() {
    let old: [&[&str]; 4] = [&["Id", "Name"], &["1", "x"], &["2", "y"], &["2", "z"]];
    let new: [&[&str]; 4] = [&["Id", "Name"], &["2", "y"], &["1", "x"], &["3", "z"]];
    let book = |cells: &[&[&str]]| Sample::default().sheet("S", &rows(cells)).bytes();
    let found = |key: &str| differences(book(&old), book(&new), Some(key), 100);
    for key in ["Id", "A"] {
        let found = found(key).unwrap();
        assert_eq!(
            lines(&found),
            [
                "rows reordered S:  → 1 row",
                "row deleted S!4:4: 2 | z → ",
                "row inserted S!4:4:  → 3 | z",
            ],
            "{key}"
        );
        assert!(found.warnings[0].contains("the same key"), "{:?}", found.warnings);
    }
    let error = found("Nothing").unwrap_err().to_string();
    assert!(error.contains("got `Nothing`"), "{error}");
}

#[test]
fn rows_without_a_key_are_matched_by_their_contents() {
    let old: Vec<[String; 2]> =
        (0..400).map(|it| [format!("{}", it % 7), format!("{}", it % 11)]).collect();
    let mut new = old.clone();
    new.insert(200, ["100".into(), "100".into()]);
    new[300][1] = "99".into();
    let list = |rows: &[[String; 2]]| {
        let cells: Vec<Vec<&str>> =
            rows.iter().map(|it| it.iter().map(String::as_str).collect()).collect();
        let cells: Vec<&[&str]> = cells.iter().map(Vec::as_slice).collect();
        Sample::default().sheet("S", &crate::sample::rows(&cells))
    };
    let found = compared(&list(&old), &list(&new));
    assert_eq!(
        lines(&found),
        ["row inserted S!201:201:  → 100 | 100", &format!("value S!B301: {} → 99", old[299][1])]
    );
}

#[test]
fn numbers_that_count_rows_are_no_keys() {
    let table = |extra: bool| {
        let names = ["pear", "fig", "kiwi", "plum", "lime", "date", "nut", "oat"];
        let mut all: Vec<[String; 3]> = Vec::new();
        for name in names {
            if extra && name == "kiwi" {
                all.push([String::new(), "apple".into(), "x".into()]);
            }
            all.push([String::new(), name.into(), "x".into()]);
        }
        all.iter_mut().enumerate().for_each(|(at, row)| row[0] = (at + 1).to_string());
        all.insert(0, ["No".into(), "Fruit".into(), "Grade".into()]);
        let cells: Vec<Vec<&str>> =
            all.iter().map(|it| it.iter().map(String::as_str).collect()).collect();
        let cells: Vec<&[&str]> = cells.iter().map(Vec::as_slice).collect();
        Sample::default().sheet("S", &rows(&cells))
    };
    let found = lines(&compared(&table(false), &table(true)));
    assert_eq!(found[0], "row inserted S!4:4:  → 3 | apple | x");
    assert!(found[1..].iter().all(|it| it.starts_with("value S!A")), "{found:?}");
}

#[test]
fn empty_rows_are_reported_too() {
    let mut new = TABLE.to_vec();
    new[4] = &["Total", "", "", "=SUM(D2:D4)"];
    new.insert(4, &[]);
    assert_eq!(of_rows(&TABLE, &new), ["row inserted S!5:5:  → empty"]);
}

#[test]
fn sheets_are_added_removed_renamed_moved_and_hidden() {
    let old = Sample::default()
        .sheet("A", &rows(&TABLE))
        .sheet("B", &rows(&[&["=A!B2"]]))
        .sheet("C", &rows(&[&["3"]]))
        .sheet("D", &rows(&[&["4"]]));
    let new = Sample::default()
        .sheet("C", &rows(&[&["3"]]))
        .sheet("Prices", &rows(&TABLE))
        .sheet_with("B", "state=\"hidden\"", &rows(&[&["=Prices!B2"]]))
        .sheet("E", &rows(&[&["5"], &["6"]]));
    assert_eq!(
        lines(&compared(&old, &new)),
        [
            "sheet removed D: D → ",
            "sheet added E:  → E",
            "sheet moved C: place 3 → place 1",
            "sheet renamed Prices: A → Prices",
            "sheet hidden B: visible → hidden",
        ]
    );
}

const STYLES: &str = concat!(
    "<fonts><font/><font><b/><color rgb=\"FFC00000\"/></font></fonts>",
    "<fills><fill><patternFill patternType=\"none\"/></fill><fill><patternFill patternType=\"solid\"><fgColor rgb=\"FFFFF2CC\"/></patternFill></fill></fills>",
    "<cellXfs><xf/><xf fillId=\"1\"/><xf fontId=\"1\"/><xf numFmtId=\"4\"/><xf numFmtId=\"14\"/></cellXfs>",
);

#[test]
fn equal_changes_of_looks_are_one_rectangle() {
    let old = Sample::default().styles(STYLES).sheet(
        "S",
        &rows(&[&["a", "b", "c"], &["1", "2", "3"], &["4", "5", "6"], &["7", "8", "9"]]),
    );
    let new = Sample::default().styles(STYLES).sheet(
        "S",
        &rows(&[
            &["a@2", "b", "c"],
            &["1@1", "2@1", "3@3"],
            &["4@1", "5@1", "6@3"],
            &["7", "8@1", "9@3"],
        ]),
    );
    assert_eq!(
        lines(&compared(&old, &new)),
        [
            "bold S!A1: no → yes",
            "colour S!A1: automatic → C00000",
            "fill S!A2:B3: none → FFF2CC",
            "fill S!B4: none → FFF2CC",
            "number format S!C2:C4: General → #,##0.00",
        ]
    );
}

#[test]
fn looks_of_empty_cells_count() {
    let old = Sample::default().styles(STYLES).sheet("S", &rows(&[&["1", "2"]]));
    let new = Sample::default().styles(STYLES).sheet("S", &rows(&[&["1", "2", "@1"], &["@1"]]));
    assert_eq!(
        lines(&compared(&old, &new)),
        ["fill S!C1: none → FFF2CC", "fill S!A2: none → FFF2CC"]
    );
}

#[test]
fn dates_are_compared_by_value() {
    let old = Sample::default().styles(STYLES).sheet("S", &rows(&[&["45292@4", "45292@4"]]));
    let date = "<row r=\"1\"><c r=\"A1\" s=\"4\" t=\"d\"><v>2024-01-01</v></c><c r=\"B1\" s=\"4\"><v>45293</v></c></row>";
    let new = Sample::default().styles(STYLES).sheet("S", date);
    assert_eq!(lines(&compared(&old, &new)), ["value S!B1: 2024-01-01 → 2024-01-02"]);
}

#[test]
fn names_rules_and_merged_cells_follow_inserted_rows() {
    let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    let sheet = |cells: &[&[&str]], tail: &str| {
        format!(
            "<worksheet xmlns=\"{main}\"><sheetData>{}</sheetData>{tail}</worksheet>",
            rows(cells)
        )
    };
    let rules = |row: u32, most: u32, merged: &str| {
        format!(
            "<mergeCells>{merged}</mergeCells><conditionalFormatting sqref=\"B2:B{row}\"><cfRule type=\"cellIs\" operator=\"greaterThan\"><formula>$B${row}</formula></cfRule></conditionalFormatting><dataValidations><dataValidation type=\"whole\" sqref=\"C2:C{row}\"><formula1>1</formula1><formula2>{most}</formula2></dataValidation></dataValidations>"
        )
    };
    let names = |row: u32, extra: &str| {
        format!(
            "<definedNames><definedName name=\"prices\">S!$B$2:$B${row}</definedName>{extra}</definedNames>"
        )
    };
    let old = Sample::default()
        .sheet("S", &sheet(&TABLE, &rules(4, 10, "<mergeCell ref=\"F2:G2\"/>")))
        .names(&names(4, "<definedName name=\"tax\">0.19</definedName>"));
    let mut longer = TABLE.to_vec();
    longer.insert(2, &["Washer", "0.5", "7", "=B3*C3"]);
    longer[3] = &["Bolt", "2", "10", "=B4*C4"];
    longer[4] = &["Ring", "2", "30", "=B5*C5"];
    longer[5] = &["Total", "", "", "=SUM(D2:D5)"];
    let new = Sample::default()
        .sheet(
            "S",
            &sheet(&longer, &rules(5, 20, "<mergeCell ref=\"F2:G2\"/><mergeCell ref=\"F9:G9\"/>")),
        )
        .names(&names(5, "<definedName name=\"tax\">0.2</definedName>"));
    assert_eq!(
        lines(&compared(&old, &new)),
        [
            "name tax: 0.19 → 0.2",
            "row inserted S!3:3:  → Washer | 0.5 | 7 | =B3*C3 (0)",
            "merge added S!F9:G9:  → merged",
            "validation S!C2:C5: whole 1 10 → whole 1 20",
        ]
    );
}

#[test]
fn notes_and_charts_are_compared() {
    let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
    let book = |note: &str, title: &str, last: u32| {
        let notes = format!(
            "<comments xmlns=\"{main}\"><authors><author>x</author></authors><commentList><comment ref=\"A2\" authorId=\"0\"><text><t>{note}</t></text></comment></commentList></comments>"
        );
        let chart = format!(
            "<c:chartSpace xmlns:c=\"c\" xmlns:a=\"a\"><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>{title}</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:barChart><c:ser><c:val><c:numRef><c:f>S!$B$2:$B${last}</c:f></c:numRef></c:val></c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>"
        );
        Sample::default()
            .sheet("S", &rows(&TABLE))
            .part("xl/comments1.xml", &notes)
            .relation("xl/worksheets/sheet1.xml", "comments", "xl/comments1.xml")
            .part("xl/drawings/drawing1.xml", "<wsDr/>")
            .relation("xl/worksheets/sheet1.xml", "drawing", "xl/drawings/drawing1.xml")
            .part("xl/charts/chart1.xml", &chart)
            .relation("xl/drawings/drawing1.xml", "chart", "xl/charts/chart1.xml")
    };
    let old = book("check", "Prices", 4);
    assert_eq!(lines(&compared(&old, &old)), Vec::<String>::new());
    assert_eq!(
        lines(&compared(&old, &book("checked", "New prices", 3))),
        [
            "note S!A2: check → checked",
            "chart title S!chart1: Prices → New prices",
            "chart sources S!chart1: S!$B$2:$B$4 → S!$B$2:$B$3",
        ]
    );
    let plain = Sample::default().sheet("S", &rows(&TABLE));
    assert_eq!(
        lines(&compared(&old, &plain)),
        ["note removed S!A2: check → ", "chart removed S!chart1: `Prices` S!$B$2:$B$4 → "]
    );
}

#[test]
fn all_differences_are_counted_beyond_the_limit() {
    let table = |add: u32| {
        let cells: Vec<Vec<String>> =
            (0..50).map(|it| vec![format!("k{it}"), (it + add).to_string()]).collect();
        let cells: Vec<Vec<&str>> =
            cells.iter().map(|it| it.iter().map(String::as_str).collect()).collect();
        let cells: Vec<&[&str]> = cells.iter().map(Vec::as_slice).collect();
        Sample::default().sheet("S", &rows(&cells)).bytes()
    };
    let found = differences(table(0), table(100), None, 7).unwrap();
    assert_eq!((found.differences.len(), found.total), (7, 50));
}
