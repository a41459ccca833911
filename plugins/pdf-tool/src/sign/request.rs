//! What a caller asks for: the field, the texts, and what is seen.

use crate::form::Field;
use crate::text::line;

/// How a document is signed.
#[derive(Clone, Debug, Default)]
pub struct Signing {
    /// Name of the field: an empty one that exists, or a new one. Default: the only empty one, otherwise a new one.
    pub field: Option<String>,
    /// Why.
    pub reason: Option<String>,
    /// Where.
    pub location: Option<String>,
    /// How the signer can be reached.
    pub contact: Option<String>,
    /// What is seen; `None` for nothing, if the field has no place of its own.
    pub appearance: Option<Appearance>,
}

/// What a signature shows.
#[derive(Clone, Debug, Default)]
pub struct Appearance {
    /// Page of a new field, from 1. Default: the first.
    pub page: Option<usize>,
    /// Rectangle of a new field: left, bottom, right, top in points from the lower left corner as seen.
    pub rect: Option<[f64; 4]>,
    /// Text with `{name}`, `{date}`, `{reason}`, `{location}`. Default: name, date and reason; none beside a picture that
    /// is given without a text.
    pub text: Option<String>,
    /// A picture: its name and its content.
    pub picture: Option<(String, Vec<u8>)>,
}

/// Returns the common name of a subject as RFC 4514 writes it; the whole subject if it has none.
pub(super) fn common_name(subject: &str) -> String {
    let found = subject.split(['+', ',']).find_map(|it| it.trim().strip_prefix("CN="));
    line(found.unwrap_or(subject), 200)
}

/// Returns `true` if a field has a place where something is seen.
pub(super) fn has_place(field: &Field) -> bool {
    field.page.is_some()
        && field.rect.is_some_and(|it| it[2] - it[0] >= 1.0 && it[3] - it[1] >= 1.0)
}
