//! Rows of tables as JSON: for models, which read digits, and for programs, which may round them.

use mitt_table::{CellRef, Table};

/// How numbers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonNumbers {
    /// By their digits.
    Digits,
    /// By their digits where every reader of JSON keeps them, else as text.
    Portable,
}

/// Write a row as an array, behind what `out` has.
pub fn push_json_row(out: &mut String, table: &Table, row: usize, numbers: JsonNumbers) {
    let mut written = String::new();
    out.push('[');
    for column in 0..table.width() {
        out.push_str(if column > 0 { "," } else { "" });
        match table.cell(row, column, &mut written) {
            CellRef::Null => out.push_str("null"),
            CellRef::Boolean(value) => out.push_str(if value { "true" } else { "false" }),
            CellRef::Number(number) if numbers == JsonNumbers::Digits || is_kept(number) => {
                out.push_str(number);
            }
            CellRef::Number(text) | CellRef::Text(text) => push_json_text(out, text),
        }
    }
    out.push(']');
}

/// Write a text as a string of JSON.
pub(crate) fn push_json_text(out: &mut String, text: &str) {
    // A string always has a form.
    out.push_str(&serde_json::to_string(text).unwrap_or_default());
}

/// Whether every reader of JSON keeps the number: its digits fit in a floating point number of 64 bits.
fn is_kept(number: &str) -> bool {
    const DIGITS: usize = 15;
    let digits = number.bytes().filter(u8::is_ascii_digit).count();
    let is_integer = || number.parse::<i64>().is_ok();
    digits <= DIGITS || is_integer()
}

#[cfg(test)]
mod tests {
    use super::*;
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
        assert_eq!(row(JsonNumbers::Digits), r#"> [null,true,"a\"年\n",0.12345678901234567]"#);
        assert_eq!(row(JsonNumbers::Portable), r#"> [null,true,"a\"年\n","0.12345678901234567"]"#);
        for (number, expected) in
            [("9223372036854775807", true), ("1.5", true), ("18446744073709551615", false)]
        {
            assert_eq!(is_kept(number), expected, "{number}");
        }
    }
}
