//! Options of all formats of documents, and those of files of text processors and browsers with their results.
//!
//! The writers themselves are `docx`, `pptx` and `html`; options of PDF are in `typeset`.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use crate::{Cancel, Doc, FillValues, Paper, Pictures, Theme};

/// Options that PDF, Word files, web pages and slides have in common. Default: title, author and language of the document, its
/// own paper or A4, no contents, the theme `plain`, no creation time, no pictures.
#[derive(Clone, Debug, Default)]
pub struct CommonOptions {
    /// Title in the file's properties; in PDF and Word files also in the running header. Default: that of the front matter, or
    /// the first heading.
    pub title: Option<String>,
    /// Author in the file's properties. Default: those of the front matter.
    pub author: Option<String>,
    /// Language as a BCP 47 tag. Default: that of the front matter, or found from the text.
    pub language: Option<String>,
    /// Paper size; of web pages, the one for printing. Slides ignore it. Default: that of the front matter, or A4.
    pub paper: Option<Paper>,
    /// Puts a table of contents before the text. The theme `report` always does in PDF and Word files. In a Word file, its page
    /// numbers appear once Word has updated the field; in slides, its entries lead to their slides.
    pub contents: bool,
    /// Colours, fonts, sizes, margins, logo, header and footer. Web pages use its colours and fonts, slides also its logo;
    /// settings without effect give a warning.
    pub theme: Theme,
    /// Creation time in the file's properties, since 1970-01-01 00:00 UTC. The same time gives the same bytes. `None` writes no
    /// time; in PDF, it writes 1970-01-01. Web pages have no such property.
    pub created: Option<Duration>,
    /// The pictures to which the document refers, and those that values of a template name. Slides show only those in a
    /// paragraph of their own.
    pub pictures: Pictures,
    /// Ends the writing early.
    pub cancel: Cancel,
}

impl CommonOptions {
    /// Returns the size of the paper on which `doc` is written.
    pub(crate) fn paper_of(&self, doc: &Doc) -> Paper {
        self.paper.or(doc.meta.paper).unwrap_or_default()
    }

    /// Returns the authors in the properties of a file of `doc`.
    pub(crate) fn authors_of<'a>(&'a self, doc: &'a Doc) -> Cow<'a, [String]> {
        match &self.author {
            Some(author) => Cow::Owned(vec![author.clone()]),
            None => Cow::Borrowed(&doc.meta.authors),
        }
    }
}

/// Options for a Word file. Default: those of [`CommonOptions`], no template.
///
/// The layouts `letter` and `slides` of a theme are for other formats, and a template has its own looks; settings without effect
/// give a warning.
#[derive(Clone, Debug, Default)]
pub struct DocxOptions {
    /// What all formats have in common.
    pub common: CommonOptions,
    /// A `.docx` or `.dotx` of at most 32 MiB, whose styles, header, footer and paper the document gets. Default: styles of
    /// our own. The text replaces `{{content}}`, or all of the template's text.
    pub template: Option<Arc<[u8]>>,
    /// Values of the template's other placeholders. `{{title}}`, `{{author}}` and `{{date}}` come from the document.
    pub values: FillValues,
    /// Word files by name, for `{{annex|document}}` in a template.
    pub documents: Vec<(String, Arc<[u8]>)>,
}

/// A Word file.
#[derive(Clone, Debug)]
pub struct Docx {
    /// The file.
    pub bytes: Vec<u8>,
    /// Changes and losses, one sentence each, with places.
    pub warnings: Vec<String>,
}

/// Options for a web page. Default: those of [`CommonOptions`].
///
/// A theme other than the default has the same colours by day and by night.
#[derive(Clone, Debug, Default)]
pub struct HtmlOptions {
    /// What all formats have in common.
    pub common: CommonOptions,
}

/// A web page: one file that needs no other and runs no scripts.
#[derive(Clone, Debug)]
pub struct Html {
    /// The file.
    pub text: String,
    /// Changes and losses, one sentence each, with places.
    pub warnings: Vec<String>,
}

/// Options for slides. Default: those of [`CommonOptions`].
#[derive(Clone, Debug, Default)]
pub struct PptxOptions {
    /// What all formats have in common.
    pub common: CommonOptions,
}

/// A file of slides.
#[derive(Clone, Debug)]
pub struct Pptx {
    /// The file.
    pub bytes: Vec<u8>,
    /// Number of slides.
    pub slides: usize,
    /// Changes and losses, one sentence each, with places.
    pub warnings: Vec<String>,
}
