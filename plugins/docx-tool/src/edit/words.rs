//! Edits within paragraphs: text, formatting, links, comments.

use super::wanted::{MAX_REPLACEMENTS, Wanted};
use super::{Batch, Done, FindMode, Format};
use crate::comments;
use crate::diff;
use crate::error::{Error, Result, invalid};
use crate::marks::keep_old;
use crate::props;
use crate::story::{Paragraph, shorten};
use crate::text::{self, Line, new_run};
use crate::xml::{Id, R_URI, escape_attr, is_xml_char};
use mitt_package::counted;
use std::ops::Range;

/// Most matches times pieces of text in one paragraph: each match reads all pieces. A page has about 1 000 pieces.
const MAX_WORK: usize = 50_000_000;

const HIGHLIGHTS: &[&str] = &[
    "black",
    "blue",
    "cyan",
    "darkBlue",
    "darkCyan",
    "darkGray",
    "darkGreen",
    "darkMagenta",
    "darkRed",
    "darkYellow",
    "green",
    "lightGray",
    "magenta",
    "none",
    "red",
    "white",
    "yellow",
];

/// A text that an edit inserted behind another one.
#[derive(Debug)]
pub(super) struct Typed {
    part: usize,
    node: Id,
    after: String,
    before: Option<String>,
    text: String,
}

impl Batch<'_> {
    pub(super) fn replace_text(
        &mut self,
        place: &Paragraph,
        find: &str,
        replacement: &str,
        occurrence: Option<u32>,
    ) -> Result<Done> {
        let line = self.document.line(place);
        let anchor = self.document.anchor(place);
        let (range, is_lenient) = self.locate(&line, find, occurrence)?;
        self.warn_about(place, &line, &range);
        self.replace_range(place, range, replacement, is_lenient);
        Ok(self.report(place, anchor, line.text))
    }

    /// Replaces the words of a range that differ, in both forms of a text box.
    pub(crate) fn replace_range(
        &mut self,
        place: &Paragraph,
        range: Range<usize>,
        new: &str,
        is_lenient: bool,
    ) {
        for node in std::iter::once(place.node).chain(place.twin) {
            let mut editor = self.editor(place.part, node);
            let line = editor.line();
            let Some(old) = line.text.get(range.clone()) else { continue };
            leave_placeholders(&mut editor, &line, &range);
            for hunk in diff::words(old, new, is_lenient).into_iter().rev() {
                let from = range.start + hunk.old.start;
                let to = range.start + hunk.old.end;
                editor.replace(from..to, &new[hunk.new]);
            }
        }
    }

    pub(super) fn insert_text(
        &mut self,
        place: &Paragraph,
        text: &str,
        after: Option<&str>,
        before: Option<&str>,
    ) -> Result<Done> {
        let line = self.document.line(place);
        let anchor = self.document.anchor(place);
        if text.is_empty() {
            return invalid("expected a text to insert, got an empty one");
        }
        let at = self.next_position(place, &line, after, before)?;
        for node in std::iter::once(place.node).chain(place.twin) {
            let mut editor = self.editor(place.part, node);
            if editor.line().text == line.text {
                editor.replace(at..at, text);
            }
        }
        if let Some(after) = after {
            self.typed.push(Typed {
                part: place.part,
                node: place.node,
                after: after.to_owned(),
                before: before.map(str::to_owned),
                text: text.chars().filter(|&it| is_xml_char(it) || it == '\u{b}').collect(),
            });
        }
        Ok(self.report(place, anchor, line.text))
    }

    /// Returns the place of a new text, which is behind what the batch inserted at the same place before.
    fn next_position(
        &self,
        place: &Paragraph,
        line: &Line,
        after: Option<&str>,
        before: Option<&str>,
    ) -> Result<usize> {
        let Some(wanted) = after else { return self.position(line, after, before) };
        let typed: String = self
            .typed
            .iter()
            .filter(|it| it.part == place.part && it.node == place.node)
            .filter(|it| it.after == wanted && it.before.as_deref() == before)
            .map(|it| it.text.replace("\r\n", "\n").replace(['\r', '\u{b}'], "\n"))
            .collect();
        let known = format!("{wanted}{typed}");
        if !typed.is_empty()
            && let Ok(at) = self.position(line, Some(&known), before)
        {
            return Ok(at);
        }
        self.position(line, after, before)
    }

    /// Returns the place behind a text, in front of one, between both, or at the end of a paragraph.
    pub(super) fn position(
        &self,
        line: &Line,
        after: Option<&str>,
        before: Option<&str>,
    ) -> Result<usize> {
        Ok(match (after, before) {
            (Some(after), None) => self.locate(line, after, None)?.0.end,
            (None, Some(before)) => self.locate(line, before, None)?.0.start,
            (None, None) => line.text.len(),
            (Some(after), Some(before)) => {
                let pair = format!("{after}{before}");
                self.locate(line, &pair, None)?.0.start + after.len()
            }
        })
    }

    pub(super) fn replace_everywhere(
        &mut self,
        find: &str,
        replacement: &str,
        mode: FindMode,
        ignores_case: bool,
    ) -> Result<Done> {
        if find.is_empty() {
            return invalid("expected a text to find, got an empty one");
        }
        let wanted = Wanted::new(find, mode, ignores_case)?;
        let mut count = 0;
        let mut paragraphs = 0;
        let mut first: Option<(String, String, Paragraph)> = None;
        for index in 0..self.document.paragraphs.len() {
            let place = self.document.paragraphs[index].clone();
            if !self.document.tree(place.part).is_attached(place.node) {
                continue;
            }
            let line = self.document.line(&place);
            let found = wanted.matches(&line.text, replacement);
            if found.is_empty() {
                continue;
            }
            let anchor = self.document.anchor(&place);
            if found.len().saturating_mul(line.pieces.len()) > MAX_WORK {
                return invalid(format!(
                    "the paragraph {anchor} has {} matches in {} pieces of text, which is too much for one edit; give more text to find",
                    found.len(),
                    line.pieces.len()
                ));
            }
            count += found.len();
            paragraphs += 1;
            if count > MAX_REPLACEMENTS {
                return invalid(format!("expected at most {MAX_REPLACEMENTS} matches, got more"));
            }
            self.prepare(place.part)?;
            for (range, new) in found.into_iter().rev() {
                self.warn_about(&place, &line, &range);
                self.replace_range(&place, range, &new, false);
            }
            if first.is_none() {
                first = Some((anchor, line.text, place));
            }
        }
        let Some((anchor, before, place)) = first else {
            self.warn(format!("\"{}\" was not found", shorten(find, 80)));
            let after = "0 replacements".to_owned();
            return Ok(Done { place: "document".to_owned(), before: String::new(), after });
        };
        let mut done = self.report(&place, anchor.clone(), before);
        let (count, paragraphs) = (counted(count, "replacement"), counted(paragraphs, "paragraph"));
        done.place = format!("{count} in {paragraphs}, first {anchor}");
        Ok(done)
    }

    pub(super) fn set_style(&mut self, place: &Paragraph, style: &str) -> Result<Done> {
        let style = self.styles.find(style, "paragraph").map_err(Error::Invalid)?.clone();
        let anchor = self.document.anchor(place);
        let mut before = String::new();
        for node in std::iter::once(place.node).chain(place.twin) {
            before = self.paragraph_style(place.part, node);
            let (tree, marks) = self.parts_of(place.part);
            let properties = props::ensure(tree, node, "pPr");
            let old = tree.copy(properties);
            let new = tree.element(&format!("<w:pStyle w:val=\"{}\"/>", escape_attr(&style.id)));
            props::put(tree, properties, new);
            if marks.is_tracked {
                keep_old(tree, properties, old, marks);
            }
        }
        Ok(Done { place: anchor, before, after: style.name })
    }

    /// Returns the name of the style of a paragraph.
    pub(crate) fn paragraph_style(&self, part: usize, node: Id) -> String {
        let tree = self.document.tree(part);
        let id = tree.child(node, "pPr").and_then(|it| tree.value(it, "pStyle"));
        let id = id.as_deref().or(self.styles.default_paragraph()).unwrap_or("");
        self.styles.get(id).map_or_else(|| id.to_owned(), |it| it.name.clone())
    }

    pub(super) fn format_text(
        &mut self,
        place: &Paragraph,
        find: &str,
        format: &Format,
    ) -> Result<Done> {
        let new = elements(format)?;
        let line = self.document.line(place);
        let anchor = self.document.anchor(place);
        let range =
            if find.is_empty() { 0..line.text.len() } else { self.locate(&line, find, None)?.0 };
        let after = new.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
        for node in std::iter::once(place.node).chain(place.twin) {
            let mut editor = self.editor(place.part, node);
            if editor.line().text != line.text {
                continue;
            }
            for run in editor.isolate(range.clone()) {
                let tree = &mut *editor.tree;
                let had = tree.child(run, "rPr").is_some();
                let properties = props::ensure(tree, run, "rPr");
                let old = if had { tree.copy(properties) } else { tree.element("<w:rPr></w:rPr>") };
                for (_, xml) in &new {
                    let element = tree.element(xml);
                    props::put(tree, properties, element);
                }
                if editor.marks.is_tracked {
                    keep_old(tree, properties, old, editor.marks);
                }
            }
        }
        let before = line.text.get(range).unwrap_or_default();
        Ok(Done { place: anchor, before: shorten(before, 300), after })
    }

    pub(super) fn link_text(&mut self, place: &Paragraph, find: &str, url: &str) -> Result<Done> {
        let scheme = url.split(':').next().unwrap_or_default().to_ascii_lowercase();
        let is_address = matches!(scheme.as_str(), "http" | "https" | "mailto" | "tel")
            && url.len() > scheme.len() + 1
            && url.len() <= 2_000
            && !url.contains(char::is_whitespace);
        if !is_address {
            return invalid(format!(
                "expected an address that begins with `https:`, `http:`, `mailto:` or `tel:`, got `{}`",
                shorten(url, 80)
            ));
        }
        let line = self.document.line(place);
        let anchor = self.document.anchor(place);
        let (range, _) = self.locate(&line, find, None)?;
        let tree = self.document.tree(place.part);
        let is_linked = |it: &&text::Piece| {
            let is_inside = it.start < range.end && it.end() > range.start;
            let has_ruby = || tree.ancestors(it.run).any(|it| tree.is(it, "rubyBase"));
            is_inside && (it.link.is_some() || it.field.is_some() || has_ruby())
        };
        if line.pieces.iter().any(|it| is_linked(&it)) {
            return invalid("the text is part of a link, a field or a phonetic guide already");
        }
        if self.marks.is_tracked {
            self.warn(
                "links are not tracked changes, so those that were added cannot be rejected"
                    .to_owned(),
            );
        }
        let part = self.document.parts[place.part].name.clone();
        let relation = self.document.package.relate(&part, "hyperlink", url, true)?;
        let strict = self.document.package.is_strict();
        let uri =
            if strict { "http://purl.oclc.org/ooxml/officeDocument/relationships" } else { R_URI };
        let style = self.styles.find("Hyperlink", "character").ok().map(|it| it.id.clone());
        for node in std::iter::once(place.node).chain(place.twin) {
            let mut editor = self.editor(place.part, node);
            if editor.line().text != line.text {
                continue;
            }
            let runs = editor.isolate(range.clone());
            let tree = &mut *editor.tree;
            let mut link: Option<Id> = None;
            for run in runs {
                // Runs in an insertion of their own have a link each.
                let parent = tree.parent(run);
                let is_marked = parent.is_some_and(|it| matches!(tree.name(it), "ins" | "moveTo"));
                let target = if is_marked { parent.unwrap_or(run) } else { run };
                let is_alone = is_marked && tree.elements(target).count() > 1;
                if is_alone {
                    return invalid(
                        "the text is part of an insertion; link all of it, or accept it first",
                    );
                }
                match link.filter(|&it| tree.next(it) == Some(target)) {
                    Some(link) => tree.append(link, target),
                    None => {
                        let new = tree.element(&format!(
                            "<w:hyperlink xmlns:r=\"{uri}\" r:id=\"{relation}\" w:history=\"1\"></w:hyperlink>"
                        ));
                        tree.wrap(target, new);
                        link = Some(new);
                    }
                }
                let properties = props::ensure(tree, run, "rPr");
                let xml = match &style {
                    Some(id) => vec![format!("<w:rStyle w:val=\"{}\"/>", escape_attr(id))],
                    None => vec![
                        "<w:color w:val=\"0563C1\"/>".to_owned(),
                        "<w:u w:val=\"single\"/>".to_owned(),
                    ],
                };
                for xml in xml {
                    let element = tree.element(&xml);
                    props::put(tree, properties, element);
                }
            }
        }
        let before = line.text.get(range).unwrap_or_default();
        Ok(Done { place: anchor, before: shorten(before, 300), after: url.to_owned() })
    }

    pub(super) fn insert_page_break(&mut self, place: &Paragraph) -> Result<Done> {
        if !self.is_body(place) || place.cell.is_some() || place.is_in_box {
            return invalid(
                "a page break can only stand in the body, outside of tables and text boxes",
            );
        }
        let anchor = self.document.anchor(place);
        let (tree, marks) = self.parts_of(place.part);
        let run = new_run(tree, None, "");
        let content = tree.element("<w:br w:type=\"page\"/>");
        tree.append(run, content);
        let run = text::inserted(tree, run, marks);
        match tree.child(place.node, "pPr") {
            Some(properties) => tree.insert_after(properties, run),
            None => tree.prepend(place.node, run),
        }
        Ok(Done { place: anchor, before: String::new(), after: "page break before it".to_owned() })
    }

    pub(super) fn add_comment(
        &mut self,
        place: &Paragraph,
        find: Option<&str>,
        text: &str,
    ) -> Result<Done> {
        if !self.is_body(place) {
            return invalid(
                "comments can only stand in the body, not in headers, footers and notes",
            );
        }
        if text.trim().is_empty() {
            return invalid("expected the text of the comment, got an empty one");
        }
        let line = self.document.line(place);
        let anchor = self.document.anchor(place);
        let range = match find.filter(|it| !it.is_empty()) {
            Some(find) => Some(self.locate(&line, find, None)?.0),
            None => None,
        };
        let id = comments::add(&mut self.document.package, text, &self.marks)?;
        let mut editor = self.editor(place.part, place.node);
        let runs = match &range {
            Some(range) => editor.isolate(range.clone()),
            None => Vec::new(),
        };
        let tree = &mut *editor.tree;
        let start = tree.element(&format!("<w:commentRangeStart w:id=\"{id}\"/>"));
        let end = tree.element(&format!("<w:commentRangeEnd w:id=\"{id}\"/>"));
        let reference = tree.element(&comments::reference_xml(&id));
        match (runs.first(), runs.last()) {
            (Some(&first), Some(&last)) => {
                tree.insert_before(first, start);
                tree.insert_after(last, end);
                // The reference is no part of a link or an insertion.
                let mut top = end;
                for above in tree.ancestors(end) {
                    if above == place.node {
                        break;
                    }
                    top = above;
                }
                tree.insert_after(top, reference);
            }
            _ => {
                match tree.child(place.node, "pPr") {
                    Some(properties) => tree.insert_after(properties, start),
                    None => tree.prepend(place.node, start),
                }
                tree.append(place.node, end);
                tree.append(place.node, reference);
            }
        }
        let on = range.and_then(|it| line.text.get(it)).unwrap_or(&line.text);
        Ok(Done {
            place: format!("comment {id} at {anchor}"),
            before: shorten(on, 300),
            after: text.to_owned(),
        })
    }
}

/// Takes the state of a placeholder from content controls whose text is replaced.
fn leave_placeholders(editor: &mut text::Editor<'_>, line: &Line, range: &Range<usize>) {
    let controls: Vec<Id> = line
        .pieces
        .iter()
        .filter(|it| it.start < range.end && it.end() > range.start)
        .filter_map(|it| it.control)
        .collect();
    for control in controls {
        let tree = &mut *editor.tree;
        if let Some(properties) = tree.child(control, "sdtPr") {
            props::remove(tree, properties, "showingPlcHdr");
        }
    }
}

/// Returns the properties of a format as XML.
fn elements(format: &Format) -> Result<Vec<(&'static str, String)>> {
    let mut out = Vec::new();
    let mut switch = |name: &'static str, tags: &[&str], value: Option<bool>| {
        for tag in tags.iter().filter(|_| value.is_some()) {
            let off = if value == Some(true) { "" } else { " w:val=\"0\"" };
            out.push((name, format!("<w:{tag}{off}/>")));
        }
    };
    switch("bold", &["b", "bCs"], format.bold);
    switch("italic", &["i", "iCs"], format.italic);
    switch("strike", &["strike"], format.strike);
    if let Some(is_on) = format.underline {
        let value = if is_on { "single" } else { "none" };
        out.push(("underline", format!("<w:u w:val=\"{value}\"/>")));
    }
    if let Some(color) = &format.color {
        let digits = color.trim_start_matches('#');
        let is_color = digits.len() == 6 && digits.bytes().all(|it| it.is_ascii_hexdigit());
        if !is_color && color != "auto" {
            return invalid(format!("expected a color such as `FF0000`, or `auto`, got `{color}`"));
        }
        let value = if is_color { digits.to_ascii_uppercase() } else { color.clone() };
        out.push(("color", format!("<w:color w:val=\"{value}\"/>")));
    }
    if let Some(highlight) = &format.highlight {
        let known = HIGHLIGHTS.iter().find(|it| it.eq_ignore_ascii_case(highlight));
        let Some(known) = known else {
            return invalid(format!(
                "expected a highlight of {}, got `{highlight}`",
                HIGHLIGHTS.join(", ")
            ));
        };
        out.push(("highlight", format!("<w:highlight w:val=\"{known}\"/>")));
    }
    if let Some(size) = format.size {
        if !(1.0..=1_638.0).contains(&size) {
            return invalid(format!("expected a size from 1 to 1638 points, got {size}"));
        }
        let half = (size * 2.0).round() as u32;
        out.push(("size", format!("<w:sz w:val=\"{half}\"/>")));
        out.push(("size", format!("<w:szCs w:val=\"{half}\"/>")));
    }
    if out.is_empty() {
        return invalid("expected at least one property of the format, got none");
    }
    out.dedup_by(|later, earlier| later.1 == earlier.1);
    Ok(out)
}

impl Batch<'_> {
    /// Gives the tree of a part, and the marks.
    pub(crate) fn parts_of(
        &mut self,
        part: usize,
    ) -> (&mut crate::xml::Tree, &mut crate::marks::Marks) {
        let Self { document, marks, .. } = self;
        (document.package.get_mut(&document.parts[part].name), marks)
    }
}
