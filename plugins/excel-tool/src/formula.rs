//! Formulas that a caller wrote, with their placeholders filled in.

use crate::column::{excel_row, letters};

/// Fill in `{row}` and `{Column name}` for a row of the data, from 0.
///
/// Braces around anything else stay: `{1,2,3}` is an array in Excel. A column called `row` does not hide the placeholder.
pub(crate) fn expand(text: &str, columns: &[String], row: usize) -> String {
    let mut expanded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        expanded.push_str(&rest[..open]);
        rest = &rest[open..];
        match placeholder(rest, columns, row) {
            Some((reference, length)) => {
                expanded.push_str(&reference);
                rest = &rest[length..];
            }
            None => {
                expanded.push('{');
                rest = &rest[1..];
            }
        }
    }
    expanded.push_str(rest);
    expanded
}

fn placeholder(text: &str, columns: &[String], row: usize) -> Option<(String, usize)> {
    let close = text.find('}')?;
    let name = &text[1..close];
    let reference = if name == "row" {
        excel_row(row).to_string()
    } else {
        let column = columns.iter().position(|column| column == name)?;
        format!("{}{}", letters(column), excel_row(row))
    };
    Some((reference, close + 1))
}

#[cfg(test)]
mod tests {
    use super::expand;

    #[test]
    fn placeholders() {
        let columns = ["单价".to_owned(), "Qty sold".to_owned(), "row".to_owned()];
        for (text, expected) in [
            ("=B{row}*C{row}", "=B5*C5"),
            ("={单价}*{Qty sold}", "=A5*B5"),
            ("=SUM({1,2,3})+{row}", "=SUM({1,2,3})+5"),
            ("={unknown}{", "={unknown}{"),
            ("={{row}}", "={5}"),
            ("", ""),
        ] {
            assert_eq!(expand(text, &columns, 3), expected, "{text}");
        }
    }
}
