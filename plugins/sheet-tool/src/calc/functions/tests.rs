//! Functions by examples: those of Microsoft's pages, and values of independent programs (SciPy, mpmath, numpy-financial,
//! Formula.js, HyperFormula). Each line of `cases/*.txt` is a formula, an arrow and its value.

use crate::book::Book;
use crate::calc::engine::Session;
use crate::calc::grid::Stop;
use crate::formula::parse;
use crate::refs::At;
use crate::sample::workbook;
use crate::value::{Array, Scalar};
use crate::world::World;

const CASES: [(&str, &str); 6] = [
    ("compared", include_str!("cases/compared.txt")),
    ("engineering", include_str!("cases/engineering.txt")),
    ("finance", include_str!("cases/finance.txt")),
    ("others", include_str!("cases/others.txt")),
    ("texts", include_str!("cases/texts.txt")),
    ("statistics", include_str!("cases/statistics.txt")),
];

/// The orchard of Microsoft's pages about databases, from A1 on: criteria, a blank row, trees.
const ORCHARD: [&str; 11] = [
    "Tree,Height,Age,Yield,Profit,Height",
    "=Apple,>10,,,,<16",
    "=Pear,,,,,",
    "",
    "Tree,Height,Age,Yield,Profit,",
    "Apple,18,20,14,105,",
    "Pear,12,12,10,96,",
    "Cherry,13,14,9,105,",
    "Apple,14,15,10,75,",
    "Pear,9,8,8,77,",
    "Apple,8,9,6,45,",
];

pub(super) fn book() -> Book {
    let mut rows = String::new();
    for (row, line) in ORCHARD.iter().enumerate() {
        let row = row + 1;
        rows += &format!("<row r=\"{row}\">");
        for (at, text) in line.split(',').enumerate().filter(|it| !it.1.is_empty()) {
            let letter = char::from(b'A' + at as u8);
            let text = text.replace('<', "&lt;").replace('>', "&gt;");
            rows += &match text.parse::<f64>() {
                Ok(_) => format!("<c r=\"{letter}{row}\"><v>{text}</v></c>"),
                Err(_) => {
                    format!("<c r=\"{letter}{row}\" t=\"inlineStr\"><is><t>{text}</t></is></c>")
                }
            };
        }
        rows += "</row>";
    }
    let mut book = Book::open(workbook(&[("S", &rows)], "")).unwrap();
    // 2024-01-01 06:00.
    book.world = World { clock: Some(1_704_088_800.0), seed: Some(7) };
    book
}

pub(super) fn calculated(book: &Book, formula: &str) -> Result<Array, Stop> {
    let tree = parse(formula, book).map_err(|it| Stop::Unsupported(it.to_string()))?;
    let mut session = Session::new(book);
    let (value, _) = session.preview(book, 0, At { row: 50, column: 20 }, &tree)?;
    Ok(match value {
        Ok(one) => Array { rows: 1, columns: 1, cells: vec![one] },
        Err(array) => (*array).clone(),
    })
}

pub(super) fn shown(array: &Array) -> String {
    let exact = |cell: &Scalar| match cell {
        Scalar::Number(number) => format!("{number:?}"),
        other => other.shown(),
    };
    let rows: Vec<String> = array
        .cells
        .chunks(array.columns)
        .map(|row| row.iter().map(exact).collect::<Vec<_>>().join(","))
        .collect();
    match array.cells.len() {
        1 => rows.concat(),
        _ => format!("{{{}}}", rows.join(";")),
    }
}

/// Returns `true` if a cell has the value; a number as far as its digits are written, at most ten.
fn is_same(cell: &str, expected: &str) -> bool {
    let (Ok(x), Ok(y)) = (cell.parse::<f64>(), expected.parse::<f64>()) else {
        return cell == expected;
    };
    let (mantissa, exponent) = match expected.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().unwrap()),
        None => (expected, 0),
    };
    let decimals = mantissa.split_once('.').map_or(0, |it| it.1.len() as i32);
    let unit = if decimals == 0 { 0.0 } else { 0.5000001 * 10_f64.powi(exponent - decimals) };
    (x - y).abs() <= f64::max(unit, 1e-10 * y.abs())
}

#[test]
fn examples_of_functions_have_their_values() {
    let book = book();
    let mut wrong = Vec::new();
    for (name, cases) in CASES {
        for line in cases.lines().filter(|it| !it.is_empty() && !it.starts_with("# ")) {
            let (formula, expected) = line.split_once(" => ").unwrap();
            let found = match calculated(&book, formula) {
                Ok(array) => shown(&array),
                Err(stop) => format!("{stop:?}"),
            };
            let split = |text: &str| -> Vec<String> {
                let inner = text.trim_start_matches('{').trim_end_matches('}');
                inner.split(';').map(str::to_owned).collect()
            };
            let (rows, wanted) = (split(&found), split(expected));
            let fits = found == expected
                || rows.len() == wanted.len()
                    && rows.iter().zip(&wanted).all(|(row, wanted)| {
                        let (row, wanted) = (row.split(','), wanted.split(','));
                        row.clone().count() == wanted.clone().count()
                            && row.zip(wanted).all(|(cell, wanted)| is_same(cell, wanted))
                    });
            if !fits {
                wrong.push(format!("{name}: {formula} is {found}, not {expected}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Values of mpmath with 40 digits: the integral of the density.
#[test]
fn students_distribution_keeps_its_digits_at_many_degrees_of_freedom() {
    let book = book();
    for (t, freedom, expected) in [
        (30.0, 1e7, 5.0073068454089e-198),
        (10.0, 1e7, 7.621796145136878e-24),
        (37.0, 1e10, 5.725839886633447e-300),
        (0.5, 1e5, 0.308538088827209),
        (2.0, 1e5, 0.02275148172875323),
        (5.0, 1e5, 2.871350839320836e-7),
        (20.0, 1e5, 4.111746955327181e-89),
        (35.0, 1e5, 4.675833169799531e-267),
        (25.0, 1e6, 3.371179083771837e-138),
        // By the continued fraction.
        (3.0, 99_999.0, 0.001350230445356715),
        (25.0, 99_999.0, 8.108961561846146e-138),
    ] {
        let formula = format!("T.DIST.RT({t},{freedom})");
        let found = calculated(&book, &formula).unwrap();
        let [Scalar::Number(found)] = found.cells[..] else { panic!("{formula}: {found:?}") };
        let error = (found - expected).abs() / expected;
        assert!(error < 1e-12, "{formula} is {found:e}, not {expected:e}: {error:e}");
    }
}
