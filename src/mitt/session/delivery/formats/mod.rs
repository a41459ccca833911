//! The formats of files that are delivered, one in each file.
//!
//! A new format is a file here, a case of [`Deliverable`], a row of the table in `src/skill/capability/render.rs`, and its function in
//! `wit/render.wit`.

mod chart;
mod filling;
mod html;
mod pdf;
mod tables;
#[cfg(test)]
mod tests;
mod text;
mod word;
mod workbook;
mod workbook_size;

use super::draw::Deliver;
use mitt_skill::capability::Deliverable;

/// Returns what a plugin described, in its format.
pub(super) fn format_of(what: Deliverable) -> Box<dyn Deliver> {
    match what {
        Deliverable::Text(text) => Box::new(text::TextFile(text)),
        Deliverable::Workbook(book, pictures) => {
            Box::new(workbook::WorkbookFile { book, pictures })
        }
        Deliverable::Chart(chart) => Box::new(chart::ChartFile(chart)),
        Deliverable::Word(word) => Box::new(word::WordFile(word)),
        Deliverable::Html { markdown, options } => Box::new(html::HtmlFile { markdown, options }),
        Deliverable::Tables { markdown, title, language, paper, contents } => {
            Box::new(tables::TablesFile { markdown, title, language, paper, contents })
        }
        Deliverable::Filling(filling) => Box::new(filling::FilledWorkbook(filling)),
        Deliverable::Pdf { markdown, options } => Box::new(pdf::PdfFile { markdown, options }),
    }
}

fn text_bytes(text: &Option<String>) -> usize {
    text.as_ref().map_or(0, String::len)
}
