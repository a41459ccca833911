//! The component: converts between the types of the interface and those of this crate, and calls the host.

#[allow(unused_qualifications, unreachable_pub, reason = "generated code")]
mod bindings {
    wit_bindgen::generate!({
        path: ["../../wit", "wit"],
        world: "mitt:mail-tool/plugin",
        generate_all,
    });
}

use crate::{Error, Request, draft};
use bindings::exports::mitt::mail_tool::tools as wit;
use bindings::mitt::host::files;
use bindings::mitt::host::types::Error as HostError;

/// Most warnings of a delivered file, and most characters of each, which the host takes.
const MAX_WARNINGS: usize = 100;
const MAX_WARNING: usize = 1_000;

struct Plugin;

impl wit::Guest for Plugin {
    fn draft_email(
        body: String,
        subject: Option<String>,
        to: Option<Vec<String>>,
        cc: Option<Vec<String>>,
        bcc: Option<Vec<String>>,
        sender: Option<String>,
        attachments: Option<Vec<String>>,
        reply_to_mail: Option<String>,
        date: Option<String>,
        filename: String,
    ) -> Result<wit::Draft, HostError> {
        mitt_guest::report_panics();
        if let Err(problem) = mitt_guest::check_filename(&filename, &["eml"]) {
            return Err(HostError::InvalidArgument(format!("filename: {problem}")));
        }
        let request = Request {
            body,
            subject: given(subject),
            to: to.unwrap_or_default(),
            cc: cc.unwrap_or_default(),
            bcc: bcc.unwrap_or_default(),
            sender: given(sender),
            attachments: attachments.unwrap_or_default(),
            reply_to_mail: given(reply_to_mail),
            date: given(date),
        };
        let read = |name: &str| files::read(name).map_err(from_host);
        let done = draft(&request, &read).map_err(to_host)?;
        let warnings = bounded(done.warnings);
        let artifact = files::deliver(&done.content, &filename, &warnings)?;
        let parts = done.parts.into_iter().map(|it| wit::Part {
            kind: it.kind.as_str().to_owned(),
            name: it.name,
            media_type: it.media_type,
            size: it.size as u64,
        });
        Ok(wit::Draft {
            name: artifact.name,
            media_type: artifact.media_type,
            size: artifact.size,
            sha256: artifact.sha256,
            subject: done.subject,
            recipients: done.recipients,
            parts: parts.collect(),
            warnings,
        })
    }
}

/// Returns a text that is not empty. Models often send an empty string for an omitted one.
fn given(text: Option<String>) -> Option<String> {
    text.filter(|it| !it.trim().is_empty())
}

/// Returns as many warnings as the host takes.
fn bounded(mut warnings: Vec<String>) -> Vec<String> {
    if warnings.len() > MAX_WARNINGS {
        let more = warnings.len() - MAX_WARNINGS + 1;
        warnings.truncate(MAX_WARNINGS - 1);
        warnings.push(format!("{more} further warnings were left out."));
    }
    warnings.into_iter().map(|it| it.chars().take(MAX_WARNING).collect()).collect()
}

fn from_host(error: HostError) -> Error {
    match error {
        HostError::InvalidArgument(text) => Error::Invalid(text),
        HostError::NotFound(text) => Error::NotFound(text),
        HostError::Malformed(text) => Error::Malformed(text),
        HostError::Unsupported(text) => Error::Unsupported(text),
        HostError::Quota(text) => Error::Quota(text),
        HostError::AlreadyExists(text) | HostError::Other(text) => Error::Other(text),
    }
}

fn to_host(error: Error) -> HostError {
    match error {
        Error::Invalid(text) => HostError::InvalidArgument(text),
        Error::NotFound(text) => HostError::NotFound(text),
        Error::Malformed(text) => HostError::Malformed(text),
        Error::Unsupported(text) => HostError::Unsupported(text),
        Error::Quota(text) => HostError::Quota(text),
        Error::Other(text) => HostError::Other(text),
    }
}

#[cfg(test)]
mod tests {
    use super::{bounded, given};

    #[test]
    fn warnings_are_as_many_as_the_host_takes() {
        let many = bounded(vec!["你".repeat(2_000); 150]);
        assert_eq!((many.len(), many[0].chars().count()), (100, 1_000));
        assert_eq!(many[99], "51 further warnings were left out.");
        assert_eq!(given(Some(" ".into())), None);
    }
}

// A native linker does not accept the names of these functions.
#[cfg(target_family = "wasm")]
bindings::export!(Plugin with_types_in bindings);
