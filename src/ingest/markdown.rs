//! Markdown and plain text: the text stays as it is, tables are taken out of Markdown as well.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::Content;
use crate::table::{Cell, NamedTable, Table, column_names};

/// Read Markdown. A table is named by the nearest heading above it.
pub(super) fn read(text: String) -> Content {
    let mut title = None;
    let mut heading: Option<String> = None;
    let mut tables: Vec<NamedTable> = Vec::new();
    let mut cells: Vec<String> = Vec::new();
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    let mut columns: Vec<String> = Vec::new();
    // Where text goes: into a heading or a cell.
    let mut open: Option<String> = None;
    // Without the last option, the front matter's closing line makes a heading of it.
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let mut is_front_matter = false;
    for event in Parser::new_ext(&text, options) {
        match event {
            Event::Start(Tag::MetadataBlock(_)) => is_front_matter = true,
            Event::End(TagEnd::MetadataBlock(_)) => is_front_matter = false,
            Event::Text(part) if is_front_matter => {
                title = title.or_else(|| front_matter_title(&part))
            }
            // A cell is one line of Markdown; this is how it gets a second one.
            Event::InlineHtml(tag) if tag.to_ascii_lowercase().starts_with("<br") => {
                if let Some(open) = &mut open {
                    open.push('\n');
                }
            }
            Event::Start(Tag::Heading { .. } | Tag::TableCell) => open = Some(String::new()),
            Event::Text(part) | Event::Code(part) => {
                if let Some(open) = &mut open {
                    open.push_str(&part);
                }
            }
            Event::SoftBreak | Event::HardBreak => {
                if let Some(open) = &mut open {
                    open.push(' ');
                }
            }
            Event::End(TagEnd::Heading(_)) => {
                heading = open.take();
                title = title.or_else(|| heading.clone());
            }
            Event::End(TagEnd::TableCell) => cells.push(open.take().unwrap_or_default()),
            Event::End(TagEnd::TableHead) => columns = column_names(cells.drain(..)),
            Event::End(TagEnd::TableRow) => {
                rows.push(cells.drain(..).map(|cell| Cell::from_text(&cell)).collect())
            }
            Event::End(TagEnd::Table) => {
                let data = Table {
                    columns: std::mem::take(&mut columns),
                    rows: std::mem::take(&mut rows),
                };
                tables.push(NamedTable { name: heading.clone().unwrap_or_default(), data });
            }
            _ => {}
        }
    }
    Content { title, markdown: text, tables, warnings: Vec::new() }
}

/// The title of a front matter, as far as it is a plain line of it.
fn front_matter_title(block: &str) -> Option<String> {
    let value = block.lines().find_map(|line| line.strip_prefix("title:"))?.trim();
    let title = value.trim_matches(|c| matches!(c, '"' | '\'')).trim();
    (!title.is_empty()).then(|| title.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_found_and_named() {
        let content = read(
            "# 年报\n\n## 收入\n\n| 月份 | 收入 |\n|---|---:|\n| 1月 | 12.5 |\n| 2月 | `x` |\n"
                .into(),
        );
        assert_eq!(content.title.as_deref(), Some("年报"));
        assert_eq!(content.tables.len(), 1);
        assert_eq!(content.tables[0].name, "收入");
        assert_eq!(content.tables[0].data.columns, ["月份", "收入"]);
        assert_eq!(
            content.tables[0].data.rows[0],
            [Cell::Text("1月".into()), Cell::Number("12.5".into())]
        );
        assert_eq!(content.tables[0].data.rows[1][1], Cell::Text("x".into()));
    }
    #[test]
    fn front_matter_gives_the_title_and_no_heading() {
        let content =
            read("---\ntitle: \"Plan\"\nauthor: x\n---\n\n| a |\n|---|\n| b<br>c |\n".into());
        assert_eq!(content.title.as_deref(), Some("Plan"));
        assert_eq!(content.tables[0].name, "");
        assert_eq!(content.tables[0].data.rows[0], [Cell::Text("b\nc".into())]);
    }
}
