//! Uploaded files in the arguments of a call.
//!
//! An argument may name a file by its identifier, `file-…`, alone or in a longer text such as a script. For the call, the
//! identifier becomes the name of a document. Everything else stays as the client wrote it, with all digits of its numbers.

use mitt::value::Json;
use mitt_base::Result;

/// Prefix of the identifiers of uploaded files.
const PREFIX: &str = "file-";
/// Characters of an identifier after its prefix.
const ID_CHARACTERS: usize = 21;

/// Most uploaded files that one call may name.
pub(super) const MOST_FILES: usize = 32;

/// An identifier in the arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NamedFile {
    /// The identifier.
    pub(super) id: String,
    /// JSON Pointer to the first text that has it.
    pub(super) pointer: String,
    /// `true` if one of the texts is the identifier alone, so that it can mean nothing else.
    pub(super) is_alone: bool,
}

/// Returns `true` if the text may hold an identifier, so that it is worth parsing.
pub(super) fn may_name_files(arguments: &str) -> bool {
    arguments.contains(PREFIX)
}

/// Parses arguments.
///
/// # Errors
///
/// They are not JSON.
pub(super) fn parsed(arguments: &str) -> Result<Json> {
    Json::parse(arguments, arguments.len() as u64, Json::MAX_DEPTH)
}

/// Returns the identifiers in the order of their first places, each once.
pub(super) fn named_files(arguments: &Json) -> Vec<NamedFile> {
    let mut found = Vec::new();
    find(arguments, &mut String::new(), &mut found);
    found
}

fn find(value: &Json, pointer: &mut String, found: &mut Vec<NamedFile>) {
    let length = pointer.len();
    match value {
        Json::String(text) => {
            for (_, id) in ids(text) {
                let is_alone = id.len() == text.len();
                match found.iter_mut().find(|it| it.id == id) {
                    Some(known) => known.is_alone |= is_alone,
                    None => found.push(NamedFile {
                        id: id.to_owned(),
                        pointer: pointer.clone(),
                        is_alone,
                    }),
                }
            }
        }
        Json::Array(elements) => {
            for (index, element) in elements.iter().enumerate() {
                pointer.push_str(&format!("/{index}"));
                find(element, pointer, found);
                pointer.truncate(length);
            }
        }
        Json::Object(members) => {
            for (key, member) in members {
                pointer.push('/');
                pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
                find(member, pointer, found);
                pointer.truncate(length);
            }
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => {}
    }
}

/// Replaces identifiers in texts by the names of their documents.
pub(super) fn rename(value: &mut Json, names: &[(String, String)]) {
    match value {
        Json::String(text) => {
            if let Some(renamed) = renamed(text, names) {
                *text = renamed;
            }
        }
        Json::Array(elements) => elements.iter_mut().for_each(|element| rename(element, names)),
        Json::Object(members) => members.iter_mut().for_each(|(_, member)| rename(member, names)),
        Json::Null | Json::Bool(_) | Json::Number(_) => {}
    }
}

fn renamed(text: &str, names: &[(String, String)]) -> Option<String> {
    let mut renamed = String::new();
    let mut end = 0;
    for (start, id) in ids(text) {
        let Some((_, name)) = names.iter().find(|(known, _)| known == id) else { continue };
        renamed.push_str(&text[end..start]);
        renamed.push_str(name);
        end = start + id.len();
    }
    (end > 0).then(|| renamed + &text[end..])
}

/// Returns the identifiers in a text with their places: the prefix and 21 characters, with no further character of an
/// identifier around them.
fn ids(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.match_indices(PREFIX).filter_map(move |(start, _)| {
        let end = start + PREFIX.len() + ID_CHARACTERS;
        let id = text.get(start..end)?;
        let is_bounded =
            !text[..start].ends_with(is_id_character) && !text[end..].starts_with(is_id_character);
        (is_bounded && id.chars().all(is_id_character)).then_some((start, id))
    })
}

fn is_id_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "file-AAAAAAAAAAAAAAAAAAAAA";
    const B: &str = "file-bbbbbbbbbbbbbbbbbbb_-";

    fn json(text: &str) -> Json {
        parsed(text).unwrap()
    }

    #[test]
    fn identifiers_are_found_where_nothing_else_can_be_meant() {
        let arguments = json(&format!(
            r#"{{"a":["x","{A}"],"b/c":{{"code":"read('{B}'); read(\"{A}\")"}},"{A}x":"{A}x","d":"x{A}","e":"file-short"}}"#
        ));
        let file = |id: &str, pointer: &str, is_alone| NamedFile {
            id: id.to_owned(),
            pointer: pointer.to_owned(),
            is_alone,
        };
        assert_eq!(named_files(&arguments), [file(A, "/a/1", true), file(B, "/b~1c/code", false)]);
        assert!(may_name_files(A) && !may_name_files("{}"));
    }

    #[test]
    fn identifiers_become_names_and_digits_stay() {
        let text = |a: &str, b: &str| {
            let numbers = r#""n":0.12345678901234567890123,"big":18446744073709551616"#;
            format!(r#"{{{numbers},"name":"{a}","code":"open('{a}','{b}')","key":"{A}x"}}"#)
        };
        let mut arguments = json(&text(A, B));
        let names = [(A.to_owned(), "月 1.csv".to_owned()), (B.to_owned(), "b.xlsx".to_owned())];
        rename(&mut arguments, &names);
        assert_eq!(arguments.to_string(), text("月 1.csv", "b.xlsx"));
    }

    #[test]
    fn identifiers_have_the_form_that_files_get() {
        let id = crate::files::Files::new_id().unwrap();
        assert_eq!(named_files(&Json::from(id.as_str()))[0].id, id);
    }

    #[test]
    fn a_name_that_looks_like_an_identifier_is_not_renamed_again() {
        let mut arguments = json(&format!(r#"["{A} {B}"]"#));
        let names = [(A.to_owned(), B.to_owned()), (B.to_owned(), A.to_owned())];
        rename(&mut arguments, &names);
        assert_eq!(arguments.to_string(), format!(r#"["{B} {A}"]"#));
    }
}
