//! A document as Markdown without anchors, for typesetting in another format.

use super::contents::contents;
use super::inline::{self, Inline, LookReader, Looks};
use super::losses::{LINK_WITHIN, Losses};
use super::objects::{self, Object};
use super::pictures;
use super::tables::{self, GridCell};
use crate::changes;
use crate::error::{Error, Result, invalid};
use crate::notes::{self, NoteKind};
use crate::numbering::{Counter, Label, Numbering};
use crate::package::{Relation, resolve};
use crate::story::{self, Document, Story, shorten};
use crate::styles::Styles;
use crate::text::{Line, View};
use crate::xml::Id;
use mitt_package::{counted, either};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Most bytes of Markdown that the host typesets, less what its head needs: 2 MiB. Pictures stand in the text.
const MAX_MARKDOWN_BYTES: usize = (2 << 20) - 4_096;
/// Most notes of a document.
const MAX_NOTES: usize = 5_000;

/// A converted document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Converted {
    pub markdown: String,
    /// Title of the document, from its properties.
    pub title: Option<String>,
    /// `true` if the document has a table of contents, which is made anew.
    pub has_contents: bool,
    /// `true` for Letter paper.
    pub is_letter: bool,
    pub warnings: Vec<String>,
}

/// Converts a document to Markdown. `has_pictures` puts its pictures into the text, as far as they fit.
///
/// # Errors
/// [`Error::Invalid`] - the view is that with marks; those of [`Document::open`].
pub fn convert(bytes: Vec<u8>, view: View, has_pictures: bool) -> Result<Converted> {
    if view == View::Marks {
        return invalid("expected the view `accepted` or `original` to convert, got `marks`");
    }
    let mut document = Document::open(bytes)?;
    // Places are named by the anchors that the document has with its changes.
    let mut anchors: HashMap<(usize, Id), String> = HashMap::new();
    for it in &document.paragraphs {
        anchors.insert((it.part, it.node), format!("{}{}", it.letter, it.index));
    }
    for it in &document.tables {
        anchors.insert((it.part, it.node), format!("t{}", it.index));
    }
    let references = notes::referenced(&document);
    for part in 0..document.parts.len() {
        let name = document.parts[part].name.clone();
        changes::resolve_all(document.package.get_mut(&name), view == View::Accepted);
    }
    notes::drop_unreferenced(&mut document, &references);
    document.index()?;
    let styles = Styles::read(&mut document.package)?;
    let numbering = Numbering::read(&mut document.package)?;
    let comments = document.comments()?.len();
    let title = title(&mut document)?;
    let mut relations = Vec::new();
    for part in 0..document.parts.len() {
        let name = document.parts[part].name.clone();
        relations.push(document.package.relations(&name)?);
    }
    let mut room = 0;
    loop {
        let mut writer = Writer {
            document: &document,
            styles: &styles,
            relations: &relations,
            anchors: &anchors,
            counter: Counter::new(&numbering, &styles),
            contents: contents(document.tree(0)),
            losses: Losses::default(),
            out: String::new(),
            list: Vec::new(),
            last: HashMap::new(),
            is_list: false,
            notes: Vec::new(),
            room,
            // Pictures get what the text leaves, so it is written without them first.
            is_measured: room == 0,
            has_pictures,
        };
        writer.body();
        writer.definitions();
        if writer.is_measured && has_pictures {
            room = MAX_MARKDOWN_BYTES.saturating_sub(writer.out.len()).max(1);
            continue;
        }
        writer.others(comments);
        let has_contents = !writer.contents.is_empty();
        if has_contents {
            writer.losses.note("", "the table of contents is made anew, at the beginning");
        }
        let is_letter = writer.pages();
        let markdown = std::mem::take(&mut writer.out);
        if markdown.trim().is_empty() {
            return Err(Error::Invalid("the document has no text to convert".to_owned()));
        }
        let warnings = writer.losses.into_list();
        return Ok(Converted { markdown, title, has_contents, is_letter, warnings });
    }
}

/// Returns the title in the properties of a document.
fn title(document: &mut Document) -> Result<Option<String>> {
    let package = &mut document.package;
    let found = package.relations("")?.into_iter().find(|it| it.kind == "core-properties");
    let Some(relation) = found else { return Ok(None) };
    let Some(tree) = package.tree(&resolve("", &relation.target))? else { return Ok(None) };
    let node = tree.root().and_then(|root| tree.any_child(root, "title"));
    let text = node.map(|it| shorten(tree.text(it).trim(), 200));
    Ok(text.filter(|it| !it.is_empty()))
}

struct Writer<'a> {
    document: &'a Document,
    styles: &'a Styles,
    relations: &'a [Vec<Relation>],
    /// Names of paragraphs and tables by part and node.
    anchors: &'a HashMap<(usize, Id), String>,
    counter: Counter<'a>,
    contents: HashSet<Id>,
    losses: Losses,
    out: String,
    /// Columns where the text of the open items of lists begins, by level.
    list: Vec<(usize, usize)>,
    /// The last number of each level.
    last: HashMap<usize, u32>,
    is_list: bool,
    notes: Vec<String>,
    /// Bytes that are left for pictures.
    room: usize,
    is_measured: bool,
    has_pictures: bool,
}

impl Writer<'_> {
    fn name(&self, part: usize, node: Id) -> String {
        self.anchors.get(&(part, node)).cloned().unwrap_or_default()
    }

    fn body(&mut self) {
        let tree = self.document.tree(0);
        let Some(body) = tree.root().and_then(|root| tree.child(root, "body")) else { return };
        let mut found = Vec::new();
        story::blocks(tree, body, &mut found);
        for block in found {
            if tree.is(block, "tbl") { self.table(block) } else { self.paragraph(block) }
        }
        let imported = tree.descendants(body).filter(|&it| tree.is(it, "altChunk")).count();
        if imported > 0 {
            let are = either(imported, "is", "are");
            let files = counted(imported, "imported file");
            self.losses.note("", &format!("{files} in the text {are} left out"));
        }
    }

    /// Begins a block with an empty line in front of it.
    fn block(&mut self, text: &str) {
        if !self.out.is_empty() {
            self.out.push_str("\n\n");
        }
        self.out.push_str(text);
    }

    fn paragraph(&mut self, node: Id) {
        let tree = self.document.tree(0);
        let label = self.counter.next(tree, node);
        let properties = tree.child(node, "pPr");
        let style = properties
            .and_then(|it| tree.value(it, "pStyle"))
            .and_then(|it| self.styles.get(&it))
            .map(|it| it.name.to_lowercase())
            .unwrap_or_default();
        if self.contents.contains(&node) || (!self.contents.is_empty() && style.starts_with("toc "))
        {
            self.contents.insert(node);
            return;
        }
        let place = self.name(0, node);
        let is_break = properties
            .and_then(|it| tree.child(it, "pageBreakBefore"))
            .is_some_and(|it| crate::fields::is_on(tree, it));
        if is_break && !self.out.is_empty() {
            self.end_list();
            self.block("<!-- pagebreak -->");
        }
        let parts = self.inlines(0, node, &place);
        for (number, (inlines, boxes)) in parts.into_iter().enumerate() {
            if number > 0 {
                self.end_list();
                self.block("<!-- pagebreak -->");
            }
            let text = inline::write(&inlines).trim().to_owned();
            let label = label.as_ref().filter(|_| number == 0);
            if !text.is_empty() {
                let level = self.styles.heading_of(tree, node);
                let level = level.or((style == "title").then_some(1));
                match level {
                    Some(level) => self.heading(level, label, &text),
                    None => self.plain(label, &text, &style),
                }
            }
            for content in boxes {
                self.text_box(content, &place);
            }
        }
    }

    fn end_list(&mut self) {
        self.list.clear();
        self.last.clear();
        self.is_list = false;
    }

    fn heading(&mut self, level: u8, label: Option<&Label>, text: &str) {
        self.end_list();
        let label = label.map_or_else(String::new, |it| match it.text.as_str() {
            "" => String::new(),
            text => format!("{} ", inline::escape(text)),
        });
        let text = text.replace("<br>", " ");
        self.block(&format!("{} {label}{}", "#".repeat(level.min(6).into()), text.trim()));
    }

    fn plain(&mut self, label: Option<&Label>, text: &str, style: &str) {
        let Some(label) = label else {
            self.end_list();
            let quote = if style.contains("quote") { "> " } else { "" };
            self.block(&format!("{quote}{}", inline::escape_start(text)));
            return;
        };
        let marker = match (label.text.as_str(), label.plain) {
            ("", _) => "- ".to_owned(),
            (_, Some(number)) => format!("{number}. "),
            // A number such as `1.1` or `(a)` is text, because lists of Markdown have digits only.
            (number, None) => {
                self.end_list();
                self.block(&format!("{} {text}", inline::escape_start(&inline::escape(number))));
                return;
            }
        };
        self.list.retain(|it| it.0 < label.level);
        let indent = self.list.last().map_or(0, |it| it.1);
        let last = self.last.get(&label.level).copied();
        let goes_on = label.plain.is_none() || last.is_none_or(|it| Some(it + 1) == label.plain);
        if self.is_list && !goes_on && indent == 0 {
            // Another list begins; without something between them they would be one.
            self.out.push_str("\n\n<!-- -->\n");
        }
        if self.is_list {
            self.out.push('\n')
        } else {
            self.block("")
        }
        let text = inline::escape_start(text);
        self.out.push_str(&format!("{}{marker}{text}", " ".repeat(indent)));
        self.last.retain(|it, _| *it <= label.level);
        match label.plain {
            Some(number) => self.last.insert(label.level, number),
            None => self.last.remove(&label.level),
        };
        self.list.push((label.level, indent + marker.len()));
        self.is_list = true;
    }

    fn text_box(&mut self, content: Id, place: &str) {
        let tree = self.document.tree(0);
        let mut found = Vec::new();
        story::blocks(tree, content, &mut found);
        let mut lines = Vec::new();
        for block in found {
            if tree.is(block, "p") {
                let parts = self.inlines(0, block, place);
                let texts = parts.iter().map(|it| inline::write(&it.0).trim().to_owned());
                lines.extend(texts.filter(|it| !it.is_empty()));
            } else {
                let codes = &self.document.parts[0].codes;
                for row in story::rows(tree, block) {
                    for cell in story::cells(tree, row) {
                        let text = story::container_text(tree, cell, codes, View::Accepted);
                        lines.push(inline::escape(&text));
                    }
                }
                self.losses.note(place, "a table in a text box is shown as text");
            }
        }
        if lines.is_empty() {
            return;
        }
        self.losses.note(place, "a text box is shown as a quotation below its paragraph");
        self.end_list();
        let lines: Vec<String> =
            lines.iter().map(|it| format!("> {}", inline::escape_start(it))).collect();
        self.block(&lines.join("\n>\n"));
    }

    /// Returns the inlines of a paragraph, cut at page breaks, each with the text boxes that stand there.
    fn inlines(&mut self, part: usize, node: Id, place: &str) -> Vec<(Vec<Inline>, Vec<Id>)> {
        let document = self.document;
        let tree = document.tree(part);
        let line = Line::read(tree, node, &document.parts[part].codes);
        let mut looks = LookReader {
            tree,
            styles: self.styles,
            relations: &self.relations[part],
            targets: HashMap::new(),
        };
        let mut out = vec![(Vec::new(), Vec::new())];
        for piece in line.pieces.iter().filter(|it| it.deleted.is_none()) {
            let Some((inlines, boxes)) = out.last_mut() else { break };
            if !piece.text.is_empty() {
                let own = looks.of(piece);
                if own.link.is_none() && inline::leads_within(tree, piece) {
                    self.losses.note(place, LINK_WITHIN);
                }
                if own.is_hidden {
                    self.losses.note(place, "hidden text is left out")
                } else {
                    inline::push(inlines, &piece.text, own)
                }
                continue;
            }
            for object in objects::objects(tree, piece) {
                match object {
                    Object::Note(name) => {
                        if !self.notes.contains(&name) && self.notes.len() < MAX_NOTES {
                            self.notes.push(name.clone());
                        }
                        inlines.push(Inline::Ready(format!("[^{name}]")));
                    }
                    Object::Symbol(Some(it)) => {
                        inline::push(inlines, &it.to_string(), Looks::default());
                    }
                    Object::TextBox(content) => boxes.push(content),
                    Object::Equation(text) => {
                        inline::push(inlines, &text, Looks::default());
                        self.losses.note(place, "an equation is shown as plain text");
                    }
                    Object::PageBreak => {
                        out.push((Vec::new(), Vec::new()));
                        break;
                    }
                    Object::Picture { description, relation } => {
                        let text = self.picture(part, description, relation, place);
                        inlines.push(Inline::Ready(text));
                    }
                    Object::Symbol(None) | Object::Other(_) => {
                        if let Some(name) = objects::name(&object) {
                            self.losses.note(place, &format!("{name} is left out"));
                        }
                    }
                }
            }
        }
        out
    }

    /// Writes a picture; one that cannot be shown is its description.
    fn picture(
        &mut self,
        part: usize,
        description: Option<String>,
        relation: Option<String>,
        place: &str,
    ) -> String {
        let text = description.as_deref().map(|it| inline::escape(&shorten(it, 300)));
        let text = text.unwrap_or_default();
        let words = if text.is_empty() { String::new() } else { format!("*{text}*") };
        if self.is_measured && self.has_pictures {
            return words;
        }
        if !self.has_pictures {
            self.losses.note(place, "a picture is left out, because the file has text only");
            return words;
        }
        let document = self.document;
        let target = relation.and_then(|id| self.relations[part].iter().find(|it| it.id == id));
        let Some(target) = target.filter(|it| !it.is_external) else {
            self.losses.note(place, "a picture that is not in the file is left out");
            return words;
        };
        let name = resolve(&document.parts[part].name, &target.target);
        let bytes = match document.package.bytes(&name) {
            Ok(Some(bytes)) => bytes,
            _ => {
                self.losses.note(
                    place,
                    &format!("the picture `{name}` is left out, because it cannot be read"),
                );
                return words;
            }
        };
        let Some(media) = pictures::media_type(&bytes) else {
            let extension = name.rsplit('.').next().unwrap_or_default().to_uppercase();
            self.losses.note(place, &format!("a picture in the format {extension} is left out"));
            return words;
        };
        let length = pictures::length(&bytes) + text.len();
        if length > self.room {
            self.losses.note(
                place,
                &format!(
                    "a picture of {} KB is left out, because all pictures of a converted document have about 1.5 MB",
                    bytes.len().div_ceil(1_024)
                ),
            );
            return words;
        }
        self.room -= length;
        format!("![{text}]({})", pictures::address(media, &bytes))
    }

    fn table(&mut self, node: Id) {
        self.end_list();
        let tree = self.document.tree(0);
        let place = self.name(0, node);
        let (grid, is_merged) = tables::grid(tree, node);
        if grid.iter().all(Vec::is_empty) {
            return;
        }
        let marks = tables::alignments(tree, &grid);
        let mut lines = Vec::new();
        for (number, row) in grid.iter().enumerate() {
            let mut text = "|".to_owned();
            for (column, cell) in row.iter().enumerate() {
                let content = match cell {
                    GridCell::Cell(cell) => {
                        let place = format!("{place} r{} c{}", number + 1, column + 1);
                        self.cell(*cell, &place)
                    }
                    GridCell::Covered => String::new(),
                };
                text.push_str(&format!(" {content} |"));
            }
            lines.push(text);
            if number == 0 {
                lines.push(format!("| {} |", marks.join(" | ")));
            }
        }
        if is_merged {
            self.losses
                .note(&place, "merged cells are shown as one cell with empty ones beside it");
        }
        self.block(&lines.join("\n"));
    }

    /// Writes the content of a cell on one line.
    fn cell(&mut self, cell: Id, place: &str) -> String {
        let tree = self.document.tree(0);
        let mut found = Vec::new();
        story::blocks(tree, cell, &mut found);
        let mut lines = Vec::new();
        for block in found {
            if tree.is(block, "tbl") {
                self.losses.note(place, "a table in a cell is shown as text");
                let mut inner = Vec::new();
                for row in story::rows(tree, block) {
                    let cells = story::cells(tree, row);
                    let texts: Vec<String> =
                        cells.into_iter().map(|it| self.cell(it, place)).collect();
                    inner.push(texts.join("; "));
                }
                lines.push(inner.join("<br>"));
                continue;
            }
            let label = self.counter.next(tree, block).map(|it| match it.text.as_str() {
                "" => "• ".to_owned(),
                text => format!("{} ", inline::escape(text)),
            });
            for (inlines, boxes) in self.inlines(0, block, place) {
                let text = inline::write(&inlines);
                if !text.trim().is_empty() {
                    lines.push(format!("{}{}", label.clone().unwrap_or_default(), text.trim()));
                }
                if !boxes.is_empty() {
                    self.losses.note(place, "a text box is left out");
                }
            }
        }
        lines.join("<br>")
    }

    /// Writes the notes that the text refers to.
    fn definitions(&mut self) {
        let document = self.document;
        let mut done = 0;
        // Notes may refer to notes.
        while let Some(name) = self.notes.get(done).cloned() {
            done += 1;
            let (kind, id) = match name.strip_prefix('e') {
                Some(id) => (NoteKind::Endnote, id),
                None => (NoteKind::Footnote, name.as_str()),
            };
            let Some((part, note)) = notes::find(document, kind, id) else {
                self.losses.note(&format!("{} {id}", kind.name()), "the note does not exist");
                continue;
            };
            let tree = document.tree(part);
            let mut found = Vec::new();
            story::blocks(tree, note, &mut found);
            let mut lines = Vec::new();
            for block in found {
                if tree.is(block, "p") {
                    let place = format!("{} {id}", kind.name());
                    let parts = self.inlines(part, block, &place);
                    lines.extend(parts.iter().map(|it| inline::write(&it.0).trim().to_owned()));
                } else {
                    let codes = &document.parts[part].codes;
                    for row in story::rows(tree, block) {
                        for cell in story::cells(tree, row) {
                            let text = story::container_text(tree, cell, codes, View::Accepted);
                            lines.push(inline::escape(&text));
                        }
                    }
                }
            }
            self.block(&format!("[^{name}]: {}", lines.join("<br>")));
        }
    }

    /// Notes what stands outside of the body.
    fn others(&mut self, comments: usize) {
        let mut texts: BTreeMap<(&str, String), usize> = BTreeMap::new();
        for paragraph in &self.document.paragraphs {
            let name = match self.document.parts[paragraph.part].story {
                Story::Header => "header",
                Story::Footer => "footer",
                _ => continue,
            };
            let text = shorten(self.document.line(paragraph).text.trim(), 60);
            if !text.is_empty() && texts.len() < 20 {
                *texts.entry((name, text)).or_default() += 1;
            }
        }
        for ((name, text), _) in texts {
            self.losses.note(name, &format!("\"{text}\" is left out"));
        }
        if comments > 0 {
            let are = either(comments, "is", "are");
            self.losses.note("", &format!("{} {are} left out", counted(comments, "comment")));
        }
    }

    /// Returns `true` for Letter paper, and notes pages that are wider than high.
    fn pages(&mut self) -> bool {
        let tree = self.document.tree(0);
        let Some(root) = tree.root() else { return false };
        let sections: Vec<Id> =
            tree.descendants(root).filter(|&it| tree.is(it, "pgSz")).take(1_000).collect();
        let number = |id: Id, name: &str| -> f64 {
            tree.attr(id, name).and_then(|it| it.parse().ok()).unwrap_or(0.0)
        };
        if sections.iter().any(|&it| number(it, "w") > number(it, "h")) {
            self.losses.note("", "pages in landscape are shown in portrait");
        }
        sections.last().is_some_and(|&it| {
            let (width, height) = (number(it, "w"), number(it, "h"));
            (width.min(height) - 12_240.0).abs() < 60.0
        })
    }
}
