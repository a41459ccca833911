//! Options and results for files of text processors and browsers.
//!
//! The writers themselves are `docx`, `pptx` and `html`.

use std::sync::Arc;
use std::time::Duration;

use crate::{Cancel, FillValues, Paper, Pictures, Theme};

/// Options for a Word file. Default: title, author and language of the document, its own paper or A4, no contents, no
/// creation time, no pictures, the theme `plain`.
#[derive(Clone, Debug, Default)]
pub struct DocxOptions {
    /// Title in the file's properties and in the running header. Default: that of the front matter, or the first heading.
    pub title: Option<String>,
    /// Author in the file's properties. Default: those of the front matter.
    pub author: Option<String>,
    /// Language as a BCP 47 tag. Default: that of the front matter, or found from the text.
    pub language: Option<String>,
    /// Paper size. Default: that of the front matter, or A4.
    pub paper: Option<Paper>,
    /// Puts a table of contents before the text. Its page numbers appear once Word has updated the field. The theme `report`
    /// always has one.
    pub contents: bool,
    /// Colours, fonts, sizes, margins, logo, header and footer. The layouts `letter` and `slides` are for other formats, and
    /// a template has its own looks; settings without effect give a warning.
    pub theme: Theme,
    /// Creation time in the file's properties, since 1970-01-01 00:00 UTC; `None` writes no time. The same time gives the
    /// same bytes.
    pub created: Option<Duration>,
    /// The pictures to which the document refers, and those that values of a template name.
    pub pictures: Pictures,
    /// A `.docx` or `.dotx` of at most 32 MiB, whose styles, header, footer and paper the document gets. Default: styles of
    /// our own. The text replaces `{{content}}`, or all of the template's text.
    pub template: Option<Arc<[u8]>>,
    /// Values of the template's other placeholders. `{{title}}`, `{{author}}` and `{{date}}` come from the document.
    pub values: FillValues,
    /// Word files by name, for `{{annex|document}}` in a template.
    pub documents: Vec<(String, Arc<[u8]>)>,
    /// Ends the writing early.
    pub cancel: Cancel,
}

/// A Word file.
#[derive(Clone, Debug)]
pub struct Docx {
    /// The file.
    pub bytes: Vec<u8>,
    /// Changes and losses, one sentence each, with places.
    pub warnings: Vec<String>,
}

/// Options for a web page. Default: title, author and language of the document, its own paper or A4 for printing, no
/// contents, no pictures, the theme `plain`.
#[derive(Clone, Debug, Default)]
pub struct HtmlOptions {
    /// Title of the page. Default: that of the front matter, or the first heading.
    pub title: Option<String>,
    /// Author in the page's properties. Default: those of the front matter.
    pub author: Option<String>,
    /// Language as a BCP 47 tag. Default: that of the front matter, or found from the text.
    pub language: Option<String>,
    /// Paper size for printing. Default: that of the front matter, or A4.
    pub paper: Option<Paper>,
    /// Puts a table of contents before the text.
    pub contents: bool,
    /// Colours and fonts; positions are for paper. A theme other than the default has the same colours by day and by night.
    pub theme: Theme,
    /// The pictures to which the document refers.
    pub pictures: Pictures,
    /// Ends the writing early.
    pub cancel: Cancel,
}

/// A web page: one file that needs no other and runs no scripts.
#[derive(Clone, Debug)]
pub struct Html {
    /// The file.
    pub text: String,
    /// Changes and losses, one sentence each, with places.
    pub warnings: Vec<String>,
}

/// Options for slides. Default: title, author and language of the document, no contents, no creation time, the theme
/// `plain`.
#[derive(Clone, Debug, Default)]
pub struct PptxOptions {
    /// Title in the file's properties. Default: that of the front matter, or the first heading.
    pub title: Option<String>,
    /// Author in the file's properties. Default: those of the front matter.
    pub author: Option<String>,
    /// Language as a BCP 47 tag. Default: that of the front matter, or found from the text.
    pub language: Option<String>,
    /// Puts a slide with the contents before the text, whose entries lead to their slides.
    pub contents: bool,
    /// Colours, fonts and logo. Its other settings are for paper; those without effect give a warning.
    pub theme: Theme,
    /// The pictures to which the document refers. Only those in a paragraph of their own are shown.
    pub pictures: Pictures,
    /// Creation time in the file's properties, since 1970-01-01 00:00 UTC; `None` writes no time. The same time gives the
    /// same bytes.
    pub created: Option<Duration>,
    /// Ends the writing early.
    pub cancel: Cancel,
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
