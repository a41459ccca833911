//! Writes the model of a document as Markdown with its tables.

use crate::{inline, marks, numbering, tables};
use mitt_reader_kit::{
    Content, Error, MAX_CELLS, NamedTable, Place, clean, is_caption, push_table, single_line,
};
use office_oxide::ir::{
    CodeBlock, Element, HeaderFooter, InlineContent, List, Note, Paragraph, Section, Table,
};
use std::collections::HashSet;

pub(crate) struct Rendered {
    pub(crate) markdown: String,
    /// Starts of slides.
    pub(crate) places: Vec<Place>,
    pub(crate) tables: Vec<NamedTable>,
    pub(crate) warnings: Vec<String>,
    /// The first paragraph in the style of a title.
    pub(crate) title: Option<String>,
}

/// Writes the sections of a document. Each one is a slide if `is_slides`. `chunks` are the inserted documents.
pub(crate) fn render(
    sections: &[Section],
    is_slides: bool,
    chunks: Vec<Content>,
) -> Result<Rendered, Error> {
    let mut writer = Writer { chunks: chunks.into_iter().map(Some).collect(), ..Writer::default() };
    for (index, section) in sections.iter().enumerate() {
        if is_slides {
            writer.slide(section, index + 1)?;
        } else {
            writer.section(section)?;
        }
    }
    if writer.pictures > 0 {
        writer.warnings.push(format!("pictures that were not read: {}", writer.pictures));
    }
    let Writer { markdown, mut places, tables, warnings, title, .. } = writer;
    // An empty slide has no start.
    places.retain(|place| place.at < markdown.len());
    Ok(Rendered { markdown, places, tables, warnings, title })
}

#[derive(Default)]
struct Writer {
    markdown: String,
    places: Vec<Place>,
    tables: Vec<NamedTable>,
    warnings: Vec<String>,
    /// The nearest heading above.
    heading: String,
    /// The paragraph right above, if its style or its first word makes it a caption.
    caption: Option<String>,
    /// Page headers and footers that were written. A section repeats those of the section before.
    marginals: HashSet<String>,
    cells: usize,
    pictures: usize,
    title: Option<String>,
    /// Inserted documents that have not been written yet.
    chunks: Vec<Option<Content>>,
}

impl Writer {
    fn section(&mut self, section: &Section) -> Result<(), Error> {
        self.page_margin([&section.first_page_header, &section.header, &section.even_page_header]);
        self.elements(&section.elements)?;
        self.page_margin([&section.first_page_footer, &section.footer, &section.even_page_footer]);
        Ok(())
    }

    fn slide(&mut self, section: &Section, number: usize) -> Result<(), Error> {
        // An empty line will come before it.
        let at = self.markdown.len() + usize::from(!self.markdown.is_empty());
        self.places.push(Place { at, label: format!("slide {number}") });
        let title = section
            .title
            .as_deref()
            .map(|title| single_line(&clean(&marks::read(title))))
            .unwrap_or_default();
        let has_heading = section.elements.iter().any(|element| match element {
            Element::Heading(heading) => single_line(&inline::to_text(&heading.content)) == title,
            _ => false,
        });
        if !has_heading {
            let title = if title.is_empty() { format!("Slide {number}") } else { title };
            self.block(&format!("## {title}"));
            self.heading = title;
        }
        if section.hidden {
            self.warnings.push(format!("slide {number} is hidden in the presentation"));
        }
        self.elements(&section.elements)?;
        if let Some(notes) = &section.speaker_notes {
            let text = tables::text_of(notes);
            if !text.trim().is_empty() {
                self.quote(&format!("Notes: {text}"));
            }
        }
        Ok(())
    }

    fn elements(&mut self, elements: &[Element]) -> Result<(), Error> {
        for element in elements {
            self.element(element)?;
            if !matches!(element, Element::Paragraph(_) | Element::TextBox(_)) {
                self.caption = None;
            }
        }
        Ok(())
    }

    fn element(&mut self, element: &Element) -> Result<(), Error> {
        match element {
            Element::Heading(heading) => self.write_heading(heading.level, &heading.content),
            Element::Paragraph(paragraph) => return self.paragraph(paragraph),
            Element::Table(table) => return self.table(table),
            Element::List(list) => self.list(list)?,
            Element::Image(image) => {
                match image.alt_text.as_deref().map(|text| single_line(&clean(text))) {
                    Some(text) if !text.is_empty() => self.block(&format!("[picture: {text}]")),
                    _ => self.pictures += 1,
                }
            }
            Element::ThematicBreak => self.block("---"),
            Element::TextBox(text_box) => return self.elements(&text_box.content),
            Element::Footnote(note) => self.note("", note),
            Element::Endnote(note) => self.note("e", note),
            Element::CodeBlock(code) => self.code(code),
            // Breaks and drawings have no text.
            _ => {}
        }
        Ok(())
    }

    fn write_heading(&mut self, level: u8, content: &[InlineContent]) {
        let text = single_line(&inline::to_text(content));
        // A heading that has only a number is an empty paragraph.
        let is_bare = inline::has_label(content) && inline::labelled(content).1.trim().is_empty();
        if text.is_empty() || is_bare {
            return;
        }
        self.block(&format!("{} {text}", "#".repeat(level.clamp(1, 6).into())));
        self.heading = text;
    }

    fn paragraph(&mut self, paragraph: &Paragraph) -> Result<(), Error> {
        let text = inline::to_markdown(&paragraph.content);
        let plain = single_line(&inline::to_text(&paragraph.content));
        // Line breaks alone are not text.
        if text.trim().is_empty() || plain.is_empty() && !text.contains("[^") {
            return Ok(());
        }
        if let Some(chunk) =
            marks::take_chunk(&plain).and_then(|index| self.chunks.get_mut(index)?.take())
        {
            return self.chunk(chunk);
        }
        if paragraph.style.as_deref().is_some_and(is_title) {
            self.write_heading(1, &paragraph.content);
            self.title.get_or_insert(plain);
            return Ok(());
        }
        self.caption = is_captioned(paragraph.style.as_deref(), &plain).then_some(plain);
        self.block(&text);
        Ok(())
    }

    /// Writes an inserted document at its place.
    fn chunk(&mut self, chunk: Content) -> Result<(), Error> {
        self.block(&chunk.markdown);
        let cells = |table: &NamedTable| table.data.columns.len() * table.data.rows.len();
        self.cells += chunk.tables.iter().map(cells).sum::<usize>();
        if self.cells > MAX_CELLS {
            return Err(Error::Quota(format!(
                "the tables have {} cells, and a document may have {MAX_CELLS}",
                self.cells
            )));
        }
        self.tables.extend(chunk.tables);
        self.warnings.extend(chunk.warnings);
        Ok(())
    }

    fn table(&mut self, table: &Table) -> Result<(), Error> {
        // A table with a single cell is a frame around its content.
        if let [row] = table.rows.as_slice()
            && let [cell] = row.cells.as_slice()
        {
            return self.elements(&cell.content);
        }
        let allowed = MAX_CELLS.saturating_sub(self.cells);
        let placed = tables::place(table, allowed).map_err(|cells| {
            Error::Quota(format!("a table has {cells} cells, and a document may have {MAX_CELLS}"))
        })?;
        let Some(placed) = placed else { return Ok(()) };
        self.cells += placed.table.columns.len() * placed.table.rows.len();
        let caption = table
            .caption
            .as_deref()
            .map(|text| single_line(&clean(text)))
            .filter(|text| !text.is_empty());
        if let Some(title) = &placed.title {
            self.block(title);
        }
        let name = self
            .caption
            .take()
            .or(caption)
            .or(placed.title)
            .unwrap_or_else(|| self.heading.clone());
        let mut text = String::new();
        push_table(&mut text, &placed.table);
        self.block(&text);
        let place = self.places.last().map(|place| place.label.clone());
        self.tables.push(NamedTable { name, data: placed.table, place });
        Ok(())
    }

    fn list(&mut self, list: &List) -> Result<(), Error> {
        let mut lines = String::new();
        let mut tables = Vec::new();
        write_list(list, 0, &mut lines, &mut tables);
        self.block(&lines);
        for table in tables {
            self.table(table)?;
        }
        Ok(())
    }

    fn note(&mut self, prefix: &str, note: &Note) {
        let text = tables::text_of(&note.content);
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        // Comments are notes with an author.
        match note
            .marker
            .as_deref()
            .filter(|marker| note.author.is_some() || marker.starts_with("Comment"))
        {
            Some(marker) => self.quote(&format!("{}: {text}", single_line(&clean(marker)))),
            None => self.block(&format!("[^{prefix}{}]: {}", note.id, single_line(text))),
        }
    }

    fn code(&mut self, code: &CodeBlock) {
        let text = clean(&code.content);
        let mut fence = "```".to_owned();
        while text.contains(&fence) {
            fence.push('`');
        }
        let language = single_line(&clean(code.language.as_deref().unwrap_or_default()));
        self.block(&format!("{fence}{language}\n{}\n{fence}", text.trim_end_matches('\n')));
    }

    fn page_margin(&mut self, parts: [&Option<HeaderFooter>; 3]) {
        for part in parts.into_iter().flatten() {
            let text = single_line(&tables::text_of(&part.content));
            // A page number has no meaning in running text.
            if text.chars().any(char::is_alphabetic) && self.marginals.insert(text.clone()) {
                self.block(&text);
            }
        }
    }

    fn quote(&mut self, text: &str) {
        let lines: Vec<String> = text.lines().map(|line| format!("> {line}")).collect();
        self.block(&lines.join("\n"));
    }

    /// Writes a block with an empty line above it.
    fn block(&mut self, text: &str) {
        let text = text.trim_matches('\n');
        if text.is_empty() {
            return;
        }
        if !self.markdown.is_empty() {
            self.markdown.push('\n');
        }
        self.markdown.push_str(text);
        self.markdown.push('\n');
    }
}

/// Returns whether a paragraph is a caption of the table below it, by its style or its words.
fn is_captioned(style: Option<&str>, text: &str) -> bool {
    let names_it = |style: &str| style.to_lowercase().contains("caption") || style.contains("题注");
    style.is_some_and(names_it) || is_caption(text)
}

/// Returns whether a style is a title style. Word documents have its English name, older formats a localized one.
fn is_title(style: &str) -> bool {
    const NAMES: [&str; 9] =
        ["title", "标题", "標題", "表題", "titel", "titre", "título", "titolo", "название"];
    NAMES.contains(&style.to_lowercase().as_str())
}

fn write_list<'a>(list: &'a List, indent: usize, out: &mut String, tables: &mut Vec<&'a Table>) {
    let first = u64::from(list.start_number.unwrap_or(1));
    for (number, item) in (first..).zip(&list.items) {
        let mut text = String::new();
        let mut label = None;
        for element in &item.content {
            let part = match element {
                Element::Paragraph(paragraph) => {
                    let (found, part) = inline::labelled(&paragraph.content);
                    label = label.or(found);
                    part
                }
                Element::Table(table) => {
                    tables.push(table);
                    continue;
                }
                other => tables::text_of(std::slice::from_ref(other)),
            };
            if !part.trim().is_empty() {
                if !text.is_empty() {
                    text.push('\n');
                }
                text.push_str(&part);
            }
        }
        // Markdown has only digits. Any other number is written after its marker.
        let label = label.or_else(|| list.ordered.then(|| numbering::of_list(list, number)));
        let mut marker = "- ".to_owned();
        if let Some(label) = label.filter(|label| !text.is_empty() && !label.is_empty()) {
            if numbering::is_markdown(&label) {
                marker = format!("{label} ")
            } else {
                text = format!("{label} {text}")
            }
        }
        let inner = indent + marker.len();
        // An item without text that only holds a deeper list would be an empty bullet.
        if text.is_empty() {
            if let Some(nested) = &item.nested {
                write_list(nested, indent, out, tables);
            }
            continue;
        }
        out.push_str(&" ".repeat(indent));
        out.push_str(&marker);
        for (index, line) in text.lines().enumerate() {
            if index > 0 {
                out.push_str(&" ".repeat(inner));
            }
            out.push_str(line);
            out.push('\n');
        }
        if let Some(nested) = &item.nested {
            write_list(nested, inner, out, tables);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use office_oxide::ir::{ListItem, TextSpan};

    fn text(value: &str) -> Vec<InlineContent> {
        vec![InlineContent::Text(TextSpan::plain(value))]
    }

    fn item(value: &str, nested: Option<List>) -> ListItem {
        let content =
            vec![Element::Paragraph(Paragraph { content: text(value), ..Paragraph::default() })];
        ListItem { content, nested }
    }

    #[test]
    fn lists_nest_and_count() {
        let inner = List { items: vec![item("x", None)], ..List::default() };
        let list = List {
            ordered: true,
            start_number: Some(9),
            items: vec![item("a", None), item("b", Some(inner))],
            ..List::default()
        };
        let mut out = String::new();
        write_list(&list, 0, &mut out, &mut Vec::new());
        assert_eq!(out, "9. a\n10. b\n    - x\n");
    }

    #[test]
    fn automatic_numbers_are_those_of_the_document() {
        let labelled = |label: &str, text: &str| item(&(marks::label(label) + text), None);
        let list = List {
            ordered: true,
            items: vec![
                labelled("7)", "a"),
                labelled("第八条", "b"),
                labelled("(c)", "- d"),
                labelled("9.", ""),
            ],
            ..List::default()
        };
        let mut out = String::new();
        write_list(&list, 0, &mut out, &mut Vec::new());
        assert_eq!(out, "7) a\n- 第八条 b\n- (c) \\- d\n");
    }

    #[test]
    fn captions_are_known_by_style_or_first_word() {
        for (style, text) in [
            (Some("Caption"), "x"),
            (None, "Table 1: sales"),
            (None, "表 3 销售"),
            (None, "表一 销售"),
            (None, "附表2"),
        ] {
            assert!(is_captioned(style, text), "{text}");
        }
        for text in ["Tables are", "表示同意", "Table", ""] {
            assert!(!is_captioned(None, text), "{text}");
        }
    }
}
