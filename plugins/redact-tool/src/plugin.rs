//! The component: converts between the types of the interface and those of this crate, and calls the host.

#[allow(unused_qualifications, unreachable_pub, reason = "generated code")]
mod bindings {
    wit_bindgen::generate!({
        path: ["../../wit", "wit"],
        world: "mitt:redact-tool/plugin",
        generate_all,
    });
}

use crate::{
    MailOptions, Redacted, Searched, TextKind, redact_email_with, redact_text, searched_texts,
};
use bindings::exports::mitt::redact_tool::tools as wit;
use bindings::mitt::host::files;
use bindings::mitt::host::types::Error;

/// Extensions of text files.
const TEXTS: [&str; 4] = ["txt", "md", "csv", "tsv"];

struct Plugin;

impl From<crate::Error> for Error {
    fn from(error: crate::Error) -> Self {
        match error {
            crate::Error::Invalid(text) => Self::InvalidArgument(text),
            crate::Error::NotFound(text) => Self::NotFound(text),
            crate::Error::Malformed(text) => Self::Malformed(text),
            crate::Error::Unsupported(text) => Self::Unsupported(text),
        }
    }
}

/// Returns the kind of a text file by its extension.
fn text_kind(document: &str, extension: &str) -> Result<TextKind, Error> {
    match extension {
        "txt" => Ok(TextKind::Plain),
        "md" => Ok(TextKind::Markdown),
        "csv" | "tsv" => Ok(TextKind::Values),
        _ => {
            let listed = TEXTS.map(|it| format!("`.{it}`")).join(", ");
            Err(Error::InvalidArgument(format!(
                "document: expected one of {listed}, got `{document}`"
            )))
        }
    }
}

impl wit::Guest for Plugin {
    fn searched_texts(document: String, start: Option<u32>) -> Result<wit::TextList, Error> {
        mitt_guest::report_panics();
        let extension = extension(&document);
        let kind = match extension.as_str() {
            "eml" => Searched::Mail,
            other => Searched::Text(text_kind(&document, other)?),
        };
        let texts = searched_texts(&files::read(&document)?, kind)?;
        let (texts, next) = mitt_listing::window(&texts, start.unwrap_or(0) as usize);
        let texts = texts.to_vec();
        let next = next.map(|it| u32::try_from(it).unwrap_or(u32::MAX));
        Ok(wit::TextList { texts, next })
    }

    fn redact_text(
        document: String,
        words: Vec<String>,
        patterns: Option<Vec<String>>,
        filename: String,
    ) -> Result<wit::Redacted, Error> {
        mitt_guest::report_panics();
        let extension = extension(&document);
        let kind = text_kind(&document, &extension)?;
        named(&filename, &extension)?;
        let found =
            redact_text(&files::read(&document)?, kind, &words, &patterns.unwrap_or_default())?;
        deliver(found, &filename)
    }

    fn redact_email(
        document: String,
        words: Vec<String>,
        patterns: Option<Vec<String>>,
        filename: String,
        accept_unread: Option<bool>,
        without_hits: Option<bool>,
    ) -> Result<wit::Redacted, Error> {
        mitt_guest::report_panics();
        if extension(&document) != "eml" {
            return Err(Error::InvalidArgument(format!(
                "document: expected an `.eml`, got `{document}`"
            )));
        }
        named(&filename, "eml")?;
        let found = redact_email_with(
            &files::read(&document)?,
            &words,
            &patterns.unwrap_or_default(),
            MailOptions {
                accepts_unread: accept_unread.unwrap_or(false),
                without_hits: without_hits.unwrap_or(false),
            },
        )?;
        deliver(found, &filename)
    }
}

fn extension(name: &str) -> String {
    name.rsplit_once('.').map(|(_, it)| it.to_ascii_lowercase()).unwrap_or_default()
}

fn named(filename: &str, extension: &str) -> Result<(), Error> {
    let checked = mitt_guest::check_filename(filename, &[extension]);
    checked.map_err(|problem| Error::InvalidArgument(format!("filename: {problem}")))
}

fn deliver(found: Redacted, filename: &str) -> Result<wit::Redacted, Error> {
    let file = files::deliver(&found.bytes, filename, &found.warnings)?;
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let places = found.places.into_iter();
    let places = places.map(|(place, hits)| wit::RedactedPlace { place, count: count(hits) });
    let (total, warnings) = (count(found.total), found.warnings);
    Ok(wit::Redacted { file, places: places.collect(), total, warnings })
}

// A native linker does not accept the names of these functions.
#[cfg(target_family = "wasm")]
bindings::export!(Plugin with_types_in bindings);
