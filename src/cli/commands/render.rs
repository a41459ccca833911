//! `mitt render`

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use serde_json::json;

use super::{delivery, environment, read_text};
use crate::args::{Global, Render};
use crate::output::{Output, note};
use crate::progress::bytes;
use mitt::house::{Ended, Job, Page, Workers};
use mitt::render::{FontSet, Paper, Pdf, PdfBackend as _, PdfOptions, TypstBackend};
use mitt_base::{BlockingLimits, Error, ErrorKind, Result};

/// Typeset a Markdown file.
pub(crate) fn render(global: &Global, command: Render, output: &Output) -> Result<ExitCode> {
    // Before anything takes long.
    let delivery = delivery(global, &command.force);
    check_target(&command)?;
    delivery.check(&command.output)?;
    let guard = super::guard(global)?;
    let passed = |text: &str, place: &str| match guard.apply(text) {
        Ok(checked) => Ok(checked.text.into_owned()),
        Err(blocked) => Err(Error::from(*blocked).at(place)),
    };
    let markdown = passed(&read_text(&command.file)?, "text")?;
    let title = command.title.map(|title| passed(&title, "--title")).transpose()?;
    let fonts = super::fonts(global)?;
    let options = PdfOptions {
        title,
        language: command.language,
        paper: if command.paper == "letter" { Paper::Letter } else { Paper::A4 },
        contents: command.contents,
        created: environment(global)?.now(),
        fonts: FontSet::with_extra(&fonts),
        ..PdfOptions::default()
    };
    let pdf = typeset(global, markdown, &options, fonts)?;
    delivery.write(&command.output, &pdf.bytes)?;
    if !output.is_quiet() {
        for warning in &pdf.warnings {
            note(&format!("warning: {warning}"));
        }
        note(&format!("{} pages, {}", pdf.pages, bytes(pdf.bytes.len() as u64)));
    }
    let path = command.output.display().to_string();
    if output.is_json() {
        output.value(&json!({
            "path": path, "pages": pdf.pages, "size": pdf.bytes.len(), "warnings": pdf.warnings,
        }))?;
    } else {
        output.data_line(&path)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A PDF has the name of one, and is not its own source, whatever the user insists on.
fn check_target(command: &Render) -> Result<()> {
    let (source, target) = (&command.file, &command.output);
    let is_pdf = target.extension().is_some_and(|it| it.eq_ignore_ascii_case("pdf"));
    if !is_pdf {
        let message =
            format!("--output: a name that ends in `.pdf` expected, got {}", target.display());
        let other = "only PDF is written here; text is there already, and workbooks are made by the skill `excel-tool`";
        return Err(Error::new(ErrorKind::Input, message).hint(other));
    }
    let same =
        |source: std::path::PathBuf| target.canonicalize().is_ok_and(|target| target == source);
    if source != Path::new("-") && source.canonicalize().is_ok_and(same) {
        let message = format!("--output: {} is the source itself", target.display());
        return Err(Error::new(ErrorKind::Input, message).hint("name another file"));
    }
    Ok(())
}

/// In a worker, if one can be had.
fn typeset(
    global: &Global,
    markdown: String,
    options: &PdfOptions,
    fonts: Vec<Arc<[u8]>>,
) -> Result<Pdf> {
    let here = |markdown: &str| TypstBackend.render(&mitt::render::markdown(markdown)?, options);
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
