//! Shows the arguments of a call to the person who approves it: every key and every value, long ones shortened. A call whose
//! arguments cannot be shown in this way cannot be approved, so that nothing is hidden.

use std::collections::BTreeMap;

use super::super::approval_request::ApprovalRequest;
use mitt_base::limits::MIB;
use mitt_base::text::{one_line, shortened};
use mitt_base::visible::without_selectors;
use mitt_wit::value::Json;

/// Most lines that a person reads before a decision.
const MAX_LINES: usize = 100;

/// Most characters that are shown of a string, a number or a key.
const MAX_CHARACTERS: usize = 120;

/// Characters of a file's SHA-256 that are shown: enough to compare, short enough to read.
const DIGEST_CHARACTERS: usize = 16;

/// Most elements of a list that are shown one by one. Of a longer list, the first and last ones are shown, and the keys of the
/// others.
const MAX_ELEMENTS: usize = 16;
const FIRST: usize = 8;
const LAST: usize = 4;

/// Largest arguments that are parsed, in bytes. The arguments of a call are at most a tenth of it.
const MAX_BYTES: u64 = 16 * MIB;

impl ApprovalRequest {
    /// Returns the arguments for a person, in order, with one line per value: its path and the value. Every key is listed. Long
    /// strings and lists are shortened, with the number of characters or elements that are missing; misleading characters are
    /// escaped. Then follow the files of the session that the arguments name, with the first 16 digits of their SHA-256.
    ///
    /// # Errors
    ///
    /// There are more lines than a person could check, as the text says. Such a call must not be approved.
    pub fn preview(&self) -> Result<Vec<String>, String> {
        let arguments = Json::parse(&self.arguments, MAX_BYTES, Json::MAX_DEPTH)
            .map_err(|error| format!("its arguments cannot be shown: {error}"))?;
        let mut preview = PreviewLines::default();
        preview.value("", &arguments);
        for file in &self.files {
            let digest = file.sha256.get(..DIGEST_CHARACTERS).unwrap_or(&file.sha256);
            preview.line("", &format!("file {}: SHA-256 {digest}…", quoted(&file.name)));
        }
        match preview.count {
            0 => Ok(vec!["no arguments".to_owned()]),
            count if count <= MAX_LINES => Ok(preview.lines),
            count => Err(format!(
                "its arguments have {count} values and keys to look at, and at most {MAX_LINES} can be shown"
            )),
        }
    }
}

#[derive(Default)]
struct PreviewLines {
    lines: Vec<String>,
    /// Number of lines, including those above the limit.
    count: usize,
}

impl PreviewLines {
    fn value(&mut self, place: &str, value: &Json) {
        match value {
            Json::Object(entries) if entries.is_empty() && place.is_empty() => {}
            Json::Object(entries) if entries.is_empty() => self.line(place, "{}"),
            Json::Object(entries) => {
                for (key, value) in entries {
                    self.value(&below(place, key), value);
                }
            }
            Json::Array(elements) if elements.is_empty() => self.line(place, "[]"),
            Json::Array(elements) if elements.len() <= MAX_ELEMENTS => {
                self.elements(place, elements, 0);
            }
            Json::Array(elements) => self.long(place, elements),
            Json::String(text) => self.line(place, &quoted(text)),
            other => self.line(place, &one_line(&shortened(&other.to_string(), MAX_CHARACTERS))),
        }
    }

    fn elements(&mut self, place: &str, elements: &[Json], first: usize) {
        for (index, element) in elements.iter().enumerate() {
            self.value(&format!("{place}/{}", first + index), element);
        }
    }

    /// Shows the first and last elements of a long list, and the keys of those between, so that its length hides no key.
    fn long(&mut self, place: &str, elements: &[Json]) {
        let (first, rest) = elements.split_at(FIRST);
        let (middle, last) = rest.split_at(rest.len() - LAST);
        self.elements(place, first, 0);
        let mut keys = BTreeMap::new();
        middle.iter().for_each(|element| count_keys("", element, &mut keys));
        self.line(
            &format!("{place}/{FIRST} to {place}/{}", FIRST + middle.len() - 1),
            &format!("{} of {} elements are not shown", middle.len(), elements.len()),
        );
        for (key, count) in keys {
            self.line(&format!("{place}/…{key}"), &format!("in {count} of those"));
        }
        self.elements(place, last, FIRST + middle.len());
    }

    fn line(&mut self, place: &str, text: &str) {
        self.count += 1;
        if self.count > MAX_LINES {
            return;
        }
        let line = match place {
            "" => text.to_owned(),
            place => format!("{place}: {text}"),
        };
        self.lines.push(without_selectors(&line).into_owned());
    }
}

/// Counts the keys in `value` at any depth. Paths have no index for elements of lists.
fn count_keys(place: &str, value: &Json, keys: &mut BTreeMap<String, usize>) {
    match value {
        Json::Object(entries) => {
            for (key, value) in entries {
                let place = below(place, key);
                *keys.entry(place.clone()).or_default() += 1;
                count_keys(&place, value, keys);
            }
        }
        Json::Array(elements) => {
            for element in elements {
                count_keys(&format!("{place}/…"), element, keys);
            }
        }
        _ => {}
    }
}

/// Appends a key to a path, escaped as in a JSON pointer.
fn below(place: &str, key: &str) -> String {
    let key = key.replace('~', "~0").replace('/', "~1");
    format!("{place}/{}", one_line(&shortened(&key, MAX_CHARACTERS)))
}

/// Returns a string in quotes, escaped so that it cannot look like another line or like a remark of Mitt.
fn quoted(text: &str) -> String {
    let cut = text.chars().count() > MAX_CHARACTERS;
    let escaped = |text: &str| one_line(&text.replace('\\', "\\\\").replace('"', "\\\""));
    if !cut {
        return format!("\"{}\"", escaped(text));
    }
    let characters = text.chars().count();
    let (head, tail) = (MAX_CHARACTERS * 2 / 3, MAX_CHARACTERS / 3);
    let start: String = text.chars().take(head).collect();
    let end: String = text.chars().skip(characters - tail).collect();
    format!(
        "\"{}\" … \"{}\" ({characters} characters, of which {} are not shown)",
        escaped(&start),
        escaped(&end),
        characters - head - tail
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::{ApprovedFile, CallId};

    fn request(arguments: &str) -> ApprovalRequest {
        ApprovalRequest {
            id: "1".into(),
            number: 1,
            call: CallId { number: 1, parent: None },
            tool: "a__b".into(),
            title: None,
            version: "1.0.0".into(),
            fingerprint: String::new(),
            arguments: arguments.to_owned(),
            arguments_sha256: String::new(),
            files: Vec::new(),
            depth: 0,
        }
    }

    fn preview(arguments: &str) -> Result<String, String> {
        request(arguments).preview().map(|lines| lines.join("\n"))
    }

    #[test]
    fn files_are_shown_with_the_beginning_of_their_digests() {
        let sha256 = "0123456789abcdef".repeat(4);
        let file = ApprovedFile { name: "a\u{202e}\n/b.pdf".into(), sha256 };
        let request = ApprovalRequest { files: vec![file], ..request(r#"{"of": 1}"#) };
        let lines = request.preview().unwrap();
        let expected = r#"file "a\u{202e}\n/b.pdf": SHA-256 0123456789abcdef…"#;
        assert_eq!(lines, ["/of: 1", expected]);
    }

    #[test]
    fn every_key_is_shown_and_long_values_are_shortened() {
        let padding = " ".repeat(5_000);
        let arguments = format!(
            r#"{{"note": "{padding}", "deep": [{{"a": 1}}, []], "n": 0.10, "none": {{}}, "path": "/etc\u202e", "force": true}}"#
        );
        let text = preview(&arguments).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert!(
            lines[0].starts_with("/note: \"  ")
                && lines[0].ends_with("(5000 characters, of which 4880 are not shown)"),
            "{}",
            lines[0]
        );
        assert_eq!(
            lines[1..],
            [
                "/deep/0/a: 1",
                "/deep/1: []",
                "/n: 0.10",
                "/none: {}",
                "/path: \"/etc\\u{202e}\"",
                "/force: true"
            ]
        );
        assert_eq!(preview("{}").unwrap(), "no arguments");
    }

    #[test]
    fn nothing_is_hidden_behind_a_letter() {
        let text = preview("{\"葛\u{e0100}\": \"葛\u{e0155}\"}").unwrap();
        assert_eq!(text, "/葛\\u{e0100}: \"葛\\u{e0155}\"");
    }

    #[test]
    fn nothing_looks_like_another_line() {
        let text = preview(r#"{"a": "x\"\n/b: \"y", "c\n/d: 1": "\u009b2K\\"}"#).unwrap();
        assert_eq!(text.lines().count(), 2, "{text}");
        assert_eq!(
            text,
            "/a: \"x\\\"\\n~1b".replace("~1b", "/b: \\\"y\"") + "\n/c\\n~1d: 1: \"\\u{9b}2K\\\\\""
        );
    }

    #[test]
    fn a_long_list_hides_no_key() {
        let mut elements: Vec<String> = (0..2_000).map(|n| format!(r#"{{"id": {n}}}"#)).collect();
        elements[1_000] = r#"{"id": 1, "also": {"path": "/"}}"#.into();
        let text = preview(&format!(r#"{{"rows": [{}]}}"#, elements.join(","))).unwrap();
        assert!(
            text.contains("/rows/8 to /rows/1995: 1988 of 2000 elements are not shown"),
            "{text}"
        );
        assert!(text.contains("/rows/…/also/path: in 1 of those"), "{text}");
        assert!(
            text.contains("/rows/…/id: in 1988 of those") && text.ends_with("/rows/1999/id: 1999"),
            "{text}"
        );
    }

    #[test]
    fn what_cannot_be_shown_is_refused() {
        let many: Vec<String> = (0..200).map(|n| format!(r#""k{n}": 1"#)).collect();
        let error = preview(&format!("{{{}}}", many.join(","))).unwrap_err();
        assert!(error.contains("200 values and keys"), "{error}");
        let nested: Vec<String> = (0..20)
            .map(|n| format!(r#"[{{"k{n}a": 1, "k{n}b": [{{"c": 2}}], "d": [1,2,3]}}]"#))
            .collect();
        assert!(preview(&format!(r#"{{"a": [[{0}],[{0}]]}}"#, nested.join(","))).is_err());
        assert!(preview("not json").unwrap_err().contains("cannot be shown"));
    }
}
