//! The preview of one file: its outline, and parts of it.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::cells::Rows;
use super::content::Content;
use super::kept_file::{KeptFile, ReadDocument};
use super::outline::{Outline, OutlineKind, OutlinePage, OutlinePlace, SheetOutline};
use super::places::{Places, Work};
use super::tables;
use mitt::Document;
use mitt::render::{Cancel, PageSize};
use mitt_base::text::{cut_chars, one_line};
use mitt_base::{Error, ErrorKind, Result};

/// Most rows that are returned at once.
pub const MAX_ROWS: u64 = 1_000;

/// Most characters that are returned at once.
pub const MAX_TEXT_CHARACTERS: u64 = 200_000;

/// Most warnings of an outline, and most characters of one.
const MAX_WARNINGS: usize = 100;
const MAX_WARNING: u64 = 1_000;

/// Most pixels of a page in its width.
const MAX_WIDTH_PX: u32 = 2_000;

/// Media type of workbooks that have no other one.
const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

const PDF: &str = "application/pdf";

/// Media type of files of which nothing is known.
const OCTETS: &str = "application/octet-stream";

/// A file as people see it. A cheap handle; the file stays in memory as long as there is one.
#[derive(Clone)]
pub struct Preview {
    file: Arc<KeptFile>,
    content: Arc<Content>,
    /// Places for work that takes a thread for some time.
    places: Places,
}

/// A part of a text.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[schemars(rename = "PreviewText")]
pub struct TextPart {
    /// The part, as Markdown.
    pub text: String,
    /// Number of its first character.
    pub offset: u64,
    /// Characters of the whole text.
    pub total: u64,
}

impl Preview {
    pub(super) fn new(file: Arc<KeptFile>, content: Arc<Content>, places: Places) -> Preview {
        Preview { file, content, places }
    }

    /// Returns what the file has to show.
    pub fn outline(&self) -> Outline {
        let file = &*self.file;
        let mut outline = Outline {
            name: file.name.clone(),
            media_type: known_type(&file.media_type, OCTETS),
            size: file.size,
            sha256: file.sha256.clone(),
            kind: self.kind(),
            title: None,
            warnings: Vec::new(),
            sheets: self.sheets(),
            pages: Vec::new(),
            places: Vec::new(),
            characters: None,
        };
        match &*self.content {
            Content::Workbook(workbook) => {
                outline.media_type = known_type(&file.media_type, XLSX);
                outline.warnings = workbook.warnings().to_vec();
            }
            Content::Tables(document) => describe(document, &mut outline),
            Content::Pages { pages, .. } => {
                let page = |&PageSize { width, height }: &PageSize| OutlinePage { width, height };
                outline.pages = pages.sizes().iter().map(page).collect();
            }
            Content::SandboxPages { pages, document } => {
                if let Some(document) = document {
                    describe(document, &mut outline);
                }
                outline.warnings.extend(pages.warnings.iter().cloned());
                outline.media_type = PDF.to_owned();
                let page = |&PageSize { width, height }: &PageSize| OutlinePage { width, height };
                outline.pages = pages.sizes().iter().map(page).collect();
            }
            Content::Text(document) => {
                describe(document, &mut outline);
                let place =
                    |it: &mitt::Place| OutlinePlace { label: it.label.clone(), offset: it.offset };
                outline.places = document.places.iter().map(place).collect();
                outline.characters = Some(document.characters);
            }
            Content::Picture(media_type) => outline.media_type = (*media_type).to_owned(),
            Content::Nothing(reasons) => outline.warnings = reasons.clone(),
        }
        outline.warnings.truncate(MAX_WARNINGS);
        for warning in &mut outline.warnings {
            *warning = one_line(cut_chars(warning, MAX_WARNING).0);
        }
        outline
    }

    /// Returns how the file is shown.
    pub fn kind(&self) -> OutlineKind {
        match &*self.content {
            Content::Workbook(_) | Content::Tables(_) => OutlineKind::Workbook,
            Content::Pages { .. } | Content::SandboxPages { .. } => OutlineKind::Pages,
            Content::Text(_) => OutlineKind::Text,
            Content::Picture(_) => OutlineKind::Picture,
            Content::Nothing(_) => OutlineKind::None,
        }
    }

    /// Returns the sheets; none for a file of another kind.
    pub fn sheets(&self) -> Vec<SheetOutline> {
        match &*self.content {
            Content::Workbook(workbook) => workbook.sheets.clone(),
            Content::Tables(document) => tables::sheets(document),
            _ => Vec::new(),
        }
    }

    /// Returns at most `count` rows of a sheet from row `from` on, at most [`MAX_ROWS`].
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Arguments`] - there is no such sheet. [`ErrorKind::Input`] - the file has no rows.
    pub async fn rows(&self, sheet: usize, from: u64, count: u64) -> Result<Rows> {
        let count = count.min(MAX_ROWS);
        if self.has_small_rows(sheet, from, count) {
            return self.rows_now(sheet, from, count);
        }
        let preview = self.clone();
        self.elsewhere("reading rows", move || preview.rows_now(sheet, from, count)).await
    }

    /// Returns `true` if these rows are so few that they are read at once, without another thread.
    pub(super) fn has_small_rows(&self, sheet: usize, from: u64, count: u64) -> bool {
        match &*self.content {
            Content::Workbook(workbook) => workbook.is_small(sheet, from, count),
            Content::Tables(document) => tables::is_small(document, sheet),
            _ => true,
        }
    }

    /// Does what [`Preview::rows`] does at once, which takes a thread for some milliseconds.
    ///
    /// # Errors
    ///
    /// Those of [`Preview::rows`].
    pub fn rows_now(&self, sheet: usize, from: u64, count: u64) -> Result<Rows> {
        let count = count.min(MAX_ROWS);
        match &*self.content {
            Content::Workbook(workbook) => workbook.rows(sheet, from, count),
            Content::Tables(document) => tables::rows(document, sheet, from, count),
            _ => Err(self.lacks("rows")),
        }
    }

    /// Returns at most `length` characters of the text from character `offset` on, at most [`MAX_TEXT_CHARACTERS`]. `load`
    /// returns the bytes of the file, and is called only if the text was not needed before.
    ///
    /// # Errors
    ///
    /// Those of [`Preview::document`].
    pub async fn text<F, E>(
        &self,
        offset: u64,
        length: u64,
        load: impl FnOnce() -> F,
    ) -> Result<TextPart, E>
    where
        F: Future<Output = Result<Vec<u8>, E>>,
        E: From<Error>,
    {
        let document = self.document(load).await?;
        let text = document.text_range(offset, length.min(MAX_TEXT_CHARACTERS)).to_owned();
        Ok(TextPart { text, offset, total: document.characters })
    }

    /// Returns the document that tools get of the file. `load` returns the bytes of the file, and is called only if they are
    /// needed.
    ///
    /// # Errors
    ///
    /// Those of `load`, and of [`Session::add_document_bytes`](mitt::Session::add_document_bytes).
    pub async fn document<F, E>(&self, load: impl FnOnce() -> F) -> Result<ReadDocument, E>
    where
        F: Future<Output = Result<Vec<u8>, E>>,
        E: From<Error>,
    {
        let document = self.file.document(load).await?;
        Ok(ReadDocument::new(self.file.clone(), document))
    }

    /// Returns a page, counted from 1, as a PNG picture `width_px` pixels wide, at least 100. A picture has at most 2 000 pixels in
    /// its width, and fewer if it would be too large.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Arguments`] - there is no such page, or the width is out of range. [`ErrorKind::Input`] - pages of the file
    /// are not drawn. For a foreign PDF, those of a call: the page is damaged, or reaches a limit.
    pub async fn page(&self, number: u64, width_px: u32) -> Result<Vec<u8>> {
        let width_px = width_px.min(MAX_WIDTH_PX);
        match &*self.content {
            Content::Pages { pages, .. } => {
                let (pages, index) = (pages.clone(), index_of(number, pages.sizes().len())?);
                self.elsewhere("drawing a page", move || pages.draw(index, width_px)).await
            }
            Content::SandboxPages { pages, .. } => {
                let index = index_of(number, pages.sizes().len())?;
                pages.draw(self.file.session(), index, width_px).await
            }
            _ => Err(self.lacks("pages")),
        }
    }

    /// Runs work that takes a thread for some milliseconds, as soon as there is a place for it. Tenants take turns. `doing`
    /// names the work in the error of a panic.
    ///
    /// # Errors
    ///
    /// Those of `work`. [`ErrorKind::Busy`] - no place became free in time.
    pub async fn elsewhere<R: Send + 'static>(
        &self,
        doing: &'static str,
        work: impl FnOnce() -> Result<R> + Send + 'static,
    ) -> Result<R> {
        let owner = (Work::Short, self.file.tenant());
        self.places.run(owner, doing, move |_| work()).await
    }

    /// Does what [`Preview::elsewhere`] does for work that takes a thread for seconds. It has places of its own, and ends soon
    /// after its flag is set, which happens when the future is dropped.
    ///
    /// # Errors
    ///
    /// Those of [`Preview::elsewhere`].
    pub async fn at_length<R: Send + 'static>(
        &self,
        doing: &'static str,
        work: impl FnOnce(&Cancel) -> Result<R> + Send + 'static,
    ) -> Result<R> {
        self.places.run((Work::Long, self.file.tenant()), doing, work).await
    }

    /// Returns the error for a part that the file does not have.
    fn lacks(&self, what: &str) -> Error {
        let shown = match self.kind() {
            OutlineKind::Workbook => "as sheets",
            OutlineKind::Pages => "as pages",
            OutlineKind::Text => "as text",
            OutlineKind::Picture => "as a picture",
            OutlineKind::None => "not at all",
        };
        Error::new(ErrorKind::Input, format!("the file has no {what} to show: it is shown {shown}"))
    }
}

/// Returns the index of a page, counted from 1, among `count` pages.
fn index_of(number: u64, count: usize) -> Result<usize> {
    let index = number.checked_sub(1).and_then(|index| usize::try_from(index).ok());
    index.filter(|index| *index < count).ok_or_else(|| {
        let message = format!("expected a page from 1 to {count}, got {number}");
        Error::new(ErrorKind::Arguments, message)
    })
}

/// Enters what the outline says of a document.
fn describe(document: &Document, outline: &mut Outline) {
    outline.media_type.clone_from(&document.media_type);
    outline.title.clone_from(&document.title);
    outline.warnings.clone_from(&document.warnings);
}

/// Returns a media type, or `otherwise` if it says nothing.
fn known_type(media_type: &str, otherwise: &str) -> String {
    match media_type {
        "" | OCTETS => otherwise.to_owned(),
        known => known.to_owned(),
    }
}
