//! New fields: page numbers, dates, references and tables of contents.

use super::{Batch, Done, Where, place_new};
use crate::error::{Error, Result, invalid};
use crate::story::{Paragraph, shorten};
use crate::text::{self, Line, run_xml};
use crate::xml::{Id, Tree, escape, escape_attr};
use mitt_package::either;
use std::collections::HashSet;

/// Most entries of a table of contents that are written. Word writes the rest when it updates it.
const MAX_ENTRIES: usize = 1_000;
/// Levels of headings in a table of contents, as Word has by default.
const MAX_LEVEL: u8 = 3;

/// A new field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NewField {
    Page,
    Pages,
    Date,
    Contents,
    /// A reference to a paragraph, by its anchor.
    Reference(String),
}

impl NewField {
    /// Reads `PAGE`, `NUMPAGES`, `DATE`, `TOC` or `REF p12-3fa9`.
    ///
    /// # Errors
    /// One sentence with what there is.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut words = text.split_whitespace();
        let kind = words.next().unwrap_or_default().to_ascii_uppercase();
        let found = match (kind.as_str(), words.next(), words.next()) {
            ("PAGE", None, _) => Some(Self::Page),
            ("NUMPAGES", None, _) => Some(Self::Pages),
            ("DATE", None, _) => Some(Self::Date),
            ("TOC", None, _) => Some(Self::Contents),
            ("REF", Some(anchor), None) => Some(Self::Reference(anchor.to_owned())),
            _ => None,
        };
        found.ok_or_else(|| {
            format!(
                "expected a field of `PAGE`, `NUMPAGES`, `DATE`, `TOC`, or `REF` with the anchor of a heading such as `REF p12-3fa9`, got `{}`",
                shorten(text, 60)
            )
        })
    }
}

impl Batch<'_> {
    pub(super) fn insert_field(
        &mut self,
        place: &Paragraph,
        field: &NewField,
        target: Option<&Paragraph>,
        after: Option<&str>,
        before: Option<&str>,
    ) -> Result<Done> {
        if *field == NewField::Contents {
            return self.insert_contents(place);
        }
        let anchor = self.document.anchor(place);
        let line = self.document.line(place);
        let at = self.position(&line, after, before)?;
        self.refuse_inside(place, &line, at)?;
        let (instruction, result) = match (field, target) {
            (NewField::Page, _) => ("PAGE".to_owned(), "1".to_owned()),
            (NewField::Pages, _) => ("NUMPAGES".to_owned(), "1".to_owned()),
            (NewField::Reference(_), Some(target)) => {
                let is_there = self.document.tree(target.part).is_attached(target.node)
                    && !self.removed.contains(&(target.part, target.node));
                let text = self.document.line(target).text;
                if !is_there || text.trim().is_empty() {
                    return invalid(
                        "the paragraph to refer to has no text, or an earlier edit removed it",
                    );
                }
                (format!("REF {} \\h", self.bookmark(target)?), text)
            }
            _ => {
                let day = self.marks.date.as_deref().and_then(|it| it.get(..10)).unwrap_or("");
                ("DATE \\@ \"yyyy-MM-dd\"".to_owned(), day.to_owned())
            }
        };
        for node in std::iter::once(place.node).chain(place.twin) {
            let mut editor = self.editor(place.part, node);
            if editor.line().text != line.text {
                continue;
            }
            let begin = editor.insert_run_with(at, &mut |tree, like| {
                let run = text::new_run(tree, like, "");
                let mark = tree.element("<w:fldChar w:fldCharType=\"begin\" w:dirty=\"true\"/>");
                tree.append(run, mark);
                run
            });
            let tree = &mut *editor.tree;
            let rest = tree.fragment(&rest_of_field(&instruction, &result));
            if let Some(properties) = tree.child(begin, "rPr") {
                for &run in &rest {
                    let copy = tree.copy(properties);
                    tree.prepend(run, copy);
                }
            }
            tree.insert_all_after(begin, &rest);
        }
        self.warn_of_update();
        let mut done = self.report(place, anchor, line.text);
        done.place = format!("field {} at {}", shorten(&instruction, 60), done.place);
        Ok(done)
    }

    /// Lets Word update all fields when it opens the document.
    pub(super) fn update_fields(&mut self) -> Result<Done> {
        let tree = self.settings()?;
        if let Some(root) = tree.root() {
            let new = tree.element("<w:updateFields w:val=\"true\"/>");
            crate::props::put(tree, root, new);
        }
        self.warn(
            "fields show their old text until Word updates them; when it opens the file, it asks whether to"
                .to_owned(),
        );
        let after = "all fields are updated when Word opens the file".to_owned();
        Ok(Done { place: "document".to_owned(), before: String::new(), after })
    }

    fn warn_of_update(&mut self) {
        self.warn(
            "what the new fields show is preliminary until Word updates them, which it does when it opens or prints the file"
                .to_owned(),
        );
    }

    /// Refuses a place within a field, or within a content control that has plain text only.
    pub(super) fn refuse_inside(&self, place: &Paragraph, line: &Line, at: usize) -> Result<()> {
        let tree = self.document.tree(place.part);
        let visible =
            || line.pieces.iter().filter(|it| it.deleted.is_none() && !it.text.is_empty());
        let before = visible().rev().find(|it| it.start < at);
        let after = visible().find(|it| it.end() > at);
        let (Some(before), Some(after)) = (before, after) else { return Ok(()) };
        if before.field.is_some() && before.field == after.field {
            return invalid("the place is within a field, whose text Word writes anew");
        }
        if let Some(control) = before.control.filter(|&it| after.control == Some(it))
            && crate::controls::read(tree, control).kind != crate::controls::ControlKind::RichText
        {
            return invalid("the place is within a content control, which has text only");
        }
        Ok(())
    }

    /// Returns the bookmark around the text of a paragraph, which a reference names. It is made if there is none.
    fn bookmark(&mut self, target: &Paragraph) -> Result<String> {
        if !self.is_body(target) || target.is_in_box {
            return invalid("a reference needs a heading of the body");
        }
        self.prepare(target.part)?;
        let (tree, marks) = self.parts_of(target.part);
        let names: HashSet<String> = match tree.root() {
            Some(root) => tree
                .descendants(root)
                .filter(|&it| tree.is(it, "bookmarkStart"))
                .filter_map(|it| tree.attr(it, "name"))
                .map(|it| it.into_owned())
                .collect(),
            None => HashSet::new(),
        };
        let own = tree
            .elements(target.node)
            .filter(|&it| tree.is(it, "bookmarkStart"))
            .filter(|&it| is_whole(tree, target.node, it))
            .find_map(|it| tree.attr(it, "name").filter(|it| it.starts_with("_Ref")));
        if let Some(name) = own {
            return Ok(name.into_owned());
        }
        let mut number = 400_000_000_u32;
        while names.contains(&format!("_Ref{number}")) {
            number += 1;
        }
        let (name, id) = (format!("_Ref{number}"), marks.id());
        let start = tree.element(&format!("<w:bookmarkStart w:id=\"{id}\" w:name=\"{name}\"/>"));
        let end = tree.element(&format!("<w:bookmarkEnd w:id=\"{id}\"/>"));
        match tree.child(target.node, "pPr") {
            Some(properties) => tree.insert_after(properties, start),
            None => tree.prepend(target.node, start),
        }
        tree.append(target.node, end);
        Ok(name)
    }

    /// Inserts a table of contents in front of a paragraph.
    fn insert_contents(&mut self, place: &Paragraph) -> Result<Done> {
        if !self.is_body(place) || place.cell.is_some() || place.is_in_box {
            return invalid(
                "a table of contents can only stand in the body, outside of tables and text boxes",
            );
        }
        let anchor = self.document.anchor(place);
        let mut entries = Vec::new();
        for paragraph in &self.document.paragraphs {
            if self.document.parts[paragraph.part].story != crate::story::Story::Body
                || paragraph.is_in_box
                || paragraph.cell.is_some()
            {
                continue;
            }
            let tree = self.document.tree(paragraph.part);
            if !tree.is_attached(paragraph.node) {
                continue;
            }
            let level = self.styles.heading_of(tree, paragraph.node);
            if let Some(level) = level.filter(|it| *it <= MAX_LEVEL) {
                let text = self.document.line(paragraph).text;
                if !text.trim().is_empty() {
                    entries.push((level, text));
                }
            }
        }
        if entries.is_empty() {
            return invalid("the document has no headings for a table of contents");
        }
        if entries.len() > MAX_ENTRIES {
            self.warn(format!("only the first {MAX_ENTRIES} headings stand in the table of contents until Word updates it"));
            entries.truncate(MAX_ENTRIES);
        }
        let mut at = place.node;
        let count = entries.len();
        for (number, (level, text)) in entries.iter().enumerate() {
            let style = self.styles.find(&format!("toc {level}"), "paragraph").ok();
            let properties = match style {
                Some(style) => {
                    format!("<w:pPr><w:pStyle w:val=\"{}\"/></w:pPr>", escape_attr(&style.id))
                }
                None => {
                    let indent = 220 * u32::from(level - 1);
                    format!("<w:pPr><w:ind w:left=\"{indent}\"/></w:pPr>")
                }
            };
            let mut runs = String::new();
            if number == 0 {
                runs.push_str("<w:r><w:fldChar w:fldCharType=\"begin\" w:dirty=\"true\"/></w:r>");
                runs.push_str(&instruction_xml(&format!("TOC \\o \"1-{MAX_LEVEL}\" \\h \\z \\u")));
                runs.push_str("<w:r><w:fldChar w:fldCharType=\"separate\"/></w:r>");
            }
            runs.push_str(&format!("<w:r>{}</w:r>", run_xml(text, false)));
            if number + 1 == count {
                runs.push_str("<w:r><w:fldChar w:fldCharType=\"end\"/></w:r>");
            }
            let (tree, marks) = self.parts_of(place.part);
            let content = if marks.is_tracked {
                format!("<w:ins {}>{runs}</w:ins>", marks.attributes())
            } else {
                runs
            };
            let new = tree.element(&format!("<w:p>{properties}{content}</w:p>"));
            let side = if number == 0 { Where::Before } else { Where::After };
            place_new(tree, at, side, new, "ins", marks);
            at = new;
        }
        self.warn(
            "the table of contents has no page numbers until Word updates it, which it does when it opens the file"
                .to_owned(),
        );
        let after = format!("table of contents with {count} {}", either(count, "entry", "entries"));
        Ok(Done { place: format!("before {anchor}"), before: String::new(), after })
    }
}

/// Returns `true` if nothing with text stands outside of a bookmark of a paragraph.
fn is_whole(tree: &Tree, paragraph: Id, start: Id) -> bool {
    let id = tree.attr(start, "id");
    let mut is_inside = false;
    for it in tree.elements(paragraph) {
        if it == start {
            is_inside = true;
        } else if tree.is(it, "bookmarkEnd") && tree.attr(it, "id") == id {
            is_inside = false;
        } else if !is_inside && matches!(tree.name(it), "r" | "ins" | "hyperlink" | "sdt") {
            return false;
        }
    }
    true
}

fn instruction_xml(instruction: &str) -> String {
    format!(
        "<w:r><w:instrText xml:space=\"preserve\"> {} </w:instrText></w:r>",
        escape(instruction)
    )
}

/// Writes a field without its begin.
fn rest_of_field(instruction: &str, result: &str) -> String {
    let result = if result.is_empty() {
        String::new()
    } else {
        format!("<w:r>{}</w:r>", run_xml(result, false))
    };
    format!(
        "{}<w:r><w:fldChar w:fldCharType=\"separate\"/></w:r>{result}<w:r><w:fldChar w:fldCharType=\"end\"/></w:r>",
        instruction_xml(instruction)
    )
}

/// Reads a field and reports a mistake as one of its argument.
pub(super) fn parse(text: &str) -> Result<NewField> {
    NewField::parse(text).map_err(Error::Invalid)
}
