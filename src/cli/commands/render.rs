//! `mitt render`

use std::io::Read as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use serde_json::json;

use super::{beside, delivery, environment, read_text};
use crate::args::{Global, Render};
use crate::output::{Output, note};
use crate::progress::bytes;
use mitt::house::{Ended, Job, Page, Workers};
use mitt::render::{
    DocxOptions, FontSet, HtmlOptions, Paper, Pdf, PdfOptions, Pictures, PptxOptions, Theme,
    Typesetter, XlsxOptions, front_matter,
};
use mitt_base::{BlockingLimits, Error, ErrorKind, Result};

/// Formats that a document is written in, by the end of the file's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Pdf,
    Docx,
    Html,
    Pptx,
    Xlsx,
}

/// Largest template, in bytes, as the renderer takes it.
const MAX_TEMPLATE_BYTES: u64 = 32 << 20;

/// A file that was made.
struct Rendered {
    bytes: Vec<u8>,
    /// Where it has any.
    pages: Option<usize>,
    warnings: Vec<String>,
}

/// Write a Markdown file as a document.
pub(crate) fn render(global: &Global, command: Render, output: &Output) -> Result<ExitCode> {
    // Before anything takes long.
    let delivery = delivery(global, &command.force);
    let format = check_target(&command)?;
    let theme = super::theme::theme(&command.theme)?;
    delivery.check(&command.output)?;
    let guard = super::guard(global)?;
    let passed = |text: &str, place: &str| match guard.apply(text) {
        Ok(checked) => Ok(checked.text.into_owned()),
        Err(blocked) => Err(Error::from(*blocked).at(place)),
    };
    let markdown = passed(&read_text(&command.file)?, "text")?;
    let title = command.title.as_deref().map(|title| passed(title, "--title")).transpose()?;
    let rendered = match format {
        Format::Pdf => {
            let attachments = super::inside::attachments(&command, &markdown, &guard)?;
            let options = PdfOptions { title, theme, attachments, ..PdfOptions::default() };
            pdf(global, &command, markdown, options)
        }
        Format::Docx => docx(global, &command, &markdown, title),
        Format::Html => html(&command, &markdown, title, theme),
        Format::Pptx => pptx(global, &command, &markdown, title),
        Format::Xlsx => xlsx(global, &markdown, title),
    }?;
    delivery.write(&command.output, &rendered.bytes)?;
    let size = rendered.bytes.len() as u64;
    if !output.is_quiet() {
        for warning in &rendered.warnings {
            note(&format!("warning: {warning}"));
        }
        match rendered.pages {
            Some(pages) => note(&format!("{pages} pages, {}", bytes(size))),
            None => note(&bytes(size)),
        }
    }
    let path = command.output.display().to_string();
    if output.is_json() {
        output.value(&json!({
            "path": path, "pages": rendered.pages, "size": size, "warnings": rendered.warnings,
        }))?;
    } else {
        output.data_line(&path)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The format that the name of the file says, which is not that of its own source, whatever the user insists on.
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
                "--output: a name that ends in `.pdf`, `.docx`, `.html`, `.pptx` or `.xlsx` expected, got {target}"
            );
            let other = "the end of the name decides the format; text is there already";
            return Err(Error::new(ErrorKind::Input, message).hint(other));
        }
    };
    if format != Format::Pdf && command.pdf_backend.is_some() {
        let message =
            format!("--pdf-backend: a file that ends in `.pdf` expected, got {}", target.display());
        return Err(Error::new(ErrorKind::Input, message).hint("leave the option out"));
    }
    if format != Format::Pdf && !(command.pdf_standard.is_empty() && command.attach.is_empty()) {
        let message = format!("--pdf-standard, --attach: a PDF expected, got {}", target.display());
        return Err(Error::new(ErrorKind::Input, message).hint("name a file that ends in `.pdf`"));
    }
    if !matches!(format, Format::Pdf | Format::Html) && command.theme != "plain" {
        let message = format!("--theme: a PDF or HTML file expected, got {}", target.display());
        let hint =
            "the styles of Word files and slides are changed in Word and PowerPoint, all at once";
        return Err(Error::new(ErrorKind::Input, message).hint(hint));
    }
    if command.template.is_some() && format != Format::Docx {
        let message = "--template: only Word files (`.docx`) take one";
        return Err(Error::new(ErrorKind::Input, message)
            .hint("name an output that ends in `.docx`, or leave the template out"));
    }
    let same =
        |source: std::path::PathBuf| target.canonicalize().is_ok_and(|target| target == source);
    if source != Path::new("-") && source.canonicalize().is_ok_and(same) {
        let message = format!("--output: {} is the source itself", target.display());
        return Err(Error::new(ErrorKind::Input, message).hint("name another file"));
    }
    Ok(format)
}

/// The paper that was asked for.
fn paper(command: &Render) -> Option<Paper> {
    let paper = command.paper.as_deref()?;
    Some(if paper == "letter" { Paper::Letter } else { Paper::A4 })
}

/// What was asked to typeset.
fn typesetter(command: &Render) -> Typesetter {
    match command.pdf_backend.as_deref() {
        Some("compact") => Typesetter::Compact,
        Some(_) => Typesetter::Typst,
        None => Typesetter::Best,
    }
}

fn pdf(
    global: &Global,
    command: &Render,
    markdown: String,
    options: PdfOptions,
) -> Result<Rendered> {
    let fonts = super::fonts::fonts(global)?;
    let options = PdfOptions {
        language: command.language.clone(),
        paper: paper(command).or(front_matter(&markdown).paper).unwrap_or_default(),
        contents: command.contents,
        standards: command.pdf_standard.clone(),
        created: environment(global)?.now(),
        fonts: FontSet::with_extra(&fonts),
        typesetter: typesetter(command),
        pictures: pictures_of(command, &markdown)?,
        ..options
    };
    let Pdf { bytes, pages, warnings } = typeset(global, markdown, &options, fonts)?;
    Ok(Rendered { bytes, pages: Some(pages), warnings })
}

fn docx(
    global: &Global,
    command: &Render,
    markdown: &str,
    title: Option<String>,
) -> Result<Rendered> {
    let template = command.template.as_deref().map(read_template).transpose()?;
    let options = DocxOptions {
        template,
        title,
        language: command.language.clone(),
        paper: paper(command),
        contents: command.contents,
        created: Some(environment(global)?.now()),
        ..DocxOptions::default()
    };
    let doc = mitt::render::markdown(markdown)?;
    let pictures = beside::pictures(&doc, &command.file, !command.no_images);
    let made = mitt::render::docx(&doc, &DocxOptions { pictures, ..options })?;
    Ok(Rendered { bytes: made.bytes, pages: None, warnings: made.warnings })
}

/// A template, of which no more is read than one may have.
fn read_template(path: &Path) -> Result<Arc<[u8]>> {
    let unreadable = |error: std::io::Error| {
        Error::new(ErrorKind::Input, format!("--template: cannot read {}", path.display()))
            .hint("name an existing Word file (`.docx`, `.dotx`)")
            .caused_by(error)
    };
    let file = std::fs::File::open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    // One byte more is what the renderer refuses.
    file.take(MAX_TEMPLATE_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    Ok(bytes.into())
}

/// The tables of the text as a workbook.
fn xlsx(global: &Global, markdown: &str, title: Option<String>) -> Result<Rendered> {
    let mut made = mitt::render::sheets(&mitt::render::markdown(markdown)?)?;
    made.book.title = title.or(made.book.title);
    let created = environment(global)?.now();
    let options = XlsxOptions { created, ..XlsxOptions::default() };
    let file = mitt::render::xlsx(&made.book, &options)?;
    let warnings = made.warnings.into_iter().chain(file.warnings).collect();
    Ok(Rendered { bytes: file.bytes, pages: None, warnings })
}

/// The text as slides.
fn pptx(
    global: &Global,
    command: &Render,
    markdown: &str,
    title: Option<String>,
) -> Result<Rendered> {
    let options = PptxOptions {
        title,
        language: command.language.clone(),
        contents: command.contents,
        created: Some(environment(global)?.now()),
        ..PptxOptions::default()
    };
    let doc = mitt::render::markdown(markdown)?;
    let pictures = beside::pictures(&doc, &command.file, !command.no_images);
    let made = mitt::render::pptx(&doc, &PptxOptions { pictures, ..options })?;
    Ok(Rendered { bytes: made.bytes, pages: Some(made.slides), warnings: made.warnings })
}

fn html(command: &Render, markdown: &str, title: Option<String>, theme: Theme) -> Result<Rendered> {
    let options = HtmlOptions {
        title,
        theme,
        language: command.language.clone(),
        paper: paper(command),
        contents: command.contents,
        ..HtmlOptions::default()
    };
    let doc = mitt::render::markdown(markdown)?;
    let pictures = beside::pictures(&doc, &command.file, !command.no_images);
    let made = mitt::render::html(&doc, &HtmlOptions { pictures, ..options })?;
    Ok(Rendered { bytes: made.text.into_bytes(), pages: None, warnings: made.warnings })
}

/// The pictures of a text that a worker reads itself: it is read here too only if it may have any.
fn pictures_of(command: &Render, markdown: &str) -> Result<Pictures> {
    if !markdown.contains("![") {
        return Ok(Pictures::default());
    }
    let doc = mitt::render::markdown(markdown)?;
    Ok(beside::pictures(&doc, &command.file, !command.no_images))
}

/// In a worker, if one can be had.
fn typeset(
    global: &Global,
    markdown: String,
    options: &PdfOptions,
    fonts: Vec<Arc<[u8]>>,
) -> Result<Pdf> {
    let here = |markdown: &str| mitt::render::pdf(&mitt::render::markdown(markdown)?, options);
    let Some(worker) = super::worker(global) else { return here(&markdown) };
    let limits = BlockingLimits::default();
    let page = Page::of(options);
    let job = Job::Typeset { markdown, page, memory_bytes: limits.render_memory_bytes };
    let time = global.max_time.unwrap_or(limits.render_time);
    match Workers::new(worker, 1, fonts).run_blocking(job, time, Box::new(())) {
        Ended::Made(made, bytes) => Ok(Pdf { bytes, pages: made.pages, warnings: made.warnings }),
        Ended::Failed(error) => Err(error),
        Ended::NoWorker(Job::Typeset { markdown, .. }, _) => here(&markdown),
        Ended::NoWorker(..) => Err(Error::bug("a worker gave back another job")),
    }
}
