//! Edits of a document. The whole batch is checked before anything is written: if an anchor or an expected text does not
//! match, nothing is delivered.

mod blocks;
mod bound;
mod controls;
mod dates;
mod ends;
mod extras;
mod fields;
mod grid;
mod headers;
mod notes;
mod picture;
mod request;
mod settings;
mod tables;
mod wanted;
mod words;

pub(crate) use ends::{delete_marked, mark_new, place_new, surround};
pub use request::{Edit, EditOptions, FindMode, Format, Pages, Where};

use crate::changes::ChangeFilter;
use crate::comments;
use crate::diff;
use crate::error::{Error, Result};
use crate::marks::{Marks, greatest_id};
use crate::notes::NoteKind;
use crate::story::{Document, Paragraph, Story, shorten};
use crate::styles::Styles;
use crate::text::{Editor, Line};
use crate::xml::{Id, Tree, W_URI, is_xml_char};
use mitt_package::counted;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Most edits of a batch.
const MAX_EDITS: usize = 2_000;
/// Most problems that are reported at once.
const MAX_PROBLEMS: usize = 20;

/// What an edit did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// The anchor or the name of the place.
    pub place: String,
    pub before: String,
    pub after: String,
}

/// An edited document.
#[derive(Debug)]
pub struct Edited {
    pub bytes: Vec<u8>,
    pub done: Vec<Done>,
    pub warnings: Vec<String>,
}

/// Returns `true` for a text with characters that a document cannot hold.
fn has_lost_characters(text: &str) -> bool {
    text.chars().any(|it| !is_xml_char(it) && it != '\u{b}')
}

/// Returns the content of a document of the session.
pub type Files<'a> = &'a dyn Fn(&str) -> Result<Vec<u8>, String>;

/// What an edit is about, found before the first edit.
#[derive(Clone, Copy, Debug)]
enum Target {
    None,
    Paragraph(usize),
    Two(usize, usize),
    Table(usize),
}

/// A batch at work.
pub(crate) struct Batch<'a> {
    pub(crate) document: Document,
    pub(crate) marks: Marks,
    pub(crate) styles: Styles,
    pub(crate) warnings: Vec<String>,
    files: Files<'a>,
    /// Paragraphs that an edit of the batch deleted.
    removed: Vec<(usize, Id)>,
    /// Rows and cells of the tables that the batch names, as before its first edit.
    grids: HashMap<usize, grid::Grid>,
    /// Notes that something refers to, or did before an edit of the batch.
    notes: HashSet<(NoteKind, String)>,
    /// Rows that the batch inserted, with the columns of the row that they are like.
    new_rows: grid::Grid,
    /// The last node that the batch put behind a paragraph, row or cell, by its part and node: the next one comes behind it.
    behind: HashMap<(usize, Id), Id>,
    /// Texts that the batch inserted, in order.
    typed: Vec<words::Typed>,
}

/// Applies a batch of edits.
///
/// # Errors
/// [`Error::Invalid`] - an edit cannot be done, one problem each line; those of [`Document::open`].
pub fn edit(
    bytes: Vec<u8>,
    edits: &[Edit],
    options: &EditOptions,
    files: Files<'_>,
) -> Result<Edited> {
    let document = Document::open(bytes)?;
    if document.package.has_macros() {
        return Err(Error::Unsupported(
            "expected a document without macros (.docx), got one with macros".to_owned(),
        ));
    }
    if document.package.is_signed() {
        return Err(Error::Unsupported(
            "expected a document without a signature, got a signed one (`_xmlsignatures/`); a change would break the signature, so remove it in Word under File > Info, or save an unsigned copy"
                .to_owned(),
        ));
    }
    let mut batch = Batch::new(document, options, files)?;
    let done = batch.run(edits)?;
    batch.finish()?;
    let bytes = batch.document.save()?;
    Ok(Edited { bytes, done, warnings: batch.warnings })
}

impl<'a> Batch<'a> {
    pub(crate) fn new(
        mut document: Document,
        options: &EditOptions,
        files: Files<'a>,
    ) -> Result<Self> {
        let first_id =
            (0..document.parts.len()).map(|it| greatest_id(document.tree(it))).max().unwrap_or(0);
        let EditOptions { is_tracked, author, date } = options;
        let marks = Marks::new(*is_tracked, author, date.clone(), first_id + 1);
        let styles = Styles::read(&mut document.package)?;
        let notes = crate::notes::referenced(&document);
        Ok(Self {
            document,
            marks,
            styles,
            warnings: Vec::new(),
            files,
            removed: Vec::new(),
            grids: HashMap::new(),
            notes,
            new_rows: Vec::new(),
            behind: HashMap::new(),
            typed: Vec::new(),
        })
    }

    fn run(&mut self, edits: &[Edit]) -> Result<Vec<Done>> {
        if edits.is_empty() {
            return Err(Error::Invalid("expected at least one edit".to_owned()));
        }
        if edits.len() > MAX_EDITS {
            return Err(Error::Invalid(format!(
                "expected at most {MAX_EDITS} edits, got {}",
                edits.len()
            )));
        }
        let mut problems = Vec::new();
        let mut targets = Vec::new();
        for (number, edit) in edits.iter().enumerate() {
            match self.target(edit) {
                Ok(target) => {
                    if let Target::Table(table) = target {
                        self.remember(table);
                    }
                    targets.push(target);
                }
                Err(problem) => problems.push(format!("edits[{number}]: {problem}")),
            }
        }
        let mut done = Vec::new();
        if problems.is_empty() {
            for (number, (edit, target)) in edits.iter().zip(targets).enumerate() {
                if edit.texts().iter().any(|it| has_lost_characters(it)) {
                    self.warn(format!(
                        "edits[{number}]: control characters of the given text were left out, because XML cannot hold them"
                    ));
                }
                match self.apply(edit, target) {
                    Ok(report) => done.push(report),
                    Err(Error::Invalid(problem) | Error::NotFound(problem)) => {
                        problems.push(format!("edits[{number}]: {problem}"));
                    }
                    Err(other) => return Err(other),
                }
                if problems.len() > MAX_PROBLEMS {
                    break;
                }
            }
        }
        if problems.is_empty() {
            return Ok(done);
        }
        problems.truncate(MAX_PROBLEMS);
        problems.push("nothing was changed".to_owned());
        Err(Error::Invalid(problems.join("\n")))
    }

    /// Finds what an edit is about.
    fn target(&self, edit: &Edit) -> Result<Target, String> {
        let document = &self.document;
        Ok(match edit {
            Edit::ReplaceText { at, .. }
            | Edit::InsertText { at, .. }
            | Edit::InsertParagraph { at, .. }
            | Edit::DeleteParagraph { at }
            | Edit::SetStyle { at, .. }
            | Edit::FormatText { at, .. }
            | Edit::LinkText { at, .. }
            | Edit::InsertPageBreak { at }
            | Edit::InsertPicture { at, .. }
            | Edit::AddFootnote { at, .. }
            | Edit::AddComment { at, .. } => Target::Paragraph(document.find(at)?),
            Edit::InsertField { at, field, .. } => match fields::NewField::parse(field)? {
                fields::NewField::Reference(to) => {
                    Target::Two(document.find(at)?, document.find(&to)?)
                }
                _ => Target::Paragraph(document.find(at)?),
            },
            Edit::MoveParagraph { at, to, .. } => {
                Target::Two(document.find(at)?, document.find(to)?)
            }
            Edit::SetCell { table, .. }
            | Edit::InsertRow { table, .. }
            | Edit::DeleteRow { table, .. }
            | Edit::InsertColumn { table, .. }
            | Edit::DeleteColumn { table, .. } => Target::Table(document.find_table(table)?),
            _ => Target::None,
        })
    }

    fn apply(&mut self, edit: &Edit, target: Target) -> Result<Done> {
        let paragraph = match target {
            Target::Paragraph(it) | Target::Two(it, _) => {
                let found = self.document.paragraphs[it].clone();
                if !self.document.tree(found.part).is_attached(found.node)
                    || self.removed.contains(&(found.part, found.node))
                {
                    return Err(Error::Invalid(
                        "an earlier edit removed this paragraph".to_owned(),
                    ));
                }
                self.prepare(found.part)?;
                Some(found)
            }
            Target::Table(it) => {
                let table = &self.document.tables[it];
                let part = table.part;
                if !self.document.tree(part).is_attached(table.node) {
                    return Err(Error::Invalid("an earlier edit removed this table".to_owned()));
                }
                self.prepare(part)?;
                None
            }
            Target::None => None,
        };
        let here = || paragraph.clone().ok_or_else(|| Error::Invalid("no anchor".to_owned()));
        let table = match target {
            Target::Table(it) => it,
            _ => 0,
        };
        match edit {
            Edit::ReplaceText { find, replacement, occurrence, .. } => {
                self.replace_text(&here()?, find, replacement, *occurrence)
            }
            Edit::InsertText { text, after, before, .. } => {
                self.insert_text(&here()?, text, after.as_deref(), before.as_deref())
            }
            Edit::InsertParagraph { side, text, style, .. } => {
                self.insert_paragraphs(&here()?, *side, text, style.as_deref())
            }
            Edit::DeleteParagraph { .. } => self.delete_paragraph(&here()?),
            Edit::MoveParagraph { side, .. } => {
                let Target::Two(_, to) = target else { return here().map(|_| Done::default()) };
                let to = self.document.paragraphs[to].clone();
                self.move_paragraph(&here()?, *side, &to)
            }
            Edit::SetCell { row, column, text, .. } => self.set_cell(table, *row, *column, text),
            Edit::InsertRow { row, side, cells, .. } => self.insert_row(table, *row, *side, cells),
            Edit::DeleteRow { row, .. } => self.delete_row(table, *row),
            Edit::InsertColumn { column, side, cells, .. } => {
                self.insert_column(table, *column, *side, cells)
            }
            Edit::DeleteColumn { column, .. } => self.delete_column(table, *column),
            Edit::SetStyle { style, .. } => self.set_style(&here()?, style),
            Edit::FormatText { find, format, .. } => self.format_text(&here()?, find, format),
            Edit::LinkText { find, url, .. } => self.link_text(&here()?, find, url),
            Edit::InsertPageBreak { .. } => self.insert_page_break(&here()?),
            Edit::SetHeader { is_footer, text, pages, section } => {
                self.set_header(*is_footer, text, *pages, *section)
            }
            Edit::SetProperty { name, value } => self.set_property(name, value),
            Edit::InsertPicture { side, picture, width_cm, alt, .. } => {
                let file = (self.files)(picture).map_err(Error::Invalid)?;
                self.insert_picture(&here()?, *side, picture, &file, *width_cm, alt)
            }
            Edit::ReplaceEverywhere { find, replacement, mode, ignores_case } => {
                self.replace_everywhere(find, replacement, *mode, *ignores_case)
            }
            Edit::AddComment { find, text, .. } => {
                self.add_comment(&here()?, find.as_deref(), text)
            }
            Edit::SetControl { name, find, replacement, occurrence } => {
                self.set_control(name, find, replacement, *occurrence)
            }
            Edit::InsertField { field, after, before, .. } => {
                let field = fields::parse(field)?;
                let to = match target {
                    Target::Two(_, to) => Some(self.document.paragraphs[to].clone()),
                    _ => None,
                };
                self.insert_field(
                    &here()?,
                    &field,
                    to.as_ref(),
                    after.as_deref(),
                    before.as_deref(),
                )
            }
            Edit::UpdateFields => self.update_fields(),
            Edit::AddFootnote { find, text, .. } => {
                self.add_footnote(&here()?, find.as_deref(), text)
            }
            Edit::DeleteNote { id } => self.delete_note(id),
            Edit::AnswerComment { id, text } => {
                self.prepare(0)?;
                let new = comments::answer(&mut self.document, id, text, &self.marks)?;
                Ok(Done {
                    place: format!("comment {new}"),
                    before: String::new(),
                    after: text.clone(),
                })
            }
            Edit::ResolveComment { id, is_resolved } => {
                comments::set_resolved(&mut self.document, id, *is_resolved)?;
                let after = if *is_resolved { "resolved" } else { "open" };
                Ok(Done {
                    place: format!("comment {id}"),
                    after: after.to_owned(),
                    ..Done::default()
                })
            }
            Edit::DeleteComment { id } => {
                let count = comments::delete(&mut self.document, id)?;
                let after = format!("deleted, with {}", counted(count.saturating_sub(1), "answer"));
                Ok(Done { place: format!("comment {id}"), after, ..Done::default() })
            }
            Edit::AcceptChanges(filter) => self.resolve_changes(filter, true),
            Edit::RejectChanges(filter) => self.resolve_changes(filter, false),
        }
    }

    fn resolve_changes(&mut self, filter: &ChangeFilter, is_accepted: bool) -> Result<Done> {
        let changes = self.document.resolve(filter, is_accepted).map_err(Error::Invalid)?;
        let verb = if is_accepted { "accepted" } else { "rejected" };
        if changes.is_empty() {
            self.warn(format!("no tracked change was {verb}: the filter selects none"));
        }
        let after = format!("{} {verb}", counted(changes.len(), "tracked change"));
        Ok(Done { place: "document".to_owned(), before: String::new(), after })
    }

    /// Makes the prefix `w` usable in a part.
    pub(crate) fn prepare(&mut self, part: usize) -> Result<()> {
        let name = self.document.parts[part].name.clone();
        let tree = self.document.package.get_mut(&name);
        let needs = tree.root().is_some_and(|root| tree.prefix(root) != "w");
        if needs {
            let uri = comments::root_namespace(&self.document.package, &name);
            let tree = self.document.package.get_mut(&name);
            let uri = if uri.contains("wordprocessingml") { uri } else { W_URI.to_owned() };
            tree.declare("w", &uri)
                .map_err(|why| Error::Unsupported(format!("the part `{name}`: {why}")))?;
        }
        Ok(())
    }

    pub(crate) fn warn(&mut self, text: String) {
        if !self.warnings.contains(&text) && self.warnings.len() < 50 {
            self.warnings.push(text);
        }
    }

    pub(crate) fn tree(&mut self, part: usize) -> &mut Tree {
        self.document.package.get_mut(&self.document.parts[part].name)
    }

    /// Gives an editor of the text of a paragraph.
    pub(crate) fn editor(&mut self, part: usize, paragraph: Id) -> Editor<'_> {
        let Self { document, marks, .. } = self;
        let Document { package, parts, .. } = document;
        let part = &parts[part];
        Editor {
            tree: package.get_mut(&part.name),
            paragraph,
            codes: &part.codes,
            marks,
            has_breaks: false,
        }
    }

    /// Finds a text in a paragraph that must stand there once.
    pub(crate) fn locate(
        &self,
        line: &Line,
        wanted: &str,
        occurrence: Option<u32>,
    ) -> Result<(Range<usize>, bool)> {
        if wanted.is_empty() {
            return Err(Error::Invalid("expected a text to find, got an empty one".to_owned()));
        }
        let (found, is_lenient) = diff::find_all(&line.text, wanted);
        let shown = shorten(&line.text, 120);
        let range = match (found.as_slice(), occurrence) {
            ([], _) => {
                return Err(Error::Invalid(format!(
                    "\"{}\" does not stand in the paragraph; it has \"{shown}\"",
                    shorten(wanted, 80)
                )));
            }
            (_, Some(number)) => {
                found.get((number as usize).wrapping_sub(1)).cloned().ok_or_else(|| {
                    Error::Invalid(format!(
                        "expected an occurrence from 1 to {}, got {number}",
                        found.len()
                    ))
                })?
            }
            ([one], None) => one.clone(),
            (many, None) => {
                return Err(Error::Invalid(format!(
                    "\"{}\" stands {} times in the paragraph; give more text, or `occurrence`",
                    shorten(wanted, 80),
                    many.len()
                )));
            }
        };
        Ok((range, is_lenient))
    }

    /// Warns of fields and content controls whose text is about to be changed.
    pub(crate) fn warn_about(&mut self, place: &Paragraph, line: &Line, range: &Range<usize>) {
        let touched: Vec<(Option<Id>, Option<Id>)> = line
            .pieces
            .iter()
            .filter(|it| it.deleted.is_none() && !it.text.is_empty())
            .filter(|it| it.start < range.end && it.end() > range.start)
            .map(|it| (it.field, it.control))
            .filter(|it| it.0.is_some() || it.1.is_some())
            .collect();
        if touched.is_empty() {
            return;
        }
        let anchor = self.document.anchor(place);
        for (field, control) in touched {
            if field.is_some() {
                self.warn(format!(
                    "the text at {anchor} is the result of a field, which Word writes anew when fields are updated"
                ));
            }
            let Some(control) = control else { continue };
            let tree = self.document.tree(place.part);
            let Some(properties) = tree.child(control, "sdtPr") else { continue };
            let is_bound = tree.elements(properties).any(|it| tree.local(it) == "dataBinding");
            let is_locked =
                tree.value(properties, "lock").is_some_and(|it| it.contains("ontentLocked"));
            if is_bound {
                self.warn(format!(
                    "the text at {anchor} is bound to data of the document, from which Word shows it"
                ));
            }
            if is_locked {
                self.warn(format!("the content control at {anchor} is locked against changes"));
            }
        }
    }

    /// Returns the place behind which something new comes: what the batch put behind `node` before, or `node`.
    pub(super) fn behind(&self, part: usize, node: Id) -> Id {
        let tree = self.document.tree(part);
        let last = self.behind.get(&(part, node)).copied();
        last.filter(|&it| tree.is_attached(it)).unwrap_or(node)
    }

    /// Settles what concerns the whole document.
    fn finish(&mut self) -> Result<()> {
        crate::notes::drop_unreferenced(&mut self.document, &self.notes);
        if let Some(name) = self.document.package.related("settings")?.into_iter().next()
            && let Some(tree) = self.document.package.tree(&name)?
            && let Some(root) = tree.root()
            && let Some(protection) = tree.child(root, "documentProtection")
            && tree
                .attr(protection, "enforcement")
                .is_some_and(|it| matches!(&*it, "1" | "true" | "on"))
        {
            self.warn("the document is protected against editing in Word".to_owned());
        }
        self.document.package.make_document()
    }

    /// Reports an edit of a paragraph.
    pub(crate) fn report(&self, place: &Paragraph, anchor: String, before: String) -> Done {
        let after = if self.document.tree(place.part).is_attached(place.node) {
            self.document.line(place).text
        } else {
            String::new()
        };
        Done { place: anchor, before: shorten(&before, 300), after: shorten(&after, 300) }
    }

    /// Returns the part of the body.
    pub(crate) fn is_body(&self, place: &Paragraph) -> bool {
        self.document.parts[place.part].story == Story::Body
    }
}
