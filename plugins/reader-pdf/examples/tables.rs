//! Prints the tables of PDF files for `tests/bench/pdf-tables/score.py`. `tables FILE...` prints one line of JSON for
//! each file: its tables as rows of text, the header first.

#![allow(clippy::print_stdout, reason = "the output of a program")]

use mitt_reader_kit::cell_as_str;
use serde_json::json;

fn main() {
    for path in std::env::args().skip(1) {
        let Ok(bytes) = std::fs::read(&path) else { continue };
        let begun = std::time::Instant::now();
        let content = reader_pdf::read(&bytes, "pdf", None);
        let seconds = begun.elapsed().as_secs_f64();
        let (tables, markdown) = match &content {
            Ok(content) => (content.tables.as_slice(), content.markdown.as_str()),
            Err(_) => (&[][..], ""),
        };
        let tables: Vec<serde_json::Value> = tables
            .iter()
            .map(|table| {
                let header: Vec<&str> = table.data.columns.iter().map(String::as_str).collect();
                let body = table.data.rows.iter().map(|row| row.iter().map(cell_as_str).collect());
                let rows: Vec<Vec<&str>> = std::iter::once(header).chain(body).collect();
                json!({ "page": table.place, "rows": rows })
            })
            .collect();
        println!(
            "{}",
            json!({ "file": path, "seconds": seconds, "tables": tables, "markdown": markdown })
        );
    }
}
