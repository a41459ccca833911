//! `mitt render`

use std::io::Read as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use serde_json::json;

use super::{delivery, environment, read_text, render_deck, sibling_pictures};
use crate::args::{Global, Render};
use crate::output::{Output, note};
use crate::progress::bytes;
use mitt::guard::Guard;
use mitt::internal::{Check, Job, JobEnd, Page, Workers};
use mitt::render::{
    Attachment, Cancel, CommonOptions, Doc, DocxOptions, HtmlOptions, LeftOut, Paper, Pdf,
    PdfOptions, Pictures, PptxOptions, Relation, Theme, ThemeLayout, Typesetter, XlsxOptions,
};
use mitt_base::rows::counted;
use mitt_base::{BlockingLimits, Error, ErrorKind, Result};

/// The formats of documents, by the ending of the file name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Pdf,
    Docx,
    Html,
    Pptx,
    Xlsx,
}

/// The warning if the source text is not attached to the PDF.
const NOT_ATTACHED: &str = "the text is not attached to the PDF: rules about content leave something out that markup divides in it";

/// Largest template, in bytes; the limit of the renderer.
const MAX_TEMPLATE_BYTES: u64 = 32 << 20;

/// A rendered file.
pub(crate) struct Rendered {
    pub(crate) bytes: Vec<u8>,
    /// `None` for formats without pages.
    pub(crate) pages: Option<usize>,
    pub(crate) warnings: Vec<String>,
    /// A picture of the first page, if it was requested and drawn.
    preview: Option<Vec<u8>>,
}

/// Width of a preview in pixels: A4 at 120 to an inch, at which small print can be read.
const PREVIEW_PX: u32 = 1_000;

/// Writes a Markdown file as a document.
pub(crate) async fn render(global: &Global, command: Render, output: &Output) -> Result<ExitCode> {
    // Checked before work that takes long.
    let delivery = delivery(global, &command.force);
    let format = check_target(&command)?;
    check_options(&command, format)?;
    let theme = checked_theme(&command, format)?;
    delivery.check(&command.output)?;
    if let Some(preview) = &command.preview {
        check_preview(&command, preview)?;
        delivery.check(preview)?;
    }
    let markdown = read_text(&command.file)?;
    let source = Source::of(&command, markdown, super::guard(global)?)?;
    let rendered = match command.template.as_deref().filter(|_| format == Format::Pptx) {
        Some(template) => Box::pin(on_template(global, &command, template, source, output)).await?,
        None => rendered(global, &command, format, theme, source)?,
    };
    delivery.write(&command.output, &rendered.bytes)?;
    if let (Some(path), Some(picture)) = (&command.preview, &rendered.preview) {
        delivery.write(path, picture)?;
    }
    let size = rendered.bytes.len() as u64;
    if !output.is_quiet() {
        for warning in &rendered.warnings {
            note(&format!("warning: {warning}"));
        }
        match rendered.pages {
            Some(pages) => note(&format!("{}, {}", counted(pages as u64, "page"), bytes(size))),
            None => note(&bytes(size)),
        }
    }
    let path = command.output.display().to_string();
    let shown = command.preview.as_ref().filter(|_| rendered.preview.is_some());
    let preview = shown.map(|path| path.display().to_string());
    if output.is_json() {
        let mut json = json!({
            "path": path, "pages": rendered.pages, "size": size, "warnings": rendered.warnings,
        });
        if let Some(preview) = &preview {
            json["preview"] = json!(preview);
        }
        output.value(&json)?;
    } else {
        output.data_line(&path)?;
        preview.iter().try_for_each(|path| output.data_line(path))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Renders `markdown` in memory, as a command with these options would. `cancel` ends it.
///
/// # Errors
///
/// Those of `mitt render`.
#[cfg(feature = "lambda")]
pub(crate) fn render_text(
    global: &Global,
    command: &Render,
    markdown: String,
    cancel: Cancel,
) -> Result<Rendered> {
    let format = check_target(command)?;
    check_options(command, format)?;
    let theme = checked_theme(command, format)?;
    let source = Source { cancel, ..Source::of(command, markdown, super::guard(global)?)? };
    rendered(global, command, format, theme, source)
}

/// Returns the theme, which must go with the paper.
fn checked_theme(command: &Render, format: Format) -> Result<Theme> {
    let theme = super::theme::theme(&command.theme)?;
    if command.paper.is_some() && format == Format::Pdf && theme.layout == ThemeLayout::Slides {
        let message = "--paper: slides are as wide as a screen (16:9)";
        return Err(Error::new(ErrorKind::Input, message).hint("leave the option out"));
    }
    Ok(theme)
}

/// Renders a text whose options were checked.
fn rendered(
    global: &Global,
    command: &Render,
    format: Format,
    theme: Theme,
    mut source: Source,
) -> Result<Rendered> {
    let mut rendered = match format {
        Format::Pdf => {
            let (markdown, check) = (&source.markdown, source.check.as_mut());
            let mut attachments = super::attachments::attachments(command, markdown, check)?;
            let count = attachments.len();
            // Redacted parts of the tree are still in the source text, divided by markup.
            attachments.retain(|it| it.relation != Relation::Source || source.left_out.is_empty());
            let is_left_out = attachments.len() < count;
            pdf(global, command, &source, (theme, attachments)).map(|mut made| {
                made.warnings.extend(is_left_out.then(|| NOT_ATTACHED.to_owned()));
                made
            })
        }
        Format::Docx => docx(global, command, &mut source, theme),
        Format::Html => html(global, command, &source, theme),
        Format::Pptx => pptx(global, command, &source, theme),
        Format::Xlsx => xlsx(global, command, &source),
    }?;
    rendered.warnings.extend(source.check.as_ref().and_then(Check::warning));
    Ok(rendered)
}

/// The text to render, redacted by the rules about content.
struct Source {
    markdown: String,
    title: Option<String>,
    /// Redactions in the tree, of words that markup divides in the text.
    left_out: LeftOut,
    check: Option<Check>,
    /// Ends the rendering.
    cancel: Cancel,
}

impl Source {
    fn of(command: &Render, mut markdown: String, guard: Guard) -> Result<Source> {
        let mut title = command.title.clone();
        let mut check = Check::new(&guard);
        let mut left_out = LeftOut::default();
        if let Some(check) = &mut check {
            let text = |error: Error| error.at("text");
            check.text(&mut markdown).map_err(text)?;
            let mut titles = title.iter_mut();
            titles
                .try_for_each(|title| check.text(title).map(drop))
                .map_err(|it| it.at("--title"))?;
            // A text that cannot be parsed is refused when it is drawn.
            if let Ok(mut doc) = mitt::render::markdown(&markdown) {
                left_out = check.tree(&mut doc).map_err(text)?;
            }
        }
        Ok(Source { markdown, title, left_out, check, cancel: Cancel::new() })
    }

    /// Returns the tree to draw.
    fn doc(&self) -> Result<Doc> {
        let mut doc = mitt::render::markdown(&self.markdown)?;
        doc.leave_out(&self.left_out);
        Ok(doc)
    }
}

/// Returns the format by the ending of the file name. The target must not be the source, even with `--force`.
fn check_target(command: &Render) -> Result<Format> {
    let (source, target) = (&command.file, &command.output);
    let extension = target.extension().and_then(|it| it.to_str()).unwrap_or_default();
    let format = match extension.to_ascii_lowercase().as_str() {
        "pdf" => Format::Pdf,
        "docx" => Format::Docx,
        "html" | "htm" => Format::Html,
        "pptx" => Format::Pptx,
        "xlsx" => Format::Xlsx,
        _ => {
            let target = target.display();
            let message = format!(
                "--output: expected a name that ends in `.pdf`, `.docx`, `.html`, `.pptx` or `.xlsx`, got {target}"
            );
            let other = "the end of the name decides the format; text is there already";
            return Err(Error::new(ErrorKind::Input, message).hint(other));
        }
    };
    let same =
        |source: std::path::PathBuf| target.canonicalize().is_ok_and(|target| target == source);
    if source != Path::new("-") && source.canonicalize().is_ok_and(same) {
        let message = format!("--output: {} is the source itself", target.display());
        return Err(Error::new(ErrorKind::Input, message).hint("name another file"));
    }
    Ok(format)
}

/// Checks that the preview has its own name, which ends in `.png`.
fn check_preview(command: &Render, preview: &Path) -> Result<()> {
    let is_png = preview.extension().is_some_and(|it| it.eq_ignore_ascii_case("png"));
    if is_png {
        return Ok(());
    }
    let message =
        format!("--preview: expected a name that ends in `.png`, got {}", preview.display());
    Err(Error::new(ErrorKind::Input, message)
        .hint(format!("such as {}", command.output.with_extension("png").display())))
}

/// An option that only some formats take, with a hint.
struct Narrow {
    is_given: bool,
    option: &'static str,
    formats: &'static [Format],
    /// The formats that take it.
    wanted: &'static str,
    hint: &'static str,
}

/// Returns the options that only some formats take.
fn narrow_options(command: &Render) -> [Narrow; 8] {
    use Format::{Docx, Html, Pdf, Pptx, Xlsx};

    [
        Narrow {
            is_given: command.pdf_backend.is_some(),
            option: "--pdf-backend",
            formats: &[Pdf],
            wanted: "a file that ends in `.pdf`",
            hint: "leave the option out",
        },
        Narrow {
            is_given: !(command.pdf_standard.is_empty() && command.attach.is_empty()),
            option: "--pdf-standard, --attach",
            formats: &[Pdf],
            wanted: "a PDF",
            hint: "name a file that ends in `.pdf`",
        },
        Narrow {
            is_given: command.preview.is_some(),
            option: "--preview",
            formats: &[Pdf],
            wanted: "a PDF",
            hint: "the other formats have no pages before another program lays them out",
        },
        Narrow {
            is_given: command.theme != "plain",
            option: "--theme",
            formats: &[Pdf, Docx, Html, Pptx],
            wanted: "a PDF, Word file, web page or slides",
            hint: "leave the option out: workbooks have looks of their own",
        },
        Narrow {
            is_given: command.template.is_some(),
            option: "--template",
            formats: &[Docx, Pptx],
            wanted: "a Word file (`.docx`) or slides (`.pptx`)",
            hint: "name an output that ends in `.docx` or `.pptx`, or leave the template out",
        },
        Narrow {
            is_given: command.keep_slides,
            option: "--keep-slides",
            formats: &[Pptx],
            wanted: "slides (`.pptx`)",
            hint: "leave the option out: only presentations have slides",
        },
        Narrow {
            is_given: command.contents,
            option: "--contents",
            formats: &[Pdf, Docx, Html, Pptx],
            wanted: "a PDF, Word file, web page or slides",
            hint: "each table of a workbook has a sheet of its own, named at the foot of the window",
        },
        Narrow {
            is_given: command.paper.is_some(),
            option: "--paper",
            formats: &[Pdf, Docx, Html, Xlsx],
            wanted: "a PDF, Word file, web page or workbook",
            hint: "slides are as wide as a screen (16:9); leave the option out",
        },
    ]
}

/// Refuses options that the format does not take, because they would be ignored silently.
fn check_options(command: &Render, format: Format) -> Result<()> {
    let has_template = command.template.is_some();
    let narrow = narrow_options(command);
    let refused = narrow.iter().find(|it| it.is_given && !it.formats.contains(&format));
    if let Some(Narrow { option, wanted, hint, .. }) = refused {
        let message = format!("{option}: expected {wanted}, got {}", command.output.display());
        return Err(Error::new(ErrorKind::Input, message).hint(*hint));
    }
    if command.keep_slides && !has_template {
        let message = "--keep-slides: expected `--template`, whose slides they are, got none";
        return Err(Error::new(ErrorKind::Input, message).hint("name a template"));
    }
    if let Some(template) = command.template.as_deref().filter(|_| format == Format::Pptx) {
        render_deck::check_template(template, &command.output)?;
    }
    for (is_given, message) in [
        (command.paper.is_some(), "--paper: the paper is that of the template"),
        (command.theme != "plain", "--theme: the looks are those of the template"),
    ] {
        if is_given && has_template {
            return Err(Error::new(ErrorKind::Input, message).hint("leave one of the two out"));
        }
    }
    Ok(())
}

/// Returns the requested paper.
fn paper(command: &Render) -> Option<Paper> {
    let paper = command.paper.as_deref()?;
    Some(if paper == "letter" { Paper::Letter } else { Paper::A4 })
}

/// Returns the requested typesetter.
fn typesetter(command: &Render) -> Typesetter {
    match command.pdf_backend.as_deref() {
        Some("compact") => Typesetter::Compact,
        Some(_) => Typesetter::Typst,
        None => Typesetter::Best,
    }
}

/// Returns the options that all formats have in common, without pictures.
fn common_options(
    global: &Global,
    command: &Render,
    source: &Source,
    theme: Theme,
) -> Result<CommonOptions> {
    Ok(CommonOptions {
        title: source.title.clone(),
        language: command.language.clone(),
        paper: paper(command),
        contents: command.contents,
        theme,
        created: Some(environment(global)?.now()),
        cancel: source.cancel.clone(),
        ..CommonOptions::default()
    })
}

fn pdf(
    global: &Global,
    command: &Render,
    source: &Source,
    (theme, attachments): (Theme, Vec<Attachment>),
) -> Result<Rendered> {
    let mut common = common_options(global, command, source, theme)?;
    common.pictures = pictures_of(command, source)?;
    let options = PdfOptions {
        common,
        standards: command.pdf_standard.clone(),
        attachments,
        fonts: super::fonts::fonts(global)?,
        typesetter: typesetter(command),
        preview_px: command.preview.as_ref().map(|_| PREVIEW_PX),
    };
    let Pdf { bytes, pages, warnings, preview } = typeset(global, source, &options)?;
    Ok(Rendered { bytes, pages: Some(pages), warnings, preview })
}

fn docx(global: &Global, command: &Render, source: &mut Source, theme: Theme) -> Result<Rendered> {
    let template = command.template.as_deref().map(read_template).transpose()?;
    let has_template = template.is_some();
    let mut common = common_options(global, command, source, theme)?;
    let doc = source.doc()?;
    common.pictures = sibling_pictures::pictures(&doc, &command.file, !command.no_images);
    let options = DocxOptions { common, template, ..DocxOptions::default() };
    let mut made = mitt::render::docx(&doc, &options)?;
    // A template has texts of its own, next to which values stand.
    if let Some(check) = source.check.as_mut().filter(|_| has_template) {
        let place = command.output.display();
        if let Some(redacted) = check.office(&made.bytes, None).map_err(|error| error.at(place))? {
            made.bytes = redacted;
        }
    }
    Ok(Rendered { bytes: made.bytes, pages: None, warnings: made.warnings, preview: None })
}

/// Reads a template, up to slightly more than its limit.
fn read_template(path: &Path) -> Result<Arc<[u8]>> {
    let unreadable = |error: std::io::Error| {
        Error::new(ErrorKind::Input, format!("--template: cannot read {}", path.display()))
            .hint("name an existing Word file (`.docx`, `.dotx`)")
            .caused_by(error)
    };
    let file = std::fs::File::open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    // The renderer refuses a file with one byte more than the limit.
    file.take(MAX_TEMPLATE_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    Ok(bytes.into())
}

/// Renders the tables of the text as a workbook.
fn xlsx(global: &Global, command: &Render, source: &Source) -> Result<Rendered> {
    let mut doc = source.doc()?;
    doc.meta.language = command.language.clone().or(doc.meta.language);
    doc.meta.paper = paper(command).or(doc.meta.paper);
    let mut made = mitt::render::sheets(&doc)?;
    made.book.title = source.title.clone().or(made.book.title);
    let created = environment(global)?.now();
    let options = XlsxOptions { created, cancel: source.cancel.clone(), ..XlsxOptions::default() };
    let file = mitt::render::xlsx(&made.book, &options)?;
    let warnings = made.warnings.into_iter().chain(file.warnings).collect();
    Ok(Rendered { bytes: file.bytes, pages: None, warnings, preview: None })
}

/// Renders the text as slides.
fn pptx(global: &Global, command: &Render, source: &Source, theme: Theme) -> Result<Rendered> {
    let mut common = common_options(global, command, source, theme)?;
    let doc = source.doc()?;
    common.pictures = sibling_pictures::pictures(&doc, &command.file, !command.no_images);
    let made = mitt::render::pptx(&doc, &PptxOptions { common })?;
    let (bytes, pages) = (made.bytes, Some(made.slides));
    Ok(Rendered { bytes, pages, warnings: made.warnings, preview: None })
}

/// Renders the text as slides on the layouts of a presentation.
async fn on_template(
    global: &Global,
    command: &Render,
    template: &Path,
    source: Source,
    output: &Output,
) -> Result<Rendered> {
    let (doc, title) = (source.doc()?, source.title.as_deref());
    let deck = render_deck::on_template(global, command, template, (&doc, title), output);
    let mut made = deck.await?;
    made.warnings.extend(source.check.as_ref().and_then(Check::warning));
    let (bytes, pages) = (made.bytes, Some(made.slides));
    Ok(Rendered { bytes, pages, warnings: made.warnings, preview: None })
}

fn html(global: &Global, command: &Render, source: &Source, theme: Theme) -> Result<Rendered> {
    let mut common = common_options(global, command, source, theme)?;
    let doc = source.doc()?;
    common.pictures = sibling_pictures::pictures(&doc, &command.file, !command.no_images);
    let made = mitt::render::html(&doc, &HtmlOptions { common })?;
    let bytes = made.text.into_bytes();
    Ok(Rendered { bytes, pages: None, warnings: made.warnings, preview: None })
}

/// Returns the pictures of a text for a worker, which parses it itself. The text is parsed here only if it may have
/// pictures.
fn pictures_of(command: &Render, source: &Source) -> Result<Pictures> {
    if !source.markdown.contains("![") {
        return Ok(Pictures::default());
    }
    let doc = source.doc()?;
    Ok(sibling_pictures::pictures(&doc, &command.file, !command.no_images))
}

/// Typesets in a worker if one can be started, otherwise in this process.
fn typeset(global: &Global, source: &Source, options: &PdfOptions) -> Result<Pdf> {
    let here = || mitt::render::pdf(&source.doc()?, options);
    let Some(worker) = super::worker(global) else { return here() };
    let limits = BlockingLimits::default();
    let page = Page::of(options).leaving_out(&source.left_out);
    let markdown = source.markdown.clone();
    let job = Job::Typeset { markdown, page, memory_bytes: limits.render_memory_bytes };
    let time = global.max_time.unwrap_or(limits.render_time);
    match Workers::new(worker, 1, options.fonts.clone()).run_blocking(job, time, Box::new(())) {
        JobEnd::Done(output, bytes) => Ok(output.into_pdf(bytes)),
        JobEnd::Failed(error) => Err(error),
        JobEnd::NoWorker(Job::Typeset { .. }, _) => here(),
        JobEnd::NoWorker(..) => Err(Error::bug("a worker gave back another job")),
    }
}
