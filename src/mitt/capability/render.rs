//! The capability `render`: files that the host writes and registers.
//!
//! [`FORMATS`] is the table of what can be delivered. A new format is a row of it, a case of [`Deliverable`] with its cost, and
//! its function here and in `wit/render.wit`; how it is drawn is `mitt-render`'s part. Does not know where files go.

mod chart;
mod convert;
mod design;
mod filling;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use mitt_contract::host::mitt::host::{render as wit, types};
use wasmtime::component::{Linker, Resource};

pub(crate) use self::chart::ChartPicture;
use self::convert::Takes;
pub(crate) use self::filling::{Change, Filling};
use super::artifact::Artifact;
use super::shared::{AskedInStore, Nobody, ServiceError};
use crate::engine::StoreData;
use mitt_base::Error;
use mitt_base::file_name::check_file_name;
use mitt_render::{
    DocxOptions, HtmlOptions, Paper, PdfOptions, Sheet, SheetBlock, SheetCell, Workbook,
};
use mitt_table::Table;

/// What it asks of a session. A [`ServiceError`] is a value that the guest receives, an [`Error`] ends the guest's store.
#[async_trait]
pub(crate) trait Render: Send + Sync + 'static {
    /// Render a file and write it. It is registered when the attempt that wants it has succeeded.
    async fn deliver(
        &self,
        what: Deliverable,
        filename: String,
    ) -> Result<Result<Artifact, ServiceError>, Error>;
}

/// What draws a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Renderer {
    /// Nothing: text is delivered as it is.
    None,
    /// The writer of workbooks.
    Workbook,
    /// The typesetter.
    Typesetter,
    /// What draws charts as pictures of pixels.
    Pixels,
    /// What draws charts as pictures of lines.
    Vectors,
    /// The writer of Word files.
    Word,
    /// The writer of web pages.
    Html,
}

/// A format of files.
#[derive(Debug)]
pub(crate) struct Format {
    /// The extension of its files, which is also its name in `skill.yaml`.
    pub(crate) extension: &'static str,
    pub(crate) media_type: &'static str,
    renderer: Renderer,
}

const fn format(extension: &'static str, media_type: &'static str, renderer: Renderer) -> Format {
    Format { extension, media_type, renderer }
}

/// Everything that can be delivered.
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

/// Width of the picture of a page that a plugin asks for, in pixels: legible, and few tokens for a model that sees it.
const PREVIEW_PX: u32 = 800;

/// Further extensions that say what a file is; anything else behind a dot is part of a name.
const OTHER_EXTENSIONS: [&str; 8] = ["xls", "doc", "docm", "dotx", "htm", "gif", "jpeg", "jpg"];

/// What a plugin wants delivered as a file.
#[derive(Debug)]
pub(crate) enum Deliverable {
    /// An Excel workbook, and the names of its pictures: those that have no bytes yet, in their order.
    Workbook(Box<Workbook>, Vec<String>),
    /// Markdown to typeset as PDF.
    Pdf {
        /// The text.
        markdown: String,
        /// Its frame.
        options: Box<PdfOptions>,
    },
    /// A workbook of the session that is filled, or gets rows.
    Filling(Box<Filling>),
    /// Markdown as a Word file, or a Word template that is filled.
    Word(Box<Word>),
    /// Markdown as a web page.
    Html {
        /// The text.
        markdown: String,
        /// Its frame.
        options: Box<HtmlOptions>,
    },
    /// The tables of Markdown as a workbook.
    Tables {
        /// The text.
        markdown: String,
        /// Title in the file's properties.
        title: Option<String>,
        /// Language as a BCP 47 tag; none is found from the text.
        language: Option<String>,
        /// Paper; none takes that of the text, or that of its language.
        paper: Option<Paper>,
        /// Whether contents are wanted, which a workbook has not: that is told.
        contents: bool,
    },
    /// Text as it is.
    Text(String),
    /// A chart as a picture.
    Chart(Box<ChartPicture>),
}

/// A Word file that a plugin wants.
#[derive(Debug, Default)]
pub(crate) struct Word {
    /// The text; a template may do without.
    pub(crate) markdown: Option<String>,
    /// Its frame, and the values of the template.
    pub(crate) options: DocxOptions,
    /// Name of the document of the session that is the template.
    pub(crate) template: Option<String>,
    /// Whether the template is what is wanted, and the text one of its values.
    pub(crate) is_filling: bool,
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

    /// The rows of the table that it can become.
    fn formats(&self) -> impl Iterator<Item = &'static Format> {
        let renderer = self.renderer();
        FORMATS.iter().filter(move |format| format.renderer == renderer)
    }

    /// The format that it makes under this name, as grants name it. Of text the extension decides, even one that nothing is
    /// delivered as.
    pub(crate) fn format_name(&self, filename: &str) -> String {
        match (self.renderer(), self.formats().next()) {
            (Renderer::None, _) | (_, None) => extension(filename).unwrap_or_default(),
            (_, Some(format)) => format.extension.to_owned(),
        }
    }

    /// The format and the name of the picture that goes beside a file of this name, if one is wanted.
    pub(crate) fn preview(&self, name: &str) -> Option<(&'static Format, String)> {
        let Deliverable::Pdf { options, .. } = self else { return None };
        options.preview_px?;
        let format = FORMATS.iter().find(|it| it.renderer == Renderer::Pixels)?;
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        Some((format, format!("{stem}-page-1.{}", format.extension)))
    }

    /// The format of files that are delivered as they are, which this name has; none if it has another.
    pub(crate) fn plain_format(filename: &str) -> Option<&'static Format> {
        let given = extension(filename)?;
        FORMATS.iter().find(|it| it.renderer == Renderer::None && it.extension == given)
    }

    /// The extensions of files that are delivered as they are: `.md`, `.txt`.
    pub(crate) fn plain_extensions() -> String {
        let plain = FORMATS.iter().filter(|format| format.renderer == Renderer::None);
        let names: Vec<_> = plain.map(|format| format!("`.{}`", format.extension)).collect();
        names.join(", ")
    }

    /// The name of its file and its format: a missing extension is added, a wrong one refused. Text needs one.
    pub(crate) fn file_name(&self, filename: &str) -> Result<(String, &'static Format), String> {
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
                Err(format!("file name `{filename}`: an extension {expected} expected"))
            }
            // `report.pdf` is refused where `.xlsx` is wanted.
            (_, _, Some(given)) if is_extension(given) => Err(format!(
                "file name `{filename}`: the extension {expected} expected, got `.{given}`"
            )),
            // `report` and `report v1.2` get it.
            (_, Some(format), _) => {
                let name = format!("{filename}.{}", format.extension);
                check_file_name(&name)?;
                Ok((name, format))
            }
        }
    }

    /// How many bytes it takes until it is rendered.
    pub(crate) fn bytes(&self) -> u64 {
        match self {
            Deliverable::Workbook(book, pictures) => {
                let names = pictures.iter().map(|name| size_of::<String>() + name.len());
                workbook_bytes(book) + names.sum::<usize>() as u64
            }
            Deliverable::Pdf { markdown, options } => {
                let texts = text_bytes(&options.title) + text_bytes(&options.language);
                (size_of::<PdfOptions>() + texts + markdown.len()) as u64
            }
            Deliverable::Word(word) => {
                let texts = text_bytes(&word.options.title)
                    + text_bytes(&word.options.language)
                    + text_bytes(&word.template)
                    + text_bytes(&word.markdown);
                (size_of::<Word>() + texts) as u64 + word.options.values.kept_bytes()
            }
            Deliverable::Html { markdown, options } => {
                let texts = text_bytes(&options.title) + text_bytes(&options.language);
                (size_of::<HtmlOptions>() + texts + markdown.len()) as u64
            }
            Deliverable::Tables { markdown, title, language, .. } => {
                (markdown.len() + text_bytes(title) + text_bytes(language)) as u64
            }
            Deliverable::Text(text) => text.len() as u64,
            Deliverable::Filling(filling) => filling.bytes(),
            Deliverable::Chart(chart) => chart.bytes(),
        }
    }
}

/// The extension of a file name in lower case.
fn extension(filename: &str) -> Option<String> {
    filename.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase())
}

fn is_extension(given: &str) -> bool {
    FORMATS.iter().map(|format| format.extension).chain(OTHER_EXTENSIONS).any(|it| it == given)
}

fn text_bytes(text: &Option<String>) -> usize {
    text.as_ref().map_or(0, String::len)
}

/// Bytes that a workbook takes. All of its parts are counted, because a short call can make a long list of any of them. Tables in
/// it are only referred to: who made them was charged for them.
fn workbook_bytes(book: &Workbook) -> u64 {
    let sheet = |sheet: &Sheet| {
        size_of_val(sheet)
            + sheet.name.len()
            + design::sheet_bytes(sheet)
            + sheet.blocks.iter().map(block_bytes).sum::<usize>()
    };
    let own = size_of_val(book) + text_bytes(&book.title) + design::names_bytes(book);
    (own + book.sheets.iter().map(sheet).sum::<usize>()) as u64
}

fn block_bytes(block: &SheetBlock) -> usize {
    let columns = block.columns.iter().map(|column| {
        size_of_val(column) + column.header.len() + text_bytes(&column.number_format)
    });
    let charts = block.charts.iter().map(|chart| {
        let series = size_of_val(chart.value_columns.as_slice())
            + size_of_val(chart.line_columns.as_slice());
        let titles = [&chart.title, &chart.category_title, &chart.value_title, &chart.second_title];
        size_of_val(chart) + titles.into_iter().map(text_bytes).sum::<usize>() + series
    });
    let rows = block
        .rows
        .iter()
        .map(|row| size_of_val(row) + row.cells.iter().map(cell_bytes).sum::<usize>());
    let data = block.data.as_ref().map_or(0, |data| size_of_val(data.columns.as_slice()));
    let own = size_of_val(block) + text_bytes(&block.title) + data + design::block_bytes(block);
    own + columns.sum::<usize>() + charts.sum::<usize>() + rows.sum::<usize>()
}

fn cell_bytes(cell: &SheetCell) -> usize {
    let text = match cell {
        SheetCell::Empty | SheetCell::Boolean(_) => 0,
        SheetCell::Number(text) | SheetCell::Text(text) | SheetCell::Date(text) => text.len(),
        SheetCell::Formula(formula) => formula.expression.len() + formula.value.len(),
        SheetCell::Link(link) => link.url.len() + link.text.len(),
    };
    size_of_val(cell) + text
}

/// How far the grant goes. The default bounds nothing beyond the limits of the session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RenderBounds {
    /// Extensions of the files that the skill may deliver, in lower case.
    pub formats: Option<Vec<String>>,
    /// Most files that one call of the skill may deliver.
    pub files: Option<u64>,
}

impl RenderBounds {
    /// As people read them, one by one.
    pub(super) fn describe(&self) -> Vec<String> {
        let formats = self.formats.as_ref().map(|formats| format!("only {}", formats.join(" ")));
        let files = self.files.map(|most| format!("at most {most} files a call"));
        formats.into_iter().chain(files).collect()
    }

    /// `session` within these bounds, for one call.
    pub(super) fn bound(&self, session: Arc<dyn Render>) -> Arc<dyn Render> {
        match *self == RenderBounds::default() {
            true => session,
            false => {
                let (bounds, delivered) = (self.clone(), AtomicU64::new(0));
                Arc::new(Bounded { session, bounds, delivered })
            }
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

#[async_trait]
impl Render for Bounded {
    async fn deliver(
        &self,
        what: Deliverable,
        filename: String,
    ) -> Result<Result<Artifact, ServiceError>, Error> {
        match self.check(&what, &filename) {
            Ok(()) => self.session.deliver(what, filename).await,
            Err(error) => Ok(Err(error)),
        }
    }
}

#[async_trait]
impl Render for Nobody {
    async fn deliver(
        &self,
        _: Deliverable,
        _: String,
    ) -> Result<Result<Artifact, ServiceError>, Error> {
        Ok(Err(ServiceError::no_session()))
    }
}

/// Who answers, and the store whose tables they are.
pub(super) type Asked<'a> = AskedInStore<'a, dyn Render>;

/// Link the interface. `asked` finds in a store's data who answers.
pub(super) fn link<T: StoreData>(
    linker: &mut Linker<T>,
    asked: fn(&mut T) -> Asked<'_>,
) -> wasmtime::Result<()> {
    wit::add_to_linker::<T, Asked<'static>>(linker, asked)
}

/// What the generated functions give: the inner error is the guest's, the outer one ends its store.
type Delivered = wasmtime::Result<Result<types::Artifact, types::Error>>;

async fn deliver(session: Arc<dyn Render>, what: Deliverable, filename: String) -> Delivered {
    let delivered = session.deliver(what, filename).await?;
    Ok(delivered.map(convert::artifact).map_err(ServiceError::into_wit))
}

impl Asked<'_> {
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

impl wit::Host for Asked<'_> {
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
        // A clone copies nothing.
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
