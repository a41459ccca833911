//! Formulas of a caller, with their placeholders replaced.

use crate::column::Origin;

/// Replaces `{Column name}` by a cell in row `{row}`. `{row}` stays, because it differs in each row.
///
/// Braces around other text stay: `{1,2,3}` is an array in Excel. A column called `row` does not hide the placeholder.
pub(crate) fn template(text: &str, columns: &[String], origin: Origin) -> String {
    let mut expanded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        expanded.push_str(&rest[..open]);
        rest = &rest[open..];
        match placeholder(rest, columns, origin) {
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

fn placeholder(text: &str, columns: &[String], origin: Origin) -> Option<(String, usize)> {
    let close = text.find('}')?;
    let name = &text[1..close];
    if name == "row" {
        return Some((ROW.to_owned(), close + 1));
    }
    let column = columns.iter().position(|column| column == name)?;
    Some((format!("{}{ROW}", origin.letters(column)), close + 1))
}

/// The placeholder for the row number.
const ROW: &str = "{row}";

/// Returns the formula of a template in a row of the data, as the host expands it.
pub(crate) fn expand(template: &str, row: usize, origin: Origin) -> String {
    template.replace(ROW, &origin.excel_row(row).to_string())
}

#[cfg(test)]
mod tests {
    use super::{expand, template};
    use crate::column::Origin;

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
            let origin = Origin::default();
            assert_eq!(expand(&template(text, &columns, origin), 3, origin), expected, "{text}");
        }
        let origin = Origin { header: 10, column: 26 };
        assert_eq!(expand(&template("={Qty sold}+{row}", &columns, origin), 3, origin), "=AB15+15");
    }
}
