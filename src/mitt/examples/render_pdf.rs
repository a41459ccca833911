//! Renders Markdown to PDF and Word with the host's own typesetter: no browser, no Office program, no model.
//!
//! Run it with `cargo run -p mitt --example render_pdf -- report.md`. It writes `report.pdf` and `report.docx` beside the file. Without
//! an argument it renders a short text and writes nothing. Hosts that only render can depend on `mitt-render` alone.
#![allow(clippy::print_stdout, reason = "an example prints its results")]

use std::error::Error;
use std::fs;
use std::path::PathBuf;

use mitt::render::{DocxOptions, PdfOptions, docx, markdown, pdf};

/// Text that is rendered without an argument.
const REPORT: &str = "# 经营报告 2025\n\n| 月份 | 收入 |\n|---|---:|\n| 1月 | 12.5 |\n| 2月 | 14.0 |\n\nRevenue grew by **12 %**.\n";

/// Runs the example.
///
/// # Errors
///
/// The file is missing, or cannot be rendered.
pub fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args_os().nth(1).map(PathBuf::from);
    let files = match &file {
        Some(file) => rendered(&fs::read_to_string(file)?)?,
        None => rendered(REPORT)?,
    };
    for (extension, bytes) in files {
        println!("{extension}: {} bytes", bytes.len());
        if let Some(file) = &file {
            fs::write(file.with_extension(extension), bytes)?;
        }
    }
    Ok(())
}

/// Returns the PDF and the Word file of a Markdown text.
pub(crate) fn rendered(text: &str) -> mitt::Result<[(&'static str, Vec<u8>); 2]> {
    let doc = markdown(text)?;
    let made = pdf(&doc, &PdfOptions::default())?;
    println!("{} pages", made.pages);
    let word = docx(&doc, &DocxOptions::default())?;
    Ok([("pdf", made.bytes), ("docx", word.bytes)])
}
