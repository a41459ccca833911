//! The files that the arguments of a call name, so that an approval is bound to their content.
//!
//! A person approves a call on `contract.pdf`. While the question waits, another call could replace the file.

use std::collections::BTreeMap;

use serde_json::Value;

use super::super::approval_request::ApprovedFile;

/// Most files of a request. A person could not check more.
const MAX_FILES: usize = 100;

/// Returns the files of the session that are strings of the arguments, each once. `find` returns the SHA-256 of a file.
pub(super) fn named_files(
    arguments: &str,
    find: &dyn Fn(&str) -> Option<String>,
) -> Vec<ApprovedFile> {
    let mut found = BTreeMap::new();
    if let Ok(arguments) = serde_json::from_str(arguments) {
        look(&arguments, find, &mut found);
    }
    found.into_iter().map(|(name, sha256)| ApprovedFile { name, sha256 }).collect()
}

fn look(
    value: &Value,
    find: &dyn Fn(&str) -> Option<String>,
    found: &mut BTreeMap<String, String>,
) {
    match value {
        Value::String(text) if found.len() < MAX_FILES && !found.contains_key(text) => {
            if let Some(sha256) = find(text) {
                found.insert(text.clone(), sha256);
            }
        }
        Value::Array(elements) => elements.iter().for_each(|it| look(it, find, found)),
        Value::Object(entries) => entries.values().for_each(|it| look(it, find, found)),
        _ => {}
    }
}

/// Returns the name of a file that is not what it was when the call was approved. A file that was not there then has been made
/// by the script that goes on.
pub(super) fn changed<'f>(approved: &'f [ApprovedFile], now: &[ApprovedFile]) -> Option<&'f str> {
    approved.iter().find(|it| !now.contains(it)).map(|it| it.name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_strings_at_any_depth() {
        let find = |name: &str| name.ends_with(".pdf").then(|| format!("digest of {name}"));
        let named = |arguments: &str| named_files(arguments, &find);
        let arguments =
            r#"{"document": "a.pdf", "parts": [{"of": "b.pdf"}, "a.pdf", 1, "c.txt"], "d.pdf": 1}"#;
        let files = named(arguments);
        let names: Vec<&str> = files.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["a.pdf", "b.pdf"]);
        assert!(named("no json").is_empty());
        let many: Vec<String> = (0..200).map(|at| format!("{at}.pdf")).collect();
        assert_eq!(named(&serde_json::json!({ "of": many }).to_string()).len(), MAX_FILES);

        assert_eq!(changed(&files, &files), None);
        assert_eq!(changed(&files[..1], &files), None);
        assert_eq!(changed(&files, &files[..1]), Some("b.pdf"));
        let other = ApprovedFile { sha256: "other".to_owned(), ..files[0].clone() };
        assert_eq!(changed(&files, &[other, files[1].clone()]), Some("a.pdf"));
    }
}
