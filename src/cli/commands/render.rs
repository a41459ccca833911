//! `mitt render`

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use serde_json::json;

use super::{environment, read_text};
use crate::args::{Global, Render};
use crate::output::{Output, note};
use crate::progress::bytes;
use mitt::house::write_whole;
use mitt::house::{Ended, Job, Page, Workers};
use mitt::render::{FontSet, Paper, Pdf, PdfBackend as _, PdfOptions, TypstBackend};
use mitt_base::{BlockingLimits, Error, ErrorKind, Result};

/// Typeset a Markdown file.
pub(crate) fn render(global: &Global, command: Render, output: &Output) -> Result<ExitCode> {
    let markdown = read_text(&command.file)?;
    let fonts = super::fonts(global)?;
    let options = PdfOptions {
        title: command.title,
        language: command.language,
        paper: if command.paper == "letter" { Paper::Letter } else { Paper::A4 },
        contents: command.contents,
        created: environment(global)?.now(),
        fonts: FontSet::with_extra(&fonts),
        ..PdfOptions::default()
    };
    let pdf = typeset(global, markdown, &options, fonts)?;
    let Some(name) = command.output.file_name() else {
        let message = format!("--output: a file expected, got {}", command.output.display());
        return Err(Error::new(ErrorKind::Input, message));
    };
    let folder = match command.output.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    write_whole(folder, &name.to_string_lossy(), &pdf.bytes)?;
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
