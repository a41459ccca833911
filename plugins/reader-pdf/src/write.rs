//! Writes the pages as Markdown, with their tables and places.

use crate::block::{Block, Page, Text};
use crate::files::Held;
use crate::form::Field;
use crate::inline;
use mitt_reader_kit::{
    Cell, NamedTable, Place, Table, clean, column_names, escape, is_caption, push_table,
    single_line,
};

#[derive(Default)]
pub(crate) struct Written {
    pub(crate) markdown: String,
    pub(crate) places: Vec<Place>,
    pub(crate) tables: Vec<NamedTable>,
    pub(crate) warnings: Vec<String>,
}

#[derive(Default)]
struct Writer {
    out: Written,
    /// The nearest heading above.
    heading: String,
    /// The paragraph right above, if its first word makes it a caption.
    caption: Option<String>,
    was_item: bool,
}

/// Writes the pages, then the values of the form and the list of files.
pub(crate) fn write(pages: &[Page], fields: &[Field], files: &[Held]) -> Written {
    let mut writer = Writer::default();
    for page in pages {
        writer.place(format!("page {}", page.number));
        for block in &page.blocks {
            writer.block(block, page);
        }
        for comment in &page.comments {
            let text = inline::plain(&comment.text).markdown;
            match comment.author.as_deref() {
                None => writer.push(&text, false),
                Some("") => writer.push(&format!("> {text}"), false),
                Some(author) => writer.push(&format!("> {}: {text}", escape(author)), false),
            }
        }
    }
    writer.form(fields);
    writer.files(files);
    writer.out
}

impl Writer {
    /// Starts a place where the next block will be.
    fn place(&mut self, label: String) {
        if !self.out.markdown.is_empty() && !self.out.markdown.ends_with("\n\n") {
            self.out.markdown.push('\n');
        }
        self.was_item = false;
        self.caption = None;
        self.out.places.push(Place { at: self.out.markdown.len(), label });
    }

    fn block(&mut self, block: &Block, page: &Page) {
        let is_item = matches!(block, Block::Item(..));
        match block {
            Block::Heading(level, text) => {
                self.push(&format!("{} {}", "#".repeat((*level).into()), text.markdown), false);
                self.heading.clone_from(&text.plain);
            }
            Block::Paragraph(text) => self.push(&with_marks(text, page), false),
            Block::Item(mark, text) => {
                self.push(&format!("{mark} {}", with_marks(text, page)), self.was_item)
            }
            Block::Note(number, text) => {
                let label = label(number, page);
                self.push(&format!("[^{label}]: {}", text.markdown), false);
            }
            Block::Code(code) => {
                let mut fence = "```".to_owned();
                while code.contains(&fence) {
                    fence.push('`');
                }
                self.push(&format!("{fence}\n{code}\n{fence}"), false);
            }
            Block::Table(placed) => {
                if let Some(title) = &placed.title {
                    self.push(&inline::plain(title).markdown, false);
                }
                let name = self
                    .caption
                    .take()
                    .or(placed.title.clone())
                    .unwrap_or_else(|| self.heading.clone());
                let mut text = String::new();
                push_table(&mut text, &placed.table);
                self.push(&text, false);
                let place = Some(format!("page {}", page.number));
                self.out.tables.push(NamedTable { name, data: placed.table.clone(), place });
            }
        }
        self.was_item = is_item;
        self.caption = match block {
            Block::Paragraph(text) | Block::Heading(_, text) => {
                is_caption(&text.plain).then(|| text.plain.clone())
            }
            _ => None,
        };
    }

    /// Writes the form fields that have a value outside of the text.
    fn form(&mut self, fields: &[Field]) {
        let row = |(name, value): &Field| {
            let value = single_line(&clean(value));
            let name = single_line(&clean(name));
            (!value.is_empty()).then(|| vec![Cell::Text(name), Cell::Text(value)])
        };
        let rows: Vec<_> = fields.iter().filter_map(row).collect();
        if rows.is_empty() {
            return;
        }
        self.place("form".to_owned());
        self.push("## Form", false);
        let table = Table { columns: column_names(["field", "value"]), rows };
        let mut text = String::new();
        push_table(&mut text, &table);
        self.push(&text, false);
        self.out.tables.push(NamedTable {
            name: "Form".to_owned(),
            data: table,
            place: Some("form".to_owned()),
        });
    }

    /// Writes the names of the files in the document, as in a mail.
    fn files(&mut self, files: &[Held]) {
        if files.is_empty() {
            return;
        }
        self.place("attached files".to_owned());
        self.push("Attached:", false);
        for (at, file) in files.iter().enumerate() {
            let line = format!("- {} ({} bytes)", escape(&file.name), file.bytes.len());
            self.push(&line, at > 0);
        }
    }

    /// Writes a block, with an empty line above it unless it `is_close` to the block before.
    fn push(&mut self, text: &str, is_close: bool) {
        let text = text.trim_matches('\n');
        if text.is_empty() {
            return;
        }
        let out = &mut self.out.markdown;
        if !out.is_empty() && !is_close && !out.ends_with("\n\n") {
            out.push('\n');
        }
        out.push_str(text);
        out.push('\n');
    }
}

/// Returns the label of a footnote, with its page, because numbers may begin again on every page.
fn label(number: &str, page: &Page) -> String {
    format!("{}-{number}", page.number)
}

/// Returns a text whose raised numbers refer to the footnotes of its page, if the page has such notes.
fn with_marks(text: &Text, page: &Page) -> String {
    let mut out = text.markdown.clone();
    for block in &page.blocks {
        let Block::Note(number, _) = block else { continue };
        let raised: String = number
            .chars()
            .filter_map(|digit| "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(digit.to_digit(10)? as usize))
            .collect();
        let is_raised = |character: char| "⁰¹²³⁴⁵⁶⁷⁸⁹⁻".contains(character);
        let Some((at, _)) = out.match_indices(&raised).find(|(at, found)| {
            let before = out.get(..*at).and_then(|text| text.chars().last());
            let after = out.get(at + found.len()..).and_then(|text| text.chars().next());
            !before.is_some_and(is_raised) && !after.is_some_and(is_raised)
        }) else {
            continue;
        };
        out.replace_range(at..at + raised.len(), &format!("[^{}]", label(number, page)));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captions_are_known_by_their_first_word() {
        for text in ["Table 1: sales", "表 3 销售", "表一 销售", "附表2"] {
            assert!(is_caption(text), "{text}");
        }
        for text in ["Tables are", "表示同意", "Table", ""] {
            assert!(!is_caption(text), "{text}");
        }
    }
}
