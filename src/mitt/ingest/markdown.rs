//! Markdown and plain text. The text stays as it is; the tables of Markdown are also kept as tables.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use mitt_table::{CellRef, NamedTable, TableBuilder, column_names};

use super::delimited::refused;
use super::{Content, Room};
use mitt_base::{Result, text};
use mitt_render::markdown_budget;

/// Most cells of all tables of one file, and most bytes of their text: a cell takes 24 to 32 bytes besides its text.
/// Half of what is read from files of values, as the parser's tree takes as much again.
const MAX_CELLS: usize = 1_000_000;

/// Read Markdown. A table is named by the nearest heading above it.
///
/// Where reading its structure would cost too much, the text is kept as it is, and a warning says that tables are missing.
pub(super) fn read(text: String, room: &Room) -> Result<Content> {
    if let Err(too_much) = markdown_budget::check(&text) {
        return Ok(plain(text, &too_much.sentence()));
    }
    let (title, tables) = match structure(&text, room)? {
        Some(found) => found,
        None => return Ok(plain(text, &format!("at most {MAX_CELLS} cells are read"))),
    };
    Ok(Content { title, markdown: text, tables, ..Content::default() })
}

/// The text without its structure. The title is the first line that is a heading.
fn plain(markdown: String, reason: &str) -> Content {
    let is_heading = |line: &&str| line.starts_with('#');
    let title = markdown.lines().take(MAX_TITLE_LINES).find(is_heading);
    let title = title.map(|line| line.trim_matches(['#', ' ']).to_owned());
    let title = title.filter(|title| !title.is_empty());
    let warnings = vec![format!("tables and other structure of the text were not read: {reason}")];
    Content { title, markdown, warnings, ..Content::default() }
}

/// Characters of the heading above a table that are its name.
const MAX_NAME_CHARACTERS: u64 = 200;

/// Lines in which a title is looked for where the structure is not read.
const MAX_TITLE_LINES: usize = 100;

/// Title and tables.
type Structure = (Option<String>, Vec<NamedTable>);

/// What the text has; none where there are too many cells.
fn structure(source: &str, room: &Room) -> Result<Option<Structure>> {
    let mut count = 0;
    let mut title = None;
    let mut heading: Option<String> = None;
    let mut tables: Vec<NamedTable> = Vec::new();
    let mut cells: Vec<String> = Vec::new();
    let mut table: Option<TableBuilder> = None;
    // Where text goes: into a heading or a cell.
    let mut open: Option<String> = None;
    // Without the last option, the front matter's closing line makes a heading of it.
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let mut is_front_matter = false;
    for event in Parser::new_ext(source, options) {
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
            Event::End(TagEnd::TableCell) => {
                count += 1;
                if count > MAX_CELLS {
                    return Ok(None);
                }
                cells.push(open.take().unwrap_or_default());
            }
            Event::End(TagEnd::TableHead) => {
                let mut begun = TableBuilder::new(column_names(cells.drain(..)), &room.tables);
                begun.find_types();
                table = Some(begun);
            }
            Event::End(TagEnd::TableRow) => {
                if let Some(table) = &mut table {
                    let row = cells.iter().map(|cell| CellRef::from_text(cell));
                    table.push_row(row).map_err(refused)?;
                    room.rows.passed(table.rows());
                }
                cells.clear();
            }
            Event::End(TagEnd::Table) => {
                let Some(data) = table.take() else { continue };
                let data = data.finish().map_err(refused)?;
                // Many tables may stand below one long heading.
                let name = heading.as_deref().unwrap_or_default();
                let name = text::cut_chars(name, MAX_NAME_CHARACTERS).0.to_owned();
                tables.push(NamedTable::new(name, data));
            }
            _ => {}
        }
    }
    Ok(Some((title, tables)))
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
    use mitt_base::Resource;
    use mitt_base::memory::Account;
    use mitt_table::{Cell, Table};

    fn read(text: String) -> Content {
        let account = Account::root(Resource::Documents, u64::MAX);
        let room = Room {
            memory: account.clone(),
            tables: account,
            characters: 1_000,
            rows: mitt_base::rows::Rows::default(),
        };
        super::read(text, &room).unwrap()
    }

    fn rows(table: &Table) -> Vec<Vec<Cell>> {
        table.cells(0, usize::MAX).collect()
    }

    #[test]
    fn tables_are_found_and_named() {
        let content = read(
            "# 年报\n\n## 收入\n\n| 月份 | 收入 |\n|---|---:|\n| 1月 | 12.5 |\n| 2月 | `x` |\n"
                .into(),
        );
        assert_eq!(content.title.as_deref(), Some("年报"));
        assert_eq!(content.tables.len(), 1);
        assert_eq!(content.tables[0].name, "收入");
        assert_eq!(content.tables[0].data.names().collect::<Vec<_>>(), ["月份", "收入"]);
        assert_eq!(
            rows(&content.tables[0].data)[0],
            [Cell::Text("1月".into()), Cell::Number("12.5".into())]
        );
        assert_eq!(rows(&content.tables[0].data)[1][1], Cell::Text("x".into()));
    }
    #[test]
    fn front_matter_gives_the_title_and_no_heading() {
        let content =
            read("---\ntitle: \"Plan\"\nauthor: x\n---\n\n| a |\n|---|\n| b<br>c |\n".into());
        assert_eq!(content.title.as_deref(), Some("Plan"));
        assert_eq!(content.tables[0].name, "");
        assert_eq!(rows(&content.tables[0].data)[0], [Cell::Text("b\nc".into())]);
    }
}
