//! Documents as files of text processors and browsers, as whoever wants one sees it: what is asked for, and what comes back.
//!
//! Does not know how they are written; that is `docx` and `html`.

use std::sync::Arc;
use std::time::Duration;

use super::{Cancel, FillValues, Paper, Pictures, Theme};

/// How a document is written as a Word file. Default: title, author and language of the document itself, its own paper or A4,
/// no contents, no creation
/// time, no pictures, the theme `plain`.
#[derive(Clone, Debug, Default)]
pub struct DocxOptions {
    /// Title in the file's properties and in the running header; none takes that of the front matter, or the first heading.
    pub title: Option<String>,
    /// Author in the file's properties; none takes those of the front matter.
    pub author: Option<String>,
    /// Language as a BCP 47 tag; none takes that of the front matter, or finds it from the text.
    pub language: Option<String>,
    /// Paper size; none takes that of the front matter, or A4.
    pub paper: Option<Paper>,
    /// Put a table of contents before the text. Its page numbers are there when Word has updated the field. The theme `report` does
    /// without being asked.
    pub contents: bool,
    /// Colours, fonts, sizes, margins, logo, header and footer. The layouts `letter` and `slides` are for other formats, and a template
    /// has looks of its own; what has no effect is told.
    pub theme: Theme,
    /// Creation time in the file's properties, since 1970-01-01 00:00 UTC; none writes no time. The same time gives the same
    /// bytes.
    pub created: Option<Duration>,
    /// The pictures that it names.
    pub pictures: Pictures,
    /// A `.docx` or `.dotx`, at most 32 MiB, whose styles, header, footer and paper the document gets; none has those of our own. The
    /// text comes where `{{content}}` stands, or in place of its text.
    pub template: Option<Arc<[u8]>>,
    /// Values of the template's other places. `{{title}}`, `{{author}}` and `{{date}}` are those of the document.
    pub values: FillValues,
    /// Ends the writing early.
    pub cancel: Cancel,
}

/// A Word file.
#[derive(Clone, Debug)]
pub struct Docx {
    /// The file.
    pub bytes: Vec<u8>,
    /// What was changed on the way, one sentence each, by place.
    pub warnings: Vec<String>,
}

/// How a document is written as a page of the web. Default: title, author and language of the document itself, its own paper
/// or A4 when it is printed, no contents, no pictures, the theme `plain`.
#[derive(Clone, Debug, Default)]
pub struct HtmlOptions {
    /// Title of the page; none takes that of the front matter, or the first heading.
    pub title: Option<String>,
    /// Author in the page's properties; none takes those of the front matter.
    pub author: Option<String>,
    /// Language as a BCP 47 tag; none takes that of the front matter, or finds it from the text.
    pub language: Option<String>,
    /// Paper size when it is printed; none takes that of the front matter, or A4.
    pub paper: Option<Paper>,
    /// Put a table of contents before the text.
    pub contents: bool,
    /// Colours and fonts; what stands where is for paper. A theme other than the default has the same colours by day and night.
    pub theme: Theme,
    /// The pictures that it names.
    pub pictures: Pictures,
    /// Ends the writing early.
    pub cancel: Cancel,
}

/// A page of the web: one file that needs nothing else and runs nothing.
#[derive(Clone, Debug)]
pub struct Html {
    /// The file.
    pub text: String,
    /// What was changed on the way, one sentence each, by place.
    pub warnings: Vec<String>,
}

/// How a document is written as slides. Default: title, author and language of the document itself, no contents, no creation
/// time, the theme `plain`.
#[derive(Clone, Debug, Default)]
pub struct PptxOptions {
    /// Title in the file's properties; none takes that of the front matter, or the first heading.
    pub title: Option<String>,
    /// Author in the file's properties; none takes those of the front matter.
    pub author: Option<String>,
    /// Language as a BCP 47 tag; none takes that of the front matter, or finds it from the text.
    pub language: Option<String>,
    /// Put a slide with the contents before the text; its entries lead to their slides.
    pub contents: bool,
    /// Colours, fonts and logo. What else it says is for paper; what has no effect is told.
    pub theme: Theme,
    /// Its pictures, by the names that it calls them; those that stand by themselves are shown.
    pub pictures: Pictures,
    /// Creation time in the file's properties, since 1970-01-01 00:00 UTC; none writes no time. The same time gives the same
    /// bytes.
    pub created: Option<Duration>,
    /// Ends the writing early.
    pub cancel: Cancel,
}

/// A file of slides.
#[derive(Clone, Debug)]
pub struct Pptx {
    /// The file.
    pub bytes: Vec<u8>,
    /// How many slides it has.
    pub slides: usize,
    /// What was changed on the way, one sentence each, by place.
    pub warnings: Vec<String>,
}
