//! New footnotes, and the deletion of notes.

use super::{Batch, Done};
use crate::comments::root_namespace;
use crate::error::{Result, invalid};
use crate::notes::{self, NoteKind};
use crate::props;
use crate::story::{Paragraph, Part, Story, shorten};
use crate::text::{self, new_run, run_xml};
use crate::xml::{Id, escape_attr};
use std::collections::HashSet;

const FOOTNOTES_TYPE: &str =
    "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml";

impl Batch<'_> {
    /// Adds a footnote behind a text, or at the end of a paragraph.
    pub(super) fn add_footnote(
        &mut self,
        place: &Paragraph,
        find: Option<&str>,
        text: &str,
    ) -> Result<Done> {
        if !self.is_body(place) || place.is_in_box {
            return invalid(
                "footnotes can only stand in the body, not in headers, footers, notes and text boxes",
            );
        }
        if text.trim().is_empty() {
            return invalid("expected the text of the footnote, got an empty one");
        }
        let line = self.document.line(place);
        let anchor = self.document.anchor(place);
        let at = match find.filter(|it| !it.is_empty()) {
            Some(find) => self.locate(&line, find, None)?.0.end,
            None => line.text.len(),
        };
        self.refuse_inside(place, &line, at)?;
        let id = self.new_footnote(text)?;
        let style = self.styles.find("footnote reference", "character").ok();
        let format = match style {
            Some(style) => format!("<w:rStyle w:val=\"{}\"/>", escape_attr(&style.id)),
            None => "<w:vertAlign w:val=\"superscript\"/>".to_owned(),
        };
        let xml = format!("<w:r><w:rPr>{format}</w:rPr><w:footnoteReference w:id=\"{id}\"/></w:r>");
        let mut editor = self.editor(place.part, place.node);
        editor.insert_run_with(at, &mut |tree, _| tree.element(&xml));
        self.notes.insert((NoteKind::Footnote, id.to_string()));
        let on = line.text.get(..at).unwrap_or_default();
        let start = on.char_indices().rev().nth(39).map_or(0, |it| it.0);
        Ok(Done {
            place: format!("footnote {id} at {anchor}"),
            before: shorten(&on[start..], 300),
            after: shorten(text, 300),
        })
    }

    /// Writes the text of a new footnote. Returns its id.
    fn new_footnote(&mut self, text: &str) -> Result<i64> {
        let part = self.footnotes()?;
        self.prepare(part)?;
        let named = |batch: &Self, name: &str, kind: &str| {
            batch.styles.find(name, kind).ok().map(|it| escape_attr(&it.id))
        };
        let properties = named(self, "footnote text", "paragraph")
            .map_or_else(String::new, |id| format!("<w:pPr><w:pStyle w:val=\"{id}\"/></w:pPr>"));
        let format = match named(self, "footnote reference", "character") {
            Some(id) => format!("<w:rStyle w:val=\"{id}\"/>"),
            None => "<w:vertAlign w:val=\"superscript\"/>".to_owned(),
        };
        let (tree, marks) = self.parts_of(part);
        let Some(root) = tree.root() else { return invalid("the part of footnotes is empty") };
        let ids = tree.elements(root).filter_map(|it| tree.attr(it, "id")?.parse::<i64>().ok());
        let id = ids.filter(|it| *it < i64::from(i32::MAX)).max().unwrap_or(0).max(0) + 1;
        let mut content = String::new();
        for (number, line) in text.split('\n').enumerate() {
            let mut runs = String::new();
            if number == 0 {
                runs.push_str(&format!("<w:r><w:rPr>{format}</w:rPr><w:footnoteRef/></w:r>"));
            }
            let space = if number == 0 { " " } else { "" };
            let line = format!("{space}{}", line.trim_end_matches('\r'));
            runs.push_str(&format!("<w:r>{}</w:r>", run_xml(&line, false)));
            let runs = if marks.is_tracked {
                format!("<w:ins {}>{runs}</w:ins>", marks.attributes())
            } else {
                runs
            };
            content.push_str(&format!("<w:p>{properties}{runs}</w:p>"));
        }
        let note = tree.element(&format!("<w:footnote w:id=\"{id}\">{content}</w:footnote>"));
        tree.append(root, note);
        Ok(id)
    }

    /// Returns the part of the footnotes, which is made if there is none.
    fn footnotes(&mut self) -> Result<usize> {
        if let Some(part) = self.document.parts.iter().position(|it| it.story == Story::Footnote) {
            return Ok(part);
        }
        let package = &mut self.document.package;
        let main = package.main.clone();
        let uri = root_namespace(package, &main);
        let folder = package.folder().to_owned();
        let name = if !package.has(&format!("{folder}footnotes.xml")) {
            format!("{folder}footnotes.xml")
        } else {
            package.free_name(&format!("{folder}footnotes"), ".xml")
        };
        let line = |kind: &str, id: i32, element: &str| {
            format!(
                "<w:footnote w:type=\"{kind}\" w:id=\"{id}\"><w:p><w:pPr><w:spacing w:after=\"0\" w:line=\"240\" w:lineRule=\"auto\"/></w:pPr><w:r><w:{element}/></w:r></w:p></w:footnote>"
            )
        };
        let xml = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<w:footnotes xmlns:w=\"{uri}\">{}{}</w:footnotes>",
            line("separator", -1, "separator"),
            line("continuationSeparator", 0, "continuationSeparator")
        );
        package.add_xml(&name, &xml, FOOTNOTES_TYPE)?;
        let target = name.strip_prefix(&folder).unwrap_or(&name).to_owned();
        package.relate(&main, "footnotes", &target, false)?;
        let tree = self.settings()?;
        if let Some(root) = tree.root()
            && tree.child(root, "footnotePr").is_none()
        {
            let new = tree.element(
                "<w:footnotePr><w:footnote w:id=\"-1\"/><w:footnote w:id=\"0\"/></w:footnotePr>",
            );
            props::put(tree, root, new);
        }
        let part = self.document.parts.len();
        self.document.parts.push(Part { name, story: Story::Footnote, codes: HashSet::new() });
        Ok(part)
    }

    /// Deletes a note with its references. With tracking, the references are marked, and the text goes when that is accepted.
    pub(super) fn delete_note(&mut self, name: &str) -> Result<Done> {
        let (kind, id) = notes::named(&self.document, name)?;
        let found = notes::find(&self.document, kind, &id);
        let before = match found {
            Some((part, node)) => crate::story::container_text(
                self.document.tree(part),
                node,
                &self.document.parts[part].codes,
                text::View::Accepted,
            ),
            None => String::new(),
        };
        let references: Vec<_> = notes::references(&self.document)
            .into_iter()
            .filter(|it| it.kind == kind && it.id == id)
            .collect();
        for it in &references {
            self.prepare(it.part)?;
            let (tree, marks) = self.parts_of(it.part);
            let Some(run) = tree.parent(it.node).filter(|&run| tree.is(run, "r")) else {
                tree.detach(it.node);
                continue;
            };
            let run = alone(tree, run, it.node);
            text::delete_run_as(tree, run, "del", marks);
        }
        if references.is_empty() && self.marks.is_tracked {
            self.warn(format!("nothing refers to {} {id}, so its text was removed", kind.name()));
        }
        // The text goes at the end of the batch, if nothing refers to it then.
        if references.is_empty()
            && let Some((part, node)) = found
        {
            self.tree(part).detach(node);
        }
        Ok(Done {
            place: format!("{} {id}", NoteKind::name(kind)),
            before: shorten(before.trim(), 300),
            after: String::new(),
        })
    }
}

/// Splits a run so that an element stands in it alone. Returns the run of the element.
fn alone(tree: &mut crate::xml::Tree, run: Id, node: Id) -> Id {
    let others = |tree: &crate::xml::Tree, run: Id| {
        tree.elements(run).any(|it| it != node && !tree.is(it, "rPr"))
    };
    if !others(tree, run) {
        return run;
    }
    let format = tree.child(run, "rPr");
    let own = new_run(tree, None, "");
    let rest = tree.copy_shallow(run);
    for target in [own, rest] {
        if let Some(format) = format {
            let copy = tree.copy(format);
            tree.append(target, copy);
        }
    }
    let mut next = tree.next(node);
    while let Some(it) = next {
        next = tree.next(it);
        tree.append(rest, it);
    }
    tree.append(own, node);
    tree.insert_after(run, own);
    if tree.elements(rest).any(|it| !tree.is(it, "rPr")) {
        tree.insert_after(own, rest);
    }
    if tree.elements(run).all(|it| tree.is(it, "rPr")) {
        tree.detach(run);
    }
    own
}
