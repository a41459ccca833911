//! What a mark can insert beside text: `{{body|markdown}}`, `{{sales|table}}`, `{{sales|chart:bar}}`, `{{logo|picture:6cm}}`,
//! `{{annex|document}}`. Knows the notation only.

use super::format;
use super::tree::Element;
use crate::model::doc::Doc;
use crate::{ChartShape, ChartStack};

/// English metric units in a centimetre, a millimetre, an inch and a point.
const UNITS: [(&str, f64); 4] =
    [("cm", 360_000.0), ("mm", 36_000.0), ("in", 914_400.0), ("pt", 12_700.0)];

/// Most centimetres of a picture's side: more than the largest paper of Word.
const MAX_SIDE: f64 = 56.0;

/// Name of the element at the place of blocks that are inserted when a part is filled.
pub(super) const INSERTED: &str = "mitt:inserted";

/// What a mark inserts.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Insertion<'t> {
    /// A text in Markdown.
    Markdown,
    /// A table, of these columns or of all.
    Table(Vec<&'t str>),
    /// A chart of the numbers of a table.
    Chart(ChartShape, ChartStack),
    /// A picture of this width and height at most, in English metric units.
    Picture(Option<u64>, Option<u64>),
    /// The text of another document.
    Document,
}

/// Blocks that go to the place of a mark when the part is filled.
#[derive(Default)]
pub(super) struct Inserted {
    /// The blocks; empty for a file.
    pub(super) doc: Doc,
    /// Name of another Word file.
    pub(super) file: Option<String>,
    /// `true` for a table that looks like the template's.
    pub(super) is_table: bool,
    /// Properties of the paragraph with the mark, and of its first run.
    pub(super) paragraph: Option<Element>,
    pub(super) run: Option<Element>,
    /// Width of the cell around it, in twentieths of a point.
    pub(super) room: Option<u32>,
}

/// Returns the name and the insertion of a mark whose format inserts something. The error describes a mistake.
pub(super) fn of(mark: &str) -> Option<(&str, Result<Insertion<'_>, String>)> {
    let (name, kind) = format::parts(mark)?;
    let (kind, rest) = kind.split_once([':', '：']).unwrap_or((kind, ""));
    let rest = rest.trim();
    let plain = |insertion| match rest {
        "" => Ok(insertion),
        _ => Err(format!("expected `{kind}` without `:{rest}`")),
    };
    let insertion = match kind.trim() {
        "markdown" => plain(Insertion::Markdown),
        "document" => plain(Insertion::Document),
        "table" => {
            let columns = rest.split([',', '，']).map(str::trim).filter(|it| !it.is_empty());
            Ok(Insertion::Table(columns.collect()))
        }
        "chart" => chart(rest),
        "picture" => picture(rest),
        _ => return None,
    };
    Some((name, insertion))
}

fn chart(kind: &str) -> Result<Insertion<'_>, String> {
    let (kind, stack) = match kind.split_once([' ', ',']) {
        Some((kind, "stacked")) => (kind, ChartStack::Stacked),
        Some((kind, "full")) => (kind, ChartStack::Full),
        _ => (kind, ChartStack::Apart),
    };
    let shape = match kind {
        "" | "column" => ChartShape::Column,
        "bar" => ChartShape::Bar,
        "line" => ChartShape::Line,
        "area" => ChartShape::Area,
        "pie" => ChartShape::Pie,
        "doughnut" => ChartShape::Doughnut,
        other => {
            return Err(format!(
                "expected `chart:column`, `bar`, `line`, `area`, `pie` or `doughnut`, got `{other}`; `stacked` or `full` may follow, as in `chart:bar stacked`"
            ));
        }
    };
    Ok(Insertion::Chart(shape, stack))
}

fn picture(size: &str) -> Result<Insertion<'_>, String> {
    if size.is_empty() {
        return Ok(Insertion::Picture(None, None));
    }
    let wrong = || {
        format!(
            "expected a width of at most {MAX_SIDE} cm such as `picture:6cm`, a height such as `picture:x4cm`, or both, as in `picture:6cm x 4cm`; got `{size}`"
        )
    };
    let (width, height) = size.split_once(['x', '×']).unwrap_or((size, ""));
    let side = |text: &str| -> Result<Option<u64>, String> {
        let text = text.trim();
        if text.is_empty() {
            return Ok(None);
        }
        let unit = UNITS.iter().find_map(|(unit, emu)| Some((text.strip_suffix(unit)?, *emu)));
        let (number, emu) = unit.ok_or_else(wrong)?;
        let number: f64 = number.trim().parse().map_err(|_| wrong())?;
        let length = number * emu;
        if (12_700.0..=MAX_SIDE * 360_000.0).contains(&length) {
            Ok(Some(length.round() as u64))
        } else {
            Err(wrong())
        }
    };
    match (side(width)?, side(height)?) {
        (None, None) => Err(wrong()),
        (width, height) => Ok(Insertion::Picture(width, height)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn insertions_differ_from_formats() {
        let cm = |n: f64| Some((n * 360_000.0) as u64);
        for (mark, expected) in [
            ("a|markdown", Insertion::Markdown),
            ("a | table", Insertion::Table(vec![])),
            ("a|table: 品名, price", Insertion::Table(vec!["品名", "price"])),
            ("a|chart", Insertion::Chart(ChartShape::Column, ChartStack::Apart)),
            ("a|chart:bar stacked", Insertion::Chart(ChartShape::Bar, ChartStack::Stacked)),
            ("a|picture", Insertion::Picture(None, None)),
            ("a|picture:6cm", Insertion::Picture(cm(6.0), None)),
            ("a|picture: 60mm x 1in", Insertion::Picture(cm(6.0), cm(2.54))),
            ("a|picture:x4.5cm", Insertion::Picture(None, cm(4.5))),
            ("a|document", Insertion::Document),
        ] {
            assert_eq!(of(mark), Some(("a", Ok(expected))), "{mark}");
        }
        for mark in ["a", "a|#,##0.00", "a|yyyy-mm-dd", "a \\# \"0\"", "a|mm", "a|tables"] {
            assert_eq!(of(mark), None, "{mark}");
        }
        for (mark, expected) in [
            ("a|chart:donut", "expected `chart:column`"),
            ("a|picture:6", "expected a width of at most 56 cm"),
            ("a|picture:60cm", "expected a width of at most 56 cm"),
            ("a|picture:x", "expected a width of at most 56 cm"),
            ("a|picture:-1cm", "expected a width of at most 56 cm"),
            ("a|picture:nancm", "expected a width of at most 56 cm"),
            ("a|markdown:x", "without `:x`"),
        ] {
            let (_, problem) = of(mark).expect(mark);
            assert!(problem.clone().unwrap_err().contains(expected), "{mark}: {problem:?}");
        }
    }
}
