//! The URIs of resources: `mitt://documents/<name>`, `mitt://artifacts/<name>`, `skill://<skill>/<path>`.
//!
//! A name is one percent-encoded segment. `?offset=<n>&length=<n>` requests a part of a large resource: characters of a
//! document, bytes of an artifact.

use std::fmt::Write as _;

const DOCUMENTS: &str = "mitt://documents/";
const ARTIFACTS: &str = "mitt://artifacts/";
pub(super) const SKILL: &str = "skill://";

/// The target of a URI.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Target<'a> {
    Document(String),
    Artifact(String),
    /// A file of a skill, with its whole URI.
    Skill(&'a str),
}

/// A part of a resource.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) offset: u64,
    pub(super) length: Option<u64>,
}

/// Returns the URI of a document.
pub(super) fn document(name: &str) -> String {
    encoded(DOCUMENTS, name)
}

/// Returns the URI of an artifact.
pub(super) fn artifact(name: &str) -> String {
    encoded(ARTIFACTS, name)
}

/// Returns the URI of a file of a skill, whose path has `/`.
pub(super) fn skill_file(skill: &str, path: &str) -> String {
    let mut uri = encoded(SKILL, skill);
    for segment in path.split('/') {
        uri.push('/');
        encode(&mut uri, segment);
    }
    uri
}

/// Returns the target of `uri`, and the part that it requests, if any.
pub(super) fn parse(uri: &str) -> Result<(Target<'_>, Option<Range>), String> {
    let (path, query) = match uri.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (uri, None),
    };
    let name = |text: &str| match decoded(text) {
        Some(name) if !name.is_empty() && !text.contains('/') => Ok(name),
        _ => Err(format!("expected a percent-encoded name, got `{text}`")),
    };
    let target = if let Some(text) = path.strip_prefix(DOCUMENTS) {
        Target::Document(name(text)?)
    } else if let Some(text) = path.strip_prefix(ARTIFACTS) {
        Target::Artifact(name(text)?)
    } else if path.starts_with(SKILL) {
        Target::Skill(path)
    } else {
        return Err(format!("expected `{DOCUMENTS}…`, `{ARTIFACTS}…` or `{SKILL}…`"));
    };
    Ok((target, query.map(range).transpose()?))
}

fn range(query: &str) -> Result<Range, String> {
    let mut range = Range::default();
    for pair in query.split('&') {
        let number = |text: &str| {
            text.parse::<u64>().map_err(|_| format!("`{pair}`: expected a whole number"))
        };
        match pair.split_once('=') {
            Some(("offset", text)) => range.offset = number(text)?,
            Some(("length", text)) => range.length = Some(number(text)?),
            _ => return Err(format!("expected `?offset=<n>&length=<n>`, got `{pair}`")),
        }
    }
    Ok(range)
}

pub(super) fn encoded(prefix: &str, name: &str) -> String {
    let mut uri = prefix.to_owned();
    encode(&mut uri, name);
    uri
}

/// Encodes everything except the unreserved characters of RFC 3986.
fn encode(uri: &mut String, text: &str) {
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                uri.push(char::from(byte));
            }
            _ => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
}

pub(crate) fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        if *first != b'%' {
            bytes.push(*first);
            rest = tail;
            continue;
        }
        let digits = std::str::from_utf8(tail.get(..2)?).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = &tail[2..];
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_survive() {
        for name in ["report.xlsx", "月报 (2).md", "100% a/b?c#d&e=f", "..", "ü"] {
            let uri = artifact(name);
            assert!(
                uri.is_ascii() && !uri[ARTIFACTS.len()..].contains(['/', '?', '#', ' ']),
                "{uri}"
            );
            assert_eq!(parse(&uri), Ok((Target::Artifact(name.into()), None)));
            assert_eq!(parse(&document(name)), Ok((Target::Document(name.into()), None)));
        }
        assert_eq!(skill_file("a-b", "references/x y.md"), "skill://a-b/references/x%20y.md");
    }

    #[test]
    fn parts() {
        let part = |uri| parse(uri).map(|(_, range)| range);
        assert_eq!(
            part("mitt://documents/a?offset=5&length=7"),
            Ok(Some(Range { offset: 5, length: Some(7) }))
        );
        assert_eq!(
            part("mitt://documents/a?offset=5"),
            Ok(Some(Range { offset: 5, length: None }))
        );
        for wrong in [
            "mitt://documents/a?offset=-1",
            "mitt://documents/a?offset=1&size=2",
            "mitt://documents/a?",
            "mitt://documents/a?offset=99999999999999999999",
        ] {
            assert!(part(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn others_are_refused() {
        for wrong in [
            "mitt://documents/",
            "mitt://documents/a/b",
            "mitt://documents/%zz",
            "mitt://documents/%F",
            "mitt://documents/%FF",
            "mitt://other/a",
            "file:///etc/passwd",
            "",
        ] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
