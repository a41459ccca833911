//! What marks can do beyond values: calculate, insert, repeat columns, and use lists of Word.

mod columns;
mod documents;
mod expressions;
mod inserted;
mod numbering;
mod pictures;

use super::{Template, body, fill, filled_text, p, part, row, values};

/// Returns the error of a filling.
fn refusal(body_of_template: &str, json: serde_json::Value) -> String {
    fill(&Template::of(body_of_template).bytes(), json).unwrap_err().render()
}

/// Returns a table of these rows.
fn table(rows: &[String]) -> String {
    format!("<w:tbl><w:tblPr/><w:tblGrid/>{}</w:tbl>{}", rows.concat(), p("end"))
}
