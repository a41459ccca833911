//! How a text becomes a file: what events and rules say of it.
//!
//! Knows no event and no rule.

use std::path::{Path, PathBuf};

use super::fields::Fields;
use crate::args::{Force, Global, Json as JsonArg, Render};
use crate::commands::{Rendered, render_text};
use mitt::render::{Cancel, PdfStandard, Theme};
use mitt_base::{Error, Result};

/// Endings of the files that texts can be made, without the dot.
const FORMATS: [&str; 5] = ["pdf", "docx", "html", "pptx", "xlsx"];

/// How a text becomes a file.
#[derive(Clone, Debug)]
pub(super) struct RenderOptions {
    title: Option<String>,
    language: Option<String>,
    paper: Option<String>,
    contents: bool,
    theme: String,
    standards: Vec<PdfStandard>,
}

impl RenderOptions {
    /// Reads the options among the fields of an object.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Arguments`](mitt_base::ErrorKind::Arguments) - one of them has no such value; the place is named.
    pub(super) fn read(fields: &mut Fields) -> Result<RenderOptions> {
        let paper = fields.text("paper")?;
        if !matches!(paper.as_deref(), None | Some("a4" | "letter")) {
            return Err(fields.wrong("paper", "expected `a4` or `letter`"));
        }
        let theme = fields.text("theme")?.unwrap_or_else(|| "plain".to_owned());
        if !Theme::names().any(|known| known == theme) {
            let known: Vec<String> = Theme::names().map(|name| format!("`{name}`")).collect();
            return Err(fields.wrong("theme", &format!("expected one of {}", known.join(", "))));
        }
        let standards = fields.texts("standards")?.into_iter().map(|text| text.parse());
        let standards: Result<Vec<PdfStandard>> = standards.collect();
        let standards = standards.map_err(|error| {
            let wrong = fields.wrong("standards", error.message());
            error.hints().iter().fold(wrong, |wrong, hint| wrong.hint(hint))
        })?;
        Ok(RenderOptions {
            title: fields.text("title")?,
            language: fields.text("language")?,
            paper,
            contents: fields.flag("contents")?,
            theme,
            standards,
        })
    }

    /// Makes the file `name` on a thread for work that does not yield. It is given up when the future is dropped.
    ///
    /// # Errors
    ///
    /// Those of `mitt render`, in the words of events.
    pub(super) async fn make(self, global: Global, name: &str, text: String) -> Result<Rendered> {
        let options = self.for_file(name);
        let cancel = CancelOnDrop(Cancel::new());
        let flag = cancel.0.clone();
        let made = tokio::task::spawn_blocking(move || render_text(&global, &options, text, flag));
        let made = made.await.map_err(Error::bug)?;
        drop(cancel);
        made.map_err(in_words_of_events)
    }

    fn for_file(self, name: &str) -> Render {
        Render {
            // Nothing lies beside the text of an event.
            file: PathBuf::from("-"),
            output: PathBuf::from(name),
            force: Force { force: false },
            title: self.title,
            language: self.language,
            paper: self.paper,
            contents: self.contents,
            pdf_backend: None,
            theme: self.theme,
            pdf_standard: self.standards,
            attach: Vec::new(),
            no_images: true,
            preview: None,
            template: None,
            keep_slides: false,
            json: JsonArg { json: true },
        }
    }
}

/// Checks that the end of a name is that of a file that texts can be made.
///
/// # Errors
///
/// It is none; the text says which there are.
pub(super) fn check_format(name: &str) -> Result<(), String> {
    let extension = Path::new(name).extension().map(|it| it.to_ascii_lowercase());
    if extension.is_some_and(|it| FORMATS.iter().any(|format| it == *format)) {
        return Ok(());
    }
    let expected = FORMATS.map(|format| format!("`.{format}`")).join(", ");
    Err(format!("expected a name that ends in one of {expected}"))
}

/// Ends a rendering that nobody waits for.
struct CancelOnDrop(Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Names the fields of the event instead of the options of `mitt render`.
fn in_words_of_events(error: Error) -> Error {
    error.with_texts(|text| {
        text.contains("--")
            .then(|| text.replace("--output", "render.name").replace("--", "render."))
    })
}
