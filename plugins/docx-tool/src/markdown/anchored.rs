//! Markdown with the anchor of each block, whose text stands as it does in the document, so that edits find it.

use super::inline::leads_within;
use super::losses::{LINK_WITHIN, Losses};
use super::objects::{self, Object};
use crate::error::Result;
use crate::marks;
use crate::notes::{self, NoteKind};
use crate::numbering::{Counter, Numbering};
use crate::story::{self, Document, Paragraph, Story, shorten};
use crate::styles::Styles;
use crate::text::{Line, View};
use crate::xml::{Id, Tree};
use mitt_package::{counted, either};
use std::collections::HashMap;

/// Most bytes of the Markdown of one call. A model reads about four to a token.
const MAX_BYTES: usize = 120_000;

/// What is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarkdownOptions {
    pub view: View,
    /// Blocks that are left out at the start.
    pub from: usize,
    pub limit: usize,
}

/// A part of a document as Markdown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MarkdownPage {
    pub markdown: String,
    /// What it does not show, with places.
    pub losses: Vec<String>,
    /// Number of blocks: paragraphs outside of tables, and tables.
    pub total: usize,
    /// Where to read on.
    pub next: Option<usize>,
}

/// Reads the body of a document as Markdown.
///
/// # Errors
/// Those of [`Document::open`].
pub fn read_markdown(document: &mut Document, options: &MarkdownOptions) -> Result<MarkdownPage> {
    let styles = Styles::read(&mut document.package)?;
    let numbering = Numbering::read(&mut document.package)?;
    let comments = document.comments()?.len();
    let document = &*document;
    let paragraphs = document.paragraphs.iter().filter(|it| it.part == 0);
    let mut reader = Reader {
        document,
        tree: document.tree(0),
        view: options.view,
        paragraphs: paragraphs.map(|it| (it.node, it)).collect(),
        tables: document.tables.iter().filter(|it| it.part == 0).map(|it| (it.node, it)).collect(),
        losses: Losses::default(),
        notes: Vec::new(),
    };
    let mut counter = Counter::new(&numbering, &styles);
    let mut page = MarkdownPage::default();
    let tree = reader.tree;
    let mut found = Vec::new();
    if let Some(body) = tree.root().and_then(|root| tree.child(root, "body")) {
        story::blocks(tree, body, &mut found);
    }
    let mut is_list = false;
    let mut is_full = false;
    for block in found {
        let is_table = tree.is(block, "tbl");
        // Numbers go on over what is left out.
        let label = if is_table { None } else { counter.next(tree, block) };
        let is_wanted = page.total >= options.from && page.total < options.from + options.limit;
        let text = match is_table {
            _ if !is_wanted || is_full => None,
            true => {
                count_cells(tree, block, &mut counter);
                Some(reader.table(block))
            }
            false => {
                let head = match styles.heading_of(tree, block) {
                    Some(level) => format!("{} ", "#".repeat(level.min(6).into())),
                    None => String::new(),
                };
                let label =
                    label.as_ref().map_or_else(String::new, |label| match label.text.as_str() {
                        "" => format!("{}- ", "  ".repeat(label.level)),
                        text if head.is_empty() => format!("{}{text} ", "  ".repeat(label.level)),
                        text => format!("{text} "),
                    });
                Some(reader.paragraph(block, &format!("{head}{label}")))
            }
        };
        if is_table && text.is_none() {
            count_cells(tree, block, &mut counter);
        }
        page.total += 1;
        let Some(text) = text else {
            if is_wanted {
                page.next.get_or_insert(page.total - 1);
            }
            continue;
        };
        if text.is_empty() {
            continue;
        }
        let joins = is_list && label.is_some();
        page.markdown.push_str(match (page.markdown.is_empty(), joins) {
            (true, _) => "",
            (false, true) => "\n",
            (false, false) => "\n\n",
        });
        page.markdown.push_str(&text);
        is_list = label.is_some();
        is_full = page.markdown.len() > MAX_BYTES;
    }
    if options.from + options.limit < page.total {
        page.next.get_or_insert(options.from + options.limit);
    }
    let definitions = reader.definitions();
    if !definitions.is_empty() {
        page.markdown.push_str("\n\n");
        page.markdown.push_str(&definitions);
    }
    if options.from == 0 {
        reader.others(comments);
    }
    page.losses = reader.losses.into_list();
    Ok(page)
}

/// Counts the items of lists in a table.
fn count_cells(tree: &Tree, table: Id, counter: &mut Counter<'_>) {
    for it in tree.descendants(table).filter(|&it| tree.is(it, "p")) {
        let _ = counter.next(tree, it);
    }
}

struct Reader<'a> {
    document: &'a Document,
    tree: &'a Tree,
    view: View,
    paragraphs: HashMap<Id, &'a Paragraph>,
    tables: HashMap<Id, &'a story::Table>,
    losses: Losses,
    /// Notes that the text refers to, by their names in Markdown.
    notes: Vec<String>,
}

impl Reader<'_> {
    /// Writes a paragraph; an empty text if the view does not have it.
    fn paragraph(&mut self, node: Id, head: &str) -> String {
        let Some(&place) = self.paragraphs.get(&node) else { return String::new() };
        let line = self.document.line(place);
        let text = line.view(self.view);
        let gone = match self.view {
            View::Accepted => ["del", "moveFrom"],
            View::Original => ["ins", "moveTo"],
            View::Marks => ["", ""],
        };
        let is_gone = gone.iter().any(|it| marks::of_paragraph(self.tree, node, it).is_some());
        let anchor = format!("{}{}-{}", place.letter, place.index, story::hash(&line.text));
        let behind = self.objects(&line, &anchor);
        if text.trim().is_empty() && (is_gone || behind.is_empty()) {
            return String::new();
        }
        format!("{head}[{anchor}] {}{behind}", text.replace('\n', "<br>"))
    }

    /// Returns what stands behind the text of a paragraph: references to notes, and descriptions of pictures.
    fn objects(&mut self, line: &Line, place: &str) -> String {
        let mut out = String::new();
        if line.pieces.iter().any(|it| !it.text.is_empty() && leads_within(self.tree, it)) {
            self.losses.note(place, LINK_WITHIN);
        }
        for piece in line.pieces.iter().filter(|it| it.text.is_empty()) {
            let is_there = match self.view {
                View::Accepted => piece.deleted.is_none(),
                View::Original => piece.inserted.is_none(),
                View::Marks => true,
            };
            if !is_there {
                continue;
            }
            for object in objects::objects(self.tree, piece) {
                match &object {
                    Object::Note(name) => {
                        out.push_str(&format!(" [^{name}]"));
                        if !self.notes.contains(name) && self.notes.len() < 2_000 {
                            self.notes.push(name.clone());
                        }
                    }
                    Object::Picture { description: Some(text), .. } => {
                        out.push_str(&format!(" ![{}]", shorten(text, 200)));
                    }
                    Object::Symbol(Some(it)) => {
                        self.losses.note(place, &format!("the symbol {it} is no part of the text"));
                    }
                    other => {
                        if let Some(name) = objects::name(other) {
                            self.losses.note(place, &format!("{name} is left out"));
                        }
                    }
                }
            }
        }
        out
    }

    /// Writes a table. Its cells are those that edits count.
    fn table(&mut self, node: Id) -> String {
        let Some(&table) = self.tables.get(&node) else { return String::new() };
        let tree = self.tree;
        let anchor = self.document.table_anchor(table);
        let gone = match self.view {
            View::Accepted => "del",
            View::Original => "ins",
            View::Marks => "",
        };
        let rows = story::rows(tree, node);
        let columns = rows.iter().map(|&it| story::cells(tree, it).len()).max().unwrap_or(0);
        let mut out = format!("[{anchor}]");
        let mut is_merged = false;
        for (number, &row) in rows.iter().enumerate() {
            let properties = tree.child(row, "trPr");
            if properties.is_some_and(|it| tree.child(it, gone).is_some()) {
                self.losses.note(&anchor, &format!("row {} is not in this view", number + 1));
                continue;
            }
            if out.len() > MAX_BYTES {
                self.losses.note(
                    &anchor,
                    &format!(
                        "rows {} to {} are left out; `read_structure` has them",
                        number + 1,
                        rows.len()
                    ),
                );
                break;
            }
            let cells = story::cells(tree, row);
            out.push_str("\n|");
            for (column, &cell) in cells.iter().enumerate() {
                let place = format!("t{} r{} c{}", table.index, number + 1, column + 1);
                out.push_str(&format!(" {} |", self.cell(cell, &place)));
                let properties = tree.child(cell, "tcPr");
                is_merged |= properties.is_some_and(|it| {
                    tree.child(it, "gridSpan").or(tree.child(it, "vMerge")).is_some()
                });
            }
            out.push_str(&"  |".repeat(columns - cells.len()));
            if number == 0 {
                out.push_str(&format!("\n|{}", "---|".repeat(columns)));
            }
        }
        if is_merged {
            self.losses.note(
                &anchor,
                "merged cells are shown as cells of their own, counted as edits count them",
            );
        }
        out
    }

    fn cell(&mut self, cell: Id, place: &str) -> String {
        let tree = self.tree;
        let mut found = Vec::new();
        story::blocks(tree, cell, &mut found);
        let mut lines = Vec::new();
        for block in found {
            if tree.is(block, "tbl") {
                let codes = &self.document.parts[0].codes;
                let name = self.tables.get(&block).map_or(0, |it| it.index);
                for row in story::rows(tree, block) {
                    for cell in story::cells(tree, row) {
                        lines.push(story::container_text(tree, cell, codes, self.view));
                    }
                }
                self.losses.note(place, &format!("the table t{name} in it is shown as text"));
            } else if let Some(&paragraph) = self.paragraphs.get(&block) {
                let line = self.document.line(paragraph);
                let behind = self.objects(&line, place);
                lines.push(format!("{}{behind}", line.view(self.view)));
            }
        }
        lines.join("\n").trim_end().replace('|', "\\|").replace('\n', "<br>")
    }

    /// Writes the notes that the text refers to.
    fn definitions(&mut self) -> String {
        let mut out = Vec::new();
        let mut by_note: HashMap<(usize, &str), Vec<&Paragraph>> = HashMap::new();
        let document = self.document;
        for it in document.paragraphs.iter().filter(|_| !self.notes.is_empty()) {
            if let Some(id) = &it.note {
                by_note.entry((it.part, id)).or_default().push(it);
            }
        }
        for name in std::mem::take(&mut self.notes) {
            let (kind, id) = match name.strip_prefix('e') {
                Some(id) => (NoteKind::Endnote, id),
                None => (NoteKind::Footnote, name.as_str()),
            };
            let Some((part, _)) = notes::find(self.document, kind, id) else {
                self.losses.note(&format!("[^{name}]"), "the note does not exist");
                continue;
            };
            let mut lines = Vec::new();
            for &paragraph in by_note.get(&(part, id)).into_iter().flatten() {
                let line = document.line(paragraph);
                let anchor =
                    format!("{}{}-{}", paragraph.letter, paragraph.index, story::hash(&line.text));
                lines.push(format!(
                    "[{anchor}] {}",
                    line.view(self.view).trim().replace('\n', "<br>")
                ));
            }
            out.push(format!("[^{name}]: {}", lines.join("<br>")));
        }
        out.join("\n")
    }

    /// Notes what stands outside of the body.
    fn others(&mut self, comments: usize) {
        for (story, name) in [(Story::Header, "header"), (Story::Footer, "footer")] {
            for paragraph in &self.document.paragraphs {
                if self.document.parts[paragraph.part].story != story {
                    continue;
                }
                let text = self.document.line(paragraph).text;
                if !text.trim().is_empty() {
                    let anchor = self.document.anchor(paragraph);
                    self.losses.note(
                        &anchor,
                        &format!("the {name} \"{}\" is left out", shorten(&text, 60)),
                    );
                }
            }
        }
        if comments > 0 {
            let are = either(
                comments,
                "is left out; `list_changes` has it",
                "are left out; `list_changes` has them",
            );
            self.losses.note("", &format!("{} {are}", counted(comments, "comment")));
        }
    }
}
