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
    let found = attributes(subject).into_iter().find_map(|it| {
        let value = it.trim_start().strip_prefix("CN=")?;
        Some(unescaped(value.trim_end()))
    });
    line(found.as_deref().unwrap_or(subject), 200)
}

/// Returns the attributes of a subject: what stands between separators that are not escaped.
fn attributes(subject: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut is_escaped) = (0, false);
    for (at, letter) in subject.char_indices() {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            ',' | '+' => {
                parts.push(&subject[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&subject[start..]);
    parts
}

/// Returns a value without escapes: `\,` is a comma, and `\2C` the byte of this number (RFC 4514, 2.4).
fn unescaped(value: &str) -> String {
    let mut out = Vec::new();
    let mut rest = value.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let digit = |at: usize| after.get(at).and_then(|it| char::from(*it).to_digit(16));
        let (byte, after) = match (first, digit(0), digit(1)) {
            (b'\\', Some(high), Some(low)) => {
                // Two digits are a byte.
                (u8::try_from(high * 16 + low).unwrap_or_default(), &after[2..])
            }
            (b'\\', ..) if !after.is_empty() => (after[0], &after[1..]),
            _ => (*first, after),
        };
        out.push(byte);
        rest = after;
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Returns `true` if a field has a place where something is seen.
pub(super) fn has_place(field: &Field) -> bool {
    field.page.is_some()
        && field.rect.is_some_and(|it| it[2] - it[0] >= 1.0 && it[3] - it[1] >= 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_common_name_may_have_separators_and_escapes() {
        for (subject, expected) in [
            ("CN=Zhang Wei,O=Mitt", "Zhang Wei"),
            (r"O=Mitt\, Inc.,CN=Zhang\, Wei\+Co", "Zhang, Wei+Co"),
            (r"CN=Lu\C4\8Di\C4\87+SERIALNUMBER=7", "Lučić"),
            (r"CN=a\\,O=b", r"a\"),
            ("O=CN=x,OU=y", "O=CN=x,OU=y"),
            (r"CN=\", r"\"),
            ("", ""),
        ] {
            assert_eq!(common_name(subject), expected, "{subject}");
        }
    }
}
