//! A Word file of somebody else as a template: its styles, header, footer, logo and paper stay, values come to its marks, and a
//! document to the place that it has for one.
//!
//! The file is foreign: `package` looks at it before anything is unpacked, `tree` bounds what is read of it. Parts that nothing here
//! changes are carried over as they are packed; what a part has that nothing here understands stays as it is written.

mod fields;
mod fill;
mod format;
mod marks;
mod merge;
mod merge_fields;
mod package;
mod paragraph;
mod scope;
mod styles;
#[cfg(test)]
mod tests;
mod tree;

use self::fill::{CONTENT, Filler};
use self::merge_fields::MergeFields;
use self::package::Package;
use self::scope::Scope;
use self::tree::{Element, Node};
use super::frame::Area;
use crate::doc::Doc;
use crate::outline::title;
use crate::{Docx, DocxOptions, FillValue, FillValues, Theme};
use mitt_base::{Error, ErrorKind, Result};

/// Fill a Word template: values for its `{{name}}`, and `content`, if there is any, where `{{content}}` stands alone in a paragraph.
///
/// Marks are found however Word has split them into runs, in the text, in tables and text boxes, in headers, footers and notes. What
/// stands between paragraphs or rows `{{#items}}` and `{{/items}}` is repeated for each item; a row of a table whose cells name
/// `{{items.price}}` is repeated by itself; `{{^items}}` begins what is there if there are none. `{{@number}}` is the number of the
/// item. `{{price|#,##0.00}}` writes a number or date in a format. A merge field of Word (`MERGEFIELD price \\# "#,##0.00"`) whose name has a
/// value is filled like a mark. Parts that are not understood are carried over byte for byte. The bytes depend on nothing but the arguments.
///
/// # Errors
///
/// [`ErrorKind::Arguments`] - names of the template have no value, all of them named at once; a mark without an end; a list
/// where one value is wanted; a value that does not go with its format; more than 500 000 elements or 64 MiB of text in the result.
/// [`ErrorKind::Input`] - the template is no `.docx` or `.dotx`, has macros, a signature, a password, references to other files, is
/// broken or hostile, or is larger than 32 MiB.
/// [`ErrorKind::Disabled`] - this build has no writer (feature `docx`).
/// [`ErrorKind::Host`] - it was cancelled.
pub fn fill_docx(
    template: &[u8],
    values: &FillValues,
    content: Option<&Doc>,
    options: &DocxOptions,
) -> Result<Docx> {
    let none = FillValues::new();
    let filling = Filling { template, values, more: &none, content, options, replaces: false };
    filling.fill()
}

/// Write a document into a template: where `{{content}}` stands, or in place of its text. Title, authors and date of the document are
/// values too.
pub(super) fn with_template(doc: &Doc, template: &[u8], options: &DocxOptions) -> Result<Docx> {
    let mut more = FillValues::new();
    let mut add = |name: &str, text: Option<String>| {
        if let Some(text) = text.filter(|text| !text.trim().is_empty()) {
            more.set(name, FillValue::Text(text));
        }
    };
    add("title", title(doc, options.title.as_deref()));
    let authors = doc.meta.authors.join(", ");
    add("author", options.author.clone().or(Some(authors)));
    add("date", doc.meta.date.clone());
    let (values, content) = (&options.values, Some(doc));
    Filling { template, values, more: &more, content, options, replaces: true }.fill()
}

struct Filling<'a> {
    template: &'a [u8],
    values: &'a FillValues,
    /// Values that need no place.
    more: &'a FillValues,
    content: Option<&'a Doc>,
    options: &'a DocxOptions,
    /// Whether the content takes the place of the text where it has none.
    replaces: bool,
}

impl Filling<'_> {
    fn fill(&self) -> Result<Docx> {
        self.options.cancel.check()?;
        let mut package = Package::open(self.template)?;
        let main_name = package.main.clone();
        let mut main = package.tree(&main_name)?;
        merge::check_main(&main.root)?;
        let mut warnings = Vec::new();
        if self.options.theme != Theme::default() {
            warnings.push("the theme is left out: the template has looks of its own".to_owned());
        }
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
            let merged = merge::merge(&mut package, &mut main, &written.bytes)?;
            self.options.cancel.check()?;
            if !has_place {
                merge::clear_body(&mut main.root);
                put_first(&mut main.root, merged);
            } else {
                blocks = Some(merged);
            }
        }
        let scope = Scope::new(self.values, self.more);
        let mut fields = MergeFields::new(scope.names());
        let mut filler = Filler::new(scope, blocks, &self.options.cancel);
        // The text that came in has been written already: what looks like a mark in it is none.
        let is_replaced = self.content.is_some() && filler.content.is_none();
        for (name, called) in package.text_parts() {
            filler.part = called;
            if name == main_name {
                if !is_replaced {
                    fields.replace_with_marks(&mut main.root);
                    filler.element(&mut main.root, false)?;
                }
                continue;
            }
            let mut tree = package.tree(&name)?;
            let before = tree.to_xml();
            fields.replace_with_marks(&mut tree.root);
            filler.element(&mut tree.root, false)?;
            let after = tree.to_xml();
            if before != after {
                package.set(&name, after.into_bytes());
            }
        }
        package.set(&main_name, main.to_xml().into_bytes());
        if let Some(problems) = filler.scope.problems() {
            let hint =
                "give every name of the template a value; an empty text leaves its place empty";
            return Err(
                Error::new(ErrorKind::Arguments, format!("template: {problems}")).hint(hint)
            );
        }
        warnings.append(&mut package.warnings);
        warnings.extend(filler.scope.unused());
        warnings.extend(fields.warning());
        for (what, list) in [
            ("control characters are left out of the values of", &filler.cleaned),
            ("looks like a mark of the template, but is none", &filler.almost),
        ] {
            if !list.is_empty() {
                warnings.push(format!("{what}: {}", list.join(", ")));
            }
        }
        self.options.cancel.check()?;
        Ok(Docx { bytes: package.pack()?, warnings })
    }
}

/// Whether some paragraph of the text is the place for the content.
fn has_place(root: &Element) -> bool {
    let mut found = false;
    root.visit(&mut |element| {
        found |= element.is("w:p")
            && paragraph::text_of(element).trim().replace(' ', "") == "{{content}}";
    });
    found
}

/// Whether the text of the template says the title.
fn names_title(root: &Element) -> bool {
    let mut found = false;
    root.visit(&mut |element| {
        if element.is("w:p") {
            let said = paragraph::text_of(element);
            found |= marks::marks(&said).iter().any(|it| it.mark == marks::Mark::Value("title"));
        }
    });
    found
}

fn put_first(root: &mut Element, blocks: Vec<Node>) {
    if let Some(body) = root.find_mut("w:body") {
        body.children.splice(0..0, blocks);
    }
}
