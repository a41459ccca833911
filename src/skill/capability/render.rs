//! The capability `render`: files that the host writes and registers.
//!
//! [`FORMATS`] is the table of formats. A new format is a row of it, a case of [`Deliverable`], its function here and in
//! `wit/render.wit`, and a file in `session/delivery/formats/`, which has it rendered by `mitt-render`. Does not know where files
//! go.

mod chart;
mod convert;
mod design;
mod filling;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures_util::future::BoxFuture;
use mitt_contract::host::mitt::host::{render as wit, types};
use wasmtime::component::{Linker, Resource};

pub use self::chart::ChartPicture;
use self::convert::Takes;
pub(super) use self::convert::artifact as wit_artifact;
pub use self::filling::{Change, Filling};
use super::artifact::Artifact;
use super::shared::{Nobody, ServiceError, ServiceHostInStore};
use mitt_base::Error;
use mitt_base::file_name::check_file_name;
use mitt_engine::StoreData;
use mitt_render::{DocxOptions, HtmlOptions, Paper, PdfOptions, Workbook};
use mitt_table::Table;

/// Interface to the session. A [`ServiceError`] is a value for the guest, an [`Error`] ends the guest's store.
pub trait Render: Send + Sync + 'static {
    /// Renders a file and writes it. It is registered when the current attempt succeeds.
    fn deliver(
        &self,
        what: Deliverable,
        filename: String,
    ) -> BoxFuture<'_, Result<Result<Artifact, ServiceError>, Error>>;
}

/// Renderer of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Renderer {
    /// None: text is delivered as it is.
    None,
    /// Writer of workbooks.
    Workbook,
    /// Typesetter of PDF.
    Typesetter,
    /// Renderer of charts as PNG.
    Pixels,
    /// Renderer of charts as SVG.
    Vectors,
    /// Writer of Word files.
    Word,
    /// Writer of web pages.
    Html,
}

/// File format.
#[derive(Debug)]
pub struct Format {
    /// Extension of its files, which is also its name in `skill.yaml`.
    pub extension: &'static str,
    /// Media type of its files.
    pub media_type: &'static str,
    renderer: Renderer,
}

const fn format(extension: &'static str, media_type: &'static str, renderer: Renderer) -> Format {
    Format { extension, media_type, renderer }
}

/// All formats that can be delivered.
const FORMATS: [Format; 10] = [
    format(
        "xlsx",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        Renderer::Workbook,
    ),
    format("pdf", "application/pdf", Renderer::Typesetter),
    format(
        "docx",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        Renderer::Word,
    ),
    format("html", "text/html", Renderer::Html),
    format("md", "text/markdown", Renderer::None),
    format("txt", "text/plain", Renderer::None),
    format("csv", "text/csv", Renderer::None),
    format("json", "application/json", Renderer::None),
    format("png", "image/png", Renderer::Pixels),
    format("svg", "image/svg+xml", Renderer::Vectors),
];

/// Width in pixels of the picture of a page that a plugin can request: legible, but few tokens for a model that sees it.
const PREVIEW_PX: u32 = 800;

/// Further extensions of file formats. Anything else after a dot is part of the file's name.
const OTHER_EXTENSIONS: [&str; 8] = ["xls", "doc", "docm", "dotx", "htm", "gif", "jpeg", "jpg"];

/// File that a plugin delivers.
#[derive(Debug)]
pub enum Deliverable {
    /// Excel workbook, and the names of its pictures that have no bytes yet, in order.
    Workbook(Box<Workbook>, Vec<String>),
    /// Markdown to typeset as PDF.
    Pdf {
        /// The text.
        markdown: String,
        /// Settings of the document.
        options: Box<PdfOptions>,
    },
    /// Workbook of the session that is filled, or gets more rows.
    Filling(Box<Filling>),
    /// Markdown as a Word file, or a Word template that is filled.
    Word(Box<Word>),
    /// Markdown as a web page.
    Html {
        /// The text.
        markdown: String,
        /// Settings of the page.
        options: Box<HtmlOptions>,
    },
    /// Tables of Markdown as a workbook.
    Tables {
        /// The text.
        markdown: String,
        /// Title in the file's properties.
        title: Option<String>,
        /// Language as a BCP 47 tag; `None` detects it from the text.
        language: Option<String>,
        /// Paper size; `None` takes that of the text, or of its language.
        paper: Option<Paper>,
        /// `true` if a table of contents was requested. A workbook has none, which is reported as a warning.
        contents: bool,
    },
    /// Text, delivered as it is.
    Text(String),
    /// Picture of a chart.
    Chart(Box<ChartPicture>),
}

/// Word file that a plugin delivers.
#[derive(Debug, Default)]
pub struct Word {
    /// The text; optional for a template.
    pub markdown: Option<String>,
    /// Settings, and the values of the template.
    pub options: DocxOptions,
    /// Name of the session's document that is the template.
    pub template: Option<String>,
    /// `true` if the template is filled, with the text as one of its values.
    pub is_filling: bool,
}

impl Deliverable {
    fn renderer(&self) -> Renderer {
        match self {
            Deliverable::Workbook(..) => Renderer::Workbook,
            Deliverable::Tables { .. } | Deliverable::Filling(_) => Renderer::Workbook,
            Deliverable::Pdf { .. } => Renderer::Typesetter,
            Deliverable::Word(_) => Renderer::Word,
            Deliverable::Html { .. } => Renderer::Html,
            Deliverable::Text(_) => Renderer::None,
            Deliverable::Chart(chart) if chart.is_svg => Renderer::Vectors,
            Deliverable::Chart(_) => Renderer::Pixels,
        }
    }

    /// Returns the formats that it can have.
    fn formats(&self) -> impl Iterator<Item = &'static Format> {
        let renderer = self.renderer();
        FORMATS.iter().filter(move |format| format.renderer == renderer)
    }

    /// Returns the name of its format under this file name, as in grants. For text, the extension decides, even if it cannot be
    /// delivered.
    pub fn format_name(&self, filename: &str) -> String {
        match (self.renderer(), self.formats().next()) {
            (Renderer::None, _) | (_, None) => extension(filename).unwrap_or_default(),
            (_, Some(format)) => format.extension.to_owned(),
        }
    }

    /// Returns format and name of the preview picture for a file of this name, if one was requested.
    pub fn preview(&self, name: &str) -> Option<(&'static Format, String)> {
        let Deliverable::Pdf { options, .. } = self else { return None };
        options.preview_px?;
        let format = FORMATS.iter().find(|it| it.renderer == Renderer::Pixels)?;
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        Some((format, format!("{stem}-page-1.{}", format.extension)))
    }

    /// Returns the format of a text file of this name; `None` if its extension is not one of plain text.
    pub fn plain_format(filename: &str) -> Option<&'static Format> {
        let given = extension(filename)?;
        FORMATS.iter().find(|it| it.renderer == Renderer::None && it.extension == given)
    }

    /// Returns the extensions of text files that are delivered as they are: `.md`, `.txt`.
    pub fn plain_extensions() -> String {
        let plain = FORMATS.iter().filter(|format| format.renderer == Renderer::None);
        let names: Vec<_> = plain.map(|format| format!("`.{}`", format.extension)).collect();
        names.join(", ")
    }

    /// Returns the name of the file with its extension, and its format. Adds a missing extension and refuses a wrong one. Text
    /// needs an extension.
    pub fn file_name(&self, filename: &str) -> Result<(String, &'static Format), String> {
        check_file_name(filename)?;
        let given = extension(filename);
        let given = given.as_deref();
        if let Some(format) = self.formats().find(|format| given == Some(format.extension)) {
            return Ok((filename.to_owned(), format));
        }
        let known: Vec<_> =
            self.formats().map(|format| format!("`.{}`", format.extension)).collect();
        let expected = known.join(", ");
        match (self.renderer(), self.formats().next(), given) {
            (Renderer::None, ..) | (_, None, _) => {
                Err(format!("file name `{filename}`: expected an extension {expected}"))
            }
            // For a workbook, `report.pdf` is refused.
            (_, _, Some(given)) if is_extension(given) => Err(format!(
                "file name `{filename}`: expected the extension {expected}, got `.{given}`"
            )),
            // `report` and `report v1.2` get the extension.
            (_, Some(format), _) => {
                let name = format!("{filename}.{}", format.extension);
                check_file_name(&name)?;
                Ok((name, format))
            }
        }
    }
}

/// Returns the extension of a file name in lower case.
fn extension(filename: &str) -> Option<String> {
    filename.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase())
}

fn is_extension(given: &str) -> bool {
    FORMATS.iter().map(|format| format.extension).chain(OTHER_EXTENSIONS).any(|it| it == given)
}

/// Bounds of the grant `render`. The default sets none beyond the limits of the session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RenderBounds {
    /// Extensions of the files that the skill may deliver, in lower case; `None` allows all.
    pub formats: Option<Vec<String>>,
    /// Most files that one call of the skill may deliver; `None` sets no bound.
    pub files: Option<u64>,
}

impl RenderBounds {
    /// Returns the bounds as text for people, one by one.
    pub(super) fn describe(&self) -> Vec<String> {
        let formats = self.formats.as_ref().map(|formats| format!("only {}", formats.join(" ")));
        let files = self.files.map(|most| format!("at most {most} files a call"));
        formats.into_iter().chain(files).collect()
    }

    /// Returns `session` within these bounds, for one call.
    pub(super) fn bound(&self, session: Arc<dyn Render>) -> Arc<dyn Render> {
        if *self == RenderBounds::default() {
            session
        } else {
            let (bounds, delivered) = (self.clone(), AtomicU64::new(0));
            Arc::new(Bounded { session, bounds, delivered })
        }
    }
}

struct Bounded {
    session: Arc<dyn Render>,
    bounds: RenderBounds,
    delivered: AtomicU64,
}

impl Bounded {
    fn check(&self, what: &Deliverable, filename: &str) -> Result<(), ServiceError> {
        let preview = what.preview(filename).map(|(format, _)| format.extension.to_owned());
        let made: Vec<String> =
            std::iter::once(what.format_name(filename)).chain(preview).collect();
        if let Some(formats) = &self.bounds.formats
            && let Some(format) = made.iter().find(|format| !formats.contains(format))
        {
            return Err(ServiceError::Unsupported(format!(
                "the skill is granted files of `{}` only, got `{format}`",
                formats.join("`, `")
            )));
        }
        let Some(most) = self.bounds.files else { return Ok(()) };
        let made = made.len() as u64;
        if self.delivered.fetch_add(made, Ordering::Relaxed).saturating_add(made) > most {
            return Err(ServiceError::Quota(format!(
                "the skill is granted at most {most} files in one call"
            )));
        }
        Ok(())
    }
}

impl Render for Bounded {
    fn deliver(
        &self,
        what: Deliverable,
        filename: String,
    ) -> BoxFuture<'_, Result<Result<Artifact, ServiceError>, Error>> {
        Box::pin(async move {
            match self.check(&what, &filename) {
                Ok(()) => self.session.deliver(what, filename).await,
                Err(error) => Ok(Err(error)),
            }
        })
    }
}

impl Render for Nobody {
    fn deliver(
        &self,
        _: Deliverable,
        _: String,
    ) -> BoxFuture<'_, Result<Result<Artifact, ServiceError>, Error>> {
        Box::pin(async move { Ok(Err(ServiceError::no_session())) })
    }
}

/// The session, and the store that owns the handles.
pub(super) type RenderHost<'a> = ServiceHostInStore<'a, dyn Render>;

/// Links the interface. `host_getter` finds the session in a store's data.
pub(super) fn link<T: StoreData>(
    linker: &mut Linker<T>,
    host_getter: fn(&mut T) -> RenderHost<'_>,
) -> wasmtime::Result<()> {
    wit::add_to_linker::<T, RenderHost<'static>>(linker, host_getter)
}

/// Result of the generated functions: the inner error is for the guest, the outer one ends its store.
type Delivered = wasmtime::Result<Result<types::Artifact, types::Error>>;

async fn deliver(session: Arc<dyn Render>, what: Deliverable, filename: String) -> Delivered {
    let delivered = session.deliver(what, filename).await?;
    Ok(delivered.map(convert::artifact).map_err(ServiceError::into_wit))
}

impl RenderHost<'_> {
    async fn typeset(
        &mut self,
        document: wit::MarkdownDocument,
        preview_px: Option<u32>,
        filename: String,
    ) -> Delivered {
        let theme = match convert::check(&document, Takes::Theme) {
            Ok(theme) => theme,
            Err(error) => return Ok(Err(error.into_wit())),
        };
        let (markdown, options) = convert::pdf_options(document, theme);
        let options = Box::new(PdfOptions { preview_px, ..options });
        deliver(self.session.clone(), Deliverable::Pdf { markdown, options }, filename).await
    }
}

impl wit::Host for RenderHost<'_> {
    async fn xlsx(&mut self, book: wit::Workbook, filename: String) -> Delivered {
        let book = Box::new(convert::workbook(book, self.core.table())?);
        deliver(self.session.clone(), Deliverable::Workbook(book, Vec::new()), filename).await
    }

    async fn xlsx_with_pictures(
        &mut self,
        book: wit::Workbook,
        pictures: Vec<wit::SheetPicture>,
        filename: String,
    ) -> Delivered {
        let mut book = Box::new(convert::workbook(book, self.core.table())?);
        match design::illustrate(&mut book, pictures) {
            Ok(names) => {
                deliver(self.session.clone(), Deliverable::Workbook(book, names), filename).await
            }
            Err(problem) => Ok(Err(ServiceError::InvalidArgument(problem).into_wit())),
        }
    }

    async fn pdf(&mut self, document: wit::MarkdownDocument, filename: String) -> Delivered {
        self.typeset(document, None, filename).await
    }

    async fn pdf_with_preview(
        &mut self,
        document: wit::MarkdownDocument,
        filename: String,
    ) -> Delivered {
        self.typeset(document, Some(PREVIEW_PX), filename).await
    }

    async fn docx(&mut self, document: wit::MarkdownDocument, filename: String) -> Delivered {
        let theme = match convert::check(&document, Takes::Template) {
            Ok(theme) => theme,
            Err(error) => return Ok(Err(error.into_wit())),
        };
        let what = Deliverable::Word(Box::new(convert::word(document, theme)));
        deliver(self.session.clone(), what, filename).await
    }

    async fn html(&mut self, document: wit::MarkdownDocument, filename: String) -> Delivered {
        let theme = match convert::check(&document, Takes::Theme) {
            Ok(theme) => theme,
            Err(error) => return Ok(Err(error.into_wit())),
        };
        let (markdown, options) = convert::html_options(document, theme);
        let what = Deliverable::Html { markdown, options: Box::new(options) };
        deliver(self.session.clone(), what, filename).await
    }

    async fn tables_xlsx(
        &mut self,
        document: wit::MarkdownDocument,
        filename: String,
    ) -> Delivered {
        if let Err(error) = convert::check(&document, Takes::Nothing) {
            return Ok(Err(error.into_wit()));
        }
        deliver(self.session.clone(), convert::tables(document), filename).await
    }

    async fn fill_docx(&mut self, filling: wit::DocxFilling, filename: String) -> Delivered {
        let word = match filling::word(filling, self.core.table())? {
            Ok(word) => word,
            Err(error) => return Ok(Err(error.into_wit())),
        };
        deliver(self.session.clone(), Deliverable::Word(Box::new(word)), filename).await
    }

    async fn fill_xlsx(&mut self, filling: wit::XlsxFilling, filename: String) -> Delivered {
        match filling::workbook(filling, self.core.table())? {
            Ok(filling) => {
                deliver(self.session.clone(), Deliverable::Filling(Box::new(filling)), filename)
                    .await
            }
            Err(error) => Ok(Err(error.into_wit())),
        }
    }

    async fn append_xlsx(
        &mut self,
        workbook: String,
        sheet: Option<String>,
        rows: Resource<Table>,
        filename: String,
    ) -> Delivered {
        match filling::appending(workbook, sheet, &rows, self.core.table())? {
            Ok(filling) => {
                deliver(self.session.clone(), Deliverable::Filling(Box::new(filling)), filename)
                    .await
            }
            Err(error) => Ok(Err(error.into_wit())),
        }
    }

    async fn text(&mut self, content: String, filename: String) -> Delivered {
        deliver(self.session.clone(), Deliverable::Text(content), filename).await
    }

    async fn draw_chart(
        &mut self,
        data: Resource<Table>,
        description: wit::ChartDescription,
        filename: String,
    ) -> Delivered {
        // A clone does not copy the content.
        let table = self.core.table().get(&data)?.clone();
        match ChartPicture::of(&table, description, &filename) {
            Ok(chart) => {
                let what = Deliverable::Chart(Box::new(chart));
                deliver(self.session.clone(), what, filename).await
            }
            Err(problem) => Ok(Err(ServiceError::InvalidArgument(problem).into_wit())),
        }
    }
}
