//! Dates of today, random numbers, and formulas that read formulas: what depends on more than the values of cells.

use super::{Edit, EditOptions, Edited, Expected, Input, SetCell, apply, what_if};
use crate::read::{CellValue, Trace, read_cells, trace};
use crate::sample::workbook;
use crate::world::World;

/// 2024-01-01 06:00.
const WORLD: World = World { clock: Some(1_704_088_800.0), seed: Some(7) };

/// Values of another day, with other random numbers.
const OLD: &str = concat!(
    "<row r=\"1\"><c r=\"A1\"><v>1</v></c><c r=\"B1\"><f>TODAY()</f><v>40000</v></c><c r=\"C1\"><f>B1+1</f><v>40001</v></c>",
    "<c r=\"D1\"><f>NOW()</f><v>40000.5</v></c></row>",
    "<row r=\"2\"><c r=\"A2\"><f>RAND()</f><v>0.5</v></c><c r=\"B2\"><f>RANDBETWEEN(1,1000000)</f><v>0</v></c>",
    "<c r=\"C2\"><f>A2+A1</f><v>1.5</v></c></row>",
);

fn set(at: &str, text: &str) -> Edit {
    let value = match text.parse::<f64>() {
        Ok(_) => Input::Number(text.into()),
        Err(_) => Input::Text(text.into()),
    };
    Edit::SetCells(vec![SetCell { at: at.into(), value }])
}

fn edited(bytes: &[u8], edits: &[Edit], now: Option<&str>, world: World) -> Edited {
    let options = EditOptions { now: now.map(str::to_owned), world };
    apply(bytes.to_vec(), &[], edits, &options).unwrap()
}

fn value(bytes: &[u8], at: &str) -> f64 {
    match read_cells(bytes.to_vec(), at, 1, World::default()).unwrap().cells[0].value {
        CellValue::Number(number) => number,
        ref other => panic!("{at}: {other:?}"),
    }
}

fn text(bytes: &[u8], at: &str) -> String {
    match &read_cells(bytes.to_vec(), at, 1, World::default()).unwrap().cells[0].value {
        CellValue::Text(text) => text.clone(),
        other => panic!("{at}: {other:?}"),
    }
}

fn sheet(bytes: &[u8]) -> String {
    let package = crate::package::Package::open(bytes.to_vec()).unwrap();
    package.text("xl/worksheets/sheet1.xml").unwrap().unwrap()
}

#[test]
fn an_edit_calculates_dates_of_today_and_draws_random_numbers() {
    let bytes = workbook(&[("S", OLD)], "");
    let done = edited(&bytes, &[set("S!A9", "5")], None, WORLD);
    for (at, expected) in [("S!B1", 45292.0), ("S!C1", 45293.0), ("S!D1", 45292.25)] {
        assert_eq!(value(&done.bytes, at), expected, "{at}");
    }
    let (drawn, sum) = (value(&done.bytes, "S!A2"), value(&done.bytes, "S!C2"));
    assert!((0.0..1.0).contains(&drawn) && drawn != 0.5, "{drawn}");
    assert_eq!(sum, drawn + 1.0);
    let xml = sheet(&done.bytes);
    for formula in
        ["<f>TODAY()</f><v>45292</v>", "<f>RAND()</f><v>0.", "<f>RANDBETWEEN(1,1000000)</f><v>"]
    {
        assert!(xml.contains(formula), "{formula}: {xml}");
    }
    assert!(done.warnings.is_empty(), "{:?}", done.warnings);
    let lines = done.changes.join("\n");
    assert!(lines.contains("2 formulas with random numbers: drawn again"), "{lines}");
    assert!(lines.contains("S!B1: 40000 → 45292 (calculated)"), "{lines}");
}

#[test]
fn the_same_world_makes_the_same_bytes() {
    let bytes = workbook(&[("S", OLD)], "");
    let edits = [set("S!A9", "5"), set("S!H1", "=RANDARRAY(2,3)"), set("S!L1", "=RAND()*NOW()")];
    let one = edited(&bytes, &edits, None, WORLD);
    assert_eq!(one.bytes, edited(&bytes, &edits, None, WORLD).bytes);
    let other = edited(&bytes, &edits, None, World { seed: Some(8), ..WORLD });
    assert_ne!(value(&one.bytes, "S!A2"), value(&other.bytes, "S!A2"));
    // All six cells of the array are random numbers, each another one.
    let mut all: Vec<String> = ["H1", "I1", "J1", "H2", "I2", "J2"]
        .map(|at| value(&one.bytes, &format!("S!{at}")).to_string())
        .to_vec();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 6, "{all:?}");
    assert!(sheet(&one.bytes).contains("ref=\"H1:J2\""));
}

#[test]
fn an_edit_of_looks_draws_nothing() {
    let bytes = workbook(&[("S", OLD)], "");
    let done = edited(&bytes, &[Edit::Freeze { at: "S!A2".into() }], None, WORLD);
    assert_eq!((value(&done.bytes, "S!A2"), value(&done.bytes, "S!B1")), (0.5, 40000.0));
    assert_eq!(done.recalculated, 0);
}

#[test]
fn without_clock_and_random_numbers_formulas_keep_their_values() {
    let bytes = workbook(&[("S", OLD)], "");
    let edits = [set("S!A1", "5"), set("S!F1", "=TODAY()"), set("S!G1", "=RAND()")];
    let done = edited(&bytes, &edits, None, World::default());
    assert_eq!((value(&done.bytes, "S!A2"), value(&done.bytes, "S!C2")), (0.5, 5.5));
    for it in [
        "S!F1 has no value until Excel opens the file: it uses the date of today",
        "it uses random numbers",
    ] {
        assert!(done.warnings.iter().any(|line| line.contains(it)), "{it}: {:?}", done.warnings);
    }
}

#[test]
fn the_date_of_today_can_be_given_and_is_checked() {
    let bytes = workbook(&[("S", OLD)], "");
    let done = edited(&bytes, &[set("S!A9", "5")], Some("2024-02-29T18:00"), WORLD);
    assert_eq!((value(&done.bytes, "S!B1"), value(&done.bytes, "S!D1")), (45351.0, 45351.75));
    let options = EditOptions { now: Some("29 February".into()), world: WORLD };
    let problem = apply(bytes, &[], &[set("S!A9", "5")], &options).unwrap_err().to_string();
    assert!(problem.contains("today: expected a date such as `2026-11-29`"), "{problem}");
}

#[test]
fn other_inputs_are_tried_with_the_same_random_numbers() {
    let bytes = workbook(&[("S", OLD)], "");
    let inputs = [Expected { at: "S!A1".into(), value: Input::Number("11".into()) }];
    let outputs = ["S!C2".to_owned(), "S!B1".to_owned()];
    let (found, warnings) = what_if(bytes, &inputs, &outputs, WORLD).unwrap();
    let [before, after] = [&found[0].before, &found[0].after].map(|it| it.parse::<f64>().unwrap());
    // Only the input makes the difference, which is ten.
    assert!((after - before - 10.0).abs() < 1e-9 && before != 1.5, "{found:?}");
    assert_eq!((&*found[1].before, &*found[1].after), ("45292", "45292"));
    assert!(warnings[0].contains("S!C2 is 1.5 in the file"), "{warnings:?}");
    assert!(warnings[1].contains("S!B1 is 40000 in the file"), "{warnings:?}");
}

#[test]
fn readers_see_the_clock_in_formulas_without_a_value() {
    let rows = "<row r=\"1\"><c r=\"A1\"><f>TODAY()</f></c><c r=\"B1\"><f>A1+RANDBETWEEN(2,2)</f></c></row>";
    let bytes = workbook(&[("S", rows)], "");
    let page = read_cells(bytes.clone(), "S!B1", 1, WORLD).unwrap();
    assert_eq!(page.cells[0].value, CellValue::Number(45294.0));
    let lines = trace(bytes.clone(), "S!B1", Trace::Inputs, WORLD).unwrap().join("\n");
    assert!(lines.contains("S!B1 = 45294") && lines.contains("S!A1 = 45292"), "{lines}");
    let page = read_cells(bytes, "S!B1", 1, World::default()).unwrap();
    assert_eq!(page.cells[0].display.as_deref(), Some("not calculated"));
}

#[test]
fn texts_of_formulas_follow_the_formulas() {
    let rows = concat!(
        "<row r=\"1\"><c r=\"A1\"><v>1</v></c><c r=\"B1\"><f>A1*2</f><v>2</v></c>",
        "<c r=\"C1\" t=\"str\"><f>_xlfn.FORMULATEXT(B1)</f><v>=A1*2</v></c></row>",
        "<row r=\"2\"><c r=\"A2\"><v>2</v></c><c r=\"B2\"><f t=\"shared\" si=\"0\" ref=\"B2:B3\">A2*2</f><v>4</v></c></row>",
        "<row r=\"3\"><c r=\"A3\"><v>3</v></c><c r=\"B3\"><f t=\"shared\" si=\"0\"/><v>6</v></c>",
        "<c r=\"C3\" t=\"str\"><f>_xlfn.FORMULATEXT(B3)</f><v>=A3*2</v></c>",
        "<c r=\"D3\" t=\"b\"><f>_xlfn.ISFORMULA(A3)</f><v>0</v></c></row>",
    );
    let bytes = workbook(&[("S", rows), ("T", "")], "");
    let done = edited(&bytes, &[set("S!B1", "=A1*3"), set("S!A3", "=A2+1")], None, WORLD);
    assert_eq!(text(&done.bytes, "S!C1"), "=A1*3");
    assert!(sheet(&done.bytes).contains("<f>_xlfn.ISFORMULA(A3)</f><v>1</v>"));
    let moved = edited(&bytes, &[Edit::Insert { place: "S!2:2".into() }], None, WORLD);
    assert_eq!(text(&moved.bytes, "S!C4"), "=A4*2");
    let edits = [
        set("S!E1", "=T!A1+1"),
        set("S!F1", "=FORMULATEXT(E1)"),
        Edit::RenameSheet { sheet: "T".into(), name: "Old data".into() },
    ];
    let renamed = edited(&bytes, &edits, None, WORLD);
    assert_eq!(text(&renamed.bytes, "S!F1"), "='Old data'!A1+1");
    let again = Edit::RenameSheet { sheet: "Old data".into(), name: "N".into() };
    let again = edited(&renamed.bytes, &[again], None, WORLD);
    assert_eq!(text(&again.bytes, "S!F1"), "=N!A1+1");
}

#[test]
fn texts_of_too_many_formulas_are_not_kept() {
    let mut rows = String::new();
    for row in 1..=1_200 {
        rows += &format!("<row r=\"{row}\"><c r=\"A{row}\"><f>1+1</f><v>2</v></c></row>");
    }
    let bytes = workbook(&[("S", &rows)], "");
    let done =
        edited(&bytes, &[set("S!C1", "=SUMPRODUCT(LEN(FORMULATEXT(A1:A1200)))")], None, WORLD);
    let warnings = done.warnings.join("\n");
    assert!(
        warnings.contains("S!C1") && warnings.contains("the calculation is too long"),
        "{warnings}"
    );
    let done =
        edited(&bytes, &[set("S!C1", "=SUMPRODUCT(LEN(FORMULATEXT(A1:A600)))")], None, WORLD);
    assert_eq!(value(&done.bytes, "S!C1"), 2400.0);
}

#[test]
fn an_area_of_a_dynamic_array_is_named_by_its_first_cell() {
    let rows = concat!(
        "<row r=\"1\"><c r=\"A1\"><v>3</v></c><c r=\"B1\" cm=\"1\"><f t=\"array\" ref=\"B1:B3\">_xlfn.SEQUENCE(3)*A1</f><v>3</v></c>",
        "<c r=\"C1\"><f>SUM(_xlfn.ANCHORARRAY(B1))</f><v>18</v></c></row>",
        "<row r=\"2\"><c r=\"B2\"><v>6</v></c></row><row r=\"3\"><c r=\"B3\"><v>9</v></c></row>",
    );
    let bytes = workbook(&[("S", rows)], "");
    let edits = [set("S!A1", "10"), set("S!D1", "=MAX(B1#)"), set("S!E1", "=SUM(A1#)")];
    let done = edited(&bytes, &edits, None, WORLD);
    assert_eq!((value(&done.bytes, "S!C1"), value(&done.bytes, "S!D1")), (60.0, 30.0));
    assert_eq!(text(&done.bytes, "S!E1"), "#REF!");
    assert!(
        sheet(&done.bytes).contains("<f>MAX(_xlfn.ANCHORARRAY(B1))</f>"),
        "{}",
        sheet(&done.bytes)
    );
}

/// The area of an array formula is not the size of its value, so it needs a bound of its own.
#[test]
fn an_array_formula_of_a_whole_sheet_keeps_its_value() {
    let array = |at: &str, area: &str| {
        format!("<c r=\"{at}\"><f t=\"array\" ref=\"{area}\">ROW(1:2)*A9</f><v>7</v></c>")
    };
    let small = "<c r=\"D1\"><f t=\"array\" ref=\"D1\">SUM(A9:A9*2)</f><v>7</v></c>";
    let last = "<row r=\"9\"><c r=\"A9\"><v>1</v></c></row>";
    for areas in [&["B1:C1048576"][..], &["B1:B6000", "C1:C6000"]] {
        let cells: String =
            ["B1", "C1"].iter().zip(areas).map(|(at, area)| array(at, area)).collect();
        let bytes = workbook(&[("S", &format!("<row r=\"1\">{cells}{small}</row>{last}"))], "");
        let done = edited(&bytes, &[set("S!A9", "3")], None, WORLD);
        let long: Vec<_> =
            done.warnings.iter().filter(|it| it.contains("the calculation is too long")).collect();
        assert_eq!(long.len(), 1, "{:?}", done.warnings);
        // A small array formula beside it is calculated.
        assert_eq!(value(&done.bytes, "S!D1"), 6.0);
    }
}

#[test]
fn counted_bytes_are_warned_of_where_languages_differ() {
    let bytes = workbook(&[("S", OLD)], "");
    let warns = |formula: &str| {
        let done = edited(&bytes, &[set("S!F1", formula)], None, WORLD);
        done.warnings.iter().any(|it| it.contains("LENB") && it.contains("two bytes"))
    };
    assert!(warns("=LENB(\"中文\")") && warns("=FINDB(\"a\",\"中a\")"));
    assert!(!warns("=LENB(\"Mitt\")") && !warns("=LEN(\"中文\")"));
}

#[test]
fn functions_that_ask_other_programs_keep_the_old_value_with_a_warning() {
    for function in ["WEBSERVICE(\"x\")", "RTD(\"a\",,\"b\")", "CUBEVALUE(\"c\")", "IMAGE(\"x\")"] {
        let rows = format!(
            "<row r=\"1\"><c r=\"A1\"><v>1</v></c><c r=\"B1\"><f>{}+A1</f><v>77</v></c><c r=\"C1\"><f>B1*2</f><v>154</v></c></row>",
            function.replace('"', "&quot;")
        );
        let bytes = workbook(&[("S", &rows)], "");
        let done = edited(&bytes, &[set("S!A1", "2")], None, WORLD);
        assert_eq!((value(&done.bytes, "S!B1"), value(&done.bytes, "S!C1")), (77.0, 154.0));
        let name = function.split('(').next().unwrap();
        let line = format!(
            "S!B1 keeps its old value until Excel opens the file: it uses the function {name}, which "
        );
        assert!(
            done.warnings.iter().any(|it| it.starts_with(&line)),
            "{function}: {:?}",
            done.warnings
        );
    }
}
