//! Uses a foreign Word file as a template: its styles, header, footer, logo and paper stay, values replace its marks, and a
//! document goes to its place.
//!
//! The file is untrusted: `package` checks it before anything is unpacked, `tree` limits what is read of it. Unchanged parts
//! are copied in their compressed form; unknown elements of a part stay as they are written.

mod columns;
mod combine;
mod copies;
mod dress;
mod fields;
mod fill;
mod filler;
mod insert;
mod insertion;
mod lists;
mod merge;
mod merge_fields;
mod package;
mod paragraph;
mod pictures;
mod restart;
mod styles;
#[cfg(test)]
mod tests;
mod tree;

use self::dress::Model;
use self::filler::{CONTENT, Filler};
use self::lists::Restarts;
use self::merge::Merging;
use self::merge_fields::MergeFields;
use self::package::Package;
use self::pictures::Placed;
use self::tree::{Element, Node};
use super::frame::Area;
use crate::model::doc::Doc;
use crate::shared::outline::title;
use crate::shared::template::scope::Scope;
use crate::shared::template::{evaluate, foreign, format, marks, scope};
use crate::{Docx, DocxOptions, FillValue, FillValues, Theme};
use mitt_base::{Error, ErrorKind, Result};

/// Fills a Word template.
pub(crate) fn fill_docx(
    template: &[u8],
    values: &FillValues,
    content: Option<&Doc>,
    options: &DocxOptions,
) -> Result<Docx> {
    let none = FillValues::new();
    let filling = Filling { template, values, more: &none, content, options, replaces: false };
    filling.fill()
}

/// Writes a document into a template: in place of `{{content}}`, or of all its text. Title, authors and date of the document
/// are values as well.
pub(super) fn with_template(doc: &Doc, template: &[u8], options: &DocxOptions) -> Result<Docx> {
    let mut more = FillValues::new();
    let mut add = |name: &str, text: Option<String>| {
        if let Some(text) = text.filter(|text| !text.trim().is_empty()) {
            more.set(name, FillValue::Text(text));
        }
    };
    add("title", title(doc, options.common.title.as_deref()));
    let authors = doc.meta.authors.join(", ");
    add("author", options.common.author.clone().or(Some(authors)));
    add("date", doc.meta.date.clone());
    let (values, content) = (&options.values, Some(doc));
    Filling { template, values, more: &more, content, options, replaces: true }.fill()
}

/// Returns the names of the files that a filling inserts.
pub(crate) fn docx_files(
    template: &[u8],
    values: &FillValues,
    options: &DocxOptions,
) -> Result<Vec<String>> {
    let none = FillValues::new();
    let mut package = Package::open(template)?;
    let scope = Scope::new(values, &none);
    let mut fields = MergeFields::new(scope.names());
    let mut filler = Filler::new(scope, None, pictures::gallery(options), &options.common.cancel);
    filler.files = Some(std::collections::BTreeSet::new());
    for (name, called) in package.text_parts() {
        filler.part = called;
        let mut tree = package.tree(&name)?;
        if may_insert(&tree.root) {
            fields.replace_with_marks(&mut tree.root);
            filler.element(&mut tree.root, false)?;
        }
    }
    let documents = filler.inserted.iter().filter_map(|it| it.file.clone());
    let mut names = filler.files.take().unwrap_or_default();
    names.extend(documents);
    Ok(names.into_iter().collect())
}

/// Returns `true` if a paragraph of a part has a mark with a line, or a drawing a mark as its alternative text.
fn may_insert(root: &Element) -> bool {
    let mut found = false;
    root.visit(&mut |element| {
        found |= match element.name.as_str() {
            "w:p" => paragraph::text_of(element).contains(['|', '｜']),
            "wp:docPr" => element.get("descr").is_some_and(|it| it.contains("{{")),
            _ => false,
        };
    });
    found
}

struct Filling<'a> {
    template: &'a [u8],
    values: &'a FillValues,
    /// Values that the template need not use.
    more: &'a FillValues,
    content: Option<&'a Doc>,
    options: &'a DocxOptions,
    /// `true` if the content replaces all text of a template without a place for it.
    replaces: bool,
}

impl Filling<'_> {
    fn fill(&self) -> Result<Docx> {
        self.options.common.cancel.check()?;
        let mut package = Package::open(self.template)?;
        let main_name = package.main.clone();
        let mut main = package.tree(&main_name)?;
        merge::check_main(&main.root)?;
        let mut warnings = Vec::new();
        if self.options.common.theme != Theme::default() {
            warnings.push("the theme is left out: the template has looks of its own".to_owned());
        }
        let model = Model::of(&main.root);
        let mut blocks = None;
        if let Some(doc) = self.content {
            let has_place = has_place(&main.root);
            if !has_place && !self.replaces {
                let message = format!(
                    "template: it has no paragraph `{{{{{CONTENT}}}}}` for the text that was given"
                );
                return Err(Error::new(ErrorKind::Arguments, message)
                    .hint("put `{{content}}` into a paragraph of its own, or give no text"));
            }
            let width = merge::text_width(&main.root);
            let area = Area { width, has_title: !names_title(&main.root) };
            let written = super::plain(doc, self.options, Some(area))?;
            warnings.extend(written.warnings);
            let merging = Merging { mark: "M", is_foreign: false, has_properties: true };
            let merged = merge::merge(&mut package, &mut main, &written.bytes, &merging)?.blocks;
            self.options.common.cancel.check()?;
            if !has_place {
                merge::clear_body(&mut main.root);
                put_first(&mut main.root, merged);
            } else {
                blocks = Some(merged);
            }
        }
        let scope = Scope::new(self.values, self.more);
        let mut fields = MergeFields::new(scope.names());
        let gallery = pictures::gallery(self.options);
        let mut filler = Filler::new(scope, blocks, gallery, &self.options.common.cancel);
        filler.restarts = Restarts::of(&mut package)?;
        if let Some(width) = merge::text_width(&main.root) {
            filler.width = width;
        }
        let mut placed = Placed::default();
        let mut has_marks = false;
        // In that case the main part is our own text, in which nothing is a mark.
        let is_replaced = self.content.is_some() && filler.content.is_none();
        for (name, called) in package.text_parts() {
            filler.part = called;
            if name == main_name {
                if !is_replaced {
                    fields.replace_with_marks(&mut main.root);
                    has_marks |= contains_marks(&main.root);
                    filler.element(&mut main.root, false)?;
                }
                continue;
            }
            let mut tree = package.tree(&name)?;
            let before = tree.to_xml();
            fields.replace_with_marks(&mut tree.root);
            has_marks |= contains_marks(&tree.root);
            filler.element(&mut tree.root, false)?;
            placed.finish(&mut package, (&name, &mut tree.root), filler.gallery.all())?;
            let after = tree.to_xml();
            if before != after {
                package.set(&name, after.into_bytes());
            }
        }
        if let Some(problems) = filler.scope.problems() {
            let hint =
                "give every name of the template a value; an empty text leaves its place empty";
            return Err(
                Error::new(ErrorKind::Arguments, format!("template: {problems}")).hint(hint)
            );
        }
        if !has_marks && !is_replaced && !filler.foreign.is_empty() {
            let message = format!(
                "template: it has no mark of Mitt, and what looks like marks of another program: {}",
                filler.foreign.join(", ")
            );
            return Err(Error::new(ErrorKind::Arguments, message)
                .hint("write the marks as `{{name}}`, `{{#items}}` and `{{/items}}`"));
        }
        filler.restarts.finish(&mut package)?;
        let combined =
            combine::combine(&mut filler, &mut package, &mut main, (self.options, &model))?;
        warnings.extend(combined);
        placed.finish(&mut package, (&main_name, &mut main.root), filler.gallery.all())?;
        package.set(&main_name, main.to_xml().into_bytes());
        warnings.append(&mut filler.warnings);
        warnings.append(&mut package.warnings);
        warnings.extend(filler.scope.unused());
        warnings.extend(fields.warning());
        for (what, list) in [
            ("control characters are left out of the values of", &filler.cleaned),
            ("looks like a mark of the template, but is none", &filler.almost),
            ("looks like a mark of another program, and is left as it stands", &filler.foreign),
        ] {
            if !list.is_empty() {
                warnings.push(format!("{what}: {}", list.join(", ")));
            }
        }
        self.options.common.cancel.check()?;
        Ok(Docx { bytes: package.pack()?, warnings })
    }
}

/// Returns `true` if a paragraph of the text is the place for the content.
fn has_place(root: &Element) -> bool {
    let mut found = false;
    root.visit(&mut |element| {
        found |= element.is("w:p")
            && paragraph::text_of(element).trim().replace(' ', "") == "{{content}}";
    });
    found
}

/// Returns `true` if a paragraph has a mark.
fn contains_marks(root: &Element) -> bool {
    let mut found = false;
    root.visit(&mut |element| {
        if !found && element.is("w:p") {
            let full_text = paragraph::text_of(element);
            found = full_text.contains("{{") && !marks::marks(&full_text).is_empty();
        }
    });
    found
}

/// Returns `true` if the text of the template contains the title.
fn names_title(root: &Element) -> bool {
    let mut found = false;
    root.visit(&mut |element| {
        if element.is("w:p") {
            let full_text = paragraph::text_of(element);
            found |=
                marks::marks(&full_text).iter().any(|it| it.mark == marks::Mark::Value("title"));
        }
    });
    found
}

fn put_first(root: &mut Element, blocks: Vec<Node>) {
    if let Some(body) = root.find_mut("w:body") {
        body.children.splice(0..0, blocks);
    }
}
