//! `mitt render` to slides on the layouts of a presentation: the text becomes edits of `deck-tool`, which runs in the sandbox.

mod edits;
mod layouts;
mod pages;
mod report;

use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::json;

use self::edits::{Source, chart_losses, edits, picture_names};
use self::layouts::{Layouts, ReadLayout};
use self::pages::{divide, pages};
use self::report::{Edited, ReadSlide, excess, tool_warnings};
use super::edit::unlocked;
use super::new_file::{call, check_target, delivered, extension, file_name};
use super::sibling_pictures;
use super::work::Work;
use crate::args::{Global, Render};
use crate::output::Output;
use mitt::render::{CommonOptions, Doc, Pptx, PptxOptions, SlideTexts, slide_texts};
use mitt::{Event, url_of};
use mitt_base::{Error, ErrorKind, Result, plain_file};

const READ: &str = "deck_tool__read_deck";
const EDIT: &str = "deck_tool__edit_deck";

/// Most slides that a call reads.
const READ_AT_ONCE: u32 = 100;

/// How often the slides are made: what does not fit is divided after each time but the last one.
const ROUNDS: usize = 3;

/// A presentation as `read_deck` returns it.
#[derive(Debug, Deserialize)]
struct ReadDeck {
    size: Vec<f64>,
    slides: Vec<ReadSlide>,
    next: Option<u32>,
    layouts: Vec<ReadLayout>,
}

/// Checks the names of the template and of the file to write.
///
/// # Errors
///
/// [`ErrorKind::Input`] - the template is no presentation without macros, an address, or the file to write.
pub(super) fn check_template(template: &Path, target: &Path) -> Result<()> {
    let refused = |got: &str, hint: &str| {
        let message = format!("--template: expected a presentation (`.pptx`, `.potx`), got {got}");
        Err(Error::new(ErrorKind::Input, message).hint(hint))
    };
    if url_of(template).is_some() {
        return refused("an address", "download it and name the file");
    }
    let got = template.display().to_string();
    match &*extension(template) {
        "pptx" | "potx" => check_target(target, "pptx", [template]),
        "pptm" | "potm" | "ppsm" => refused(&got, "save it without macros and name that file"),
        _ => refused(&got, "save it in one of these formats"),
    }
}

/// Checks that the template is an archive, which presentations are, or encrypted, which has an error of its own. A file that
/// cannot be read has one too.
fn check_content(template: &Path) -> Result<()> {
    let beginning = plain_file::read(template, 2).unwrap_or_default();
    if matches!(beginning[..], [] | [b'P', b'K', ..] | [0xd0, 0xcf, ..]) {
        return Ok(());
    }
    let message = format!(
        "--template: expected a presentation (`.pptx`, `.potx`), got another file named {}",
        template.display()
    );
    Err(Error::new(ErrorKind::Input, message).hint("open it in its program and save it again"))
}

/// Renders a text, with the title that the user asked for, as slides of the template.
///
/// # Errors
///
/// Those of the text as slides of our own, of [`Layouts::choose`], of [`edits()`] and of the tool.
pub(super) async fn on_template(
    global: &Global,
    command: &Render,
    template: &Path,
    text: (&Doc, Option<&str>),
    output: &Output,
) -> Result<Pptx> {
    check_content(template)?;
    let texts = texts(command, text)?;
    let work = Work::open_with(global, output, |options, progress| {
        // Only the last round is reported.
        let sink = progress.sink();
        options.events = Some(Arc::new(move |event: &Event| {
            if matches!(event, Event::Compiling { .. } | Event::Compiled { .. }) {
                sink(event);
            }
        }));
    })
    .await?;
    let document = work.add_file(template).await.map_err(unlocked)?;
    let names = add_pictures(&work, &texts, &document.name)?;
    let at = |error: Error| error.at(template.display());
    let deck = read(&work, &document.name, true).await.map_err(at)?;
    let [width, height] = deck.size[..] else {
        return Err(Error::bug(format!("`{READ}` returned no size of slides")));
    };
    let layouts = Layouts::choose(&deck.layouts, (width, height)).map_err(at)?;
    let own: Vec<String> = deck.slides.iter().map(|slide| slide.anchor.clone()).collect();
    let removed = if command.keep_slides { &[][..] } else { &own };
    let mut pages = pages(&texts.slides, &layouts);
    if pages.is_empty() {
        let message = "document: expected a text, got nothing to put on slides";
        return Err(Error::new(ErrorKind::Input, message).hint("write a heading or a paragraph"));
    }
    // The tool finds a document before a file that was delivered.
    let filename = match file_name(&command.output) {
        name if name == document.name => format!("slides of {name}"),
        name => name,
    };
    let source_of_edits = Source { texts: &texts, pictures: &names, removed };
    let kept = own.len() - removed.len();
    let mut round = 1;
    let (edited, slides, content) = loop {
        let edits = edits(&pages, &layouts, &source_of_edits)?;
        let arguments = json!({ "document": document.name, "edits": edits, "filename": filename });
        let doing = format!("making {} slides of {}", pages.len(), document.name);
        let report = call(&work, EDIT, doing, &arguments.to_string()).await?;
        let edited: Edited = report.result.map_err(at)?.deserialize().map_err(Error::bug)?;
        let slides = read(&work, &edited.name, false).await?.slides;
        if slides.len() != kept + pages.len() {
            let (got, expected) = (slides.len(), kept + pages.len());
            return Err(Error::bug(format!("expected {expected} slides, got {got}")));
        }
        let found = excess(&edited, &slides, kept);
        if round < ROUNDS && divide(&mut pages, &found, &layouts) {
            round += 1;
            continue;
        }
        let (_, content) = delivered(&work.session, EDIT, &report.artifacts)?;
        break (edited, slides, content);
    };
    let mut warnings = texts.warnings.clone();
    warnings.extend(chart_losses(&pages));
    warnings.extend(lost_subtitle(&texts, &layouts));
    warnings.extend(tool_warnings(&edited, &slides, &own));
    Ok(Pptx { bytes: content, slides: slides.len(), warnings })
}

/// Returns the text as slides without places.
fn texts(command: &Render, (doc, title): (&Doc, Option<&str>)) -> Result<SlideTexts> {
    let pictures = sibling_pictures::pictures(doc, &command.file, !command.no_images);
    slide_texts(
        doc,
        &PptxOptions {
            common: CommonOptions {
                title: title.map(str::to_owned),
                language: command.language.clone(),
                contents: command.contents,
                pictures,
                ..CommonOptions::default()
            },
        },
    )
}

/// Gives the pictures of the text to the session, and returns their names.
fn add_pictures(work: &Work, texts: &SlideTexts, template: &str) -> Result<Vec<String>> {
    let names = picture_names(texts, template);
    for (at, (name, picture)) in names.iter().zip(&texts.pictures).enumerate() {
        if !names[..at].contains(name) {
            work.session.add_picture(name, &picture.file)?;
        }
    }
    Ok(names)
}

/// Reads all slides of a presentation.
async fn read(work: &Work, document: &str, has_layouts: bool) -> Result<ReadDeck> {
    let mut all: Option<ReadDeck> = None;
    let mut start = 1;
    loop {
        let arguments = json!({
            "document": document, "start": start, "limit": READ_AT_ONCE,
            "layouts": has_layouts && all.is_none(),
        });
        let report =
            call(work, READ, format!("reading {document}"), &arguments.to_string()).await?;
        let read: ReadDeck = report.result?.deserialize().map_err(Error::bug)?;
        let next = read.next;
        match &mut all {
            Some(all) => all.slides.extend(read.slides),
            None => all = Some(read),
        }
        match (next, all) {
            (Some(next), read) if next > start => (start, all) = (next, read),
            (_, Some(read)) => return Ok(read),
            (_, None) => return Err(Error::bug(format!("`{READ}` returned no slides"))),
        }
    }
}

/// Returns the warning that authors and date have no place.
fn lost_subtitle(texts: &SlideTexts, layouts: &Layouts) -> Option<String> {
    let subtitle = texts.slides.iter().find_map(|slide| slide.subtitle.as_ref())?;
    layouts.title.subtitle.is_none().then(|| {
        format!(
            "`{subtitle}` is not shown: the layout `{}` has no placeholder for it",
            layouts.title.layout
        )
    })
}
