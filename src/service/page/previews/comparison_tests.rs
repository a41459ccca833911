//! Tests of comparisons.

use super::*;

/// Returns rows of texts; a text that begins with `=` is the formula of a cell that shows `0`.
fn rows(rows: &[&[&str]]) -> Vec<Row> {
    let cell = |text: &&str| match *text {
        "" => None,
        text if text.starts_with('=') => {
            let cell = serde_json::json!({ "d": "0", "v": 0, "k": "n", "f": text });
            Some(serde_json::from_value(cell).unwrap())
        }
        text => Some(Cell::Text(text.to_owned())),
    };
    rows.iter().map(|row| row.iter().map(cell).collect()).collect()
}

fn time() -> TimeLeft {
    TimeLeft::new(&Cancel::new())
}

fn compared(old: &[Row], new: &[Row], most: usize) -> (Vec<ComparedCell>, u64) {
    let found = differences(old, new, most, &time()).unwrap();
    assert!(!found.is_cut);
    (found.cells, found.more)
}

/// Reads at most three rows at once.
fn differences(old: &[Row], new: &[Row], most: usize, time: &TimeLeft) -> Result<Differences> {
    fn part(rows: &[Row], from: u64, count: u64) -> Result<Vec<Row>> {
        let count = usize::try_from(count.min(3)).unwrap();
        let rows = rows.iter().skip(usize::try_from(from).unwrap());
        Ok(rows.take(count).cloned().collect())
    }
    let read_old = |from: u64, count: u64| part(old, from, count);
    let read_new = |from: u64, count: u64| part(new, from, count);
    let mut old = SheetRows::new(old.len() as u64, &read_old);
    let mut new = SheetRows::new(new.len() as u64, &read_new);
    compared_cells(&mut old, &mut new, most, time)
}

fn cell(row: u64, column: u64, before: Option<&str>, after: Option<&str>) -> ComparedCell {
    let (before, after) = (before.map(str::to_owned), after.map(str::to_owned));
    ComparedCell { row, column, before, after }
}

#[test]
fn cells_that_differ_are_listed_although_a_row_was_inserted() {
    let old = rows(&[&["a", "b"], &["1", "2"], &["3", "4"], &["5"], &["x", "", "y"]]);
    let new = rows(&[&["a", "b"], &["new"], &["1", "2"], &["3", "=A1"], &["5"]]);
    let (cells, more) = compared(&old, &new, 100);
    assert_eq!(more, 0);
    assert_eq!(
        cells,
        [
            cell(1, 0, None, Some("new")),
            cell(3, 1, Some("4"), Some("0")),
            cell(4, 0, Some("x"), None),
            cell(4, 2, Some("y"), None),
        ]
    );
    let (cells, more) = compared(&old, &new, 1);
    assert_eq!((cells.len(), more), (1, 3));
    assert_eq!(compared(&old, &old, 100), (Vec::new(), 0));
    assert_eq!(compared(&[], &[], 100), (Vec::new(), 0));
}

#[test]
fn formulas_differ_where_their_results_do_not() {
    let (cells, _) = compared(&rows(&[&["=A1"]]), &rows(&[&["=A2"]]), 100);
    assert_eq!(cells, [cell(0, 0, Some("=A1"), Some("=A2"))]);
}

#[test]
fn styles_alone_make_no_difference() {
    let styled: Vec<Row> = serde_json::from_str(r#"[[{"d":"a","s":1},{"d":"","s":2}]]"#).unwrap();
    assert_eq!(compared(&styled, &rows(&[&["a"]]), 100), (Vec::new(), 0));
}

fn changes(comparison: Comparison) -> (String, u64) {
    let Comparison::Text { lines, more } = comparison else { panic!("no text") };
    let line = |it: ComparedLine| match it.change {
        LineChange::Same => format!(" {}\n", it.text),
        LineChange::Removed => format!("-{}\n", it.text),
        LineChange::Added => format!("+{}\n", it.text),
    };
    (lines.into_iter().map(line).collect(), more)
}

#[test]
fn lines_of_both_texts_are_listed_in_order() {
    let compared = texts("a\nb\nc\n", "a\nB\nc\nd\n", &time()).unwrap();
    assert_eq!(changes(compared), (" a\n-b\n+B\n c\n+d\n".to_owned(), 0));
    assert_eq!(changes(texts("", "", &time()).unwrap()), (String::new(), 0));
    let long = "年".repeat(5_000);
    let Comparison::Text { lines, .. } = texts(&long, &long, &time()).unwrap() else {
        panic!("no text")
    };
    assert_eq!(lines[0].text.chars().count() as u64, MAX_CHARACTERS + 1);
}

#[test]
fn a_long_text_is_listed_near_its_changes() {
    let old: String = (0..10_000).map(|line| format!("{line}\n")).collect();
    let new = old.replace("\n5000\n", "\nchanged\n");
    let (listed, more) = changes(texts(&old, &new, &time()).unwrap());
    let expected = " 4997\n 4998\n 4999\n-5000\n+changed\n 5001\n 5002\n 5003\n";
    assert_eq!((listed.as_str(), more), (expected, 9_993));
    let (listed, more) = changes(texts("", &old, &time()).unwrap());
    assert_eq!((listed.lines().count(), more), (MAX_LISTED, 5_000));
    let error = texts("", &"\n".repeat(MAX_COMPARED_LINES + 1), &time()).unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Input);
}

#[test]
fn a_comparison_ends_in_time_and_with_its_request() {
    let (old, new) = (rows(&[&["a"], &["b"]]), rows(&[&["a"], &["c"]]));
    let over = TimeLeft { deadline: Instant::now(), cancel: Cancel::new() };
    let found = differences(&old, &new, 100, &over).unwrap();
    assert_eq!(found, Differences { is_cut: true, ..Differences::default() });
    let sheet = found.of_sheet("A");
    assert_eq!((sheet.name.as_str(), sheet.state), ("A", SheetState::Unknown));
    let cancelled = time();
    cancelled.cancel.cancel();
    assert!(differences(&old, &new, 100, &cancelled).is_err());
    assert!(texts("a", "b", &cancelled).is_err());
    let found = differences(&old, &new, 100, &time()).unwrap();
    assert_eq!(found.of_sheet("A").state, SheetState::Changed);
    assert_eq!(Differences::default().of_sheet("A").state, SheetState::Same);
}

#[test]
fn rows_that_all_differ_take_no_longer_than_the_time_that_is_left() {
    let rows = |from: usize| -> Vec<Row> {
        let cell = |number: usize| Some(Cell::Text(number.to_string()));
        (0..9_000).map(|row| vec![cell(from + row), cell(row % 7)]).collect()
    };
    let begun = Instant::now();
    let time = TimeLeft { deadline: begun + Duration::from_millis(200), cancel: Cancel::new() };
    let found = differences(&rows(0), &rows(100_000), 100, &time).unwrap();
    assert!(found.is_cut || found.more > 0);
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
}

#[test]
fn a_warning_names_what_was_not_compared() {
    assert_eq!(no_time(&[]), None);
    let expected = "within 10 s, these sheets could not be compared to their end: `A`, `B`";
    assert_eq!(no_time(&["A", "B"]).as_deref(), Some(expected));
    assert!(no_time(&["x"; MAX_NAMED + 3]).unwrap().ends_with("`x` and 3 more"));
}
