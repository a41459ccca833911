//! `GROUPBY` and `PIVOTBY`, by the descriptions of Microsoft's pages.

use super::tests::{calculated, shown};
use crate::book::Book;
use crate::calc::grid::Stop;
use crate::edit::stored_formula;
use crate::sample::{rows, workbook};

/// Region, product, year and sales, with headers in row 1.
const SALES: [&[&str]; 7] = [
    &["Region", "Product", "Year", "Sales"],
    &["West", "Pen", "2023", "10"],
    &["East", "Pen", "2023", "20"],
    &["West", "Ink", "2024", "5"],
    &["west", "Pen", "2024", "7"],
    &["East", "Ink", "2024", "1"],
    &["East", "Ink", "2023", "3"],
];

fn found(formula: &str) -> String {
    let book = Book::open(workbook(&[("S", &rows(&SALES))], "")).unwrap();
    match calculated(&book, &stored_formula(formula, &book)) {
        Ok(array) => shown(&array).replace(".0", ""),
        Err(Stop::Unsupported(what)) => what,
        Err(stop) => format!("{stop:?}"),
    }
}

#[test]
fn rows_are_grouped_sorted_and_totalled() {
    for (formula, expected) in [
        ("GROUPBY(A2:A7,D2:D7,_xleta.SUM)", "{East,24;West,22;Total,46}"),
        ("GROUPBY(A2:A7,D2:D7,SUM)", "{East,24;West,22;Total,46}"),
        ("GROUPBY(A2:A7,D2:D7,LAMBDA(x,MAX(x)-MIN(x)))", "{East,19;West,5;Total,19}"),
        // Headers are detected, and shown for several fields.
        ("GROUPBY(A1:A7,D1:D7,SUM)", "{East,24;West,22;Total,46}"),
        ("GROUPBY(A1:A7,D1:D7,SUM,3)", "{Region,Sales;East,24;West,22;Total,46}"),
        ("GROUPBY(A1:A7,D1:D7,SUM,1,0)", "{East,24;West,22}"),
        ("GROUPBY(A1:A7,D1:D7,COUNTA,0,0)", "{East,3;Region,1;West,3}"),
        ("GROUPBY(A2:A7,D2:D7,SUM,,-1)", "{Total,46;East,24;West,22}"),
        ("GROUPBY(A2:A7,D2:D7,SUM,,0,-1)", "{West,22;East,24}"),
        ("GROUPBY(A2:A7,D2:D7,SUM,,0,2)", "{West,22;East,24}"),
        ("GROUPBY(A2:A7,D2:D7,SUM,,,-2)", "{East,24;West,22;Total,46}"),
        ("GROUPBY(A2:A7,D2:D7,SUM,,,,C2:C7=2024)", "{East,1;West,12;Total,13}"),
        (
            "GROUPBY(A2:A7,D2:D7,PERCENTOF,,0,,B2:B7=\"Ink\")",
            "{East,0.4444444444444444;West,0.5555555555555556}",
        ),
        ("GROUPBY(A2:A7,D2:D7,LAMBDA(x,all,SUM(x)-SUM(all)))", "{East,-22;West,-24;Total,0}"),
        ("GROUPBY(A2:A7,C2:D7,MAX,,0)", "{East,2024,20;West,2024,10}"),
        ("GROUPBY(A2:A7,D2:D7,HSTACK(SUM,COUNT),,0)", "{,SUM,COUNT;East,24,3;West,22,3}"),
        (
            "GROUPBY(A2:B7,D2:D7,SUM)",
            "{East,Ink,4;East,Pen,20;East,,24;West,Ink,5;West,Pen,17;West,,22;Grand Total,,46}",
        ),
        (
            "GROUPBY(A2:B7,D2:D7,SUM,,-2,{1,-2})",
            "{Grand Total,,46;East,,24;East,Pen,20;East,Ink,4;West,,22;West,Pen,17;West,Ink,5}",
        ),
        (
            "GROUPBY(A1:B7,D1:D7,SUM,,1)",
            "{Region,Product,Sales;East,Ink,4;East,Pen,20;West,Ink,5;West,Pen,17;Total,,46}",
        ),
        ("GROUPBY(A2:B7,D2:D7,SUM,,0,-3)", "{East,Pen,20;East,Ink,4;West,Pen,17;West,Ink,5}"),
        ("GROUPBY(A2:B7,D2:D7,SUM,,0,2,,1)", "{East,Ink,4;West,Ink,5;East,Pen,20;West,Pen,17}"),
    ] {
        assert_eq!(found(formula), expected, "{formula}");
    }
}

#[test]
fn values_are_pivoted() {
    for (formula, expected) in [
        (
            "PIVOTBY(A2:A7,C2:C7,D2:D7,SUM)",
            "{,2023,2024,Total;East,23,1,24;West,10,12,22;Total,33,13,46}",
        ),
        ("PIVOTBY(A1:A7,C1:C7,D1:D7,SUM,,0,,0)", "{,2023,2024;East,23,1;West,10,12}"),
        (
            "PIVOTBY(A2:A7,C2:C7,D2:D7,SUM,,0,-1,-1,-1)",
            "{,Total,2024,2023;West,22,12,10;East,24,1,23}",
        ),
        // What is not there is an empty text.
        ("PIVOTBY(B2:B7,C2:C7,D2:D7,SUM,,0,,0,,A2:A7=\"West\")", "{,2023,2024;Ink,,5;Pen,10,7}"),
        (
            "PIVOTBY(A2:A7,B2:C7,D2:D7,COUNT,,0,,2)",
            "{,Ink,Ink,Ink,Pen,Pen,Pen,Grand Total;,2023,2024,,2023,2024,,;East,1,1,2,1,,1,3;West,,1,1,1,1,2,3}",
        ),
        (
            "PIVOTBY(A2:A7,C2:C7,D2:D7,PERCENTOF,,0,,0,,B2:B7=\"Pen\",1)",
            "{,2023,2024;East,1,;West,0.5882352941176471,0.4117647058823529}",
        ),
        (
            "PIVOTBY(A2:A7,C2:C7,D2:D7,LAMBDA(x,all,SUM(all)),,0,,0,,,0)",
            "{,2023,2024;East,33,13;West,33,13}",
        ),
        (
            "PIVOTBY(A2:A7,C2:C7,D2:D7,LAMBDA(x,all,SUM(all)),,0,,0,,,2)",
            "{,2023,2024;East,46,46;West,46,46}",
        ),
    ] {
        assert_eq!(found(formula), expected, "{formula}");
    }
}

#[test]
fn wrong_arguments_are_errors_and_what_is_not_documented_is_named() {
    for formula in [
        "GROUPBY(A2:A7,D2:D6,SUM)",
        "GROUPBY(A2:A7,D2:D7,SUM,9)",
        "GROUPBY(A2:A7,D2:D7,SUM,,2)",
        "GROUPBY(A2:A7,D2:D7,SUM,,,3)",
        "GROUPBY(A2:A7,D2:D7,SUM,,,0)",
        "GROUPBY(A2:A7,D2:D7,SUM,,,,C2:C6=1)",
        "GROUPBY(A2:A7,D2:D7,5)",
        "PIVOTBY(A2:A7,C2:C6,D2:D7,SUM)",
    ] {
        assert_eq!(found(formula), "#VALUE!", "{formula}");
    }
    assert_eq!(found("GROUPBY(A2:A7,D2:D7,SUM,,,,C2:C7=1)"), "#CALC!");
    let fields =
        |count: u32| found(&format!("ROWS(GROUPBY(EXPAND(A2:A7,6,{count},1),D2:D7,SUM,,0))"));
    assert_eq!((fields(32), fields(33)), ("2".to_owned(), "Limit".to_owned()));
    for (formula, expected) in [
        ("GROUPBY(A2:A7,D2:D7,SUM,2)", "generated headers"),
        ("GROUPBY(A2:A9,D2:D9,SUM)", "an empty field"),
        ("GROUPBY(A2:C7,D2:D7,SUM)", "three fields"),
        ("GROUPBY(A2:A7,D2:D7,VSTACK(SUM,MAX))", "functions below each other"),
        ("GROUPBY(A2:A7,C2:D7,HSTACK(SUM,MAX))", "several functions"),
        ("PIVOTBY(A2:A7,,D2:D7,SUM)", "without the fields"),
        ("PIVOTBY(A2:A7,B2:B7,C2:D7,SUM)", "several columns"),
        ("PIVOTBY(A1:A7,B1:B7,D1:D7,SUM,3)", "headers"),
        ("PIVOTBY(A2:A7,B2:B7,D2:D7,PERCENTOF,,,,,,,3)", "the total of a parent"),
        ("GROUPBY(A2:A7,D2:D7,_xleta.PY)", "the function PY"),
    ] {
        let what = found(formula);
        assert!(what.contains(expected), "{formula}: {what}");
    }
}

#[test]
fn functions_are_values() {
    for (formula, expected) in [
        ("BYROW(C2:D3,SUM)", "{2033;2043}"),
        ("BYCOL(D2:D7,_xleta.MAX)", "20"),
        ("MAP({1,-2},ABS)", "{1,2}"),
        ("REDUCE(0,{1,2,3},SUM)", "6"),
        ("SUM", "#NAME?"),
        ("NOSUCHNAME", "#NAME?"),
    ] {
        assert_eq!(found(formula), expected, "{formula}");
    }
}
