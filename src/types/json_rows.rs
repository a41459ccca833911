//! Rows of tables as JSON: for models, which read digits, and for programs, which may round them.

use mitt_base::{number, text};
use mitt_table::{CellRef, Column, Table, Values};

/// Most bytes of a column name that are shown.
const SHOWN: usize = 60;

/// How numbers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonNumbers {
    /// Keeps every digit. Numbers that a reader would turn into infinity or zero are written as text.
    Digits,
    /// Keeps whole numbers of 64 bits and numbers that a double holds exactly; others are written as text.
    Portable,
}

/// Appends a row to `out` as a JSON array.
pub fn push_json_row(out: &mut String, table: &Table, row: usize, numbers: JsonNumbers) {
    let mut written = String::new();
    out.push('[');
    for column in 0..table.width() {
        out.push_str(if column > 0 { "," } else { "" });
        match table.cell(row, column, &mut written) {
            CellRef::Null => out.push_str("null"),
            CellRef::Boolean(value) => out.push_str(if value { "true" } else { "false" }),
            CellRef::Number(number) if numbers.are_kept(number) => out.push_str(number),
            CellRef::Number(text) | CellRef::Text(text) => push_json_text(out, text),
        }
    }
    out.push(']');
}

/// Appends a text to `out` as a JSON string.
pub fn push_json_text(out: &mut String, text: &str) {
    // Serializing a string cannot fail.
    out.push_str(&serde_json::to_string(text).unwrap_or_default());
}

impl JsonNumbers {
    /// Returns whether `number` is written as a JSON number and not as text.
    fn are_kept(self, number: &str) -> bool {
        match self {
            JsonNumbers::Digits => number::in_range(number),
            JsonNumbers::Portable => {
                number::held(number).is_some() || number.parse::<i64>().is_ok()
            }
        }
    }
}

/// Returns warnings about the numbers of a table in [portable](JsonNumbers::Portable) JSON, one sentence each: numbers that are
/// written as text, and whole numbers that JavaScript and other readers of doubles will round.
pub fn json_number_warnings(table: &Table) -> impl Iterator<Item = String> + '_ {
    table.columns().flat_map(|(name, column)| {
        let name = text::one_line(text::cut_bytes(name, SHOWN));
        let (as_text, rounded) = counts(column);
        let as_text = (as_text > 0).then(|| {
            format!("column `{name}`: {as_text} numbers are text in JSON, as a double does not hold their digits")
        });
        let rounded = (rounded > 0).then(|| {
            format!(
                "column `{name}`: {rounded} whole numbers are beyond 2^53; programs that read numbers of JSON as doubles round them"
            )
        });
        as_text.into_iter().chain(rounded)
    })
}

/// Returns how many numbers of a column are text in portable JSON, and how many of the others a double rounds.
fn counts(column: &Column) -> (usize, usize) {
    /// Numbers below this have at most 15 digits, whatever their scale, so a double holds them.
    const SMALL: u64 = 1_000_000_000_000_000;
    let (values, start) = column.values();
    let is_small = |row: usize| match values {
        Values::Integers(units) | Values::Decimals(_, units) => {
            units[start + row].unsigned_abs() < SMALL
        }
        Values::Mixed(_) | Values::WideDecimals(..) => false,
        _ => true,
    };
    let (mut as_text, mut rounded) = (0, 0);
    let mut written = String::new();
    for row in (0..column.len()).filter(|row| !is_small(*row)) {
        if let CellRef::Number(number) = column.cell(row, &mut written)
            && number::held(number).is_none()
        {
            let is_whole = number.parse::<i64>().is_ok();
            (as_text, rounded) =
                (as_text + usize::from(!is_whole), rounded + usize::from(is_whole));
        }
    }
    (as_text, rounded)
}

#[cfg(test)]
mod tests {
    use super::*;
    use JsonNumbers::{Digits, Portable};
    use mitt_base::Resource;
    use mitt_base::memory::Account;
    use mitt_table::TableBuilder;

    #[test]
    fn cells_are_written_by_their_types() {
        let account = Account::root(Resource::Documents, u64::MAX);
        let names = ["a", "b", "c", "d"].map(str::to_owned).to_vec();
        let mut table = TableBuilder::new(names, &account);
        let number = CellRef::Number("0.12345678901234567");
        table
            .push_row([CellRef::Null, CellRef::Boolean(true), CellRef::Text("a\"年\n"), number])
            .unwrap();
        let table = table.finish().unwrap();
        let row = |numbers| {
            let mut out = String::from("> ");
            push_json_row(&mut out, &table, 0, numbers);
            out
        };
        assert_eq!(row(Digits), r#"> [null,true,"a\"年\n",0.12345678901234567]"#);
        assert_eq!(row(Portable), r#"> [null,true,"a\"年\n","0.12345678901234567"]"#);
        for (number, is_kept, has_digits) in [
            ("9223372036854775807", true, true),
            ("1.5", true, true),
            ("18446744073709551615", false, true),
            // Quotients of doubles.
            ("0.4761904761904762", true, true),
            ("0.30000000000000004", true, true),
            ("14.285714285714286", true, true),
            ("0.12345678901234567890", false, true),
            ("1E300", true, true),
            ("1E400", false, false),
            ("-1e400", false, false),
            ("1e-400", false, false),
        ] {
            assert_eq!(Portable.are_kept(number), is_kept, "{number}");
            assert_eq!(Digits.are_kept(number), has_digits, "{number}");
        }
    }

    #[test]
    fn numbers_that_readers_would_change_are_told_by_column() {
        let account = Account::root(Resource::Documents, u64::MAX);
        let names = ["id", "x", "y", "z"].map(str::to_owned).to_vec();
        let mut table = TableBuilder::new(names, &account);
        for row in [
            ["9007199254740992", "0.3333333333333333", "0.12345678901234567890", "1e400"],
            ["9007199254740993", "14.285714285714286", "2", "7"],
            ["123456789012345678", "0.1", "0.5", "1e-400"],
        ] {
            table.push_row(row.map(CellRef::Number)).unwrap();
        }
        let table = table.finish().unwrap();
        let warnings: Vec<_> = json_number_warnings(&table).collect();
        assert_eq!(
            warnings,
            [
                "column `id`: 2 whole numbers are beyond 2^53; programs that read numbers of JSON as doubles round them",
                "column `y`: 1 numbers are text in JSON, as a double does not hold their digits",
                "column `z`: 2 numbers are text in JSON, as a double does not hold their digits",
            ]
        );
    }
}
